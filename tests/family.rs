//! The laws of the formula's family: what each member must do, whatever the numbers.

#[path = "laws/generate.rs"]
mod generate;

use attnlab::attention::{
    Bias, Dropout, Family, Layout, Matrix, Normalise, Note, Part, Position, Problem, Rope, Scaling, Score, SplitMix64,
    Trace, checks, multiply, solve, whole_matrix, whole_matrix_mut, with_mask_right,
};
use generate::{member, numbers, problem, rope, self_attention, wide};
use proptest::prelude::*;

fn solved(problem: &Problem) -> Trace {
    solve(problem).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn of(trace: &Trace, part: Part, head: usize) -> Matrix {
    trace.get(part, head).unwrap_or_else(|| panic!("no {part:?} of head {head}")).value.clone()
}

fn output(problem: &Problem) -> Matrix {
    of(&solved(problem), Part::Output, 0)
}

fn with(problem: &Problem, family: Family) -> Problem {
    Problem { family, ..problem.clone() }
}

fn close(found: &Matrix, expected: &Matrix, tolerance: f64) -> bool {
    let is_close = |(a, b): (&f64, &f64)| (a - b).abs() <= tolerance * b.abs().max(1.0);
    found.shape() == expected.shape() && found.iter().zip(expected).all(is_close)
}

fn direct(width: usize) -> impl Strategy<Value = Problem> {
    let of_width = move |problem: &Problem| problem.shapes().d_k == width;
    wide().prop_filter("the width that is asked for", of_width)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 256, failure_persistence: None, max_global_rejects: 65536, ..ProptestConfig::default()
    })]

    #[test]
    fn rope_knows_distances_only(problem in direct(4), rope in rope(4), shift in -20.0..20.0) {
        let turned = |offset| with(&problem, Family { position: Position::Rope(Rope { offset, ..rope }), ..Family::default() });
        let (here, there) = (solved(&turned(rope.offset)), solved(&turned(rope.offset + shift)));
        for head in 0..problem.heads.query {
            prop_assert!(close(&of(&there, Part::Scores, head), &of(&here, Part::Scores, head), 1e-11));
        }
    }

    #[test]
    fn the_two_layouts_of_rope_differ_by_the_order_of_columns(problem in direct(4), rope in rope(4)) {
        // Column c of half_split is column order[c] of interleaved.
        let order = [0, 2, 1, 3];
        let mut split = with(&problem, Family { position: Position::Rope(Rope { layout: Layout::HalfSplit, ..rope }), ..Family::default() });
        let together = with(&problem, Family { position: Position::Rope(Rope { layout: Layout::Interleaved, ..rope }), ..Family::default() });
        for part in [Part::Q, Part::K, Part::WQ, Part::WK] {
            let Some(whole) = whole_matrix_mut(&mut split, part) else { continue };
            let old = whole.clone();
            *whole = Matrix::from_fn(old.nrows(), old.ncols(), |row, c| old[(row, c / 4 * 4 + order[c % 4])]);
        }
        if let attnlab::attention::Inputs::Projected(given) = &mut split.inputs {
            for bias in [&mut given.b_q, &mut given.b_k].into_iter().flatten() {
                let old = bias.clone();
                *bias = (0..old.len()).map(|c| old[c / 4 * 4 + order[c % 4]]).collect();
            }
        }
        prop_assert!(close(&output(&split), &output(&together), 1e-12));
    }

    #[test]
    fn what_changes_nothing_is_the_plain_formula(problem in problem(), seed in 0_usize..100) {
        let shapes = problem.shapes();
        let heads = shapes.heads.query;
        let plain = solved(&problem);
        let identity = Matrix::identity(shapes.d_k, shapes.d_k);
        let nothing = [
            Family { position: Position::Alibi { slopes: vec![0.0; heads] }, ..Family::default() },
            Family { softcap: Some(1e9), ..Family::default() },
            Family { sink: Some(vec![-1e9; heads]), ..Family::default() },
            Family { score: Score::General { w: identity }, ..Family::default() },
            Family { bias: Some(Bias::all(Matrix::zeros(shapes.n, shapes.m))), ..Family::default() },
            Family { dropout: Dropout { p: 0.0, seed }, ..Family::default() },
        ];
        for family in nothing {
            let keys = family.keys();
            let trace = solved(&with(&problem, family));
            for head in 0..heads {
                prop_assert!(close(&of(&trace, Part::Weights, head), &of(&plain, Part::Weights, head), 1e-9), "{:?}", keys);
            }
            prop_assert!(close(&of(&trace, Part::Output, 0), &of(&plain, Part::Output, 0), 1e-8), "{:?}", keys);
        }
    }

    #[test]
    fn concat_is_additive_with_its_halves_on_one_another(problem in problem(), d_a in 1_usize..4, seed in any::<u64>()) {
        let d_k = problem.shapes().d_k;
        let mut random = SplitMix64(seed);
        let mut drawn = |rows, columns| Matrix::from_fn(rows, columns, |_, _| random.normal());
        let (w_q, w_k) = (drawn(d_k, d_a), drawn(d_k, d_a));
        let v: Vec<f64> = drawn(1, d_a).iter().copied().collect();
        let stacked = Matrix::from_fn(2 * d_k, d_a, |row, a| if row < d_k { w_q[(row, a)] } else { w_k[(row - d_k, a)] });
        let additive = with(&problem, Family { score: Score::Additive { w_q, w_k, v: v.clone() }, ..Family::default() });
        let concat = with(&problem, Family { score: Score::Concat { w: stacked, v }, ..Family::default() });
        prop_assert_eq!(output(&additive), output(&concat));
    }

    #[test]
    fn general_is_q_w_k_transposed(problem in problem(), seed in any::<u64>()) {
        let d_k = problem.shapes().d_k;
        let mut random = SplitMix64(seed);
        let w = Matrix::from_fn(d_k, d_k, |_, _| random.normal());
        let trace = solved(&with(&problem, Family { score: Score::General { w: w.clone() }, ..Family::default() }));
        for head in 0..problem.heads.query {
            let plainly = multiply(&multiply(&of(&trace, Part::Q, head), &w), &of(&trace, Part::K, head).transpose());
            prop_assert!(close(&of(&trace, Part::Scores, head), &plainly, 1e-12));
        }
    }

    #[test]
    fn linear_attention_is_a_running_sum(problem in self_attention()) {
        // With the causal mask: S = Σ φ(k) vᵀ and z = Σ φ(k) grow by one token at a time, and no n×n matrix is needed.
        let mut problem = with(&problem, Family { normalise: Normalise::Linear, ..Family::default() });
        problem.mask = attnlab::attention::Mask { causal: attnlab::attention::Causal::UpperLeft, ..Default::default() };
        let trace = solved(&with_mask_right(&problem));
        let shapes = problem.shapes();
        for head in 0..shapes.heads.query {
            let (q, k) = (of(&trace, Part::QFeatures, head), of(&trace, Part::KFeatures, head));
            let (v, context) = (of(&trace, Part::V, head), of(&trace, Part::Context, head));
            let (mut s, mut z) = (Matrix::zeros(shapes.d_k, shapes.d_v), Matrix::zeros(shapes.d_k, 1));
            for row in 0..shapes.n {
                s += k.row(row).transpose() * v.row(row);
                z += k.row(row).transpose();
                let below = (q.row(row) * &z)[(0, 0)];
                let running = q.row(row) * &s / below;
                prop_assert!(close(&Matrix::from_row_slice(1, shapes.d_v, running.as_slice()), &context.rows(row, 1).into_owned(), 1e-11));
            }
        }
    }

    #[test]
    fn a_row_sums_to_one_less_the_sink_s_share(problem in problem(), seed in any::<u64>()) {
        let heads = problem.heads.query;
        let mut random = SplitMix64(seed);
        let sink = (0..heads).map(|_| random.normal()).collect();
        let problem = with_mask_right(&with(&problem, Family { sink: Some(sink), ..Family::default() }));
        let trace = solved(&problem);
        for head in 0..heads {
            let (weights, taken) = (of(&trace, Part::Weights, head), of(&trace, Part::SinkWeight, head));
            for row in 0..weights.nrows() {
                prop_assert!((weights.row(row).sum() + taken[(row, 0)] - 1.0).abs() <= 1e-12);
            }
        }
    }

    #[test]
    fn dropout_keeps_or_drops_and_makes_the_kept_larger(problem in problem(), p in 0.05..0.95, seed in 0_usize..1000) {
        let plain = solved(&problem);
        let trace = solved(&with(&problem, Family { dropout: Dropout { p, seed }, ..Family::default() }));
        let mut random = SplitMix64(seed as u64);
        for head in 0..problem.heads.query {
            let (kept, before, after) = (of(&trace, Part::Kept, head), of(&plain, Part::Weights, head), of(&trace, Part::Weights, head));
            for row in 0..kept.nrows() {
                for key in 0..kept.ncols() {
                    let is_kept = (random.next() >> 11) as f64 / 2f64.powi(53) >= p;
                    prop_assert_eq!(kept[(row, key)], if is_kept { 1.0 / (1.0 - p) } else { 0.0 });
                    prop_assert_eq!(after[(row, key)], before[(row, key)] * kept[(row, key)]);
                }
            }
        }
    }

    #[test]
    fn rows_divided_by_their_sum_are_proportional_to_their_scores(problem in self_attention()) {
        let problem = with(&problem, Family { normalise: Normalise::Sum, ..Family::default() });
        let trace = solved(&Problem { mask: Default::default(), ..with_mask_right(&problem) });
        for head in 0..problem.heads.query {
            let (scaled, weights) = (of(&trace, Part::Scaled, head), of(&trace, Part::Weights, head));
            for row in 0..scaled.nrows() {
                let sum: f64 = scaled.row(row).iter().fold(0.0, |sum, score| sum + score);
                for key in 0..scaled.ncols() {
                    let expected = if sum == 0.0 { 0.0 } else { scaled[(row, key)] / sum };
                    prop_assert_eq!(weights[(row, key)], expected);
                }
            }
        }
    }

    #[test]
    fn a_hidden_pair_weighs_nothing_whatever_the_formula(problem in member()) {
        let right = with_mask_right(&problem);
        let trace = solved(&right);
        let rules = attnlab::attention::visible(&right);
        for head in 0..right.heads.query {
            let weights = of(&trace, Part::Weights, head);
            prop_assert!(weights.iter().zip(rules.iter()).all(|(&weight, &visible)| visible || weight == 0.0));
        }
        let any_leak = checks(&right, &trace).iter().flatten().any(|row| row.leak != 0.0 || row.moved != 0.0);
        prop_assert!(!any_leak);
    }

    #[test]
    fn the_softcap_is_never_passed(problem in problem(), cap in 0.1..5.0, scores in numbers(3)) {
        let trace = solved(&with(&problem, Family { softcap: Some(cap), ..Family::default() }));
        let capped = of(&trace, Part::Capped, 0);
        prop_assert!(capped.iter().all(|score| score.abs() <= cap) && scores.len() == 3);
    }
}

