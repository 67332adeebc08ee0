//! The normal form in which texts and labels are compared.
//!
//! Case and width are folded, decimal digits of every script are ASCII, apostrophes and invisible marks are gone. Space
//! and punctuation only separate, so `Summary-155`, `summary 155` and `summary155` are one; between two digits what
//! separates is kept, so `v1.0`, `v10` and `v1 0` are three. Accents and symbols stay: `résumé` is not `resume`.

use alloc::string::String;
use alloc::vec::Vec;
use core::iter;

use icu_normalizer::ComposingNormalizerBorrowed;
use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;

use crate::budget::{UNITS, count};

/// The part a character has in a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A letter, a digit, a mark, or a symbol of mathematics or money: part of a word.
    Letter,
    /// An emoji or another picture: people see it in a label and leave it out when they say the label.
    Picture,
    /// Space or punctuation.
    Separator,
}

/// The kind of a character.
pub fn kind(c: char) -> Kind {
    if c.is_ascii_alphanumeric() {
        return Kind::Letter;
    }
    if c.is_ascii() {
        let symbol = matches!(c, '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~');
        return if symbol { Kind::Letter } else { Kind::Separator };
    }
    match CodePointMapData::<GeneralCategory>::new().get(c) {
        GeneralCategory::OtherSymbol | GeneralCategory::ModifierSymbol => Kind::Picture,
        GeneralCategory::ConnectorPunctuation
        | GeneralCategory::DashPunctuation
        | GeneralCategory::OpenPunctuation
        | GeneralCategory::ClosePunctuation
        | GeneralCategory::InitialPunctuation
        | GeneralCategory::FinalPunctuation
        | GeneralCategory::OtherPunctuation
        | GeneralCategory::SpaceSeparator
        | GeneralCategory::LineSeparator
        | GeneralCategory::ParagraphSeparator
        | GeneralCategory::Control => Kind::Separator,
        _ => Kind::Letter,
    }
}

/// `&` as a word.
const AND: [char; 5] = [' ', 'a', 'n', 'd', ' '];

/// Calls `take` with every character of the text, folded; with the first of a text whose normal form is longer than any
/// message.
pub(super) fn folded(text: &str, mut take: impl FnMut(char)) {
    count(text.len());
    if text.is_ascii() {
        for b in text.bytes() {
            match b {
                b'\'' => {}
                b'&' => AND.into_iter().for_each(&mut take),
                b => take(char::from(b.to_ascii_lowercase())),
            }
        }
        return;
    }
    for c in ComposingNormalizerBorrowed::new_nfkc().normalize_iter(text.chars()).take(UNITS) {
        count(1);
        match c {
            'ß' | 'ẞ' => ['s', 's'].into_iter().for_each(&mut take),
            'ς' => take('σ'),
            '&' => AND.into_iter().for_each(&mut take),
            c if invisible(c) || matches!(c, '\'' | '’' | '‘' | 'ʼ') => {}
            c => c.to_lowercase().for_each(|c| take(digit(c).map_or(c, char::from))),
        }
    }
}

/// Joiners, direction marks, soft hyphens, selectors of how a character looks.
fn invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// The value of a decimal digit of any script, as an ASCII digit. Unicode keeps each script's ten in a row that begins
/// at a code point ending in 0 or in 6.
fn digit(c: char) -> Option<u8> {
    if c.is_ascii_digit() {
        return u8::try_from(c).ok();
    }
    let decimal =
        |c: char| CodePointMapData::<GeneralCategory>::new().get(c) == GeneralCategory::DecimalNumber;
    if c.is_ascii() || !decimal(c) {
        return None;
    }
    let place = u32::from(c) & 0xf;
    let from_zero = char::from_u32(u32::from(c) & !0xf).is_some_and(decimal);
    u8::try_from(if from_zero { place } else { place.checked_sub(6)? })
        .ok()
        .filter(|n| *n < 10)
        .map(|n| b'0' + n)
}

/// Compact forms, one after the other.
///
/// A compact form has no separators, except between two digits and for the minus of a number.
#[derive(Debug, Default)]
pub(super) struct Compact {
    pub(super) text: String,
    /// The separator since the last letter; a space when there is no better one.
    gap: Option<char>,
    /// True if a word may begin here, and true if it began with a minus.
    open: bool,
    minus: bool,
}

impl Compact {
    fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), ..Self::default() }
    }

    /// Begins a new form; returns where.
    pub(super) fn begin(&mut self) -> usize {
        (self.gap, self.open, self.minus) = (None, true, false);
        self.text.len()
    }

    /// Adds a text behind the last one. `pictures` keeps emoji; `word` is called with each word and its offset.
    pub(super) fn add(&mut self, text: &str, pictures: bool, mut word: impl FnMut(usize, &str)) {
        let mut from = self.text.len();
        folded(text, |c| match kind(c) {
            Kind::Letter => {
                if let Some(gap) = self.gap.take() {
                    let apart =
                        self.text.as_bytes().last().is_some_and(u8::is_ascii_digit) && c.is_ascii_digit();
                    // "v1.0" is one word, "v1 0" two.
                    if from < self.text.len() && !(apart && gap != ' ') {
                        word(from, &self.text[from..]);
                        from = self.text.len() + usize::from(apart);
                    }
                    self.text.extend(apart.then_some(gap));
                }
                if self.minus && c.is_ascii_digit() {
                    self.text.push('-');
                }
                (self.open, self.minus) = (false, false);
                self.text.push(c);
            }
            Kind::Picture if pictures => {
                (self.gap, self.open, self.minus) = (None, true, false);
                self.text.push(c);
            }
            Kind::Picture | Kind::Separator => self.separate(c),
        });
        if from < self.text.len() {
            word(from, &self.text[from..]);
        }
    }

    /// Says that something separates what is there from what follows.
    pub(super) fn separate(&mut self, by: char) {
        (self.open, self.minus) = (by.is_whitespace(), by == '-' && self.open);
        let by = if kind(by) == Kind::Separator && !by.is_whitespace() { by } else { ' ' };
        if self.gap.is_none_or(|gap| gap == ' ') {
            self.gap = Some(by);
        }
    }
}

