//! Yes or no (`spec 02 §6`, `boolean`).
//!
//! The message is covered with phrases of the closed lists. Four kinds say yes: a *word* ("yes", "sure"), a *phrase*
//! ("please do", "go ahead"), a *proposal* accepted ("sounds good"), and the *weak* "ok". The weaker the kind, the less
//! may follow it: nothing after a weak one, a sentence of its own after a phrase, and nothing that takes the agreement
//! back after any.

use super::clause::remainder;
use super::lexicon::{Cover, Lexicon, Section, SectionId};
use super::words::{Gap, Word, Words};
use super::{Context, Found, Match, NoMatch, Value, named};

/// The sections a message is covered with, by what they say; the order breaks ties.
const SECTIONS: [(SectionId, u32); 12] = [
    (named("unsure"), UNSURE),
    (named("no.word"), NO_WORD),
    (named("no.phrase"), NO_PHRASE),
    (named("yes.word"), YES_WORD),
    (named("yes.phrase"), YES_PHRASE),
    (named("yes.proposal"), PROPOSAL),
    (named("closing"), CLOSING),
    (named("yes.weak"), WEAK),
    (named("thanks"), NEUTRAL),
    (named("filler"), NEUTRAL),
    (named("bye"), NEUTRAL),
    (named("now"), NEUTRAL),
];
pub(crate) const YES: SectionId = named("yes.word");
const JOINER: SectionId = named("joiner");
const CLAUSE: SectionId = named("clause");
const TURN: SectionId = named("turn");
const TURN_ANY: SectionId = named("turn.any");
const ASKS_NOTHING: SectionId = named("asks_nothing");

const YES_WORD: u32 = 1;
const YES_PHRASE: u32 = 1 << 1;
const PROPOSAL: u32 = 1 << 2;
const WEAK: u32 = 1 << 3;
const NO_WORD: u32 = 1 << 4;
const NO_PHRASE: u32 = 1 << 5;
const CLOSING: u32 = 1 << 6;
const UNSURE: u32 = 1 << 7;
const NEUTRAL: u32 = 0;

struct Lists {
    sections: [Section; SECTIONS.len()],
    joiner: Section,
    clause: Section,
    turn: Section,
    turn_any: Section,
    asks_nothing: Section,
}

/// Reads a yes or no.
pub(crate) fn read(
    lexicon: &'static Lexicon,
    message: &Words,
    _context: &Context<'_>,
) -> Result<Match, NoMatch> {
    let (lists, words) = (Lists::of(lexicon), message.all());
    let cover = lists.cover(words);
    if cover.reaches(words.len()) {
        if lists.asks(words, &cover) {
            return Err(NoMatch { reason: "a question" });
        }
        let value = verdict(kinds(&cover, words.len())).ok_or(NoMatch { reason: "neither yes nor no" })?;
        return Ok(Found::of(Value::Boolean(value), words).and(None));
    }
    lists
        .begins(message, &cover)
        .or_else(|| lists.ends(message))
        .ok_or(NoMatch { reason: "unexplained word" })
}

impl Lists {
    fn of(lexicon: &'static Lexicon) -> Self {
        Self {
            sections: SECTIONS.map(|(section, _)| lexicon.section(section)),
            joiner: lexicon.section(JOINER),
            clause: lexicon.section(CLAUSE),
            turn: lexicon.section(TURN),
            turn_any: lexicon.section(TURN_ANY),
            asks_nothing: lexicon.section(ASKS_NOTHING),
        }
    }

    fn cover(&self, words: &[Word]) -> Cover {
        Cover::of(&self.sections, Some(self.joiner), words)
    }

    /// "ok?" asks back; "why not?" does not.
    fn asks(&self, words: &[Word], cover: &Cover) -> bool {
        let last = cover.pieces(words.len()).next();
        words.last().is_some_and(|w| w.after == Gap::Question)
            && last.is_none_or(|piece| !self.asks_nothing.is(&words[piece.from..piece.to]))
    }

    /// The message begins with an answer.
    fn begins(&self, message: &Words, cover: &Cover) -> Option<Match> {
        let words = message.all();
        (1..words.len()).rev().filter(|&cut| cover.reaches(cut)).find_map(|cut| {
            let gap = words[cut - 1].after;
            let joined = self.joiner.at(words, cut) && cut + 1 < words.len();
            let said = kinds(cover, cut);
            // "Yes I need …": a bare yes or no is a clause, whatever follows it.
            // One word more ("yes Alex", "no changes") leaves it what it is.
            let bare =
                cover.pieces(cut).next().is_some_and(|p| SECTIONS[p.section].1 & (YES_WORD | NO_WORD) != 0)
                    && (self.clause.at(words, cut) || cut + 1 == words.len());
            if gap == Gap::Question || !(gap > Gap::Space || joined || bare) {
                return None;
            }
            let value = verdict(said)?;
            let firm = if value {
                said & YES_WORD != 0 || (said & (YES_PHRASE | PROPOSAL) != 0 && gap >= Gap::Hard)
            } else {
                said & NO_WORD != 0 || (said & NO_PHRASE != 0 && gap > Gap::Space)
            };
            if !firm
                || (value
                    && (self.takes_back(&words[cut..]) || (said & YES_WORD == 0 && asks(&words[cut..]))))
            {
                return None;
            }
            let rest = cut + usize::from(joined);
            Some(Found::of(Value::Boolean(value), &words[..cut]).and(remainder(message, rest, words.len())))
        })
    }

