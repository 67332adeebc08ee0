//! The way between a process and its database, with faults of a network: it is cut, slow, or forgets its connections.

use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tempfile::TempDir;

/// Name of a server's socket.
const SOCKET: &str = ".s.PGSQL.5432";

/// A connection, at both of its ends, and whether anything still arrives.
struct Carried {
    ends: [UnixStream; 2],
    forgotten: Arc<AtomicBool>,
}

#[derive(Default)]
struct State {
    cut: AtomicBool,
    /// The longest time in milliseconds that a piece is under way.
    slow: AtomicU64,
    /// The number of pieces that were carried.
    pieces: AtomicU64,
    open: Mutex<Vec<Carried>>,
}

/// A way to one server. A client connects to a socket in a folder of its own.
pub(super) struct Wire {
    folder: TempDir,
    state: Arc<State>,
}

impl Wire {
    /// Makes a way to the server whose socket is in a folder.
    pub(super) fn to(server: PathBuf) -> Self {
        let folder = tempfile::Builder::new().prefix("wire").tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join(SOCKET)).unwrap();
        let state = Arc::new(State::default());
        let carries = state.clone();
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let Ok(client) = client else { return };
                // While it is cut, a connection ends at once.
                if let (false, Ok(server)) =
                    (carries.cut.load(Ordering::SeqCst), UnixStream::connect(server.join(SOCKET)))
                {
                    carry(&carries, client, server);
                }
            }
        });
        Self { folder, state }
    }

    /// Returns the folder of the socket to connect to.
    pub(super) fn folder(&self) -> String {
        self.folder.path().display().to_string()
    }

    /// Ends all connections and refuses new ones.
    pub(super) fn cut(&self) {
        self.state.cut.store(true, Ordering::SeqCst);
        for carried in self.state.open.lock().unwrap().drain(..) {
            carried.ends.iter().for_each(|end| drop(end.shutdown(Shutdown::Both)));
        }
    }

    /// Takes connections again, all as quick as they can be.
    pub(super) fn mend(&self) {
        self.state.cut.store(false, Ordering::SeqCst);
        self.state.slow.store(0, Ordering::SeqCst);
    }

    /// Forgets all connections: nothing arrives on them any more, and neither end is told. New ones work.
    pub(super) fn forget(&self) {
        for carried in self.state.open.lock().unwrap().drain(..) {
            carried.forgotten.store(true, Ordering::SeqCst);
        }
    }

    /// Makes everything slow, by at most so many milliseconds for each piece, so that connections overtake each other.
    pub(super) fn slow(&self, milliseconds: u64) {
        self.state.slow.store(milliseconds, Ordering::SeqCst);
    }
}

fn carry(state: &Arc<State>, client: UnixStream, server: UnixStream) {
    let forgotten = Arc::new(AtomicBool::new(false));
    let ends = || [client.try_clone().unwrap(), server.try_clone().unwrap()];
    state.open.lock().unwrap().push(Carried { ends: ends(), forgotten: forgotten.clone() });
    for [from, to] in [ends(), [server, client]] {
        let (state, forgotten) = (state.clone(), forgotten.clone());
        std::thread::spawn(move || forward(&state, from, to, &forgotten));
    }
}

fn forward(state: &State, mut from: UnixStream, mut to: UnixStream, forgotten: &AtomicBool) {
    let mut buffer = [0; 16_384];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        let piece = state.pieces.fetch_add(1, Ordering::Relaxed);
        let longest = state.slow.load(Ordering::SeqCst);
        if longest > 0 {
            std::thread::sleep(Duration::from_millis(1 + piece * 7919 % longest));
        }
        // What is forgotten is read and goes nowhere.
        if !forgotten.load(Ordering::SeqCst) && to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    if !forgotten.load(Ordering::SeqCst) {
        let _ = to.shutdown(Shutdown::Both);
    }
}
