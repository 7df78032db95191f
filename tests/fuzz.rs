//! Fuzz targets: everything that reads what strangers wrote. Under `cargo test` each runs for a moment on inputs of its
//! own making; `cargo bolero test TARGET` (with the fuzzing engines that it brings) goes on for as long as one likes.

use attnlab::attention::{Problem, solve};
use attnlab::exchange::{read_block, read_file, read_number};
use attnlab::session::{Session, Shelf};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn fuzz_link() {
    bolero::check!().for_each(|bytes| {
        let _ = Session::from_link(&text(bytes));
        // Past the outer layers: what is unpacked is no better than what is packed.
        let packed = miniz_oxide::deflate::compress_to_vec(bytes, 6);
        let _ = Session::from_link(&format!("1.{}", URL_SAFE_NO_PAD.encode(bytes)));
        let _ = Session::from_link(&format!("1.{}", URL_SAFE_NO_PAD.encode(packed)));
    });
}

#[test]
fn fuzz_problem_file() {
    bolero::check!().for_each(|bytes| {
        if let Ok(problem) = Problem::from_json(&text(bytes)) {
            let _ = solve(&problem);
        }
    });
}

#[test]
fn fuzz_saved_session() {
    bolero::check!().for_each(|bytes| {
        let _ = Session::from_saved(&text(bytes));
        let _ = Shelf::from_saved(&text(bytes));
    });
}

#[test]
fn fuzz_number() {
    bolero::check!().for_each(|bytes| {
        if let Ok(number) = read_number(&text(bytes)) {
            assert!(number.is_finite());
        }
    });
}

#[test]
fn fuzz_block() {
    bolero::check!().for_each(|bytes| {
        let _ = read_block(&text(bytes));
    });
}

/// The file formats, each behind its own first bytes so that the reader gets past them.
#[test]
fn fuzz_file() {
    let beginnings: [(&str, &[u8]); 6] = [
        ("a.npy", b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': ("),
        ("a.npz", b"PK\x03\x04"),
        ("a.safetensors", b"\x40\x00\x00\x00\x00\x00\x00\x00{\"a\":{\"dtype\":\"F32\",\"shape\":["),
        ("a.csv", b"1,2\n"),
        ("a.json", b"{\"q\": [["),
        ("a.bin", b""),
    ];
    bolero::check!().for_each(|bytes| {
        for (name, beginning) in beginnings {
            let _ = read_file(name, &[beginning, bytes].concat());
        }
    });
}
