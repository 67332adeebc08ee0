//! The readable part of an answer while it is written: the texts of its JSON that people will read, and nothing else of it.
//!
//! What is told here decides nothing. The answer itself is read when it is whole, by [`crate::parse()`].

use std::fmt::Debug;

use throughline_engine::data::ask::Question;
use throughline_engine::data::ticket::Part;

use crate::vendor::Reply;

/// The deepest answer that is read.
const DEPTH: usize = 8;
/// The longest name of a member that is read, in bytes.
const NAME: usize = 32;

/// Somebody who sees an answer while it is written. Nothing in here may wait: the request does not go on meanwhile.
pub trait Onlooker: Debug + Send + Sync {
    /// Returns true while somebody looks. Otherwise nothing is read.
    fn looks(&self) -> bool;

    /// Takes the next words of the text.
    fn sees(&self, words: &str);
}

/// The members of an answer that people will read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readable {
    /// `{"text": …}`
    Text,
    /// `{"items": [{"title": …, …}]}`, or one item.
    Items,
    /// `{"topic": …, "summary": …, "decisions": […], …}`
    Review,
    /// `{"decisions": […], "changes": […], …}`
    Points,
    /// `{"changes": [{"item": …, "field": …, "text": …}]}`
    Changes,
}

impl Readable {
    /// Returns what people will read of the answer to a question; `None` if that is nothing. A summary is made for later.
    pub(crate) fn of(question: &Question) -> Option<Self> {
        match question {
            Question::Answer | Question::Synthesis { .. } => Some(Self::Text),
            Question::Draft { .. } => Some(Self::Items),
            Question::Review { .. } => Some(Self::Review),
            Question::Patch { .. } => Some(Self::Points),
            Question::Revise { .. } => Some(Self::Changes),
            Question::Classify { .. } | Question::Select(_) | Question::Summary { .. } => None,
        }
    }

    /// Returns true for the names of the objects around a text, the outermost first.
    fn has(self, names: &[&str]) -> bool {
        const POINTS: [&str; 3] = ["decisions", "risks", "questions"];
        let of_item = |name: &str| {
            use Part::{Assignee, Evidence, Labels, Priority};
            Part::parse(name).is_some_and(|part| !matches!(part, Evidence | Labels | Priority | Assignee))
        };
        match (self, names) {
            (Self::Text, ["text"]) | (Self::Changes, ["changes", "text"]) => true,
            (Self::Items, [name] | ["items", name]) => of_item(name),
            (Self::Review, [name]) => matches!(*name, "topic" | "summary") || POINTS.contains(name),
            (Self::Points, [name]) => *name == "changes" || POINTS.contains(name),
            _ => false,
        }
    }
}

/// An onlooker, and what it is told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Telling<'a> {
    onlooker: &'a dyn Onlooker,
    readable: Readable,
}

impl<'a> Telling<'a> {
    /// `None` if nothing of the answer is for people.
    pub(crate) fn of(question: &Question, onlooker: &'a dyn Onlooker) -> Option<Self> {
        Readable::of(question).map(|readable| Self { onlooker, readable })
    }
}

/// One reply, as far as an onlooker was told of it.
#[derive(Debug)]
pub(crate) struct Told<'a> {
    telling: Telling<'a>,
    reader: ReadableText,
    /// Bytes that were read, and true if they are of a tool's input.
    read: (usize, bool),
}

impl<'a> Told<'a> {
    pub(crate) fn new(telling: Telling<'a>) -> Self {
        Self { telling, reader: ReadableText::new(telling.readable), read: (0, false) }
    }

    /// Tells what came since the last call, or since nobody looked.
    pub(crate) fn tell(&mut self, reply: &Reply) {
        if !self.telling.onlooker.looks() {
            return;
        }
        let (raw, of_tool) = reply.raw();
        if of_tool != self.read.1 {
            *self = Self { read: (0, of_tool), ..Self::new(self.telling) };
        }
        // A vendor that repeats the whole answer at its end may repeat less.
        let Some(new) = raw.as_bytes().get(self.read.0..) else { return };
        self.reader.push(new);
        self.read.0 = raw.len();
        let words = self.reader.take();
        if !words.is_empty() {
            self.telling.onlooker.sees(&words);
        }
    }
}

/// A reader of an answer's bytes as they come, wherever they are cut. What it cannot read ends it: then the whole answer
/// will not be read either.
#[derive(Debug)]
pub(crate) struct ReadableText {
    of: Readable,
    at: Place,
    open: Vec<Open>,
    escape: Escape,
    /// The first half of a character that is escaped in two.
    half: Option<u16>,
    /// The name that is being read.
    name: Vec<u8>,
    /// The words that nobody took yet; the last character may not be whole.
    words: Vec<u8>,
}

/// An object or a list that is not closed yet.
#[derive(Debug)]
struct Open {
    list: bool,
    /// The name of the member that is being read, in an object.
    name: String,
    /// True behind the colon of a member.
    named: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before the object; true within a code fence.
    Before(bool),
    /// Between strings.
    Between,
    /// In the name of a member.
    Name,
    /// In a text that people will read.
    Words,
    /// In any other text.
    Other,
    /// Behind the object, or where it cannot be read on.
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    None,
    Begun,
    /// Digits so far of a code unit, and its value.
    Unit(u8, u16),
}

