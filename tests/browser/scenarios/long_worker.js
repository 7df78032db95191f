// Asks a Worker for attention and for a tile, and compares both with the same in plain f64. arguments: which build of
// the kernel, and what takes the answer: {worst, build, refused, naive, stopped} or
// {failed}.
const [forced, done] = arguments;
const folder = new URL("./", document.querySelector("script[src*='boot.js']").src);
const worker = new Worker(new URL(`./long-worker.js?build=${forced}`, folder), { type: "module" });
const waiting = new Map();
worker.onmessage = ({ data }) => waiting.get(data.id)(data);
worker.onerror = ({ message }) => done({ failed: message });
const ask = (job) =>
  new Promise((answer) => {
    const id = waiting.size;
    waiting.set(id, answer);
    worker.postMessage({ id, ...job });
  });

// Of a sequence of 150, all rows over the keys 64 to 139.
const [n, d, first, last] = [150, 12, 64, 140];
const scale = Math.fround(1 / Math.sqrt(d));
const numbers = (seed) => Float32Array.from({ length: n * d }, (_, at) => 2 * Math.sin(seed * at + at * at));
const [q, k, v] = [numbers(0.3), numbers(0.7), numbers(1.1)];
const rows_of = (matrix, from, to) => matrix.slice(from * d, to * d);
const scaled = (row, key) => {
  let sum = 0;
  for (let x = 0; x < d; x++) sum += q[row * d + x] * k[key * d + x];
  return sum * scale;
};

let worst = 0;
const compare = (found, expected) => {
  // Not Math.max alone: NaN must not pass.
  const difference = found === expected ? 0 : Math.abs(found - expected);
  if (!(difference <= worst)) worst = difference;
};

async function attend() {
  for (const rule of [{}, { causal: true }, { left: 20, right: 9, real: 120 }]) {
    const keys = { first, k: rows_of(k, first, last), v: rows_of(v, first, last) };
    const answer = await ask({ kind: "attend", n, d, scale, rule, first: 0, q, keys });
    if (answer.error) throw answer.error;
    for (let row = 0; row < n; row++) {
      const { causal, left = n, right = n, real = n } = rule;
      const sees = (key) => key < real && key >= row - left && key <= row + (causal ? 0 : right);
      const seen = [...Array(last - first).keys()].map((key) => key + first).filter(sees);
      const maximum = seen.reduce((most, key) => Math.max(most, scaled(row, key)), -Infinity);
      const shares = seen.map((key) => Math.exp(scaled(row, key) - maximum));
      const sum = shares.reduce((all, share) => all + share, 0);
      compare(answer.maximum[row], maximum);
      compare(answer.sum[row] / (sum || 1), sum ? 1 : 0);
      for (let x = 0; x < d; x++) {
        const output = seen.reduce((all, key, at) => all + shares[at] * v[key * d + x], 0);
        compare(answer.output[row * d + x] / (sum || 1), output / (sum || 1));
      }
    }
  }
}

async function tile() {
  const rows = { start: 0, end: n, pixels: n, from: 10, to: 12 };
  const keys = { start: 0, end: n, pixels: n / 2, from: 0, to: n / 2 };
  const ones = new Float32Array([1, 1]);
  const job = { kind: "tile", n, d, scale, rule: {}, rows, keys, q: rows_of(q, 10, 12), k, maximum: ones, sum: ones };
  const { pixels, error } = await ask({ ...job, pool: "max", of: "scaled" });
  if (error) throw error;
  for (const row of [10, 11]) {
    for (let x = 0; x < n / 2; x++) {
      compare(pixels[((row - 10) * n) / 2 + x], Math.max(scaled(row, 2 * x), scaled(row, 2 * x + 1)));
    }
  }
  return (await ask({ ...job, pool: "min", of: "scaled" })).error;
}

async function all() {
  await attend();
  const refused = await tile();
  const { build } = await ask({ kind: "probe" });
  // 100,000 × 100,000 numbers are more than any browser gives.
  const naive = [];
  for (const n of [64, 100_000]) naive.push((await ask({ kind: "naive", n, d: 8 })).naive);
  // Half a row: the kernel stops, and takes nothing more.
  const keys = { first, k, v };
  await ask({ kind: "attend", n, d, scale, rule: {}, first: 0, q: q.slice(0, d / 2), keys });
  const stopped = (await ask({ kind: "probe" })).error;
  return { worst, build, refused, naive, stopped };
}

all().then(done, (why) => done({ failed: String(why) }));
