//! The context of every command: global flags, output, and a runtime for futures.

use std::fmt::Write as _;
use std::future::Future;
use std::path::PathBuf;

use tracing_subscriber::EnvFilter;

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
    /// messages (docs/design/0038-console-and-telemetry.md).
    pub(crate) fn start_log(&self, configured: Option<&str>, format: LogFormat) {
        let level = match (self.flags.quiet, self.flags.verbose) {
            (true, _) => "error",
            (false, 0) => configured.unwrap_or("error"),
            (false, 1) => "info",
            (false, _) => "debug",
        };
        // The MCP client logs the arguments and results of tool calls in full.
        let level = format!("{level},rmcp=error");
        let filter = EnvFilter::try_new(level).unwrap_or_else(|_| EnvFilter::new("info,rmcp=error"));
        log::start();
        let log = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(log::Lines)
            .with_ansi(false)
            // It would be told on standard error, which is what failed.
            .log_internal_errors(false);
        // This fails only if a logger is set already, and this is the one place that sets it.
        let _ = match format {
            LogFormat::Text => log.compact().try_init(),
            LogFormat::Json => log.json().try_init(),
        };
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
