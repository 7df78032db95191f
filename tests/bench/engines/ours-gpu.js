// Our own on a graphics processor, in the steps in which the page goes: q, k and v are brought in by each run.
import init, { open as open_ours } from "../ours/bench-gpu.js";
import { adapter } from "./kit.js";

export async function open() {
  const about = { adapter: await adapter() };
  await init({ module_or_path: new URL("../ours/bench-gpu_bg.wasm", import.meta.url) });

  const prepare = async ({ n, d, q, k, v }) => {
    const opened = await open_ours(d);
    about.trial = opened.about();
    return () => opened.attend(n, q, k, v);
  };
  const ANY_WIDTH = 4; // its test is over soonest
  return { about, prepare, peak: async () => (await open_ours(ANY_WIDTH)).peak() };
}
