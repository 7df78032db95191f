//! A static server for `dist/`, for `cargo xtask serve` and for the browser tests alike: what is
//! tested is what is served.
//!
//! It knows `GET` and `HEAD` of files, on this machine, one request a connection. Rejected:
//! `tiny_http`, whose pool of threads now and then left one of a browser's kept connections
//! waiting for ever, so that a page never finished loading.

use anyhow::{Context, Result};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The type of a file by its ending, as the browser must be told it.
const TYPES: [(&str, &str); 11] = [
    ("html", "text/html; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("mjs", "text/javascript; charset=utf-8"),
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

/// A browser that says nothing for this long has gone away.
const SILENCE: Duration = Duration::from_secs(30);

/// No browser sends more before the body.
const MOST_HEADER_BYTES: u64 = 64 << 10;

/// With these a page is isolated from other origins, and gets shared memory and finer clocks for it.
const ISOLATION: &str = "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp\r\n";

/// A server that holds its port.
pub struct Server {
    listener: TcpListener,
    port: u16,
    /// Headers of every file, beside the usual ones.
    more_headers: &'static str,
}

impl Server {
    /// Takes a port of this machine; port 0 takes any free one.
    ///
    /// # Errors
    /// When the port is taken or not allowed.
    pub fn bind(port: u16) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port, more_headers: "" })
    }

    /// The same with pages that may share memory between threads.
    #[must_use]
    pub fn isolated(self) -> Self {
        Self { more_headers: ISOLATION, ..self }
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
            let (stream, _) = self.listener.accept()?;
            let (folder, more_headers) = (folder.to_path_buf(), self.more_headers);
            // A browser that goes away in the middle of an answer is no reason to end.
            std::thread::spawn(move || answer(&stream, &folder, more_headers).ok());
        }
    }

    /// Serves `folder` from a thread of its own, until `stop` is called: then the port is closed, as if the network
    /// were cut.
    ///
    /// # Errors
    /// When no port is free.
    pub fn start_stoppable(folder: PathBuf) -> Result<Stoppable> {
        let server = Self::bind(0)?;
        let (port, stopped) = (server.port, Arc::new(AtomicBool::new(false)));
        let stop = stopped.clone();
        let thread = std::thread::spawn(move || {
            while let Ok((stream, _)) = server.listener.accept() {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let folder = folder.clone();
                std::thread::spawn(move || answer(&stream, &folder, server.more_headers).ok());
            }
        });
        Ok(Stoppable { port, stopped, thread })
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

/// A server that can be stopped.
pub struct Stoppable {
    port: u16,
    stopped: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<()>,
}

impl Stoppable {
    /// The address of the page.
    #[must_use]
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Closes the port.
    pub fn stop(self) {
        self.stopped.store(true, Ordering::Relaxed);
        // It waits for the next one who knocks.
        TcpStream::connect(("127.0.0.1", self.port)).ok();
        self.thread.join().ok();
    }
}

/// What a browser asks for.
struct Request {
    method: String,
    address: String,
    accepted_encodings: Vec<String>,
}

fn answer(stream: &TcpStream, folder: &Path, more_headers: &str) -> Result<()> {
    stream.set_read_timeout(Some(SILENCE))?;
    let request = read_request(stream)?;
    let mut out = stream;
    let plain = |status: &str| format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    if !matches!(request.method.as_str(), "GET" | "HEAD") {
        out.write_all(plain("405 Method Not Allowed").as_bytes())?;
        return Ok(());
    }
    let Some(path) = file_of(&request.address, folder) else {
        out.write_all(plain("404 Not Found").as_bytes())?;
        return Ok(());
    };
    let mut encoding = String::new();
    let mut file = path.clone();
    for (name, ending) in ENCODINGS {
        let compressed = PathBuf::from(format!("{}.{ending}", path.display()));
        if request.accepted_encodings.iter().any(|known| known == name) && compressed.is_file() {
            encoding = format!("Content-Encoding: {name}\r\n");
            file = compressed;
            break;
        }
    }
    let mut content = File::open(file)?;
    let length = content.metadata()?.len();
    // Browsers ask each time whether the page has changed; nothing here is far away.
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {}\r\nContent-Length: {length}\r\n{encoding}Vary: Accept-Encoding\r\n\
         {more_headers}Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        type_of(&path)
    );
    out.write_all(head.as_bytes())?;
    if request.method == "GET" {
        std::io::copy(&mut content, &mut out)?;
    }
    Ok(())
}

fn read_request(stream: &TcpStream) -> Result<Request> {
    let mut lines = BufReader::new(stream.take(MOST_HEADER_BYTES)).lines();
    let first = lines.next().context("an empty request")??;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, address) = (words.next().context("no method")?, words.next().context("no address")?);
    let mut accepted_encodings = Vec::new();
    for line in lines {
        let line = line?;
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("accept-encoding")
        {
            accepted_encodings = encodings(value);
        }
    }
    Ok(Request { method, address, accepted_encodings })
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
fn encodings(header: &str) -> Vec<String> {
    let known = header.split(',').filter_map(|part| {
        let (name, quality) = part.split_once(';').unwrap_or((part, ""));
        let refused = quality.trim().replace(' ', "") == "q=0";
        (!refused).then(|| name.trim().to_ascii_lowercase())
    });
    known.collect()
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

    #[test]
    fn only_an_isolated_page_may_share_memory() {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let head = |server: Server| {
            let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
            let folder = folder.clone();
            std::thread::spawn(move || server.serve(&folder));
            write!(stream, "HEAD /lib.rs HTTP/1.1\r\n\r\n").unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            text
        };
        assert!(!head(Server::bind(0).unwrap()).contains("Cross-Origin"));
        assert!(head(Server::bind(0).unwrap().isolated()).contains(ISOLATION));
    }

    #[test]
    fn a_file_is_served_compressed_only_to_those_who_ask() {
        let folder = std::env::temp_dir().join(format!("attnlab-server-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("index.html"), "plain").unwrap();
        std::fs::write(folder.join("index.html.gz"), "gzip").unwrap();
        let address = Server::start(folder.clone()).unwrap();
        let ask = |encoding: &str| {
            let host = address.trim_start_matches("http://").trim_end_matches('/');
            let mut stream = TcpStream::connect(host).unwrap();
            write!(stream, "GET / HTTP/1.1\r\nAccept-Encoding: {encoding}\r\n\r\n").unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            text
        };
        assert!(ask("identity").ends_with("\r\n\r\nplain"));
        assert!(ask("br, gzip;q=1.0").ends_with("\r\n\r\ngzip"));
        assert!(ask("gzip;q=0").ends_with("\r\n\r\nplain"));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
