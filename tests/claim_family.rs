//! Does it match, of what is not the plain formula: every mistake is found in numbers that were computed plainly, here.

#[allow(dead_code)] // The plain formula uses more of it.
#[path = "claim/claims.rs"]
mod claims;

use attnlab::attention::{Inputs, Matrix, Part, Position, Problem, columns_of_head, solve};
use attnlab::claim::{Claim, Reason, compare, reasons};
use claims::{assert_first, claim, named, printed, problem};
use nalgebra::DMatrix;

/// One head, from its scores on.
struct Plain {
    scores: Matrix,
    v: Matrix,
    factor: f64,
    cap: Option<f64>,
    /// What is added after scale and cap.
    added: Matrix,
    sink: Option<f64>,
    visible: fn(usize, usize) -> bool,
}

impl Plain {
    /// Of dot products, scaled by 1/√d_k.
    fn of(q: &Matrix, k: &Matrix, v: &Matrix) -> Plain {
        let scores = q * k.transpose();
        let added = Matrix::zeros(scores.nrows(), scores.ncols());
        let factor = 1.0 / (q.ncols() as f64).sqrt();
        Plain { scores, v: v.clone(), factor, cap: None, added, sink: None, visible: |_, _| true }
    }

    fn logits(&self) -> Matrix {
        let scaled = self.scores.map(|score| score * self.factor);
        self.cap.map_or(scaled.clone(), |cap| scaled.map(|score| cap * (score / cap).tanh())) + &self.added
    }

    fn exp(&self) -> Matrix {
        let logits = self.logits();
        let exp = |i, j| if (self.visible)(i, j) { logits[(i, j)].exp() } else { 0.0 };
        DMatrix::from_fn(logits.nrows(), logits.ncols(), exp)
    }

    fn weights(&self) -> Matrix {
        let exp = self.exp();
        let of_sink = self.sink.map_or(0.0, f64::exp);
        DMatrix::from_fn(exp.nrows(), exp.ncols(), |i, j| exp[(i, j)] / (exp.row(i).sum() + of_sink))
    }

    fn output(&self) -> Matrix {
        self.weights() * &self.v
    }
}

const QKV: &str = r#""q":[[1,0.5,-1,2],[0.3,-0.7,1.1,0.2],[-1.2,0.4,0.6,1.5],[0.8,-1.3,0.1,0.9]],
    "k":[[0.7,-0.3,1,0.1],[-0.2,0.9,0.5,0.4],[1.3,0.2,-0.8,0.6],[-0.5,1.1,0.3,-0.9]],
    "v":[[0.2,1],[-0.6,0.3],[1.1,-0.5],[0.4,0.8]]"#;

