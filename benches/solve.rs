//! How long `solve` takes: 4, 16 and 64 tokens, 4 heads, as wide as a first example would be.

use attnlab::attention::{Problem, checks, solve};

fn main() {
    divan::main();
}

/// d_model 16, 4 heads of 4, causal, with an output projection. The numbers follow no pattern that matters.
fn problem(tokens: usize) -> Problem {
    const WIDTH: usize = 16;
    let matrix = |rows: usize, seed: usize| {
        let cell = |row: usize, column: usize| ((row * 7 + column * 13 + seed) % 11) as f64 / 11.0 - 0.5;
        let row = |row| (0..WIDTH).map(|column| cell(row, column).to_string()).collect::<Vec<_>>().join(",");
        format!("[{}]", (0..rows).map(|index| format!("[{}]", row(index))).collect::<Vec<_>>().join(","))
    };
    let (x, q, k) = (matrix(tokens, 1), matrix(WIDTH, 2), matrix(WIDTH, 3));
    let (v, o) = (matrix(WIDTH, 4), matrix(WIDTH, 5));
    let text = format!(
        r#"{{"format":"attnlab/1","heads":{{"query":4}},"mask":{{"causal":"upper_left"}},
            "inputs":{{"x":{x},"w_q":{q},"w_k":{k},"w_v":{v},"w_o":{o}}}}}"#
    );
    Problem::from_json(&text).expect("the benchmark's problem is a problem")
}

#[divan::bench(args = [4, 16, 64])]
fn solve_with_four_heads(bencher: divan::Bencher, tokens: usize) {
    let problem = problem(tokens);
    bencher.bench_local(|| solve(divan::black_box(&problem)));
}

#[divan::bench(args = [4, 16, 64])]
fn check_every_row(bencher: divan::Bencher, tokens: usize) {
    let problem = problem(tokens);
    let trace = solve(&problem).expect("the benchmark's problem is solved");
    bencher.bench_local(|| checks(divan::black_box(&problem), &trace));
}

#[divan::bench(args = [4, 16, 64])]
fn read_a_file(bencher: divan::Bencher, tokens: usize) {
    let text = problem(tokens).to_json();
    bencher.bench_local(|| Problem::from_json(divan::black_box(&text)));
}
