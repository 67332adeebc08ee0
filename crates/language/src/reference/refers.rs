//! Words that refer to something: pronouns and their like, less those that only look like it.

use super::clause::{
    ADVERB, AUX, BE, CONJUNCTION, Clause, DETERMINER, DIGIT, FUNCTION, PREPOSITION, PRONOUN, QUESTION,
    SUBJECT, THAT, THIS, content,
};
use super::{Gathered, Sign, class};
use crate::lexicon::SectionId;
use crate::section;

const HE: u64 = class("class.he");
const IT: u64 = class("class.it");
const THEY: u64 = class("class.they");
const SAME: u64 = class("class.same");
const ONE: u64 = class("class.one");
const THERE: u64 = class("class.there");
const AGAIN: u64 = class("class.again");
const ELSE: u64 = class("class.else");
const OTHER: u64 = class("class.other");
const SO: u64 = class("class.so");
const INSTEAD: u64 = class("class.instead");
const QUANTIFIER: u64 = class("class.quantifier");
const REFERS: u64 =
    HE | IT | THEY | THAT | THIS | SAME | ONE | THERE | AGAIN | ELSE | OTHER | SO | INSTEAD | QUANTIFIER;

const DEFINITE: u64 = class("class.definite");
const THAN: u64 = class("class.than");
const ALONE: u64 = class("class.alone");
const PERSON: u64 = class("class.person");
const PEOPLE: u64 = class("class.people");
const ANYTHING: u64 = class("class.anything");
const SAYS: u64 = class("class.says");
const PERIOD: u64 = class("class.period");
const CLOCK: u64 = class("class.clock");
const SUBORDINATE: u64 = class("class.subordinate");
const SUPPORT: u64 = class("class.support");
const WHICH: u64 = class("class.which");
const DUMMY: SectionId = section("reference.dummy");
const SETTLES: SectionId = section("reference.settles");

/// A clause behind these many words describes by itself which other one is meant.
const DESCRIBED: usize = 4;
/// The number of words in which a clause or pause is looked for that brings up the noun of "it".
const NEAR: usize = 8;

/// Gathers the words of a clause that refer, and those that only look like it.
pub(super) fn look(clause: &Clause<'_>, gathered: &mut Gathered) {
    // Looked at once something in the clause may refer.
    let mut settled = None;
    for at in 0..clause.len() {
        if clause.at(at) & REFERS == 0 {
            continue;
        }
        let settled = *settled.get_or_insert_with(|| {
            let settles = clause.lexicon.section(SETTLES);
            clause.begin + settles.longest(clause.words, clause.begin)
        });
        let sign = Sign::Words(clause.offset + at, clause.offset + at + 1);
        let found =
            if (clause.begin..settled).contains(&at) { Found::Bound } else { refers(clause, at, gathered) };
        match found {
            Found::Refers => gathered.need(sign),
            Found::Bound => gathered.bind(sign),
            Found::Nothing => {}
        }
    }
}

/// The role of a word.
#[derive(Clone, Copy)]
enum Found {
    /// It refers to something before the message.
    Refers,
    /// It refers within the message, or only looks like referring.
    Bound,
    /// It is a word like any other.
    Nothing,
}

fn when(refers: bool) -> Found {
    if refers { Found::Refers } else { Found::Nothing }
}

fn unless(bound: bool) -> Found {
    if bound { Found::Bound } else { Found::Refers }
}

/// A word may be of several classes; the first that speaks counts.
fn refers(clause: &Clause<'_>, at: usize, gathered: &Gathered) -> Found {
    let (word, before, next) = (clause.at(at), clause.before(at, 1), clause.at(at + 1));
    let end = clause.breaks(at + 1);
    if word & HE != 0 {
        unless(gathered.named || clause.names(0..at) || clause.any(0..at, PERSON) || comes_first(clause, at))
    } else if word & IT != 0 {
        unless(dummy(clause, at) || introduced(clause, at, gathered))
    } else if word & THEY != 0 {
        unless(clause.any(0..at, PEOPLE))
    } else if word & (THAT | THIS) != 0 {
        demonstrative(clause, at, gathered)
    } else if word & SAME != 0 {
        let name = clause.names(at..at + 1);
        when(before & DEFINITE != 0 && !name && !clause.any(at + 1..at + 4, SUBORDINATE))
    } else if word & ONE != 0 {
        when(one(clause, at))
    } else if word & THERE != 0 {
        there(clause, at)
    } else if word & AGAIN != 0 {
        when(!clause.closes)
    } else if word & ELSE != 0 {
        when(before & ANYTHING != 0)
    } else if word & OTHER != 0 {
        other(clause, at)
    } else if word & SO != 0 && end && before & (QUESTION | SUPPORT) != 0 {
        Found::Refers
    } else if word & INSTEAD != 0 {
        when(end || next & PREPOSITION == 0)
    } else if word & QUANTIFIER != 0 {
        when(headless(clause, at))
    } else {
        Found::Nothing
    }
}

