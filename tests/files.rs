//! Files of every kind: known bytes in, the same numbers out; and back again.

use attnlab::attention::{Inputs, Matrix, Part, Problem, solve};
use attnlab::exchange::{
    Element, FileContent, FileError, MOST_ELEMENTS, MOST_FILE_BYTES, MatrixFormat, Pick, Role, Tensor, guess,
    guess_all, read_block, read_file, shape_after, shape_before, to_matrix, to_problem, trace_npz, write_matrix,
};
use std::io::Write as _;

/// A sample from tests/files.
fn sample(name: &str) -> Vec<u8> {
    std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)).expect("a sample")
}

fn tensors(name: &str, bytes: &[u8]) -> Vec<Tensor> {
    match read_file(name, bytes) {
        Ok(FileContent::Tensors(tensors)) => tensors,
        other => panic!("{name}: {other:?}"),
    }
}

fn refused(name: &str, bytes: &[u8]) -> FileError {
    read_file(name, bytes).expect_err(name)
}

/// Whether two tensors are the same to the bit, NaN included.
fn same(a: &Tensor, b: &Tensor) -> bool {
    let bits = |tensor: &Tensor| tensor.values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    (&a.name, &a.shape, a.element, bits(a)) == (&b.name, &b.shape, b.element, bits(b))
}

fn tensor(name: &str, shape: &[usize], element: Element, values: &[f64]) -> Tensor {
    Tensor { name: name.to_owned(), shape: shape.to_vec(), element, values: values.to_vec() }
}

/// Counts from 0, of that shape.
fn counting(name: &str, shape: &[usize]) -> Tensor {
    let count = shape.iter().product::<usize>();
    tensor(name, shape, Element::F32, &(0..count).map(|value| value as f64).collect::<Vec<_>>())
}

const A: [f64; 4] = [1.0, 2.5, -3.0, 0.1];

