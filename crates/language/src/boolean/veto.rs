//! The words that no yes outlives.
//!
//! Whatever rule has read a yes, [`Veto::against`] sees it before anybody acts on it, with all that the message says beside
//! it: a negation that nothing explains, a condition, a word that stops something, and, where a thing was to be confirmed,
//! a value that the question does not name. A rule that reads too much is then no answer in place of a wrong one.

use core::ops::Range;

use super::super::echo::{self, Echo};
use super::super::lexicon::{Lexicon, Section, SectionId, WordId, anywhere};
use super::super::words::{Gap, MOST, Word, Words};
use super::super::{Match, section};
use super::asked::Asked;

const NOT: SectionId = section("veto.not");
const IF: SectionId = section("veto.if");
const STOP: SectionId = section("veto.stop");
const WITH: SectionId = section("veto.with");
const VALUE: SectionId = section("veto.value");
const ONE: SectionId = section("veto.one");
const SORRY: SectionId = section("veto.sorry");
const ACTUALLY: SectionId = section("veto.actually");
const POINTS_BACK: SectionId = section("points_back");
const SET: SectionId = section("veto.set");
const DULL: SectionId = section("veto.dull");
const PARTLY: SectionId = section("veto.partly");
const END: SectionId = section("veto.end");
const KEEP: SectionId = section("veto.keep");
const CLOSING: SectionId = section("closing");
const YES: SectionId = section("yes.word");
const JOINER: SectionId = section("joiner");
const SMALL: SectionId = section("echo.small");
const PLEASE: SectionId = section("please");
const FILLER: SectionId = section("filler");
const WEEKDAY: SectionId = section("time.weekday");
const CARDINAL: SectionId = section("time.cardinal");
/// The sections whose phrases agree by themselves, whatever they are said of.
const AGREES: [SectionId; 6] = [
    YES,
    section("yes.phrase"),
    section("yes.weak"),
    section("praise"),
    section("praised"),
    section("thats_it"),
];
/// The sections in whose phrases a negation or a condition says nothing against a yes: "why not", "if you can".
const EXPLAINS: [SectionId; 8] = [
    section("veto.harmless"),
    section("veto.whether"),
    section("minds_not"),
    section("asks_nothing"),
    section("aside"),
    section("filler"),
    section("bye"),
    section("thanks"),
];
// Reasons why a yes cannot stand.
const NEGATION: &str = "a negation";
const CONDITION: &str = "a condition";
const STOPPED: &str = "a word that stops";
const CORRECTION: &str = "a correction";
const OTHER_VALUE: &str = "another value";
const NO_WISH: &str = "no wish";
const KEPT: &str = "what would be kept";
const A_PART: &str = "a part";
/// All of them: a message with one of these was read, and found to be no yes.
pub const NO_YES: [&str; 8] = [NEGATION, CONDITION, STOPPED, CORRECTION, OTHER_VALUE, NO_WISH, KEPT, A_PART];

/// So many words before a word such a phrase may begin.
const REACH: usize = 6;

/// A message that was read as a yes, and the question.
pub(super) struct Veto<'v> {
    pub(super) lexicon: &'static Lexicon,
    pub(super) message: &'v Words,
    pub(super) question: &'v Words,
    pub(super) asked: Asked,
}

