//! Yes or no (`spec 02 §6`, `boolean`).
//!
//! The message is covered with phrases of the closed lists. Four kinds say yes: a *word* ("yes", "sure"), a *phrase*
//! ("please do", "go ahead"), a *proposal* accepted ("sounds good"), and the *weak* "ok". The weaker the kind, the less
//! may follow it: nothing after a weak one, a sentence of its own after a phrase, and nothing that takes the agreement
//! back after any.
//!
//! The question tells more: what the message repeats of it ([`echo`](super::echo)), whether it asks for anything more,
//! to confirm what was said, or whether somebody minds.

use alloc::string::String;

use super::clause::remainder;
use super::echo;
use super::lexicon::{Cover, Lexicon, Section, SectionId, WordId};
use super::words::{Gap, Word, Words};
use super::{Context, Found, Match, NoMatch, Strength, Value, named, slips};

/// The sections a message is covered with, by what they say; the order breaks ties.
const SECTIONS: [(SectionId, u32); 17] = [
    (named("unsure"), UNSURE),
    (named("no.word"), NO_WORD),
    (named("no.phrase"), NO_PHRASE),
    (named("yes.word"), YES_WORD),
    (named("yes.phrase"), YES_PHRASE),
    (named("yes.proposal"), PROPOSAL),
    (named("yes.wish"), WISHES),
    (named("thats_it"), THATS_IT),
    (named("closing"), CLOSING),
    (named("praise"), WEAK | PRAISE),
    (named("yes.weak"), WEAK),
    (named("please"), WEAK),
    (named("thanks"), NEUTRAL),
    (named("filler"), NEUTRAL),
    (named("bye"), NEUTRAL),
    (named("now"), NEUTRAL),
    (named("name"), NEUTRAL),
];
pub(crate) const YES: SectionId = named("yes.word");
const JOINER: SectionId = named("joiner");
const CLAUSE: SectionId = named("clause");
const TURN: SectionId = named("turn");
const TURN_FAR: SectionId = named("turn.far");
const TURN_VALUE: SectionId = named("turn.value");
const TURN_NEAR: SectionId = named("turn.near");
const ASKS_NOTHING: SectionId = named("asks_nothing");
const ASKS_TO: SectionId = named("asks_to");
const WISH: SectionId = named("wish");
const WISH_BARE: SectionId = named("wish.bare");
const WANTED: SectionId = named("wanted");
const ACT: SectionId = named("act");
const ADDS: SectionId = named("adds");
const TELL: SectionId = named("tell");
const PLEASE: SectionId = named("please");
const POINTS_BACK: SectionId = named("points_back");
const CHOICE: SectionId = named("asks.choice");
const ASKS_MORE: SectionId = named("asks.more");
const ASKS_CONFIRM: SectionId = named("asks.confirm");
const ASKS_MIND: SectionId = named("asks.mind");

const YES_WORD: u32 = 1;
const YES_PHRASE: u32 = 1 << 1;
const PROPOSAL: u32 = 1 << 2;
const WEAK: u32 = 1 << 3;
const NO_WORD: u32 = 1 << 4;
const NO_PHRASE: u32 = 1 << 5;
const CLOSING: u32 = 1 << 6;
const UNSURE: u32 = 1 << 7;
const PRAISE: u32 = 1 << 8;
const WISHES: u32 = 1 << 9;
const THATS_IT: u32 = 1 << 10;
const NEUTRAL: u32 = 0;

const UNEXPLAINED: &str = "unexplained word";

/// Reads a yes or no.
pub(crate) fn read(
    lexicon: &'static Lexicon,
    message: &Words,
    context: &Context<'_>,
) -> Result<Match, NoMatch> {
    if !lexicon.knows_most(message.all()) {
        return Err(NoMatch { reason: super::ANOTHER_LANGUAGE });
    }
    let mended = slips::mended(lexicon, message);
    let message = mended.as_ref().unwrap_or(message);
    let reader = Reader { lexicon, message, asked: Asked::of(lexicon, context.question()) };
    // What repeats the question is read first: it leaves less that is not explained.
    let merged = if reader.asked.choice { None } else { echo::merged(lexicon, message, context.question()) };
    let merged = merged.as_deref().map(|words| (words, reader.cover(words)));
    if let Some(Ok(found)) = merged.as_ref().map(|(words, cover)| reader.whole(words, cover)) {
        return in_focus(found, context);
    }
    let plain = (message.all(), reader.cover(message.all()));
    let found = reader.whole(plain.0, &plain.1);
    let found = found.or_else(|no| {
        if no.reason != UNEXPLAINED {
            return Err(no);
        }
        let parts =
            |(words, cover): &(&[Word], Cover)| reader.begins(words, cover).or_else(|| reader.ends(words));
        merged.as_ref().and_then(parts).or_else(|| parts(&plain)).or_else(|| reader.wants_more()).ok_or(no)
    })?;
    in_focus(found, context)
}

