// Attention of some rows over some of the keys: Dao 2023, "FlashAttention-2", rows outside, keys inside; Milakov and
// Gimelshein 2018 for the running maximum and sum. What was found so far lies in `outputs` and `sums` and is gone on from.
//
// A workgroup of 8×8 threads does 8·ROWS rows, a block of 8·KEYS keys at a time: a thread has every score of its ROWS rows
// with every eighth key, and of their outputs every eighth column (of four numbers each, OUTPUTS in all).
//
// `template` repeats what stands between `//:each i ROWS` and `//:end`, for registers know no index.

struct Asked {
  n: u32,
  first_row: u32,
  end_row: u32,
  first_key: u32,
  end_key: u32,
  left: u32,  // a row sees keys from row − left on,
  reach: u32, // below row + reach,
  real: u32,  // and below this
  scale: f32,
}

@group(0) @binding(0) var<uniform> asked: Asked;
@group(0) @binding(1) var<storage, read> q: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> k: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> v: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> outputs: array<vec4<f32>>; // not divided by the sum
@group(0) @binding(5) var<storage, read_write> sums: array<vec2<f32>>;    // of each row its maximum and its sum

const TALL = 8u * ROWS;
const BLOCK = 8u * KEYS;
const STRIDE = WIDTH + 1u; // so that eight threads meet eight banks
const NONE = -3.0e38;      // a hidden score, and the maximum of a row that has seen nothing: a shader knows no infinity
const LOWEST = -1.0e38;    // below every score and above NONE by more than any exponential

var<workgroup> block: array<vec4<f32>, BLOCK * STRIDE>;     // keys, and then their values
var<workgroup> shares: array<f32, TALL * (BLOCK + 1u)>;     // e^(score − maximum)
var<workgroup> meet: array<f32, TALL * 8u>;                 // what the eight threads of a row tell each other

fn begin(row: u32) -> u32 {
  return row - min(row, asked.left);
}

fn end(row: u32) -> u32 {
  return min(min(row + asked.reach, asked.real), asked.end_key);
}

@compute @workgroup_size(64)
fn attend(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
  let across = thread % 8u;
  let down = thread / 8u;
  let top = asked.first_row + group.x * TALL;
  let bottom = min(top + TALL, asked.end_row) - 1u;
  //:each i ROWS
  let line$i = down * ROWS + $iu;
  let row$i = min(top + line$i, bottom);
  var maximum$i = sums[row$i].x;
  var sum$i = select(0.0, sums[row$i].y, across == 0u);
  //:each c OUTPUTS
  var output$i_$c = outputs[row$i * WIDTH + min(across + 8u * $cu, WIDTH - 1u)];
  //:end
  //:end

  // Both ends of what a row sees never fall from row to row: the first row begins, the last one ends.
  let from_key = max(begin(top), asked.first_key);
  let to_key = end(bottom);
  for (var key = from_key; key < to_key; key += BLOCK) {
    workgroupBarrier();
    for (var at = thread; at < BLOCK * WIDTH; at += 64u) {
      block[at / WIDTH * STRIDE + at % WIDTH] = k[min(key + at / WIDTH, asked.n - 1u) * WIDTH + at % WIDTH];
    }
    workgroupBarrier();

    //:each i ROWS
    //:each j KEYS
    var product$i_$j = vec4<f32>();
    //:end
    //:end
    for (var d = 0u; d < WIDTH; d++) {
      //:each i ROWS
      let q$i = q[row$i * WIDTH + d];
      //:end
      //:each j KEYS
      let k$j = block[(across + 8u * $ju) * STRIDE + d];
      //:each i ROWS
      product$i_$j = fma(q$i, k$j, product$i_$j);
      //:end
      //:end
    }
    //:each i ROWS
    var most$i = NONE;
    let begin$i = begin(row$i);
    let end$i = end(row$i);
    //:each j KEYS
    let key$i_$j = key + across + 8u * $ju;
    let score$i_$j = select(
      NONE,
      (product$i_$j.x + product$i_$j.y + product$i_$j.z + product$i_$j.w) * asked.scale,
      (key$i_$j >= begin$i) & (key$i_$j < end$i),
    );
    most$i = max(most$i, score$i_$j);
    //:end
    meet[line$i * 8u + across] = most$i;
    //:end
    workgroupBarrier();

    for (var at = thread; at < BLOCK * WIDTH; at += 64u) {
      block[at / WIDTH * STRIDE + at % WIDTH] = v[min(key + at / WIDTH, asked.n - 1u) * WIDTH + at % WIDTH];
    }
    //:each i ROWS
    var largest$i = maximum$i;
    for (var other = 0u; other < 8u; other++) {
      largest$i = max(largest$i, meet[line$i * 8u + other]);
    }
    let under$i = max(largest$i, LOWEST);
    let rescale$i = exp(maximum$i - under$i);
    maximum$i = largest$i;
    sum$i *= rescale$i;
    //:each c OUTPUTS
    output$i_$c *= rescale$i;
    //:end
    //:each j KEYS
    let share$i_$j = exp(score$i_$j - under$i);
    sum$i += share$i_$j;
    shares[line$i * (BLOCK + 1u) + across + 8u * $ju] = share$i_$j;
    //:end
    //:end
    workgroupBarrier();

    for (var j = 0u; j < BLOCK; j++) {
      //:each c OUTPUTS
      let v$c = block[j * STRIDE + min(across + 8u * $cu, WIDTH - 1u)];
      //:end
      //:each i ROWS
      let weight$i = vec4<f32>(shares[line$i * (BLOCK + 1u) + j]);
      //:each c OUTPUTS
      output$i_$c = fma(weight$i, v$c, output$i_$c);
      //:end
      //:end
    }
  }

  workgroupBarrier();
  //:each i ROWS
  meet[line$i * 8u + across] = sum$i;
  //:end
  workgroupBarrier();
  //:each i ROWS
  if (top + line$i <= bottom) {
    //:each c OUTPUTS
    if (across + 8u * $cu < WIDTH) {
      outputs[row$i * WIDTH + across + 8u * $cu] = output$i_$c;
    }
    //:end
    if (across == 0u) {
      var all$i = 0.0;
      for (var other = 0u; other < 8u; other++) {
        all$i += meet[line$i * 8u + other];
      }
      sums[row$i] = vec2<f32>(maximum$i, all$i);
    }
  }
  //:end
}
