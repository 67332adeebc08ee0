//! Yes or no.
//!
//! The message is covered with phrases of the closed lists. Four kinds say yes: a *word* ("yes", "sure"), a *phrase*
//! ("please do", "go ahead"), a *proposal* accepted ("sounds good"), and the *weak* "ok". The weaker the kind, the less
//! may follow it: a sentence of its own after a phrase, only what the question bears after a weak one, and nothing that
//! takes the agreement back after any.
//!
//! The question decides more ([`asked`]): what the message repeats of it ([`echo`](super::echo)), whether it asks for
//! anything more, to confirm what was said, or whether somebody minds; whether it proposes a thing, so that praise
//! takes it; and whether it names a number, which another one would change.

mod asked;
mod kinds;
mod veto;

use alloc::string::String;
use core::cell::Cell;

pub(crate) use asked::Asked;
use kinds::{
    CLOSING, COMPLIMENT, NO_PHRASE, NO_WORD, NUMBER, PRAISE, PROPOSAL, PUTS_OFF, THATS_IT, UNSURE, WEAK,
    WISHES, YES_PHRASE, YES_WORD, kind, kinds, strength,
};
pub use veto::NO_YES;
use veto::Veto;

use super::clause::First;
use super::echo::Echo;
use super::lexicon::{Cover, Lexicon, Piece, Section, SectionId, WordId};
use super::remainder::remainder;
use super::words::{Gap, Word, Words};
use super::{Context, Found, Match, NoMatch, Strength, Value, acknowledgement, request, section, typos};

pub(crate) const YES: SectionId = section("yes.word");
const CLEAR: SectionId = section("yes.clear");
const DENIES: SectionId = section("no.denies");
const NO: SectionId = section("no.word");
const NO_PHRASES: SectionId = section("no.phrase");
const JOINER: SectionId = section("joiner");
const CLAUSE: SectionId = section("clause");
const TURN: SectionId = section("turn");
const TURN_FAR: SectionId = section("turn.far");
const TURN_VALUE: SectionId = section("turn.value");
const TURN_NEAR: SectionId = section("turn.near");
const ASKS_NOTHING: SectionId = section("asks_nothing");
const ASKS_ABOUT: SectionId = section("asks_about");
const REFERS: SectionId = section("refers");
const ASKS_TO: SectionId = section("asks_to");
const WISH: SectionId = section("wish");
const WISH_BARE: SectionId = section("wish.bare");
const WANTS: SectionId = section("i_want");
const WANTED: SectionId = section("wanted");
const ACT: SectionId = section("act");
const DET: SectionId = section("det.new");
const ADDS: SectionId = section("adds");
const TELL: SectionId = section("tell");
const PLEASE: SectionId = section("please");
const POINTS_BACK: SectionId = section("points_back");
const ASKS_PROPOSAL: SectionId = section("asks.proposal");
const ASKS_FOR_IT: SectionId = section("asks_for_it");
const COMMITS: SectionId = section("commits");
const QUESTION: SectionId = section("question.information");
const COMPARES: SectionId = section("compares");
const NEXT: SectionId = section("next");
const CONCEDES: SectionId = section("concedes");

/// The number of clauses at the end of a message that are read as its answer.
const LAST: usize = 3;

const UNEXPLAINED: &str = "unexplained word";
const ASKS_BACK: &str = "a question";
const CONTRADICTS: &str = "neither yes nor no";

/// Reads a yes or no.
pub(crate) fn read(
    lexicon: &'static Lexicon,
    message: &Words,
    context: &Context<'_>,
) -> Result<Match, NoMatch> {
    if !lexicon.knows_most(message) {
        return Err(NoMatch { reason: "another language" });
    }
    let mended = typos::mended(lexicon, message);
    let message = mended.as_ref().unwrap_or(message);
    answer(lexicon, message, context, Asked::of(lexicon, context.question()))
}

