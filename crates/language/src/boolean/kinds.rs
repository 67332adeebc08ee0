//! The kinds of phrases that a yes or a no is made of.

use core::cell::Cell;

use super::super::clause::{self, First, Says};
use super::super::lexicon::{Cover, Lexicon, Piece, SectionId};
use super::super::words::Word;
use super::super::{Strength, section};

/// The sections a message is covered with, by what they say; the order breaks ties.
const SECTIONS: [(SectionId, u32); 20] = [
    (section("unsure"), UNSURE),
    (section("no.word"), NO_WORD),
    (section("no.phrase"), NO_PHRASE),
    (section("yes.word"), YES_WORD),
    (section("yes.phrase"), YES_PHRASE),
    (section("yes.proposal"), PROPOSAL),
    (section("yes.wish"), WISHES),
    (section("thats_it"), THATS_IT),
    (section("closing"), CLOSING),
    (section("compliment"), COMPLIMENT),
    (section("praise"), WEAK | PRAISE),
    (section("yes.weak"), WEAK),
    (section("please"), WEAK),
    (section("thanks"), NEUTRAL),
    (section("filler"), NEUTRAL),
    (section("bye"), NEUTRAL),
    (section("now"), NEUTRAL),
    (section("name"), NEUTRAL),
    (section("aside"), NEUTRAL),
    (section("adds.number"), NUMBER),
];
// Kinds of phrases, as bits of a set: a message is judged by the kinds of the phrases that cover it.
pub(super) const YES_WORD: u32 = 1;
pub(super) const YES_PHRASE: u32 = 1 << 1;
pub(super) const PROPOSAL: u32 = 1 << 2;
pub(super) const WEAK: u32 = 1 << 3;
pub(super) const NO_WORD: u32 = 1 << 4;
pub(super) const NO_PHRASE: u32 = 1 << 5;
pub(super) const CLOSING: u32 = 1 << 6;
pub(super) const UNSURE: u32 = 1 << 7;
pub(super) const PRAISE: u32 = 1 << 8;
pub(super) const WISHES: u32 = 1 << 9;
pub(super) const THATS_IT: u32 = 1 << 10;
pub(super) const NUMBER: u32 = 1 << 11;
pub(super) const COMPLIMENT: u32 = 1 << 12;
pub(super) const PUTS_OFF: u32 = 1 << 13;
pub(super) const NEUTRAL: u32 = 0;

/// The kinds of what clauses say, behind those of the sections.
const COMPOSED: [u32; 7] = [WISHES, YES_PHRASE, PROPOSAL, NO_PHRASE, NO_PHRASE | PUTS_OFF, CLOSING, NEUTRAL];

/// Covers words with phrases of the lists and with clauses, and notes that a clause was found. Behind "anything else?" a wish is
/// the next thing.
pub(super) fn cover(
    lexicon: &'static Lexicon,
    words: &[Word],
    more: bool,
    first: First,
    found: &Cell<bool>,
) -> Cover {
    let place = |says| {
        let counts = !more || matches!(says, Says::Ends | Says::Thanks);
        found.set(found.get() || counts);
        counts.then(|| SECTIONS.len() + composed(says))
    };
    clause::cover(lexicon, &SECTIONS.map(|(id, _)| id), words, place, first)
}

/// True of a phrase that is what a clause says.
pub(super) fn is_clause(piece: &Piece) -> bool {
    piece.section >= SECTIONS.len()
}

/// Weak when the phrases only acknowledge.
pub(super) fn strength(said: u32) -> Strength {
    let firm = said & !(WEAK | PRAISE) != 0;
    if firm { Strength::Firm } else { Strength::Weak }
}

/// The kind of a phrase, or of what a clause says.
pub(super) fn kind(piece: &Piece) -> u32 {
    SECTIONS.get(piece.section).map_or_else(|| COMPOSED[piece.section - SECTIONS.len()], |(_, kind)| *kind)
}

/// The place in [`COMPOSED`] of what a clause says.
const fn composed(says: Says) -> usize {
    match says {
        Says::Wants => 0,
        Says::Does => 1,
        Says::Approves => 2,
        Says::Refuses | Says::Rejects => 3,
        Says::Defers => 4,
        Says::Ends => 5,
        Says::Thanks => 6,
    }
}

/// The kinds of the phrases that cover the first `end` words.
pub(super) fn kinds(cover: &Cover, end: usize) -> u32 {
    cover.pieces(end).fold(0, |all, piece| all | kind(&piece))
}
