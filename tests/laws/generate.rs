//! Small problems of every kind: both input forms, grouped heads, every rule, every mistake.

use attnlab::attention::{
    Bias, Causal, Dropout, Family, Heads, Layout, Normalise, Position, Rope, Scaling, Score, Shapes,
};
use attnlab::attention::{Inputs, Mask, MaskApplied, Matrix, Problem, Projected, Scale, Window};
use nalgebra::DMatrix;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// `count` numbers around zero.
pub fn numbers(count: usize) -> impl Strategy<Value = Vec<f64>> {
    vec(-3.0..3.0, count)
}

fn matrix(rows: usize, columns: usize) -> BoxedStrategy<Matrix> {
    numbers(rows * columns).prop_map(move |cells| Matrix::from_row_slice(rows, columns, &cells)).boxed()
}

/// The sizes that everything else follows.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    n: usize,
    m: usize,
    heads: Heads,
    d_model: usize,
    d_kv: usize,
    d_k: usize,
    d_v: usize,
}

fn sizes(is_self: bool, widest: usize) -> impl Strategy<Value = Sizes> {
    let heads = prop_oneof![Just((1, 1)), Just((2, 2)), Just((2, 1)), Just((4, 2))];
    (1_usize..5, 1_usize..5, heads, 1_usize..4, 1_usize..4, 1..=widest, 1_usize..4).prop_map(
        move |(n, m, (query, key_value), d_model, d_kv, d_k, d_v)| Sizes {
            n,
            m: if is_self { n } else { m },
            heads: Heads { query, key_value },
            d_model,
            d_kv,
            d_k,
            d_v,
        },
    )
}

/// Any problem that `validate` accepts, with few tokens.
pub fn problem() -> BoxedStrategy<Problem> {
    of_width(3)
}

/// The same with heads of up to four columns: two pairs to be rotated.
pub fn wide() -> BoxedStrategy<Problem> {
    of_width(4)
}

fn of_width(widest: usize) -> BoxedStrategy<Problem> {
    sizes(false, widest)
        .prop_flat_map(|sizes| of_sizes(sizes, prop_oneof![direct(sizes), projected(sizes, true)].boxed()))
        .boxed()
}

/// Any problem, and what is changed in its formula.
pub fn member() -> BoxedStrategy<Problem> {
    wide().prop_flat_map(with_family).boxed()
}

/// The same, of `self_attention`.
#[allow(dead_code)] // Only some tests step through a sequence.
pub fn self_member() -> BoxedStrategy<Problem> {
    self_attention().prop_flat_map(with_family).boxed()
}

fn with_family(problem: Problem) -> impl Strategy<Value = Problem> {
    family(problem.shapes()).prop_map(move |family| Problem { family, ..problem.clone() })
}

fn family(shapes: Shapes) -> BoxedStrategy<Family> {
    let Shapes { n, m, heads, .. } = shapes;
    let heads = heads.query;
    let normalise = prop_oneof![4 => Just(Normalise::Softmax), 1 => Just(Normalise::Linear), 1 => Just(Normalise::Sum)];
    let bias = prop_oneof![
        matrix(n, m).prop_map(Bias::all),
        vec(matrix(n, m), heads).prop_map(|all| Bias::per_head(&all).unwrap())
    ];
    let dropout =
        prop_oneof![Just(Dropout::default()), (0.1..0.9, 0_usize..1000).prop_map(|(p, seed)| Dropout { p, seed })];
    let parts = (score(shapes.d_k), option::of(0.5..50.0), position(shapes), option::of(bias));
    (parts, option::of(numbers(heads)), normalise, dropout)
        .prop_map(|((score, softcap, position, bias), sink, normalise, dropout)| {
            let family = Family { score, softcap, position, bias, sink, normalise, dropout };
            match normalise {
                Normalise::Softmax => family,
                Normalise::Sum => Family { sink: None, ..family },
                Normalise::Linear => {
                    let is_alibi = matches!(family.position, Position::Alibi { .. });
                    let position = if is_alibi { Position::None } else { family.position };
                    Family { position, normalise, dropout, ..Family::default() }
                }
            }
        })
        .boxed()
}

fn score(d_k: usize) -> BoxedStrategy<Score> {
    let additive = (1_usize..4).prop_flat_map(move |d_a| {
        (matrix(d_k, d_a), matrix(d_k, d_a), numbers(d_a)).prop_map(|(w_q, w_k, v)| Score::Additive { w_q, w_k, v })
    });
    let concat = (1_usize..4)
        .prop_flat_map(move |d_a| (matrix(2 * d_k, d_a), numbers(d_a)).prop_map(|(w, v)| Score::Concat { w, v }));
    prop_oneof![
        3 => Just(Score::Dot),
        1 => matrix(d_k, d_k).prop_map(|w| Score::General { w }),
        1 => concat,
        1 => additive,
    ]
    .boxed()
}

fn position(shapes: Shapes) -> BoxedStrategy<Position> {
    // Encodings are added to x, so there must be one.
    if let (Some(d_model), true) = (shapes.d_model, shapes.d_model == shapes.d_kv) {
        let table = matrix(shapes.n.max(shapes.m), d_model).prop_map(|table| Position::Learned { table });
        let sinusoidal = (2.0..1e5).prop_map(|base| Position::Sinusoidal { base });
        return prop_oneof![sinusoidal, table, of_pairs(shapes)].boxed();
    }
    if shapes.d_model.is_some() {
        return prop_oneof![(2.0..1e5).prop_map(|base| Position::Sinusoidal { base }), of_pairs(shapes)].boxed();
    }
    of_pairs(shapes)
}

