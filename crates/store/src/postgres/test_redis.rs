//! A Redis server for one test, which can be stopped, emptied and set back to an older copy; and one that lies.

use std::io::{BufRead, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Longest wait for a server that was started.
const PATIENCE: Duration = Duration::from_secs(60);

/// Ports for servers: below those that systems give to connections, so that one that was stopped finds its port free.
const PORTS: std::ops::Range<u32> = 10_000..12_000;

/// Tries to find a port.
const TRIES: u32 = 20;

fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let (first, many) = (PORTS.start, PORTS.end - PORTS.start);
    loop {
        let next = std::process::id().wrapping_mul(17).wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = u16::try_from(first + next % many).unwrap_or_default();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// A server in a folder of its own. Dropping it stops it.
pub struct Redis {
    port: u16,
    password: Option<String>,
    child: Mutex<Option<Child>>,
    folder: TempDir,
}

impl Redis {
    /// Starts a server.
    ///
    /// # Panics
    /// Redis is not installed, or does not start.
    pub fn start() -> Self {
        Self::start_with(None)
    }

    /// Starts a server that asks for a password.
    ///
    /// # Panics
    /// As [`Self::start`].
    pub fn start_with(password: Option<&str>) -> Self {
        let folder = tempfile::Builder::new().prefix("redis").tempdir().unwrap();
        let mut server =
            Self { port: 0, password: password.map(Into::into), child: Mutex::default(), folder };
        // Another process may take the same port at the same moment; then this one's server ends at once.
        for _ in 0..TRIES {
            server.port = free_port();
            if server.try_resume() {
                return server;
            }
        }
        panic!("redis-server does not start")
    }

    /// Returns its address, without a password.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Returns its port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Starts the server again, with what it had saved.
    ///
    /// # Panics
    /// As [`Self::start`].
    pub fn resume(&self) {
        assert!(self.try_resume(), "redis-server does not start");
    }

    /// Starts the server and waits until it answers. Returns false if it ended instead.
    fn try_resume(&self) -> bool {
        let mut command = Command::new("redis-server");
        command.args([
            "--bind",
            "127.0.0.1",
            "--port",
            &self.port.to_string(),
            "--save",
            "",
            "--appendonly",
            "no",
        ]);
        command.args(self.password.iter().flat_map(|password| ["--requirepass", password]));
        command.current_dir(self.folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("Redis is not installed: install Debian's package redis-server");
        let mut kept = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let child = kept.insert(child);
        let started = Instant::now();
        loop {
            // Somebody else's server may answer on the port.
            if !matches!(child.try_wait(), Ok(None)) {
                return false;
            }
            if self.answers() {
                return true;
            }
            assert!(started.elapsed() < PATIENCE, "redis-server does not answer");
            std::thread::yield_now();
        }
    }

    /// Ends the server at once. What it had not saved is lost.
    pub fn stop(&self) {
        if let Some(mut child) = self.child.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Lets the server stand still: it takes connections and answers nothing.
    ///
    /// # Panics
    /// It does not run.
    pub fn freeze(&self) {
        self.signal("STOP");
    }

    /// Lets it go on.
    ///
    /// # Panics
    /// It does not run.
    pub fn thaw(&self) {
        self.signal("CONT");
    }

    fn signal(&self, name: &str) {
        let child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let pid = child.as_ref().expect("Redis runs").id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    /// Returns the number of keys that it has.
    ///
    /// # Panics
    /// It does not answer.
    pub fn keys(&self) -> u64 {
        self.say(&[&["DBSIZE"]])
            .pop()
            .and_then(|line| line.trim_start_matches(':').trim().parse().ok())
            .unwrap()
    }

    fn answers(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
        let mut line = String::new();
        stream.write_all(b"PING\r\n").is_ok()
            && BufReader::new(stream).read_line(&mut line).is_ok_and(|n| n > 0)
    }

    /// Sends commands in the protocol of Redis. Returns the answers, which are words or numbers.
    ///
    /// # Panics
    /// The server refuses one.
    pub fn say(&self, commands: &[&[&str]]) -> Vec<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let mut answers = BufReader::new(stream.try_clone().unwrap());
        let say = |command: &&[&str]| {
            let words: String = command.iter().map(|word| format!("${}\r\n{word}\r\n", word.len())).collect();
            stream.write_all(format!("*{}\r\n{words}", command.len()).as_bytes()).unwrap();
            let mut line = String::new();
            answers.read_line(&mut line).unwrap();
            assert!(line.starts_with('+') || line.starts_with(':'), "{command:?}: {line}");
            line
        };
        commands.iter().map(say).collect()
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Something that answers like Redis and keeps nothing: every key exists, and what is published reaches nobody. It ends with
/// the process.
pub struct LyingRedis {
    url: String,
    lies: Arc<AtomicU32>,
}

impl LyingRedis {
    /// Starts one.
    ///
    /// # Panics
    /// There is no free port.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("redis://{}", listener.local_addr().unwrap());
        let lies = Arc::new(AtomicU32::new(0));
        let count = lies.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let count = count.clone();
                std::thread::spawn(move || lie(stream, &count));
            }
        });
        Self { url, lies }
    }

    /// Returns its address.
    #[must_use]
    pub fn url(&self) -> String {
        self.url.clone()
    }

    /// Returns the number of its lies.
    #[must_use]
    pub fn lies(&self) -> u32 {
        self.lies.load(Ordering::Relaxed)
    }
}

fn lie(mut stream: TcpStream, lies: &AtomicU32) -> Option<()> {
    let mut requests = BufReader::new(stream.try_clone().ok()?);
    loop {
        let words: Vec<String> =
            (0..number(&mut requests, '*')?).map(|_| word(&mut requests)).collect::<Option<_>>()?;
        let first = words.first()?.to_ascii_uppercase();
        lies.fetch_add(u32::from(["EXISTS", "PUBLISH"].contains(&first.as_str())), Ordering::Relaxed);
        let answer = match (first.as_str(), words.get(1)) {
            ("SUBSCRIBE", Some(channel)) => {
                format!("*3\r\n$9\r\nsubscribe\r\n${}\r\n{channel}\r\n:1\r\n", channel.len())
            }
            ("EXISTS", _) => ":1\r\n".into(),
            ("PUBLISH", _) => ":0\r\n".into(),
            _ => "+OK\r\n".into(),
        };
        stream.write_all(answer.as_bytes()).ok()?;
    }
}

/// Reads a line that is a number behind a sign.
fn number(requests: &mut impl BufRead, sign: char) -> Option<usize> {
    let mut line = String::new();
    requests.read_line(&mut line).ok()?;
    line.trim_end().strip_prefix(sign)?.parse().ok()
}

/// Reads a word of a request.
fn word(requests: &mut impl BufRead) -> Option<String> {
    let mut bytes = vec![0; number(requests, '$')? + 2];
    requests.read_exact(&mut bytes).ok()?;
    bytes.truncate(bytes.len() - 2);
    String::from_utf8(bytes).ok()
}