#[test]
fn every_npy_is_read_as_numpy_wrote_it() {
    let f16 = [1.0, 2.5, -3.0, 0.0999755859375];
    let bf16 = [1.0, 2.5, -3.0, 0.10009765625];
    let two = &[2, 2][..];
    let (nan, infinite) = (f64::NAN, f64::INFINITY);
    let expected = [
        tensor("f64", two, Element::F64, &A),
        tensor("f32_fortran", &[2, 3], Element::F32, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
        counting("f32_fortran_3d", &[2, 3, 4]),
        tensor("f16", two, Element::F16, &f16),
        tensor("bf16", two, Element::Bf16, &bf16),
        tensor("i64_big_endian", two, Element::I64, &[1.0, -2.0, 3.0, 4.0]),
        tensor("bool", two, Element::Bool, &[1.0, 0.0, 1.0, 1.0]),
        tensor("non_finite", two, Element::F64, &[0.0, -infinite, nan, infinite]),
        tensor("scalar", &[], Element::F64, &[0.5]),
    ];
    for expected in expected {
        // A wrong extension does not matter.
        for extension in ["npy", "csv", "safetensors"] {
            let found = tensors(&format!("{}.{extension}", expected.name), &sample(&format!("{}.npy", expected.name)));
            assert_eq!(found.len(), 1);
            assert!(same(&found[0], &expected), "{found:?}\n{expected:?}");
        }
    }
}

#[test]
fn the_comparison_of_tensors_can_fail() {
    let one = tensor("a", &[1], Element::F64, &[0.0]);
    assert!(same(&one, &one.clone()));
    assert!(!same(&one, &tensor("a", &[1], Element::F64, &[-0.0])));
    assert!(!same(&one, &tensor("a", &[1], Element::F32, &[0.0])));
    assert!(!same(&one, &tensor("a", &[1, 1], Element::F64, &[0.0])));
    assert!(!same(&one, &tensor("b", &[1], Element::F64, &[0.0])));
}

#[test]
fn archives_and_safetensors_hold_several() {
    let two = tensors("two.npz", &sample("two.npz"));
    assert!(same(&two[0], &tensor("q", &[2, 2], Element::F64, &A)));
    assert!(same(&two[1], &tensor("k", &[2, 2], Element::U8, &[0.0, 1.0, 2.0, 3.0])));
    let packed = tensors("packed", &sample("packed.npz"));
    assert!(same(&packed[1], &tensor("zeros", &[64, 64], Element::F32, &[0.0; 4096])));
    let layer = tensors("layer.bin", &sample("layer.safetensors"));
    let expected = [
        tensor("hidden_states", &[1, 2, 2], Element::F16, &[1.0, 2.5, -3.0, 0.0999755859375]),
        counting("q_proj.weight", &[3, 2]),
        tensor("scale", &[2, 2], Element::Bf16, &[1.0, 2.5, -3.0, 0.10009765625]),
        tensor("steps", &[2], Element::I64, &[1.0, 2.0]),
    ];
    assert_eq!(layer.len(), expected.len());
    assert!(layer.iter().zip(&expected).all(|(found, expected)| same(found, expected)), "{layer:?}");
}

#[test]
fn text_files_are_lists_tables_or_problems() {
    let a = tensor("a", &[2, 2], Element::F64, &A);
    let texts = [
        "[[1, 2.5], [-3, 0.1]]",
        "1,2.5\n-3,0.1\n",
        "\u{feff}1;2,5\r\n-3;0,1\r\n",
        "q0,q1\n1,2.5\n-3,0.1\n",
        "\"1\",\"2.5\"\n\"-3\",\"0.1\"\n",
        "first\tsecond\n1\t2,5\n-3\t0,1",
        "array([[1. , 2.5],\n       [-3. , 0.1]], dtype=float32)",
        "| a | b |\n|---|---|\n| 1 | 2.5 |\n| -3 | 0.1 |",
        "{{1, 2.5}, {-3, 0.1}}",
    ];
    for text in texts {
        let found = tensors("a.txt", text.as_bytes());
        assert!(found.len() == 1 && same(&found[0], &a), "{text}: {found:?}");
    }
    // One comma between two whole numbers: a table says that it separates, a text that it is a decimal comma.
    assert_eq!(tensors("a.csv", b"1,5\n")[0].values, [1.0, 5.0]);
    assert_eq!(tensors("a.txt", b"1,5\n")[0].values, [1.5]);
    let named = tensors("a.json", br#"{"k": [[[true, false]]], "q": [NaN, -Infinity, "inf", 1e999]}"#);
    assert!(same(&named[0], &tensor("k", &[1, 1, 2], Element::Bool, &[1.0, 0.0])));
    let (nan, infinite) = (f64::NAN, f64::INFINITY);
    assert!(same(&named[1], &tensor("q", &[4], Element::F64, &[nan, -infinite, infinite, infinite])));
    let problem = br#"{"format":"attnlab/1","inputs":{"q":[[1]],"k":[[1]],"v":[[1]]}}"#;
    assert!(matches!(read_file("x.npy", problem), Ok(FileContent::Problem(_))));
}

#[test]
fn what_is_refused_says_where_and_why() {
    let cases: [(&str, Vec<u8>, &str); 18] = [
        ("x.npy", b"\x93NUMPY".to_vec(), "x is damaged: no version"),
        ("x.npy", sample("f64.npy")[..159].to_vec(), "x is damaged: 31 bytes, expected 32"),
        ("x.npy", b"\x00\xff".to_vec(), "x.npy is none of .npy, .npz, .safetensors, .json, .csv"),
        (
            "complex.npy",
            sample("complex.npy"),
            "complex holds '<c16', expected one of f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, bool",
        ),
        (
            "object.npy",
            sample("object.npy"),
            "object holds '|O', expected one of f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, bool",
        ),
        ("x.npz", b"PK\x05\x06".iter().copied().chain([0; 18]).collect(), "x.npz: there are no numbers"),
        ("x.pt", zipped("archive/data.pkl", b"x"), "archive/data.pkl is none of .npy"),
        ("x.npz", zipped("q.npy", b"x"), "q is damaged: .npy"),
        ("x.npz", sample("two.npz")[..300].to_vec(), ""),
        ("x.safetensors", b"\x02\0\0\0\0\0\0\0{}".to_vec(), "x.safetensors: there are no numbers"),
        ("x.safetensors", b"\x90\x01\0\0\0\0\0\0{\"q\":{}".to_vec(), "x.safetensors is damaged: invalid header length"),
        ("x.json", b"[[1, 2], [3]]".to_vec(), "x[1]: found 1, expected 2 as in the first"),
        ("x.json", b"{\"q\": [[1, null]]}".to_vec(), "q[0][1]: found null, expected a number"),
        ("x.json", b"{}".to_vec(), "x.json: there are no numbers"),
        (
            "x.json",
            b"{\"format\": \"attnlab/9\"}".to_vec(),
            "format: unknown format \"attnlab/9\", expected \"attnlab/1\"",
        ),
        ("x.csv", b"a,b\n1,x\n".to_vec(), "line 2, column 2: x is not a number"),
        ("x.csv", b"".to_vec(), "there are no numbers"),
        ("x.tex", b"\\begin{matrix} a \\end{matrix}".to_vec(), "line 1, column 1: a is not a number"),
    ];
    for (name, bytes, message) in cases {
        let found = refused(name, &bytes);
        assert!(message.is_empty() || found.to_string() == message, "{name}: {found}\nexpected {message}");
        assert!(FileError::KEYS.contains(&found.key()));
    }
}

fn zipped(name: &str, content: &[u8]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(content).unwrap();
    archive.finish().unwrap().into_inner()
}

/// An `.npy` of that header, without numbers.
fn npy_of(header: &str) -> Vec<u8> {
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes()].concat()
}

#[test]
fn work_is_bounded_by_what_a_file_is_and_not_by_what_it_claims() {
    assert_eq!(refused("x", &vec![0; MOST_FILE_BYTES + 1]).key(), "too-large");
    let shapes = [
        ("(18446744073709551615, 2)", "too-large"),
        ("(99999999999999999999,)", "too-large"),
        ("(4294967296, 4294967296, 0)", "too-large"),
        ("(0, 4294967296, 4294967296, 4294967296)", "empty"),
        ("(1, 1, 1, 1, 1, 1, 1, 1, 1)", "too-large"),
        ("(1000, 1000)", "damaged"),
    ];
    for (shape, key) in shapes {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
        assert_eq!(refused("x", &npy_of(&header)).key(), key, "{shape}");
    }
    // The shape that is checked must be the one that is used.
    let twice =
        "{'shape': (2,), 'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4294967296), }";
    assert_eq!(refused("x", &npy_of(twice)).key(), "damaged");
    assert_eq!(refused("x", &npy_of(&"(".repeat(9_000))).key(), "damaged");
    assert_eq!(refused("x", &npy_of(&"{".repeat(9_000))).key(), "damaged");
    // 80 MB of zeros in 80 KB: refused by the size that the archive states.
    let bomb = zipped("bomb.npy", &vec![0; 10 * MOST_ELEMENTS]);
    assert!(bomb.len() < 200_000, "{}", bomb.len());
    assert_eq!(refused("x.npz", &bomb).key(), "too-large");
    // The same when the archive lies: its two statements of the size say 1.
    let true_size = u32::try_from(10 * MOST_ELEMENTS).unwrap().to_le_bytes();
    let mut lie = bomb.clone();
    for at in 0..lie.len() - 4 {
        if lie[at..at + 4] == true_size {
            lie[at..at + 4].copy_from_slice(&1_u32.to_le_bytes());
        }
    }
    assert_ne!(lie, bomb);
    assert!(["too-large", "damaged"].contains(&refused("x.npz", &lie).key()));
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    assert_eq!(refused("x.json", deep.as_bytes()).key(), "too-large");
    assert_eq!(refused("x.json", "[".repeat(100_000).as_bytes()).key(), "block");
}

fn awkward() -> Matrix {
    let values = [0.1, -0.0, 1e300, -1e-300, f64::MIN_POSITIVE / 8.0, f64::NEG_INFINITY, 1.0 / 3.0, 12345678.9];
    Matrix::from_row_slice(2, 4, &values)
}

#[test]
fn what_is_written_is_read_back_to_the_bit() {
    let matrix = awkward();
    let expected = matrix.transpose().iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    for format in [MatrixFormat::Json, MatrixFormat::Npy] {
        let found = tensors(&format!("x.{}", format.extension()), &write_matrix(&matrix, format));
        assert_eq!(found[0].shape, [2, 4]);
        assert_eq!(found[0].values.iter().map(|value| value.to_bits()).collect::<Vec<_>>(), expected, "{format:?}");
    }
    // As text a minus infinity is read only beside zeros.
    let finite = matrix.map(|value| if value.is_finite() { value } else { 2.0 });
    let mask = Matrix::from_row_slice(1, 2, &[0.0, f64::NEG_INFINITY]);
    for format in MatrixFormat::ALL.into_iter().filter(|&format| format != MatrixFormat::Npy) {
        for matrix in [&finite, &mask] {
            let text = String::from_utf8(write_matrix(matrix, format)).unwrap();
            let found = read_block(&text).unwrap_or_else(|error| panic!("{text}: {error}")).values;
            assert_eq!(found.map(f64::to_bits), matrix.map(f64::to_bits), "{text}");
        }
    }
    let markdown = write_matrix(&mask, MatrixFormat::Markdown { digits: Some(usize::MAX) });
    assert_eq!(String::from_utf8(markdown).unwrap(), "|  |  |\n| ---: | ---: |\n| 0.00000000000000000 | −∞ |\n");
}

#[test]
fn an_npy_is_written_as_numpy_writes_it() {
    let written = write_matrix(&Matrix::from_row_slice(2, 2, &A), MatrixFormat::Npy);
    assert_eq!(written, sample("f64.npy"));
}

#[test]
fn the_header_of_an_npy_is_what_numpy_writes_and_nothing_else() {
    let numbers = A.map(f64::to_le_bytes).concat();
    let read = |header: &str| read_file("x", &[npy_of(header), numbers.clone()].concat());
    let good = [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }",
        "{'shape': (2, 2), 'fortran_order': False, 'descr': '<f8'}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 2L), }",
        "{\"descr\": \"<f8\",\"fortran_order\":False,\"shape\":(2,2,),}   \n",
    ];
    for header in good {
        let Ok(FileContent::Tensors(found)) = read(header) else { panic!("{header}") };
        assert!(same(&found[0], &tensor("x", &[2, 2], Element::F64, &A)), "{header}");
    }
    let bad = [
        "{'descr': '<f8', 'fortran_order': False}",
        "{'descr': '<f8', 'shape': (2, 2)}",
        "{'fortran_order': False, 'shape': (2, 2)}",
        "{'descr': '<f8', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (2, 2)}",
        "{'descr': '<f8', 'fortran_order': Falsetto, 'shape': (2, 2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, -2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, L)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, +2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, (2))}",
        "{'descr': '<f8' 'fortran_order': False, 'shape': (2, 2)}",
        "{'descr': '<f\\x38', 'fortran_order': False, 'shape': (2, 2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), 'more': 1}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), } x",
        "",
    ];
    for header in bad {
        assert_eq!(read(header).unwrap_err().key(), "damaged", "{header}");
    }
    for kind in ["<f3", "<<f8", "f16", "é8", ""] {
        let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': (2, 2)}}");
        assert_eq!(read(&header).unwrap_err().to_string().split(',').next().unwrap(), format!("x holds '{kind}'"));
    }
}

