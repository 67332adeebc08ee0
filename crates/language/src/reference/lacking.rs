//! Requests that lack a part: "and for tomorrow?", "what about trains?", "what is the price?".

use core::ops::Range;

use super::clause::{
    AUX, BE, CAPITAL, CONJUNCTION, Clause, DIGIT, END, INDEFINITE, PREPOSITION, QUESTION, SUBJECT, content,
};
use super::{Gathered, Sign, class};
use crate::lexicon::SectionId;
use crate::section;

const DEFINITE: u64 = class("class.definite");
const COMPLETES: u64 = class("class.completes");
const AND: u64 = class("class.and");
const SUPPORT: u64 = class("class.support");
const CIRCUMSTANCE: u64 = class("class.circumstance");
const WHICH: u64 = class("class.which");
const THERE: u64 = class("class.there");
const YES: u64 = class("class.yes");
const OTHER: u64 = class("class.other") | class("class.else");
const AROUND: u64 = class("class.around");
const IDLE: u64 = class("class.idle");
const RELATIONAL: u64 = class("class.relational");
const UNIQUE: u64 = class("class.unique");
const RANKED: u64 = class("class.ranked");
const INNER: u64 = class("class.inner");
const SEVERAL: u64 = class("class.several");
const KIND: u64 = class("class.kind");
const WANTING: u64 = class("class.wanting");
const PARTICIPLE: u64 = class("class.participle");
const SERVES: u64 = class("class.serves");
const ABOUT: SectionId = section("reference.about");
const LACKING: SectionId = section("reference.lacking");
const MANY: SectionId = section("reference.many");
const WHICHEVER: SectionId = section("reference.which");
const OF: u64 = class("class.of");

/// "What about" so many words at most: more describe by themselves what is asked for.
const ABOUT_WORDS: usize = 3;
/// A text without a verb is a fragment up to so many words.
const FRAGMENT: usize = 4;
/// "Is there a bar": how many words such a question has.
const EXISTS: Range<usize> = 4..6;

/// Gathers what a clause lacks. Fragments depend on whether it is the `last` clause, and the `only` one.
pub(super) fn look(clause: &Clause<'_>, last: bool, only: bool, gathered: &mut Gathered) {
    let said = clause.begin..clause.len();
    if let Some(to) = begins_lacking(clause) {
        gathered.need(Sign::Words(clause.offset + clause.begin, clause.offset + to));
    }
    if let Some(at) = said.clone().find(|at| lacks_noun(clause, *at)) {
        gathered.need(Sign::Words(clause.offset + at, clause.offset + at + 1));
    }
    if wants(clause) {
        gathered.need(Sign::Words(clause.offset + clause.len() - 1, clause.offset + clause.len()));
    }
    if exists(clause) {
        gathered.need(Sign::Words(clause.offset + clause.begin, clause.offset + clause.begin + 2));
    }
    let verbless = !clause.has_verb(clause.begin);
    // A name gives a noun its frame: "what do the amplifiers do for Santana".
    let framed = clause.names(clause.begin + 1..clause.len());
    if (clause.requests || verbless) && !clause.closes {
        for at in clause.begin..clause.len() {
            if framed || clause.at(at) & DEFINITE == 0 || !bare(clause, at) {
                continue;
            }
            let sign = Sign::Words(clause.offset + at, clause.offset + at + 1);
            let pause = (0..at).any(|i| clause.breaks(i + 1));
            if gathered.brought_up || pause && clause.brings_up(at) {
                gathered.bind(sign);
            } else {
                gathered.need(sign);
            }
        }
        if let Some(at) = of_nothing(clause).filter(|_| !gathered.brought_up) {
            gathered.need(Sign::Words(clause.offset + at, clause.offset + at + 1));
        }
    }
    let asked = clause.asks && !only;
    if verbless && !clause.closes && (last || asked) && fragment(clause) {
        gathered.need(Sign::Fragment);
    }
    if only && said.is_empty() && clause.len() <= 3 && clause.any(0..clause.len(), YES) {
        gathered.need(Sign::Words(clause.offset, clause.offset + clause.len()));
    }
}

/// A clause that is nothing but a request without its object, or "what about" and little more; where that ends.
fn begins_lacking(clause: &Clause<'_>) -> Option<usize> {
    let phrases = |id| clause.lexicon.section(id).ends(clause.words, clause.begin);
    let whole = phrases(LACKING);
    let ends = (1..64).rev().find(|n| whole >> n & 1 != 0 && clause.breaks(clause.begin + n));
    let about = || {
        let to = clause.begin + phrases(ABOUT).checked_ilog2().filter(|n| *n > 0)? as usize;
        let short = clause.len() - to <= ABOUT_WORDS && !clause.any(to..clause.len(), AUX | SERVES);
        short.then_some(to)
    };
    let many = || {
        let to = clause.begin + phrases(MANY).checked_ilog2().filter(|n| *n > 0)? as usize;
        (to <= clause.len()).then_some(to)
    };
    ends.map(|n| clause.begin + n).or_else(about).or_else(many)
}

