//! Splits long texts: at a paragraph, else a sentence, else a word, and never inside a grapheme.
//!
//! The text is split before it is formatted, so no part can end inside a tag or an entity.

use unicode_segmentation::UnicodeSegmentation;

use super::text::{Run, Text};

/// The longest part, in UTF-16 units. Telegram takes 4,096 after it parsed the formatting; the rest is room for a
/// heading.
pub(super) const PART: usize = 4_000;

/// The length of a text as Telegram counts it.
pub(super) fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Splits a text into parts of at most `limit` units; an empty text is one empty part. Only white space at a cut is
/// dropped.
pub(super) fn split(text: Text, limit: usize) -> Vec<Text> {
    let plain = text.plain();
    let mut parts = Vec::new();
    let mut begin = 0;
    while units(&plain[begin..]) > limit {
        let cut = begin + cut(&plain[begin..], limit);
        parts.push(slice(&text, begin, begin + plain[begin..cut].trim_end().len()));
        begin = cut + (plain[cut..].len() - plain[cut..].trim_start().len());
    }
    if begin < plain.len() || parts.is_empty() {
        parts.push(slice(&text, begin, plain.len()));
    }
    parts
}

/// The end of the first part of a text that is too long for one, as a byte index greater than 0.
fn cut(text: &str, limit: usize) -> usize {
    let end = fitting(text, limit);
    let window = &text[..end];
    // A paragraph or sentence end that leaves more than a quarter of the part empty is not worth another message.
    let enough = end * 3 / 4;
    let paragraph = window.rfind("\n\n").or_else(|| window.rfind('\n')).filter(|at| *at >= enough);
    let sentence = || {
        // A question mark inside an address ends no sentence.
        let sentences = text.split_sentence_bound_indices().filter(|(_, s)| s.ends_with(char::is_whitespace));
        let ends = sentences.map(|(at, sentence)| at + sentence.trim_end().len());
        ends.take_while(|at| *at <= end).last().filter(|at| *at >= enough)
    };
    let space = |(at, c): &(usize, char)| *at > 0 && c.is_whitespace();
    let behind = text[end..].chars().next().map(|c| (end, c));
    let word = || behind.into_iter().chain(window.char_indices().rev()).find(space).map(|(at, _)| at);
    paragraph.or_else(sentence).or_else(word).unwrap_or(end)
}

/// The last grapheme boundary within the limit; if the first grapheme is longer than that, the last character
/// boundary.
fn fitting(text: &str, limit: usize) -> usize {
    let fit = |pieces: &mut dyn Iterator<Item = (usize, usize)>| {
        let mut used = 0;
        let mut end = 0;
        for (at, length) in pieces {
            let piece = &text[at..at + length];
            used += units(piece);
            if used > limit {
                break;
            }
            end = at + length;
        }
        end
    };
    let whole = fit(&mut text.grapheme_indices(true).map(|(at, grapheme)| (at, grapheme.len())));
    if whole > 0 { whole } else { fit(&mut text.char_indices().map(|(at, c)| (at, c.len_utf8()))) }
}

/// The bytes from `begin` to `end` of the plain text, with their styles.
fn slice(text: &Text, begin: usize, end: usize) -> Text {
    let mut at = 0;
    let mut out = Text::default();
    for Run { text, style } in &text.0 {
        let (from, to) = (begin.max(at), end.min(at + text.len()));
        if from < to {
            out.push(style.clone(), &text[from - at..to - at]);
        }
        at += text.len();
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::text::Style;
    use super::*;

    fn text(plain: &str) -> Text {
        let mut text = Text::default();
        text.push(Style::Plain, plain);
        text
    }

    fn plain(parts: &[Text]) -> Vec<String> {
        parts.iter().map(Text::plain).collect()
    }

    #[test]
    fn cuts_at_the_best_place_there_is() {
        assert_eq!(plain(&split(text("one two\n\nthree"), 10)), ["one two", "three"]);
        assert_eq!(plain(&split(text("It fell. It rose."), 10)), ["It fell.", "It rose."]);
        assert_eq!(plain(&split(text("alpha beta gamma"), 12)), ["alpha beta", "gamma"]);
        assert_eq!(plain(&split(text("abcdefghij"), 4)), ["abcd", "efgh", "ij"]);
        assert_eq!(plain(&split(text(""), 4)), [""]);
    }

    #[test]
    fn a_family_stays_together() {
        let family = "👨‍👩‍👧‍👦";
        assert_eq!(units(family), 11);
        assert_eq!(plain(&split(text(&family.repeat(3)), 25)), [family.repeat(2), family.into()]);
        // A grapheme that is longer than a part is the only thing that is ever cut.
        let tower = format!("a{}", "\u{301}".repeat(10));
        assert_eq!(split(text(&tower), 4).len(), 3);
    }

    #[test]
    fn styles_go_on_behind_a_cut() {
        let mut two = text("aaaa ");
        two.push(Style::Bold, "bbbb cccc");
        let parts = split(two, 9);
        assert_eq!(parts.iter().map(Text::html).collect::<Vec<_>>(), ["aaaa <b>bbbb</b>", "<b>cccc</b>"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn nothing_is_lost_and_nothing_is_too_long(words in "(\\PC|\\s|👍🏽|é|<&>){0,400}", limit in 12usize..60) {
            let parts = plain(&split(text(&words), limit));
            let without = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(without(&parts.concat()), without(&words));
            for part in &parts {
                prop_assert!(units(part) <= limit);
            }
        }
    }
}
