//! Preparation of foreign text for use as data: cleaning, quoting and counting
//! (`docs/design/0034-untrusted-text.md`).

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt::Write as _;

use icu_normalizer::ComposingNormalizerBorrowed;
use unicode_segmentation::UnicodeSegmentation;

use crate::text::redact::redacted;

/// Bytes per grapheme, on average. A text with more has stacks of combining marks, and is cut too.
const BYTES: usize = 4;
/// Sign for the part of a text that was cut off.
const MORE: char = '…';
/// Number of bytes read of a longer text. No secret is as long.
const FAR: usize = 64 * 1024;
/// Limit of passes. A cut may leave something that looks like a secret, and its replacement may need another
/// cut. Each such place lies earlier in the text; no text needs more than three passes.
const PASSES: usize = 8;

/// Returns the text as one line of at most `most` graphemes: without secrets, control characters and runs of
/// blanks, in NFC, cut between two graphemes with `…` for the rest. Secrets are removed before the cut, so
/// that no part of one is left. Cleaning a clean text changes nothing.
///
/// ```
/// use throughline_engine::text::clean::clean;
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

/// Does one pass; borrows if nothing has to change.
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

/// Returns one line without secrets. Secrets are removed both before and after joining the lines: a line end
/// or a control character may be inside a secret, or may separate it from the next word.
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

/// Removes control characters, reduces white space to single blanks between words, and composes to NFC.
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

/// Returns a label as it is shown and numbered: one line, without control characters, marks of direction and characters
/// that nobody sees. Joiners stay, because scripts and pictures need them.
///
/// ```
/// use throughline_engine::text::clean::label;
/// assert_eq!(label("Pay\n\u{202e}100 \u{200b}€"), "Pay 100 €");
/// assert_eq!(label("\u{2060}"), "");
/// ```
#[must_use]
pub fn label(text: &str) -> String {
    let seen: String = text.chars().filter(|c| !is_unseen(*c)).collect();
    straightened(&seen)
}

/// Marks of direction, blanks without a width, tags.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns the shortened text; `None` if it is short enough.
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

/// Appends the text as a JSON string. Characters of markup and characters that change the text direction are
/// escaped.
///
/// ```
/// let mut line = String::new();
/// throughline_engine::text::clean::quote(&mut line, "a `b` \u{202e}");
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

/// First bytes of the characters to escape. Most texts hold none of them, so the check per byte is enough.
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

/// Returns a code fence for the text: one backtick more than its longest run of them, at least three.
#[must_use]
pub fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// Returns the number of tokens by the estimate `approx-1`. It is the same on every machine, and differs from
/// the counts of vendors.
///
/// ```
/// use throughline_engine::text::clean::tokens;
/// assert_eq!([tokens(""), tokens("Setup DB"), tokens("naïve"), tokens("日本語")], [0, 2, 2, 3]);
/// ```
#[must_use]
pub fn tokens(text: &str) -> u32 {
    Size::of(text).tokens()
}

/// Size of a text, from which its tokens are counted. Sizes of joined texts add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    ascii: usize,
    others: usize,
}

impl Size {
    pub(crate) fn of(text: &str) -> Self {
        let ascii = text.bytes().filter(u8::is_ascii).count();
        // Counts each character of several bytes by its first byte.
        Self { ascii, others: text.bytes().filter(|byte| *byte >= 0xc0).count() }
    }

    pub(crate) fn tokens(self) -> u32 {
        u32::try_from(self.ascii.div_ceil(4) + self.others).unwrap_or(u32::MAX)
    }

    pub(crate) fn plus(self, more: Self) -> Self {
        Self { ascii: self.ascii + more.ascii, others: self.others + more.others }
    }

    pub(crate) fn minus(self, less: Self) -> Self {
        Self { ascii: self.ascii - less.ascii, others: self.others - less.others }
    }
}