    /// The message ends with a plain yes or no in a clause of its own.
    fn ends(&self, message: &Words) -> Option<Match> {
        let words = message.all();
        let cut = (1..words.len()).rev().find(|&i| words[i - 1].after > Gap::Space)?;
        let (rest, tail) = words.split_at(cut);
        let cover = self.cover(tail);
        let said = kinds(&cover, tail.len());
        let plain = cover.reaches(tail.len()) && said & (YES_WORD | NO_WORD) != 0 && !self.asks(tail, &cover);
        if !plain || rest.iter().any(|w| w.after == Gap::Question) {
            return None;
        }
        let value = verdict(said)?;
        if value && self.takes_back(rest) {
            return None;
        }
        Some(Found::of(Value::Boolean(value), tail).and(remainder(message, 0, cut)))
    }

    /// Whether the rest takes an agreement back or changes what was agreed to.
    fn takes_back(&self, rest: &[Word]) -> bool {
        self.turn.at(rest, 0) || self.turn_any.within(rest)
    }
}

/// Whether the clause is a question: behind "sounds good" it asks about what was proposed, and nothing is settled.
fn asks(rest: &[Word]) -> bool {
    rest.iter().find(|w| w.after >= Gap::Hard).is_some_and(|w| w.after == Gap::Question)
}

fn kinds(cover: &Cover, end: usize) -> u32 {
    cover.pieces(end).fold(0, |all, piece| all | SECTIONS[piece.section].1)
}

/// What a row of phrases says; nothing when it says both, neither, or doubts.
fn verdict(said: u32) -> Option<bool> {
    let no = said & (NO_WORD | NO_PHRASE) != 0;
    let yes = said & (YES_WORD | YES_PHRASE) != 0;
    match (no, yes) {
        _ if said & UNSURE != 0 => None,
        (true, true) => None,
        (true, false) => Some(false),
        (false, true) => Some(true),
        _ if said & PROPOSAL != 0 => Some(true),
        _ if said & CLOSING != 0 => Some(false),
        _ if said & WEAK != 0 => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::recognize::{Expected, Value, matches};

    #[test]
    fn whole_answers() {
        for (text, expected) in [
            ("yes", true),
            ("Yeah, go for it", true),
            ("sure, do it", true),
            ("yep thanks", true),
            ("Sounds good!", true),
            ("that sounds really good to me", true),
            ("please do", true),
            ("Absolutely.", true),
            ("why not?", true),
            ("👍🏽", true),
            ("ok", true),
            ("Sure", true),
            ("um, I guess so", true),
            ("ＹＥＳ", true),
            ("no", false),
            ("nope", false),
            ("not now", false),
            ("don't", false),
            ("don’t!", false),
            ("rather not", false),
            ("no thanks", false),
            ("No, that's fine, thank you.", false),
            ("I'd prefer not to", false),
            ("maybe later", false),
            ("👎", false),
            ("No, that's all. Thanks!", false),
        ] {
            let found = matches(&Expected::Boolean, text).unwrap_or_else(|e| panic!("{text}: {}", e.reason));
            assert_eq!((found.value, found.remainder), (Value::Boolean(expected), None), "{text}");
        }
    }

    #[test]
    fn answers_and_more() {
        for (text, expected, remainder) in [
            ("no, book the train instead", false, "book the train instead"),
            ("Yes, and mail Bob the plan.", true, "mail Bob the plan."),
            ("yes please. What time does it start?", true, "What time does it start?"),
            ("Yes I need a table for two", true, "I need a table for two"),
            ("That sounds great. I need two tickets", true, "I need two tickets"),
            ("No but show me trains", false, "show me trains"),
            ("Two tickets, yes please", true, "Two tickets"),
        ] {
            let found = matches(&Expected::Boolean, text).unwrap_or_else(|e| panic!("{text}: {}", e.reason));
            assert_eq!(found.value, Value::Boolean(expected), "{text}");
            assert_eq!(found.remainder.as_deref(), Some(remainder), "{text}");
        }
    }

    #[test]
    fn no_answers() {
        for text in [
            "ok but what about the database?",
            "ok, what about the database?",
            "Sounds great. What is their phone number?",
            "no one",
            "no matter",
            "great, find me a hotel",
            "thanks",
            "Thank you!",
            "is it?",
            "ok?",
            "not great",
            "not sure",
            "maybe",
            "do that via sub-agent",
            "yes but only if it is free",
            "yes, make it 4 people instead",
            "sounds good, but show me something else",
            "yes or no",
            "yesterday",
            "nobody answered",
            "no idea",
            "sure footed goats",
            "the yes men",
            "I think that we should",
            "\u{200d}",
        ] {
            assert!(matches(&Expected::Boolean, text).is_err(), "{text}");
        }
    }
}