fn read(text: &str) -> Problem {
    Problem::from_json(&format!(r#"{{"format":"attnlab/1",{text}}}"#)).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// A cached decode step: one query, four keys. It stands last, as in the full computation.
#[test]
fn the_last_query_stands_last() {
    let all = r#""q":[[1,2],[3,4],[5,6],[1,0]],"k":[[1,0],[0,1],[1,1],[2,1]],"v":[[1],[2],[3],[4]]"#;
    let last = r#""q":[[1,0]],"k":[[1,0],[0,1],[1,1],[2,1]],"v":[[1],[2],[3],[4]]"#;
    for position in [r#"{"kind":"rope"}"#, r#"{"kind":"alibi","slopes":[0.5]}"#] {
        let full = output(&read(&format!(r#""inputs":{{{all}}},"position":{position}"#)));
        let step = output(&read(&format!(r#""inputs":{{{last}}},"position":{position}"#)));
        assert!((full[(3, 0)] - step[(0, 0)]).abs() <= 1e-12, "{position}");
        // In cross attention query 0 stands at 0.
        let cross = output(&read(&format!(r#""memory":["a","b","c","d"],"inputs":{{{last}}},"position":{position}"#)));
        assert!((cross[(0, 0)] - step[(0, 0)]).abs() > 1e-3, "{position}");
    }
}

/// The third-head law of NTK-aware scaling: the slowest pair turns as slowly as with linear scaling by the factor,
/// the fastest as without.
#[test]
fn ntk_leaves_the_fastest_pair_and_slows_the_slowest_by_the_factor() {
    let (d, factor) = (64, 2.0);
    let (plain, ntk) = (Rope::default(), Rope { scaling: Scaling::Ntk { factor }, ..Rope::default() });
    assert_eq!(ntk.theta(0, d), plain.theta(0, d));
    assert!((ntk.theta(31, d) / plain.theta(31, d) - 1.0 / factor).abs() <= 1e-12);
    let linear = Rope { scaling: Scaling::Linear { factor }, ..Rope::default() };
    assert_eq!(linear.scaled_position(1023.0), 511.5);
}

/// Trained on 512 positions, asked for 1024: a pair meets new angles if it has not gone round once in training and now
/// goes further. Base 10,000, d = 64: 16 of 32; none with linear ×2; 15 with NTK ×2, by at most 1.4 times.
#[test]
fn pairs_that_meet_angles_never_trained() {
    let d = 64;
    let trained = |i| (511.0 * Rope::default().theta(i, d)).min(std::f64::consts::TAU);
    let beyond = |rope: Rope| {
        let reach = |i| rope.scaled_position(1023.0) * rope.theta(i, d);
        (0..d / 2).filter(|&i| trained(i) < std::f64::consts::TAU && reach(i) > trained(i) * (1.0 + 1e-2)).count()
    };
    let with = |scaling| Rope { scaling, ..Rope::default() };
    assert_eq!(beyond(Rope::default()), 16);
    assert_eq!(beyond(with(Scaling::Linear { factor: 2.0 })), 0);
    assert_eq!(beyond(with(Scaling::Ntk { factor: 2.0 })), 15);
}

/// "I like cats", row 0: 6/17, 4/17, 7/17.
#[test]
fn linear_attention_of_i_like_cats() {
    let example = attnlab::examples::all().iter().find(|example| example.id == "linear-elu").unwrap();
    let trace = solved(&example.problem);
    let weights = of(&trace, Part::Weights, 0);
    for (key, above) in [6.0, 4.0, 7.0].into_iter().enumerate() {
        assert!((weights[(0, key)] - above / 17.0).abs() <= 1e-15);
    }
    assert!(trace.notes.contains(&Note::ScaleIgnored));
    assert!(trace.get(Part::Scaled, 0).is_none() && trace.get(Part::Exp, 0).is_none());
}

/// One key whose score is Δ = 5 above n − 1 equal others gets e^Δ/(e^Δ + n − 1): 0.9428 at n = 10.
#[test]
fn one_loud_key_among_ten() {
    let keys: Vec<String> = (0..10).map(|key| if key == 0 { "[5]".to_owned() } else { "[0]".to_owned() }).collect();
    let problem = read(&format!(r#""scale":"none","inputs":{{"q":[[1]],"k":[{0}],"v":[{0}]}}"#, keys.join(",")));
    assert_eq!(format!("{:.4}", of(&solved(&problem), Part::Weights, 0)[(0, 0)]), "0.9428");
}

#[test]
fn a_row_whose_sum_is_zero_is_zeros_and_said_so() {
    let problem =
        read(r#""scale":"none","normalise":{"kind":"sum"},"inputs":{"q":[[1]],"k":[[1],[-1]],"v":[[3],[5]]}"#);
    let trace = solved(&problem);
    assert_eq!(of(&trace, Part::Weights, 0).as_slice(), [0.0, 0.0]);
    assert_eq!(of(&trace, Part::Output, 0).as_slice(), [0.0]);
    assert_eq!(trace.notes, [Note::ZeroSum { head: 0, row: 0 }]);
}

/// A row that sees nothing leaves everything to the sink; a sink beyond exp is shown shifted.
#[test]
fn a_sink_takes_what_nobody_else_can() {
    let problem = read(r#""sink":[2],"mask":{"key_padding":[0]},"inputs":{"q":[[1]],"k":[[1]],"v":[[3]]}"#);
    let trace = solved(&problem);
    assert_eq!(of(&trace, Part::SinkWeight, 0)[(0, 0)], 1.0);
    assert_eq!(of(&trace, Part::Context, 0)[(0, 0)], 0.0);
    let loud = read(r#""sink":[900],"inputs":{"q":[[1]],"k":[[1]],"v":[[3]]}"#);
    let trace = solved(&loud);
    assert_eq!(of(&trace, Part::RowSum, 0)[(0, 0)], 1.0);
    assert_eq!(trace.notes, [Note::ExpShifted { head: 0, row: 0 }]);
}

#[test]
fn a_hidden_layer_is_three_deep_in_the_trace_file() {
    let example = attnlab::examples::all().iter().find(|example| example.id == "additive-identity").unwrap();
    let json: serde_json::Value = serde_json::from_str(&solved(&example.problem).to_json()).unwrap();
    let hidden = json["steps"].as_array().unwrap().iter().find(|step| step["key"] == "hidden").unwrap();
    assert_eq!(hidden["shape"], serde_json::json!([3, 3, 2]));
    assert_eq!(hidden["columns"].as_array().unwrap().len(), 3);
    assert_eq!(hidden["value"][2][1].as_array().unwrap().len(), 2);
    assert_eq!(hidden["value"][0][1][0], 1f64.tanh());
}

#[test]
fn steps_of_the_family_stand_in_the_order_of_the_format() {
    let text = r#""score":{"kind":"general","w":[[1,0],[0,1]]},"position":{"kind":"rope"},"softcap":5,"bias":[[1]],"sink":[1],
        "dropout":{"p":0.5,"seed":1},"inputs":{"q":[[1,2]],"k":[[1,2]],"v":[[1]]}"#;
    let trace = solved(&read(text));
    let keys: Vec<&str> = trace.steps.iter().map(|step| step.part.key()).collect();
    assert_eq!(
        keys.join(" "),
        "q k v q_rotated k_rotated k_transformed scores scaled capped biased mask masked exp row_sum sink_weight kept \
         weights leak context concat output"
    );
    assert!(whole_matrix(&read(text), Part::Q).is_some());
}

/// An encoding is added to x and to x_kv, from position 0; PE(pos + 1) is a turn of PE(pos), the same for every pos.
#[test]
fn an_encoding_is_added_to_both_sides() {
    let text = r#""position":{"kind":"sinusoidal"},"inputs":{"x":[[1,2],[3,4]],"x_kv":[[5,6],[7,8],[9,1]],
        "w_q":[[1],[0]],"w_k":[[1],[0]],"w_v":[[0],[1]]}"#;
    let trace = solved(&read(text));
    let (p, x, x_kv) = (of(&trace, Part::Position, 0), of(&trace, Part::X, 0), of(&trace, Part::XKv, 0));
    assert_eq!((p[(1, 0)], p[(1, 1)]), (1f64.sin(), 1f64.cos()));
    assert_eq!((x[(1, 0)], x_kv[(2, 1)]), (3.0 + 1f64.sin(), 1.0 + 2f64.cos()));
    assert_eq!(of(&trace, Part::Q, 0)[(1, 0)], x[(1, 0)]);
    let zeros = Matrix::zeros(40, 6);
    let mut problem = read(text);
    problem.inputs = attnlab::attention::Inputs::Projected(attnlab::attention::Projected {
        x: zeros,
        x_kv: None,
        w_q: Matrix::zeros(6, 1),
        w_k: Matrix::zeros(6, 1),
        w_v: Matrix::zeros(6, 1),
        b_q: None,
        b_k: None,
        b_v: None,
    });
    let p = of(&solved(&problem), Part::Position, 0);
    for row in 0..39 {
        for pair in 0..3 {
            let angle = 10_000_f64.powf(-2.0 * pair as f64 / 6.0);
            let (s, c) = (p[(row, 2 * pair)], p[(row, 2 * pair + 1)]);
            assert!((p[(row + 1, 2 * pair)] - (s * angle.cos() + c * angle.sin())).abs() <= 1e-12);
            assert!((p[(row + 1, 2 * pair + 1)] - (c * angle.cos() - s * angle.sin())).abs() <= 1e-12);
        }
    }
}

/// A table of zeros changes nothing, and one that is too short is an error with a reason: position 513 of 512.
#[test]
fn a_learned_table_ends() {
    let inputs = r#""inputs":{"x":[[1,2],[3,4]],"w_q":[[1],[0]],"w_k":[[1],[0]],"w_v":[[0],[1]]}"#;
    let with_zeros = read(&format!(r#"{inputs},"position":{{"kind":"learned","table":[[0,0],[0,0],[9,9]]}}"#));
    assert_eq!(output(&with_zeros), output(&read(inputs)));
    let short = format!(r#"{{"format":"attnlab/1",{inputs},"position":{{"kind":"learned","table":[[0,0]]}}}}"#);
    let error = &Problem::from_json(&short).unwrap_err()[0];
    assert_eq!((error.place.as_str(), error.kind.key()), ("position.table", "beyond-table"));
}

/// 我打你 into 你打我: without positions the outputs move with their tokens; with an encoding they change.
#[test]
fn order_matters_only_with_positions() {
    let of_tokens = |rows: &str, position: &str| {
        output(&read(&format!(
            r#""inputs":{{"x":{rows},"w_q":[[1,0],[0,1]],"w_k":[[0,1],[1,0]],"w_v":[[1,0],[0,1]]}},"position":{position}"#
        )))
    };
    let (there, back) = ("[[1,0],[0,1],[1,1]]", "[[1,1],[0,1],[1,0]]");
    for (position, moves) in
        [(r#"{"kind":"none"}"#, true), (r#"{"kind":"sinusoidal"}"#, false), (r#"{"kind":"rope","offset":1}"#, false)]
    {
        let (a, b) = (of_tokens(there, position), of_tokens(back, position));
        let same = (0..3).all(|row| (0..2).all(|c| (a[(row, c)] - b[(2 - row, c)]).abs() <= 1e-12));
        assert_eq!(same, moves, "{position}");
    }
}
