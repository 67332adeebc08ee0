//! Reads ticket vocabulary from the lexicons: labels of parts and item types, user stories, list headings and
//! conjunctions. A match in any language counts.

use crate::data::ticket::{ItemType, Part};
use throughline_language::Words;
use throughline_language::lexicon::{Lexicon, SectionId, TICKETS};
use throughline_language::words::Word;

const LABELS: [(Part, SectionId); 13] = [
    (Part::Title, named("label.title")),
    (Part::Problem, named("label.problem")),
    (Part::Steps, named("label.steps")),
    (Part::Expected, named("label.expected")),
    (Part::Actual, named("label.actual")),
    (Part::Acceptance, named("label.acceptance")),
    (Part::Solution, named("label.solution")),
    (Part::Constraints, named("label.constraints")),
    (Part::Dependencies, named("label.dependencies")),
    (Part::Risks, named("label.risks")),
    (Part::Evidence, named("label.evidence")),
    (Part::Questions, named("label.questions")),
    (Part::Labels, named("label.labels")),
];
const KINDS: [(ItemType, SectionId); 4] = [
    (ItemType::Epic, named("kind.epic")),
    (ItemType::Story, named("kind.story")),
    (ItemType::Bug, named("kind.bug")),
    (ItemType::Task, named("kind.task")),
];
const BUG: SectionId = named("sign.bug");
const STORY: SectionId = named("sign.story");
const AS: SectionId = named("story.as");
const WANT: SectionId = named("story.want");
const WHY: SectionId = named("story.why");
const HEADING: SectionId = named("list.heading");
const JOIN: SectionId = named("list.join");

/// Longest label in bytes; a longer text before a colon is not a label.
const LABEL: usize = 64;

const fn named(name: &str) -> SectionId {
    TICKETS.section(name)
}

/// Returns the number of words a phrase of the section covers from `at` on: the longest match in any
/// language, 0 if none matches.
fn longest(id: SectionId, words: &[Word], at: usize) -> usize {
    TICKETS.iter().map(|lexicon: &'static Lexicon| lexicon.section(id).longest(words, at)).max().unwrap_or(0)
}

fn is(id: SectionId, words: &[Word]) -> bool {
    !words.is_empty() && TICKETS.iter().any(|lexicon: &'static Lexicon| lexicon.section(id).is(words))
}

/// Splits `Steps: open it` into (Steps, "open it"). Returns `None` if the line begins with no label of a
/// part.
pub(super) fn labelled(line: &str) -> Option<(Part, &str)> {
    let (words, rest) = label(line)?;
    let (part, _) = LABELS.into_iter().find(|(_, id)| is(*id, words.all()))?;
    Some((part, rest))
}

/// Splits `Bug: it fails` into (Bug, "it fails"). Returns `None` if the entry begins with no item type.
pub(super) fn kind(entry: &str) -> Option<(ItemType, &str)> {
    let (words, rest) = label(entry)?;
    let (kind, _) = KINDS.into_iter().find(|(_, id)| is(*id, words.all()))?;
    Some((kind, rest))
}

/// Splits a line at its first colon into label and rest. `None` if there is no colon or the label is too
/// long.
fn label(line: &str) -> Option<(Words, &str)> {
    let (label, rest) = line.split_once(':')?;
    (label.len() <= LABEL).then(|| (Words::of(label), rest.trim_start_matches(['*', '_']).trim()))
}

/// True if the line only announces a list: "Stories:".
pub(super) fn heading(line: &str) -> bool {
    line.trim_end_matches(['*', '_', ' ']).ends_with(':') && is(HEADING, Words::of(line).all())
}

/// Guesses the item type from the words of a title; a task if they give no sign.
pub(super) fn told_kind(title: &str) -> ItemType {
    let words = Words::of(title);
    let within = |id| (0..words.all().len()).any(|at| longest(id, words.all(), at) > 0);
    if within(BUG) {
        ItemType::Bug
    } else if wanted(&words).is_some() || within(STORY) {
        ItemType::Story
    } else {
        ItemType::Task
    }
}

/// Returns the wish of a user story: for "As a user I want to log in so that I see my orders", "log in".
/// `None` if the sentence is no user story.
pub(super) fn story(sentence: &str) -> Option<&str> {
    let words = Words::of(sentence.lines().next().unwrap_or_default());
    let (from, to) = wanted(&words)?;
    sentence.get(from..to)
}

/// Finds the wish of a user story as a byte range of the text.
fn wanted(words: &Words) -> Option<(usize, usize)> {
    let all = words.all();
    let role = longest(AS, all, 0);
    let want = (role..all.len()).find(|&at| role > 0 && longest(WANT, all, at) > 0)?;
    let from = want + longest(WANT, all, want);
    let to = (from..all.len()).find(|&at| longest(WHY, all, at) > 0).unwrap_or(all.len());
    Some((all.get(from)?.at, all.get(to.checked_sub(1).filter(|last| *last >= from)?)?.end))
}

/// Splits the last entry of an enumeration at its conjunction: "log out and reset" into "log out" and
/// "reset". A conjunction at the beginning ("and reset") is dropped.
pub(super) fn joined(text: &str) -> (&str, Option<&str>) {
    let words = Words::of(text);
    let all = words.all();
    let n = longest(JOIN, all, 0);
    let begin = all.get(n).map_or(text.len(), |word| word.at);
    let text = if n > 0 { &text[begin..] } else { text };
    let offset = if n > 0 { begin } else { 0 };
    let split = (n + 1..all.len()).find_map(|at| {
        let next = all.get(at + longest(JOIN, all, at)).filter(|_| longest(JOIN, all, at) > 0)?;
        Some((text[..all[at - 1].end - offset].trim(), text[next.at - offset..].trim()))
    });
    split.map_or((text.trim(), None), |(a, b)| (a, Some(b)))
}
