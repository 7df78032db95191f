//! Compresses the files of `dist/` once, at build time, so that serving them costs nothing.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// Smaller files gain nothing.
const WORTHWHILE_BYTES: usize = 1024;

/// Writes a `.br` and a `.gz` beside every file.
pub fn beside(dist: &Path, files: &BTreeMap<String, Vec<u8>>) -> Result<()> {
    // One thread a format: the wasm is nearly all of the work.
    std::thread::scope(|scope| {
        let brotli = scope.spawn(|| all(dist, files, "br", brotli));
        let gzip = all(dist, files, "gz", gzip);
        brotli.join().expect("compressing does not panic")?;
        gzip
    })
}

fn all(
    dist: &Path,
    files: &BTreeMap<String, Vec<u8>>,
    ending: &str,
    compress: fn(&[u8]) -> std::io::Result<Vec<u8>>,
) -> Result<()> {
    for (address, content) in files {
        if content.len() >= WORTHWHILE_BYTES {
            let compressed = compress(content).with_context(|| format!("{ending} of {address}"))?;
            std::fs::write(dist.join(format!("{address}.{ending}")), compressed)?;
        }
    }
    Ok(())
}

fn brotli(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut out = Vec::new();
    let params =
        brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 22, size_hint: content.len(), ..Default::default() };
    brotli::BrotliCompress(&mut &content[..], &mut out, &params)?;
    Ok(out)
}

fn gzip(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut out = Vec::new();
    zopfli::compress(zopfli::Options::default(), zopfli::Format::Gzip, content, &mut out)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn what_is_compressed_can_be_read_again() {
        let content: Vec<u8> = (0..5000_u32).flat_map(u32::to_le_bytes).collect();
        let (br, gz) = (brotli(&content).unwrap(), gzip(&content).unwrap());
        assert!(br.len() < content.len() && gz.len() < content.len());
        let mut from_br = Vec::new();
        brotli::BrotliDecompress(&mut &br[..], &mut from_br).unwrap();
        let mut from_gz = Vec::new();
        flate2::read::GzDecoder::new(&gz[..]).read_to_end(&mut from_gz).unwrap();
        assert_eq!(from_br, content);
        assert_eq!(from_gz, content);
    }
}
