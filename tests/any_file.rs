//! Whatever file comes in, nothing panics and nothing grows without bound: it is read, or refused with an error.

use attnlab::exchange::{
    FileContent, Pick, Role, Tensor, guess_all, read_block, read_file, shape_after, shape_before, to_matrix, to_problem,
};
use peak_alloc::PeakAlloc;
use proptest::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

/// What a file of two kilobytes may make the whole process hold: far more than it needs, far less than it can claim.
const MOST_MEGABYTES: f32 = 32.0;

/// The count is of the process, so the tests run one after the other.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    ALLOCATED.reset_peak_usage();
    guard
}

fn is_bounded() -> bool {
    ALLOCATED.peak_usage_as_mb() < MOST_MEGABYTES
}

/// Good files of every kind, to be damaged.
const FILES: [(&str, &[u8]); 14] = [
    ("f64.npy", include_bytes!("files/f64.npy")),
    ("f32_fortran_3d.npy", include_bytes!("files/f32_fortran_3d.npy")),
    ("bf16.npy", include_bytes!("files/bf16.npy")),
    ("bool.npy", include_bytes!("files/bool.npy")),
    ("two.npz", include_bytes!("files/two.npz")),
    ("packed.npz", include_bytes!("files/packed.npz")),
    ("layer.safetensors", include_bytes!("files/layer.safetensors")),
    ("list.json", b"[[[1, 2.5], [true, \"-inf\"]]]"),
    ("names.json", b"{\"q\": [[1, NaN]], \"k\": [[-1e999]], \"attn\": [[[0.5, 0.5]]]}"),
    ("problem.json", b"{\"format\":\"attnlab/1\",\"inputs\":{\"q\":[[1]],\"k\":[[1]],\"v\":[[1]]}}"),
    ("table.csv", b"\"a\",\"b\"\n1,2.5\n-3,\"4\"\n"),
    ("table.md", "| a | b |\n|---|:-:|\n| 1 | 2,5 |\n| −3 | 4 |\n".as_bytes()),
    (
        "matrix.tex",
        b"$$Q = \\left[\\begin{array}{c|c} 1 & \\frac{5}{2} \\\\[2pt] -3 & 4 \\cdot 10^{-1} \\end{array}\\right]$$",
    ),
    ("array.c", b"static const float a[2][2] = {\n {1.0f, 2.5}, // {\n {-3, /* x */ 4},\n};\n"),
];

/// Reads a file and does with its tensors all that a window can do.
fn read(name: &str, bytes: &[u8]) {
    match read_file(name, bytes) {
        Ok(FileContent::Problem(problem)) => assert_eq!(problem.validate(), Ok(())),
        Ok(FileContent::Tensors(tensors)) => {
            assert!(!tensors.is_empty());
            for tensor in &tensors {
                assert_eq!(tensor.values.len(), tensor.shape.iter().product::<usize>());
                assert!(!tensor.values.is_empty());
            }
            take(&tensors, &guess_all(&tensors));
        }
        Err(error) => assert!(!error.to_string().is_empty() && !error.key().is_empty() && error.args().len() < 4),
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = read_block(text);
    }
    assert!(is_bounded(), "{name}: {} MB", ALLOCATED.peak_usage_as_mb());
}

fn take(tensors: &[Tensor], picks: &[Pick]) {
    for pick in picks {
        if let Some(tensor) = tensors.get(pick.tensor) {
            let _ = (shape_before(tensor, pick), shape_after(tensor, pick));
            if let Ok((matrix, heads)) = to_matrix(tensor, pick) {
                assert_eq!(shape_after(tensor, pick), Ok(matrix.shape()));
                assert!(heads > 0 && matrix.iter().all(|value| value.is_finite()));
            }
        }
    }
    if let Ok(problem) = to_problem(tensors, picks) {
        assert_eq!(problem.validate(), Ok(()));
    }
}

#[test]
fn the_files_that_are_damaged_are_good_ones() {
    for (name, bytes) in FILES {
        assert!(read_file(name, bytes).is_ok(), "{name}: {:?}", read_file(name, bytes));
    }
}

#[test]
fn the_count_of_memory_can_fail() {
    let _alone = alone();
    assert!(is_bounded());
    drop(std::hint::black_box(vec![1_u8; 40 << 20]));
    assert!(!is_bounded());
}

#[test]
fn a_list_that_claims_more_than_it_holds() {
    let _alone = alone();
    let text = format!("[[{}1]{}]", "1,".repeat(2_700), ",1".repeat(3_000));
    read("x.json", text.as_bytes());
}