impl Veto<'_> {
    /// Returns why the yes cannot stand; `None` if nothing is against it.
    ///
    /// Behind "anything else?" a yes approves nothing, so only its own words count there.
    pub(super) fn against(&self, yes: &Match) -> Option<&'static str> {
        let words = self.words();
        let own = self.own(yes);
        if self.asked.more {
            return own.clone().any(|at| self.denies(at)).then_some(NEGATION);
        }
        let sentence = sentence_of(words, &own);
        // What a later sentence begins with may be about this one: "Yes. But not now."
        let begins = |at: &usize| {
            let from = (0..*at).rev().find(|at| words[*at].after >= Gap::Hard).map_or(0, |at| at + 1);
            (from..*at).all(|at| self.list(JOINER).at(words, at) || self.list(FILLER).at(words, at))
        };
        // So is one that repeats the question: "Yes. I do not want the tickets."
        let echo = Echo::of(self.lexicon, self.message, self.question);
        let about = |at: usize| {
            let said = &words[sentence_of(words, &(at..at + 1))];
            said.iter().any(|word| echo.is_asked(word)) || self.list(POINTS_BACK).within(said)
        };
        let mut counts = (0..words.len())
            .filter(|at| sentence.contains(at) || begins(at) || self.said(NOT, *at) > 0 && about(*at));
        // "Not at all" says that nobody minds.
        let minds = |at: usize| self.asked.mind && own.contains(&at);
        let against = counts.find_map(|at| {
            // "How long until it comes?" makes nothing depend on it.
            let depends = || self.said(IF, at) > 0 && !self.explained(at) && !asks(words, at);
            if self.denies(at) && !minds(at) { Some(NEGATION) } else { depends().then_some(CONDITION) }
        });
        let stops = || (0..words.len()).any(|at| self.stops(at)).then_some(STOPPED);
        against
            .or_else(stops)
            .or_else(|| self.changes(&own, &sentence, yes.remainder.is_some()))
            .or_else(|| self.keeps(&own))
            .or_else(|| self.confirms_a_part(&own, &sentence))
    }

    /// The first words of the message: a longer one is no answer.
    fn words(&self) -> &[Word] {
        let all = self.message.all();
        &all[..all.len().min(MOST)]
    }

    /// The words that were read as the yes.
    fn own(&self, yes: &Match) -> Range<usize> {
        let words = self.words();
        words.partition_point(|word| word.end <= yes.span.start)
            ..words.partition_point(|word| word.at < yes.span.end)
    }

    fn list(&self, id: SectionId) -> Section {
        self.lexicon.section(id)
    }

    /// The number of words of the longest phrase at a word, in any language of the message: "yes. Auf keinen Fall" mixes two.
    fn said(&self, id: SectionId, at: usize) -> usize {
        anywhere(self.message.languages(), id, self.words(), at)
    }

    /// True if the phrase at this word is a part of one that says nothing against a yes.
    fn explained(&self, at: usize) -> bool {
        EXPLAINS.iter().any(|id| self.is_part(*id, at))
    }

    fn is_part(&self, id: SectionId, at: usize) -> bool {
        (at.saturating_sub(REACH)..=at).any(|from| from + self.said(id, from) > at)
    }

    /// True if the word denies, and neither a phrase around it nor the question says the same: "without subtitles" repeats
    /// "without subtitles?".
    fn denies(&self, at: usize) -> bool {
        let words = self.words();
        let repeats = || {
            let next = words.get(at + 1);
            next.is_some_and(|next| {
                self.pairs().any(|pair| pair[0].id == words[at].id && self.akin(&pair[1], next))
            })
        };
        // "With no sugar" denies a part, which may be what was to be confirmed.
        let part = || !self.asked.confirm && at > 0 && self.list(WITH).at(words, at - 1);
        self.said(NOT, at) > 0 && !self.explained(at) && !repeats() && !part()
    }

    fn pairs(&self) -> impl Iterator<Item = &[Word]> {
        let asked = self.question.all();
        asked[..asked.len().min(MOST)].windows(2).filter(|pair| pair[0].after == Gap::Space)
    }

    fn akin(&self, asked: &Word, said: &Word) -> bool {
        echo::akin(self.list(echo::ENDING), self.question.folded(asked), self.message.folded(said))
    }

    /// True if the word stops something, and the question does not ask whether to.
    fn stops(&self, at: usize) -> bool {
        let words = self.words();
        let asked = || Echo::of(self.lexicon, self.message, self.question).has(&words[at]);
        self.said(STOP, at) > 0 && !self.explained(at) && !asked()
    }

    /// The reason why the message says it otherwise than the question does.
    fn changes(&self, own: &Range<usize>, sentence: &Range<usize>, more: bool) -> Option<&'static str> {
        let words = self.words();
        let firm = own.clone().any(|at| self.list(YES).at(words, at));
        let corrects = |at: usize| {
            let begins = at == 0 || words[at - 1].after > Gap::Space;
            let turns = || begins && words[at].after < Gap::Hard && self.list(ACTUALLY).at(words, at);
            self.list(SORRY).at(words, at) || turns()
        };
        if (self.asked.confirm || !firm) && more && (0..words.len()).any(corrects) {
            return Some(CORRECTION);
        }
        if self.asked.confirm || self.asked.settled && !firm {
            // A question asks about what was confirmed, and behind a firm yes a sentence of its own asks for the next
            // thing, unless it sets this one.
            let sets = |at: usize| {
                let begin = (0..at).rev().find(|at| words[*at].after >= Gap::Hard).map_or(0, |at| at + 1);
                (begin..at).any(|at| self.list(SET).at(words, at))
            };
            let free = |at: usize| match (sentence.contains(&at), asks(words, at)) {
                (true, asks) => firm && asks,
                (false, asks) => asks || firm && !sets(at),
            };
            if (0..words.len()).any(|at| self.names(at) && !free(at)) || self.dropped() {
                return Some(OTHER_VALUE);
            }
        }
        let offers = self.asked.offer && !self.asked.confirm && !self.asked.proposes;
        let dull = own.start + self.list(DULL).longest(words, own.start);
        let parts = || dull > own.start && words[dull - 1].after > Gap::Space;
        let closes = || (dull..words.len()).any(|at| self.list(CLOSING).at(words, at));
        (offers && !firm && parts() && closes()).then_some(NO_WISH)
    }

    /// The reason why the message keeps what the question is about to end: "I want my order" behind "I will cancel your order."
    fn keeps(&self, own: &Range<usize>) -> Option<&'static str> {
        let (words, asked) = (self.words(), self.question.all());
        let asked = &asked[..asked.len().min(MOST)];
        let languages = self.message.languages();
        let ends = |words: &[Word]| (0..words.len()).any(|at| anywhere(languages, END, words, at) > 0);
        if !ends(asked) {
            return None;
        }
        let keeps = (0..words.len()).any(|at| self.said(KEEP, at) > 0);
        let echo = Echo::of(self.lexicon, self.message, self.question);
        let repeats = |at: usize| echo.is_asked(&words[at]);
        let agrees = |at: usize| !repeats(at) && AGREES.iter().any(|id| self.list(*id).at(words, at));
        let wants = || own.clone().any(repeats) && !ends(words) && !own.clone().any(agrees);
        (keeps || wants()).then_some(KEPT)
    }

    /// The reason why something else than all of what was to be confirmed is: "6 pm", "only the date is right".
    fn confirms_a_part(&self, own: &Range<usize>, sentence: &Range<usize>) -> Option<&'static str> {
        if !self.asked.confirm {
            return None;
        }
        let words = self.words();
        let echo = Echo::of(self.lexicon, self.message, self.question);
        let asked = |at: usize| {
            let said = self.message.folded(&words[at]);
            echo.is_asked(&words[at])
                || self.question.all().iter().any(|word| self.question.folded(word) == said)
        };
        let any = |ids: &[SectionId], at: usize| ids.iter().any(|id| self.list(*id).at(words, at));
        let names = |at: usize| !any(&[SMALL, FILLER, JOINER, PLEASE], at) && asked(at);
        let named = || {
            let all = own
                .clone()
                .all(|at| !any(&AGREES, at) && (names(at) || any(&[SMALL, FILLER, JOINER, PLEASE], at)));
            all && own.clone().any(names) && !self.list(POINTS_BACK).within(&words[own.clone()])
        };
        let partly = || sentence.clone().any(|at| self.said(PARTLY, at) > 0);
        (named() || partly()).then_some(A_PART)
    }

    /// True if the word is a value, and the question does not name it: a number, a day, or a name.
    fn names(&self, at: usize) -> bool {
        let (words, word) = (self.words(), self.words()[at]);
        let folded = self.message.folded(&word);
        let number = self.list(CARDINAL).value(&word).is_some_and(|value| value > 1)
            || folded.len() > 3 && self.list(WEEKDAY).value(&word).is_some();
        let inside = at > 0 && words[at - 1].after == Gap::Space;
        let place = || self.message.places().get(at).is_some_and(|&length| length > 0);
        let name = || word.capital && inside && (word.id == WordId::UNKNOWN || place());
        // "One" is a number where it counts something: "for one", "one ticket".
        let one = || {
            self.list(CARDINAL).value(&word) == Some(1)
                && (self.list(ONE).at(words, at) || at > 0 && self.list(ONE).at(words, at - 1))
        };
        (word.digit || number || self.list(VALUE).at(words, at) || name() || one())
            && !self.explained(at)
            && !self.is_part(CLOSING, at)
            && !self.question.all().iter().any(|asked| self.question.folded(asked) == folded)
    }

    /// True if the question denies something that the message names without denying it: "with subtitles" behind "without
    /// subtitles?".
    fn dropped(&self) -> bool {
        let words = self.words();
        let asked = &self.question.all()[..self.question.all().len().min(MOST)];
        // What is denied is behind the denial, an article aside.
        let denied = |at: usize| {
            let thing = at + 1 + usize::from(self.list(SMALL).at(asked, at + 1));
            let near = self.list(NOT).at(asked, at) && asked[at].after == Gap::Space;
            asked.get(thing).filter(|_| near && !self.list(SMALL).at(asked, thing))
        };
        (0..asked.len()).filter_map(denied).any(|thing| {
            let names = |at: &usize| self.akin(thing, &words[*at]);
            let bare = |at: usize| !(at.saturating_sub(2)..at).any(|at| self.list(NOT).at(words, at));
            (0..words.len()).filter(names).any(bare)
        })
    }
}

/// True if the sentence of a word is a question.
fn asks(words: &[Word], at: usize) -> bool {
    super::asks(&words[at..])
}

/// The sentence, or the sentences, that some words belong to.
fn sentence_of(words: &[Word], own: &Range<usize>) -> Range<usize> {
    let ends = |at: &usize| words[*at].after >= Gap::Hard;
    let from = (0..own.start).rev().find(ends).map_or(0, |at| at + 1);
    let to = (own.end.max(1) - 1..words.len()).find(ends).map_or(words.len(), |at| at + 1);
    from..to
}
