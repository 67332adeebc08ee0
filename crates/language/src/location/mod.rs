//! Places: frames, a preposition, a place, a tail. `place` reads the place itself.
//!
//! The strength of a place decides where it is taken. A known one is taken wherever a whole answer has one; a name by
//! its capitals as well, but in a sentence only behind words that lead to a place; unknown words in lower case only
//! right behind a preposition. So "swansea", "Woodside" and "in hintertupfing" are places, "the lamp flickers" is not.
//!
//! Of two places the one that the question asks for is taken: "from LA to Chicago" leaves from LA. The value is what
//! the person wrote, without frame: "Swansea, Wales".

mod place;

use alloc::string::ToString;
use alloc::vec::Vec;
use core::ops::Range;

use super::embedded::Candidate;
use super::lexicon::{ANSWERS, Cover, Lexicon, Section, SectionId, skip};
use super::request;
use super::words::{Gap, Word, Words};
use super::{ACTS, Context, Found, Match, NoMatch, Value, remainder, section};
use crate::read::AnswerReader;
use place::{Place, Places, Strength};

/// Phrases before a place, in the order in which the code tells those that ask from those that lead.
const LEAD: [SectionId; 5] = [
    section("location.prep"),
    section("location.request"),
    section("location.sought"),
    section("location.lead"),
    section("filler"),
];
const PREP: usize = 0;
const REQUEST: usize = 1;
const SOUGHT: usize = 2;
const TAIL: [SectionId; 4] =
    [section("location.when"), section("location.tail"), section("filler"), section("thanks")];
pub(crate) const OWN: SectionId = section("location.prep");
const FROM: SectionId = section("location.from");
const TO: SectionId = section("location.to");
const ASKS_FROM: SectionId = section("location.asks_from");
const ASKS_TO: SectionId = section("location.asks_to");
const ARTICLE: SectionId = section("location.article");
const FIRM: SectionId = section("location.firm");
const IDIOM: SectionId = section("location.idiom");
const THANKS: SectionId = section("thanks");

/// Words a preposition has, at most.
const PREPOSITION: usize = 4;
/// The most words of a text that says what is looked for, and where: a longer one asks for more than that.
const SOUGHT_IN: usize = 12;
/// The most places in a row that are told apart.
const ROW: usize = 3;

/// The part of a journey that a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    From,
    To,
}

/// Reads the places of a message.
pub(crate) struct Reader<'r> {
    lexicon: &'static Lexicon,
    places: Places<'r>,
    context: &'r Context<'r>,
}

impl AnswerReader for Reader<'_> {
    fn answer(&self) -> Result<Match, NoMatch> {
        let message = self.places.text;
        let said = remainder::read(self.lexicon, message, |words| self.whole(words))
            .and_then(|said| self.kept(said));
        said.or_else(|no| self.tied().or_else(|| self.searched()).ok_or(no))
    }

    /// Every place that the question may ask for, with its words: known ones, and names behind a preposition. The end
    /// of a journey is no answer to a question about its beginning.
    fn values(&self) -> Vec<Candidate> {
        let wanted = self.wanted();
        let fit = |range: Range<usize>| match (self.role(range.start), wanted) {
            (Some(is), Some(wanted)) if is != wanted => None,
            (is, wanted) => {
                Some(Candidate { fit: u8::from(is.is_some() && is == wanted), found: self.found(range) })
            }
        };
        self.all().filter_map(fit).collect()
    }
}

impl<'r> Reader<'r> {
    pub(crate) fn of(lexicon: &'static Lexicon, message: &'r Words, context: &'r Context<'r>) -> Self {
        Self { lexicon, places: Places::of(lexicon, message, context), context }
    }

    fn list(&self, id: SectionId) -> Section {
        self.lexicon.section(id)
    }

    fn found(&self, range: Range<usize>) -> Found {
        let (text, words) = (self.places.text, &self.places.words()[range]);
        let name = text.slice(words);
        // The last full stop of "Washington D.C." is the name's.
        let stop = words
            .last()
            .filter(|last| text.raw(last).contains('.') && text.text()[last.end..].starts_with('.'));
        let whole = stop.and_then(|last| text.text().get(words[0].at..=last.end));
        Found::of(Value::Location(whole.unwrap_or(name).to_string()), words)
    }

