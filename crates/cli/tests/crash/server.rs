//! The process under test: started with a fail point, and restarted without it when it dies.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The environment variable with the fail point to die at.
pub(crate) const FAILPOINT: &str = "THROUGHLINE_FAILPOINT";

/// The environment variable with the faults of the embedded tracker.
pub(crate) const TRACKER: &str = "THROUGHLINE_TRACKER_FAULTS";

/// The environment variable with the address of a store that is not a file of the server.
pub(crate) const STORE_URL: &str = "THROUGHLINE_STORE__URL";

/// A server that is restarted when it dies. Dropping it kills the process.
pub(crate) struct Server {
    data: Option<TempDir>,
    url: String,
    child: Arc<Mutex<Child>>,
    died: Arc<AtomicBool>,
    stopping: Arc<AtomicBool>,
    keeper: Option<JoinHandle<()>>,
}

/// An environment variable of the server.
pub(crate) type Variable = (&'static str, String);

fn spawn(data: &Path, port: u16, variables: &[Variable]) -> Child {
    let log = std::fs::File::options().create(true).append(true).open(data.join("log")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_throughline"));
    command.args(["serve", "--demo", "--quiet", "--listen", &format!("127.0.0.1:{port}")]);
    if !variables.iter().any(|(name, _)| *name == STORE_URL) {
        command.arg("--data").arg(data);
    }
    command
        .current_dir(data)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", data);
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap()
}

impl Server {
    /// Starts the server on a free port: the first process with the variables `first` and `always`, its successors with
    /// `always` only.
    pub(crate) fn start(first: &[Variable], always: &[Variable]) -> Self {
        Self::start_on(tempfile::tempdir().unwrap(), first, always)
    }

    /// Starts the server on data that is there already.
    pub(crate) fn start_on(data: TempDir, first: &[Variable], always: &[Variable]) -> Self {
        let port = crate::port::reserve();
        let child = Arc::new(Mutex::new(spawn(data.path(), port, &[first, always].concat())));
        let (died, stopping) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let keeper = {
            let (child, died, stopping, data, always) =
                (child.clone(), died.clone(), stopping.clone(), data.path().to_owned(), always.to_vec());
            std::thread::spawn(move || {
                // As a supervisor does, it waits longer for a process that dies again and again.
                let mut pause = Duration::from_millis(10);
                while !stopping.load(Ordering::SeqCst) {
                    let mut child = child.lock().unwrap();
                    if child.try_wait().unwrap().is_some() && !stopping.load(Ordering::SeqCst) {
                        died.store(true, Ordering::SeqCst);
                        *child = spawn(&data, port, &always);
                        pause = (pause * 4).min(Duration::from_millis(500));
                    }
                    drop(child);
                    std::thread::sleep(pause);
                }
            })
        };
        let url = format!("http://127.0.0.1:{port}");
        Self { data: Some(data), url, child, died, stopping, keeper: Some(keeper) }
    }

    /// Returns the address of the server.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Returns the folder of its data.
    pub(crate) fn data(&self) -> &Path {
        self.data.as_ref().unwrap().path()
    }

    /// Returns true if a process has died.
    pub(crate) fn died(&self) -> bool {
        self.died.load(Ordering::SeqCst)
    }

    /// Sends a signal to the process.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.lock().unwrap().id();
        let sent = Command::new("kill").args([&format!("-{name}"), &id.to_string()]).status();
        assert!(sent.unwrap().success());
    }

    /// Kills the process after a delay.
    pub(crate) fn kill_after(&self, time: Duration) {
        std::thread::sleep(time);
        self.child.lock().unwrap().kill().unwrap();
    }

    /// Stops the process as an operator does, and waits for its successor to be started.
    pub(crate) fn restart(&self) {
        let id = self.child.lock().unwrap().id();
        self.signal("TERM");
        let started = Instant::now();
        while self.child.lock().unwrap().id() == id {
            assert!(started.elapsed() < Duration::from_secs(60), "the process does not stop");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until a process has died, at most this long.
    pub(crate) fn wait_for_death(&self, time: Duration) {
        let started = Instant::now();
        while !self.died() && started.elapsed() < time {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Stops the server and returns its data.
    pub(crate) fn stop(mut self) -> TempDir {
        self.end();
        self.data.take().unwrap()
    }

    fn end(&mut self) {
        self.stopping.store(true, Ordering::SeqCst);
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
        let mut child = self.child.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}