fn of_pairs(shapes: Shapes) -> BoxedStrategy<Position> {
    let alibi = numbers(shapes.heads.query).prop_map(|slopes| Position::Alibi { slopes });
    if !shapes.d_k.is_multiple_of(2) {
        return prop_oneof![Just(Position::None), alibi].boxed();
    }
    prop_oneof![Just(Position::None), alibi, rope(shapes.d_k).prop_map(Position::Rope)].boxed()
}

/// For heads that are `d_k` wide.
pub fn rope(d_k: usize) -> BoxedStrategy<Rope> {
    let scaling = prop_oneof![
        Just(Scaling::None),
        (0.5..8.0).prop_map(|factor| Scaling::Linear { factor }),
        (0.5..8.0).prop_map(move |factor| if d_k > 2 { Scaling::Ntk { factor } } else { Scaling::None }),
    ];
    let layout = prop_oneof![Just(Layout::Interleaved), Just(Layout::HalfSplit)];
    let base = prop_oneof![Just(10_000.0), 2.0..1e6];
    (base, layout, -9.0..9.0, scaling)
        .prop_map(|(base, layout, offset, scaling)| Rope { base, layout, offset, scaling })
        .boxed()
}

/// As many keys as queries, from the same sequence.
pub fn self_attention() -> BoxedStrategy<Problem> {
    let of = |sizes| of_sizes(sizes, prop_oneof![direct(sizes), projected(sizes, false)].boxed());
    sizes(true, 3).prop_flat_map(of).prop_map(|problem| Problem { memory: None, tokens: None, ..problem }).boxed()
}

fn of_sizes(sizes: Sizes, inputs: BoxedStrategy<Inputs>) -> impl Strategy<Value = Problem> {
    let Sizes { n, m, heads, d_v, .. } = sizes;
    let d_out = 1_usize..4;
    let output = d_out.prop_flat_map(move |d_out| {
        let with_bias = (matrix(heads.query * d_v, d_out), option::of(numbers(d_out)));
        option::of(with_bias)
    });
    let scale = prop_oneof![Just(Scale::InverseSqrt), Just(Scale::None), (-2.0..2.0).prop_map(Scale::Factor)];
    let how = prop_oneof![
        Just(MaskApplied::BeforeSoftmax),
        Just(MaskApplied::Never),
        Just(MaskApplied::AfterSoftmax),
        Just(MaskApplied::AfterSoftmaxRenormalised),
        Just(MaskApplied::Inverted),
        Just(MaskApplied::Reversed),
    ];
    let labels = (option::of(vec("[a-z 我\"\\\\]{0,3}", n)), option::of(vec("[a-z]{0,3}", m)));
    (inputs, output, scale, mask(n, m), how, labels, option::of(".{0,8}")).prop_map(
        move |(inputs, output, scale, mask, mask_applied, (tokens, memory), title)| {
            let (w_o, b_o) = output.map_or((None, None), |(w_o, b_o)| (Some(w_o), b_o));
            Problem {
                title,
                tokens,
                memory,
                inputs,
                w_o,
                b_o,
                heads,
                scale,
                family: Default::default(),
                mask,
                mask_applied,
            }
        },
    )
}

fn direct(sizes: Sizes) -> BoxedStrategy<Inputs> {
    let Sizes { n, m, heads, d_k, d_v, .. } = sizes;
    (matrix(n, heads.query * d_k), matrix(m, heads.key_value * d_k), matrix(m, heads.key_value * d_v))
        .prop_map(|(q, k, v)| Inputs::Direct { q, k, v })
        .boxed()
}

fn projected(sizes: Sizes, may_be_cross: bool) -> BoxedStrategy<Inputs> {
    let Sizes { n, m, heads, d_model, d_kv, d_k, d_v } = sizes;
    // Without vectors of its own the other side is x.
    let is_cross = may_be_cross && (n != m || d_model != d_kv);
    let d_kv = if is_cross { d_kv } else { d_model };
    let x_kv = if is_cross { matrix(m, d_kv).prop_map(Some).boxed() } else { Just(None).boxed() };
    let (q_width, k_width, v_width) = (heads.query * d_k, heads.key_value * d_k, heads.key_value * d_v);
    let biases = (option::of(numbers(q_width)), option::of(numbers(k_width)), option::of(numbers(v_width)));
    (matrix(n, d_model), x_kv, matrix(d_model, q_width), matrix(d_kv, k_width), matrix(d_kv, v_width), biases)
        .prop_map(|(x, x_kv, w_q, w_k, w_v, (b_q, b_k, b_v))| {
            Inputs::Projected(Projected { x, x_kv, w_q, w_k, w_v, b_q, b_k, b_v })
        })
        .boxed()
}

fn mask(n: usize, m: usize) -> impl Strategy<Value = Mask> {
    let causal = prop_oneof![Just(Causal::None), Just(Causal::UpperLeft), Just(Causal::LowerRight)];
    let side = || option::of(0_usize..4);
    let window = option::of((side(), side()).prop_map(|(left, right)| Window { left, right }));
    let allow = vec(prop::bool::weighted(0.7), n * m).prop_map(move |pairs| DMatrix::from_row_slice(n, m, &pairs));
    let global = vec(0..m, 0..2);
    let padding = option::of(vec(prop::bool::weighted(0.7), m));
    (causal, window, global, padding, option::of(allow)).prop_map(|(causal, window, global, key_padding, allow)| Mask {
        causal,
        window,
        global,
        key_padding,
        allow,
    })
}
