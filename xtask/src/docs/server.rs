//! The server of a page: on a port of its own, in the background, killed when dropped.

use std::io::{BufRead as _, BufReader, PipeReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// The address that the pages show.
pub(super) const ADDRESS: &str = "127.0.0.1:7070";
/// The longest time to start, to print something, or to stop.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(10);

pub(super) struct Server {
    child: Child,
    /// The address it listens on.
    address: String,
    /// Its output since the last look.
    printed: Arc<Mutex<String>>,
    /// The thread that reads its output to the end.
    reader: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts it with this command, on any free port, and waits until it takes requests.
    pub(super) fn start(mut command: Command) -> Result<Self> {
        let (reader, writer) = std::io::pipe()?;
        // A page's own file may name another address; the environment wins over it.
        command.env("THROUGHLINE_SERVER__LISTEN", "127.0.0.1:0");
        command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
        let child = command.spawn().context("cannot run sh")?;
        drop(command);
        let printed = Arc::new(Mutex::new(String::new()));
        let into = Arc::clone(&printed);
        let reader = std::thread::spawn(move || collect(reader, &into));
        let mut server = Self { child, address: String::new(), printed, reader: Some(reader) };
        server.address = server.wait("say where it listens", |server| {
            let printed = server.printed();
            let listens = printed.lines().find_map(|line| line.split_once("listens on http://"));
            listens.map(|(_, address)| address.trim().to_owned())
        })?;
        let ready = format!("http://{}/readyz", server.address);
        server.wait("be ready", |_| ureq::get(&ready).call().is_ok().then_some(()))?;
        Ok(server)
    }

    /// Returns the address it listens on.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the output since the last call, as soon as `right` accepts it or the time is over.
    pub(super) fn said(&mut self, right: impl Fn(&str) -> bool) -> Result<String> {
        let address = self.address.clone();
        let readable = |printed: &str| printed.replace(&address, ADDRESS);
        // After a timeout the caller's comparison fails and shows the output.
        let _ = self.wait("print it", |server| right(&readable(&server.printed())).then_some(()));
        Ok(std::mem::take(&mut *self.printed.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Interrupts it as Ctrl-C does, waits for its end, and returns its output.
    pub(super) fn interrupt(mut self) -> Result<String> {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status().context("cannot run kill")?;
        if !sent.success() {
            bail!("the server cannot be interrupted: it runs no more");
        }
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            if started.elapsed() > PATIENCE {
                bail!("the server has not stopped after {} s", PATIENCE.as_secs());
            }
            std::thread::sleep(LOOK);
        };
        if let Some(reader) = self.reader.take() {
            reader.join().map_err(|_| anyhow::anyhow!("what the server printed cannot be read"))?;
        }
        if !status.success() {
            bail!("the server did not end well ({status}):\n{}", self.printed());
        }
        Ok(self.printed())
    }

    fn printed(&self) -> String {
        self.printed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn wait<T>(&mut self, what: &str, look: impl Fn(&Self) -> Option<T>) -> Result<T> {
        let started = Instant::now();
        loop {
            if let Some(found) = look(self) {
                return Ok(found);
            }
            if let Some(status) = self.child.try_wait()? {
                bail!("the server ended ({status}):\n{}", self.printed());
            }
            if started.elapsed() > PATIENCE {
                bail!("the server did not {what} in {} s:\n{}", PATIENCE.as_secs(), self.printed());
            }
            std::thread::sleep(LOOK);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn collect(reader: PipeReader, into: &Mutex<String>) {
    for line in BufReader::new(reader).lines().map_while(Result::ok) {
        let mut into = into.lock().unwrap_or_else(PoisonError::into_inner);
        into.push_str(&line);
        into.push('\n');
    }
}
