//! What others wrote, made fit to be shown as data: cleaned, quoted, counted (`spec 05 §3.2`, `§3.3`, `§4.2`).

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt::Write as _;

use icu_normalizer::ComposingNormalizerBorrowed;
use unicode_segmentation::UnicodeSegmentation;

use crate::redact::redacted;

/// Bytes of one grapheme, on the average of a text: longer ones are stacks of marks.
const BYTES: usize = 4;
/// What stands for the rest of a text.
const MORE: char = '…';
/// Bytes of a text that are looked at when they are more than enough: no secret is as long.
const FAR: usize = 64 * 1024;
/// A cut may make a secret of what was none, and its replacement may have to be cut again. Each time it begins
/// earlier in the text; nothing needs more than three.
const PASSES: usize = 8;

/// One line of at most so many graphemes: without secrets, control characters and runs of blanks, in NFC, cut between
/// two graphemes with `…` in the place of the rest. Secrets go before it is cut, never half of one is left. Doing it again changes nothing.
///
/// ```
/// use throughline_engine::context::text::clean;
/// assert_eq!(clean(" Waiting\n for Ana ", 160), "Waiting for Ana");
/// assert_eq!(clean("Waiting for Ana", 9), "Waiting…");
/// assert_eq!(clean("password: hunter2x", 12), "[redacted:a…");
/// ```
#[must_use]
pub fn clean(text: &str, most: usize) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for _ in 0..PASSES {
        let next = match cleaned(&text, most) {
            Cow::Borrowed(_) => break,
            Cow::Owned(next) => next,
        };
        text = Cow::Owned(next);
    }
    text
}

/// One pass; borrowed when nothing had to change.
fn cleaned(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() > FAR {
        let head = readable(&text[..text.floor_char_boundary(FAR)]).into_owned();
        if head.len() > FAR / 4 && head.len() > 2 * BYTES * most {
            return Cow::Owned(cut(&head, most).unwrap_or(head));
        }
    }
    let text = readable(text);
    match cut(&text, most) {
        Some(cut) => Cow::Owned(cut),
        None => text,
    }
}

/// One straight line without secrets. They are looked for before and after: a line end or a control character may stand
/// inside a secret, or be what tells it from the word beside it.
fn readable(text: &str) -> Cow<'_, str> {
    let text = redacted(text);
    if straight(&text) {
        return text;
    }
    let line = straightened(&text);
    match redacted(&line) {
        Cow::Owned(clean) => Cow::Owned(clean),
        Cow::Borrowed(_) => Cow::Owned(line),
    }
}

fn straight(text: &str) -> bool {
    let mut before = ' ';
    for c in text.chars() {
        if c.is_control() || c.is_whitespace() && (c != ' ' || before == ' ') {
            return false;
        }
        before = c;
    }
    let trimmed = before != ' ' || text.is_empty();
    trimmed && (text.is_ascii() || ComposingNormalizerBorrowed::new_nfc().is_normalized(text))
}

/// No control characters, blanks only one at a time and between words, NFC.
fn straightened(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut blank = false;
    for c in text.chars() {
        if c.is_whitespace() {
            blank = true;
        } else if !c.is_control() {
            if blank && !line.is_empty() {
                line.push(' ');
            }
            blank = false;
            line.push(c);
        }
    }
    if line.is_ascii() {
        return line;
    }
    ComposingNormalizerBorrowed::new_nfc().normalize(&line).into_owned()
}

/// The text cut, when it is too long.
fn cut(text: &str, most: usize) -> Option<String> {
    if text.len() <= most || text.len() <= BYTES * most && text.graphemes(true).nth(most).is_none() {
        return None;
    }
    let room = (BYTES * most).saturating_sub(MORE.len_utf8());
    let ends = text.grapheme_indices(true).map(|(at, grapheme)| at + grapheme.len());
    let whole = ends.take(most.saturating_sub(1)).take_while(|end| *end <= room).last();
    let end = whole.unwrap_or_else(|| match most {
        0 | 1 => 0,
        _ => (0..=room).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0),
    });
    let mut line: String = text[..end].trim_end().into();
    line.push(MORE);
    Some(line)
}

/// A JSON string in which nothing can be taken for markup, and nothing turns the direction of what follows.
///
/// ```
/// let mut line = String::new();
/// throughline_engine::context::text::quote(&mut line, "a `b` \u{202e}");
/// assert_eq!(line, "\"a \\u0060b\\u0060 \\u202e\"");
/// ```
pub fn quote(out: &mut String, text: &str) {
    out.push('"');
    let mut from = 0;
    for (at, _) in text.bytes().enumerate().filter(|(_, byte)| ESCAPED[usize::from(*byte)]) {
        let Some(c) = text[at..].chars().next().filter(|c| escaped(*c)) else { continue };
        out.push_str(&text[from..at]);
        from = at + c.len_utf8();
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            _ => _ = write!(out, "\\u{:04x}", u32::from(c)),
        }
    }
    out.push_str(&text[from..]);
    out.push('"');
}

/// The bytes with which what is escaped begins: most texts hold none of them.
const ESCAPED: [bool; 256] = {
    let mut bytes = [false; 256];
    let mut c = '\0';
    while c <= '\u{2069}' {
        if escaped(c) {
            bytes[c.encode_utf8(&mut [0; 4]).as_bytes()[0] as usize] = true;
        }
        c = match char::from_u32(c as u32 + 1) {
            Some(next) => next,
            None => break,
        };
    }
    bytes
};

const fn escaped(c: char) -> bool {
    matches!(
        c,
        '"' | '\\'
            | '`'
            | '<'
            | '>'
            | '\u{0}'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
    )
}

/// The fence of a free text: backticks, one more than the longest run of them in it, and at least three.
#[must_use]
pub fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// How many tokens a text counts as: `approx-1`, the same on any machine. No vendor's count.
///
/// ```
/// use throughline_engine::context::text::tokens;
/// assert_eq!([tokens(""), tokens("Setup DB"), tokens("naïve"), tokens("日本語")], [0, 2, 2, 3]);
/// ```
#[must_use]
pub fn tokens(text: &str) -> u32 {
    Size::of(text).tokens()
}

/// What the tokens of a text are counted from; texts put together have the sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Size {
    ascii: usize,
    others: usize,
}

impl Size {
    pub(super) fn of(text: &str) -> Self {
        let ascii = text.bytes().filter(u8::is_ascii).count();
        // The first byte of a character of several.
        Self { ascii, others: text.bytes().filter(|byte| *byte >= 0xc0).count() }
    }

    pub(super) fn tokens(self) -> u32 {
        u32::try_from(self.ascii.div_ceil(4) + self.others).unwrap_or(u32::MAX)
    }

    pub(super) fn plus(self, more: Self) -> Self {
        Self { ascii: self.ascii + more.ascii, others: self.others + more.others }
    }

    pub(super) fn minus(self, less: Self) -> Self {
        Self { ascii: self.ascii - less.ascii, others: self.others - less.others }
    }
}
