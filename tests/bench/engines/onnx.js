// onnxruntime-web: MatMul, Softmax, MatMul; or its MultiHeadAttention.
import { fused, plain } from "../onnx-model.js";
import { adapter, scaled, transposed } from "./kit.js";

const FOLDER = new URL("../node_modules/onnxruntime-web/dist/", import.meta.url);

export async function open({ device, threads, operator = "plain" }) {
  const ort = await import(new URL(device === "webgpu" ? "ort.webgpu.min.mjs" : "ort.wasm.min.mjs", FOLDER));
  ort.env.logLevel = "error";
  ort.env.wasm.wasmPaths = FOLDER.href;
  ort.env.wasm.numThreads = threads;
  const about = { version: ort.env.versions.web };
  if (device === "webgpu") about.adapter = await adapter();

  const prepare = async (problem) => {
    const { n, d, q, k, v } = problem;
    const is_plain = operator === "plain";
    const session = await ort.InferenceSession.create(is_plain ? plain(n, d) : fused(n, d), {
      executionProviders: [device],
      // What WebGPU cannot do must fail, and not be done by the CPU unnoticed.
      extra: device === "webgpu" ? { session: { disable_cpu_ep_fallback: "1" } } : {},
    });
    const tensor = (numbers, shape) => new ort.Tensor("float32", numbers, shape);
    const feeds = is_plain
      ? { q: tensor(scaled(problem), [n, d]), k: tensor(transposed(problem), [d, n]), v: tensor(v, [n, d]) }
      : { q: tensor(q, [1, n, d]), k: tensor(k, [1, n, d]), v: tensor(v, [1, n, d]) };
    return async () => (await session.run(feeds)).o.getData();
  };
  return { about, prepare };
}
