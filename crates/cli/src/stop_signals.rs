//! Signals that ask the program to stop: Ctrl-C, and the one that a service manager sends.

use std::io;

/// The signals of this process, from the moment they are listened for.
pub(crate) struct StopSignals {
    interrupted: system::Interrupted,
    terminated: system::Terminated,
}

impl StopSignals {
    /// Listens for them in place of the system, which would end the process.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self { interrupted: system::interrupted()?, terminated: system::terminated()? })
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupted.recv() => {}
            _ = self.terminated.recv() => {}
        }
    }
}

#[cfg(unix)]
mod system {
    use std::io;

    pub(super) use tokio::signal::unix::{Signal as Interrupted, Signal as Terminated};
    use tokio::signal::unix::{SignalKind, signal};

    pub(super) fn interrupted() -> io::Result<Interrupted> {
        signal(SignalKind::interrupt())
    }

    pub(super) fn terminated() -> io::Result<Terminated> {
        signal(SignalKind::terminate())
    }
}

#[cfg(windows)]
mod system {
    pub(super) use tokio::signal::windows::{
        CtrlBreak as Terminated, CtrlC as Interrupted, ctrl_break as terminated, ctrl_c as interrupted,
    };
}
