//! The published examples, reproduced to their tolerance; and a control that must go red.

use attnlab::attention::{
    MaskApplied, Outcome, Part, Position, Problem, TOLERANCE, checks, explain, solve, whole_matrix_mut,
};
use attnlab::attention::{Place, SoftmaxForm};
use attnlab::examples::{Comparison, Digits, Example, all, compare};

fn compared(example: &Example) -> Vec<Comparison> {
    let trace = solve(&example.problem).unwrap_or_else(|errors| panic!("{}: {errors:?}", example.id));
    compare(example, &trace)
}

fn example(id: &str) -> Example {
    all().iter().find(|example| example.id == id).unwrap_or_else(|| panic!("no example {id}")).clone()
}

#[test]
fn every_expected_number_is_reproduced() {
    let mut count = 0;
    for example in all() {
        let comparisons = compared(example);
        assert!(!comparisons.is_empty(), "{} expects nothing", example.id);
        for comparison in &comparisons {
            assert!(comparison.agrees, "{}: {comparison:?}", example.id);
        }
        count += comparisons.len();
    }
    assert!(count > 500, "only {count} numbers were compared");
}

#[test]
fn a_changed_expectation_goes_red() {
    for mut example in all().iter().cloned() {
        for index in 0..example.expect.len() {
            let right = example.expect[index].values[(0, 0)];
            for wrong in [right + 2.1 * example.tolerance.max(TOLERANCE), f64::NAN] {
                example.expect[index].values[(0, 0)] = wrong;
                let red = compared(&example).iter().filter(|comparison| !comparison.agrees).count();
                assert_eq!(red, 1, "{}: {wrong}", example.id);
            }
            example.expect[index].values[(0, 0)] = right;
        }
    }
}

#[test]
fn a_changed_problem_goes_red() {
    for mut example in all().iter().cloned() {
        let is_about_the_mask = example.expect.iter().all(|expectation| expectation.part == Part::Mask);
        if is_about_the_mask {
            example.problem.mask = Default::default();
        }
        // What is added to x does not depend on x.
        if let Position::Sinusoidal { base } = &mut example.problem.family.position {
            *base *= 2.0;
        }
        for part in [Part::Q, Part::K, Part::V, Part::X] {
            let Some(whole) = whole_matrix_mut(&mut example.problem, part) else { continue };
            for (index, cell) in whole.iter_mut().enumerate() {
                *cell += 0.1 * (index + 1) as f64;
            }
        }
        assert!(compared(&example).iter().any(|comparison| !comparison.agrees), "{}", example.id);
    }
}

#[test]
fn a_trace_of_another_shape_agrees_with_nothing() {
    let three = example("i-like-cats");
    let two = solve(&example("identity-two").problem).unwrap();
    assert!(compare(&three, &two).iter().all(|comparison| !comparison.agrees));
}

/// Where a source's last printed digit is not the rounded one, it is known here and shown as such.
#[test]
fn departures_from_the_printed_digits_are_the_known_ones() {
    let mut found: Vec<String> = Vec::new();
    for example in all() {
        for Comparison { place, expected, found: computed, digits, printed_by_source, .. } in compared(example) {
            if printed_by_source && digits != Digits::Rounded {
                let Place { part, row, column, .. } = place;
                found.push(format!(
                    "{} {}[{row}][{column}] {expected} {computed:.6} {digits:?}",
                    example.id,
                    part.key()
                ));
            }
        }
    }
    // Its weight matrices are printed with four digits, and its results were computed with more.
    assert_eq!(
        found,
        [
            "your-journey-weights output[3][1] 0.7939 0.793829 Depart",
            "your-journey-weights output[4][1] 0.7891 0.789047 Depart",
            "your-journey-weights q[1][0] 0.4306 0.430674 Truncated",
        ]
    );
}