#[test]
fn every_kind_of_number_is_widened_whichever_byte_comes_first() {
    let kinds: [(&str, Element, &[u8], f64); 12] = [
        ("f2", Element::F16, &[0x00, 0xc1], -2.5),
        ("f4", Element::F32, &(-0.1_f32).to_le_bytes(), f64::from(-0.1_f32)),
        ("f8", Element::F64, &(-0.1_f64).to_le_bytes(), -0.1),
        ("i1", Element::I8, &[0xfe], -2.0),
        ("i2", Element::I16, &(-300_i16).to_le_bytes(), -300.0),
        ("i4", Element::I32, &(-70_000_i32).to_le_bytes(), -70_000.0),
        ("i8", Element::I64, &(-5_000_000_000_i64).to_le_bytes(), -5e9),
        ("u1", Element::U8, &[0xfe], 254.0),
        ("u2", Element::U16, &60_000_u16.to_le_bytes(), 60_000.0),
        ("u4", Element::U32, &4_000_000_000_u32.to_le_bytes(), 4e9),
        ("u8", Element::U64, &10_000_000_000_u64.to_le_bytes(), 1e10),
        ("b1", Element::Bool, &[7], 1.0),
    ];
    for (kind, element, lowest_first, expected) in kinds {
        let highest_first: Vec<u8> = lowest_first.iter().rev().copied().collect();
        for (order, bytes) in [("<", lowest_first), (">", &highest_first), ("|", lowest_first)] {
            let header = format!("{{'descr': '{order}{kind}', 'fortran_order': False, 'shape': (1,)}}");
            // What follows the numbers is not looked at.
            let file = [npy_of(&header), bytes.to_vec(), vec![9]].concat();
            let Ok(FileContent::Tensors(found)) = read_file("x", &file) else { panic!("{order}{kind}") };
            assert!(same(&found[0], &tensor("x", &[1], element, &[expected])), "{order}{kind}: {found:?}");
        }
    }
}

