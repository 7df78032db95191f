// One measurement of one engine: `start` is called once, and `result` is there when it has ended. Each measurement
// has a page of its own, so that the first run is a cold one and a failure spoils nothing.
//
// An engine is a module of `engines/` that exports
//   open({device, threads, ...}) → {about, prepare, [peak], [bytes]}, or a promise of that
//     about    what there is to tell: a version, an adapter
//     prepare  (problem) → attend, or a promise of it: what can be done once for all runs is not measured
//     attend   () → a promise of O, a Float32Array: from numbers in the page to numbers in the page
//     peak     () → a promise of the operations per second with which these threads only multiply and add
//     bytes    () → a promise of {arrays, kernels}: the bytes that the last run of `attend` held, O with them, in
//              arrays of the page beside the problem, and in memories of WebAssembly
// A problem is {n, d, scale, q, k, v}.
import { generate, reference, error_of } from "./problem.js";

const LONG_RUN_MS = 10_000; // Runs that take longer are done fewer times.
const SHORT_MS = 1500; // Short runs are repeated until they took this long in all,
const MOST_RUNS = 50; // or so many times.

let result = null;
globalThis.bench = {
  start(job) {
    const ended = (how) => (result ??= how);
    const failed = (why) => ended({ failed: String(why?.message ?? why ?? "for no reason that it told") });
    addEventListener("error", ({ message }) => failed(message));
    addEventListener("unhandledrejection", ({ reason }) => failed(reason));
    measure(job).then(ended, failed);
  },
  get result() {
    return result;
  },
};

// {engine, options, n, d, warm, memory} → {about, cold_ms, warm_ms, error, bytes}, or {about, peak} without n.
async function measure({ engine, options, n, d, warm, memory }) {
  const { open } = await import(`./engines/${engine}.js`);
  const opened = await open(options);
  const { about } = opened;
  if (!n) return { about, peak: await opened.peak() };
  const problem = generate(n, d);
  const expected = reference(problem);
  const attend = await opened.prepare(problem);
  let output;
  let error = 0;
  const run = async () => {
    const start = performance.now();
    output = await attend();
    const ms = performance.now() - start;
    // Of all runs, and NaN must not pass.
    const found = error_of(problem, output, expected);
    if (!(found <= error)) error = found;
    return ms;
  };
  const cold_ms = await run();
  const warm_ms = [];
  const least = cold_ms > LONG_RUN_MS ? Math.min(2, warm) : warm;
  let all = 0;
  while (warm_ms.length < least || (all < SHORT_MS && warm_ms.length < MOST_RUNS)) {
    warm_ms.push(await run());
    all += warm_ms.at(-1);
  }
  return { about, cold_ms, warm_ms, error, bytes: memory ? await held(problem, output, opened) : undefined };
}

// What is held, and what the browser counts of the page and its Workers, where it does: memories of WebAssembly are
// not among that in Chromium.
async function held({ q, k, v }, output, { bytes }) {
  const counted = await performance.measureUserAgentSpecificMemory?.().catch(() => undefined);
  const { arrays, kernels } = await bytes();
  const beside = arrays - output.byteLength; // O is held until here, so that it was counted.
  const all = [q, k, v, output].reduce((sum, { byteLength }) => sum + byteLength, beside);
  return { arrays: all, kernels, counted: counted?.bytes };
}
