//! The problem file's errors: each with its place, what was found and what was expected; all at once.

use attnlab::attention::{ErrorKind, Problem, decode, flash};

const INPUTS: &str = r#""inputs":{"q":[[1,2],[3,4]],"k":[[1,2],[3,4]],"v":[[1],[2]]}"#;

/// Two tokens in the projected form.
const X: &str = r#""inputs":{"x":[[1],[2]],"w_q":[[1]],"w_k":[[1]],"w_v":[[1]]}"#;

fn errors_of(text: &str) -> Vec<String> {
    match Problem::from_json(text) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}

/// A good problem with something more.
fn with(more: &str) -> String {
    format!(r#"{{"format":"attnlab/1",{INPUTS}{}{more}}}"#, if more.is_empty() { "" } else { "," })
}

/// Other inputs.
fn given(inputs: &str) -> String {
    format!(r#"{{"format":"attnlab/1","inputs":{{{inputs}}}}}"#)
}

#[test]
fn what_the_format_allows_is_read() {
    let allowed = [
        "",
        r#""title":"t","tokens":["a","b"],"memory":["c","d"]"#,
        r#""heads":{"query":1,"key_value":1}"#,
        r#""heads":{}"#,
        r#""score":{"kind":"dot"},"position":{"kind":"none"},"normalise":{"kind":"softmax"}"#,
        r#""dropout":{"p":0.0,"seed":7}"#,
        r#""dropout":{}"#,
        r#""scale":0.25"#,
        r#""scale":"none""#,
        r#""scale":"inverse_sqrt""#,
        r#""mask":{}"#,
        r#""mask":{"causal":"lower_right","window":{"left":2},"global":[0,1],"key_padding":[true,0],"allow":[[1,0],[true,false]]}"#,
        r#""mask_applied":"after_softmax_renormalised""#,
    ];
    for more in allowed {
        assert_eq!(errors_of(&with(more)), [""; 0], "{more}");
    }
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let cases = [
        (
            with(r#""hedas":{}"#),
            "hedas: unknown key hedas, expected one of format, title, tokens, memory, inputs, heads, score, scale, softcap, position, bias, sink, mask, mask_applied, normalise, dropout",
        ),
        (with(r#""heads":{"queries":1}"#), "heads.queries: unknown key queries, expected one of query, key_value"),
        (
            with(r#""mask":{"window":{"left":1,"width":2}}"#),
            "mask.window.width: unknown key width, expected one of left, right",
        ),
        (with(r#""score":{"kind":"dot","w":[[1]]}"#), "score.w: unknown key w, expected one of kind"),
        (with(r#""title":1"#), "title: found 1, expected something like \"…\""),
        (with(r#""tokens":["a",2]"#), "tokens[1]: found 2, expected something like \"…\""),
        (with(r#""tokens":["a"]"#), "tokens: the length is 1, expected 2"),
        (with(r#""memory":["a"]"#), "memory: the length is 1, expected 2"),
        (with(r#""heads":{"query":0}"#), "heads.query: found 0, expected 1…64"),
        (with(r#""heads":{"query":1.5}"#), "heads.query: found 1.5, expected something like 0, 1, 2, …"),
        (with(r#""heads":{"query":3,"key_value":2}"#), "heads.query: 3 cannot be divided by 2"),
        (with(r#""heads":{"query":3}"#), "inputs.q: 2 cannot be divided by 3"),
        (with(r#""scale":"half""#), "scale: found \"half\", expected one of \"inverse_sqrt\" | \"none\" | 0.5"),
        (with(r#""scale":null"#), "scale: found null, expected one of \"inverse_sqrt\" | \"none\" | 0.5"),
        (
            with(r#""mask":{"causal":"lower"}"#),
            "mask.causal: found \"lower\", expected one of \"none\" | \"upper_left\" | \"lower_right\"",
        ),
        (with(r#""mask":{"window":{"left":-1}}"#), "mask.window.left: found -1, expected something like 0, 1, 2, …"),
        (with(r#""mask":{"global":[2]}"#), "mask.global[0]: found 2, expected 0…1"),
        (with(r#""mask":{"key_padding":[true]}"#), "mask.key_padding: the length is 1, expected 2"),
        (
            with(r#""mask":{"key_padding":[true,2]}"#),
            "mask.key_padding[1]: found 2, expected one of true | false | 1 | 0",
        ),
        (with(r#""mask":{"allow":[[1,0]]}"#), "mask.allow: the shape is 1×2, expected 2×2"),
        (with(r#""mask":{"allow":[[1,0],[1]]}"#), "mask.allow[1]: this row has 1 numbers, expected 2 as in row 0"),
        (
            with(r#""mask_applied":"sometimes""#),
            "mask_applied: found \"sometimes\", expected one of \"before_softmax\" | \"never\" | \"after_softmax\" | \"reversed\" | \"inverted\" | \"after_softmax_renormalised\"",
        ),
        (with(r#""score":{"kind":"general","w":[[1]]}"#), "score.w: the shape is 1×1, expected 2×2"),
        (with(r#""score":{"kind":"general"}"#), "score.w: w is missing"),
        (
            with(r#""score":{"kind":"general","w":[[1,0],[0,1]],"v":[1]}"#),
            "score.v: unknown key v, expected one of kind, w",
        ),
        (with(r#""score":{"kind":"concat","w":[[1],[2],[3]],"v":[1]}"#), "score.w: the shape is 3×1, expected 4×·"),
        (
            with(r#""score":{"kind":"additive","w_q":[[1],[2]],"w_k":[[1,2],[2,3]],"v":[1,2]}"#),
            "score.w_k: the shape is 2×2, expected 2×1",
        ),
        (
            with(r#""score":{"kind":"additive","w_q":[[1],[2]],"w_k":[[1],[2]],"v":[1,2]}"#),
            "score.v: the length is 2, expected 1",
        ),
        (
            with(r#""score":{"kind":"cosine"}"#),
            "score.kind: found \"cosine\", expected one of \"dot\" | \"general\" | \"concat\" | \"additive\"",
        ),
        (
            with(r#""position":{"kind":"learned","table":[[1],[1]]}"#),
            "position: learned needs inputs.x, which is not there",
        ),
        (with(r#""position":{"kind":"sinusoidal"}"#), "position: sinusoidal needs inputs.x, which is not there"),
        (with(r#""position":{"kind":"learned"}"#), "position.table: table is missing"),
        (
            format!(r#"{{"format":"attnlab/1","position":{{"kind":"learned","table":[[1]]}},{X}}}"#),
            "position.table: 2 tokens, but the table of positions ends after 1: there is no row for the next one",
        ),
        (
            format!(r#"{{"format":"attnlab/1","position":{{"kind":"learned","table":[[1,2],[3,4]]}},{X}}}"#),
            "position.table: the shape is 2×2, expected ·×1",
        ),
        (
            format!(r#"{{"format":"attnlab/1","position":{{"kind":"sinusoidal","base":-1}},{X}}}"#),
            "position.base: found -1, expected > 0",
        ),
        (with(r#""position":{"kind":"rope","base":0}"#), "position.base: found 0, expected > 0"),
        (
            with(r#""position":{"kind":"rope","scaling":{"kind":"ntk","factor":2}}"#),
            "position.scaling: found d_k = 2, expected d_k > 2",
        ),
        (
            with(r#""position":{"kind":"rope","scaling":{"kind":"linear"}}"#),
            "position.scaling.factor: factor is missing",
        ),
        (
            with(r#""position":{"kind":"rope","layout":"split"}"#),
            "position.layout: found \"split\", expected one of \"interleaved\" | \"half_split\"",
        ),
        (
            with(r#""position":{"kind":"rope","slopes":[1]}"#),
            "position.slopes: unknown key slopes, expected one of kind, base, layout, offset, scaling",
        ),
        (with(r#""position":{"kind":"alibi"}"#), "position.slopes: slopes is missing"),
        (with(r#""position":{"kind":"alibi","slopes":[1,2]}"#), "position.slopes: the length is 2, expected 1"),
        (
            r#"{"format":"attnlab/1","position":{"kind":"rope"},"inputs":{"q":[[1]],"k":[[1]],"v":[[1]]}}"#.to_owned(),
            "position: 1 cannot be divided by 2",
        ),
        (with(r#""position":{}"#), "position.kind: kind is missing"),
        (with(r#""normalise":{"kind":"linear"}"#), "normalise.feature_map: feature_map is missing"),
        (with(r#""normalise":{"kind":"sum"},"sink":[1]"#), "sink: normalise sum takes no sink"),
        (
            with(r#""normalise":{"kind":"linear","feature_map":"elu_plus_one"},"softcap":1"#),
            "softcap: normalise linear takes no softcap",
        ),
        (
            with(r#""normalise":{"kind":"linear","feature_map":"elu_plus_one"},"bias":[[1,2],[3,4]]"#),
            "bias: normalise linear takes no bias",
        ),
        (
            with(
                r#""normalise":{"kind":"linear","feature_map":"elu_plus_one"},"position":{"kind":"alibi","slopes":[1]}"#,
            ),
            "position: normalise linear takes no alibi",
        ),
        (
            with(
                r#""normalise":{"kind":"linear","feature_map":"elu_plus_one"},"score":{"kind":"general","w":[[1,0],[0,1]]}"#,
            ),
            "score: normalise linear takes no general",
        ),
        (with(r#""softcap":0"#), "softcap: found 0, expected > 0"),
        (with(r#""bias":[[1]]"#), "bias: the shape is 1×1, expected 2×2"),
        (with(r#""bias":[[[1,2],[3,4]],[[1,2],[3,4]]]"#), "bias: the length is 2, expected 1"),
        (with(r#""bias":[[[1,2],[3]]]"#), "bias[0][1]: this row has 1 numbers, expected 2 as in row 0"),
        (with(r#""sink":[1,2]"#), "sink: the length is 2, expected 1"),
        (with(r#""sink":[NaN]"#), "sink[0]: found NaN, expected a finite number"),
        (with(r#""dropout":{"p":1}"#), "dropout.p: found 1, expected 0 ≤ p < 1"),
        (given(""), "inputs: { q, k, v } | { x, w_q, w_k, w_v } is missing"),
        (given(r#""q":[[1]],"k":[[1]]"#), "inputs.v: v is missing"),
        (
            given(r#""q":[[1]],"k":[[1]],"v":[[1]],"x":[[1]]"#),
            "inputs: found q, k, v, x: expected only one of the two forms { q, k, v } | { x, w_q, w_k, w_v }",
        ),
        (
            given(r#""q":[[1]],"k":[[1],[2,3]],"v":[[1],[2]]"#),
            "inputs.k[1]: this row has 2 numbers, expected 1 as in row 0",
        ),
        (given(r#""q":[[1]],"k":[[1,2]],"v":[[1]]"#), "inputs.k: the shape is 1×2, expected ·×1"),
        (given(r#""q":[[1]],"k":[[1]],"v":[[1],[2]]"#), "inputs.v: the shape is 2×1, expected 1×·"),
        (given(r#""q":[[1]],"k":[["1"]],"v":[[1]]"#), "inputs.k[0][0]: found \"1\", expected something like 0.5"),
        (given(r#""q":[1],"k":[[1]],"v":[[1]]"#), "inputs.q[0]: found 1, expected something like [0.5, 1]"),
        (given(r#""q":1,"k":[[1]],"v":[[1]]"#), "inputs.q: found 1, expected something like [[0.5, 1], [2, 3]]"),
        (given(r#""q":[[]],"k":[[]],"v":[[1]]"#), "inputs.q[0]: found 0, expected 1…1024"),
        (given(r#""q":[],"k":[[1]],"v":[[1]]"#), "inputs.q: found 0, expected 1…512"),
        (given(r#""q":[[1]],"k":[[1]],"v":[[1]],"b_o":[1]"#), "inputs.b_o: b_o needs w_o, which is not there"),
        (given(r#""q":[[1]],"k":[[1]],"v":[[1]],"w_o":[[1,2],[3,4]]"#), "inputs.w_o: the shape is 2×2, expected 1×·"),
        (given(r#""q":[[1]],"k":[[1]],"v":[[1]],"w_o":[[1,2]],"b_o":[1]"#), "inputs.b_o: the length is 1, expected 2"),
        (
            given(r#""x":[[1,2]],"w_q":[[1]],"w_k":[[1],[1]],"w_v":[[1],[1]]"#),
            "inputs.w_q: the shape is 1×1, expected 2×·",
        ),
        (
            given(r#""x":[[1]],"x_kv":[[1,2]],"w_q":[[1]],"w_k":[[1]],"w_v":[[1],[1]]"#),
            "inputs.w_k: the shape is 1×1, expected 2×1",
        ),
        (
            given(r#""x":[[1]],"w_q":[[1]],"w_k":[[1]],"w_v":[[1]],"b_q":[1,2]"#),
            "inputs.b_q: the length is 2, expected 1",
        ),
        (format!("{{{INPUTS}}}"), "format: \"format\": \"attnlab/1\" is missing"),
        (r#"{"format":"attnlab/2"}"#.to_owned(), "format: unknown format \"attnlab/2\", expected \"attnlab/1\""),
        (r#"{"format":"attnlab/1"}"#.to_owned(), "inputs: inputs is missing"),
        ("[]".to_owned(), "found [], expected something like { … }"),
        ("{".to_owned(), "this is not JSON: EOF while parsing an object (line 1, column 1)"),
        (given(r#""q":[[NaN]],"k":[[1]],"v":[[1]]"#), "inputs.q[0][0]: found NaN, expected a finite number"),
        (given(r#""q":[[1e999]],"k":[[1]],"v":[[1]]"#), "inputs.q[0][0]: found 1e999, expected a finite number"),
    ];
    for (text, message) in cases {
        let errors = errors_of(&text);
        assert!(errors.iter().any(|error| error == message), "{text}\nexpected {message}\nfound {errors:#?}");
    }
}

#[test]
fn every_error_is_named_at_once() {
    let text = r#"{"format":"attnlab/1","titel":"t","heads":{"query":2},"scale":"half","mask":{"causal":"x","global":[9]},
        "softcap":-1,"tokens":["a"],
        "inputs":{"q":[[1,2],[3,4]],"k":[[1,2],[3]],"v":[[1,2,3]],"b_o":[1,2]}}"#;
    let places: Vec<String> = Problem::from_json(text).unwrap_err().into_iter().map(|error| error.place).collect();
    let expected = ["titel", "inputs.k[1]", "scale", "mask.causal", "inputs.v", "inputs.b_o", "softcap"];
    assert_eq!(places, expected);
}

#[test]
fn limits_are_those_of_the_format() {
    let rows = |count: usize, width: usize| {
        format!("[{}]", vec![format!("[{}]", vec!["1"; width].join(",")); count].join(","))
    };
    let problem = |n, m, d| given(&format!(r#""q":{},"k":{},"v":{}"#, rows(n, d), rows(m, d), rows(m, 1)));
    assert_eq!(errors_of(&problem(512, 512, 1)), [""; 0]);
    assert_eq!(errors_of(&problem(1, 1, 1024)), [""; 0]);
    assert_eq!(errors_of(&problem(513, 1, 1)), ["inputs.q: found 513, expected 1…512"]);
    assert_eq!(errors_of(&problem(1, 1, 1025)).len(), 2);
    let many_heads = format!(
        r#"{{"format":"attnlab/1","heads":{{"query":64,"key_value":1}},"inputs":{{"q":{},"k":{},"v":{}}}}}"#,
        rows(512, 64),
        rows(512, 1),
        rows(512, 1)
    );
    assert_eq!(errors_of(&many_heads), ["heads.query: found 64·512·512, expected h·n·m ≤ 4194304"]);
    let long = format!("{}{}", " ".repeat(16 << 20), with(""));
    assert!(errors_of(&long)[0].contains("expected 0…16777216"));
    // A text full of errors stops at a thousand.
    let bad = given(&format!(r#""q":[[{}]],"k":[[1]],"v":[[1]]"#, vec!["null"; 100_000].join(",")));
    assert_eq!(errors_of(&bad).len(), 1000);
}

#[test]
fn a_number_that_is_not_finite_is_refused_with_its_cell() {
    let mut problem = Problem::from_json(&with("")).unwrap();
    problem.scale = attnlab::attention::Scale::Factor(f64::NAN);
    let attnlab::attention::Inputs::Direct { k, .. } = &mut problem.inputs else { unreachable!("the text gives k") };
    k[(1, 0)] = f64::NEG_INFINITY;
    let errors: Vec<String> = problem.validate().unwrap_err().iter().map(ToString::to_string).collect();
    let expected =
        ["inputs.k[1][0]: found -inf, expected a finite number", "scale: found NaN, expected a finite number"];
    assert_eq!(errors, expected);
    // Written out, it is no file that could be read.
    assert_eq!(errors_of(&problem.to_json()).len(), 2);
}

#[test]
fn every_kind_of_error_has_its_key_and_its_arguments() {
    let mut seen = std::collections::BTreeSet::new();
    let texts = [
        "{".to_owned(),
        r#"{"format":"x"}"#.to_owned(),
        with(r#""a":1,"title":1,"scale":"x","tokens":["a"],"heads":{"query":3,"key_value":2}"#),
        with(r#""heads":{"query":0}"#),
        with(r#""normalise":{"kind":"sum"},"sink":[1]"#),
        format!(r#"{{"format":"attnlab/1","position":{{"kind":"learned","table":[[1]]}},{X}}}"#),
        given(""),
        given(r#""q":[[1]],"k":[[1]],"v":[[1],[1,2]],"x":[[1]],"b_o":[1]"#),
        given(r#""q":[[1]],"k":[[1,2]],"v":[[1]]"#),
    ];
    // What is a problem all the same, and cannot be taken block by block or token by token.
    let plain = |rest: &str| Problem::from_json(&format!(r#"{{"format":"attnlab/1",{rest}}}"#)).unwrap();
    let inputs = r#""inputs":{"q":[[1],[2]],"k":[[1]],"v":[[1]]}"#;
    let sum = plain(&format!(r#""normalise":{{"kind":"sum"}},"mask_applied":"after_softmax",{inputs}"#));
    let cross = plain(&format!(r#""memory":["a"],{inputs}"#));
    let stepped = [flash(&sum, 1, 1).unwrap_err(), decode(&cross).unwrap_err(), decode(&plain(inputs)).unwrap_err()];
    let read = texts.iter().flat_map(|text| Problem::from_json(text).unwrap_err());
    let kinds = read.chain(stepped.into_iter().flatten()).map(|error| error.kind);
    for kind in kinds.chain([ErrorKind::NotFinite { found: "NaN".into() }, ErrorKind::Overflow { found: "q/0".into() }])
    {
        assert!(!kind.args().is_empty(), "{kind}");
        seen.insert(kind.key());
    }
    assert_eq!(seen, ErrorKind::KEYS.into_iter().collect());
}
