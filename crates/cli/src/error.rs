//! The error of a command, and its rendering as help: what failed, why, a code, and what to do next.

use std::error::Error;
use std::fmt::Write as _;
use std::io;

use serde_json::json;
use throughline_server::views::context::PromptError;

use crate::exit::Exit;
use crate::output::Paint;

/// A failed command.
#[derive(Debug)]
pub(crate) struct Failure {
    what: String,
    why: Vec<String>,
    code: Option<String>,
    hint: Option<String>,
    exit: Exit,
}

/// The result of a command.
pub(crate) type Outcome = Result<Exit, Failure>;

impl Failure {
    /// Creates a failure of an act: "cannot read x.yaml".
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), why: Vec::new(), code: None, hint: None, exit: Exit::Failure }
    }

    /// Creates a failure for a command line that clap accepts and the command does not.
    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self::new(what).exit(Exit::Usage)
    }

    /// Adds an error and its chain of sources as causes.
    pub(crate) fn because(mut self, error: &(dyn Error + 'static)) -> Self {
        let mut next = Some(error);
        while let Some(error) = next {
            let text = error.to_string();
            // Many errors contain the text of their source, which would be printed twice.
            let said =
                self.why.last().is_some_and(|before| before.contains(&text)) || self.what.contains(&text);
            if !said {
                self.why.push(text);
            }
            next = error.source();
        }
        self
    }

    /// Adds a cause in words.
    pub(crate) fn why(mut self, why: impl Into<String>) -> Self {
        self.why.push(why.into());
        self
    }

    /// Sets the error code: `TL-6102`.
    pub(crate) fn code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// Sets the hint on what to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Sets an exit code other than 1.
    pub(crate) fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    /// Returns true if another process has the store.
    pub(crate) fn is_store_in_use(&self) -> bool {
        self.code.as_deref() == Some("TL-6102")
    }

    /// Returns the exit code of the program.
    pub(crate) fn exit_code(&self) -> Exit {
        self.exit
    }

    /// Renders the failure as text.
    pub(crate) fn render(&self, paint: Paint) -> String {
        let mut out = format!("{} {}\n", paint.bad("error:"), self.what);
        for why in &self.why {
            let _ = writeln!(out, "  because: {}", why.replace('\n', "\n           "));
        }
        if let Some(code) = &self.code {
            let _ = writeln!(out, "  code: {code} (`throughline explain {code}`)");
        }
        if let Some(hint) = &self.hint {
            let _ = writeln!(out, "{} {hint}", paint.name("hint:"));
        }
        out
    }

    /// Returns the failure as a finding and a fix, for a report of several checks.
    pub(crate) fn finding_and_fix(&self) -> (String, String) {
        let mut found = self.what.clone();
        for why in &self.why {
            let _ = write!(found, "\n{why}");
        }
        let explain = || self.code.as_ref().map(|code| format!("throughline explain {code}"));
        (found, self.hint.clone().or_else(explain).unwrap_or_else(|| "see above".into()))
    }

    /// Renders the failure as a line of JSON.
    pub(crate) fn json(&self) -> String {
        let error = json!({
            "what": self.what, "why": self.why, "code": self.code, "hint": self.hint, "exit": self.exit.code(),
        });
        format!("{}\n", json!({ "error": error }))
    }
}

/// An error of printing the result.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::new("cannot write the output").because(&error)
    }
}

/// An error of building the prompt of a lane or of a state document.
impl From<PromptError> for Failure {
    fn from(error: PromptError) -> Self {
        match &error {
            PromptError::Bounds { .. } => Self::usage("cannot build the prompt").because(&error),
            PromptError::TooLarge(_) => Self::new("cannot build the prompt").because(&error).code("TL-1302"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_why_code_and_what_to_do() {
        let source = io::Error::new(io::ErrorKind::PermissionDenied, "permission denied");
        let failure = Failure::new("cannot read throughline.toml")
            .because(&source)
            .code("TL-1002")
            .hint("make it readable for you")
            .exit(Exit::Configuration);
        assert_eq!(
            failure.render(Paint::off()),
            "error: cannot read throughline.toml\n  because: permission denied\n  \
             code: TL-1002 (`throughline explain TL-1002`)\nhint: make it readable for you\n"
        );
        assert_eq!(failure.exit_code().code(), 4);
    }
}
