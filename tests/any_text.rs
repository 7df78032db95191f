//! Whatever text comes in, nothing panics: it is read, or refused with an error.

use attnlab::attention::{Problem, solve};
use attnlab::exchange::{read_block, read_number};
use proptest::prelude::*;

/// A file that uses every key, to be damaged.
const FILE: &str = r#"{"format":"attnlab/1","title":"t","tokens":["a","b"],"memory":["c","d"],
"heads":{"query":2,"key_value":1},"scale":0.5,"score":{"kind":"dot"},"dropout":{"p":0,"seed":1},
"mask":{"causal":"upper_left","window":{"left":1,"right":0},"global":[0],"key_padding":[true,1],"allow":[[1,0],[1,1]]},
"mask_applied":"never","inputs":{"x":[[1,2],[3,4]],"x_kv":[[1],[2]],"w_q":[[1,2],[3,4]],"w_k":[[1]],"w_v":[[1]],
"b_q":[1,2],"b_k":[1],"b_v":[1],"w_o":[[1],[2]],"b_o":[0.5]}}"#;

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("NaN".to_owned()),
        Just("-1e999".to_owned()),
        Just("1e300".to_owned()),
        Just("4294967296".to_owned()),
        Just("[]".to_owned()),
        Just("[[]]".to_owned()),
        Just("{}".to_owned()),
        Just("\"inverse_sqrt\"".to_owned()),
        (-3_i32..70).prop_map(|number| number.to_string()),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(",")));
        let key = prop_oneof![Just("kind"), Just("left"), Just("p"), Just("query"), Just("q")];
        prop_oneof![list, (key, inner).prop_map(|(key, value)| format!("{{\"{key}\":{value}}}"))]
    })
}

fn read(text: &str) {
    if let Ok(problem) = Problem::from_json(text) {
        assert_eq!(problem.validate(), Ok(()));
        let _ = solve(&problem);
    }
}

#[test]
fn the_file_that_is_damaged_is_a_good_one() {
    assert!(Problem::from_json(FILE).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_value_under_any_key(which in any::<prop::sample::Index>(), value in value()) {
        let document: serde_json::Value = serde_json::from_str(FILE).unwrap();
        let pointers = pointers(&document);
        let pointer = &pointers[which.index(pointers.len())];
        let mut damaged = document.clone();
        *damaged.pointer_mut(pointer).unwrap() = "@".into();
        read(&damaged.to_string().replace("\"@\"", &value));
    }

    #[test]
    fn any_byte_of_a_file_changed(at in any::<prop::sample::Index>(), by in prop::sample::select(b" 0-9.eE,:[]{}\"\\nt".to_vec())) {
        let mut bytes = FILE.as_bytes().to_vec();
        let at = at.index(bytes.len());
        bytes[at] = by;
        read(std::str::from_utf8(&bytes).unwrap());
        read(std::str::from_utf8(&bytes[..at]).unwrap());
    }

    #[test]
    fn any_text_as_a_problem(text in "\\PC{0,40}") {
        read(&text);
    }

    #[test]
    fn any_text_as_a_number_or_a_block(text in "\\PC{0,40}") {
        let _ = (read_number(&text), read_block(&text));
    }

    #[test]
    fn anything_like_a_number_or_a_block(text in "[-−+0-9.,;/eE \t\n\\[\\]()∞…\"TFarueinty]{0,40}") {
        if let Ok(number) = read_number(&text) {
            prop_assert!(number.is_finite());
        }
        if let Ok(block) = read_block(&text) {
            prop_assert!(block.values.iter().all(|value| !value.is_nan() && *value != f64::INFINITY));
            prop_assert!(!block.values.is_empty());
        }
        let _ = (read_block(&format!("[{text}]")), read_block(&format!("tensor([{text}])")), read_block(&format!("array({text})")));
    }

    #[test]
    fn a_block_written_in_any_notation_is_read_back(
        (rows, columns, cells) in (1_usize..4, 2_usize..4).prop_flat_map(|(rows, columns)| {
            (Just(rows), Just(columns), prop::collection::vec(-1e6..1e6_f64, rows * columns))
        }),
    ) {
        let row = |row: usize, separator: &str| {
            cells[row * columns..(row + 1) * columns].iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
        };
        let all = |separator: &str| (0..rows).map(|index| row(index, separator)).collect::<Vec<_>>();
        let brackets = |separator: &str| format!("[[{}]]", all(separator).join(&format!("]{separator}[")));
        let texts = [
            all("\t").join("\n"),
            all("\t").join("\n").replace('.', ","),
            all(", ").join("\n"),
            all(";").join("\r\n"),
            all("  ").join("\n"),
            brackets(", "),
            format!("[[{}]]", all(" ").join("]\n [")),
            format!("array({}, dtype=float32)", brackets(", ")),
            format!("tensor([{}], device='cuda:0')", brackets(", ")),
        ];
        let expected = nalgebra::DMatrix::from_row_slice(rows, columns, &cells);
        for text in texts {
            prop_assert_eq!(read_block(&text).map(|block| block.values), Ok(expected.clone()), "{}", text);
        }
    }
}

fn pointers(value: &serde_json::Value) -> Vec<String> {
    let children: Vec<(String, &serde_json::Value)> = match value {
        serde_json::Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), value)).collect(),
        serde_json::Value::Array(items) => {
            items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect()
        }
        _ => Vec::new(),
    };
    let below = |(key, value): (String, &serde_json::Value)| {
        [format!("/{key}")]
            .into_iter()
            .chain(pointers(value).into_iter().map(move |rest| format!("/{key}{rest}")))
            .collect::<Vec<_>>()
    };
    children.into_iter().flat_map(below).collect()
}
