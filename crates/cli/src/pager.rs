//! Shows a long result page by page, on a terminal.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// The pager where `PAGER` names none; it shows colours, and leaves the text on the screen.
const PAGER: &str = "less";
/// The flags of `less` where `LESS` sets none.
const LESS: &str = "FRX";

/// Returns true if a text has more lines than the terminal, broken at its width.
pub(crate) fn is_long(text: &str) -> bool {
    let Some((width, height)) = terminal_size::terminal_size() else { return false };
    let width = usize::from(width.0).max(1);
    let rows = |line: &str| throughline_channels::terminal::cells(line).div_ceil(width).max(1);
    // The prompt needs a row.
    text.lines().map(rows).sum::<usize>() >= usize::from(height.0)
}

/// Shows a text in the pager. Returns false if there is none, or it is not wanted.
pub(crate) fn show(text: &str) -> bool {
    let pager = std::env::var("PAGER").unwrap_or_else(|_| PAGER.into());
    // A pager may be named with arguments: `less -S`.
    let mut words = pager.split_whitespace();
    let Some(program) = words.next().filter(|program| *program != "cat") else { return false };
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", LESS);
    }
    let Ok(mut child) = command.spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // Whoever has read enough closes it.
        let _ = input.write_all(text.as_bytes());
    }
    child.wait().is_ok()
}
