//! Limits of ids and texts, and problems with a request (`docs/design/0033-access-and-limits.md`).

use std::fmt;

use serde::Serialize;

/// The longest message text, in characters.
pub const MAX_TEXT: usize = 40_000;
/// The longest id or name, in characters.
pub const MAX_ID: usize = 255;
/// The most files of a message.
pub const MAX_FILES: usize = 10;
/// The longest address of a file, in characters.
pub const MAX_URL: usize = 2_000;
/// The longest id of a task that a host reports, in characters.
pub const MAX_TASK: usize = 128;
/// The longest title of an act, in characters.
pub const MAX_ACT_TITLE: usize = 150;
/// The longest line about an act, in characters.
pub const MAX_ACT_LINE: usize = 300;
/// The most lines about an act.
pub const MAX_ACT_LINES: usize = 20;
/// The longest content of an act, in bytes of its text: people read it before they approve it.
pub(super) const MAX_ACT_PAYLOAD: usize = 8 * 1024;
/// The most values a form may carry.
pub const MAX_FORM_VALUES: usize = 100;

/// One thing wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The place, as a JSON pointer (RFC 6901). Empty for the whole body.
    pub pointer: String,
    /// The problem, and what to send instead.
    pub text: String,
}

impl Problem {
    /// Creates a problem at a place.
    #[must_use]
    pub fn new(pointer: impl Into<String>, text: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), text: text.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pointer.as_str() {
            "" => f.write_str(&self.text),
            pointer => write!(f, "{pointer}: {}", self.text),
        }
    }
}

/// A body that cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// The body is not JSON; answered with 400.
    #[error("the body is not JSON: {0}")]
    Malformed(String),
    /// The body is JSON of another shape; answered with 422.
    #[error("the body is not what belongs here: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Invalid(Vec<Problem>),
}

/// Escapes a member name for a JSON pointer.
pub(super) fn step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Checks the parts of a request and collects the problems, so that one answer names all of them.
#[derive(Default)]
pub(crate) struct Checker {
    pub(crate) problems: Vec<Problem>,
}

impl Checker {
    pub(crate) fn wrong(&mut self, pointer: &str, text: impl Into<String>) {
        self.problems.push(Problem::new(pointer, text));
    }

    /// True if a problem at that place was found before.
    pub(crate) fn named(&self, pointer: &str) -> bool {
        self.problems.iter().any(|problem| problem.pointer == pointer)
    }

    /// Requires a member. If it is missing, reports a problem and returns a default to go on with.
    pub(crate) fn required<T: Default>(&mut self, pointer: &str, kind: &str, value: Option<T>) -> T {
        value.unwrap_or_else(|| {
            let name = pointer.rsplit('/').next().unwrap_or(pointer);
            self.wrong(pointer, format!("{kind} needs {name}"));
            T::default()
        })
    }

    /// Checks an id: visible characters, no blanks, nothing invisible.
    pub(crate) fn id(&mut self, pointer: &str, id: &str) {
        let length = id.chars().count();
        if length == 0 {
            self.wrong(pointer, "an id must not be empty; leave the member out instead");
        } else if length > MAX_ID {
            self.wrong(pointer, format!("an id has at most {MAX_ID} characters; this one has {length}"));
        }
        if let Some(odd) = id.chars().find(|c| c.is_control() || c.is_whitespace() || is_invisible(*c)) {
            let odd = u32::from(odd);
            self.wrong(pointer, format!("an id has visible characters only; this one holds U+{odd:04X}"));
        }
    }

    /// Checks an id that may be left out.
    pub(crate) fn maybe_id(&mut self, pointer: &str, id: Option<&str>) {
        if let Some(id) = id {
            self.id(pointer, id);
        }
    }

    /// Checks a person's name: one line.
    pub(crate) fn name(&mut self, pointer: &str, name: &str) {
        if name.chars().count() > MAX_ID || name.chars().any(char::is_control) {
            self.wrong(pointer, format!("a name is one line of at most {MAX_ID} characters"));
        }
    }

    /// Checks a line that people decide by: one line that shows all that is in it.
    pub(crate) fn line(&mut self, pointer: &str, line: &str, most: usize) {
        let length = line.chars().count();
        if length > most {
            self.wrong(pointer, format!("this line has at most {most} characters; this one has {length}"));
        }
        if line.trim().is_empty() {
            self.wrong(pointer, "there is nothing in this line");
        }
        if let Some(odd) = line.chars().find(|c| c.is_control() || is_invisible(*c)) {
            let odd = u32::from(odd);
            self.wrong(pointer, format!("this line has visible characters only; this one holds U+{odd:04X}"));
        }
    }

    /// Checks a text: not too long, and without U+0000, which some stores cannot keep.
    pub(crate) fn text(&mut self, pointer: &str, text: &str) {
        let length = text.chars().count();
        if length > MAX_TEXT {
            self.wrong(pointer, format!("a text has at most {MAX_TEXT} characters; this one has {length}"));
        }
        if text.contains('\0') {
            self.wrong(pointer, "a text must not hold the character U+0000");
        }
    }

    /// Checks a text that somebody is meant to read: not blank.
    pub(crate) fn words(&mut self, pointer: &str, text: &str) {
        self.text(pointer, text);
        if text.trim().is_empty() {
            self.wrong(pointer, "there is nothing in this text");
        }
    }
}

/// True for characters that take no room or turn the direction of text: two ids that look alike must not differ by
/// them.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// True if this is an id: visible characters, neither none nor too many.
#[must_use]
pub fn is_id(text: &str) -> bool {
    let mut check = Checker::default();
    check.id("", text);
    check.problems.is_empty()
}

/// The beginning of a foreign word, for an error message.
pub(super) fn shortened(word: &str) -> String {
    word.chars().take(40).collect()
}