impl ReadableText {
    pub(crate) fn new(of: Readable) -> Self {
        Self {
            of,
            at: Place::Before(false),
            open: Vec::new(),
            escape: Escape::None,
            half: None,
            name: Vec::new(),
            words: Vec::new(),
        }
    }

    /// Reads more bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let read = match self.at {
                Place::End => return,
                Place::Before(fenced) => self.before(*byte, fenced),
                Place::Between => self.between(*byte),
                Place::Name | Place::Words | Place::Other => self.within(*byte),
            };
            if read.is_none() {
                self.at = Place::End;
            }
        }
    }

    /// Takes the words since the last call, up to the last whole character. A text ends with a line end.
    pub(crate) fn take(&mut self) -> String {
        let whole = match std::str::from_utf8(&self.words) {
            Ok(all) => all.len(),
            Err(error) => error.valid_up_to(),
        };
        let rest = self.words.split_off(whole);
        String::from_utf8(std::mem::replace(&mut self.words, rest)).unwrap_or_default()
    }

    fn before(&mut self, byte: u8, fenced: bool) -> Option<()> {
        match byte {
            b'{' => {
                self.open.push(Open { list: false, name: String::new(), named: false });
                self.at = Place::Between;
            }
            b'`' => self.at = Place::Before(true),
            _ if byte.is_ascii_whitespace() || fenced && byte.is_ascii_alphanumeric() => {}
            _ => return None,
        }
        Some(())
    }

    fn between(&mut self, byte: u8) -> Option<()> {
        let depth = self.open.len();
        let inner = self.open.last_mut()?;
        match byte {
            b'"' if !inner.list && !inner.named => {
                self.name.clear();
                self.at = Place::Name;
            }
            b'"' => {
                let list = inner.list;
                self.at = if self.is_readable() { Place::Words } else { Place::Other };
                if list && self.at == Place::Words {
                    self.words.extend_from_slice(b"- ");
                }
            }
            b'{' | b'[' if depth < DEPTH => {
                self.open.push(Open { list: byte == b'[', name: String::new(), named: false });
            }
            b'}' | b']' => {
                if inner.list != (byte == b']') {
                    return None;
                }
                self.open.pop();
                if self.open.is_empty() {
                    self.at = Place::End;
                }
            }
            b':' => inner.named = true,
            b',' => inner.named = false,
            b'.' | b'-' | b'+' => {}
            _ if byte.is_ascii_whitespace() || byte.is_ascii_alphanumeric() => {}
            _ => return None,
        }
        Some(())
    }

    fn is_readable(&self) -> bool {
        let objects = self.open.iter().filter(|open| !open.list);
        let names: Vec<&str> = objects.map(|open| open.name.as_str()).collect();
        self.of.has(&names)
    }

    /// Reads a byte of a string.
    fn within(&mut self, byte: u8) -> Option<()> {
        match self.escape {
            Escape::Begun => return self.escaped(byte),
            Escape::Unit(digits, value) => {
                let digit = char::from(byte).to_digit(16)?;
                let value = value << 4 | u16::try_from(digit).ok()?;
                self.escape = Escape::Unit(digits + 1, value);
                return if digits == 3 { self.unit(value) } else { Some(()) };
            }
            Escape::None => {}
        }
        if self.half.is_some() && byte != b'\\' {
            return None;
        }
        match byte {
            b'\\' => self.escape = Escape::Begun,
            b'"' => self.string_ended()?,
            0..0x20 => return None,
            _ => self.put(&[byte]),
        }
        Some(())
    }

    fn escaped(&mut self, byte: u8) -> Option<()> {
        self.escape = Escape::None;
        if byte == b'u' {
            self.escape = Escape::Unit(0, 0);
            return Some(());
        }
        if self.half.is_some() {
            return None;
        }
        let meant = match byte {
            b'"' | b'\\' | b'/' => byte,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'b' => 8,
            b'f' => 12,
            _ => return None,
        };
        self.put(&[meant]);
        Some(())
    }

    /// Puts a code unit, or keeps it as the first half of a character.
    fn unit(&mut self, value: u16) -> Option<()> {
        self.escape = Escape::None;
        let units = match self.half.take() {
            None if (0xd800..0xdc00).contains(&value) => {
                self.half = Some(value);
                return Some(());
            }
            None => vec![value],
            Some(first) => vec![first, value],
        };
        let meant = char::decode_utf16(units).next()?.ok()?;
        self.put(meant.encode_utf8(&mut [0; 4]).as_bytes());
        Some(())
    }

    fn put(&mut self, bytes: &[u8]) {
        match self.at {
            Place::Words => self.words.extend_from_slice(bytes),
            Place::Name if self.name.len() < NAME => self.name.extend_from_slice(bytes),
            _ => {}
        }
    }

    fn string_ended(&mut self) -> Option<()> {
        match self.at {
            Place::Words => self.words.push(b'\n'),
            Place::Name => {
                let name = String::from_utf8_lossy(&self.name).into_owned();
                self.open.last_mut()?.name = name;
            }
            _ => {}
        }
        self.at = Place::Between;
        Some(())
    }
}

#[cfg(test)]
mod tests;