fn given(more: &str) -> Problem {
    problem(&format!(r#"{{"format":"attnlab/1",{more},"inputs":{{{QKV}}}}}"#))
}

fn qkv(problem: &Problem) -> (Matrix, Matrix, Matrix) {
    let Inputs::Direct { q, k, v } = &problem.inputs else { unreachable!("q, k and v are given") };
    (q.clone(), k.clone(), v.clone())
}

fn plain(problem: &Problem) -> Plain {
    let (q, k, v) = qkv(problem);
    Plain::of(&q, &k, &v)
}

/// Pairs of four columns turned by position · base^(−2i/4): neighbours, or the two halves.
fn turned(matrix: &Matrix, base: f64, halves: bool, first: f64) -> Matrix {
    let mut turned = matrix.clone();
    for row in 0..matrix.nrows() {
        for pair in 0..2 {
            let (a, b) = if halves { (pair, pair + 2) } else { (2 * pair, 2 * pair + 1) };
            let angle = (first + row as f64) / base.powf(pair as f64 / 2.0);
            let (x, y) = (matrix[(row, a)], matrix[(row, b)]);
            turned[(row, a)] = x * angle.cos() - y * angle.sin();
            turned[(row, b)] = x * angle.sin() + y * angle.cos();
        }
    }
    turned
}

fn assert_named(values: &Matrix, part: Part, problem: &Problem, reason: Reason) {
    assert_first(&claim(&printed(values, 4), part), problem, &[reason]);
}

#[test]
fn rope_of_the_other_layout_or_base() {
    let problem = given(r#""position":{"kind":"rope","base":100}"#);
    let (q, k, v) = qkv(&problem);
    let rope = |base, halves| Plain::of(&turned(&q, base, halves, 0.0), &turned(&k, base, halves, 0.0), &v);
    let right = claim(&printed(&rope(100.0, false).weights(), 4), Part::Weights);
    assert!(compare(&right, &solve(&problem).unwrap()).unwrap().agrees(), "the plain formula is the problem's");
    for (part, of) in [(Part::Weights, Plain::weights as fn(&Plain) -> Matrix), (Part::Output, Plain::output)] {
        assert_named(&of(&rope(100.0, true)), part, &problem, Reason::OtherLayout);
        for base in [10_000.0, 500_000.0, 1_000_000.0, 10.0] {
            // Of small angles, several bases may round to the same numbers: one of them is named, and what it gives is
            // what was claimed.
            let claim = claim(&printed(&of(&rope(base, false)), 4), part);
            let found = reasons(&claim, &problem);
            assert!(found.iter().any(|found| found.reasons == [Reason::OtherBase(base)]), "{base} {:?}", named(&found));
        }
        assert_named(&of(&Plain::of(&q, &k, &v)), part, &problem, Reason::PositionLeftOut);
    }
    assert_named(&turned(&q, 100.0, true, 0.0), Part::QRotated, &problem, Reason::OtherLayout);
    assert_named(&turned(&k, 10.0, false, 0.0), Part::KRotated, &problem, Reason::OtherBase(10.0));
}

/// Scores know distances only, so it is seen in the rotated vectors alone.
#[test]
fn rope_counted_from_one() {
    let problem = given(r#""position":{"kind":"rope","layout":"half_split"}"#);
    let (q, k, v) = qkv(&problem);
    assert_named(&turned(&q, 1e4, true, 1.0), Part::QRotated, &problem, Reason::PositionsFrom(1.0));
    let from_one = given(r#""position":{"kind":"rope","layout":"half_split","offset":1}"#);
    assert_named(&turned(&k, 1e4, true, 0.0), Part::KRotated, &from_one, Reason::PositionsFrom(0.0));
    let scores = Plain::of(&turned(&q, 1e4, true, 1.0), &turned(&k, 1e4, true, 1.0), &v).scores;
    let claim = claim(&printed(&scores, 4), Part::Scores);
    assert!(compare(&claim, &solve(&problem).unwrap()).unwrap().agrees());
    // Where the rotation was left out, the claim is of q itself; there is no such step to go to.
    let left_out = claims::claim(&printed(&q, 4), Part::QRotated);
    let found = reasons(&left_out, &problem);
    assert_eq!((found[0].reasons.as_slice(), &found[0].apply), ([Reason::PositionLeftOut].as_slice(), &None));
}

fn encoded(position: &str) -> Problem {
    problem(&format!(
        r#"{{"format":"attnlab/1","position":{position},"inputs":{{"x":[[1,0.5,-1,2],[0.3,-0.7,1.1,0.2],[-1.2,0.4,0.6,1.5]],
        "w_q":[[1,0.2],[0.5,-1],[0.3,0.8],[-0.4,0.6]],"w_k":[[0.7,-0.3],[1,0.1],[-0.2,0.9],[0.5,0.4]],
        "w_v":[[0.2,1],[-0.6,0.3],[1.1,-0.5],[0.4,0.8]]}}}}"#
    ))
}

/// The output when this is added to x.
fn with_encoding(problem: &Problem, encoding: &Matrix) -> Matrix {
    let Inputs::Projected(given) = &problem.inputs else { unreachable!("tokens are projected") };
    let x = &given.x + encoding;
    Plain::of(&(&x * &given.w_q), &(&x * &given.w_k), &(&x * &given.w_v)).output()
}

#[test]
fn a_sinusoidal_encoding_of_another_base_or_counted_from_one() {
    let problem = encoded(r#"{"kind":"sinusoidal"}"#);
    let encoding = |base: f64, first: usize| {
        Matrix::from_fn(3, 4, |row, column| {
            let angle = (row + first) as f64 / base.powf((column / 2) as f64 / 2.0);
            if column % 2 == 0 { angle.sin() } else { angle.cos() }
        })
    };
    let right = claim(&printed(&with_encoding(&problem, &encoding(1e4, 0)), 4), Part::Output);
    assert!(compare(&right, &solve(&problem).unwrap()).unwrap().agrees(), "the plain formula is the problem's");
    let cases = [
        (encoding(100.0, 0), Reason::OtherBase(100.0)),
        (encoding(10.0, 0), Reason::OtherBase(10.0)),
        (encoding(1e4, 1), Reason::PositionsFrom(1.0)),
        (Matrix::zeros(3, 4), Reason::PositionLeftOut),
    ];
    for (encoding, reason) in cases {
        assert_named(&with_encoding(&problem, &encoding), Part::Output, &problem, reason.clone());
        if reason != Reason::PositionLeftOut {
            assert_named(&encoding, Part::Position, &problem, reason);
        }
    }
}

/// No sinusoidal encoding begins at position 1, so the problem to go to has a table; it is one that a file can hold.
#[test]
fn an_encoding_counted_from_one_is_offered_as_a_table() {
    let problem = encoded(r#"{"kind":"sinusoidal"}"#);
    let from_one = Matrix::from_fn(3, 4, |row, column| {
        let angle = (row + 1) as f64 / 100_f64.powi((column / 2) as i32);
        if column % 2 == 0 { angle.sin() } else { angle.cos() }
    });
    let claim = claim(&printed(&with_encoding(&problem, &from_one), 4), Part::Output);
    let apply = reasons(&claim, &problem)[0].apply.clone().expect("a problem that says it");
    let Position::Learned { table } = &apply.family.position else { panic!("{:?}", apply.family.position) };
    assert!(table.iter().zip(&from_one).all(|(found, expected)| (found - expected).abs() <= 1e-15));
    assert_eq!(Problem::from_json(&apply.to_json()).as_ref(), Ok(&apply));
}

#[test]
fn a_learned_table_read_one_row_too_far() {
    let rows = "[0.1,0.2,0.3,0.4],[-0.5,0.6,-0.7,0.8],[0.9,-1,1.1,-1.2],[1.3,1.4,-1.5,0.6]";
    let problem = encoded(&format!(r#"{{"kind":"learned","table":[{rows}]}}"#));
    let one_further = Matrix::from_row_slice(3, 4, &[-0.5, 0.6, -0.7, 0.8, 0.9, -1.0, 1.1, -1.2, 1.3, 1.4, -1.5, 0.6]);
    assert_named(&with_encoding(&problem, &one_further), Part::Output, &problem, Reason::PositionsFrom(1.0));
    // A table without a row to spare cannot be read so.
    let short = encoded(&format!(r#"{{"kind":"learned","table":[{}]}}"#, rows.rsplit_once(",[").unwrap().0));
    let claim = claim(&printed(&with_encoding(&short, &one_further), 4), Part::Output);
    assert_eq!(named(&reasons(&claim, &short)), Vec::<Vec<Reason>>::new());
}

#[test]
fn every_mistake_with_a_penalty_on_distance() {
    let problem = given(r#""position":{"kind":"alibi","slopes":[0.25]}"#);
    let penalty = |slope: f64| Matrix::from_fn(4, 4, |i, j| -slope * (i as f64 - j as f64).abs());
    let with = |slope: f64| Plain { added: penalty(slope), ..plain(&problem) };
    let right = claim(&printed(&with(0.25).weights(), 4), Part::Weights);
    assert!(compare(&right, &solve(&problem).unwrap()).unwrap().agrees(), "the plain formula is the problem's");
    let cases = [(1.0, Reason::SlopesLeftOut), (-0.25, Reason::PenaltyReversed), (0.0, Reason::PositionLeftOut)];
    for (slope, reason) in cases {
        assert_named(&with(slope).weights(), Part::Weights, &problem, reason.clone());
        assert_named(&with(slope).output(), Part::Output, &problem, reason);
    }
    assert_named(&with(1.0).logits(), Part::Biased, &problem, Reason::SlopesLeftOut);
}

const BIAS: &str = r#""bias":[[0,1,-1,0.5],[0.3,0,2,-1],[1,1,0,0],[-0.5,0.2,0.1,0]]"#;

fn bias() -> Matrix {
    Matrix::from_row_slice(4, 4, &[0.0, 1.0, -1.0, 0.5, 0.3, 0.0, 2.0, -1.0, 1.0, 1.0, 0.0, 0.0, -0.5, 0.2, 0.1, 0.0])
}

#[test]
fn what_was_left_out() {
    let all = given(&format!(r#""softcap":2,{BIAS},"sink":[0.5]"#));
    let right = || Plain { cap: Some(2.0), added: bias(), sink: Some(0.5), ..plain(&all) };
    let claimed = claim(&printed(&right().weights(), 4), Part::Weights);
    assert!(compare(&claimed, &solve(&all).unwrap()).unwrap().agrees(), "the plain formula is the problem's");
    let cases = [
        (Plain { cap: None, ..right() }, Reason::SoftcapLeftOut),
        (Plain { added: Matrix::zeros(4, 4), ..right() }, Reason::ScoreBiasLeftOut),
        (Plain { sink: None, ..right() }, Reason::SinkLeftOut),
    ];
    for (plain, reason) in cases {
        assert_named(&plain.weights(), Part::Weights, &all, reason.clone());
        assert_named(&plain.output(), Part::Output, &all, reason);
    }
    let two = Plain { cap: None, sink: None, ..right() };
    let claim = claim(&printed(&two.output(), 4), Part::Output);
    assert_first(&claim, &all, &[Reason::SoftcapLeftOut, Reason::SinkLeftOut]);
}

#[test]
fn a_trained_model_has_no_dropout() {
    let problem = given(r#""dropout":{"p":0.4,"seed":3}"#);
    let dropped =
        solve(&problem).unwrap().get(Part::Kept, 0).unwrap().value.iter().filter(|&&kept| kept == 0.0).count();
    assert!(dropped > 0, "the seed drops something");
    assert_named(&plain(&problem).weights(), Part::Weights, &problem, Reason::DropoutLeftOut);
    assert_named(&plain(&problem).output(), Part::Output, &problem, Reason::DropoutLeftOut);
}

#[test]
fn another_scale_before_softcap_and_bias() {
    let problem = given(&format!(r#""softcap":2,{BIAS},"sink":[0.5]"#));
    let with = |factor| Plain { factor, cap: Some(2.0), added: bias(), sink: Some(0.5), ..plain(&problem) };
    for (factor, reason) in [(1.0, Reason::ScaleLeftOut), (0.3, Reason::OtherScale(0.3))] {
        assert_named(&with(factor).weights(), Part::Weights, &problem, reason.clone());
        assert_named(&with(factor).output(), Part::Output, &problem, reason.clone());
        assert_named(&with(factor).logits(), Part::Biased, &problem, reason);
    }
    // Behind a mask there are numbers that are hidden.
    let hidden = given(&format!(r#""softcap":2,{BIAS},"mask":{{"causal":"upper_left"}}"#));
    let logits = Plain { factor: 0.3, cap: Some(2.0), added: bias(), ..plain(&hidden) }.logits();
    let masked = Matrix::from_fn(4, 4, |i, j| if j <= i { logits[(i, j)] } else { f64::NEG_INFINITY });
    // (Text holds no minus infinity.)
    let decimals = DMatrix::from_element(4, 4, 4);
    let values = masked.map(|score| (score * 1e4).round() / 1e4);
    let claim = Claim { part: Part::Masked, head: 0, row: None, values, decimals };
    assert_first(&claim, &hidden, &[Reason::OtherScale(0.3)]);
}

#[test]
fn a_softmax_down_the_columns_of_a_variant() {
    let problem = given(r#""position":{"kind":"alibi","slopes":[0.25]},"mask":{"causal":"upper_left"}"#);
    let penalty = Matrix::from_fn(4, 4, |i, j| -0.25 * (i as f64 - j as f64).abs());
    let plain = Plain { added: penalty, visible: |i, j| j <= i, ..plain(&problem) };
    let exp = plain.exp();
    let weights = DMatrix::from_fn(4, 4, |i, j| exp[(i, j)] / exp.column(j).sum());
    assert_named(&weights, Part::Weights, &problem, Reason::SoftmaxDownTheColumns);
    assert_named(&(weights * plain.v), Part::Output, &problem, Reason::SoftmaxDownTheColumns);
}

/// One problem of every kind of change.
fn variants() -> Vec<Problem> {
    let texts = [
        r#""position":{"kind":"rope"}"#,
        r#""position":{"kind":"rope","base":100,"layout":"half_split","offset":2,"scaling":{"kind":"ntk","factor":2}}"#,
        r#""position":{"kind":"alibi","slopes":[0.25]},"mask":{"causal":"upper_left"}"#,
        r#""softcap":50"#,
        r#""softcap":2,"sink":[0.5]"#,
        BIAS,
        r#""dropout":{"p":0.4,"seed":3}"#,
        r#""normalise":{"kind":"linear","feature_map":"elu_plus_one"}"#,
        r#""normalise":{"kind":"sum"}"#,
        r#""scale":"none","score":{"kind":"general","w":[[1,0,0,2],[0,1,0.5,0],[0,0,1,0],[-1,0,0,1]]}"#,
        r#""scale":"none","score":{"kind":"additive","w_q":[[1],[2],[0],[1]],"w_k":[[0.5],[1],[1],[0]],"v":[2]}"#,
    ];
    let encodings =
        [r#"{"kind":"sinusoidal"}"#, r#"{"kind":"learned","table":[[1,0,1,0],[0,2,0,1],[1,1,1,1],[2,0,0,2]]}"#];
    texts.map(given).into_iter().chain(encodings.map(encoded)).collect()
}

/// The control: one digit that is off, in any cell of any step.
#[test]
fn one_digit_that_is_off_is_never_explained() {
    let mut count = 0;
    for problem in variants() {
        let trace = solve(&problem).unwrap();
        for step in trace.steps.iter().filter(|step| !matches!(step.part, Part::Mask | Part::Hidden)) {
            // (Text holds no minus infinity.)
            let values = step.value.map(|value| (value * 1e4).round() / 1e4);
            let decimals = DMatrix::from_element(values.nrows(), values.ncols(), 4);
            let right = Claim { part: step.part, head: 0, row: None, values, decimals };
            for (row, column) in (0..step.value.nrows()).flat_map(|row| (0..step.value.ncols()).map(move |c| (row, c)))
            {
                let by = [2e-4, -2e-4, 1e-3][count % 3];
                let mut wrong = right.clone();
                wrong.values[(row, column)] += by;
                if step.value[(row, column)].is_finite() {
                    assert!(!compare(&wrong, &trace).unwrap().agrees());
                    let found = named(&reasons(&wrong, &problem));
                    assert_eq!(found, Vec::<Vec<Reason>>::new(), "{:?} {row} {column} {by}", step.part);
                    count += 1;
                }
            }
        }
    }
    assert!(count > 1000, "only {count} claims");
}

/// Without the cap the second score would be 1.2000 and the first what it is: one number that is off by so little is
/// taken for a slip. Where several are off, the cap is the reason.
#[test]
fn what_hardly_moves_anything_explains_no_single_number() {
    let of = |k: &str| {
        let text = format!(r#"{{"format":"attnlab/1","softcap":50,"inputs":{{"q":[[1]],"k":{k},"v":[[1],[2]]}}}}"#);
        problem(&text)
    };
    let one = of("[[0.2],[1.2]]");
    assert_eq!(named(&reasons(&claim("0.2000 1.2000", Part::Capped), &one)), Vec::<Vec<Reason>>::new());
    let two = of("[[3],[4]]");
    assert_eq!(
        named(&reasons(&claim("3.0000 4.0000", Part::Capped), &two)).first(),
        Some(&vec![Reason::SoftcapLeftOut])
    );
}

/// The control: unrelated numbers.
#[test]
fn random_numbers_are_explained_by_nothing() {
    let mut random = 0.37_f64;
    for problem in variants() {
        let trace = solve(&problem).unwrap();
        for step in trace.steps.iter().filter(|step| step.part != Part::Mask) {
            let (rows, columns) = step.value.shape();
            let values = Matrix::from_fn(rows, columns, |_, _| {
                random = (random * 997.0 + 0.123_456_7).fract();
                random
            });
            let claim = claim(&printed(&values, 4), step.part);
            assert_eq!(named(&reasons(&claim, &problem)), Vec::<Vec<Reason>>::new(), "{:?}\n{values}", step.part);
        }
    }
}

/// Two heads with slopes of their own: the second is looked at.
#[test]
fn the_slopes_of_several_heads() {
    let problem = problem(&format!(
        r#"{{"format":"attnlab/1","heads":{{"query":2}},"position":{{"kind":"alibi","slopes":[0.5,0.25]}},"inputs":{{{QKV}}}}}"#
    ));
    let (q, k, v) = qkv(&problem);
    let (q, k, v) = (columns_of_head(&q, 1, 2), columns_of_head(&k, 1, 2), columns_of_head(&v, 1, 1));
    let penalty = Matrix::from_fn(4, 4, |i, j| 0.25 * (i as f64 - j as f64).abs());
    let weights = Plain { added: penalty, ..Plain::of(&q, &k, &v) }.weights();
    let claim = Claim { head: 1, ..claim(&printed(&weights, 4), Part::Weights) };
    assert_first(&claim, &problem, &[Reason::PenaltyReversed]);
}
