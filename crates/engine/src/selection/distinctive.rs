//! Reads a text against the list on the screen as it would be read against an asked question: names with the phrases of an
//! answer around them, and words that only one option has.
//!
//! The reader is the one of asked questions, and what the assistant said last in the chat is read like one: its title is the
//! question. Where nobody asked, a word that names an option by a part of its label has three letters or more, and a text that
//! an older question for words would take is not read like this (`docs/design/0069-options-that-carry-fields.md`).

use alloc::string::String;
use alloc::vec::Vec;

use crate::selection::control::chooses_not;
use crate::selection::target_list::{ResolveInput, TargetList};
use throughline_language::{self as language, Context, Expected, Match, Value, Words, normal};

/// The fewest letters of a word that names an option where nobody asked.
const TELLING: usize = 3;

/// An option that a text names by words that no other option has.
pub(super) struct NamedByWords {
    pub(super) option: usize,
    /// The text without the name: a "when" or "after" in there is none of the option's.
    pub(super) beside: String,
    /// The clause that names it and the rest of the text, where the rest is a clause of its own: "Shazam sounds good, what
    /// times are there?".
    pub(super) parts: Option<(String, String)>,
}

/// Returns the option that the text names by words that no other option has.
pub(super) fn by_words(scene: &ResolveInput<'_>, target: &TargetList<'_>) -> Option<NamedByWords> {
    let (set, text) = (target.set, target.message.text());
    let chosen_from = scene.is_soft(set) && !target.cued;
    if chosen_from || scene.contested && !set.asked {
        return None;
    }
    let offered = scene.just_offered(set);
    let places = places(target);
    let label = |option: &usize| Some(set.options.get(*option)?.label.clone());
    let labels: Vec<String> = places.iter().filter_map(label).collect();
    let expected = Expected::Selection(labels);
    let question = set.title.as_deref().filter(|_| offered).unwrap_or_default();
    let found = language::read(&expected, &target.message, &Context::default().to(question)).ok()?;
    let (Expected::Selection(labels), Value::Selection(label)) = (expected, &found.value) else {
        return None;
    };
    let mut named = labels.iter().enumerate().filter(|(_, known)| *known == label).map(|(at, _)| at);
    let (Some(place), None) = (named.next(), named.next()) else { return None };
    let telling = match told(&target.message, &found, &labels, place) {
        Told::Label => true,
        Told::Short => set.asked,
        Told::Otherwise => offered && place < target.displayed && target.numbers_from == 1,
    };
    if !telling || chooses_not(&target.message, &found) {
        return None;
    }
    let beside = [text.get(..found.span.start)?, text.get(found.span.end..)?].concat();
    let parts = match found.remainder {
        Some(rest) => {
            let clause = text.trim();
            let clause = clause.strip_suffix(&*rest).or_else(|| clause.strip_prefix(&*rest))?;
            Some((clause.trim().into(), rest))
        }
        None => None,
    };
    Some(NamedByWords { option: *places.get(place)?, beside, parts })
}

/// Returns the options in the order displayed, by which "the second" counts, and behind them those that were not displayed.
fn places(target: &TargetList<'_>) -> Vec<usize> {
    let mut places: Vec<usize> = target.order.iter().map(|option| usize::from(*option)).collect();
    let more: Vec<usize> = (0..target.set.options.len()).filter(|option| !places.contains(option)).collect();
    places.extend(more);
    places
}

/// True if a text names one of the other options.
pub(super) fn names_another(target: &TargetList<'_>, option: usize, text: &str) -> bool {
    let others = target.set.options.iter().enumerate().filter(|(at, _)| *at != option);
    let labels = Expected::Selection(others.map(|(_, other)| other.label.clone()).collect());
    language::find(&labels, &Words::of(text), &Context::default()).is_some()
}

/// The way in which a text tells an option from the others.
enum Told {
    /// By its label, or by a word of it that is long enough and in no other label.
    Label,
    /// By a part of its label that is too short, or by one letter: "panel d", "d".
    Short,
    /// By a position, or by a word for the same: "the first one", "a concert" where the option is "Music".
    Otherwise,
}

fn told(message: &Words, found: &Match, labels: &[String], option: usize) -> Told {
    let said = message.text().get(found.span.clone()).unwrap_or_default();
    if normal::compact(said, false) == normal::compact(&labels[option], false) {
        return Told::Label;
    }
    let has = |label: &String, word: &str| normal::folded_text(label).split(' ').any(|known| known == word);
    let others = |word: &str| labels.iter().enumerate().any(|(at, label)| at != option && has(label, word));
    let said = normal::folded_text(said);
    let mut parts = said.split(' ').filter(|word| has(&labels[option], word)).peekable();
    if parts.peek().is_none() {
        let letter = said.chars().count() == 1 && said.chars().all(char::is_alphabetic);
        return if letter { Told::Short } else { Told::Otherwise };
    }
    let telling = parts.any(|word| word.chars().count() >= TELLING && !others(word));
    if telling { Told::Label } else { Told::Short }
}
