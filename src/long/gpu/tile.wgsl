// Some pixels of a tile: the cells below each are computed again from q and k, and thrown away.
//
// SIDE×SIDE threads have a pixel: one where pixels are small, a workgroup of 8×8 where they are large. A thread does
// ROWS×KEYS cells at a time. A sum is made in parts, so that rounding does not grow with the number of cells.

struct Asked {
  n: u32,
  left: u32,  // a row sees keys from row − left on,
  reach: u32, // below row + reach,
  real: u32,  // and below this
  scale: f32,
  of_weights: u32,
  adds: u32,  // sums up instead of taking the largest
  @align(16) rows: Side,
  @align(16) keys: Side,
}

// A run of rows or keys, the pixels that it goes into, and which of them are made here.
struct Side {
  start: u32,
  cells: u32,
  pixels: u32,
  from_pixel: u32,
  made: u32,
}

@group(0) @binding(0) var<uniform> asked: Asked;
@group(0) @binding(1) var<storage, read> q: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> k: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> sums: array<vec2<f32>>; // of each row its maximum and its sum
@group(0) @binding(4) var<storage, read_write> made: array<f32>;

const NONE = -3.0e38;
const APART = 8u / SIDE; // pixels of a workgroup along a side

var<workgroup> meet: array<f32, 64>;

fn begin(row: u32) -> u32 {
  return row - min(row, asked.left);
}

fn end(row: u32) -> u32 {
  return min(row + asked.reach, asked.real);
}

// The first cell below a pixel: whole numbers, so that every cell is counted once.
fn edge(side: Side, pixel: u32) -> u32 {
  return side.start + pixel * side.cells / side.pixels;
}

@compute @workgroup_size(64)
fn tile(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
  let x = thread % 8u;
  let y = thread / 8u;
  // A thread beyond the last pixel does that one's work again and keeps it to itself.
  let down = min(group.y * APART + y / SIDE, asked.rows.made - 1u);
  let across = min(group.x * APART + x / SIDE, asked.keys.made - 1u);
  let top = edge(asked.rows, asked.rows.from_pixel + down);
  let bottom = edge(asked.rows, asked.rows.from_pixel + down + 1u);
  let first = edge(asked.keys, asked.keys.from_pixel + across);
  let last = edge(asked.keys, asked.keys.from_pixel + across + 1u);

  var found = select(NONE, 0.0, (asked.of_weights == 1u) | (asked.adds == 1u));
  for (var row = top + y % SIDE * ROWS; row < bottom; row += SIDE * ROWS) {
    let below = min(row + ROWS, bottom) - 1u;
    // Of what all these rows hide nothing is looked at, but for the first key's block, which may begin before it.
    let is_cut = asked.of_weights == 1u;
    let stop = select(last, min(last, end(below)), is_cut);
    var in_rows = 0.0;
    for (var key = first + x % SIDE * KEYS; key < stop; key += SIDE * KEYS) {
      if (is_cut & (key + KEYS <= begin(row))) {
        continue;
      }
      //:each i ROWS
      let row$i = min(row + $iu, asked.n - 1u);
      //:each j KEYS
      var product$i_$j = vec4<f32>();
      //:end
      //:end
      for (var d = 0u; d < WIDTH; d++) {
        //:each i ROWS
        let q$i = q[row$i * WIDTH + d];
        //:end
        //:each j KEYS
        let k$j = k[min(key + $ju, asked.n - 1u) * WIDTH + d];
        //:each i ROWS
        product$i_$j = fma(q$i, k$j, product$i_$j);
        //:end
        //:end
      }
      //:each i ROWS
      let of$i = sums[row$i];
      let begin$i = begin(row$i);
      let end$i = end(row$i);
      //:each j KEYS
      let score$i_$j = (product$i_$j.x + product$i_$j.y + product$i_$j.z + product$i_$j.w) * asked.scale;
      let is_seen$i_$j = (key + $ju >= begin$i) & (key + $ju < end$i);
      let weight$i_$j = select(0.0, exp(min(score$i_$j - of$i.x, 0.0)) / of$i.y, is_seen$i_$j);
      let number$i_$j = select(score$i_$j, weight$i_$j, asked.of_weights == 1u);
      let is_here$i_$j = (row + $iu < bottom) & (key + $ju < last);
      found = max(found, select(found, number$i_$j, is_here$i_$j & (asked.adds == 0u)));
      in_rows += select(0.0, number$i_$j, is_here$i_$j & (asked.adds == 1u));
      //:end
      //:end
    }
    found += in_rows;
  }

  meet[thread] = found;
  workgroupBarrier();
  if ((x % SIDE == 0u) & (y % SIDE == 0u) & (group.y * APART + y / SIDE < asked.rows.made)
    & (group.x * APART + x / SIDE < asked.keys.made)) {
    for (var other = 1u; other < SIDE * SIDE; other++) {
      let theirs = meet[(y + other / SIDE) * 8u + x + other % SIDE];
      found = select(max(found, theirs), found + theirs, asked.adds == 1u);
    }
    made[down * asked.keys.made + across] = found;
  }
}
