//! Does it match: every reason is found in numbers that were computed another way, plainly, here.
//!
//! Nothing below calls `solve` to make a claim: `Plain` is the formula written once more, with the mistakes as
//! switches, so that a reason is not checked against the code that tries it.

use attnlab::attention::{Causal, Inputs, Matrix, Part, Problem, columns_of_head, solve};
use attnlab::claim::{Claim, Explanation, Extent, Matches, Reason, ShapeMismatch, compare, reasons};
use nalgebra::DMatrix;

#[path = "claim/claims.rs"]
mod claims;

use claims::{assert_first, claim, cut_off, example, named, printed, problem};

/// One head, written plainly. `visible` says which pairs go into the softmax.
struct Plain {
    q: DMatrix<f64>,
    k: DMatrix<f64>,
    v: DMatrix<f64>,
    factor: f64,
    visible: fn(usize, usize) -> bool,
}

impl Plain {
    fn of(problem: &Problem) -> Plain {
        let (q, k, v) = match &problem.inputs {
            Inputs::Direct { q, k, v } => (q.clone(), k.clone(), v.clone()),
            Inputs::Projected(given) => {
                let keys_from = given.x_kv.as_ref().unwrap_or(&given.x);
                (&given.x * &given.w_q, keys_from * &given.w_k, keys_from * &given.w_v)
            }
        };
        let factor = 1.0 / (q.ncols() as f64).sqrt();
        Plain { q, k, v, factor, visible: |_, _| true }
    }

    fn exp(&self) -> DMatrix<f64> {
        let scores = (&self.q * self.k.transpose()) * self.factor;
        DMatrix::from_fn(
            scores.nrows(),
            scores.ncols(),
            |i, j| {
                if (self.visible)(i, j) { scores[(i, j)].exp() } else { 0.0 }
            },
        )
    }

    fn weights(&self) -> DMatrix<f64> {
        let exp = self.exp();
        DMatrix::from_fn(exp.nrows(), exp.ncols(), |i, j| {
            let sum = exp.row(i).sum();
            if sum > 0.0 { exp[(i, j)] / sum } else { 0.0 }
        })
    }

    fn output(&self) -> DMatrix<f64> {
        self.weights() * &self.v
    }
}

/// Two wide, three tokens, x four wide: the scales differ from one another.
fn tokens(more: &str) -> Problem {
    problem(&format!(
        r#"{{"format":"attnlab/1",{more}"inputs":{{"x":[[1,0.5,-1,2],[0.3,-0.7,1.1,0.2],[-1.2,0.4,0.6,1.5]],
        "w_q":[[1,0.2],[0.5,-1],[0.3,0.8],[-0.4,0.6]],"w_k":[[0.7,-0.3],[1,0.1],[-0.2,0.9],[0.5,0.4]],
        "w_v":[[0.2,1],[-0.6,0.3],[1.1,-0.5],[0.4,0.8]]}}}}"#
    ))
}

const CAUSAL: &str = r#""mask":{"causal":"upper_left"},"#;

#[test]
fn a_matching_claim_needs_no_reason() {
    let problem = tokens(CAUSAL);
    let plain = Plain { visible: |i, j| j <= i, ..Plain::of(&problem) };
    for (part, values) in [(Part::Weights, plain.weights()), (Part::Output, plain.output())] {
        let claim = claim(&printed(&values, 4), part);
        let verdict = compare(&claim, &solve(&problem).unwrap()).unwrap();
        assert!(verdict.agrees());
        assert_eq!(reasons(&claim, &problem), []);
    }
}

#[test]
fn one_digit_that_is_off_departs_exactly_there_and_nothing_explains_it() {
    let problem = tokens("");
    let right = claim(&printed(&Plain::of(&problem).weights(), 4), Part::Weights);
    for (row, column) in (0..3).flat_map(|row| (0..3).map(move |column| (row, column))) {
        for by in [2e-4, -2e-4, 1e-3, f64::NAN] {
            let mut wrong = right.clone();
            wrong.values[(row, column)] += by;
            let verdict = compare(&wrong, &solve(&problem).unwrap()).unwrap();
            let places: Vec<_> = verdict.departing().map(|cell| (cell.place.row, cell.place.column)).collect();
            assert_eq!(places, [(row, column)]);
            assert_eq!(named(&reasons(&wrong, &problem)), Vec::<Vec<Reason>>::new());
        }
    }
}

