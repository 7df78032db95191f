// The kernel of long sequences in a module Worker: a message is a job, and its answer carries the job's id.
//
// {id, kind: "attend", n, d, scale, rule, first, q, keys: {first, k, v}} → {id, output, maximum, sum}
//   Rows first… of q over these keys, not divided by the sum. Without `keys`, over those of the message before.
// {id, kind: "tile", n, d, scale, rule, rows, keys, q, k, maximum, sum, pool, of} → {id, pixels}
//   rows and keys are {start, end, pixels, from, to}; q, k, maximum and sum are of the cells below pixels from..to.
// {id, kind: "probe"} → {id, build, operations_per_second}
//   What a Worker of this machine comes to when it only multiplies and adds, and which build of the kernel runs.
// {id, kind: "naive", n, d} → {id, naive}
//   Whether there is memory for n×n numbers, and they were computed.
// {id, kind: "bytes"} → {id, bytes}
//   How large the kernel's memory has become: it never shrinks.
// Or {id, error}. A rule is {causal, left, right, real}, without what does not apply. Numbers are Float32Arrays: the owner
// can transfer what it sends, and what it gets is transferred.
//
// The kernel holds one slice of keys. After a trap it is in no known state: every job is refused then, and the owner
// starts another Worker.

// A function with f32x4.relaxed_madd in it, and nothing else.
const RELAXED = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 20, 1, 18, 0, 65, 0, 253, 15, 65, 0, 253, 15, 65, 0, 253,
  15, 253, 133, 2, 26, 11,
]);
// `?build=simd` in this Worker's address takes the other one, for tests.
const forced = new URL(import.meta.url).searchParams.get("build");
const build = forced || (WebAssembly.validate(RELAXED) ? "relaxed" : "simd");

let keys; // of the message before
let trap;
const loading = load();
loading.catch(() => {}); // Each job tells it.

async function load() {
  const kernel = await import(`./long-${build}.js`);
  const { memory } = await kernel.default({ module_or_path: new URL(`./long-${build}_bg.wasm`, import.meta.url) });
  return { ...kernel, memory };
}

// Set before anything is awaited: a message that comes early must not be lost.
onmessage = async ({ data }) => {
  const { id } = data;
  try {
    const kernel = await loading;
    if (trap) throw trap;
    const answer = JOBS[data.kind](kernel, data);
    const buffers = Object.values(answer).flatMap((value) => value.buffer ?? []);
    postMessage({ id, ...answer }, [...new Set(buffers)]);
  } catch (why) {
    if (why instanceof WebAssembly.RuntimeError) trap = why;
    postMessage({ id, error: String(why?.message ?? why) });
  }
};

const JOBS = { attend, tile, naive, probe, bytes: ({ memory }) => ({ bytes: memory.buffer.byteLength }) };

function attend(kernel, job) {
  if (job.keys) {
    keys?.free();
    keys = undefined; // should packing fail
    keys = new kernel.Keys(job.keys.first, job.d, job.keys.k, job.keys.v);
  }
  const numbers = keys.attend(job.n, job.first, job.q, job.scale, sees(kernel, job.rule));
  const rows = job.q.length / job.d;
  const at = rows * job.d;
  return {
    output: numbers.subarray(0, at),
    maximum: numbers.subarray(at, at + rows),
    sum: numbers.subarray(at + rows),
  };
}

function tile(kernel, job) {
  const edge = ({ start, end, pixels, from, to }) => new kernel.Edge(start, end, pixels, from, to);
  const { n, d, q, k, maximum, sum, scale, pool, of } = job;
  const [rows, columns] = [edge(job.rows), edge(job.keys)];
  const pixels = kernel.tile(n, d, rows, columns, q, k, maximum, sum, scale, sees(kernel, job.rule), pool, of);
  return { pixels };
}

function naive(kernel, { n, d }) {
  return { naive: Number.isFinite(kernel.naive(n, d)) };
}

function sees(kernel, { causal = false, left, right, real }) {
  return new kernel.Sees(causal, left, right, real);
}

// The best of a few: the first ones run before the browser has compiled the kernel for speed.
function probe(kernel) {
  let operations_per_second = 0;
  for (let attempt = 0; attempt < 8; attempt++) {
    const start = performance.now();
    const operations = kernel.probe(2_000_000, 0.9);
    operations_per_second = Math.max(operations_per_second, (operations / (performance.now() - start)) * 1000);
  }
  return { build, operations_per_second };
}
