//! The words of a message: folded by NFKC and case, with where they stand and what divides them (`spec 02 §6`).
//!
//! Words are cut by Unicode word boundaries, so nothing ever matches inside a word. Emoji and other pictures vanish,
//! except the two thumbs, which answer a yes-or-no question.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use icu_normalizer::ComposingNormalizerBorrowed;
use unicode_segmentation::UnicodeSegmentation;

use super::lexicon::Head;

/// What stands between a word and the next one, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    /// Nothing but space.
    Space,
    /// A comma, colon, dash or bracket.
    Soft,
    /// The end of a sentence or line.
    Hard,
    /// The end of a question.
    Question,
}

/// One word of a message.
#[derive(Clone, Debug)]
pub(crate) struct Word<'a> {
    /// Folded: lower case, no apostrophes, `don't` is `dont`.
    pub(crate) text: Cow<'a, str>,
    /// How it begins, for passing over phrases that begin otherwise: see [`super::lexicon::Head`].
    pub(crate) head: Head,
    /// As written.
    pub(crate) raw: &'a str,
    /// Where it begins in the message.
    pub(crate) at: usize,
    /// What follows it.
    pub(crate) after: Gap,
    /// Whether it stands in double quotes, backticks or a quoted line.
    pub(crate) quoted: bool,
}

impl Word<'_> {
    /// Where it ends in the message.
    pub(crate) fn end(&self) -> usize {
        self.at + self.raw.len()
    }

    /// Whether it is written with a capital.
    pub(crate) fn capital(&self) -> bool {
        self.raw.starts_with(char::is_uppercase)
    }
}

/// After these a full stop ends no sentence: titles and parts of addresses, in any language.
const SHORTENED: [&str; 9] = ["dr", "mr", "mrs", "ms", "prof", "st", "vs", "ave", "nr"];

/// Cuts a message into its words.
pub(crate) fn words(text: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let (mut quote, mut line_quoted, mut line_start, mut spaced) = (false, false, true, true);
    for (at, raw) in text.split_word_bound_indices() {
        let first = raw.chars().next().unwrap_or(' ');
        if raw.contains(['\n', '\r', '\u{2028}', '\u{2029}']) {
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
        if let Some(text) = folded(raw) {
            let head = Head::of_word(text.as_bytes());
            words.push(Word { text, head, raw, at, after: Gap::Space, quoted: quote || line_quoted });
        } else if let Some(last) = words.last_mut() {
            last.after = last.after.max(gap(raw, spaced, &last.text));
        }
        spaced = first.is_whitespace();
    }
    words
}

/// The part of `text` from the first of these words to the last, with what closes it.
pub(crate) fn slice<'a>(text: &'a str, words: &[Word<'a>]) -> &'a str {
    match (words.first(), words.last()) {
        (Some(first), Some(last)) => text[first.at..last.end()].trim(),
        _ => "",
    }
}

/// `text` from the first of these words to where the next word, or the message, ends: keeps final punctuation.
pub(crate) fn clause<'a>(text: &'a str, words: &[Word<'a>], from: usize, to: usize) -> &'a str {
    let begin = words.get(from).map_or(text.len(), |w| w.at);
    let end = words.get(to).map_or(text.len(), |w| w.at);
    text.get(begin..end).unwrap_or("").trim().trim_end_matches([',', ';', ':']).trim_end()
}

/// The folded form of a word; `None` for space, punctuation and pictures.
fn folded(raw: &str) -> Option<Cow<'_, str>> {
    if raw.is_ascii() {
        return ascii(raw);
    }
    if let Some(thumb) = ["👍", "👎"].into_iter().find(|t| raw.starts_with(t)) {
        return Some(Cow::Borrowed(thumb));
    }
    let folded: String = ComposingNormalizerBorrowed::new_nfkc()
        .normalize(raw)
        .chars()
        .filter(|c| !matches!(c, '\'' | '’' | '‘' | 'ʼ'))
        .flat_map(char::to_lowercase)
        .collect();
    let is_word = folded.chars().any(char::is_alphanumeric) || matches!(folded.as_str(), "€" | "£" | "¥");
    match ascii(&folded) {
        Some(word) if folded.is_ascii() => Some(Cow::Owned(word.into_owned())),
        _ => is_word.then_some(Cow::Owned(folded)),
    }
}

fn ascii(raw: &str) -> Option<Cow<'_, str>> {
    match raw {
        "&" => return Some(Cow::Borrowed("and")),
        "$" | "%" | "#" | "@" | "+" | "=" => return Some(Cow::Borrowed(raw)),
        _ if !raw.contains(|c: char| c.is_ascii_alphanumeric()) => return None,
        _ => {}
    }
    if raw.contains(|c: char| c.is_ascii_uppercase() || c == '\'') {
        return Some(Cow::Owned(
            raw.chars().filter(|&c| c != '\'').map(|c| c.to_ascii_lowercase()).collect(),
        ));
    }
    Some(Cow::Borrowed(raw))
}

/// What a piece between two words says about their distance.
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

    fn shown(text: &str) -> String {
        let mut out = String::new();
        for w in words(text) {
            out.push_str(&w.text);
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
        let quoted =
            |text: &str| words(text).iter().filter(|w| w.quoted).map(|w| w.raw).collect::<Vec<_>>().join(" ");
        assert_eq!(quoted("say \"create a ticket\" now"), "create a ticket");
        assert_eq!(quoted("> old line\nnew `code` and “more”"), "old line code more");
        assert_eq!(quoted("2 > 1"), "");
    }
}