/// A mere acknowledgement answers only the question that the message is about.
fn in_focus(found: Match, context: &Context<'_>) -> Result<Match, NoMatch> {
    if found.strength == Strength::Weak && !context.focused {
        return Err(NoMatch { reason: "acknowledges something else" });
    }
    Ok(found)
}

/// Whether the whole message is a no to an offer, which leaves nothing to be done. A no to what was to be confirmed
/// does: it is wrong.
pub(crate) fn declines(lexicon: &'static Lexicon, message: &Words, context: &Context<'_>) -> bool {
    let asked = Asked::of(lexicon, context.question());
    let declined = |found: Match| found.remainder.is_none() && found.value == Value::Boolean(false);
    asked.offer && !asked.confirm && read(lexicon, message, context).is_ok_and(declined)
}

/// What the question asks for, besides its own words.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    /// "Anything else?": a yes is only that there is more.
    more: bool,
    /// "Is that right?": what was said is settled by an agreement, whatever is asked behind it.
    confirm: bool,
    /// "Do you mind?": not to mind is a yes.
    mind: bool,
    /// "A car or a train?": repeating a part of it chooses.
    choice: bool,
    /// It is a question at all.
    offer: bool,
    /// Nobody knows what was asked.
    unknown: bool,
}

impl Asked {
    fn of(lexicon: &'static Lexicon, question: &Words) -> Self {
        let sentence = echo::sentence(question.all());
        let says = |id, words: &[Word]| lexicon.section(id).within(words);
        Self {
            more: says(ASKS_MORE, sentence),
            confirm: says(ASKS_CONFIRM, question.all()),
            mind: says(ASKS_MIND, sentence),
            choice: says(CHOICE, sentence),
            offer: sentence.last().is_some_and(|w| w.after == Gap::Question),
            unknown: sentence.is_empty(),
        }
    }
}

/// A message in one language, as the answer to a question.
struct Reader<'m> {
    lexicon: &'static Lexicon,
    message: &'m Words,
    asked: Asked,
}