    /// The place these words are, if they are nothing else.
    fn whole(&self, words: &[Word]) -> Option<Found> {
        let all = self.places.words();
        let begin = all.partition_point(|word| word.at < words.first().map_or(0, |first| first.at));
        let end = begin + words.len();
        if end > all.len() || ACTS.iter().any(|act| self.list(*act).is(words)) {
            return None;
        }
        let lead = Cover::of(&LEAD.map(|id| self.list(id)), None, words);
        let asked = all[end - 1].after == Gap::Question;
        let own = self
            .places
            .text
            .languages()
            .lexicons(&ANSWERS)
            .next()
            .is_some_and(|own| core::ptr::eq(own, self.lexicon));
        let thanks = self.list(THANKS);
        (0..words.len()).filter(|&n| n == 0 || lead.reaches(n)).find_map(|n| {
            // "Swansea?" asks; "can you look in Swansea?" answers politely.
            let requested = lead.sections(n) & 1 << REQUEST != 0;
            let behind = lead.pieces(n).next().map(|piece| piece.section);
            let place = self.places.at(begin + n, end)?;
            let part = words.len() < self.places.text.all().len();
            let enough = match behind {
                Some(PREP) if own && !part && self.placed(FIRM, begin + n) => Strength::Weak,
                // "Alright, …" and "Thanks! Byr": one unknown name in a clause of its own says little.
                None if part => Strength::Known,
                None => Strength::Kind,
                _ => Strength::Capital,
            };
            let sought = lead.sections(n) & 1 << SOUGHT != 0;
            // "Thanks, Lindsay" thanks somebody.
            let taken = place.strength >= enough
                && !thanks.is(&words[..n])
                && (!asked || requested)
                && (!sought || self.may_seek(begin + n));
            taken.then(|| self.row(begin + n..place.end, end, sought)).flatten()
        })
    }

    /// The place, or the one of a row of places that the question asks for, when nothing but a tail follows. A message
    /// that looks for something and says when is a new request.
    fn row(&self, first: Range<usize>, end: usize, sought: bool) -> Option<Found> {
        let words = &self.places.words()[..end];
        let tail = TAIL.map(|id| self.list(id));
        let tails = |at| skip(if sought { &tail[1..] } else { &tail }, words, at) == end;
        if tails(first.end) {
            return Some(self.found(first));
        }
        let wanted = self.wanted()?;
        let (mut at, mut row) = (first.end, Vec::with_capacity(ROW));
        row.push(first);
        while row.len() < ROW {
            let prep = self.list(LEAD[PREP]).longest(words, at);
            let Some(place) = self.places.at(at + prep, end).filter(|_| prep > 0) else { break };
            row.push(at + prep..place.end);
            at = place.end;
        }
        let mut fit = row.into_iter().filter(|place| self.role(place.start) == Some(wanted));
        fit.next().filter(|_| fit.next().is_none() && tails(at)).map(|place| self.found(place))
    }

    /// True if words that look for something in a place are an answer: the question is about nothing else. A journey
    /// answers only a question about a journey.
    fn may_seek(&self, at: usize) -> bool {
        let question = self.context.question();
        let about = request::has_topic(self.lexicon, question);
        self.wanted() == self.role(at)
            && !(about && request::strays(self.lexicon, self.places.text, question))
    }

    /// An answer and more, unless the place only leads to the rest: "I'm going to London and need a hotel there",
    /// after a question that is not about the journey.
    fn kept(&self, said: Match) -> Result<Match, NoMatch> {
        let (Some(rest), question) = (&said.remainder, self.context.question()) else { return Ok(said) };
        let all = self.places.words();
        let begin = all.partition_point(|word| word.at < said.span.start);
        let leads = begin > PREPOSITION - 2 && self.role(begin).is_some() && self.wanted().is_none();
        let behind = self.places.text.text()[..said.span.start].contains(rest.as_str());
        let other = || request::other(self.lexicon, &Words::of(rest), question).is_some();
        if !question.all().is_empty() && (leads || behind) && other() {
            return Err(NoMatch { reason: "leads to a request" });
        }
        Ok(said)
    }

