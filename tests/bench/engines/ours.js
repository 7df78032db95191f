// The page's own Workers, given work as the page gives it: rows × a slice of the keys, brought together here.

const KEYS = 4096; // of a slice; each Worker holds one
const ROWS = 1024; // of a job
const IN_HAND = 2; // jobs that a Worker has at a time: while one is done the next lies ready

export function open({ threads, build }) {
  const hands = Array.from({ length: threads }, () => hand(`../ours/long-worker.js?build=${build}`));
  let held = 0;
  // What all answer at once, added.
  const sum_of = async (kind, key) => {
    const answers = await Promise.all(hands.map(({ ask }) => ask({ kind })));
    return answers.reduce((all, answer) => all + answer[key], 0);
  };
  return {
    about: {},
    peak: () => sum_of("probe", "operations_per_second"),
    prepare: (problem) => async () => {
      const pass = begin(problem, threads);
      await Promise.all(hands.map((hand) => work(hand, problem, pass)));
      const { output, maximum, sum } = pass;
      held = output.byteLength + maximum.byteLength + sum.byteLength;
      return divide(pass, problem.d);
    },
    bytes: async () => ({ arrays: held, kernels: await sum_of("bytes", "bytes") }),
  };
}

// A Worker that answers, and the slice that it holds.
function hand(address) {
  const worker = new Worker(new URL(address, import.meta.url), { type: "module" });
  const waiting = new Map();
  let next = 0;
  const fail = (why) => waiting.forEach(({ reject }) => reject(new Error(why)));
  worker.onerror = ({ message }) => fail(message || "the Worker does not start");
  worker.onmessage = ({ data: { id, error, ...answer } }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    error ? reject(new Error(error)) : resolve(answer);
  };
  const ask = (job, transfer = []) =>
    new Promise((resolve, reject) => {
      waiting.set(++next, { resolve, reject });
      worker.postMessage({ id: next, ...job }, transfer);
    });
  return { ask, slice: undefined };
}

// What is still to be done, slice by slice, and the result as it stands.
function begin({ n, d }, threads) {
  // Each Worker has some jobs, where there are rows enough for that.
  const rows = Math.min(ROWS, Math.max(64, Math.ceil(n / threads / IN_HAND / 64) * 64));
  const starts = (step) => Array.from({ length: Math.ceil(n / step) }, (_, at) => at * step);
  const slices = starts(KEYS).map((first) => ({ first, open: starts(rows), holders: 0 }));
  return { slices, rows, output: new Float32Array(n * d), maximum: new Float32Array(n), sum: new Float32Array(n) };
}

// One Worker until nothing is open.
function work(hand, problem, pass) {
  hand.slice = undefined; // Keys are handed over in each run.
  const chain = async () => {
    for (let job; (job = take(hand, problem, pass)); ) {
      merge(pass, problem.d, job.first, await hand.ask(...job.message));
    }
  };
  return Promise.all(Array.from({ length: IN_HAND }, chain));
}

// Rows of the slice that the Worker holds; else of one that nobody holds; else of the one with the most left.
function take(hand, { n, d, scale, q, k, v }, { slices, rows }) {
  const open = slices.filter((slice) => slice.open.length);
  if (!open.length) return;
  const rank = (slice) => (slice === hand.slice ? 1e9 : slice.open.length - 1e6 * slice.holders);
  const slice = open.reduce((best, other) => (rank(other) > rank(best) ? other : best));
  const part = (matrix, from, to) => matrix.slice(from * d, Math.min(to, n) * d);
  let keys;
  if (slice !== hand.slice) {
    if (hand.slice) hand.slice.holders--;
    slice.holders++;
    hand.slice = slice;
    const end = slice.first + KEYS;
    keys = { first: slice.first, k: part(k, slice.first, end), v: part(v, slice.first, end) };
  }
  const first = slice.open.shift();
  const job = { kind: "attend", n, d, scale, rule: {}, first, q: part(q, first, first + rows), keys };
  return { first, message: [job, [job.q.buffer, ...(keys ? [keys.k.buffer, keys.v.buffer] : [])]] };
}

// Brings in the rows of a job. Of rows that nobody has seen the sums are 0.
function merge(pass, d, first, { output, maximum, sum }) {
  if (pass.sum[first] === 0) {
    pass.output.set(output, first * d);
    pass.maximum.set(maximum, first);
    pass.sum.set(sum, first);
    return;
  }
  for (let row = 0; row < sum.length; row++) {
    const at = first + row;
    const largest = Math.max(pass.maximum[at], maximum[row]);
    const before = Math.exp(pass.maximum[at] - largest);
    const after = Math.exp(maximum[row] - largest);
    for (let x = 0; x < d; x++) {
      pass.output[at * d + x] = pass.output[at * d + x] * before + output[row * d + x] * after;
    }
    pass.sum[at] = pass.sum[at] * before + sum[row] * after;
    pass.maximum[at] = largest;
  }
}

function divide({ output, sum }, d) {
  for (let row = 0; row < sum.length; row++) {
    const share = 1 / sum[row];
    for (let x = row * d; x < (row + 1) * d; x++) output[x] *= share;
  }
  return output;
}
