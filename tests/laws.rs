//! The laws of the mathematics, on generated problems.

mod laws {
    pub mod generate;
}

use attnlab::attention::{
    self, Causal, Heads, Inputs, Mask, MaskApplied, Matrix, Outcome, Part, Place, Problem, SoftmaxForm, Step, Trace,
    Window, ancestry, applied, carried, checks, columns_of_head, explain, input_index, matrix, softmax, solve, visible,
    weigh, whole_matrix, whole_matrix_mut, with_mask_right,
};
use laws::generate::{member, numbers, problem, self_attention};
use proptest::prelude::*;

fn solved(problem: &Problem) -> Trace {
    solve(problem).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn value(trace: &Trace, part: Part, head: usize) -> Matrix {
    trace.get(part, head).unwrap_or_else(|| panic!("no {part:?} of head {head}")).value.clone()
}

fn assert_close(found: Matrix, expected: Matrix, tolerance: f64) {
    assert_eq!(found.shape(), expected.shape());
    for (found, expected) in found.iter().zip(&expected) {
        let size = expected.abs().max(1.0);
        assert!((found - expected).abs() <= tolerance * size, "{found} is not {expected}");
    }
}

fn cells(step: &Step) -> impl Iterator<Item = Place> + '_ {
    let (rows, columns) = step.value.shape();
    let head = step.head.unwrap_or(0);
    (0..rows).flat_map(move |row| (0..columns).map(move |column| Place { part: step.part, head, row, column }))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_sum_to_one_unless_nothing_is_visible(problem in problem()) {
        let trace = solved(&problem);
        let (carried, is_whole) = (carried(&problem), problem.mask_applied != MaskApplied::AfterSoftmax);
        for head in 0..problem.heads.query {
            for (row, weights) in value(&trace, Part::Weights, head).row_iter().enumerate() {
                let sees = carried.row(row).iter().any(|&pair| pair);
                let expected = if sees { 1.0 } else { 0.0 };
                let sum = weights.sum();
                prop_assert!(if is_whole { (sum - expected).abs() <= 1e-12 } else { sum <= 1.0 + 1e-12 }, "{sum}");
                prop_assert!(weights.iter().all(|&weight| (0.0..=1.0).contains(&weight)));
            }
        }
    }

    #[test]
    fn adding_a_constant_to_a_row_of_scores_changes_nothing(scores in numbers(6), constant in -900.0..900.0) {
        let visible = [true, true, false, true, true, true];
        let moved: Vec<f64> = scores.iter().map(|score| score + constant).collect();
        for how in [MaskApplied::BeforeSoftmax, MaskApplied::AfterSoftmax, MaskApplied::AfterSoftmaxRenormalised] {
            let (before, after) = (weigh(&scores, &visible, &visible, how), weigh(&moved, &visible, &visible, how));
            prop_assert!(before.iter().zip(&after).all(|(before, after)| (before - after).abs() <= 1e-12));
        }
    }

    #[test]
    fn permuting_keys_and_values_together_changes_nothing(problem in problem(), turn in 0_usize..5) {
        // Rules that name positions cannot move with the keys; padding and painted pairs can.
        let mut problem = problem;
        problem.mask = Mask { key_padding: problem.mask.key_padding, allow: problem.mask.allow, ..Mask::default() };
        if problem.mask_applied == MaskApplied::Reversed {
            problem.mask_applied = MaskApplied::BeforeSoftmax;
        }
        let trace = solved(&problem);
        let m = problem.shapes().m;
        let from = |key: usize| (key + turn) % m;
        let turned_rows = |matrix: &Matrix| Matrix::from_fn(m, matrix.ncols(), |key, column| matrix[(from(key), column)]);
        let mut permuted = as_direct(&problem, &trace);
        let Inputs::Direct { k, v, .. } = &mut permuted.inputs else { unreachable!("made direct above") };
        (*k, *v) = (turned_rows(k), turned_rows(v));
        permuted.memory = None;
        permuted.tokens = None;
        permuted.mask.key_padding = problem.mask.key_padding.as_ref().map(|real| (0..m).map(|key| real[from(key)]).collect());
        permuted.mask.allow = problem.mask.allow.as_ref().map(|allow| {
            nalgebra::DMatrix::from_fn(allow.nrows(), m, |row, key| allow[(row, from(key))])
        });
        assert_close(value(&solved(&permuted), Part::Output, 0), value(&trace, Part::Output, 0), 1e-12);
    }

    #[test]
    fn a_problem_with_its_projections_done_is_the_same_problem(problem in either()) {
        let trace = solved(&problem);
        let direct = solved(&as_direct(&problem, &trace));
        for part in [Part::Q, Part::K, Part::V, Part::Weights, Part::Context] {
            for head in 0..problem.heads.query {
                prop_assert_eq!(value(&direct, part, head), value(&trace, part, head));
            }
        }
        prop_assert_eq!(value(&direct, Part::Output, 0), value(&trace, Part::Output, 0));
    }

    #[test]
    fn grouped_heads_are_multi_head_attention_with_repeated_keys(problem in problem()) {
        let trace = solved(&problem);
        let mut direct = as_direct(&problem, &trace);
        let side_by_side = |part: Part| {
            let parts: Vec<Matrix> = (0..problem.heads.query).map(|head| value(&trace, part, head)).collect();
            let d = parts[0].ncols();
            Matrix::from_fn(parts[0].nrows(), d * parts.len(), |row, column| parts[column / d][(row, column % d)])
        };
        let Inputs::Direct { k, v, .. } = &mut direct.inputs else { unreachable!("made direct above") };
        (*k, *v) = (side_by_side(Part::K), side_by_side(Part::V));
        direct.heads.key_value = direct.heads.query;
        prop_assert_eq!(value(&solved(&direct), Part::Output, 0), value(&trace, Part::Output, 0));
    }

    #[test]
    fn as_many_key_value_heads_as_query_heads_is_each_head_on_its_own(problem in problem()) {
        let trace = solved(&problem);
        for head in 0..problem.heads.query {
            let mut alone = as_direct(&problem, &trace);
            alone.heads = Heads { query: 1, key_value: 1 };
            let own = |part| value(&trace, part, head);
            alone.inputs = Inputs::Direct { q: own(Part::Q), k: own(Part::K), v: own(Part::V) };
            (alone.w_o, alone.b_o) = (None, None);
            let d_v = problem.shapes().d_v;
            let of_head = columns_of_head(&value(&trace, Part::Concat, 0), head, d_v);
            prop_assert_eq!(value(&solved(&alone), Part::Output, 0), of_head);
        }
    }

    #[test]
    fn a_window_as_wide_as_the_sequence_is_causal(problem in self_attention(), more in 0_usize..3) {
        let n = problem.shapes().n;
        let with = |mask| Problem { mask, mask_applied: MaskApplied::BeforeSoftmax, ..problem.clone() };
        let window = |right| Some(Window { left: Some(n - 1 + more), right });
        let windowed = with(Mask { window: window(Some(0)), ..Mask::default() });
        let causal = with(Mask { causal: Causal::UpperLeft, ..Mask::default() });
        prop_assert_eq!(visible(&windowed), visible(&causal));
        prop_assert_eq!(value(&solved(&windowed), Part::Output, 0), value(&solved(&causal), Part::Output, 0));
        let open = with(Mask { window: window(None), ..Mask::default() });
        prop_assert!(visible(&open).iter().all(|&pair| pair));
    }

    #[test]
    fn the_detour_gives_the_same_numbers(problem in problem()) {
        let right = with_mask_right(&problem);
        let detour = Problem { mask_applied: MaskApplied::AfterSoftmaxRenormalised, ..right.clone() };
        assert_close(value(&solved(&detour), Part::Output, 0), value(&solved(&right), Part::Output, 0), 1e-12);
    }

    #[test]
    fn nothing_is_ever_nan(problem in either(), loud in prop_oneof![Just(1.0), Just(1e3), Just(1e100), Just(1e200)]) {
        let mut problem = problem;
        for part in [Part::Q, Part::K, Part::X] {
            if let Some(whole) = whole_matrix_mut(&mut problem, part) {
                *whole *= loud;
            }
        }
        // Either it is computed, or the step that overflows is named.
        match solve(&problem) {
            Ok(trace) => {
                for step in &trace.steps {
                    let is_fine = |number: &f64| number.is_finite() || (step.part == Part::Masked && *number == f64::NEG_INFINITY);
                    prop_assert!(step.value.iter().all(is_fine), "{:?}", step.part);
                }
                let rows = checks(&problem, &trace);
                prop_assert!(rows.iter().flatten().all(|row| !(row.sum.is_nan() || row.leak.is_nan() || row.moved.is_nan())));
            }
            Err(errors) => prop_assert!(loud > 1e3 && errors.iter().all(|error| error.kind.key() == "overflow")),
        }
    }

    #[test]
    fn poison_in_a_hidden_row_of_v_never_reaches_the_output(
        problem in either(),
        hidden in 0_usize..5,
        poison in prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY)],
    ) {
        let trace = solved(&problem);
        let mut clean = as_direct(&problem, &trace);
        let m = problem.shapes().m;
        let hidden = hidden % m;
        clean.mask.key_padding = Some((0..m).map(|key| key != hidden).collect());
        if matches!(clean.mask_applied, MaskApplied::Never | MaskApplied::Inverted) {
            clean.mask_applied = MaskApplied::BeforeSoftmax; // those two do let it through
        }
        let mut poisoned = clean.clone();
        let Inputs::Direct { v, .. } = &mut poisoned.inputs else { unreachable!("made direct above") };
        v.row_mut(hidden).fill(poison);
        prop_assert_eq!(value(&solved(&poisoned), Part::Output, 0), value(&solved(&clean), Part::Output, 0));
        let rows = checks(&poisoned, &solved(&poisoned));
        prop_assert!(rows.iter().flatten().all(|row| !row.moved.is_nan()));
    }

    #[test]
    fn with_the_mask_right_every_check_passes(problem in either()) {
        let right = with_mask_right(&problem);
        let trace = solved(&right);
        let visible = visible(&right);
        for rows in checks(&right, &trace) {
            for (row, check) in rows.iter().enumerate() {
                let sees = visible.row(row).iter().any(|&pair| pair);
                prop_assert_eq!(check.sums_to_one, if sees { Outcome::Passed } else { Outcome::NothingVisible });
                prop_assert_eq!((check.no_leak, check.unmoved), (Outcome::Passed, Outcome::Passed));
                prop_assert_eq!((check.leak, check.moved), (0.0, 0.0));
            }
        }
    }

    #[test]
    fn far_scores_give_the_weights_of_the_shifted_scores(scores in numbers(5), sign in prop_oneof![Just(-1000.0), Just(1000.0)]) {
        let far: Vec<f64> = scores.iter().map(|score| score + sign).collect();
        // Shifted back, so that both start from the same numbers.
        let near: Vec<f64> = far.iter().map(|score| score - sign).collect();
        let (far, near) = (softmax(&far, &[true; 5]), softmax(&near, &[true; 5]));
        prop_assert!(far.iter().zip(&near).all(|(far, near)| (far - near).abs() <= 1e-12));
    }

    #[test]
    fn small_weights_are_kept(distance in 1.0_f64..690.0) {
        let weight = softmax(&[0.0, -distance], &[true; 2])[1];
        let expected = (-distance).exp() / (1.0 + (-distance).exp());
        prop_assert!(weight >= 1e-300 && ((weight - expected) / expected).abs() <= 1e-12);
    }

    #[test]
    fn an_explanation_evaluates_to_its_cell(problem in either(), loud in prop_oneof![Just(1.0), Just(1000.0)]) {
        // Loud scores are beyond ±700, where exp of the score itself overflows or vanishes.
        let mut problem = problem;
        for part in [Part::Q, Part::X] {
            if let Some(whole) = whole_matrix_mut(&mut problem, part) {
                *whole *= loud;
            }
        }
        let trace = solved(&problem);
        for part in Part::ALL {
            for head in 0..problem.heads.query {
                let Some(drawn) = matrix(&problem, &trace, part, head) else { continue };
                let step = Step { part, head: Some(head), rows: Vec::new(), columns: Vec::new(), value: drawn, depth: None };
                for place in cells(&step) {
                    for form in [SoftmaxForm::Plain, SoftmaxForm::Shifted] {
                        let explanation = explain(&problem, &trace, place, form);
                        let explanation = explanation.unwrap_or_else(|| panic!("{place:?} is not explained"));
                        let (found, expected) = (explanation.expression.evaluate(), step.value[(place.row, place.column)]);
                        prop_assert!(found == expected || (found - expected).abs() <= 1e-12, "{:?} {} {}", place, found, expected);
                        prop_assert_eq!(explanation.value.to_bits(), expected.to_bits());
                        let distinct: std::collections::HashSet<_> = explanation.sources.iter().collect();
                        prop_assert_eq!(distinct.len(), explanation.sources.len());
                        for source in explanation.sources {
                            prop_assert!(attention::value(&problem, &trace, source).is_some(), "{:?}", source);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_a_cell_does_not_come_from_does_not_change_it(problem in either(), pick in any::<prop::sample::Index>(), from in any::<prop::sample::Index>()) {
        let trace = solved(&problem);
        let all: Vec<Place> = trace.steps.iter().flat_map(cells).collect();
        let place = all[pick.index(all.len())];
        let family = ancestry(&problem, &trace, place);
        // Every input cell, under the first head that shows it.
        let inputs: Vec<Place> = all_inputs(&problem, &trace);
        let changed = inputs[from.index(inputs.len())];
        let mut other = problem.clone();
        prop_assert!(other.set_input(changed, problem.get_input(changed).unwrap() + 1.25));
        let is_family = family.iter().chain([&place]).any(|&relative| {
            input_index(&problem, relative).is_some_and(|index| Some(index) == input_index(&problem, changed))
        });
        let before = attention::value(&problem, &trace, place).unwrap();
        let after = attention::value(&other, &solved(&other), place).unwrap();
        // To the last bit, but for the sign of 0: a hidden 0 over a negative sum is −0.
        let is_same = before == after || before.to_bits() == after.to_bits();
        prop_assert!(is_family || is_same, "{:?} changed {:?}: {} {}", changed, place, before, after);
    }

    #[test]
    fn the_mask_that_is_applied_is_the_mask_of_the_rules_when_it_is_right(problem in either()) {
        let right = with_mask_right(&problem);
        prop_assert_eq!(applied(&right), visible(&right));
        prop_assert_eq!(visible(&right), visible(&problem));
    }

    #[test]
    fn a_problem_survives_being_written(problem in either()) {
        prop_assert_eq!(problem.validate(), Ok(()));
        prop_assert_eq!(Problem::from_json(&problem.to_json()), Ok(problem));
    }
}

/// The plain formula, or any member of its family.
fn either() -> impl Strategy<Value = Problem> {
    prop_oneof![1 => problem(), 3 => member()]
}

/// The same problem with its projections carried out.
fn as_direct(problem: &Problem, trace: &Trace) -> Problem {
    if matches!(problem.inputs, Inputs::Direct { .. }) {
        return problem.clone();
    }
    let group = problem.heads.query / problem.heads.key_value;
    let whole = |part, heads: Vec<usize>| {
        let parts: Vec<Matrix> = heads.into_iter().map(|head| value(trace, part, head)).collect();
        let d = parts[0].ncols();
        Matrix::from_fn(parts[0].nrows(), d * parts.len(), |row, column| parts[column / d][(row, column % d)])
    };
    let queries = || (0..problem.heads.query).collect::<Vec<_>>();
    let keys = || (0..problem.heads.key_value).map(|head| head * group).collect::<Vec<_>>();
    let inputs = Inputs::Direct { q: whole(Part::Q, queries()), k: whole(Part::K, keys()), v: whole(Part::V, keys()) };
    // Other vectors made it cross attention; now labels must.
    let memory = problem.is_cross().then(|| problem.key_labels());
    Problem { inputs, memory, ..problem.clone() }
}

fn all_inputs(problem: &Problem, trace: &Trace) -> Vec<Place> {
    let mut places = Vec::new();
    for part in Part::ALL.into_iter().filter(|part| part.is_input(problem)) {
        let heads = if part.is_per_head() { problem.heads.query } else { 1 };
        for head in 0..heads {
            let value = matrix(problem, trace, part, head).unwrap();
            places.extend(cells(&Step {
                part,
                head: Some(head),
                rows: Vec::new(),
                columns: Vec::new(),
                value,
                depth: None,
            }));
        }
    }
    assert!(whole_matrix(problem, Part::WO).is_none() || places.iter().any(|place| place.part == Part::WO));
    places
}
