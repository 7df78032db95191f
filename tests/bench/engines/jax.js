// jax-js: its own attention, compiled by `jit`.
import { adapter } from "./kit.js";

const LIBRARY = new URL("../node_modules/@jax-js/jax/", import.meta.url);

export async function open({ device, threads }) {
  // It starts as many threads as the machine seems to have processors.
  Object.defineProperty(navigator, "hardwareConcurrency", { value: threads });
  const jax = await import(new URL("dist/index.js", LIBRARY));
  const { version } = await (await fetch(new URL("package.json", LIBRARY))).json();
  const about = { version };
  if (device === "webgpu") about.adapter = await adapter();
  const devices = await jax.init(device);
  if (!devices.includes(device)) throw new Error(`there is no device ${device}`);
  jax.defaultDevice(device);

  const prepare = ({ n, d, q, k, v }) => {
    const attention = jax.jit((q, k, v) => jax.nn.dotProductAttention(q, k, v));
    const array = (numbers) => jax.numpy.array(numbers).reshape([n, 1, d]);
    return () => attention(array(q), array(k), array(v)).data();
  };
  return { about, prepare };
}
