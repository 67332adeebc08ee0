//! Features of a message: its n-grams and those of the question's kind, as numbers.
//!
//! Two channels are read: the words, and the words with those that say what a message is about replaced by signs: `@` for
//! one that the question has, `#` for a number, `~` for one that is rare. Gaps between clauses are words too. So "Sounds
//! lovely, book the Ritz" is also `sounds ~ , book the ~`, whatever it is about.
//!
//! The hash is FNV-1a over the folded bytes of a word, n-grams mix their words' hashes, and the last step is the finalizer of
//! MurmurHash3. All of it is arithmetic on `u32` that wraps, so it is the same on every machine.

use alloc::vec::Vec;

use super::kind::Kind;
use crate::words::{Gap, MOST, Word, Words};

/// The sign of the beginning and the end, of a clause's end, and of words by what they are.
const EDGE: u32 = 1;
const SOFT: u32 = 2;
const HARD: u32 = 3;
const ASKS: u32 = 4;
const ECHO: u32 = 5;
const NUMBER: u32 = 6;
const RARE: u32 = 7;
/// Words of the question of fewer bytes are repeated by chance.
const SMALL: usize = 4;

/// A feature: its hash, and the words of the message it is made of, from one to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// The hash, whose low bits are the place of its weights.
    pub hash: u32,
    /// The first of its words.
    pub from: u8,
    /// The word behind its last one.
    pub to: u8,
}

/// One sign of a message: in both channels, with the word it stands at.
#[derive(Clone, Copy)]
struct Token {
    word: u32,
    sign: u32,
    at: u8,
    to: u8,
}

/// The hash of a word: FNV-1a of its folded bytes.
#[must_use]
pub fn hash_of(word: &str) -> u32 {
    word.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Mixes a hash with another one; the order counts.
fn mix(hash: u32, next: u32) -> u32 {
    (hash.rotate_left(5) ^ next).wrapping_mul(0x9e37_79b1)
}

/// Spreads a hash over all of its bits: the finalizer of MurmurHash3.
fn spread(mut hash: u32) -> u32 {
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

/// Returns the features of a part of a message, from one word to another, after a question of this kind. `common` says which
/// words are no rare ones. None of a part that is longer than [`MOST`] words.
#[must_use]
pub fn features(
    message: &Words,
    part: &[Word],
    question: &Words,
    kind: Kind,
    common: impl Fn(u32) -> bool,
) -> Vec<Feature> {
    if part.len() > MOST {
        return Vec::new();
    }
    let tokens = tokens(message, part, question, common);
    let mut found = Vec::with_capacity(tokens.len() * 10 + 4);
    let kind = kind as u32 + 1;
    let mut add = |family: u32, parts: &[u32], from: u8, to: u8| {
        let hash = parts.iter().fold(family.wrapping_mul(0x0101_0101), |hash, part| mix(hash, *part));
        found.push(Feature { hash: spread(hash), from, to });
    };
    let mut clause = 0;
    for (i, last) in tokens.iter().enumerate() {
        let before = |n: usize| i.checked_sub(n).map(|at| tokens[at]);
        let (one, two, three) = (before(1), before(2), before(3));
        add(1, &[last.word], last.at, last.to);
        add(2, &[kind, last.word], last.at, last.to);
        if let Some(one) = one {
            add(3, &[one.word, last.word], one.at, last.to);
            add(4, &[kind, one.word, last.word], one.at, last.to);
            add(5, &[kind, one.sign, last.sign], one.at, last.to);
            if clause == 0 {
                add(6, &[kind.min(4), one.sign, last.sign], one.at, last.to);
            }
        }
        if let (Some(one), Some(two)) = (one, two) {
            add(7, &[two.word, one.word, last.word], two.at, last.to);
            add(8, &[two.sign, one.sign, last.sign], two.at, last.to);
            add(9, &[kind, two.sign, last.sign], two.at, last.to);
        }
        if let (Some(one), Some(two), Some(three)) = (one, two, three) {
            add(10, &[three.sign, two.sign, one.sign, last.sign], three.at, last.to);
        }
        if matches!(last.word, SOFT | HARD | ASKS) && i + 2 < tokens.len() {
            clause += 1;
        }
    }
    let end = u8::try_from(part.len()).unwrap_or(u8::MAX);
    let asks = part.iter().filter(|word| word.after == Gap::Question).count();
    add(11, &[kind, (part.len() as u32).min(12)], end, end);
    add(12, &[kind, clause.min(4), asks.min(2) as u32], end, end);
    add(13, &[kind], end, end);
    let echoes = tokens.iter().filter(|token| token.sign == ECHO).count().min(3) as u32;
    let first = |n: usize| tokens.get(n).map_or(EDGE, |token| token.sign);
    add(14, &[kind, echoes], end, end);
    add(15, &[kind, echoes, first(1)], 0, end.min(1));
    add(16, &[kind, echoes, first(1), first(2)], 0, end.min(2));
    add(17, &[echoes, first(1), first(2), first(3)], 0, end.min(3));
    let own = tokens.iter().filter(|token| token.sign == RARE).count().min(4) as u32;
    add(18, &[kind, echoes, own], end, end);
    let clause = part.iter().position(|word| word.after > Gap::Space).map_or(part.len(), |at| at + 1);
    let within = tokens.iter().filter(|token| usize::from(token.at) < clause);
    let (echoes, own) = within.fold((0, 0), |(echoes, own), token| {
        (echoes + u32::from(token.sign == ECHO), own + u32::from(matches!(token.sign, RARE | NUMBER)))
    });
    add(19, &[kind, echoes.min(3), own.min(3), clause.min(5) as u32], end, end);
    found
}

fn tokens(message: &Words, part: &[Word], question: &Words, common: impl Fn(u32) -> bool) -> Vec<Token> {
    let mut asked = [0; MOST];
    let words = question.all();
    let last = &words[words.len().saturating_sub(MOST)..];
    for (slot, word) in asked.iter_mut().zip(last) {
        let folded = question.folded(word);
        *slot = if folded.len() < SMALL { 0 } else { hash_of(folded) };
    }
    asked.sort_unstable();
    let mut tokens = Vec::with_capacity(part.len() * 2 + 2);
    tokens.push(Token { word: EDGE, sign: EDGE, at: 0, to: 0 });
    for (at, word) in (0u8..).zip(part) {
        let hash = hash_of(message.folded(word));
        let repeats = asked.binary_search(&hash).is_ok();
        let sign = match () {
            () if word.digit => NUMBER,
            () if common(hash) && !repeats => hash,
            () if repeats => ECHO,
            () => RARE,
        };
        tokens.push(Token { word: if word.digit { NUMBER } else { hash }, sign, at, to: at + 1 });
        let gap = match word.after {
            Gap::Space => continue,
            Gap::Soft => SOFT,
            Gap::Hard => HARD,
            Gap::Question => ASKS,
        };
        tokens.push(Token { word: gap, sign: gap, at: at + 1, to: at + 1 });
    }
    let end = u8::try_from(part.len()).unwrap_or(u8::MAX);
    tokens.push(Token { word: EDGE, sign: EDGE, at: end, to: end });
    tokens
}
