//! The rows of a table as a file of numbers: `build.rs` packs them, and a constant unpacks them.
//!
//! A compiler takes 50 µs for each value that a source file writes out, and 1 µs for one that a constant reads. The
//! lexicons are half a million numbers.

use alloc::vec::Vec;

use super::table::{Block, Element, Head, List, SectionId, Span, Start, Times, What, WordId};

/// The next number, of two bytes, the lower one first. No function: a constant pays for each call.
macro_rules! number {
    ($bytes:ident, $at:ident) => {{
        $at += 2;
        $bytes[$at - 2] as u16 | ($bytes[$at - 1] as u16) << 8
    }};
}

/// The next number of eight bytes.
macro_rules! wide {
    ($bytes:ident, $at:ident) => {
        number!($bytes, $at) as u64
            | (number!($bytes, $at) as u64) << 16
            | (number!($bytes, $at) as u64) << 32
            | (number!($bytes, $at) as u64) << 48
    };
}

macro_rules! span {
    ($bytes:ident, $at:ident) => {
        Span(number!($bytes, $at), number!($bytes, $at))
    };
}

macro_rules! value {
    ($bytes:ident, $at:ident) => {
        if number!($bytes, $at) == 0 { None } else { Some((wide!($bytes, $at)) as i64) }
    };
}

const fn what(kind: u16, span: Span) -> What {
    match kind {
        0 => What::Word(WordId(span.0)),
        1 => What::OneOf(span),
        2 => What::Rows(span),
        3 => What::Section(SectionId(span.0)),
        4 => What::Any,
        _ => What::Number,
    }
}

const fn times(times: u16) -> Times {
    match times {
        0 => Times::One,
        1 => Times::Optional,
        _ => Times::Repeated,
    }
}

/// A row of a table, as numbers.
#[allow(dead_code, reason = "the build script packs, the crate unpacks")]
pub(crate) trait Pack {
    /// Appends the row's numbers.
    fn pack(&self, out: &mut Vec<u8>);
}

impl Pack for u16 {
    fn pack(&self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }
}

impl Pack for [u8; 8] {
    fn pack(&self, out: &mut Vec<u8>) {
        out.extend(self);
    }
}

impl Pack for Option<i64> {
    fn pack(&self, out: &mut Vec<u8>) {
        u16::from(self.is_some()).pack(out);
        if let Some(value) = self {
            out.extend(value.to_le_bytes());
        }
    }
}

impl Pack for Span {
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
        self.1.pack(out);
    }
}

impl Pack for What {
    fn pack(&self, out: &mut Vec<u8>) {
        let (kind, span) = match *self {
            Self::Word(word) => (0u16, Span(word.0, 0)),
            Self::OneOf(span) => (1, span),
            Self::Rows(span) => (2, span),
            Self::Section(section) => (3, Span(section.0, 0)),
            Self::Any => (4, Span(0, 0)),
            Self::Number => (5, Span(0, 0)),
        };
        kind.pack(out);
        span.pack(out);
    }
}

impl Pack for Times {
    fn pack(&self, out: &mut Vec<u8>) {
        let times = match self {
            Self::One => 0u16,
            Self::Optional => 1,
            Self::Repeated => 2,
        };
        times.pack(out);
    }
}

/// For each kind of row: its parts in the order they are packed, and a constant function that unpacks a table.
macro_rules! rows {
    ($($table:ident: $row:ty = |$bytes:ident, $at:ident| $unpack:expr, |$given:ident| [$($part:expr),+];)+) => { $(
        impl Pack for $row {
            fn pack(&self, out: &mut Vec<u8>) {
                let $given = self;
                $($part.pack(out);)+
            }
        }

        /// The rows of a table, so many from a place on, counted in bytes.
        pub(crate) const fn $table<const ROWS: usize>(bytes: &[u8], at: usize) -> [$row; ROWS] {
            let ($bytes, mut $at) = ([0; 16], 0);
            let blank = $unpack;
            let ($bytes, mut rows, mut row) = (bytes, [blank; ROWS], 0);
            $at = at;
            while row < ROWS {
                rows[row] = $unpack;
                row += 1;
            }
            rows
        }
    )+ };
}

rows! {
    heads: Head = |b, at| Head { set: number!(b, at), lists: number!(b, at) }, |head| [head.set, head.lists];
    sets: Block = |b, at| Block { sections: wide!(b, at), before: number!(b, at) },
        |block| [block.sections, block.before];
    lists: List = |b, at| List { starts: span!(b, at), value: value!(b, at) }, |list| [list.starts, list.value];
    starts: Start = |b, at| Start { phrase: span!(b, at), value: value!(b, at) },
        |start| [start.phrase, start.value];
    elements: Element = |b, at| Element { what: what(number!(b, at), span!(b, at)), times: times(number!(b, at)) },
        |element| [element.what, element.times];
    words: WordId = |b, at| WordId(number!(b, at)), |word| [word.0];
    sections: SectionId = |b, at| SectionId(number!(b, at)), |section| [section.0];
    valued: (SectionId, WordId) = |b, at| (SectionId(number!(b, at)), WordId(number!(b, at))),
        |valued| [valued.0, valued.1];
    classes: u64 = |b, at| wide!(b, at), |class| [class.to_le_bytes()];
}
