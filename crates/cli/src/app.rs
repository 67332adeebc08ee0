//! What every command is handed: the global flags, the output, and the way to a runtime.

use std::future::Future;

use tracing_subscriber::EnvFilter;

use crate::args::Global;
use crate::error::Failure;
use crate::output::Output;

/// The program, as the command line set it up.
pub(crate) struct App {
    /// The global flags.
    pub(crate) flags: Global,
    /// Where results and messages go.
    pub(crate) out: Output,
}

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

impl App {
    /// As the flags say.
    pub(crate) fn new(flags: Global) -> Self {
        Self { out: Output::new(&flags), flags }
    }

    /// Runs a future to its end on a runtime of its own.
    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> Result<T, Failure> {
        Ok(self.runtime()?.block_on(future))
    }

    /// A runtime for a command that needs one for longer.
    pub(crate) fn runtime(&self) -> Result<tokio::runtime::Runtime, Failure> {
        tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::new("cannot start the runtime").because(&error))
    }

    /// Log lines go to standard error from here on. `-q` and `-v` win over what is configured. Message content is never
    /// in them (`spec 07 §12`).
    pub(crate) fn start_log(&self, configured: Option<&str>, format: LogFormat) {
        let level = match (self.flags.quiet, self.flags.verbose) {
            (true, _) => "error",
            (false, 0) => configured.unwrap_or("error"),
            (false, 1) => "info",
            (false, _) => "debug",
        };
        // The client of tool servers tells of what people answered and tools said, word by word.
        let level = format!("{level},rmcp=error");
        let filter = EnvFilter::try_new(level).unwrap_or_else(|_| EnvFilter::new("info,rmcp=error"));
        let log =
            tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false);
        // Set at the start of the program and never again, so there is nothing to say of a second time.
        let _ = match format {
            LogFormat::Text => log.compact().try_init(),
            LogFormat::Json => log.json().try_init(),
        };
    }
}
