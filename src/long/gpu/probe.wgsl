// Multiplications and additions in registers, and nothing else: what the other shaders are measured by.
//
// `template` makes four of it: with one number or four at a time, FUSED or one after the other. Whichever is fastest counts.

//:each v VECTORS
alias Number = vec4<f32>;
//:end
//:each s SCALARS
alias Number = f32;
//:end

struct Asked {
  times: u32,
  factor: f32, // not known to a compiler, which else would do nothing
}

@group(0) @binding(0) var<uniform> asked: Asked;
@group(0) @binding(1) var<storage, read_write> sums: array<Number>;

@compute @workgroup_size(THREADS)
fn probe(@builtin(global_invocation_id) thread: vec3<u32>) {
  let factor = Number(asked.factor);
  let one = Number(1.0);
  //:each i CHAINS
  var sum$i = Number(f32(thread.x + $iu));
  //:end
  for (var time = 0u; time < asked.times; time++) {
    //:each i CHAINS
    //:each f FUSED
    sum$i = fma(sum$i, factor, one);
    //:end
    //:each p PLAIN
    sum$i = sum$i * factor + one;
    //:end
    //:end
  }
  var all = Number(0.0);
  //:each i CHAINS
  all += sum$i;
  //:end
  sums[thread.x] = all;
}
