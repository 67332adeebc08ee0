//! Every error becomes help here and nowhere else: what failed, why, a code, and what to do next.

use std::error::Error;
use std::fmt::Write as _;
use std::io;

use serde_json::json;

use crate::exit::Exit;
use crate::output::Paint;

/// What ends a command early.
#[derive(Debug)]
pub(crate) struct Failure {
    what: String,
    why: Vec<String>,
    code: Option<String>,
    hint: Option<String>,
    exit: Exit,
    /// Nobody reads us any more: say nothing and end well.
    broken_pipe: bool,
}

/// What a command returns.
pub(crate) type Outcome = Result<Exit, Failure>;

impl Failure {
    /// Something that could not be done: "cannot read x.yaml".
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            why: Vec::new(),
            code: None,
            hint: None,
            exit: Exit::Failure,
            broken_pipe: false,
        }
    }

    /// A wrong command line that clap cannot know to be wrong.
    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self::new(what).exit(Exit::Usage)
    }

    /// With the cause, and the causes of that.
    pub(crate) fn because(mut self, error: &(dyn Error + 'static)) -> Self {
        let mut next = Some(error);
        while let Some(error) = next {
            let text = error.to_string();
            // Many errors repeat their source in their own words; said once is enough.
            let said =
                self.why.last().is_some_and(|before| before.contains(&text)) || self.what.contains(&text);
            if !said {
                self.why.push(text);
            }
            next = error.source();
        }
        self
    }

    /// With one cause in words.
    pub(crate) fn why(mut self, why: impl Into<String>) -> Self {
        self.why.push(why.into());
        self
    }

    /// With its code: `TL-6102`.
    pub(crate) fn code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// With the next step.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// With another exit code than 1.
    pub(crate) fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    /// How the program ends.
    pub(crate) fn ends(&self) -> Exit {
        if self.broken_pipe { Exit::Ok } else { self.exit }
    }

    /// As a person reads it; empty when there is nobody to read it.
    pub(crate) fn render(&self, paint: Paint) -> String {
        if self.broken_pipe {
            return String::new();
        }
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

    /// In two sentences: what is wrong, and what to do. For reports with a line for each.
    pub(crate) fn told(&self) -> (String, String) {
        let mut found = self.what.clone();
        for why in &self.why {
            let _ = write!(found, "\n{why}");
        }
        let explain = || self.code.as_ref().map(|code| format!("throughline explain {code}"));
        (found, self.hint.clone().or_else(explain).unwrap_or_else(|| "see above".into()))
    }

    /// As a program reads it.
    pub(crate) fn json(&self) -> String {
        if self.broken_pipe {
            return String::new();
        }
        let error = json!({
            "what": self.what, "why": self.why, "code": self.code, "hint": self.hint, "exit": self.exit.code(),
        });
        format!("{}\n", json!({ "error": error }))
    }
}

/// Writing the result failed. A closed pipe is the reader's choice and no error.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let broken_pipe = error.kind() == io::ErrorKind::BrokenPipe;
        Self { broken_pipe, ..Self::new("cannot write the output").because(&error) }
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
        assert_eq!(failure.ends().code(), 4);
    }

    #[test]
    fn a_closed_pipe_is_no_error() {
        let failure = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!((failure.render(Paint::off()), failure.ends()), (String::new(), Exit::Ok));
    }
}