#[test]
fn a_trace_becomes_an_archive_with_one_array_a_step() {
    let problem = Problem::from_json(
        r#"{"format":"attnlab/1","heads":{"query":2},"mask":{"causal":"upper_left"},
            "inputs":{"q":[[1,2],[3,4]],"k":[[1,2],[3,4]],"v":[[1,2],[3,4]]}}"#,
    )
    .unwrap();
    let trace = solve(&problem).unwrap();
    let archive = tensors("trace.npz", &trace_npz(&trace));
    assert_eq!(archive.len(), trace.steps.len());
    for (step, found) in trace.steps.iter().zip(&archive) {
        let name = step.head.map_or(step.part.key().to_owned(), |head| format!("{}_{head}", step.part.key()));
        let values: Vec<f64> = step.value.transpose().iter().copied().collect();
        let expected = tensor(&name, &[step.value.nrows(), step.value.ncols()], Element::F64, &values);
        assert!(same(found, &expected), "{found:?} {expected:?}");
    }
    assert!(archive.iter().any(|tensor| tensor.name == "scores_1") && archive.iter().any(|t| t.name == "mask"));
}

#[test]
fn names_and_axes_are_guessed() {
    /// The role, whether it is swapped, and the axis of the heads.
    type Guessed = Option<(Role, bool, Option<usize>)>;
    let cases: [(&str, &[usize], Guessed); 22] = [
        ("q", &[3, 4], Some((Role::Q, false, None))),
        ("query", &[2, 3, 4], Some((Role::Q, false, Some(0)))),
        ("layer.0.keys", &[1, 2, 3, 4], Some((Role::K, false, Some(1)))),
        ("v_proj.weight", &[4, 4], Some((Role::WV, true, None))),
        ("h.3.self_attn.q_proj.bias", &[4], Some((Role::BQ, false, None))),
        ("attention.self.query.weight", &[4, 4], Some((Role::WQ, true, None))),
        ("attention.output.dense.weight", &[4, 4], Some((Role::WO, true, None))),
        ("attn.out_proj.bias", &[4], Some((Role::BO, false, None))),
        ("w_q", &[4, 4], Some((Role::WQ, false, None))),
        ("Wk", &[4, 4], Some((Role::WK, false, None))),
        ("W_O", &[2, 4, 4], Some((Role::WO, false, Some(0)))),
        ("b_v", &[4], Some((Role::BV, false, None))),
        ("x", &[3, 4], Some((Role::X, false, None))),
        ("hidden_states", &[1, 3, 4], Some((Role::X, false, None))),
        ("encoder_hidden_states", &[1, 3, 4], Some((Role::XKv, false, None))),
        ("x_kv", &[3, 4], Some((Role::XKv, false, None))),
        ("attentions", &[1, 2, 3, 3], Some((Role::Weights, false, Some(1)))),
        ("attn_weights", &[2, 3, 3], Some((Role::Weights, false, Some(0)))),
        ("layer_norm.weight", &[4], None),
        ("wte.weight", &[4, 4], None),
        ("q", &[4], None),
        ("", &[4, 4], None),
    ];
    for (name, shape, expected) in cases {
        let found = guess(&counting(name, shape));
        let found = found.map(|pick| (pick.role, pick.transpose, pick.head));
        assert_eq!(found, expected, "{name} {shape:?}");
    }
}

