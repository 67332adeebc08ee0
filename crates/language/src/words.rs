//! Messages cut into words, which are folded by NFKC and case.
//!
//! Words are cut by Unicode word boundaries, so that nothing ever matches inside a word. Emoji and other pictures
//! vanish, except the two thumbs, which answer a yes-or-no question. A message is cut once and then read by every
//! reader.

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::OnceCell;
use core::ops::Range;

use icu_normalizer::ComposingNormalizerBorrowed;
use unicode_segmentation::UnicodeSegmentation;

use super::budget::{Budget, CUT, LONGEST, count};
use super::gazetteer;
use super::languages::Languages;
use super::lexicon::{VOCABULARY, Vocabulary, WordId};

/// A message of more words is no strict answer, and values anywhere are looked for among so many of its first words:
/// the one bound that keeps every reader linear in the text.
pub const MOST: usize = 64;

/// The gap between a word and the next one, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
    /// Nothing but space.
    Space,
    /// A comma, colon, dash or bracket.
    Soft,
    /// The end of a sentence or line.
    Hard,
    /// The end of a question.
    Question,
}

/// A message and its words.
#[derive(Clone, Debug, Default)]
pub struct Words {
    text: String,
    /// The folded words, one after the other.
    folded: String,
    all: Vec<Word>,
    /// True if the text has more words than are cut.
    too_much: bool,
    /// The languages it is read in.
    languages: Languages,
    /// For each word, the number of words of the longest name of a place that begins there; looked up on demand.
    places: OnceCell<Vec<u8>>,
}

/// One word of a message: what of it is compared again and again, and where the rest is.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// The number of the word in the lexicons.
    pub id: WordId,
    /// The gap behind it.
    pub after: Gap,
    /// True if it is in double quotes, backticks or a quoted line.
    pub quoted: bool,
    /// True if it is written with a capital.
    pub capital: bool,
    /// True if it begins with a digit.
    pub digit: bool,
    /// True if its folded form has each letter where the word has it.
    even: bool,
    /// The byte of the message where it begins.
    pub at: usize,
    /// The byte of the message behind its last one.
    pub end: usize,
    /// The bytes of its folded form.
    folded: (usize, usize),
}

impl Word {
    /// A part of this word, from one byte of its folded form to another, that is itself the word `id`.
    pub fn part(&self, id: WordId, from: usize, to: usize, digit: bool) -> Self {
        // Where folding moved the letters, the part stands for the whole word.
        let whole = !self.even;
        let last = self.folded.0 + to == self.folded.1;
        Self {
            id,
            digit,
            after: if last { self.after } else { Gap::Space },
            at: if whole { self.at } else { self.at + from },
            end: if whole { self.end } else { self.at + to },
            folded: (self.folded.0 + from, self.folded.0 + to),
            ..*self
        }
    }

    /// A sign of the message from one byte to another, as the word `id` behind this one.
    pub fn sign(&self, id: WordId, at: usize, end: usize) -> Self {
        let nothing = (self.folded.1, self.folded.1);
        Self { id, at, end, digit: false, capital: false, folded: nothing, ..*self }
    }
}

/// After these a full stop ends no sentence: titles and parts of addresses, in any language.
const SHORTENED: [&str; 9] = ["dr", "mr", "mrs", "ms", "prof", "st", "vs", "ave", "nr"];

impl Words {
    /// Cuts a message into its words, to be read in these languages.
    #[must_use]
    pub fn new(text: &str, languages: Languages) -> Self {
        Self { languages, ..Self::known(text, &VOCABULARY) }
    }

