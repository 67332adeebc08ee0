//! What an id and a text may be (`spec 06 §7.2`), and how a problem with one is told.

use std::fmt;

use serde::Serialize;

/// The longest message text, in characters.
pub const MAX_TEXT: usize = 40_000;
/// The longest id or name, in characters.
pub const MAX_ID: usize = 255;
/// The longest id of a task a host reports, in bytes (`spec 05 §2`).
pub(super) const MAX_TASK: usize = 128;
/// The most values a form may carry.
pub const MAX_FORM_VALUES: usize = 100;

/// One thing wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Where: a JSON pointer (RFC 6901). Empty is the whole body.
    pub pointer: String,
    /// What is wrong and what to send instead.
    pub text: String,
}

impl Problem {
    /// A problem there.
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

/// A member name as one step of a JSON pointer.
pub(super) fn step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Collects what is wrong while the parts are read, so that one answer names all of it.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) problems: Vec<Problem>,
}

impl Reader {
    pub(super) fn wrong(&mut self, pointer: &str, text: impl Into<String>) {
        self.problems.push(Problem::new(pointer, text));
    }

    /// Whether something is wrong there already.
    pub(super) fn named(&self, pointer: &str) -> bool {
        self.problems.iter().any(|problem| problem.pointer == pointer)
    }

    /// A member the kind cannot do without. Missing: a problem, and a default to read on with.
    pub(super) fn required<T: Default>(&mut self, pointer: &str, kind: &str, value: Option<T>) -> T {
        value.unwrap_or_else(|| {
            let name = pointer.rsplit('/').next().unwrap_or(pointer);
            self.wrong(pointer, format!("{kind} needs {name}"));
            T::default()
        })
    }

    /// An id: visible characters, no blanks, nothing that only pretends to be nothing.
    pub(super) fn id(&mut self, pointer: &str, id: &str) {
        let length = id.chars().count();
        if length == 0 {
            self.wrong(pointer, "an id must not be empty; leave the member out instead");
        } else if length > MAX_ID {
            self.wrong(pointer, format!("an id has at most {MAX_ID} characters; this one has {length}"));
        }
        if let Some(odd) = id.chars().find(|c| c.is_control() || c.is_whitespace() || invisible(*c)) {
            let odd = u32::from(odd);
            self.wrong(pointer, format!("an id has visible characters only; this one holds U+{odd:04X}"));
        }
    }

    /// An id that may be left out.
    pub(super) fn maybe_id(&mut self, pointer: &str, id: Option<&str>) {
        if let Some(id) = id {
            self.id(pointer, id);
        }
    }

    /// A person's name: one line.
    pub(super) fn name(&mut self, pointer: &str, name: &str) {
        if name.chars().count() > MAX_ID || name.chars().any(char::is_control) {
            self.wrong(pointer, format!("a name is one line of at most {MAX_ID} characters"));
        }
    }

    /// A text: not too long, and without the one character that stores cannot keep.
    pub(super) fn text(&mut self, pointer: &str, text: &str) {
        let length = text.chars().count();
        if length > MAX_TEXT {
            self.wrong(pointer, format!("a text has at most {MAX_TEXT} characters; this one has {length}"));
        }
        if text.contains('\0') {
            self.wrong(pointer, "a text must not hold the character U+0000");
        }
    }

    /// A text somebody is meant to read.
    pub(super) fn words(&mut self, pointer: &str, text: &str) {
        self.text(pointer, text);
        if text.trim().is_empty() {
            self.wrong(pointer, "there is nothing in this text");
        }
    }
}

/// Takes no room, or turns the direction of what follows: two ids that look alike must not differ by it.
fn invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