/// The compact form of a text, with its pictures or without.
pub fn compact(text: &str, pictures: bool) -> String {
    let mut compact = Compact::with_capacity(text.len());
    compact.begin();
    compact.add(text, pictures, |_, _| {});
    compact.text
}

/// The compact forms of several texts without their pictures, one right behind the other, and where each ends. `bytes`:
/// how many they have together, about.
pub fn compact_each<'t>(texts: impl Iterator<Item = &'t str>, bytes: usize) -> (String, Vec<usize>) {
    let (mut compact, mut all) = (Compact::with_capacity(bytes), String::with_capacity(bytes));
    let ends = texts.map(|text| {
        compact.text.clear();
        compact.begin();
        compact.add(text, false, |_, _| {});
        all.push_str(&compact.text);
        all.len()
    });
    let ends = ends.collect();
    (all, ends)
}

/// The words of a text in their normal form, with one space between them: what a hash holds of it.
pub fn folded_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    Compact::with_capacity(text.len()).add(text, false, |_, word| {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    });
    out
}

/// The folded form of a text with its pictures; never empty for a text that shows something, so that it tells two texts
/// apart.
pub fn folded_whole(text: &str) -> String {
    let mut out = String::new();
    Compact::default().add(text, true, |_, word| {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    });
    if out.is_empty() { verbatim_form(text) } else { out }
}

/// True if two texts differ in nothing but case, width, the script of digits, invisible marks and the amount of space.
pub fn verbatim(one: &str, other: &str) -> bool {
    verbatim_form(one) == verbatim_form(other)
}

/// A text without what case, width, digits' script, invisible marks and the amount of space make of it.
pub fn verbatim_form(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    folded(text, |c| {
        if !c.is_whitespace() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
    });
    out.truncate(out.trim_end().len());
    out
}

/// The number these digits of any script are, when they are nothing else and at most three.
pub fn number(text: &str) -> Option<usize> {
    let mut digits = text.chars().map(|c| digit(c).or_else(|| wide(c)));
    let first = digits.next()??;
    iter::once(Some(first)).chain(digits).enumerate().try_fold(0usize, |number, (at, digit)| {
        let digit = digit.filter(|_| at < 3)?;
        Some(number * 10 + usize::from(digit - b'0'))
    })
}

/// A full-width digit.
fn wide(c: char) -> Option<u8> {
    let place = u32::from(c).checked_sub(0xff10).filter(|n| *n < 10)?;
    u8::try_from(place).ok().map(|n| b'0' + n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn what_only_looks_different_is_the_same() {
        for (one, other) in [
            ("Summary-155", "summary 155"),
            ("Summary-155", "summary155"),
            ("STRASSE", "Straße"),
            ("ملخص ١٤٤", "\u{200f}ملخص 144"),
            ("ｓａｍｐｌｅ２", "Sample2"),
            ("Ｃ＃", "c#"),
            ("Full-size", "full size"),
            ("Don't", "dont"),
            ("ΟΔΟΣ", "οδος"),
            ("co\u{ad}operate", "cooperate"),
            ("Shazam!", "shazam"),
            ("R&D", "r and d"),
            ("a -5", "A, -5"),
            ("x-5", "x 5"),
            ("e\u{301}t\u{e9}", "\u{c9}t\u{e9}"),
        ] {
            assert_eq!(compact(one, true), compact(other, true), "{one} {other}");
        }
    }

    #[test]
    fn what_is_different_stays_so() {
        for (one, other) in [
            ("v1.0", "v10"),
            ("v1.0", "v1 0"),
            ("résumé", "resume"),
            ("paypal", "pаypаl"),
            ("C+", "C"),
            ("10:30", "1030"),
            ("-5", "5"),
            ("🔴 Light", "🟢 Light"),
        ] {
            assert_ne!(compact(one, true), compact(other, true), "{one} {other}");
        }
        assert_eq!(compact("🔴 Light", false), compact("🟢 Light", false));
        assert!(verbatim(" C#  x", "c# X") && !verbatim("C#", "C"));
    }

    #[test]
    fn numbers_of_any_script() {
        for (text, read) in [
            ("2", Some(2)),
            ("٢", Some(2)),
            ("۱۲", Some(12)),
            ("१", Some(1)),
            ("４", Some(4)),
            ("999", Some(999)),
        ] {
            assert_eq!(number(text), read, "{text}");
        }
        for text in ["", "2nd", "1000", "①", "½", "two"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn words_are_told_one_by_one() {
        let mut compact = Compact::default();
        let mut words = alloc::vec::Vec::new();
        compact.begin();
        compact.add("Wi-Fi & v1.0 (Ana's)", false, |_, word| words.push(word.to_string()));
        assert_eq!(words.join("|"), "wi|fi|and|v1.0|anas");
    }
}
