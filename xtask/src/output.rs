//! Printing, for every command.

/// A result, to standard output.
#[expect(clippy::print_stdout, reason = "a command's result")]
pub(crate) fn out(text: &str) {
    println!("{}", text.trim_end());
}

/// A message, to standard error.
#[expect(clippy::print_stderr, reason = "messages go to standard error")]
pub(crate) fn note(text: &str) {
    eprintln!("{text}");
}

/// Something wrong, to standard error.
pub(crate) fn error(text: &str) {
    note(&format!("error: {text}"));
}

/// The heading of a step.
pub(crate) fn step(text: &str) {
    note(&format!("\n==> {text}"));
}