impl Reader<'_> {
    fn list(&self, id: SectionId) -> Section {
        self.lexicon.section(id)
    }

    fn cover(&self, words: &[Word]) -> Cover {
        Cover::of(&SECTIONS.map(|(id, _)| self.list(id)), Some(self.list(JOINER)), words)
    }

    /// The whole message is an answer.
    fn whole(&self, words: &[Word], cover: &Cover) -> Result<Match, NoMatch> {
        if self.asked.mind && self.minds_not(words) {
            return Ok(self.found(true, YES_PHRASE, words, None));
        }
        if !cover.reaches(words.len()) {
            return Err(NoMatch { reason: UNEXPLAINED });
        }
        if self.asks_back(words, cover) {
            return Err(NoMatch { reason: "a question" });
        }
        let said = kinds(cover, words.len());
        let value = self.verdict(said).ok_or(NoMatch { reason: "neither yes nor no" })?;
        Ok(self.found(value, said, words, None))
    }

    /// "No, not at all": nothing else is said, and that nobody minds.
    fn minds_not(&self, words: &[Word]) -> bool {
        const AROUND: [SectionId; 4] =
            [named("minds_not"), named("no.word"), named("thanks"), named("filler")];
        let cover = Cover::of(&AROUND.map(|id| self.list(id)), Some(self.list(JOINER)), words);
        cover.reaches(words.len()) && cover.sections(words.len()) & 1 != 0
    }

    /// "ok?" asks back; "why not?" does not.
    fn asks_back(&self, words: &[Word], cover: &Cover) -> bool {
        let last = cover.pieces(words.len()).next();
        words.last().is_some_and(|w| w.after == Gap::Question)
            && last.is_none_or(|piece| !self.list(ASKS_NOTHING).is(&words[piece.from..piece.to]))
    }

    /// The message begins with an answer.
    fn begins(&self, words: &[Word], cover: &Cover) -> Option<Match> {
        (1..words.len()).rev().filter(|&cut| cover.reaches(cut)).find_map(|cut| {
            let gap = words[cut - 1].after;
            let joined = self.list(JOINER).at(words, cut) && cut + 1 < words.len();
            let said = kinds(cover, cut);
            let last = cover.pieces(cut).next()?;
            // "Yes I need …": a bare yes or no is a clause, whatever follows it.
            // One word more ("yes Alex", "no changes") leaves it what it is.
            let bare = SECTIONS[last.section].1 & (YES_WORD | NO_WORD) != 0
                && (self.asked.more || self.list(CLAUSE).at(words, cut) || cut + 1 == words.len());
            let adds = self.list(ADDS).at(words, cut) && repeats(&words[..cut]);
            if gap == Gap::Question || !(gap > Gap::Space || joined || bare || adds) {
                return None;
            }
            let rest = cut + usize::from(joined);
            let value = self.verdict(said)?;
            let settled = if value {
                self.agrees(said, &words[..cut], &words[cut..], joined)
            } else {
                said & NO_WORD != 0 || (said & NO_PHRASE != 0 && gap > Gap::Space)
            };
            settled.then(|| self.found(value, said, &words[..cut], self.rest(words, rest, words.len())))
        })
    }

    /// Whether a clause says yes whatever the rest is, and the rest leaves it a yes to this question.
    fn agrees(&self, said: u32, clause: &[Word], rest: &[Word], joined: bool) -> bool {
        let gap = clause.last().map_or(Gap::Space, |w| w.after);
        let word = said & YES_WORD != 0;
        if self.takes_back(rest, if word { gap } else { Gap::Space }) {
            return false;
        }
        if word {
            return self.belongs(rest, gap);
        }
        if said & (YES_PHRASE | PROPOSAL | WISHES | THATS_IT) == 0 {
            return said & PRAISE != 0 && self.asked.confirm && self.asks_to_know(rest);
        }
        // What was to be confirmed is, by this; a wish behind it would change it.
        if self.asked.confirm {
            return said & WISHES == 0
                && (self.asks_to_know(rest) || gap >= Gap::Hard && !self.list(WISH_BARE).at(rest, 0));
        }
        let named = repeats(clause);
        let proposal = said & PROPOSAL != 0 && (joined || named || self.list(WANTED).at(rest, 0));
        (gap >= Gap::Hard || proposal) && (named || !self.questions(rest))
    }

    fn asks_to_know(&self, rest: &[Word]) -> bool {
        asks(rest) || self.list(TELL).at(rest, usize::from(self.list(JOINER).at(rest, 0)))
    }

    /// The message ends with a plain yes or no in a clause of its own.
    fn ends(&self, words: &[Word]) -> Option<Match> {
        let apart = |&i: &usize| words[i - 1].after > Gap::Space || self.list(JOINER).at(words, i);
        let cut = (1..words.len()).rev().find(apart)?;
        let joined = words[cut - 1].after == Gap::Space;
        let (rest, tail) = (&words[..cut], &words[cut + usize::from(joined)..]);
        let cover = self.cover(tail);
        let said = kinds(&cover, tail.len());
        let word = said & (YES_WORD | NO_WORD) != 0 && !joined;
        let plain = cover.reaches(tail.len()) && (word || repeats(tail)) && !self.asks_back(tail, &cover);
        if !plain || rest.iter().any(|w| w.after == Gap::Question) {
            return None;
        }
        let value = self.verdict(said)?;
        if value && self.takes_back(rest, Gap::Space) {
            return None;
        }
        Some(self.found(value, said, tail, self.rest(words, 0, cut)))
    }

    /// "Please check my balance" after "Anything else?": there is more, and this is it.
    fn wants_more(&self) -> Option<Match> {
        let words = self.message.all();
        let asks = self.asked.more && self.list(PLEASE).at(words, 0) && self.list(ACT).at(words, 1);
        asks.then(|| self.found(true, YES_PHRASE, &words[..1], remainder(self.message, 1, words.len())))
    }

    fn found(&self, value: bool, said: u32, words: &[Word], remainder: Option<String>) -> Match {
        Match { strength: strength(said), ..Found::of(Value::Boolean(value), words).and(remainder) }
    }

    /// The message from one of these words to another: with echoes merged, they are fewer than its own.
    fn rest(&self, words: &[Word], from: usize, to: usize) -> Option<String> {
        let all = self.message.all();
        let place = |i: usize| words.get(i).map_or(all.len(), |word| all.partition_point(|w| w.at < word.at));
        remainder(self.message, place(from), place(to))
    }

    /// Whether the rest takes an agreement back or changes what was agreed to. Behind "anything else?" there is
    /// nothing to take back.
    fn takes_back(&self, rest: &[Word], gap: Gap) -> bool {
        if self.asked.more {
            return false;
        }
        let near = rest.iter().position(|w| w.after >= Gap::Hard).map_or(rest.len(), |at| at + 1);
        self.list(TURN).at(rest, 0)
            || self.list(TURN_FAR).within(rest)
            || ((self.asked.confirm || self.asked.unknown) && self.list(TURN_VALUE).within(rest))
            || (gap < Gap::Hard && self.list(TURN_NEAR).within(&rest[..near]))
    }

    /// Whether a wish behind a yes is what was asked about: "yes, I'd like to find a hotel" is no yes to a ride.
    fn belongs(&self, rest: &[Word], gap: Gap) -> bool {
        let joined = usize::from(self.list(JOINER).at(rest, 0));
        let wish = self.list(if gap > Gap::Space { WISH } else { WISH_BARE });
        self.asked.more || !wish.at(rest, joined) || self.relates(rest)
    }

    /// Whether words repeat the question or point back to it.
    fn relates(&self, rest: &[Word]) -> bool {
        repeats(rest) || self.list(POINTS_BACK).within(rest)
    }

    /// Whether the next clause is a question about what was proposed, and so nothing is settled: "can you book it?" is
    /// a request.
    fn questions(&self, rest: &[Word]) -> bool {
        asks(rest) && !self.list(ASKS_TO).at(rest, usize::from(self.list(JOINER).at(rest, 0)))
    }

    /// What a row of phrases says; nothing when it says both, neither, or doubts.
    fn verdict(&self, said: u32) -> Option<bool> {
        let (confirm, more) = (self.asked.confirm, self.asked.more);
        let no = said & (NO_WORD | NO_PHRASE) != 0;
        let yes = said & YES_WORD != 0 || said & YES_PHRASE != 0 && !more;
        match (no, yes) {
            _ if said & UNSURE != 0 => None,
            (true, true) => None,
            (true, false) if said & WISHES != 0 => None,
            (true, false) => Some(false),
            (false, true) => Some(true),
            // "Anything else?" – "book it": that is the next thing to do, and no answer.
            _ if more && said & (YES_PHRASE | PROPOSAL | WISHES) != 0 => None,
            _ if said & (PROPOSAL | WISHES) != 0 => Some(true),
            _ if said & CLOSING != 0 => (!confirm).then_some(false),
            _ if said & THATS_IT != 0 => Some(!more),
            _ if said & WEAK != 0 => Some(true),
            _ => None,
        }
    }
}

/// Whether the next clause is a question.
fn asks(rest: &[Word]) -> bool {
    rest.iter().find(|w| w.after >= Gap::Hard).is_some_and(|w| w.after == Gap::Question)
}

/// Whether something is repeated of the question.
fn repeats(words: &[Word]) -> bool {
    words.iter().any(|w| w.id == WordId::ECHO)
}

/// Whether more than an acknowledgement was said.
fn strength(said: u32) -> Strength {
    let firm = said & !(WEAK | PRAISE) != 0;
    if firm { Strength::Firm } else { Strength::Weak }
}

fn kinds(cover: &Cover, end: usize) -> u32 {
    cover.pieces(end).fold(0, |all, piece| all | SECTIONS[piece.section].1)
}

#[cfg(test)]
mod tests;
