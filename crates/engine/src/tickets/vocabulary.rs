//! Reads ticket vocabulary from the lexicons: labels of parts and item types, user stories, list headings and
//! conjunctions. A match in any language counts.

use crate::data::ticket::{ItemType, Part};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;
use core::slice;
use throughline_language::Words;
use throughline_language::lexicon::{Lexicon, SectionId, TICKETS};
use throughline_language::words::{Gap, Word};

const LABELS: [(Part, SectionId); 15] = [
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
    (Part::Priority, named("label.priority")),
    (Part::Assignee, named("label.assignee")),
];
const KINDS: [(ItemType, SectionId); 4] = [
    (ItemType::Epic, named("kind.epic")),
    (ItemType::Story, named("kind.story")),
    (ItemType::Bug, named("kind.bug")),
    (ItemType::Task, named("kind.task")),
];
const PRIORITY: SectionId = named("edit.priority");
/// Words for a priority that have endings, and the word without one.
const INFLECTED: [(&str, SectionId); 9] = [
    ("hoch", named("priority.hoch")),
    ("höchste", named("priority.hoechste")),
    ("niedrig", named("priority.niedrig")),
    ("niedrigste", named("priority.niedrigste")),
    ("mittel", named("priority.mittel")),
    ("normal", named("priority.normal")),
    ("dringend", named("priority.dringend")),
    ("kritisch", named("priority.kritisch")),
    ("wichtig", named("priority.wichtig")),
];
const ME: SectionId = named("after.me");
const BUG: SectionId = named("sign.bug");
const FAILS: SectionId = named("sign.fails");
const MAKES: SectionId = named("sign.makes");
const CASE: SectionId = named("sign.case");
const TOLD_JOINT: SectionId = named("told.joint");
const TOLD_ALSO: SectionId = named("told.also");
const TOLD_INSTEAD: SectionId = named("told.instead");
const TOLD_CASE: SectionId = named("told.case");
const TOLD_SHOULD: SectionId = named("told.should");
const TOLD_TO_DO: SectionId = named("told.to_do");
const TOLD_SUBJECT: SectionId = named("told.subject");
const TOLD_LIKE: SectionId = named("told.like");
const TOLD_IS: SectionId = named("told.is");
const BARE: SectionId = named("label.bare");
const EACH: SectionId = named("list.each");
const LIST_FOR: SectionId = named("list.for");
const BEFORE_ORDINAL: SectionId = named("ordinal.before");
const STORY: SectionId = named("sign.story");
const AS: SectionId = named("story.as");
const WANT: SectionId = named("story.want");
const WHY: SectionId = named("story.why");
const HEADING: SectionId = named("list.heading");
const JOIN: SectionId = named("list.join");

const IN_PROJECT: SectionId = named("project.in");
const PROJECT: SectionId = named("label.project");
const OPEN: SectionId = named("open.asked");
const OPEN_REST: SectionId = named("open.rest");
const OPEN_WITHOUT: SectionId = named("open.without");
const OPEN_TAIL: SectionId = named("open.tail");

/// Parts that a text leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaves {
    /// The part that was asked for: "n/a".
    Asked,
    /// The part it names: "no acceptance criteria".
    Named(Part),
    /// Everything that is still a gap: "skip the rest".
    Rest,
}

/// The longest key of a project.
const PROJECT_KEY: usize = 10;

/// A sign of what a clause of a fault tells ([`super::told`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clause {
    /// Joins it to the one before: "but", "although".
    Joint,
    /// A joint within a clause as often as between two: "and".
    Also,
    /// Turns back to what happens: "instead".
    Instead,
    /// Begins what somebody does: "when I".
    Case,
    /// Says what should happen: "should", "expected".
    Should,
    /// Says what somebody should do about it: "should fix".
    ToDo,
    /// The subject of a clause of few words: "nothing".
    Subject,
}

impl Clause {
    /// Returns the number of words of the sign that begins at a word; 0 if none does.
    pub(super) fn at(self, words: &[Word], at: usize) -> usize {
        let id = match self {
            Self::Joint => TOLD_JOINT,
            Self::Also => TOLD_ALSO,
            Self::Instead => TOLD_INSTEAD,
            Self::Case => TOLD_CASE,
            Self::Should => TOLD_SHOULD,
            Self::ToDo => TOLD_TO_DO,
            Self::Subject => TOLD_SUBJECT,
        };
        longest(id, words, at)
    }
}

/// Longest label in bytes; a longer text before a colon is not a label.
const LABEL: usize = 64;

const fn named(name: &str) -> SectionId {
    TICKETS.section(name)
}