#[test]
fn every_file_cut_short_anywhere_and_with_any_one_byte_extreme() {
    let _alone = alone();
    for (name, bytes) in FILES {
        for at in 0..bytes.len() {
            read(name, &bytes[..at]);
            for extreme in [0, 0x7f, 0xff, b'9', b'(', b'[', b'{'] {
                let mut damaged = bytes.to_vec();
                damaged[at] = extreme;
                read(name, &damaged);
            }
        }
    }
}

fn axis() -> impl Strategy<Value = usize> {
    prop_oneof![8 => 0_usize..5, 1 => Just(usize::MAX)]
}

fn pick() -> impl Strategy<Value = Pick> {
    let batch = prop::collection::vec((axis(), axis()), 0..3);
    let which = (axis(), prop::sample::select(Role::ALL.to_vec()), batch, prop::option::of(axis()), axis());
    (which, any::<bool>(), 0_usize..3, axis(), axis()).prop_map(
        |((tensor, role, batch, head, heads), transpose, start, rows, columns)| Pick {
            tensor,
            role,
            batch,
            head,
            heads,
            transpose,
            rows: start..rows,
            columns: start..columns,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200), which in 0_usize..5) {
        let _alone = alone();
        let magic: [&[u8]; 5] = [b"", b"\x93NUMPY\x01\x00\x46\x00{", b"PK\x03\x04", b"\x20\0\0\0\0\0\0\0{\"", b"PK\x05\x06"];
        read("x.npy", &[magic[which], &bytes].concat());
    }

    #[test]
    fn any_bytes_of_a_file_changed(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let _alone = alone();
        let (name, bytes) = FILES[which.index(FILES.len())];
        let mut damaged = bytes.to_vec();
        for (at, by) in changes {
            let at = at.index(damaged.len());
            damaged[at] = by;
        }
        if let Some(cut) = cut {
            damaged.truncate(cut.index(bytes.len()));
        }
        read(name, &damaged);
    }

    #[test]
    fn any_shape_in_a_header(sizes in prop::collection::vec(prop_oneof![0_u64..5, any::<u64>()], 0..10)) {
        let _alone = alone();
        let shape = sizes.iter().map(|size| format!("{size}, ")).collect::<String>();
        let header = format!("{{'descr': '<f8', 'fortran_order': True, 'shape': ({shape}), }}");
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        read("x.npy", &[b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &[0; 64]].concat());
        let shape = sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let header = format!("{{\"q\":{{\"dtype\":\"F32\",\"shape\":[{shape}],\"data_offsets\":[0,64]}}}}");
        let length = (header.len() as u64).to_le_bytes();
        read("x.safetensors", &[&length[..], header.as_bytes(), &[0; 64]].concat());
    }

    #[test]
    fn anything_like_a_table_a_formula_or_an_array(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "\\begin{", "\\end{", "matrix}", "array}", "equation}", "{cc}", "&", "\\\\", "[2pt]", "\\hline", "\\frac{", "}{", "}",
                "\\cdot 10^{-", "\\infty", "$", "\\left", "[", "]", "|", "---", ":-:", "\n", " ", "1", "2.5", "-", "{", ",", ";", "=",
                "float a", "//", "/*", "*/", "f", "é", "−", "…", "%", "\"", "tensor(", ")",
            ]),
            0..40,
        ),
    ) {
        let _alone = alone();
        let text = words.concat();
        read("x.txt", text.as_bytes());
        for text in [
            format!("\\begin{{matrix}}{text}\\end{{matrix}}"),
            format!("\\begin{{array}}{text}\\end{{array}}$"),
            format!("|{text}|\n|-|\n|{text}|"),
            format!("{{{{{text}}}}};"),
        ] {
            read("x.csv", text.as_bytes());
        }
    }

    #[test]
    fn any_pick_of_any_tensor(
        shape in prop::collection::vec(0_usize..4, 0..5),
        picks in prop::collection::vec(pick(), 1..5),
        value in prop_oneof![Just(0.5), Just(f64::NAN), Just(-1.0)],
    ) {
        let _alone = alone();
        let count = shape.iter().product();
        let tensor = Tensor { name: "q".to_owned(), shape, element: attnlab::exchange::Element::F64, values: vec![value; count] };
        take(&[tensor.clone(), Tensor { values: vec![0.5], ..tensor.clone() }, tensor], &picks);
        prop_assert!(is_bounded());
    }
}
