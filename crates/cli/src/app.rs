//! The context of every command: global flags, output, and a runtime for futures.

use std::fmt::Write as _;
use std::future::Future;
use std::path::PathBuf;

use throughline_server::traces::SpanSender;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

use crate::error::Failure;
use crate::global::Global;
use crate::log;
use crate::output::Output;

/// The context of a command.
pub(crate) struct App {
    /// The global flags.
    pub(crate) flags: Global,
    /// The writer of results and messages.
    pub(crate) out: Output,
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// One line of text each.
    Text,
    /// One JSON object each.
    Json,
}

impl App {
    /// Creates the context that the global flags ask for.
    pub(crate) fn new(flags: Global) -> Self {
        Self { out: Output::new(&flags), flags }
    }

    /// Returns a command line to show as a hint, with the flags by which it meets the same installation. What the
    /// environment says is left out: it says it to the next command too.
    pub(crate) fn command(&self, words: &str) -> String {
        let flags = &self.flags;
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let given = [
            ("--config", "THROUGHLINE_CONFIG", path(&flags.config)),
            ("--data", "", path(&flags.data)),
            ("--server", "THROUGHLINE_SERVER_URL", flags.server.clone()),
            ("--token-file", "THROUGHLINE_TOKEN_FILE", path(&flags.token_file)),
        ];
        let mut line = format!("throughline {words}");
        for (flag, variable, value) in given {
            let Some(value) = value else { continue };
            if std::env::var(variable).is_ok_and(|said| said == value) {
                continue;
            }
            let _ = write!(line, " {flag} {}", quoted(&value));
        }
        line
    }

    /// Runs a future to completion on a new runtime.
    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> Result<T, Failure> {
        Ok(self.runtime()?.block_on(future))
    }

    /// Starts a runtime, for a command that runs several futures on it.
    pub(crate) fn runtime(&self) -> Result<tokio::runtime::Runtime, Failure> {
        tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::new("cannot start the runtime").because(&error))
    }

    /// Starts logging to standard error. `-q` and `-v` win over the configured level. Logs never contain the content of
    /// messages (docs/design/0038-console-and-telemetry.md). Spans go to their sender, if there is one.
    pub(crate) fn start_log(&self, configured: Option<&str>, format: LogFormat, spans: Option<&SpanSender>) {
        let level = match (self.flags.quiet, self.flags.verbose) {
            (true, _) => "error",
            (false, 0) => configured.unwrap_or("error"),
            (false, 1) => "info",
            (false, _) => "debug",
        };
        // The MCP client logs the arguments and results of tool calls in full, and spans are no lines of a log.
        let apart = format!("rmcp=error,{}=off", throughline_runtime::spans::TARGET);
        let filter = EnvFilter::try_new(format!("{level},{apart}"))
            .unwrap_or_else(|_| EnvFilter::new(format!("info,{apart}")));
        log::start();
        let lines = tracing_subscriber::fmt::layer()
            .with_writer(log::Lines)
            .with_ansi(false)
            // It would be told on standard error, which is what failed.
            .log_internal_errors(false);
        let lines = match format {
            LogFormat::Text => lines.compact().with_filter(filter).boxed(),
            LogFormat::Json => lines.json().with_filter(filter).boxed(),
        };
        // This fails only if a logger is set already, and this is the one place that sets it.
        let _ = tracing_subscriber::registry().with(lines).with(spans.map(SpanSender::layer)).try_init();
    }
}

/// Returns a word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_word_is_quoted_where_a_shell_would_take_it_apart() {
        assert_eq!(quoted("http://127.0.0.1:7070"), "http://127.0.0.1:7070");
        assert_eq!(quoted("my bot.toml"), "'my bot.toml'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