/// Returns the number of words a phrase of the section covers from `at` on: the longest match in any
/// language, 0 if none matches.
pub(super) fn longest(id: SectionId, words: &[Word], at: usize) -> usize {
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

/// Returns the part that is called this.
pub(super) fn label_part(name: &str) -> Option<Part> {
    let words = Words::of(name);
    LABELS.into_iter().find(|(_, id)| is(*id, words.all())).map(|(part, _)| part)
}

/// Finds the project that a request names, "… in project OPS" or "…, project: OPS": its key, and the bytes of the words that
/// say so.
pub(super) fn in_project(request: &Words) -> Option<(&str, Range<usize>)> {
    (0..request.all().len()).find_map(|at| {
        let phrase = longest(IN_PROJECT, request.all(), at);
        let named = named_project(request, at, phrase, Gap::Space);
        let label = || project_label(request, at).filter(|(_, key)| is_clause(request, at, key.end));
        named.or_else(label)
    })
}

/// Reads a label "Project: OPS" whose words begin at `at` as [`in_project`] does.
pub(super) fn project_label(sentence: &Words, at: usize) -> Option<(&str, Range<usize>)> {
    named_project(sentence, at, longest(PROJECT, sentence.all(), at), Gap::Soft)
}

/// True if a comma, semicolon or bracket stands before this word, and the clause ends at `end`.
fn is_clause(words: &Words, at: usize, end: usize) -> bool {
    let all = words.all();
    let before = at.checked_sub(1).and_then(|last| all.get(last));
    let ends = all.iter().any(|word| word.end == end && word.after > Gap::Space)
        || all.last().is_some_and(|last| last.end == end);
    ends && before.is_some_and(|last| words.text()[last.end..all[at].at].contains([',', ';', '(']))
}

/// Reads the word behind `n` words from `at` as the key of a project. `gap` is what stands before it.
fn named_project(words: &Words, at: usize, n: usize, gap: Gap) -> Option<(&str, Range<usize>)> {
    let (all, text) = (words.all(), words.text());
    let last = all.get((at + n).checked_sub(1)?).filter(|last| n > 0 && last.after == gap)?;
    let key = all.get(at + n).filter(|key| !key.quoted)?;
    let colon = text.get(last.end..key.at)?.trim_start().starts_with(':');
    let name = text.get(key.at..key.end)?;
    let upper = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    let fits = upper
        && (2..=PROJECT_KEY).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_uppercase());
    (fits && (gap == Gap::Space || colon)).then_some((name, all[at].at..key.end))
}

/// Returns the item type whose name begins here and how many words it has: the longest one.
pub(super) fn kind_at(words: &[Word], at: usize) -> Option<(ItemType, usize)> {
    let lengths = KINDS.into_iter().map(|(kind, id)| (kind, longest(id, words, at)));
    lengths.filter(|(_, n)| *n > 0).max_by_key(|(_, n)| *n)
}

/// Returns the part whose label begins here and how many words it has: the longest one.
pub(super) fn label_at(words: &[Word], at: usize) -> Option<(Part, usize)> {
    let lengths = LABELS.into_iter().map(|(part, id)| (part, longest(id, words, at)));
    lengths.filter(|(_, n)| *n > 0).max_by_key(|(_, n)| *n)
}

/// True if a label begins here that needs no colon beside one that has it: "Expected a form".
pub(super) fn needs_no_colon(words: &[Word], at: usize) -> bool {
    longest(BARE, words, at) > 0
}

/// Returns the number of words of a part's label that begins here; 0 if none does.
pub(super) fn part_at(words: &[Word], at: usize, part: Part) -> usize {
    label_at(words, at).filter(|(found, _)| *found == part).map_or(0, |(_, n)| n)
}

/// A priority in words.
pub(super) struct Level {
    /// Its name: "high", "hoch".
    pub(super) name: String,
    /// The index of the word behind it.
    pub(super) end: usize,
    /// True if it is called a priority: "high priority", "Priorität: hoch".
    pub(super) labelled: bool,
}

/// Reads the priority that begins at this word.
pub(super) fn level_at(words: &Words, at: usize) -> Option<Level> {
    let all = words.all();
    let label = |at: usize| part_at(all, at, Part::Priority);
    let before = if longest(PRIORITY, all, at) > 0 { 0 } else { label(at) };
    let from = at + before;
    let to = from + longest(PRIORITY, all, from);
    let level = all.get(from..to).filter(|level| !level.is_empty())?;
    let behind = if before == 0 && all[to - 1].after <= Gap::Soft { label(to) } else { 0 };
    let plain = INFLECTED.into_iter().find(|(_, id)| is(*id, level)).map(|(name, _)| name);
    let name = plain.unwrap_or_else(|| words.slice(level)).to_string();
    Some(Level { name, end: to + behind, labelled: before + behind > 0 })
}

/// True if a text is the writer's word for the writer: "me".
pub(super) fn is_me(text: &str) -> bool {
    is(ME, Words::of(text).all())
}

/// Splits `Bug: it fails` into (Bug, "it fails"). Returns `None` if the entry begins with no item type.
pub(super) fn kind(entry: &str) -> Option<(ItemType, &str)> {
    let (words, rest) = label(entry)?;
    let (kind, _) = KINDS.into_iter().find(|(_, id)| is(*id, words.all()))?;
    Some((kind, rest))
}