    /// Cuts a message that may be in any language.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self::known(text, &VOCABULARY)
    }

    /// Cuts a message that is looked up in another vocabulary.
    pub(super) fn known(text: &str, vocabulary: &Vocabulary<'_>) -> Self {
        let mut words = Self::default();
        words.add(text, vocabulary);
        words
    }

    /// Several texts at once; each begins where the one before it ended.
    pub(super) fn each<'t>(texts: impl Iterator<Item = &'t str>) -> (Self, Vec<Range<usize>>) {
        let mut words = Self::default();
        let ranges = texts.map(|text| words.add(text, &VOCABULARY)).collect();
        (words, ranges)
    }

    fn add(&mut self, text: &str, vocabulary: &Vocabulary<'_>) -> Range<usize> {
        let (offset, first_word) = (self.text.len(), self.all.len());
        self.text.push_str(text);
        self.folded.reserve(text.len());
        self.all.reserve(text.len() / 4);
        let mut budget = Budget::NEW;
        let (mut quote, mut line_quoted, mut line_start, mut spaced) = (false, false, true, true);
        for (at, raw) in pieces(text) {
            let first = raw.chars().next().unwrap_or(' ');
            if matches!(first, '\n' | '\r' | '\u{2028}' | '\u{2029}') {
                (line_start, line_quoted) = (true, false);
            } else if line_start && !first.is_whitespace() {
                (line_start, line_quoted) = (false, first == '>');
            }
            match first {
                '"' | '`' | '\u{201f}' | '＂' => quote = !quote,
                '\u{201c}' | '\u{201e}' | '«' => quote = true,
                '\u{201d}' | '»' => quote = false,
                _ => {}
            }
            count(raw.len());
            let begin = self.folded.len();
            if fold(raw, &mut self.folded) {
                let folded = &self.folded[begin..];
                let clause = self.all.last().is_none_or(|word| word.after > Gap::Space);
                if !budget.takes(raw, folded, clause) {
                    self.folded.truncate(begin);
                    self.too_much = true;
                    break;
                }
                self.all.push(Word {
                    id: vocabulary.id(folded),
                    after: Gap::Space,
                    quoted: quote || line_quoted,
                    capital: first.is_uppercase(),
                    digit: folded.starts_with(|c: char| c.is_ascii_digit()),
                    even: is_even(raw, folded),
                    at: offset + at,
                    end: offset + at + raw.len(),
                    folded: (begin, self.folded.len()),
                });
            } else if !budget.takes_mark(raw) {
                self.too_much = true;
                break;
            } else if let Some(last) = self.all.last_mut().filter(|word| word.at >= offset) {
                let (from, to) = last.folded;
                last.after = last.after.max(gap(raw, spaced, &self.folded[from..to]));
            }
            spaced = first.is_whitespace();
        }
        first_word..self.all.len()
    }

    /// This message, cut into other words.
    pub(super) fn with(&self, all: Vec<Word>) -> Self {
        Self { all, places: OnceCell::new(), ..self.clone() }
    }

    /// The languages the message is read in.
    #[inline]
    #[must_use]
    pub fn languages(&self) -> Languages {
        self.languages
    }

    /// True if the message costs more than [`UNITS`](crate::budget::UNITS): its last words are not among these.
    #[inline]
    #[must_use]
    pub fn is_too_much(&self) -> bool {
        self.too_much
    }

    /// The message as written.
    #[inline]
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// All of its words.
    #[inline]
    pub fn all(&self) -> &[Word] {
        &self.all
    }

    /// For each of the first words, the number of words of the longest name in the gazetteer that begins there.
    pub fn places(&self) -> &[u8] {
        self.places
            .get_or_init(|| (0..self.all.len().min(MOST)).map(|at| gazetteer::longest(self, at)).collect())
    }

    /// A word as written.
    #[inline]
    pub fn raw(&self, word: &Word) -> &str {
        &self.text[word.at..word.end]
    }

    /// A word folded: lower case, no apostrophes, `don't` is `dont`.
    #[inline]
    pub fn folded(&self, word: &Word) -> &str {
        &self.folded[word.folded.0..word.folded.1]
    }

    /// The message from the first of these words to the last.
    pub fn slice(&self, words: &[Word]) -> &str {
        match (words.first(), words.last()) {
            (Some(first), Some(last)) => self.text[first.at..last.end].trim(),
            _ => "",
        }
    }

    /// The message from one word to where another, or its end, is: keeps final punctuation.
    pub fn clause(&self, from: usize, to: usize) -> &str {
        let begin = self.all.get(from).map_or(self.text.len(), |w| w.at);
        let end = self.all.get(to).map_or(self.text.len(), |w| w.at);
        self.text.get(begin..end).unwrap_or("").trim().trim_end_matches([',', ';', ':']).trim_end()
    }
}

