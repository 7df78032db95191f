//! How fast long sequences go: an item is a floating-point operation, of which attention takes 4·n²·d.

use attnlab::long::generate::{Generated, Kind, generate};
use attnlab::long::{Asked, Cpu, Engine, Of, Packed, Pool, Rule, Tile};
use divan::counter::ItemsCount;

const D: usize = 64;

fn main() {
    divan::main();
}

fn random(n: usize) -> Generated {
    generate(Kind::Random, n, D, 1)
}

fn asked(generated: &Generated) -> Asked<'_> {
    Asked::new(generated.sequence().expect("it has tokens"), Rule::default()).expect("small numbers")
}

#[divan::bench(args = [1024, 4096])]
fn attend_on_one_thread(bencher: divan::Bencher, n: usize) {
    let generated = random(n);
    let packed = Packed::new(&asked(&generated));
    bencher.counter(ItemsCount::new(4 * n * n * D)).bench_local(|| packed.attend_all(1));
}

#[divan::bench(args = [1024, 4096])]
fn attend_on_all_threads(bencher: divan::Bencher, n: usize) {
    let generated = random(n);
    let asked = asked(&generated);
    bencher.counter(ItemsCount::new(4 * n * n * D)).bench_local(|| Cpu.attend(&asked));
}

/// A tile of 256×256 pixels over everything: 2·n²·d operations, and an exponential a pair.
#[divan::bench(args = [1024, 4096])]
fn tile_of_all_weights(bencher: divan::Bencher, n: usize) {
    let generated = random(n);
    let asked = asked(&generated);
    let attended = Cpu.attend(&asked).expect("an engine of this machine");
    let tile = Tile { rows: 0..n, keys: 0..n, height: 256, width: 256, pool: Pool::Max, of: Of::Weights };
    bencher.counter(ItemsCount::new(2 * n * n * D)).bench_local(|| Cpu.tile(&asked, &attended, &tile));
}