/// Any part, any numbers, minus infinity and NaN among them: an answer, and never one that does not hold.
#[test]
fn every_step_of_every_example_can_be_claimed() {
    let mut count = 0;
    for example in attnlab::examples::all() {
        let trace = solve(&example.problem).unwrap();
        for part in Part::ALL {
            let Some(step) = trace.get(part, 0) else { continue };
            let decimals = DMatrix::from_element(step.value.nrows(), step.value.ncols(), 4);
            let right = Claim { part, head: 0, row: None, values: step.value.clone(), decimals };
            assert!(compare(&right, &trace).unwrap().agrees(), "{} {part:?}", example.id);
            assert_eq!(reasons(&right, &example.problem), []);
            for wrong in [f64::NEG_INFINITY, f64::NAN, 1e300] {
                let mut claim = right.clone();
                claim.values[0] = wrong;
                let is_hidden = step.value[0] == wrong;
                assert_eq!(compare(&claim, &trace).unwrap().agrees(), is_hidden, "{} {part:?}", example.id);
                for explanation in reasons(&claim, &example.problem) {
                    assert!(explanation.verdict.agrees(), "{} {part:?} {wrong}", example.id);
                    // Only a mask can hide what was visible.
                    assert_eq!((part, wrong), (Part::Masked, f64::NEG_INFINITY));
                }
                count += 1;
            }
        }
    }
    assert!(count > 500, "only {count} claims");
}

/// Where a single number follows the scale, another scale could always give it.
#[test]
fn one_number_alone_is_not_explained_by_another_scale() {
    let problem = example("three-tokens-causal-reversed");
    let output = claim("0.9545\n1.1606\n1.5000", Part::Output);
    assert_eq!(named(&reasons(&output, &problem)), Vec::<Vec<Reason>>::new());
}