/// The hand-worked example, with the figures that its article prints.
#[test]
fn three_tokens_by_hand() {
    let trace = solve(&example("three-tokens-by-hand").problem).unwrap();
    let row = |part| trace.get(part, 0).unwrap().value.row(1).iter().map(|n| format!("{n:.4}")).collect::<Vec<_>>();
    assert_eq!(row(Part::Scores), ["0.5000", "1.0000", "0.2500"]);
    assert_eq!(row(Part::Exp), ["1.6487", "2.7183", "1.2840"]);
    assert_eq!(row(Part::RowSum), ["5.6510"]);
    assert_eq!(row(Part::Weights), ["0.2918", "0.4810", "0.2272"]);
    assert_eq!(row(Part::Output), ["0.9677"]);
}

/// What goes wrong when the mask is applied wrongly, in the row of 爱: weights, their sum, the leak, the output,
/// and whether the output moves when what is hidden changes.
#[test]
fn leakage_in_three_tokens() {
    let mut problem = example("three-tokens-causal-before-softmax").problem;
    let cases = [
        (MaskApplied::BeforeSoftmax, ["0.3775", "0.6225", "0.0000"], "1.0000", "0.0000", "0.8112", Outcome::Passed),
        (MaskApplied::Never, ["0.2918", "0.4810", "0.2272"], "1.0000", "0.2272", "0.9677", Outcome::Failed),
        (MaskApplied::AfterSoftmax, ["0.2918", "0.4810", "0.0000"], "0.7728", "0.0000", "0.6269", Outcome::Failed),
        (
            MaskApplied::AfterSoftmaxRenormalised,
            ["0.3775", "0.6225", "0.0000"],
            "1.0000",
            "0.0000",
            "0.8112",
            Outcome::Passed,
        ),
        (MaskApplied::Inverted, ["0.0000", "0.0000", "1.0000"], "1.0000", "1.0000", "1.5000", Outcome::Failed),
        (MaskApplied::Reversed, ["0.0000", "0.6792", "0.3208"], "1.0000", "0.3208", "1.1604", Outcome::Failed),
    ];
    for (how, weights, sum, leak, output, unmoved) in cases {
        problem.mask_applied = how;
        let trace = solve(&problem).unwrap();
        let row = |part| trace.get(part, 0).unwrap().value.row(1).iter().map(|n| format!("{n:.4}")).collect::<Vec<_>>();
        assert_eq!(row(Part::Weights), weights, "{how:?}");
        assert_eq!(row(Part::Leak), [leak], "{how:?}");
        assert_eq!(row(Part::Output), [output], "{how:?}");
        let check = &checks(&problem, &trace)[0][1];
        assert_eq!((format!("{:.4}", check.sum), check.unmoved), (sum.to_owned(), unmoved), "{how:?}");
    }
    // Zeroed after the softmax, the future still acts through the sum: 你's key 0.5 → 5.
    problem.mask_applied = MaskApplied::AfterSoftmax;
    assert!(problem.set_input(Place { part: Part::K, head: 0, row: 2, column: 0 }, 5.0));
    let output = solve(&problem).unwrap().get(Part::Output, 0).unwrap().value[(1, 0)];
    assert_eq!(format!("{output:.4}"), "0.2141");
}

/// Every cell of every example can be explained, and its arithmetic gives the cell.
#[test]
fn every_cell_of_every_example_is_explained() {
    for example in all() {
        let problem = &example.problem;
        let trace = solve(problem).unwrap();
        for step in &trace.steps {
            for (row, column) in (0..step.value.nrows()).flat_map(|r| (0..step.value.ncols()).map(move |c| (r, c))) {
                let place = Place { part: step.part, head: step.head.unwrap_or(0), row, column };
                for form in [SoftmaxForm::Plain, SoftmaxForm::Shifted] {
                    let explanation = explain(problem, &trace, place, form).unwrap();
                    let evaluated = explanation.expression.evaluate();
                    let value = step.value[(row, column)];
                    let agrees = evaluated == value || (evaluated - value).abs() <= 1e-12;
                    assert!(agrees, "{}: {place:?}: {evaluated} {value}", example.id);
                }
            }
        }
    }
}

/// Examples are written as files and read back as they were.
#[test]
fn every_example_survives_being_written() {
    for example in all() {
        assert_eq!(Problem::from_json(&example.problem.to_json()).as_ref(), Ok(&example.problem), "{}", example.id);
    }
}