/// The pronoun comes before its name: "When he arrives, tell Bob".
fn comes_first(clause: &Clause<'_>, at: usize) -> bool {
    clause.at(0) & SUBORDINATE != 0
        && (at + 1..clause.len()).any(|later| clause.breaks(later))
        && clause.names(at + 1..clause.len())
}

/// "It is raining", "is it possible to …": nothing is meant.
fn dummy(clause: &Clause<'_>, at: usize) -> bool {
    let phrases = clause.lexicon.section(DUMMY);
    phrases.at(clause.words, at) || at > 0 && phrases.longest(clause.words, at - 1) > 1
}

/// The noun of "it" is in the message: "write a test and run it", "any time is fine as long as it is early".
fn introduced(clause: &Clause<'_>, at: usize, gathered: &Gathered) -> bool {
    let near = at.saturating_sub(NEAR);
    let joined = || clause.any(near..at, CONJUNCTION) || (near..at).any(|i| clause.breaks(i + 1));
    if gathered.brought_up || clause.brings_up(at) && joined() {
        return true;
    }
    let first = clause.at(clause.begin);
    !clause.asks
        && first & (PRONOUN | SUBJECT | THAT | THIS) == 0
        && clause.any(clause.begin + 1..at, SUBORDINATE)
}

/// "That" and "this" as demonstratives, or at the beginning of a clause about the words before.
fn demonstrative(clause: &Clause<'_>, at: usize, gathered: &Gathered) -> Found {
    let (word, before, next) = (clause.at(at), clause.before(at, 1), clause.at(at + 1));
    let end = clause.breaks(at + 1);
    let joined = at > 0 && !clause.breaks(at);
    if next & PERIOD != 0 && !end {
        return Found::Bound;
    }
    if word & (THAT | THIS) != 0 && gathered.stated && !content(next) {
        return Found::Bound;
    }
    if word & THAT == 0 {
        return Found::Refers;
    }
    if word & BE != 0 {
        // "food that's cheap", not "that's cheap".
        return unless(joined && content(before) && at > clause.begin + 1);
    }
    if joined && !end && before & SAYS != 0 {
        let begins = next & FUNCTION != 0 && next & PREPOSITION == 0 || clause.names(at + 1..at + 2);
        if begins {
            return Found::Bound;
        }
    }
    if joined && content(before) && !end {
        // Behind a verb it is its object, behind a noun it begins a relative clause.
        let verb = at == clause.begin + 1 || takes_verb(clause.before(at, 2));
        return unless(!verb && next & (PREPOSITION | ADVERB) == 0);
    }
    let headed = before & (ONE | OTHER | ANYTHING | PEOPLE) != 0 && before & QUESTION == 0;
    unless(joined && headed && !end && next & PREPOSITION == 0)
}

/// True if a verb follows a word of this class rather than a noun.
fn takes_verb(class: u64) -> bool {
    class & DETERMINER == 0 && class & (SUBJECT | AUX | ADVERB | CONJUNCTION) != 0
}

/// "The first one", not "one ticket", "at one", "one of the tickets".
fn one(clause: &Clause<'_>, at: usize) -> bool {
    let (before, next) = (clause.before(at, 1), clause.at(at + 1));
    if at > 0 && clause.names(at..at + 1) || before & CLOCK != 0 {
        return false;
    }
    let pointed = before & (WHICH | THAT | THIS | OTHER) != 0;
    let partitive = next & PREPOSITION != 0
        && !clause.breaks(at + 1)
        && (clause.any(at + 2..at + 3, DEFINITE | DETERMINER) || clause.names(at + 2..at + 3));
    pointed || clause.breaks(at + 1) || !content(next) && next & DIGIT == 0 && !partitive
}

/// "Held there", not "there is", "is there", "hi there", "Rome there".
fn there(clause: &Clause<'_>, at: usize) -> Found {
    let (before, next) = (clause.before(at, 1), clause.at(at + 1));
    let exists = before & AUX != 0 && (before & SUPPORT == 0 || next & BE != 0);
    if exists || !clause.breaks(at + 1) && next & (AUX | DETERMINER) != 0 {
        return Found::Nothing;
    }
    if at == clause.begin && at > 0 { Found::Nothing } else { unless(at > 0 && clause.names(at - 1..at)) }
}

/// "Another", "the other", "any others", but not "other than", nor what says at length which ones.
fn other(clause: &Clause<'_>, at: usize) -> Found {
    let compared = clause.any(at + 1..at + 5, THAN);
    let asked = clause.at(clause.begin) & QUESTION != 0;
    let described = !asked && clause.len() - at > DESCRIBED;
    unless(compared || described)
}

/// "Both are fine", "any will do": the noun was said before.
fn headless(clause: &Clause<'_>, at: usize) -> bool {
    if !clause.breaks(at + 1) {
        return clause.at(at + 1) & AUX != 0;
    }
    clause.at(at) & ALONE != 0 && at > 0 && clause.before(at, 1) & PREPOSITION == 0
}
