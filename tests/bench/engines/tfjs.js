// TensorFlow.js: matMul, softmax, matMul.
import { adapter, scaled, script, transposed } from "./kit.js";

const FOLDER = new URL("../node_modules/@tensorflow/", import.meta.url);

export async function open({ device, threads }) {
  await script(new URL("tfjs-core/dist/tf-core.min.js", FOLDER));
  await script(new URL(`tfjs-backend-${device}/dist/tf-backend-${device}.min.js`, FOLDER));
  const { tf } = globalThis;
  const about = { version: tf.version_core };
  if (device === "webgpu") about.adapter = await adapter();
  if (device === "wasm") {
    tf.wasm.setWasmPaths(new URL("tfjs-backend-wasm/dist/", FOLDER).href);
    tf.wasm.setThreadsCount(threads);
  }
  if (!(await tf.setBackend(device))) throw new Error(`the backend ${device} does not start`);
  await tf.ready();
  const running = device === "wasm" ? tf.wasm.getThreadsCount() : threads;
  if (running !== threads) throw new Error(`it runs with ${running} threads`);

  const prepare = (problem) => {
    const { n, d, v } = problem;
    // Its own transposeB is slow on wasm.
    const [q, k] = [scaled(problem), transposed(problem)];
    return async () => {
      const output = tf.tidy(() => {
        const scores = tf.matMul(tf.tensor2d(q, [n, d]), tf.tensor2d(k, [d, n]));
        return tf.matMul(tf.softmax(scores), tf.tensor2d(v, [n, d]));
      });
      const numbers = await output.data();
      output.dispose();
      return numbers;
    };
  };
  return { about, prepare };
}