/// "The first", "the best for that", "what kind is": a noun belongs there.
fn lacks_noun(clause: &Clause<'_>, at: usize) -> bool {
    let (word, before, next) = (clause.at(at), clause.before(at, 1), clause.at(at + 1));
    let end = clause.breaks(at + 1);
    let ranked = word & RANKED != 0 && before & DEFINITE != 0 && (end || next & (AUX | PREPOSITION) != 0);
    let kind = word & KIND != 0 && before & WHICH != 0 && (end || next & AUX != 0);
    // "Which is better", not "which of them".
    let which = at == clause.begin && clause.lexicon.section(WHICHEVER).at(clause.words, at);
    ranked || kind || which
}

/// "How is that different": from what?
fn wants(clause: &Clause<'_>) -> bool {
    let last = clause.len().saturating_sub(1);
    clause.at(last) & WANTING != 0 && last > clause.begin && !clause.any(clause.begin..last, AND)
}

/// "Is there a bar?": where?
fn exists(clause: &Clause<'_>) -> bool {
    let at = clause.begin;
    let asks =
        clause.at(at) & BE != 0 && clause.at(at + 1) & THERE != 0 && clause.at(at + 2) & INDEFINITE != 0;
    asks && EXISTS.contains(&(clause.len() - at))
        && clause.some(at + 3..clause.len()).all(|word| content(word) && word & OTHER == 0)
}

/// "The album" with nothing behind it that says which, as "the album of the year" has.
fn bare(clause: &Clause<'_>, the: usize) -> bool {
    let Some(noun) = noun(clause, the + 1) else { return false };
    let (first, last) = (clause.at(noun.start), clause.at(noun.end - 1));
    let completed = !clause.breaks(noun.end)
        && clause.at(noun.end) & (COMPLETES | DIGIT | DEFINITE | INDEFINITE) != 0
        && !(clause.at(noun.end) & PREPOSITION != 0 && clause.breaks(noun.end + 1));
    let length = noun.len();
    if completed || length > 3 || first & UNIQUE != 0 || length == 1 && last & UNIQUE != 0 {
        return false;
    }
    // "Of the missing sock": two words behind "of" are a name as often.
    if clause.before(the, 1) & OF != 0 && length > 1 {
        return false;
    }
    let (before, asked) = (clause.before(the, 1), clause.before(the, 2));
    if before & SUPPORT != 0 {
        // "Did the songs win": the subject and its verb.
        return true;
    }
    match length {
        1 => true,
        2 if last & RELATIONAL != 0 || first & SEVERAL != 0 => true,
        2 if before & BE != 0 => {
            the == clause.begin + 1 || asked & CIRCUMSTANCE != 0 || last & PARTICIPLE != 0
        }
        _ => before & BE != 0 && last & PARTICIPLE != 0 || first & SEVERAL != 0,
    }
}

/// The last of the nouns that begin here and are joined: "address, phone number and price"; `None` for a name.
fn noun(clause: &Clause<'_>, mut from: usize) -> Option<Range<usize>> {
    loop {
        let inside = |at: usize| {
            let word = clause.at(at);
            (content(word) || word & INNER != 0) && (at == from || !clause.breaks(at))
        };
        let to = (from..clause.len()).find(|at| !inside(*at)).unwrap_or(clause.len());
        if to == from || clause.any(from..to, CAPITAL) {
            return None;
        }
        let paused = to < clause.len() && clause.breaks(to);
        let and = usize::from(clause.at(to) & AND != 0);
        let the = usize::from(clause.at(to + and) & DEFINITE != 0);
        let next = to + and + the;
        let goes_on = if paused {
            to - from <= 2 && content(clause.at(next))
        } else {
            and == 1 && content(clause.at(next))
        };
        if !goes_on {
            return Some(from..to);
        }
        from = next;
    }
}

/// "Send me their address": the noun at the end belongs to something that the clause does not name. Returns the noun's
/// place.
fn of_nothing(clause: &Clause<'_>) -> Option<usize> {
    let last = (0..clause.len()).rev().find(|at| clause.at(*at) & AROUND == 0)?;
    let named = clause.names(clause.begin + 1..clause.len());
    let given = clause.any(0..last.saturating_sub(1), INDEFINITE) || clause.any(0..last, OF);
    (clause.requests && last >= 2 && clause.at(last) & RELATIONAL != 0 && !named && !given).then_some(last)
}

/// A text without a verb that is no greeting and does not say by itself what it is about.
fn fragment(clause: &Clause<'_>) -> bool {
    let core = || clause.some(clause.begin..clause.len()).filter(|word| word & AROUND == 0);
    let count = core().count();
    let first = core().next().unwrap_or(END);
    let of_something = count > 2 && first & PREPOSITION == 0 && core().skip(1).any(|word| word & OF != 0);
    (1..=FRAGMENT).contains(&count)
        && first & (QUESTION | SUBJECT) == 0
        && !core().all(|word| word & IDLE != 0)
        && !of_something
        && core().all(|word| word & CONJUNCTION == 0 || word & (PREPOSITION | AND) != 0)
}