#[test]
fn random_numbers_are_explained_by_nothing() {
    let problems = [tokens(""), tokens(CAUSAL), tokens(r#""scale":"none","#), grouped(), example("two-heads")];
    let mut random = 0.37_f64;
    for problem in &problems {
        for part in [Part::Weights, Part::Output, Part::Scores, Part::Scaled] {
            let trace = solve(problem).unwrap();
            let (rows, columns) = trace.get(part, 0).unwrap().value.shape();
            for _ in 0..5 {
                let values = Matrix::from_fn(rows, columns, |_, _| {
                    random = (random * 997.0 + 0.123_456_7).fract();
                    random
                });
                let claim = claim(&printed(&values, 4), part);
                assert_eq!(named(&reasons(&claim, problem)), Vec::<Vec<Reason>>::new(), "{part:?}\n{values}");
            }
        }
    }
}

/// Four hundred tokens are not solved hundreds of times.
#[test]
fn of_a_large_problem_less_is_tried() {
    let large = |n: usize| {
        let numbers = Matrix::from_fn(n, 2, |row, column| ((row * 7 + column * 3) % 11) as f64 / 10.0);
        let inputs = Inputs::Direct { q: numbers.clone(), k: numbers.clone(), v: numbers };
        Problem { inputs, ..problem(r#"{"format":"attnlab/1","inputs":{"q":[[1]],"k":[[1]],"v":[[1]]}}"#) }
    };
    for (n, extent) in [(70, Extent::Everything), (80, Extent::SingleReasons), (800, Extent::CutOffOnly)] {
        assert_eq!(Extent::of(&large(n)), extent);
    }
    let problem = large(80);
    let plain = Plain { factor: 1.0, ..Plain::of(&problem) };
    assert_first(&claim(&printed(&plain.weights(), 4), Part::Weights), &problem, &[Reason::ScaleLeftOut]);
    let other = Plain { factor: 0.3, ..Plain::of(&problem) };
    assert_eq!(reasons(&claim(&printed(&other.weights(), 4), Part::Weights), &problem), []);
}

#[test]
fn another_shape_is_no_comparison() {
    let trace = solve(&tokens("")).unwrap();
    let mut two = claim("1 2\n3 4", Part::Weights);
    assert_eq!(compare(&two, &trace), Err(ShapeMismatch::Shape { found: (2, 2), expected: (3, 3) }));
    two.head = 1;
    assert_eq!(compare(&two, &trace), Err(ShapeMismatch::NoStep));
    let row = Claim { row: Some(3), ..claim("1 2 3", Part::Weights) };
    assert_eq!(compare(&row, &trace), Err(ShapeMismatch::NoStep));
    assert_eq!(reasons(&two, &tokens("")), []);
}

#[test]
fn digits_that_were_cut_off() {
    let problem = tokens("");
    assert_first(&claim(&cut_off(&Plain::of(&problem).weights(), 4), Part::Weights), &problem, &[Reason::Truncated]);
}

#[test]
fn every_scale() {
    let problem = tokens("");
    let cases = [
        (1.0, Reason::ScaleLeftOut),
        (0.5, Reason::DkForRoot),
        (1.0 / 3.0_f64.sqrt(), Reason::DModelForDk),
        (0.3, Reason::OtherScale(0.3)),
        (2.5, Reason::OtherScale(2.5)),
    ];
    // x is three wide here, so that 1/√d_model is not 1/d_k.
    let three = {
        let Inputs::Projected(mut given) = problem.inputs.clone() else { unreachable!("tokens are projected") };
        for matrix in [&mut given.w_q, &mut given.w_k, &mut given.w_v] {
            *matrix = matrix.rows(0, 3).into_owned();
        }
        given.x = given.x.columns(0, 3).into_owned();
        Problem { inputs: Inputs::Projected(given), ..problem }
    };
    for (factor, reason) in cases {
        let plain = Plain { factor, ..Plain::of(&three) };
        let scaled = (&plain.q * plain.k.transpose()) * factor;
        for (part, values) in [(Part::Weights, plain.weights()), (Part::Output, plain.output()), (Part::Scaled, scaled)]
        {
            assert_first(&claim(&printed(&values, 4), part), &three, std::slice::from_ref(&reason));
        }
    }
    let usual = claim(&printed(&Plain::of(&three).weights(), 4), Part::Weights);
    let unscaled = Problem { scale: attnlab::attention::Scale::None, ..three };
    assert_first(&usual, &unscaled, &[Reason::UsualScale]);
}

#[test]
fn every_mistake_with_the_mask() {
    let problem = tokens(CAUSAL);
    let plain = |visible: fn(usize, usize) -> bool| Plain { visible, ..Plain::of(&problem) };
    let everything = plain(|_, _| true).weights();
    let zeroed = DMatrix::from_fn(3, 3, |i, j| if j <= i { everything[(i, j)] } else { 0.0 });
    let cases = [
        (everything, Reason::MaskNever),
        (zeroed, Reason::MaskAfterSoftmax),
        (plain(|i, j| j > i).weights(), Reason::MaskInverted),
        (plain(|i, j| j >= i).weights(), Reason::MaskReversed),
    ];
    for (weights, reason) in cases {
        assert_first(&claim(&printed(&weights, 4), Part::Weights), &problem, std::slice::from_ref(&reason));
        let output = &weights * &Plain::of(&problem).v;
        assert_first(&claim(&printed(&output, 4), Part::Output), &problem, &[reason]);
    }
    let right = claim(&printed(&plain(|i, j| j <= i).weights(), 4), Part::Weights);
    let mistaken = tokens(&format!(r#"{CAUSAL}"mask_applied":"inverted","#));
    assert_first(&right, &mistaken, &[Reason::MaskBeforeSoftmax]);
}

#[test]
fn a_causal_rule_that_is_there_or_not_or_aligned_otherwise() {
    let cached = r#"{"format":"attnlab/1","mask":{"causal":"upper_left"},"inputs":{
        "q":[[1,0.5],[0.3,-1]],"k":[[1,0],[0.5,2],[-1,1],[0.2,0.7]],"v":[[1],[2],[-1],[0.5]]}}"#;
    let upper = problem(cached);
    let plain = |visible: fn(usize, usize) -> bool| Plain { visible, ..Plain::of(&upper) };
    let (upper_weights, lower_weights) = (plain(|i, j| j <= i).weights(), plain(|i, j| j <= i + 2).weights());
    let lower_claim = claim(&printed(&lower_weights, 4), Part::Weights);
    assert_first(&lower_claim, &upper, &[Reason::CausalAlignment(Causal::LowerRight)]);
    let without = problem(&cached.replace(r#""mask":{"causal":"upper_left"},"#, ""));
    assert_first(&lower_claim, &without, &[Reason::CausalOn(Causal::LowerRight)]);
    let upper_claim = claim(&printed(&upper_weights, 4), Part::Weights);
    assert_first(&upper_claim, &without, &[Reason::CausalOn(Causal::UpperLeft)]);
    let padded = problem(&cached.replace("\"upper_left\"", "\"upper_left\",\"key_padding\":[1,0,1,1]"));
    let only_padding = claim(&printed(&plain(|_, j| j != 1).weights(), 4), Part::Weights);
    assert_first(&only_padding, &padded, &[Reason::CausalOff]);
}

#[test]
fn rows_and_columns_swapped() {
    let problem = tokens("");
    let weights = Plain::of(&problem).weights();
    assert_first(&claim(&printed(&weights.transpose(), 4), Part::Weights), &problem, &[Reason::Transposed]);
    // Another shape is told by the swap alone.
    let output = Plain::of(&problem).output().transpose();
    assert_first(&claim(&printed(&output, 4), Part::Output), &problem, &[Reason::Transposed]);
    let row = Claim { row: Some(1), ..claim(&printed(&weights.transpose().rows(1, 1).into_owned(), 4), Part::Weights) };
    assert_first(&row, &problem, &[Reason::Transposed]);
}

#[test]
fn a_softmax_down_the_columns() {
    let problem = tokens("");
    let plain = Plain::of(&problem);
    let exp = plain.exp();
    let weights = DMatrix::from_fn(3, 3, |i, j| exp[(i, j)] / exp.column(j).sum());
    assert_first(&claim(&printed(&weights, 4), Part::Weights), &problem, &[Reason::SoftmaxDownTheColumns]);
    let output = weights * plain.v;
    assert_first(&claim(&printed(&output, 4), Part::Output), &problem, &[Reason::SoftmaxDownTheColumns]);
}

fn square(more: &str) -> Problem {
    problem(&format!(
        r#"{{"format":"attnlab/1","inputs":{{"x":[[1,0.5],[0.3,-0.7],[-1.2,0.4]],"w_q":[[1,0.2],[0.5,-1]],
        "w_k":[[0.7,-0.3],[1,0.1]],"w_v":[[0.2,1],[-0.6,0.3]]{more}}}}}"#
    ))
}

#[test]
fn a_matrix_that_was_transposed() {
    let problem = square(r#","w_o":[[1,2],[-0.5,0.3]]"#);
    let Inputs::Projected(given) = &problem.inputs else { unreachable!("tokens are projected") };
    let w_o = problem.w_o.as_ref().unwrap();
    let right = Plain::of(&problem);
    let turned = |q: bool, k: bool, v: bool| {
        let of = |w: &Matrix, turn: bool| &given.x * if turn { w.transpose() } else { w.clone() };
        let (q, k, v) = (of(&given.w_q, q), of(&given.w_k, k), of(&given.w_v, v));
        Plain { q, k, v, ..Plain::of(&problem) }.output() * w_o
    };
    let cases = [
        (turned(true, false, false), Reason::WeightsTransposed(Part::WQ)),
        (turned(false, true, false), Reason::WeightsTransposed(Part::WK)),
        (turned(false, false, true), Reason::WeightsTransposed(Part::WV)),
        (right.output() * w_o.transpose(), Reason::WeightsTransposed(Part::WO)),
        (turned(true, true, true), Reason::ProjectionsTransposed),
    ];
    for (output, reason) in cases {
        assert_first(&claim(&printed(&output, 4), Part::Output), &problem, &[reason]);
    }
}

#[test]
fn biases_that_were_left_out() {
    let problem = square(r#","b_q":[0.5,-1],"b_k":[2,0.1],"b_v":[1,-1],"w_o":[[1,2],[-0.5,0.3]],"b_o":[0.1,0.2]"#);
    let output = Plain::of(&problem).output() * problem.w_o.as_ref().unwrap();
    assert_first(&claim(&printed(&output, 4), Part::Output), &problem, &[Reason::BiasesLeftOut]);
}

fn grouped() -> Problem {
    problem(
        r#"{"format":"attnlab/1","heads":{"query":4,"key_value":2},"inputs":{
        "q":[[1,0.5,-1,2,0.3,0.1,-0.7,1.1],[0.2,-1,0.6,0.4,1.2,-0.3,0.9,0.5]],
        "k":[[1,-0.5,0.4,0.8],[0.6,0.3,-1.1,0.2]],"v":[[1,2],[-1,0.5]]}}"#,
    )
}

#[test]
fn heads_that_take_turns() {
    let problem = grouped();
    let Inputs::Direct { q, k, v } = &problem.inputs else { unreachable!("q, k and v are given") };
    let head = |head: usize| {
        let (q, k, v) = (columns_of_head(q, head, 2), columns_of_head(k, head % 2, 2), columns_of_head(v, head % 2, 1));
        Plain { q, k, v, factor: 1.0 / 2.0_f64.sqrt(), visible: |_, _| true }.output()
    };
    let output = DMatrix::from_fn(2, 4, |row, column| head(column)[(row, 0)]);
    let claim = claim(&printed(&output, 4), Part::Output);
    assert_first(&claim, &problem, &[Reason::HeadsShuffled]);
    assert_eq!(reasons(&claim, &problem)[0].apply, None, "it would change the number of heads");
}

#[test]
fn weights_that_were_rounded_on_the_way() {
    let problem = tokens("");
    let plain = Plain::of(&problem);
    for decimals in [1, 2] {
        let units = 10_f64.powi(decimals);
        let output = plain.weights().map(|weight| (weight * units).round() / units) * &plain.v;
        let expected = [Reason::WeightsRounded { decimals }];
        assert_first(&claim(&printed(&output, 4), Part::Output), &problem, &expected);
    }
}

#[test]
fn two_reasons_together() {
    let problem = tokens("");
    let unscaled = Plain { factor: 1.0, ..Plain::of(&problem) }.weights();
    let expected = [Reason::ScaleLeftOut, Reason::Truncated];
    assert_first(&claim(&cut_off(&unscaled, 4), Part::Weights), &problem, &expected);
    let problem = tokens(CAUSAL);
    let both = Plain { factor: 1.0, ..Plain::of(&problem) }.output();
    let expected = [Reason::ScaleLeftOut, Reason::MaskNever];
    assert_first(&claim(&printed(&both, 4), Part::Output), &problem, &expected);
}

/// What the sources printed, head by head and row by row: only the one whose weights are printed short departs.
#[test]
fn the_published_numbers_match_but_for_the_known_ones() {
    let (mut count, mut departing) = (0, Vec::new());
    for example in attnlab::examples::all() {
        let trace = solve(&example.problem).unwrap();
        for expectation in example.expect.iter().filter(|expectation| expectation.printed_by_source) {
            let values = expectation.values.clone();
            let decimals = DMatrix::from_element(values.nrows(), values.ncols(), example.decimals as i32);
            let (part, head, row) = (expectation.part, expectation.head, expectation.row);
            let verdict = compare(&Claim { part, head, row, values, decimals }, &trace).unwrap();
            count += verdict.cells.len();
            let places = verdict.departing().map(|cell| (part, cell.place.row, cell.place.column));
            departing.extend(places.map(|place| (example.id.as_str(), place)));
        }
    }
    assert!(count > 50, "only {count} numbers were compared");
    let known = [(Part::Output, 3, 1), (Part::Output, 4, 1)].map(|place| ("your-journey-weights", place));
    assert_eq!(departing, known);
}

/// The article's weights matrices are printed with four digits, and its results were computed with more.
#[test]
fn your_journey_departs_by_what_its_printing_leaves_open() {
    let problem = example("your-journey-weights");
    let output =
        claim("0.2996 0.8053\n0.3061 0.8210\n0.3058 0.8203\n0.2948 0.7939\n0.2927 0.7891\n0.2990 0.8040", Part::Output);
    let found = reasons(&output, &problem);
    let [Explanation { reasons: first, verdict, apply: None }, ..] = found.as_slice() else {
        panic!("{:?}", named(&found))
    };
    let [Reason::InputsRounded { cells }] = first.as_slice() else { panic!("{first:?}") };
    let places: Vec<_> = cells.iter().map(|cell| (cell.place.row, cell.place.column)).collect();
    assert_eq!(places, [(3, 1), (4, 1)]);
    assert!(cells.iter().all(|cell| cell.beyond > 0.0 && cell.beyond <= cell.allowed && cell.allowed < 2e-4));
    assert_eq!(verdict.count(Matches::Departs), 2);

    let q = Claim { row: Some(1), ..claim("0.4306 1.4551", Part::Q) };
    let found = reasons(&q, &problem);
    let rounded = found.iter().find_map(|explanation| match explanation.reasons.as_slice() {
        [Reason::InputsRounded { cells }] => Some(cells.clone()),
        _ => None,
    });
    let cells = rounded.unwrap_or_else(|| panic!("{:?}", named(&found)));
    assert_eq!((cells.len(), cells[0].place.row, cells[0].place.column), (1, 1, 0));

    // A control: further off than the rounding can move it.
    let mut far = output.clone();
    far.values[(3, 1)] += 5e-4;
    assert_eq!(named(&reasons(&far, &problem)), Vec::<Vec<Reason>>::new());
}

/// Weights with more digits than were printed, and no scale: the printing explains what the scale leaves.
#[test]
fn a_reason_and_the_printing_of_the_inputs_together() {
    let problem = example("your-journey-weights");
    let mut exact = problem.clone();
    let Inputs::Projected(given) = &mut exact.inputs else { unreachable!("tokens are projected") };
    given.w_v.iter_mut().for_each(|number| *number += 0.4e-4);
    let output = Plain { factor: 1.0, ..Plain::of(&exact) }.output();
    let found = reasons(&claim(&printed(&output, 4), Part::Output), &problem);
    let first: Vec<&str> = found[0].reasons.iter().map(Reason::key).collect();
    assert_eq!(first, ["scale-left-out", "inputs-rounded"]);
    let scale = found[0].apply.as_ref().map(|apply| apply.scale);
    assert_eq!(scale, Some(attnlab::attention::Scale::None));
}

/// The derivatives behind the allowance, against the sum that they must give for a projection: Σ |x| · half a unit.
#[test]
fn an_allowance_is_the_sum_over_every_rounded_number() {
    let problem = example("your-journey-weights");
    let q = Claim { row: Some(1), ..claim("0.4306 1.4551", Part::Q) };
    let found = reasons(&q, &problem);
    let allowed = found.iter().flat_map(|explanation| &explanation.reasons).find_map(|reason| match reason {
        Reason::InputsRounded { cells } => Some(cells[0].allowed),
        _ => None,
    });
    let by_hand = (0.55 + 0.87 + 0.66) * 0.5e-4;
    assert!((allowed.unwrap() - by_hand).abs() <= 1e-9, "{allowed:?} {by_hand}");
}

/// 2.0, 7.0, 1.5: the article rounds its weights to one digit (0.0, 0.5, 0.5: they still sum to 1) and multiplies then.
#[test]
fn illustrated_self_attention_rounds_its_weights_first() {
    let problem = example("illustrated-self-attention");
    let output = claim("2.0 7.0 1.5\n2.0 8.0 0.0\n2.0 7.8 0.3", Part::Output);
    assert_first(&output, &problem, &[Reason::WeightsRoundedToOne { decimals: 1 }]);
    let row = Claim { row: Some(0), ..claim("2.0 7.0 1.5", Part::Output) };
    assert_first(&row, &problem, &[Reason::WeightsRoundedToOne { decimals: 1 }]);
}

/// A page prints 1.66082 where 1.660477 is right.
#[test]
fn identity_two_departs_where_its_page_is_wrong_and_nothing_explains_it() {
    let problem = example("identity-two");
    let output = claim("1.66082 2.660477\n2.339523 3.339523", Part::Output);
    let verdict = compare(&output, &solve(&problem).unwrap()).unwrap();
    let departing: Vec<_> = verdict.departing().map(|cell| (cell.place.row, cell.place.column, cell.claimed)).collect();
    assert_eq!(departing, [(0, 0, 1.66082)]);
    assert_eq!(named(&reasons(&output, &problem)), Vec::<Vec<Reason>>::new());
}
