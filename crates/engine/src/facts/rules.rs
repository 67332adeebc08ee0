//! Reads facts from a person's words by rules: requests ("remember that …") and statements in passing ("we
//! decided …", "constraint: …", "assuming …"). Only the beginning of a sentence counts, so "if we decided
//! …" and "have we decided …?" state nothing; nor does anything in quotes or in a question. The phrases
//! come from the lexicons of all languages (`docs/design/0027-facts.md`).

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::data::fact::{FactScope, FactType};
use crate::data::policy::limits;
use crate::facts::vocabulary::named;
use throughline_language::Words;
use throughline_language::intent::remembers_choice;
use throughline_language::lexicon::{Lexicon, MEMORY, SectionId, skip};
use throughline_language::words::{Gap, Word};

const LEAD: SectionId = named("fact.lead");
const REMEMBER: SectionId = named("fact.remember");
const THAT: SectionId = named("fact.that");
const ABOUT: SectionId = named("fact.about");
const BINDING: SectionId = named("fact.binding");
const SUPPOSED: SectionId = named("fact.supposed");
const DECIDED: SectionId = named("fact.decided");
const DECIDED_NOT: SectionId = named("fact.decided.not");
const DECIDED_WHOLE: SectionId = named("fact.decided.whole");
const CONSTRAINED: SectionId = named("fact.constrained");
const ASSUMED: SectionId = named("fact.assumed");
const OPEN: SectionId = named("fact.open");
const SCOPES: [(SectionId, FactScope); 3] = [
    (named("fact.scope.thread"), FactScope::Thread),
    (named("fact.scope.epic"), FactScope::Epic),
    (named("fact.scope.channel"), FactScope::Channel),
];
const KINDS: [(SectionId, FactType); 3] = [
    (named("fact.kind.decision"), FactType::Decision),
    (named("fact.kind.constraint"), FactType::Constraint),
    (named("fact.kind.assumption"), FactType::Assumption),
];
const LABELS: [(SectionId, FactType); 3] = [
    (named("fact.label.decision"), FactType::Decision),
    (named("fact.label.constraint"), FactType::Constraint),
    (named("fact.label.assumption"), FactType::Assumption),
];

/// A statement that was read from a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StatedFact {
    pub(crate) kind: FactType,
    /// The scope, if the sentence names one.
    pub(crate) scope: Option<FactScope>,
    /// The subject, if the sentence names one.
    pub(crate) subject: Option<String>,
    pub(crate) text: String,
    /// True if the person asked to remember it.
    pub(crate) asked: bool,
}

impl StatedFact {
    /// Its confidence in percent.
    pub(crate) fn percent(&self) -> u8 {
        if self.asked { limits::FACT_ASKED } else { limits::FACT_STATED }
    }
}

/// The statements of a message, in their order, at most [`limits::STATED`].
pub(crate) fn stated(message: &Words) -> Vec<StatedFact> {
    // A choice is kept for the thread, which is no fact.
    if remembers_choice(message) {
        return Vec::new();
    }
    sentences(message).filter_map(|(from, to)| read(message, from, to)).take(limits::STATED).collect()
}

/// The statement of a message that is one sentence; `None` if it has more sentences or states nothing.
pub(crate) fn only(message: &Words) -> Option<StatedFact> {
    let mut sentences = sentences(message);
    let (from, to) = sentences.next()?;
    if sentences.next().is_some() { None } else { read(message, from, to) }
}

/// The sentences of a message, each as the indexes of its first word and of the word behind its last.
fn sentences(message: &Words) -> impl Iterator<Item = (usize, usize)> {
    let all = message.all();
    let ends = (0..all.len()).filter(|&at| all[at].after >= Gap::Hard || at + 1 == all.len());
    let mut from = 0;
    ends.map(move |end| (core::mem::replace(&mut from, end + 1), end + 1))
}

fn read(message: &Words, from: usize, to: usize) -> Option<StatedFact> {
    MEMORY.iter().find_map(|lexicon| Sentence { lexicon, message, from, to }.read())
}

