// Attention of some rows over some of the keys: Dao 2023, "FlashAttention-2", rows outside, keys inside; Milakov and
// Gimelshein 2018 for the running maximum and sum. What was found so far lies in `outputs` and `sums` and is gone on from.
//
// A workgroup of DOWN×8 threads does DOWN·ROWS rows, a block of 8·KEYS keys at a time: a thread has every score of its ROWS
// rows with every eighth key, and of their outputs every eighth column (of four numbers each, OUTPUTS in all), to which it
// adds TOGETHER keys at a time. Between the two a thread has whole rows: their maxima, their shares and the sums of these.
//
// `template` repeats what stands between `//:each i ROWS` and `//:end`, for registers know no index. HELD is 1 where keys and
// values are brought into the workgroup's own memory, and DIRECT is 1 where they are read where they lie.

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

const THREADS = 8u * DOWN;
const TALL = DOWN * ROWS;
const BLOCK = 8u * KEYS;
const STRIDE = WIDTH + 1u; // so that eight threads meet eight banks

//:each h HELD
var<workgroup> block: array<vec4<f32>, BLOCK * STRIDE>; // keys, and then their values
//:end
var<workgroup> shares: array<f32, TALL * (BLOCK + 1u)>; // scores, and then e^(score − maximum)
var<workgroup> shrink: array<f32, TALL>;                // e^(maximum before − maximum)
var<workgroup> found: array<vec2<f32>, TALL>;           // `sums` of these rows

fn begin(row: u32) -> u32 {
  return row - min(row, asked.left);
}

fn end(row: u32) -> u32 {
  return min(min(row + asked.reach, asked.real), asked.end_key);
}

// One number for a sum, and not four: so there are registers for larger tiles.
fn add(a: vec4<f32>, b: vec4<f32>, sum: f32) -> f32 {
  return fma(a.w, b.w, fma(a.z, b.z, fma(a.y, b.y, fma(a.x, b.x, sum))));
}

@compute @workgroup_size(THREADS)
fn attend(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
  let across = thread % 8u;
  let down = thread / 8u;
  let top = asked.first_row + group.x * TALL;
  let bottom = min(top + TALL, asked.end_row) - 1u;
  //:each c OUTPUTS
  let column$c = min(across + 8u * $cu, WIDTH - 1u);
  //:end
  //:each i ROWS
  let line$i = down * ROWS + $iu;
  let row$i = min(top + line$i, bottom);
  //:each c OUTPUTS
  var output$i_$c = outputs[row$i * WIDTH + column$c];
  //:end
  //:end
  for (var line = thread; line < TALL; line += THREADS) {
    found[line] = sums[min(top + line, bottom)];
  }

  // Both ends of what a row sees never fall from row to row: the first row begins, the last one ends.
  let from_key = max(begin(top), asked.first_key);
  let to_key = end(bottom);
  for (var key = from_key; key < to_key; key += BLOCK) {
    workgroupBarrier();
    //:each h HELD
    for (var at = thread; at < BLOCK * WIDTH; at += THREADS) {
      block[at / WIDTH * STRIDE + at % WIDTH] = k[min(key + at / WIDTH, asked.n - 1u) * WIDTH + at % WIDTH];
    }
    workgroupBarrier();
    //:end

    //:each j KEYS
    let key$j = min(key + across + 8u * $ju, asked.n - 1u);
    //:each i ROWS
    var product$i_$j = 0.0;
    //:end
    //:end
    for (var d = 0u; d < WIDTH; d++) {
      //:each i ROWS
      let q$i = q[row$i * WIDTH + d];
      //:end
      //:each j KEYS
      //:each h HELD
      let k$j = block[(across + 8u * $ju) * STRIDE + d];
      //:end
      //:each h DIRECT
      let k$j = k[key$j * WIDTH + d];
      //:end
      //:each i ROWS
      product$i_$j = add(q$i, k$j, product$i_$j);
      //:end
      //:end
    }
    //:each i ROWS
    //:each j KEYS
    shares[line$i * (BLOCK + 1u) + across + 8u * $ju] = product$i_$j * asked.scale;
    //:end
    //:end
    workgroupBarrier();

    //:each h HELD
    for (var at = thread; at < BLOCK * WIDTH; at += THREADS) {
      block[at / WIDTH * STRIDE + at % WIDTH] = v[min(key + at / WIDTH, asked.n - 1u) * WIDTH + at % WIDTH];
    }
    //:end
    for (var line = thread; line < TALL; line += THREADS) {
      // Of the block the row sees the keys from `first` on, below `last`.
      let row = min(top + line, bottom);
      let first = max(begin(row), key) - key;
      let last = max(min(end(row), key + BLOCK), key) - key;
      let start = line * (BLOCK + 1u);
      let before = found[line].x;
      var maximum = before;
      for (var j = first; j < last; j++) {
        maximum = max(maximum, shares[start + j]);
      }
      var in_block = 0.0; // so that rounding grows with the blocks, not with the keys
      for (var j = 0u; j < BLOCK; j++) {
        let share = select(0.0, exp(shares[start + j] - maximum), (j >= first) & (j < last));
        in_block += share;
        shares[start + j] = share;
      }
      let shrinks = exp(before - maximum);
      found[line] = vec2<f32>(maximum, fma(found[line].y, shrinks, in_block));
      shrink[line] = shrinks;
    }
    workgroupBarrier();

    //:each i ROWS
    let shrink$i = shrink[line$i];
    //:each c OUTPUTS
    output$i_$c *= shrink$i;
    //:end
    //:end
    for (var j = 0u; j < BLOCK; j += TOGETHER) {
      //:each t TOGETHER
      //:each c OUTPUTS
      //:each h HELD
      let v$t_$c = block[(j + $tu) * STRIDE + column$c];
      //:end
      //:each h DIRECT
      let v$t_$c = v[min(key + j + $tu, asked.n - 1u) * WIDTH + column$c];
      //:end
      //:end
      //:end
      //:each i ROWS
      //:each t TOGETHER
      let share$i_$t = vec4<f32>(shares[line$i * (BLOCK + 1u) + j + $tu]);
      //:each c OUTPUTS
      output$i_$c = fma(share$i_$t, v$t_$c, output$i_$c);
      //:end
      //:end
      //:end
    }
  }

  //:each i ROWS
  if (top + line$i <= bottom) {
    //:each c OUTPUTS
    if (across + 8u * $cu < WIDTH) {
      outputs[row$i * WIDTH + column$c] = output$i_$c;
    }
    //:end
  }
  //:end
  for (var line = thread; line < TALL; line += THREADS) {
    if (top + line <= bottom) {
      sums[top + line] = found[line];
    }
  }
}