#[test]
fn heads_are_laid_side_by_side_and_a_linear_is_swapped() {
    // (batch 2, heads 2, seq 3, d 2): the second of the batch begins at 12.
    let q = counting("q", &[2, 2, 3, 2]);
    let mut pick = guess(&q).unwrap();
    pick.batch = vec![(0, 1)];
    let (matrix, heads) = to_matrix(&q, &pick).unwrap();
    let expected = [[12.0, 13.0, 18.0, 19.0], [14.0, 15.0, 20.0, 21.0], [16.0, 17.0, 22.0, 23.0]];
    assert_eq!((matrix, heads), (Matrix::from_row_slice(3, 4, expected.as_flattened()), 2));
    // Ranges are of tokens and of each head's own columns.
    let cut = Pick { rows: 1..3, columns: 1..2, ..pick.clone() };
    let (matrix, _) = to_matrix(&q, &cut).unwrap();
    assert_eq!(matrix, Matrix::from_row_slice(2, 2, &[15.0, 21.0, 17.0, 23.0]));
    assert_eq!((shape_before(&q, &cut), shape_after(&q, &cut)), (Ok((3, 2)), Ok((2, 2))));
    // (batch, seq, heads, d), as before PyTorch's transpose.
    let late = Pick { head: Some(2), ..pick.clone() };
    let mut late = Pick { batch: vec![(0, 0)], ..late };
    late.take_all(&q);
    let (matrix, heads) = to_matrix(&q, &late).unwrap();
    assert_eq!((matrix.shape(), heads, matrix[(1, 2)]), ((2, 6), 3, 8.0));
    let w = counting("q_proj.weight", &[3, 2]);
    let (matrix, _) = to_matrix(&w, &guess(&w).unwrap()).unwrap();
    assert_eq!(matrix, Matrix::from_row_slice(2, 3, &[0.0, 2.0, 4.0, 1.0, 3.0, 5.0]));
    // The rows of an output projection belong to the heads, one below the other.
    let w_o = counting("w_o", &[2, 1, 2]);
    let (matrix, _) = to_matrix(&w_o, &guess(&w_o).unwrap()).unwrap();
    assert_eq!(matrix, Matrix::from_row_slice(2, 2, &[0.0, 1.0, 2.0, 3.0]));
}

