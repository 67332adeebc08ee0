//! The words of a message cut finer: "5pm" is `5 pm`, "17h30" is `17 h 30`, "3.4.2026" is `3 . 4 . 2026`, and the signs
//! between digits are words of their own, so that shapes can name them.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::lexicon::{VOCABULARY, WordId};
use crate::remainder::REACH;
use crate::words::{Gap, Word, Words};

/// Bytes of a word that may be a time; a longer one stays whole.
const LONGEST: usize = 64;
/// Tokens after which words stay whole: what has as many is a list of numbers and no time.
const MOST: usize = 4 * REACH;

/// A message in finer words.
pub(crate) struct Tokens<'m> {
    /// The message.
    pub(crate) message: &'m Words,
    /// Its finer words.
    pub(crate) all: Vec<Word>,
    /// For each of them, which word of the message it is part of.
    of: Vec<usize>,
}

impl<'m> Tokens<'m> {
    /// Cuts the words of a message, as far as one may be an answer.
    pub(crate) fn of(message: &'m Words) -> Self {
        let words = message.all();
        let likely = words.len().min(REACH) * 2;
        let (all, of) = (Vec::with_capacity(likely), Vec::with_capacity(likely));
        let mut tokens = Self { message, all, of };
        let mut scratch = String::new();
        for (i, word) in words.iter().enumerate().take(REACH) {
            tokens.cut(i, word, &mut scratch);
            tokens.join(i, word, words.get(i + 1));
        }
        tokens
    }

    fn push(&mut self, i: usize, token: Word) {
        self.all.push(token);
        self.of.push(i);
    }

    /// The word itself: one token, unless digits and letters or signs alternate.
    fn cut(&mut self, i: usize, word: &Word, scratch: &mut String) {
        let message = self.message;
        let folded = message.folded(word);
        if self.all.len() >= MOST || folded.len() > LONGEST {
            return self.push(i, *word);
        }
        let letters = folded.find(|c: char| c.is_ascii_digit());
        match letters {
            None if folded.contains('.') => {
                scratch.clear();
                scratch.extend(folded.chars().filter(|c| *c != '.'));
                self.push(i, word.part(VOCABULARY.id(scratch), 0, folded.len(), false));
            }
            // A number that groups its digits, and a name that holds some, stay what they are.
            None => self.push(i, *word),
            Some(_) if grouped(folded) => self.push(i, *word),
            Some(at) if at > 0 && (at < 3 || VOCABULARY.id(&folded[..at]) == WordId::UNKNOWN) => {
                self.push(i, *word);
            }
            Some(_) => self.runs(i, word, folded, scratch),
        }
    }

    /// Runs of digits, of letters (with their inner full stops), and single signs.
    fn runs(&mut self, i: usize, word: &Word, folded: &str, scratch: &mut String) {
        let mut from = 0;
        while let Some(first) = folded[from..].chars().next() {
            let run = |fits: &dyn Fn(char) -> bool| {
                folded[from..].find(|c| !fits(c)).map_or(folded.len(), |length| from + length)
            };
            let digit = first.is_ascii_digit();
            let to = if digit {
                run(&|c| c.is_ascii_digit())
            } else if first.is_alphabetic() {
                run(&|c| !c.is_ascii_digit())
            } else {
                from + first.len_utf8()
            };
            let piece = &folded[from..to];
            let id = if piece.contains('.') && piece.len() > 1 {
                scratch.clear();
                scratch.extend(piece.chars().filter(|c| *c != '.'));
                VOCABULARY.id(scratch)
            } else {
                VOCABULARY.id(piece)
            };
            if first != ',' {
                self.push(i, word.part(id, from, to, digit));
            } else if let Some(last) = self.all.last_mut() {
                last.after = last.after.max(Gap::Soft);
            }
            from = to;
        }
    }

    /// The signs between this word and the next.
    fn join(&mut self, i: usize, word: &Word, next: Option<&Word>) {
        let Some(last) = self.all.last().copied() else { return };
        let end = next.map_or(self.message.text().len(), |next| next.at);
        let between = self.message.text().get(word.end..end).unwrap_or_default();
        let sign = between.trim();
        let tight = sign.len() == between.len() && next.is_some();
        let digits = last.digit || next.is_some_and(|next| next.digit);
        let known = last.id != WordId::UNKNOWN && next.is_some_and(|next| next.id != WordId::UNKNOWN);
        let id = match sign {
            ":" | "/" if tight && digits => VOCABULARY.id(sign),
            "-" | "–" | "—" | "‐" | "−"
                if next.is_some() && (digits || known && !tight || known && sign != "-") =>
            {
                VOCABULARY.id("-")
            }
            "-" if next.is_some() && known && word.capital && next.is_some_and(|next| next.capital) => {
                VOCABULARY.id("-")
            }
            "'" | "’" | "′" if last.digit => VOCABULARY.id("'"),
            stop if stop.starts_with('.') && last.digit => VOCABULARY.id("."),
            _ => return,
        };
        if let Some(last) = self.all.last_mut() {
            last.after = Gap::Space;
        }
        let at = word.end + between.find(sign).unwrap_or(0);
        self.push(i, last.sign(id, at, at + sign.len()));
    }

    /// The tokens that these words of the message are.
    pub(crate) fn tokens(&self, words: Range<usize>) -> Range<usize> {
        let at = |word: usize| self.of.partition_point(|of| *of < word);
        at(words.start)..at(words.end)
    }

    /// The bytes of the message that these tokens are.
    pub(crate) fn bytes(&self, tokens: Range<usize>) -> Range<usize> {
        match (self.all.get(tokens.start), self.all.get(tokens.end.wrapping_sub(1))) {
            (Some(first), Some(last)) => first.at..last.end,
            _ => 0..0,
        }
    }

    /// A token that is digits only, and how many they are.
    pub(crate) fn digits(&self, at: usize) -> Option<(i64, u8)> {
        let token = self.all.get(at).filter(|token| token.digit)?;
        let folded = self.message.folded(token);
        let plain = folded.len() <= 8 && folded.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| Some((folded.parse().ok()?, u8::try_from(folded.len()).ok()?)))?
    }

    /// True if a token is a hyphen.
    pub(crate) fn is_hyphen(&self, at: usize) -> bool {
        self.all.get(at).is_some_and(|token| token.end == token.at + 1 && self.message.raw(token) == "-")
    }

    /// True if a token is a sign and no word.
    pub(crate) fn is_sign(&self, at: usize) -> bool {
        self.all.get(at).is_some_and(|token| !self.message.raw(token).contains(char::is_alphanumeric))
    }
}

/// `1,500`: a comma before each three digits.
fn grouped(folded: &str) -> bool {
    let mut groups = folded.split(',');
    let first = groups.next().unwrap_or_default();
    let three = |group: &str| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit());
    folded.contains(',') && (1..=3).contains(&first.len()) && groups.all(three)
}