/// Reads a yes or no in a message whose typing errors are mended.
fn answer(
    lexicon: &'static Lexicon,
    message: &Words,
    context: &Context<'_>,
    asked: Asked,
) -> Result<Match, NoMatch> {
    let question = context.question();
    let reader = |first| Reader { lexicon, message, question, asked, first, clauses: Cell::new(false) };
    let by_lists = reader(First::Lists);
    // Where phrases contradict each other or leave a gap, a whole clause may say what is meant: "let's do that later".
    let found = by_lists.read().or_else(|no| match no.reason {
        CONTRADICTS | UNEXPLAINED if by_lists.clauses.get() => reader(First::Clauses).read().map_err(|_| no),
        _ => Err(no),
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

/// True if the whole message refuses an offer, which leaves nothing to be done. Refusing to confirm something says that
/// it is wrong, so that is not meant here. The message's typing errors are mended.
pub(crate) fn declines(
    lexicon: &'static Lexicon,
    message: &Words,
    context: &Context<'_>,
    asked: Asked,
) -> bool {
    let declined = |found: Match| found.remainder.is_none() && found.value == Value::Boolean(false);
    let offered = asked.offer && !asked.confirm && lexicon.knows_most(message);
    offered && answer(lexicon, message, context, asked).is_ok_and(declined)
}

/// True if the person may take leave here: the question was only whether there is anything more, or they refuse an
/// offer with their first words.
pub(crate) fn leaves_off(lexicon: &'static Lexicon, message: &Words, asked: Asked) -> bool {
    let refuses = || [NO, NO_PHRASES].iter().any(|id| lexicon.section(*id).at(message.all(), 0));
    asked.more || asked.offer && !asked.confirm && refuses()
}

/// A message in one language, as the answer to a question.
struct Reader<'m> {
    lexicon: &'static Lexicon,
    message: &'m Words,
    question: &'m Words,
    asked: Asked,
    first: First,
    /// True once a clause said something.
    clauses: Cell<bool>,
}

impl Reader<'_> {
    /// The first way of reading that finds an answer which stands.
    fn read(&self) -> Result<Match, NoMatch> {
        // What repeats the question is read first: it leaves less that is not explained.
        let echo = Echo::of(self.lexicon, self.message, self.question);
        let merged = if self.asked.choice { None } else { echo.merged() };
        let merged = merged.as_deref().map(|words| (words, self.cover(words)));
        let stands = |found: &Match| self.veto(found).is_none();
        if let Some(Ok(found)) = merged.as_ref().map(|(words, cover)| self.whole(words, cover))
            && stands(&found)
        {
            return Ok(found);
        }
        let plain = (self.message.all(), self.cover(self.message.all()));
        let found = self.whole(plain.0, &plain.1).or_else(|no| {
            if no.reason != UNEXPLAINED && no.reason != ASKS_BACK && !self.asked.more {
                return Err(no);
            }
            let parts =
                |(words, cover): &(&[Word], Cover)| self.begins(words, cover).or_else(|| self.ends(words));
            merged
                .as_ref()
                .and_then(parts)
                .filter(stands)
                .or_else(|| parts(&plain).filter(stands))
                .or_else(|| self.wants_more())
                .or_else(|| self.leaves())
                .ok_or(no)
        })?;
        match self.veto(&found) {
            None => Ok(found),
            Some(reason) => Err(NoMatch { reason }),
        }
    }

    fn list(&self, id: SectionId) -> Section {
        self.lexicon.section(id)
    }

    /// The reason why what was read is no yes after all. Every yes passes here.
    fn veto(&self, found: &Match) -> Option<&'static str> {
        let Self { lexicon, message, question, asked, .. } = *self;
        let yes = found.value == Value::Boolean(true);
        yes.then(|| Veto { lexicon, message, question, asked }.against(found))?
    }

    fn cover(&self, words: &[Word]) -> Cover {
        kinds::cover(self.lexicon, words, self.asked.more, self.first, &self.clauses)
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
            return Err(NoMatch { reason: ASKS_BACK });
        }
        let said = kinds(cover, words.len());
        let value = self.verdict(said).or_else(|| self.concedes(words, cover));
        let reason = if said & NUMBER == 0 { CONTRADICTS } else { UNEXPLAINED };
        let value = value.ok_or(NoMatch { reason })?;
        Ok(self.found(value, said, words, self.told_besides(words, cover)))
    }

    /// Finds what a whole answer says besides yes or no: "for two people"; "I'd like to hear it" behind "that sounds
    /// good".
    fn told_besides(&self, words: &[Word], cover: &Cover) -> Option<String> {
        let begins = |piece: &Piece| piece.from + usize::from(self.list(JOINER).at(words, piece.from));
        let commits = |piece: &Piece| {
            self.asked.proposes && piece.from > 0 && self.list(COMMITS).at(words, begins(piece))
        };
        let wants = |piece: &Piece| {
            self.asked.proposes
                && piece.from > 0
                && kinds::is_clause(piece)
                && kind(piece) & (WISHES | YES_PHRASE) != 0
        };
        let tells = |piece: &Piece| kind(piece) & NUMBER != 0 || commits(piece) || wants(piece);
        let mut told = cover.pieces(words.len()).filter(tells);
        let last = told.next()?;
        let first = told.last().unwrap_or(last);
        self.rest(words, begins(&first), last.to)
    }

    /// "Yes, but not now": a no behind the "but" decides.
    fn concedes(&self, words: &[Word], cover: &Cover) -> Option<bool> {
        let but = (1..words.len()).find(|&at| self.list(CONCEDES).at(words, at))?;
        let (mut before, mut behind) = (0, 0);
        for piece in cover.pieces(words.len()) {
            *(if piece.from < but { &mut before } else { &mut behind }) |= kind(&piece);
        }
        let no = behind & (NO_WORD | NO_PHRASE) != 0 && self.verdict(behind) == Some(false);
        (no && before & (NO_WORD | NO_PHRASE | UNSURE) == 0).then_some(false)
    }

    /// "No, not at all": nothing but that nobody minds.
    fn minds_not(&self, words: &[Word]) -> bool {
        const AROUND: [SectionId; 4] =
            [section("minds_not"), section("no.word"), section("thanks"), section("filler")];
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
            let settles = if self.asked.confirm { PRAISE } else { 0 };
            let bare = kind(&last) & (YES_WORD | NO_WORD | settles) != 0
                && (self.asked.more
                    || self.list(CLAUSE).at(words, cut)
                    || cut + 1 == words.len()
                    || self.list(CLEAR).is(&words[last.from..last.to]));
            let adds = self.list(ADDS).at(words, cut) && repeats(&words[..cut]);
            // "I am looking for a doctor" names another thing, "for two" and "at six" tell of this one.
            let tells = adds && said & NUMBER == 0 && !self.list(DET).at(words, cut + 1);
            if gap == Gap::Question || !(gap > Gap::Space || joined || bare || adds) {
                return None;
            }
            // "Never open it" denies what follows and is no clause before it.
            if gap == Gap::Space && !joined && self.list(DENIES).is(&words[last.from..last.to]) {
                return None;
            }
            let rest = cut + usize::from(joined);
            let value = self.verdict(said).or_else(|| self.concedes(&words[..cut], cover))?;
            let settled = if value {
                tells && self.takes_more(said) || self.agrees(said, &words[..cut], &words[cut..], joined)
            } else {
                said & NO_WORD != 0
                    || (said & NO_PHRASE != 0 && (gap > Gap::Space || self.list(CONCEDES).at(words, cut)))
            };
            // "No sample2" may deny what it names: the word is no message of its own.
            let denied = !value && gap == Gap::Space && !joined && cut + 1 == words.len();
            let told = || self.rest(words, rest, words.len()).filter(|_| !denied);
            settled.then(|| self.found(value, said, &words[..cut], told()))
        })
    }

    /// True if values may follow a wish for what was asked about: "I'd like a table for two" after "Shall I book a table?"
    fn takes_more(&self, said: u32) -> bool {
        let Asked { asks, confirm, numbers, more, .. } = self.asked;
        said & (WISHES | YES_PHRASE) != 0 && asks && !(confirm || numbers || more)
    }

    /// True if a clause says yes whatever follows, and the rest does not take that back.
    fn agrees(&self, said: u32, clause: &[Word], rest: &[Word], joined: bool) -> bool {
        let gap = clause.last().map_or(Gap::Space, |w| w.after);
        let (word, named) = (said & YES_WORD != 0, repeats(clause));
        // "Great. Now find me …" goes on; "great, now …" may mean another way.
        let next = usize::from(gap >= Gap::Hard && self.list(NEXT).at(rest, 0) && rest.len() > 1);
        let rest = &rest[next..];
        if self.takes_back(rest, if word || named { gap } else { Gap::Space }) {
            return false;
        }
        if word {
            return self.belongs(rest, gap);
        }
        if said & (YES_PHRASE | PROPOSAL | WISHES | THATS_IT) == 0 {
            let settles = self.asked.settled && self.asks_to_know(rest);
            let please = joined && self.list(PLEASE).is(clause);
            return said & WEAK != 0
                && (please || settles || self.asks_for_it(rest) || self.moves_on(rest, Strength::Weak));
        }
        if self.asked.settled && self.asks_to_know(rest) {
            return true;
        }
        // What was to be confirmed is, by this; a wish behind it would change it.
        if self.asked.confirm {
            return said & WISHES == 0 && gap >= Gap::Hard && !self.list(WISH_BARE).at(rest, 0);
        }
        let proposal = said & PROPOSAL != 0
            && (joined || named || self.list(WANTED).at(rest, 0) || self.moves_on(rest, Strength::Firm));
        (gap >= Gap::Hard || proposal)
            && (named || !self.questions(rest) || self.moves_on(rest, Strength::Firm))
    }

    /// "Could you play it in the kitchen?" after "Shall I play it?": a request for what was offered.
    fn asks_for_it(&self, rest: &[Word]) -> bool {
        self.list(ASKS_FOR_IT).at(rest, usize::from(self.list(JOINER).at(rest, 0)))
    }

    /// "Great, find me a hotel" after "How about True Grit?": who praises what is proposed, and asks for another thing to be
    /// done, takes it. A question may be about it, and a comparison looks for something better.
    ///
    /// Only a firm agreement goes on to anything, if nobody knows what the question is about.
    fn moves_on(&self, rest: &[Word], agrees: Strength) -> bool {
        let from = usize::from(self.list(JOINER).at(rest, 0));
        let known = request::has_topic(self.lexicon, self.question);
        let open = !known && agrees == Strength::Firm;
        let commits = || {
            self.list(COMMITS).at(rest, from)
                && (repeats(rest) || request::agrees(self.lexicon, rest, self.question) || !known)
        };
        let strays = |rest: String| request::strays(self.lexicon, &Words::of(&rest), self.question);
        self.asked.proposes
            && !self.asks_about(rest)
            && (!asks(rest) || self.list(ASKS_TO).at(rest, from))
            && !self.list(QUESTION).at(rest, from)
            && !self.list(COMPARES).within(rest)
            && (commits() || (known || open) && self.rest(rest, 0, rest.len()).is_some_and(strays))
    }

    fn asks_to_know(&self, rest: &[Word]) -> bool {
        let from = usize::from(self.list(JOINER).at(rest, 0));
        let suggests = self.list(ASKS_PROPOSAL).at(rest, from);
        !suggests && (asks(rest) || self.list(TELL).at(rest, from))
    }

    /// The message ends with a plain yes or no in a clause of its own.
    fn ends(&self, words: &[Word]) -> Option<Match> {
        let apart = |&i: &usize| words[i - 1].after > Gap::Space || self.list(JOINER).at(words, i);
        (1..words.len()).rev().filter(apart).take(LAST).find_map(|cut| self.ends_from(words, cut))
    }

    fn ends_from(&self, words: &[Word], cut: usize) -> Option<Match> {
        let joined = self.list(JOINER).at(words, cut) && cut + 1 < words.len();
        let (rest, tail) = (&words[..cut], &words[cut + usize::from(joined)..]);
        let cover = self.cover(tail);
        let said = kinds(&cover, tail.len());
        let word = said & (YES_WORD | NO_WORD) != 0 && !joined;
        let closes = || self.asked.more && said & CLOSING != 0 && self.informs(self.rest(words, 0, cut));
        let plain =
            cover.reaches(tail.len()) && !self.asks_back(tail, &cover) && (word || repeats(tail) || closes());
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
        let wants = || [ACT, ASKS_TO].iter().any(|id| self.list(*id).at(words, 1));
        let asks = self.asked.more && self.list(PLEASE).at(words, 0) && wants();
        asks.then(|| self.found(true, YES_PHRASE, &words[..1], remainder(self.message, 1, words.len())))
    }

    /// "Just a nap. Thanks" after "Anything else?": there is nothing more, and the rest needs no answer.
    fn leaves(&self) -> Option<Match> {
        let words = self.message.all();
        let chat = self.asked.more.then(|| acknowledgement::leave(self.lexicon, words))??;
        let told = remainder(self.message, chat.start, chat.end).filter(|_| !chat.is_empty())?;
        Some(self.found(false, CLOSING, words, Some(told)))
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

    /// True if the rest takes an agreement back or changes what was agreed to. Behind "anything else?" there is nothing
    /// to take back.
    fn takes_back(&self, rest: &[Word], gap: Gap) -> bool {
        if self.asked.more {
            return false;
        }
        let near = rest.iter().position(|w| w.after >= Gap::Hard).map_or(rest.len(), |at| at + 1);
        self.list(TURN).at(rest, 0)
            || self.turns_far(rest)
            || ((self.asked.confirm || self.asked.unknown) && self.list(TURN_VALUE).within(rest))
            || (gap < Gap::Hard && self.list(TURN_NEAR).within(&rest[..near]))
    }

    /// True if words take something back wherever they stand, and the question does not ask for that: "shall I cancel it?"
    fn turns_far(&self, words: &[Word]) -> bool {
        let echo = Echo::of(self.lexicon, self.message, self.question);
        (0..words.len()).any(|at| self.list(TURN_FAR).at(words, at) && !echo.has(&words[at]))
    }

    /// True if a wish behind a yes is about the question: "yes, I'd like to find a hotel" is no yes to a ride.
    fn belongs(&self, rest: &[Word], gap: Gap) -> bool {
        let joined = usize::from(self.list(JOINER).at(rest, 0));
        let wish = self.list(if gap > Gap::Space { WISH } else { WISH_BARE });
        self.asked.more || !wish.at(rest, joined) || self.relates(rest)
    }

    /// True if words repeat the question or point back to it.
    fn relates(&self, rest: &[Word]) -> bool {
        let about = || request::tied(self.lexicon, rest, self.question);
        repeats(rest) || self.list(POINTS_BACK).within(rest) || about()
    }

    /// "Can you tell me their address?": asks to know something about what was proposed.
    fn asks_about(&self, rest: &[Word]) -> bool {
        let from = usize::from(self.list(JOINER).at(rest, 0));
        let end = rest.iter().position(|word| word.after >= Gap::Hard).map_or(rest.len(), |at| at + 1);
        self.list(ASKS_ABOUT).at(rest, from) && self.list(REFERS).within(&rest[..end])
    }

    /// True if the next clause asks about the proposal, so that nothing is settled: "can you book it?" is a request.
    fn questions(&self, rest: &[Word]) -> bool {
        let from = usize::from(self.list(JOINER).at(rest, 0));
        let wants = || [ASKS_TO, WANTS, ACT].iter().any(|id| self.list(*id).at(rest, from));
        self.asks_about(rest) || asks(rest) && !wants()
    }

    /// True if a part of the message tells something and asks for nothing.
    fn informs(&self, part: Option<String>) -> bool {
        part.is_none_or(|part| request::other(self.lexicon, &Words::of(&part), self.question).is_none())
    }

    /// Decides between yes and no; `None` when the phrases say both, neither, or doubt.
    fn verdict(&self, said: u32) -> Option<bool> {
        let (confirm, more) = (self.asked.confirm, self.asked.more);
        let no = said & (NO_WORD | NO_PHRASE) != 0;
        let yes = said & YES_WORD != 0 || said & YES_PHRASE != 0 && !more;
        match (no, yes) {
            _ if said & UNSURE != 0 => None,
            // "For two people" adds to a yes when the question named no number; else it changes what was asked.
            _ if said & NUMBER != 0
                && (no
                    || said & (YES_WORD | YES_PHRASE | PROPOSAL | WISHES | THATS_IT) == 0
                    || self.asked.numbers
                    || self.asked.unknown) =>
            {
                None
            }
            // "Yes, later" is none for now.
            _ if said & PUTS_OFF != 0
                && said & NO_WORD == 0
                && (confirm || self.asked.proposes || !self.asked.offer) =>
            {
                None
            }
            (true, true) if said & PUTS_OFF != 0 && said & NO_WORD == 0 => Some(false),
            (true, true) => None,
            (true, false) if said & WISHES != 0 => None,
            (true, false) => Some(false),
            (false, true) => Some(true),
            // "Anything else?" – "book it": that is the next thing to do, and no answer.
            _ if more && said & (YES_PHRASE | PROPOSAL | WISHES) != 0 => None,
            _ if said & (PROPOSAL | WISHES) != 0 => Some(true),
            _ if said & CLOSING != 0 => (!confirm).then_some(false),
            _ if said & COMPLIMENT != 0 && more => Some(false),
            _ if said & THATS_IT != 0 => Some(!more),
            // "Anything else?" – "great, thanks": nothing is asked for.
            _ if said & PRAISE != 0 && more => Some(false),
            _ if said & WEAK != 0 => (!more).then_some(true),
            _ => None,
        }
    }
}

/// True if the next clause is a question.
fn asks(rest: &[Word]) -> bool {
    rest.iter().find(|w| w.after >= Gap::Hard).is_some_and(|w| w.after == Gap::Question)
}

/// True if a word repeats the question.
fn repeats(words: &[Word]) -> bool {
    words.iter().any(|w| w.id == WordId::ECHO)
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vetoes;
