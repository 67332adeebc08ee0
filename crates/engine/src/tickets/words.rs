//! The words by which a text says something of tickets: labels of parts and kinds, user stories, lists. They are data
//! (`data/*/draft.txt`), and every language counts.

use super::{ItemType, Part};
use crate::recognize::Words;
use crate::recognize::lexicon::{self, DRAFT, DRAFT_NAMES, Lexicon, SectionId};
use crate::recognize::words::Word;

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

/// A longer label is none: the bytes that are looked at before a colon.
const LABEL: usize = 64;

/// The section of that name in the lexicons of drafts.
const fn named(name: &str) -> SectionId {
    lexicon::named(DRAFT_NAMES, name)
}

/// How many words from `at` on a phrase of the section covers, in whichever language covers most.
fn longest(id: SectionId, words: &[Word], at: usize) -> usize {
    DRAFT.iter().map(|lexicon: &'static Lexicon| lexicon.section(id).longest(words, at)).max().unwrap_or(0)
}

fn is(id: SectionId, words: &[Word]) -> bool {
    !words.is_empty() && DRAFT.iter().any(|lexicon: &'static Lexicon| lexicon.section(id).is(words))
}

/// `Steps: open it` → (Steps, "open it"): the part a line names, and the rest of it.
pub(super) fn labelled(line: &str) -> Option<(Part, &str)> {
    let (words, rest) = label(line)?;
    let (part, _) = LABELS.into_iter().find(|(_, id)| is(*id, words.all()))?;
    Some((part, rest))
}

/// `Bug: it fails` → (Bug, "it fails"): the kind an entry calls itself, and the rest of it.
pub(super) fn kind(entry: &str) -> Option<(ItemType, &str)> {
    let (words, rest) = label(entry)?;
    let (kind, _) = KINDS.into_iter().find(|(_, id)| is(*id, words.all()))?;
    Some((kind, rest))
}

/// What stands before the first colon of a line, and behind it.
fn label(line: &str) -> Option<(Words, &str)> {
    let (label, rest) = line.split_once(':')?;
    (label.len() <= LABEL).then(|| (Words::of(label), rest.trim_start_matches(['*', '_']).trim()))
}

/// Whether a line only says that a list follows: "Stories:".
pub(super) fn heading(line: &str) -> bool {
    line.trim_end_matches(['*', '_', ' ']).ends_with(':') && is(HEADING, Words::of(line).all())
}

/// The kind a title tells by its words; a task when it tells none.
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

/// What a user story wants, in its own words: that of "As a user I want to log in so that I see my orders" is "log in".
pub(super) fn story(sentence: &str) -> Option<&str> {
    let words = Words::of(sentence.lines().next().unwrap_or_default());
    let (from, to) = wanted(&words)?;
    sentence.get(from..to)
}

/// The same, from one byte of the text to another.
fn wanted(words: &Words) -> Option<(usize, usize)> {
    let all = words.all();
    let role = longest(AS, all, 0);
    let want = (role..all.len()).find(|&at| role > 0 && longest(WANT, all, at) > 0)?;
    let from = want + longest(WANT, all, want);
    let to = (from..all.len()).find(|&at| longest(WHY, all, at) > 0).unwrap_or(all.len());
    Some((all.get(from)?.at, all.get(to.checked_sub(1).filter(|last| *last >= from)?)?.end))
}

/// What a word that joins the last of several things stands between: "and reset", "log out and reset".
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
