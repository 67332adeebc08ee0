//! Prints results to standard output and messages to standard error. Colours and progress bars appear only on a
//! terminal.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use crate::global::{Color, Global};
use crate::log;
use crate::pager;

/// The writer of a command's results and messages.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    json: bool,
    plain: bool,
    quiet: bool,
    verbose: bool,
    results: Paint,
    messages: Paint,
    pages: bool,
    held: Arc<Mutex<Option<Held>>>,
}

/// Output that is held back until the command is done, so that it can be paged.
#[derive(Debug, Default)]
struct Held {
    result: String,
    /// Messages for standard error, which are read after the result.
    messages: Vec<u8>,
}

impl Output {
    /// Creates the writer that the flags ask for.
    pub(crate) fn new(flags: &Global) -> Self {
        Self {
            json: flags.json,
            plain: flags.plain,
            quiet: flags.quiet,
            verbose: flags.verbose > 0,
            results: Paint {
                on: !flags.json && !flags.plain && colored(flags.color, io::stdout().is_terminal()),
            },
            messages: Paint { on: !flags.plain && colored(flags.color, io::stderr().is_terminal()) },
            pages: !flags.no_pager
                && !flags.no_input
                && !flags.json
                && !flags.plain
                && io::stdout().is_terminal()
                && io::stdin().is_terminal(),
            held: Arc::default(),
        }
    }

    /// Holds back what is printed from now on, if a long result is paged.
    pub(crate) fn hold(&self) {
        if self.pages {
            *self.held() = Some(Held::default());
        }
    }

    /// Prints what was held back: page by page, if it does not fit the terminal.
    pub(crate) fn release(&self) {
        let Some(Held { result, messages }) = self.held().take() else { return };
        let paged = pager::is_long(&result) && pager::show(&result);
        if !paged && !result.is_empty() {
            let _ = self.line(&result);
        }
        let _ = io::stderr().lock().write_all(&messages);
    }

    fn held(&self) -> MutexGuard<'_, Option<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if the result is to be JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Returns the colours for results.
    pub(crate) fn paint(&self) -> Paint {
        self.results
    }

    /// Returns the colours for messages.
    pub(crate) fn paint_messages(&self) -> Paint {
        self.messages
    }

    /// Prints a part of the result and a newline. A reader that has gone is no error: the command goes on, and its exit code
    /// says what it found.
    pub(crate) fn line(&self, text: &str) -> io::Result<()> {
        // What was said before it is read before it.
        log::flush();
        let line = format!("{}\n", text.trim_end_matches('\n'));
        if let Some(held) = self.held().as_mut() {
            held.result.push_str(&line);
            return Ok(());
        }
        let mut out = io::stdout().lock();
        match out.write_all(line.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }

    /// Prints the result as one line of JSON.
    pub(crate) fn value(&self, value: &impl Serialize) -> io::Result<()> {
        self.line(&serde_json::to_string(value).map_err(io::Error::other)?)
    }

    /// Prints a message, unless `--quiet` is set.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            self.message(text);
        }
    }

    /// Prints a message if `--verbose` is set.
    pub(crate) fn detail(&self, text: &str) {
        if self.verbose {
            self.message(text);
        }
    }

    /// Prints a warning, also with `--quiet`.
    pub(crate) fn warn(&self, text: &str) {
        self.message(&format!("{} {text}", self.messages.warn("warning:")));
    }

    /// Prints to standard error. Errors are ignored: there is no other place to report them.
    pub(crate) fn message(&self, text: &str) {
        let line = format!("{}\n", text.trim_end_matches('\n')).into_bytes();
        if let Some(held) = self.held().as_mut() {
            held.messages.extend(line);
            return;
        }
        // A server must not wait for whoever reads this.
        if let Some(line) = log::not_taken(line) {
            let _ = io::stderr().lock().write_all(&line);
        }
    }

    /// Prints a table: with aligned columns, or separated by tabs and without a head with `--plain`.
    pub(crate) fn table(&self, head: &[&str], rows: &[Vec<String>]) -> io::Result<()> {
        if self.plain {
            return rows.iter().try_for_each(|row| self.line(&row.join("\t")));
        }
        self.line(&aligned(head, rows, self.results))
    }

    /// Prints a list: as JSON, as a table with a row for each item, or as the message `none` if it is empty.
    pub(crate) fn list<T: Serialize>(
        &self,
        items: &[T],
        none: &str,
        head: &[&str],
        row: impl Fn(&T) -> Vec<String>,
    ) -> io::Result<()> {
        if self.json {
            return self.value(&items);
        }
        if items.is_empty() {
            self.note(none);
            return Ok(());
        }
        self.table(head, &items.iter().map(row).collect::<Vec<_>>())
    }

    /// Creates a progress bar of `length` steps. It stays hidden without a terminal.
    pub(crate) fn bar(&self, length: u64, what: &str) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(Some(length), self.draw());
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {elapsed}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(what.to_owned());
        bar
    }

    /// Creates a counter of something whose end is not known. It stays hidden without a terminal.
    pub(crate) fn counter(&self, what: &str) -> ProgressBar {
        let counter = ProgressBar::with_draw_target(None, self.draw());
        let style = ProgressStyle::with_template("{msg} {pos} {elapsed}");
        counter.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        counter.set_message(what.to_owned());
        counter
    }

    fn draw(&self) -> ProgressDrawTarget {
        if self.quiet || self.plain || !io::stderr().is_terminal() {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        }
    }
}

fn colored(asked: Color, terminal: bool) -> bool {
    match asked {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            // https://no-color.org: present and not empty.
            let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            terminal && !refused && !dumb
        }
    }
}

/// Wraps text in the colour codes of a terminal, or leaves it as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    /// Returns a paint that leaves text as it is.
    #[cfg(test)]
    pub(crate) fn off() -> Self {
        Self { on: false }
    }

    /// Paints a success.
    pub(crate) fn good(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// Paints a failure.
    pub(crate) fn bad(self, text: &str) -> String {
        self.wrap("1;31", text)
    }

    /// Paints a warning.
    pub(crate) fn warn(self, text: &str) -> String {
        self.wrap("33", text)
    }

    /// Paints a heading or a name.
    pub(crate) fn name(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// Paints something of less interest.
    pub(crate) fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.on { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

fn aligned(head: &[&str], rows: &[Vec<String>], paint: Paint) -> String {
    let cells = |text: &str| throughline_channels::terminal::cells(text);
    let width = |column: usize| {
        let longest = rows.iter().filter_map(|row| row.get(column)).map(|text| cells(text)).max();
        longest.unwrap_or(0).max(head.get(column).map_or(0, |text| cells(text)))
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let row = |values: &mut dyn Iterator<Item = &str>| {
        let mut line = String::new();
        for (text, width) in values.zip(&widths) {
            line.push_str(text);
            line.push_str(&" ".repeat(width.saturating_sub(cells(text)) + 2));
        }
        line.trim_end().to_owned()
    };
    let mut lines = vec![paint.dim(&row(&mut head.iter().copied()))];
    lines.extend(rows.iter().map(|values| row(&mut values.iter().map(String::as_str))));
    lines.join("\n")
}

/// Formats a number with its noun: `1 lane`, `2 lanes`.
pub(crate) fn count<N: Display + PartialEq + From<u8>>(n: N, noun: &str) -> String {
    if n == N::from(1) { format!("1 {noun}") } else { format!("{n} {noun}s") }
}
