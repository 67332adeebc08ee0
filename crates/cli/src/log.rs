//! Standard error of a command that logs, written by a thread of its own.
//!
//! A log that is read by nobody must hold up nothing: a pipe that is full blocks whoever writes to it, and one whose reader
//! has gone, or a disk that is full, is an error at every line. So whoever has something to say puts it into a queue. What
//! does not fit is lost and counted, and the count is told as soon as there is somebody to tell.

use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

/// Lines that wait to be written.
const WAITING: usize = 1_024;
/// Time that the last lines have to be written before the process ends.
const LAST_WORDS: Duration = Duration::from_secs(1);

static LOG: OnceLock<Log> = OnceLock::new();

struct Log {
    queue: SyncSender<Entry>,
    /// Lines that were lost since the start.
    lost: AtomicU64,
    /// True once nobody took the lines within [`LAST_WORDS`]. They are not waited for again.
    stuck: AtomicBool,
}

enum Entry {
    Line(Vec<u8>),
    /// A request to tell when everything before it was written.
    Flush(SyncSender<()>),
}

/// Starts the thread. From now on, standard error is written by it alone. Without a thread it stays as it was.
pub(crate) fn start() {
    let (queue, waiting) = sync_channel(WAITING);
    let started = std::thread::Builder::new().name("log".into()).spawn(move || write_lines(&waiting));
    if started.is_ok() {
        let _ = LOG.set(Log { queue, lost: AtomicU64::new(0), stuck: AtomicBool::new(false) });
        std::panic::set_hook(Box::new(|panic| {
            let trace = std::backtrace::Backtrace::capture();
            let _ = not_taken(format!("{panic}\n{trace}\n").into_bytes());
            if std::thread::current().name() == Some("main") {
                flush();
            }
        }));
    }
}

/// Hands lines to the thread. Returns them if there is none.
#[must_use]
pub(crate) fn not_taken(lines: Vec<u8>) -> Option<Vec<u8>> {
    let Some(log) = LOG.get() else { return Some(lines) };
    if log.queue.try_send(Entry::Line(lines)).is_err() {
        log.lose();
    }
    None
}

/// Waits until everything is written, or it turns out that nobody reads it.
pub(crate) fn flush() {
    let Some(log) = LOG.get() else { return };
    let (done, written) = sync_channel(1);
    let waits = !log.stuck.load(Ordering::Relaxed) && log.queue.try_send(Entry::Flush(done)).is_ok();
    if waits && written.recv_timeout(LAST_WORDS).is_err() {
        log.stuck.store(true, Ordering::Relaxed);
    }
}

impl Log {
    fn lose(&self) {
        let lost = self.lost.fetch_add(1, Ordering::Relaxed) + 1;
        throughline_server::log_lines_lost(lost);
    }
}

fn write_lines(waiting: &Receiver<Entry>) {
    let mut told = 0;
    while let Ok(entry) = waiting.recv() {
        match entry {
            Entry::Line(line) => {
                let lost = LOG.get().map_or(0, |log| log.lost.load(Ordering::Relaxed));
                let written = tell_lost(lost - told).and_then(|()| {
                    told = lost;
                    io::stderr().write_all(&line)
                });
                if let (Err(_), Some(log)) = (written, LOG.get()) {
                    log.lose();
                }
            }
            Entry::Flush(done) => drop(done.send(())),
        }
    }
}

fn tell_lost(lines: u64) -> io::Result<()> {
    if lines == 0 {
        return Ok(());
    }
    writeln!(io::stderr(), "{lines} lines of the log were lost: nobody took them")
}

/// The writer that a subscriber makes for each event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines;

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        Self
    }
}

impl Write for Lines {
    /// Takes all of it. A subscriber writes an event with one call, so that it is one entry of the queue.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match not_taken(line.to_vec()) {
            None => Ok(line.len()),
            Some(line) => io::stderr().write(&line),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