/// The first statement of a message, if it is a request to remember.
pub(crate) fn asked(message: &Words) -> Option<StatedFact> {
    stated(message).into_iter().next().filter(|stated| stated.asked)
}

/// A sentence, read with the words of one language.
struct Sentence<'m> {
    lexicon: &'static Lexicon,
    message: &'m Words,
    from: usize,
    to: usize,
}

impl Sentence<'_> {
    fn words(&self) -> &[Word] {
        &self.message.all()[..self.to]
    }

    /// The length in words of the section's longest phrase that matches at `at`; 0 if none does.
    fn longest(&self, section: SectionId, at: usize) -> usize {
        if at < self.to { self.lexicon.section(section).longest(self.words(), at) } else { 0 }
    }

    fn colon(&self, at: usize) -> bool {
        at > self.from
            && self.message.text()[self.words()[at - 1].end..]
                .trim_start_matches(['*', '_', ' '])
                .starts_with(':')
    }

    fn read(&self) -> Option<StatedFact> {
        let last = self.words().last()?;
        let start = skip(&[self.lexicon.section(LEAD)], self.words(), self.from).min(self.to);
        // "Finally decided: …": a leading word may also belong to the phrase, so both beginnings are tried.
        let begins = [start, self.from];
        let quoted = |at: usize| self.words().get(at).is_some_and(|word| word.quoted);
        if last.after == Gap::Question {
            return None;
        }
        begins.into_iter().filter(|at| *at < self.to && !quoted(*at)).find_map(|at| self.at(at))
    }

    fn at(&self, at: usize) -> Option<StatedFact> {
        self.remembered(at).or_else(|| self.labelled(at)).or_else(|| self.passing(at))
    }

    /// Reads a request: "remember for this channel about the database: use Postgres".
    fn remembered(&self, at: usize) -> Option<StatedFact> {
        let n = self.longest(REMEMBER, at);
        if n == 0 {
            return None;
        }
        let (mut at, mut scope, mut kind, mut subject) = (at + n, None, None, None);
        loop {
            let mut n = 0;
            for (section, one) in SCOPES {
                let here = self.longest(section, at);
                if here > n {
                    (n, scope) = (here, Some(one));
                }
            }
            if let Some((one, here)) = self.kind(at) {
                (n, kind) = (here.max(n), Some(one));
            }
            if n == 0
                && let Some((about, end)) = self.subject(at)
            {
                (subject, n) = (Some(about), end - at);
            }
            at += n;
            if n == 0 || self.colon(at) {
                break;
            }
        }
        let that = self.longest(THAT, at);
        if that == 0 && !self.colon(at) {
            return None;
        }
        let (end, behind) = self.scope_behind(at + that);
        let text = self.text(at + that, end)?;
        let kind = kind.unwrap_or_else(|| self.kind_of(at + that, end));
        Some(StatedFact { kind, scope: scope.or(behind), subject, text, asked: true })
    }

    /// The type that is named at `at`, as in "the decision", and its length in words.
    fn kind(&self, at: usize) -> Option<(FactType, usize)> {
        KINDS.into_iter().map(|(section, kind)| (kind, self.longest(section, at))).find(|(_, n)| *n > 0)
    }

    /// "about the release date:" → the words before the colon, and the index of the word behind them.
    fn subject(&self, at: usize) -> Option<(String, usize)> {
        let from = at + self.longest(ABOUT, at);
        let end = (from + 1..=self.to.min(from + limits::SUBJECT_WORDS)).find(|end| self.colon(*end))?;
        (from > at).then(|| (self.message.clause(from, end).to_owned(), end))
    }

    /// Splits off "… for this channel": the index at which the statement ends, and the scope named behind
    /// it.
    fn scope_behind(&self, from: usize) -> (usize, Option<FactScope>) {
        for at in from + 1..self.to {
            for (section, scope) in SCOPES {
                // A single word such as "here" is more likely part of the statement than its scope.
                let n = self.longest(section, at);
                if n > 1 && at + n == self.to {
                    return (at, Some(scope));
                }
            }
        }
        (self.to, None)
    }

    /// The type of a statement that names none, judged by its words.
    fn kind_of(&self, from: usize, to: usize) -> FactType {
        let within = |section| (from..to).any(|at| self.longest(section, at) > 0);
        if within(SUPPOSED) {
            FactType::Assumption
        } else if within(BINDING) {
            FactType::Constraint
        } else {
            FactType::Decision
        }
    }

    /// Reads a labelled statement: "Constraint: …", "Decision on the database: …".
    fn labelled(&self, at: usize) -> Option<StatedFact> {
        let labels = LABELS.into_iter().map(|(section, kind)| (kind, self.longest(section, at)));
        let (kind, n) = labels.filter(|(_, n)| *n > 0).max_by_key(|(_, n)| *n)?;
        let (subject, end) = match self.subject(at + n) {
            _ if self.colon(at + n) => (None, at + n),
            found => found.map(|(subject, end)| (Some(subject), end))?,
        };
        if self.longest(OPEN, end) > 0 {
            return None;
        }
        let (stop, scope) = self.scope_behind(end);
        Some(StatedFact { kind, scope, subject, text: self.text(end, stop)?, asked: false })
    }

    /// Reads a statement in passing: "we decided to …", "assuming …, …".
    fn passing(&self, at: usize) -> Option<StatedFact> {
        let stated = |kind, text| Some(StatedFact { kind, scope: None, subject: None, text, asked: false });
        let n = self.longest(DECIDED_NOT, at);
        if n > 0 {
            return stated(FactType::Decision, format!("not {}", self.behind(at + n, self.to)?));
        }
        let n = self.longest(DECIDED, at);
        if n > 0 {
            return stated(FactType::Decision, self.behind(at + n, self.to)?);
        }
        let n = self.longest(DECIDED_WHOLE, at);
        if n > 0 && (at + n < self.to || n > 4) && self.longest(OPEN, at + n) == 0 {
            return stated(FactType::Decision, self.text(at, self.to)?);
        }
        let n = self.longest(CONSTRAINED, at);
        if n > 0 {
            return stated(FactType::Constraint, self.behind(at + n, self.to)?);
        }
        let n = self.longest(ASSUMED, at);
        if n > 0 {
            // "Assuming it holds, we ship": the assumption ends at the comma.
            let comma = (at + n..self.to).find(|&at| self.words()[at].after == Gap::Soft);
            return stated(FactType::Assumption, self.behind(at + n, comma.map_or(self.to, |at| at + 1))?);
        }
        None
    }

    fn behind(&self, from: usize, to: usize) -> Option<String> {
        if self.longest(OPEN, from) > 0 { None } else { self.text(from, to) }
    }

    /// The text of the words `from..to`; `None` if there are none or one of them is quoted.
    fn text(&self, from: usize, to: usize) -> Option<String> {
        let words = self.message.all().get(from..to).filter(|words| !words.is_empty())?;
        if words.iter().any(|word| word.quoted) {
            return None;
        }
        Some(self.message.clause(from, to).trim_end_matches(['.', ',', ';', '!', ' ']).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use FactScope::{Channel, Epic, Thread};
    use FactType::{Assumption, Constraint, Decision};

    /// Kind, scope, subject, text, and true if it was asked for.
    type Read = (FactType, Option<FactScope>, Option<String>, String, bool);

    fn read(text: &str) -> Vec<Read> {
        let all = stated(&Words::of(text));
        all.into_iter().map(|one| (one.kind, one.scope, one.subject, one.text, one.asked)).collect()
    }

    fn one(text: &str) -> Read {
        let all = read(text);
        assert_eq!(all.len(), 1, "{text}: {all:?}");
        all.into_iter().next().unwrap()
    }

    #[test]
    fn what_is_asked_to_be_remembered() {
        for (text, kind, scope, subject, fact) in [
            ("Remember that we deploy on Fridays.", Decision, None, None, "we deploy on Fridays"),
            ("please remember: staging has no mail", Decision, None, None, "staging has no mail"),
            (
                "Hey, keep in mind that nothing may leave the EU at night, never",
                Constraint,
                None,
                None,
                "nothing may leave the EU at night, never",
            ),
            (
                "Remember for this channel that releases must be signed",
                Constraint,
                Some(Channel),
                None,
                "releases must be signed",
            ),
            (
                "remember that the token lasts an hour for this thread",
                Decision,
                Some(Thread),
                None,
                "the token lasts an hour",
            ),
            (
                "Don't forget that audits need two people in this epic.",
                Decision,
                Some(Epic),
                None,
                "audits need two people",
            ),
            (
                "remember about the database: use Postgres",
                Decision,
                None,
                Some("the database"),
                "use Postgres",
            ),
            ("Remember the assumption that traffic doubles", Assumption, None, None, "traffic doubles"),
            (
                "remember for this channel about the release date: it is 3 March",
                Decision,
                Some(Channel),
                Some("the release date"),
                "it is 3 March",
            ),
            ("Merk dir bitte nicht", Decision, None, None, ""),
            ("Merk dir, dass wir freitags deployen", Decision, None, None, "wir freitags deployen"),
        ] {
            if fact.is_empty() {
                assert!(read(text).is_empty(), "{text}");
                continue;
            }
            assert_eq!(one(text), (kind, scope, subject.map(Into::into), fact.into(), true), "{text}");
        }
    }

    #[test]
    fn what_is_stated_in_passing() {
        for (text, kind, subject, fact) in [
            ("We decided to use Postgres.", Decision, None, "use Postgres"),
            (
                "Ok, so we've finally agreed that the API stays private",
                Decision,
                None,
                "the API stays private",
            ),
            ("The team decided not to deploy on Fridays", Decision, None, "not deploy on Fridays"),
            ("We settled on Redis for caching", Decision, None, "We settled on Redis for caching"),
            ("Decision: use MySQL", Decision, None, "use MySQL"),
            ("Decision on the database: use MySQL.", Decision, Some("the database"), "use MySQL"),
            ("Constraint: no data leaves the EU", Constraint, None, "no data leaves the EU"),
            ("Assuming the vendor signs, we start in May.", Assumption, None, "the vendor signs"),
            ("We assume that load doubles", Assumption, None, "load doubles"),
            ("It was decided that Ana owns billing", Decision, None, "Ana owns billing"),
            ("Wir haben entschieden, dass wir Postgres nehmen", Decision, None, "wir Postgres nehmen"),
            ("Annahme: das Netz hält", Assumption, None, "das Netz hält"),
        ] {
            assert_eq!(one(text), (kind, None, subject.map(Into::into), fact.into(), false), "{text}");
        }
        let both = read("Hi team. We decided to ship on Monday. Constraint: no downtime");
        assert_eq!(both.len(), 2, "{both:?}");
    }

    #[test]
    fn what_states_nothing() {
        for text in [
            "Have we decided to use Postgres?",
            "We decided to use Postgres, right?",
            "We have not decided to use Postgres",
            "We haven't agreed that it is private",
            "If we decided to use Postgres we would need a DBA",
            "What if we decided to use Postgres",
            "Suppose we agreed that it is private",
            "Decision: should we use MySQL?",
            "Decision: none yet",
            "Constraint: TBD",
            "\"We decided to use Postgres\"",
            "> We decided to use Postgres",
            "remember to call Ana",
            "do you remember that we use Postgres?",
            "remember me",
            "Ana asked whether we decided to use it",
            "The decision is hard",
            "we decided",
            "record the decision: we use Postgres",
            "They never decided to use it",
            "Note the time",
        ] {
            assert_eq!(read(text), [], "{text}");
        }
    }
}