#[test]
fn picks_that_do_not_fit_say_why() {
    let q = counting("q", &[2, 3, 4]);
    let pick = guess(&q).unwrap();
    let wide = Tensor { shape: vec![600, 2], values: vec![0.0; 1200], ..counting("x", &[]) };
    let mut nan = counting("q", &[1, 2, 2]);
    nan.values[3] = f64::NAN;
    let cases = [
        (&q, Pick { head: Some(3), ..pick.clone() }, "q: axis 3 is not there or used twice, expected each of 0…2 once"),
        (
            &q,
            Pick { batch: vec![(0, 0)], ..pick.clone() },
            "q: axis 0 is not there or used twice, expected each of 0…2 once",
        ),
        (&q, Pick { head: None, ..pick.clone() }, "q: the axes left are 2×3×4, expected n×m"),
        (&q, Pick { head: None, batch: vec![(0, 2)], ..pick.clone() }, "q: found 2, expected within 0…1"),
        (&q, Pick { rows: 1..4, ..pick.clone() }, "q: found 1…3, expected within 0…2"),
        (&wide, guess(&wide).unwrap(), "x: found n = 600, expected n ≤ 512; take a smaller range"),
        (&nan, guess(&nan).unwrap(), "q[0, 1, 1]: found NaN, expected a finite number"),
    ];
    for (tensor, pick, message) in cases {
        assert_eq!(to_matrix(tensor, &pick).unwrap_err().to_string(), message);
    }
    let none = Tensor { shape: vec![0, 2, 2], values: vec![], ..counting("q", &[]) };
    let of_none = Pick { head: Some(0), rows: 0..1, columns: 0..1, ..pick.clone() };
    assert_eq!(to_matrix(&none, &of_none).unwrap_err().to_string(), "q: found h = 0, expected within h ≥ 1");
    // What is not taken may be anything.
    assert!(to_matrix(&nan, &Pick { rows: 0..1, ..guess(&nan).unwrap() }).is_ok());
    let error = |tensors: &[Tensor]| to_problem(tensors, &guess_all(tensors)).unwrap_err().to_string();
    assert_eq!(error(&[counting("q", &[1, 2])]), "found q, expected q, k, v (w_o, b_o)");
    assert_eq!(error(&[]), "found 0, expected q, k, v (w_o, b_o)");
    assert_eq!(
        error(&[counting("q", &[2, 1, 2]), counting("k", &[2, 1, 2]), counting("v", &[1, 1, 2])]),
        "v: found 1 heads, expected 2"
    );
    assert_eq!(
        error(&[counting("q", &[1, 2]), counting("k", &[1, 3]), counting("v", &[1, 3])]),
        "inputs.k: the shape is 1×3, expected ·×2"
    );
    let twice = [guess(&q).unwrap(), guess(&q).unwrap()];
    assert_eq!(to_problem(&[q], &twice).unwrap_err().to_string(), "found 2 × q, expected 1 × q");
}

