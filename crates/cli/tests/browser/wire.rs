//! The network between the browser and the server, which can be cut: at once and for a while, over and over in the
//! middle of whatever is on its way, or so that the page is told nothing while it can still ask.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::serving::{Kind, Serving};

/// What an answer says that goes on for ever.
const STREAM: &[u8] = b"text/event-stream";

/// A server, and a network through which a browser reaches it.
pub(crate) fn behind_a_network() -> (Serving, Network) {
    let (network, listener) = Network::bind();
    let names = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", network.port));
    let serving = Serving::of(Kind::Demo { names: names.into() });
    network.to(listener, serving.port());
    (serving, network)
}

/// How the network is.
struct State {
    /// Whether connections go through.
    up: bool,
    /// How many bytes a connection carries to the browser before it breaks; grows with each that broke.
    carries: Option<usize>,
    /// How many broke that way.
    broke: usize,
    /// Whether what the server tells by itself is held back.
    holds: bool,
    /// How many answers to what is sent are lost, from now on.
    loses: usize,
    open: Vec<TcpStream>,
}

/// A network in front of a server.
pub(crate) struct Network {
    port: u16,
    state: Arc<Mutex<State>>,
}

impl Network {
    /// Binds a port; nothing goes through before [`Network::to`].
    pub(crate) fn bind() -> (Self, TcpListener) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let state = State { up: true, carries: None, broke: 0, holds: false, loses: 0, open: Vec::new() };
        let port = listener.local_addr().unwrap().port();
        (Self { port, state: Arc::new(Mutex::new(state)) }, listener)
    }

    /// Carries what comes to the server on that port, until the process ends.
    pub(crate) fn to(&self, listener: TcpListener, server: u16) {
        let state = Arc::clone(&self.state);
        std::thread::spawn(move || {
            for browser in listener.incoming() {
                let Ok(browser) = browser else { return };
                let up = state.lock().unwrap().up;
                // Dropped when the network is down: the browser sees its connection end.
                if let (true, Ok(server)) = (up, TcpStream::connect(("127.0.0.1", server))) {
                    carry(&state, browser, server);
                }
            }
        });
    }

    /// An address of the server, through this network.
    pub(crate) fn url_of(&self, address: &str) -> String {
        let path = address.splitn(4, '/').nth(3).unwrap_or_default();
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// Breaks every connection and lets none through.
    pub(crate) fn cut(&self) {
        let mut state = self.state.lock().unwrap();
        state.up = false;
        for open in state.open.drain(..) {
            let _ = open.shutdown(Shutdown::Both);
        }
    }

    /// Lets connections through again.
    pub(crate) fn mend(&self) {
        self.state.lock().unwrap().up = true;
    }

    /// From now on each connection breaks after so many bytes to the browser; `None`: never.
    pub(crate) fn break_after(&self, bytes: Option<usize>) {
        let mut state = self.state.lock().unwrap();
        state.carries = bytes;
        // Those that are open were promised more.
        for open in state.open.drain(..) {
            let _ = open.shutdown(Shutdown::Both);
        }
    }

    /// Holds back what the server tells by itself; what it is asked goes on. What was held back arrives later.
    pub(crate) fn hold_streams(&self, holds: bool) {
        self.state.lock().unwrap().holds = holds;
    }

    /// Loses the answers to so many POSTs: the server did what was asked, and nobody hears of it.
    pub(crate) fn lose_answers(&self, count: usize) {
        self.state.lock().unwrap().loses = count;
    }

    /// How many of them are still to be lost.
    pub(crate) fn loses(&self) -> usize {
        self.state.lock().unwrap().loses
    }

    /// How many connections broke in the middle.
    pub(crate) fn broke(&self) -> usize {
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

/// Carries what is asked, and notes whether it is a POST.
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

/// Carries answers, at most so many bytes of them; `true`: the last was broken off.
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

/// Whether this answer is one of those to be lost.
fn lost(state: &Mutex<State>) -> bool {
    let mut state = state.lock().unwrap();
    let lost = state.loses > 0;
    state.loses = state.loses.saturating_sub(1);
    lost
}