/// The pieces of a text between word boundaries, and their offsets. Boundaries of plain ASCII are found faster word by
/// word, and they are the same.
fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let (ascii, other) = if text.is_ascii() { (text, "") } else { ("", text) };
    let end = (ascii.len(), "");
    let mut from = 0;
    let words = ascii.unicode_word_indices().chain([end]).flat_map(move |(at, word)| {
        let gap = from;
        from = at + word.len();
        let between = ascii[gap..at].split_word_bound_indices().map(move |(at, raw)| (gap + at, raw));
        between.chain((!word.is_empty()).then_some((at, word)))
    });
    words.chain(other.split_word_bound_indices())
}

/// Appends the folded form of a word; `false` for space, punctuation and pictures. The form of a word that is too long
/// ends in [`CUT`].
fn fold(raw: &str, out: &mut String) -> bool {
    let begin = out.len();
    if raw.is_ascii() {
        raw.get(..LONGEST).unwrap_or(raw).split('\'').for_each(|part| out.push_str(part));
        out[begin..].make_ascii_lowercase();
        out.extend((raw.len() > LONGEST).then_some(CUT));
    } else if let Some(thumb) = ["👍", "👎"].into_iter().find(|thumb| raw.starts_with(thumb)) {
        out.push_str(thumb);
        return true;
    } else {
        let plain = ComposingNormalizerBorrowed::new_nfkc().normalize_iter(raw.chars());
        let letters = plain.filter(|c| !matches!(c, '\'' | '’' | '‘' | 'ʼ'));
        for letter in letters.flat_map(char::to_lowercase) {
            if out.len() - begin >= LONGEST {
                out.push(CUT);
                break;
            }
            out.push(letter);
        }
    }
    match &out[begin..] {
        "$" | "%" | "#" | "@" | "+" | "=" | "€" | "£" | "¥" => true,
        folded if folded.contains(char::is_alphanumeric) => true,
        folded => {
            let and = folded == "&";
            out.truncate(begin);
            out.push_str(if and { "and" } else { "" });
            and
        }
    }
}

/// True if every letter of a word is folded to one of as many bytes.
fn is_even(raw: &str, folded: &str) -> bool {
    raw.len() == folded.len()
        && (raw.is_ascii() || raw.chars().map(char::len_utf8).eq(folded.chars().map(char::len_utf8)))
}

/// The gap that a piece between two words makes.
fn gap(piece: &str, spaced: bool, before: &str) -> Gap {
    match piece.chars().next().unwrap_or(' ') {
        '?' | '？' | '¿' | '⁇' | '؟' => Gap::Question,
        '.' if SHORTENED.contains(&before) => Gap::Space,
        '.' | '!' | ';' | '…' | '。' | '！' | '；' | '\n' | '\r' | '\u{2028}' | '\u{2029}' => Gap::Hard,
        ',' | ':' | '—' | '–' | '(' | ')' | '，' | '：' | '、' => Gap::Soft,
        '-' if spaced => Gap::Soft,
        _ => Gap::Space,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_are_those_between_word_boundaries(text in any::<String>(), ascii in "[ -~\\r\\n]{0,24}") {
            for text in [text, ascii] {
                prop_assert!(pieces(&text).eq(text.split_word_bound_indices()), "{text:?}");
            }
        }
    }

    fn shown(text: &str) -> String {
        let mut out = String::new();
        let message = Words::of(text);
        for w in message.all() {
            out.push_str(message.folded(w));
            out.push(match w.after {
                Gap::Space => ' ',
                Gap::Soft => ',',
                Gap::Hard => '.',
                Gap::Question => '?',
            });
        }
        out
    }

    #[test]
    fn words_are_folded_and_divided() {
        for (text, expected) in [
            ("Don’t, please!", "dont,please."),
            ("ＹＥＳ！", "yes."),
            ("yes 🎉🎉", "yes "),
            ("👍🏽", "👍 "),
            ("Dr. Who vs. Rome. Ok?", "dr who vs rome.ok?"),
            ("via sub-agent - now", "via sub agent,now "),
            ("$1,630.50", "$ 1,630.50 "),
            ("a\nb", "a.b "),
            ("  ", ""),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn quoted_words_are_known() {
        let quoted = |text: &str| {
            let message = Words::of(text);
            let quoted = message.all().iter().filter(|w| w.quoted);
            quoted.map(|w| message.raw(w)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(quoted("say \"create a ticket\" now"), "create a ticket");
        assert_eq!(quoted("> old line\nnew `code` and “more”"), "old line code more");
        assert_eq!(quoted("2 > 1"), "");
    }
}