#[test]
fn both_forms_make_a_problem() {
    let direct = [counting("q", &[1, 4, 3, 2]), counting("k", &[1, 2, 5, 2]), counting("v", &[1, 2, 5, 1])];
    let problem = to_problem(&direct, &guess_all(&direct)).unwrap();
    assert_eq!((problem.heads.query, problem.heads.key_value), (4, 2));
    assert!(solve(&problem).is_ok());
    let projected = [
        counting("hidden_states", &[1, 3, 4]),
        counting("q_proj.weight", &[4, 4]),
        counting("q_proj.bias", &[4]),
        counting("k_proj.weight", &[2, 4]),
        counting("v_proj.weight", &[2, 4]),
        counting("o_proj.weight", &[5, 4]),
    ];
    let mut picks = guess_all(&projected);
    assert_eq!(picks.len(), 6);
    for pick in &mut picks {
        match pick.role {
            Role::WQ => pick.heads = 2,
            _ => continue,
        }
    }
    let problem = to_problem(&projected, &picks).unwrap();
    assert_eq!((problem.heads.query, problem.heads.key_value), (2, 1));
    assert_eq!(problem.w_o.as_ref().map(|w_o| w_o.shape()), Some((4, 5)));
    let Inputs::Projected(inputs) = &problem.inputs else { panic!("{problem:?}") };
    assert_eq!((inputs.w_q[(0, 1)], inputs.b_q.as_deref()), (4.0, Some(&[0.0, 1.0, 2.0, 3.0][..])));
    assert!(solve(&problem).is_ok());
}

/// ln w is rounded to its own last digit, so e to it is off by up to |ln w| times that.
fn is_close(found: f64, weight: f64) -> bool {
    let ln = if weight > 0.0 { weight.ln().abs() } else { 0.0 };
    (found - weight).abs() <= (2.0 + ln) * f64::EPSILON * weight
}

#[test]
fn the_comparison_of_weights_can_fail() {
    assert!(is_close(0.0, 0.0) && !is_close(f64::MIN_POSITIVE, 0.0) && !is_close(0.5 + 1e-14, 0.5));
}

#[test]
fn attention_maps_alone_come_back_as_weights() {
    let values = [0.5, 0.25, 0.25, 1.0, 0.0, 0.0, 1e-30, 1.0 - 1e-30, 0.0, 0.2, 0.3, 0.5];
    let maps = [tensor("attentions", &[1, 2, 2, 3], Element::F64, &values)];
    let problem = to_problem(&maps, &guess_all(&maps)).unwrap();
    let trace = solve(&problem).unwrap();
    for (at, &expected) in values.iter().enumerate() {
        let (head, row, column) = (at / 6, at / 3 % 2, at % 3);
        for part in [Part::Weights, Part::Context] {
            let found = trace.get(part, head).unwrap().value[(row, column)];
            assert!(is_close(found, expected), "{part:?} {at}: {found} {expected}");
        }
    }
    let refused = |values: &[f64]| {
        let maps = [tensor("attn", &[1, 2, 2], Element::F64, values)];
        to_problem(&maps, &guess_all(&maps)).unwrap_err().to_string()
    };
    assert_eq!(refused(&[1.0, 0.0, 0.5, 0.49]), "attn: head 0, row 1 sums to 0.99, expected 1 of numbers from 0");
    assert_eq!(refused(&[1.5, -0.5, 1.0, 0.0]), "attn: head 0, row 0 sums to 1 (-0.5), expected 1 of numbers from 0");
}
