//! A TCP proxy between the browser and the server, which can cut connections, break them in the middle, lose answers, and
//! hold back event streams.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::server::{Kind, Server};

/// The content type by which an event stream is recognised.
const STREAM: &[u8] = b"text/event-stream";

/// Starts a server and a proxy in front of it.
pub(crate) fn server_behind_proxy() -> (Server, Proxy) {
    let (proxy, listener) = Proxy::bind();
    let names = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", proxy.port));
    let server = Server::of(Kind::Demo { names: names.into() });
    proxy.forward_to(listener, server.port());
    (server, proxy)
}

/// The faults that the proxy plays, and its open connections.
struct State {
    /// False while connections are refused.
    up: bool,
    /// The number of bytes to the browser after which a connection breaks. Later connections get a little further.
    carries: Option<usize>,
    /// True while answers break behind their head.
    headless: bool,
    /// The number of connections that broke in the middle.
    broke: usize,
    /// True while event streams are held back.
    holds: bool,
    /// The number of answers to POST requests that are still to be lost.
    loses: usize,
    open: Vec<TcpStream>,
}

/// A proxy in front of a server.
pub(crate) struct Proxy {
    port: u16,
    state: Arc<Mutex<State>>,
}

impl Proxy {
    /// Binds a port. [`Proxy::forward_to`] starts forwarding.
    pub(crate) fn bind() -> (Self, TcpListener) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let state = State {
            up: true,
            carries: None,
            headless: false,
            broke: 0,
            holds: false,
            loses: 0,
            open: Vec::new(),
        };
        let port = listener.local_addr().unwrap().port();
        (Self { port, state: Arc::new(Mutex::new(state)) }, listener)
    }

    /// Forwards connections to the server on a local port, until the process ends.
    pub(crate) fn forward_to(&self, listener: TcpListener, server: u16) {
        let state = Arc::clone(&self.state);
        std::thread::spawn(move || {
            for browser in listener.incoming() {
                let Ok(browser) = browser else { return };
                let up = state.lock().unwrap().up;
                // While the proxy is cut, the connection is dropped, which the browser sees as its end.
                if let (true, Ok(server)) = (up, TcpStream::connect(("127.0.0.1", server))) {
                    carry(&state, browser, server);
                }
            }
        });
    }

    /// Returns a URL of the server with the proxy's address.
    pub(crate) fn url_of(&self, address: &str) -> String {
        let path = address.splitn(4, '/').nth(3).unwrap_or_default();
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// Breaks all connections and refuses new ones.
    pub(crate) fn cut(&self) {
        let mut state = self.state.lock().unwrap();
        state.up = false;
        for open in state.open.drain(..) {
            let _ = open.shutdown(Shutdown::Both);
        }
    }

    /// Accepts connections again.
    pub(crate) fn restore(&self) {
        self.state.lock().unwrap().up = true;
    }

    /// From now on breaks each connection after this many bytes to the browser, or none.
    pub(crate) fn break_after(&self, bytes: Option<usize>) {
        let mut state = self.state.lock().unwrap();
        state.carries = bytes;
        // Open connections would still have the old limit.
        for open in state.open.drain(..) {
            let _ = open.shutdown(Shutdown::Both);
        }
    }

    /// From now on breaks each answer behind its head, or none: the browser knows the status and gets no body.
    pub(crate) fn break_bodies(&self, breaks: bool) {
        self.state.lock().unwrap().headless = breaks;
    }

    /// Holds back event streams, or releases them. Held events arrive after the release. Other answers pass.
    pub(crate) fn hold_streams(&self, holds: bool) {
        self.state.lock().unwrap().holds = holds;
    }

    /// Loses the answers to this many POST requests. The server has handled the requests.
    pub(crate) fn lose_answers(&self, count: usize) {
        self.state.lock().unwrap().loses = count;
    }

    /// Returns the number of answers that are still to be lost.
    pub(crate) fn answers_to_lose(&self) -> usize {
        self.state.lock().unwrap().loses
    }

    /// Returns the number of connections that broke in the middle.
    pub(crate) fn broken_connections(&self) -> usize {
        self.state.lock().unwrap().broke
    }
}

fn carry(state: &Arc<Mutex<State>>, browser: TcpStream, server: TcpStream) {
    let carries = {
        let mut state = state.lock().unwrap();
        state.open.push(browser.try_clone().unwrap());
        state.open.push(server.try_clone().unwrap());
        state.carries.map(|bytes| bytes + 97 * (state.broke % 40))
    };
    let posts = Arc::new(AtomicBool::new(false));
    let (asks, is_asked, posted) =
        (browser.try_clone().unwrap(), server.try_clone().unwrap(), Arc::clone(&posts));
    std::thread::spawn(move || ask(asks, &is_asked, &posted));
    let state = Arc::clone(state);
    std::thread::spawn(move || {
        if answer(&state, server, &browser, carries, &posts) {
            state.lock().unwrap().broke += 1;
        }
        let _ = browser.shutdown(Shutdown::Both);
    });
}

/// Forwards requests, and records whether the last was a POST.
fn ask(mut browser: TcpStream, mut server: &TcpStream, posts: &AtomicBool) {
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = browser.read(&mut buffer) {
        let asked = &buffer[..read];
        if asked.starts_with(b"POST ") || asked.starts_with(b"GET ") {
            posts.store(asked.starts_with(b"POST "), Ordering::SeqCst);
        }
        if server.write_all(asked).is_err() {
            break;
        }
    }
    let _ = server.shutdown(Shutdown::Both);
}

/// Forwards at most `carries` bytes of answers. Returns true if it broke the connection.
fn answer(
    state: &Mutex<State>,
    mut server: TcpStream,
    mut browser: &TcpStream,
    carries: Option<usize>,
    posts: &AtomicBool,
) -> bool {
    let mut left = carries.unwrap_or(usize::MAX);
    let mut streams = false;
    let mut buffer = [0; 4096];
    loop {
        let Ok(read) = server.read(&mut buffer) else { return false };
        streams |= buffer[..read].windows(STREAM.len()).any(|bytes| bytes == STREAM);
        while streams && state.lock().unwrap().holds {
            std::thread::sleep(Duration::from_millis(10));
        }
        if posts.load(Ordering::SeqCst) && lost(state) {
            return false;
        }
        let head = head_of(&buffer[..read]).filter(|_| state.lock().unwrap().headless);
        left = left.min(head.unwrap_or(usize::MAX));
        let passes = read.min(left);
        if read == 0 || browser.write_all(&buffer[..passes]).is_err() {
            return false;
        }
        left -= passes;
        if left == 0 {
            let _ = server.shutdown(Shutdown::Both);
            return true;
        }
    }
}

/// Returns the length of the head of an answer that begins here.
fn head_of(answer: &[u8]) -> Option<usize> {
    const END: &[u8] = b"\r\n\r\n";
    let ends = || answer.windows(END.len()).position(|bytes| bytes == END);
    answer.starts_with(b"HTTP/").then(ends)?.map(|at| at + END.len())
}

/// Returns true if this answer is to be lost, and counts it.
fn lost(state: &Mutex<State>) -> bool {
    let mut state = state.lock().unwrap();
    let lost = state.loses > 0;
    state.loses = state.loses.saturating_sub(1);
    lost
}
