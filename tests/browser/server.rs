//! A static server for `dist/`, for `cargo xtask serve` and for the browser tests alike: what is
//! tested is what is served.

use anyhow::{Result, anyhow};
use std::fs::File;
use std::path::{Path, PathBuf};
use tiny_http::{Header, Request, Response, StatusCode};

/// The type of a file by its ending, as the browser must be told it.
const TYPES: [(&str, &str); 10] = [
    ("html", "text/html; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("json", "application/json; charset=utf-8"),
    ("wasm", "application/wasm"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("ico", "image/x-icon"),
    ("webmanifest", "application/manifest+json"),
    ("txt", "text/plain; charset=utf-8"),
];

/// Compressed forms, best first: the name in the headers and the ending of the file.
const ENCODINGS: [(&str, &str); 2] = [("br", "br"), ("gzip", "gz")];

/// A server that holds its port.
pub struct Server {
    http: tiny_http::Server,
    port: u16,
}

impl Server {
    /// Takes a port of this machine; port 0 takes any free one.
    ///
    /// # Errors
    /// When the port is taken or not allowed.
    pub fn bind(port: u16) -> Result<Self> {
        let http = tiny_http::Server::http(("127.0.0.1", port)).map_err(|why| anyhow!(why))?;
        let port = http.server_addr().to_ip().map_or(port, |ip| ip.port());
        Ok(Self { http, port })
    }

    /// The address of the page.
    #[must_use]
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Answers requests for the files of `folder`, for as long as the program runs.
    ///
    /// # Errors
    /// When the port is lost.
    pub fn serve(&self, folder: &Path) -> Result<()> {
        loop {
            // A browser that goes away in the middle of an answer is no reason to end.
            answer(self.http.recv()?, folder).ok();
        }
    }

    /// Serves `folder` from a thread of its own, until the program ends; gives the address.
    ///
    /// # Errors
    /// When no port is free.
    pub fn start(folder: PathBuf) -> Result<String> {
        let server = Self::bind(0)?;
        let address = server.address();
        std::thread::spawn(move || server.serve(&folder));
        Ok(address)
    }
}

fn answer(request: Request, folder: &Path) -> std::io::Result<()> {
    let Some(path) = file_of(request.url(), folder) else {
        return request.respond(Response::from_string("not found").with_status_code(404));
    };
    let mut headers = vec![
        header("Content-Type", type_of(&path)),
        // Browsers ask each time whether the page has changed; nothing here is far away.
        header("Cache-Control", "no-cache"),
        header("Vary", "Accept-Encoding"),
        header("X-Content-Type-Options", "nosniff"),
    ];
    let accepted = accepted_encodings(&request);
    let mut file = path.clone();
    for (name, ending) in ENCODINGS {
        let compressed = PathBuf::from(format!("{}.{ending}", path.display()));
        if accepted.iter().any(|known| known == name) && compressed.is_file() {
            headers.push(header("Content-Encoding", name));
            file = compressed;
            break;
        }
    }
    let content = File::open(file)?;
    let length = content.metadata()?.len();
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    request.respond(Response::new(StatusCode(200), headers, content, Some(length), None))
}

/// The file that an address means, if it is one and lies below the folder.
fn file_of(address: &str, folder: &Path) -> Option<PathBuf> {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let mut file = folder.to_path_buf();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        // No way up, and no hidden file.
        if part.starts_with('.') || part.contains('\\') {
            return None;
        }
        file.push(part);
    }
    if path.ends_with('/') {
        file.push("index.html");
    }
    file.is_file().then_some(file)
}

fn type_of(path: &Path) -> &'static str {
    let ending = path.extension().unwrap_or_default();
    TYPES.iter().find(|(known, _)| ending == *known).map_or("application/octet-stream", |(_, name)| name)
}

/// What the browser can unpack, from `Accept-Encoding`; `q=0` means that it cannot.
fn accepted_encodings(request: &Request) -> Vec<String> {
    let wanted = request
        .headers()
        .iter()
        .find(|header| header.field.equiv("Accept-Encoding"))
        .map(|header| header.value.as_str().to_owned())
        .unwrap_or_default();
    wanted
        .split(',')
        .filter_map(|part| {
            let (name, quality) = part.split_once(';').unwrap_or((part, ""));
            let refused = quality.trim().replace(' ', "") == "q=0";
            (!refused).then(|| name.trim().to_ascii_lowercase())
        })
        .collect()
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("names and values here are plain ASCII")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_never_leaves_the_folder() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(file_of("/server.rs?x=1", folder).is_some());
        assert!(file_of("/../../Cargo.toml", folder).is_none());
        assert!(file_of("/no-such-file", folder).is_none());
        assert!(file_of("/", folder).is_none(), "no index.html here");
    }

    #[test]
    fn wasm_has_the_type_that_streaming_needs() {
        assert_eq!(type_of(Path::new("a/b.wasm")), "application/wasm");
        assert_eq!(type_of(Path::new("a/b")), "application/octet-stream");
    }
}
