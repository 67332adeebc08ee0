//! Phrases that were not read, with what people showed that they meant by them.

use std::collections::{BTreeMap, BTreeSet};

use throughline_engine::data::event::EventKind;
use throughline_engine::data::intent::Intent;
use throughline_engine::data::policy::lexicon::LexiconEntry;
use throughline_engine::{Policy, Reason};
use throughline_language::{Expected, Value, Words, spoken};
use throughline_testkit::Recorded;

use super::outcome::{answered_later, question};
use crate::recorded::wanted;

/// The messages that have to show the same meaning before a phrase is proposed: once is chance, twice may be one person's slip.
pub const MIN_SEEN: usize = 3;
/// The words of a phrase that is a whole message, and of one before a colon.
const MAX_WORDS: usize = 4;

/// A phrase to propose, and where it was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// The phrase and its meaning.
    pub entry: LexiconEntry,
    /// The turns of the messages that showed it.
    pub turns: Vec<String>,
    /// The number of people who wrote them.
    pub people: usize,
}

/// A meaning that a phrase may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Meaning {
    Yes,
    No,
    Ticket,
    Review,
    /// Nothing that anybody wanted an answer to.
    Nothing,
}

impl Meaning {
    /// The words it is read as.
    pub(super) fn words(self, german: bool) -> &'static str {
        match (self, german) {
            (Self::Yes, false) => "yes",
            (Self::Yes, true) => "ja",
            (Self::No, false) => "no",
            (Self::No, true) => "nein",
            (Self::Ticket, false) => "create a ticket:",
            (Self::Ticket, true) => "erstelle ein Ticket:",
            (Self::Review, false) => "review this:",
            (Self::Review, true) => "starte ein Review:",
            (Self::Nothing, false) => "thanks",
            (Self::Nothing, true) => "danke",
        }
    }
}

/// Sightings of one phrase.
#[derive(Default)]
struct Seen {
    meanings: BTreeSet<Meaning>,
    turns: Vec<String>,
    people: BTreeSet<String>,
    german: usize,
}

/// Returns the phrases that recorded lanes show, most seen first. A phrase that meant one thing here and another there, that is
/// read already or that could be no entry is left out.
#[must_use]
pub fn lessons(lanes: &[Vec<Recorded>], known: &[LexiconEntry]) -> Vec<Lesson> {
    let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
    for turns in lanes {
        let german = is_german(turns);
        for (at, turn) in turns.iter().enumerate() {
            let Some((phrase, meaning)) = shown(turns, at) else { continue };
            let seen = seen.entry(phrase).or_default();
            seen.meanings.insert(meaning);
            seen.turns.push(turn.summary.turn.0.clone());
            seen.people.insert(turn.event.actor.clone());
            seen.german += usize::from(german);
        }
    }
    let mut lessons: Vec<Lesson> =
        seen.into_iter().filter_map(|(phrase, seen)| lesson(phrase, seen, known)).collect();
    lessons.sort_by(|a, b| b.turns.len().cmp(&a.turns.len()).then_with(|| a.entry.cmp(&b.entry)));
    lessons
}

fn lesson(phrase: String, seen: Seen, known: &[LexiconEntry]) -> Option<Lesson> {
    let meaning = seen.meanings.first().filter(|_| seen.meanings.len() == 1)?;
    let german = seen.german * 2 > seen.turns.len();
    let entry = LexiconEntry { said: phrase, means: meaning.words(german).into() };
    let lexicon = [known, std::slice::from_ref(&entry)].concat();
    let valid = Policy { lexicon, ..Policy::default() }.first_invalid().is_none();
    (valid && seen.turns.len() >= MIN_SEEN).then_some(Lesson {
        entry,
        turns: seen.turns,
        people: seen.people.len(),
    })
}

/// The phrase of a message that was not read as what it meant, and that meaning.
fn shown(turns: &[Recorded], at: usize) -> Option<(String, Meaning)> {
    let (turn, after) = (&turns[at], &turns[at + 1..]);
    let EventKind::MessagePosted(posted) = &turn.event.kind else { return None };
    if let Some(asked) = question(turns, at).filter(|asked| asked.expected == Some(Expected::Boolean)) {
        let Value::Boolean(yes) = answered_later(asked, after)? else { return None };
        return Some((whole(&posted.text)?, if *yes { Meaning::Yes } else { Meaning::No }));
    }
    if turn.summary.decision.reason != Reason::GateOpened {
        return None;
    }
    match wanted(turn, after)? {
        Some(Intent::Ticket) => Some((label(&posted.text)?, Meaning::Ticket)),
        Some(Intent::Review) => Some((label(&posted.text)?, Meaning::Review)),
        Some(_) => None,
        None => Some((whole(&posted.text)?, Meaning::Nothing)),
    }
}

/// The whole message, as a phrase.
fn whole(text: &str) -> Option<String> {
    let words = Words::of(text.trim_end_matches(|c: char| !c.is_alphanumeric()));
    phrase(words.text().trim())
}

/// The words before the first colon, where somebody labelled the message.
fn label(text: &str) -> Option<String> {
    let (label, rest) = text.split_once(':')?;
    phrase(label.trim()).filter(|_| rest.starts_with(char::is_whitespace))
}

fn phrase(text: &str) -> Option<String> {
    let count = text.split_whitespace().count();
    (1..=MAX_WORDS).contains(&count).then(|| text.to_lowercase())
}

/// True if more of a lane's messages are clearly German than English.
fn is_german(turns: &[Recorded]) -> bool {
    let spoken = turns.iter().filter_map(|turn| match &turn.event.kind {
        EventKind::MessagePosted(posted) => spoken(&Words::of(&posted.text)),
        EventKind::AssistantPosted(posted) => spoken(&Words::of(&posted.text)),
        _ => None,
    });
    let (german, other): (Vec<_>, Vec<_>) = spoken.partition(|language| language.code() == "de");
    german.len() > other.len()
}
