//! An answer and more: the message begins or ends with a clause that is a whole answer (`spec 02 §5.4`).

use alloc::string::{String, ToString};

use super::lexicon::{Lexicon, Section, SectionId};
use super::words::{Gap, Word, Words};
use super::{Found, Match, NoMatch, named};

/// An answer clause is short; a longer one is a sentence of its own.
const LONGEST: usize = 16;
/// A whole message that is longer is no answer either; this bound keeps every reader linear.
pub(super) const MOST: usize = 64;

const JOINER: SectionId = named("joiner");
const TURN: SectionId = named("turn");

/// The first word of a remainder decides what it may be.
struct Joints {
    joiner: Section,
    turn: Section,
}

/// Reads the whole message with `whole`, or its first or last clause when the rest is a clause of its own.
pub(crate) fn read(
    lexicon: &'static Lexicon,
    message: &Words,
    whole: impl Fn(&[Word]) -> Option<Found>,
) -> Result<Match, NoMatch> {
    let words = message.all();
    let whole = |w: &[Word]| if w.len() > MOST { None } else { whole(w) };
    if let Some(found) = whole(words) {
        return Ok(found.and(None));
    }
    let joints = Joints { joiner: lexicon.section(JOINER), turn: lexicon.section(TURN) };
    first(message, &joints, &whole)
        .or_else(|| last(message, &joints, &whole))
        .ok_or(NoMatch { reason: "unexplained word" })
}

/// The longest first clause that is an answer, with a rest that is none and takes nothing back.
fn first(message: &Words, joints: &Joints, whole: &impl Fn(&[Word]) -> Option<Found>) -> Option<Match> {
    let words = message.all();
    (1..words.len().min(LONGEST + 1)).rev().find_map(|cut| {
        let joined = joints.joiner.at(words, cut);
        if words[cut - 1].after == Gap::Space && !joined {
            return None;
        }
        // "Swansea?" asks; "Swansea, or …" and "3, no 4" have not decided.
        if words[cut - 1].after == Gap::Question || joints.turn.at(words, cut) {
            return None;
        }
        let rest = &words[if joined { cut + 1 } else { cut }..];
        let found = whole(&words[..cut])?;
        (rest.len() > 1 && whole(rest).is_none())
            .then(|| found.and(remainder(message, cut + usize::from(joined), words.len())))
    })
}

/// A last sentence that is an answer: only behind a full stop, since "…, for two" belongs to what it follows.
fn last(message: &Words, joints: &Joints, whole: &impl Fn(&[Word]) -> Option<Found>) -> Option<Match> {
    let words = message.all();
    let cut = (1..words.len()).rev().find(|&i| words[i - 1].after >= Gap::Hard)?;
    let before = words[..cut].iter().rposition(|w| w.after == Gap::Question);
    if cut < 2 || words.len() - cut > LONGEST || before.is_some() || joints.turn.at(words, cut) {
        return None;
    }
    Some(whole(&words[cut..])?.and(remainder(message, 0, cut)))
}

/// The words from `from` to `to` as the user wrote them, with their punctuation.
pub(crate) fn remainder(message: &Words, from: usize, to: usize) -> Option<String> {
    Some(message.clause(from, to).to_string()).filter(|rest| !rest.is_empty())
}
