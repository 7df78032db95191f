// The numbers that every engine gets, and what must come out.

const SEED = 20170612;
const CHECKED_ROWS = 8;

// Q, K and V are normally distributed, the same for each n; scores then are too, with a variance of 1.
export function generate(n, d) {
  const random = uniform(SEED);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const [q, k, v] = [0, 1, 2].map(() => Float32Array.from({ length: n * d }, normal));
  return { n, d, scale: 1 / Math.sqrt(d), q, k, v };
}

// Numbers from 0 up to 1: a counter, scrambled (mulberry32).
function uniform(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

// Some rows of O in f64, from the first to the last: [{row, output}].
export function reference({ n, d, scale, q, k, v }) {
  const rows = Array.from({ length: CHECKED_ROWS }, (_, at) => Math.round((at * (n - 1)) / (CHECKED_ROWS - 1)));
  return rows.map((row) => {
    const scores = new Float64Array(n);
    for (let key = 0; key < n; key++) {
      for (let x = 0; x < d; x++) scores[key] += q[row * d + x] * k[key * d + x];
      scores[key] *= scale;
    }
    const maximum = scores.reduce((most, score) => Math.max(most, score), -Infinity);
    const shares = scores.map((score) => Math.exp(score - maximum));
    const sum = shares.reduce((all, share) => all + share, 0);
    const output = new Float64Array(d);
    for (let key = 0; key < n; key++) {
      for (let x = 0; x < d; x++) output[x] += (shares[key] / sum) * v[key * d + x];
    }
    return { row, output };
  });
}

// The largest difference in the checked rows, as a part of their largest number. Infinite where O is not n×d numbers.
export function error_of({ n, d }, output, expected) {
  if (output?.length !== n * d || !output.every(Number.isFinite)) return Infinity;
  let [worst, largest] = [0, 0];
  for (const { row, output: numbers } of expected) {
    numbers.forEach((number, x) => {
      worst = Math.max(worst, Math.abs(output[row * d + x] - number));
      largest = Math.max(largest, Math.abs(number));
    });
  }
  return worst / largest;
}