    /// The one place of a message that has the part in the journey that the question asks about, whatever else it says.
    fn tied(&self) -> Option<Match> {
        let (words, wanted) = (self.places.words(), self.wanted()?);
        let asks = words.iter().any(|word| word.after == Gap::Question);
        let mut fit = self.all().filter(|range| self.role(range.start) == Some(wanted));
        let only = fit.next().filter(|_| fit.next().is_none() && !asks)?;
        Some(self.found(only).and(None))
    }

    /// The one place of a message that says what is looked for, and where, to who asks where to look.
    fn searched(&self) -> Option<Match> {
        let (message, question) = (self.places.text, self.context.question());
        if question.all().is_empty() || self.wanted().is_some() || message.all().len() > SOUGHT_IN {
            return None;
        }
        let words = message.all();
        let (_, before) = words.split_last()?;
        let sentences = before.iter().any(|word| word.after >= Gap::Hard);
        let when = (0..words.len()).any(|at| words[at].digit || self.list(TAIL[0]).at(words, at));
        let asks = sentences || when || words.iter().any(|word| word.after == Gap::Question);
        let about = request::has_topic(self.lexicon, question);
        if asks || about && request::strays(self.lexicon, message, question) {
            return None;
        }
        let mut all = self.all();
        let only = all.next().filter(|_| all.next().is_none())?;
        (self.placed(LEAD[PREP], only.start) && self.role(only.start).is_none())
            .then(|| self.found(only).and(None))
    }

    /// The part of a journey that the question asks for.
    fn wanted(&self) -> Option<Role> {
        let question = self.context.question().all();
        let says = |id| self.list(id).within(question);
        match says(ASKS_FROM) {
            true => Some(Role::From),
            false => says(ASKS_TO).then_some(Role::To),
        }
    }

    /// The part of a journey that the words before a place make it: the nearest ones decide.
    fn role(&self, at: usize) -> Option<Role> {
        let words = &self.places.words()[..at];
        let said = |from: usize, id| self.list(id).is(&words[from..]);
        (at.saturating_sub(PREPOSITION)..at).rev().find_map(|from| match () {
            () if said(from, TO) => Some(Role::To),
            () if said(from, FROM) => Some(Role::From),
            () => None,
        })
    }

    /// Every place of the text.
    fn all(&self) -> impl Iterator<Item = Range<usize>> {
        let mut at = 0;
        core::iter::from_fn(move || {
            while at < self.places.words().len() {
                let from = at;
                at += 1;
                if let Some(place) = self.stands(from) {
                    at = place.end;
                    return Some(from..place.end);
                }
            }
            None
        })
    }

    /// A place amid other words.
    fn stands(&self, at: usize) -> Option<Place> {
        let words = self.places.words();
        let behind = self.placed(LEAD[PREP], at);
        let before = at.checked_sub(1).map(|before| &words[before]);
        let thing = at > 0 && self.list(ARTICLE).is(&words[at - 1..at]);
        // "Paris Hilton" is somebody.
        let alone = |word: Option<&Word>| word.is_none_or(|word| !word.capital);
        let joined = before.filter(|word| at > 1 && word.after == Gap::Space);
        let named = self.places.begins(at) && !thing && alone(joined);
        if !(behind || named) {
            return None;
        }
        let place = self.places.at(at, words.len())?;
        let after = words.get(place.end).filter(|_| words[place.end - 1].after == Gap::Space);
        let known = place.strength == Strength::Known;
        let written = known && place.name && named && (words[at].digit || alone(after));
        let firm = || place.strength >= Strength::Capital && self.placed(FIRM, at) && !self.placed(IDIOM, at);
        (written || (known && behind) || firm()).then_some(place)
    }

    /// True if a phrase of the section ends where a place begins.
    fn placed(&self, section: SectionId, at: usize) -> bool {
        let words = &self.places.words()[..at];
        (at.saturating_sub(PREPOSITION)..at).any(|from| self.list(section).is(&words[from..]))
    }
}

#[cfg(test)]
mod tests;