/// Reads a text that does nothing but leave parts open.
pub(super) fn leaves_open(text: &str) -> Option<Leaves> {
    let words = Words::of(text);
    let all = words.all();
    if all.is_empty() || all.iter().any(|word| word.quoted) {
        return None;
    }
    if is(OPEN_REST, all) {
        return Some(Leaves::Rest);
    }
    if is(OPEN, all) {
        return Some(Leaves::Asked);
    }
    let without = longest(OPEN_WITHOUT, all, 0);
    let named = all.get(without..).filter(|named| without > 0 && !named.is_empty())?;
    let fits = |id: SectionId| {
        (1..=named.len()).any(|to| is(id, &named[..to]) && (to == named.len() || is(OPEN_TAIL, &named[to..])))
    };
    LABELS.into_iter().find(|(_, id)| fits(*id)).map(|(part, _)| Leaves::Named(part))
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
    if tells_of_bug(&words) {
        ItemType::Bug
    } else if wanted(&words).is_some() || within(STORY) {
        ItemType::Story
    } else {
        ItemType::Task
    }
}

/// True if a title says that something does not do what it should: "Login fails", "The export does nothing". One that asks for
/// something to be made names a fault as its object, or as the case it is for: "Add an error page for when a payment fails".
fn tells_of_bug(words: &Words) -> bool {
    let all = words.all();
    fails(words) || !asks_to_make(all) && first(BUG, all).is_some()
}

/// True if a title tells what fails: "Login fails", but not "login bug".
fn fails(words: &Words) -> bool {
    fails_where(words, |at| longest(FAILS, words.all(), at) > 0)
}

/// True if a title is a sentence about what fails: "Login is broken", but not "the broken login".
pub(super) fn tells_what_fails(words: &Words) -> bool {
    fails_where(words, |at| fails_at(words.all(), at))
}

fn fails_where(words: &Words, fails: impl Fn(usize) -> bool) -> bool {
    let all = words.all();
    let first_failing = (0..all.len()).find(|at| fails(*at));
    first_failing.is_some_and(|at| !asks_to_make(all) || first(CASE, all).is_none_or(|case| at < case))
}

/// True if words that tell of a failure begin at this one: "it is broken", but not "the broken login".
pub(super) fn fails_at(words: &[Word], at: usize) -> bool {
    let is_like = || longest(TOLD_LIKE, words, at) > 0;
    let is_said = || at > 0 && longest(TOLD_IS, words, at - 1) > 0;
    longest(FAILS, words, at) > 0 && (!is_like() || is_said())
}

fn asks_to_make(words: &[Word]) -> bool {
    longest(MAKES, words, 0) > 0 || words.last().is_some_and(|last| is(MAKES, slice::from_ref(last)))
}

fn first(id: SectionId, words: &[Word]) -> Option<usize> {
    (0..words.len()).find(|at| longest(id, words, *at) > 0)
}

/// Returns the wish of a user story: for "As a user I want to log in so that I see my orders", "log in".
/// `None` if the sentence is no user story.
pub(super) fn story(sentence: &str) -> Option<&str> {
    let words = Words::of(sentence.lines().next().unwrap_or_default());
    let (from, to) = wanted(&words)?;
    sentence.get(from..to)
}

/// Returns where the object of a request begins, from its byte in the text: the "as" of a user story belongs to it, though it
/// also joins an object to its request.
pub(super) fn story_from(request: &Words, at: usize) -> usize {
    let all = request.all();
    let first = all.iter().position(|word| word.at == at);
    let joint = first.and_then(|first| first.checked_sub(1)).map(|joint| all[joint].at);
    let tells = |from: &usize| story(&request.text()[*from..]).is_some();
    joint.filter(tells).unwrap_or(at)
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

/// True if a text ends in a word behind which a number with a stop counts something: "im 2. OG".
pub(super) fn stands_before_ordinal(text: &str) -> bool {
    let last = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    is(BEFORE_ORDINAL, Words::of(last).all())
}

/// Returns the entries of an enumeration without what each of them begins with: "one for the login" and "one for the search".
pub(super) fn without_each(entries: Vec<String>) -> Vec<String> {
    let each = |entry: &String| {
        let words = Words::of(entry);
        let begin = longest(EACH, words.all(), 0);
        words.all().get(begin).filter(|_| begin > 0).map(|first| entry[first.at..].to_string())
    };
    let bare: Option<Vec<String>> = entries.iter().map(each).collect();
    bare.unwrap_or(entries)
}

/// Returns an enumeration without what its first entry begins with: "for login, invoices and profile".
pub(super) fn without_for(line: &str) -> &str {
    let words = Words::of(line);
    let begin = longest(LIST_FOR, words.all(), 0);
    words.all().get(begin).filter(|_| begin > 0).map_or(line, |first| &line[first.at..])
}

/// Returns the number of words of a conjunction that begins at this word; 0 if none does.
pub(super) fn joint(words: &[Word], at: usize) -> usize {
    longest(JOIN, words, at)
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
