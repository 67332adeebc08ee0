//! Slips of the keyboard in short answers: "Yest. Thansk", "No.Thanks".
//!
//! A word that no lexicon has is read as one of the few words that answers are made of if it differs from that word by
//! one slip: a letter too many, one missing, one wrong, or two swapped. The first letter has to be right, and a short
//! word names something else too easily. A full stop with no space behind it divides words that stand by themselves,
//! and a mark next to the apostrophe's key joins what an apostrophe would: "That;s all".

use alloc::string::String;
use alloc::vec::Vec;

use super::lexicon::{Lexicon, Section, SectionId, VOCABULARY, WordId};
use super::section;
use super::words::{Gap, Word, Words};

/// The words that are meant, each `=1`.
const MEANT: SectionId = section("slips");
/// Endings behind an apostrophe.
const BEHIND: SectionId = section("slips.behind");
/// A word with fewer letters is not mended.
const SHORTEST: usize = 4;
/// A word with more bytes is no slip of anything.
const LONGEST: usize = 24;

/// The message without its slips; nothing when it has none.
pub(crate) fn mended(lexicon: &'static Lexicon, message: &Words) -> Option<Words> {
    let slip = |word: &&Word| word.id == WordId::UNKNOWN && !word.digit && word.end - word.at <= LONGEST;
    let behind = lexicon.section(BEHIND);
    let apart = |pair: &[Word]| is_torn(behind, message, pair);
    if !message.all().iter().any(|word| slip(&word)) && !message.all().windows(2).any(apart) {
        return None;
    }
    let meant = lexicon.section(MEANT);
    let mut all: Vec<Word> = Vec::with_capacity(message.all().len() + 1);
    let mut found = false;
    for (at, word) in message.all().iter().enumerate() {
        let before = all.len();
        if at > 0
            && apart(&message.all()[at - 1..=at])
            && let Some(last) = all.last_mut()
            && let Some(joined) = joined(message, last, word)
        {
            (*last, found) = (joined, true);
            continue;
        }
        if slip(&word) {
            divide(message, word, &mut all);
        }
        if all.len() == before {
            all.push(*word);
        }
        found |= all.len() > before + 1;
        for word in &mut all[before..] {
            if let Some(id) = slip(&&*word).then(|| means(meant, message.folded(word))).flatten() {
                (word.id, found) = (id, true);
            }
        }
    }
    found.then(|| message.with(all))
}

/// True if two words are parts that an apostrophe joins, with another mark in its place.
fn is_torn(behind: Section, message: &Words, pair: &[Word]) -> bool {
    let [one, other] = pair else { return false };
    let mark = message.text().get(one.end..other.at).unwrap_or_default();
    behind.is(core::slice::from_ref(other)) && matches!(mark, ";" | "\"" | "`" | "´")
}

/// The word both are, when there is one.
fn joined(message: &Words, one: &Word, other: &Word) -> Option<Word> {
    let mut text = String::from(message.folded(one));
    text.push_str(message.folded(other));
    let id = VOCABULARY.id(&text);
    let mut both = *one;
    (both.id, both.after, both.end) = (id, other.after, other.end);
    (id != WordId::UNKNOWN).then_some(both)
}

/// The words on both sides of a full stop that has no space behind it, when each is known, or begins with a capital as
/// a sentence does: "www.example.com" is one word.
fn divide(message: &Words, word: &Word, into: &mut Vec<Word>) {
    let (folded, before) = (message.folded(word), into.len());
    let mut from = 0;
    for part in folded.split('.') {
        let to = from + part.len();
        let mut cut = word.part(VOCABULARY.id(part), from, to, false);
        if to < folded.len() {
            cut.after = Gap::Hard;
        }
        let first = into.len() == before;
        let capital = message.raw(&cut).starts_with(char::is_uppercase);
        let stands = cut.id != WordId::UNKNOWN || (capital && !first);
        if part.is_empty() || !stands || (first && part.len() < 2) {
            into.truncate(before);
            return;
        }
        cut.capital = capital;
        into.push(cut);
        from = to + 1;
    }
}

/// The word that is one slip away.
fn means(meant: Section, slip: &str) -> Option<WordId> {
    let long = slip.len() >= SHORTEST;
    long.then(|| meant.words().find(|(_, word)| is_slip(slip.as_bytes(), word.as_bytes())).map(|(id, _)| id))?
}

/// True if one slip makes the one word of the other; both begin with the same letter.
fn is_slip(one: &[u8], other: &[u8]) -> bool {
    if one.first() != other.first() || one.len().abs_diff(other.len()) > 1 {
        return false;
    }
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[same..], &other[same..]);
    let same = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    match (&one[..one.len() - same], &other[..other.len() - same]) {
        ([_], [] | [_]) | ([], [_]) => true,
        ([a, b], [c, d]) => a == d && b == c,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::english;

    #[test]
    fn one_slip() {
        for (one, other, slip) in [
            ("thansk", "thanks", true),
            ("thanls", "thanks", true),
            ("thnks", "thanks", true),
            ("thankss", "thanks", true),
            ("thanks", "thanks", false),
            ("hanks", "thanks", false),
            ("thnsk", "thanks", false),
            ("yest", "yes", true),
        ] {
            assert_eq!(is_slip(one.as_bytes(), other.as_bytes()), slip, "{one} {other}");
        }
    }

    #[test]
    fn messages_are_mended() {
        let mended = |text: &str| {
            mended(english(), &Words::of(text)).map(|words| {
                let known = |word: &Word| VOCABULARY.words.get(usize::from(word.id.0)).copied();
                let said = words.all().iter().map(|word| known(word).unwrap_or_default());
                said.collect::<Vec<_>>().join(" ")
            })
        };
        for (text, expected) in [
            ("Yest. it is good", Some("yes it is good")),
            ("No.Thanks", Some("no thanks")),
            ("that's fine.Tahnks", Some("thats fine thanks")),
            ("Yes, www.example.com", None),
            ("That;s all. I don`t", Some("thats all i dont")),
            ("Sue", None),
            ("yes", None),
            ("..", None),
        ] {
            assert_eq!(mended(text).as_deref(), expected, "{text}");
        }
    }
}
