//! Tickets before and after they are created: drafts, their parts, and the issues they become.

mod wording;

use crate::data::authors::{Authored, Authors};
use crate::data::erasure::ERASED;
use crate::data::id::{DraftId, EffectId, MessageId, TaskId};
use crate::data::issue_report::Reported;
use crate::data::language::Language;
use crate::data::part_state::PartState;
use crate::data::texts::texts;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde::{Deserialize, Serialize};

/// The tracker and the project that issues go to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Target {
    /// The tracker: `local`, later `jira.main`.
    pub tracker: String,
    /// The project's key.
    pub project: String,
}

impl Default for Target {
    fn default() -> Self {
        Self { tracker: "local".into(), project: "DEMO".into() }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.tracker, self.project)
    }
}

/// A part of a ticket that a person writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The title, one line.
    Title,
    /// The problem or the wish.
    Problem,
    /// For a bug: the steps to see it.
    Steps,
    /// For a bug: the expected behaviour.
    Expected,
    /// For a bug: the actual behaviour.
    Actual,
    /// Acceptance criteria, one per line.
    Acceptance,
    /// The proposed solution.
    Solution,
    /// Constraints on the solution.
    Constraints,
    /// Things it waits for.
    Dependencies,
    /// Risks.
    Risks,
    /// Links to the messages it rests on, one per line. Written by code, never by a model.
    Evidence,
    /// Open questions.
    Questions,
    /// Labels to find it by.
    Labels,
    /// Its priority.
    Priority,
    /// The person it is assigned to.
    Assignee,
}

impl Part {
    /// Every part, in the order a card shows them.
    pub const ALL: [Self; 15] = [
        Self::Title,
        Self::Problem,
        Self::Steps,
        Self::Expected,
        Self::Actual,
        Self::Acceptance,
        Self::Solution,
        Self::Constraints,
        Self::Dependencies,
        Self::Risks,
        Self::Evidence,
        Self::Questions,
        Self::Labels,
        Self::Priority,
        Self::Assignee,
    ];

    /// Returns its name in forms, labelled lines and tracker fields.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Problem => "problem",
            Self::Steps => "steps",
            Self::Expected => "expected",
            Self::Actual => "actual",
            Self::Acceptance => "acceptance",
            Self::Solution => "solution",
            Self::Constraints => "constraints",
            Self::Dependencies => "dependencies",
            Self::Risks => "risks",
            Self::Evidence => "evidence",
            Self::Questions => "questions",
            Self::Labels => "labels",
            Self::Priority => "priority",
            Self::Assignee => "assignee",
        }
    }

    /// Returns its label on a card.
    #[must_use]
    pub fn label(self, language: Language) -> String {
        throughline_messages::part_label(language, self.as_str())
    }

    /// True if it holds one value, not a text.
    #[must_use]
    pub fn is_value(self) -> bool {
        matches!(self, Self::Priority | Self::Assignee)
    }

    /// True if it holds people's own words about the item, not a value, a list of names or links.
    #[must_use]
    pub fn is_text(self) -> bool {
        !self.is_value() && !matches!(self, Self::Labels | Self::Evidence)
    }

    /// True if a model may change it in a preview, where somebody asks for that: a text of the item's own. Links, the names of
    /// other issues and the person it is for are people's.
    #[must_use]
    pub fn is_revisable(self) -> bool {
        !matches!(self, Self::Evidence | Self::Dependencies | Self::Assignee)
    }

    /// Returns the part with that name, as a form field spells it.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.as_str() == word)
    }
}

/// The type of an issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemType {
    /// Something is broken.
    Bug,
    /// Something a user wants.
    Story,
    /// Something to do.
    Task,
    /// A whole made of several issues.
    Epic,
}

impl ItemType {
    /// Returns the word that trackers and people use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bug => "bug",
            Self::Story => "story",
            Self::Task => "task",
            Self::Epic => "epic",
        }
    }

    /// Returns the parts that its preview shows as gaps while nobody has written them. A bug's problem is stated by
    /// its steps, the expected and the actual behaviour.
    #[must_use]
    pub fn needs(self) -> &'static [Part] {
        match self {
            Self::Bug => &[Part::Title, Part::Steps, Part::Expected, Part::Actual],
            Self::Story | Self::Task | Self::Epic => &[Part::Title, Part::Problem, Part::Acceptance],
        }
    }
}

/// The text of a ticket that is not created yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// Its id.
    pub id: DraftId,
    /// The task it serves.
    pub task: TaskId,
    /// The message it was made from; an edit of that message makes it again.
    pub source: MessageId,
    /// The person who asked.
    pub by: String,
    /// Type of issue.
    pub item_type: ItemType,
    /// The tracker and the project it would go to.
    pub target: Target,
    /// The parts written so far. Private, so that none is written without a writer.
    parts: BTreeMap<Part, String>,
    /// The parts that somebody left open on purpose, with the person who did.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    left_open: BTreeMap<Part, String>,
    /// The parts that a model or a plan proposed and that no person has changed since.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    proposed: BTreeSet<Part>,
    /// The authors of each part that is not the asker's alone.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    written: BTreeMap<Part, Authors>,
    /// Other people whose messages it is made from; a model's text has them as authors too.
    #[serde(default, skip_serializing_if = "Authors::is_empty")]
    pub material: Authors,
    /// The answers that went into it; an edited answer is taken in again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filled: Vec<Filled>,
    /// The draft of the epic it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under: Option<DraftId>,
    /// Place among the tickets that the message asks for, from 0; `None` for a single one, and for one added
    /// on the card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<usize>,
    /// True once the lane was told that it stays open while other messages go on.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub parked: bool,
    /// The issue created from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Created>,
    /// The texts that the last change of its card replaced; `None` if that change was of something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<wording::Wording>,
}

/// An answer that went into a draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filled {
    /// The message that answered.
    pub message: MessageId,
    /// The part that was asked for.
    pub part: Part,
}

/// An issue created from a draft.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Created {
    /// The effect that created it.
    pub effect: EffectId,
    /// Issue key: `DEMO-1`.
    pub key: String,
    /// Link to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Newest report of its tracker about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported: Option<Reported>,
}

impl Draft {
    /// Creates a draft without any text.
    pub(crate) fn blank(
        id: DraftId,
        (task, source): (TaskId, MessageId),
        by: &str,
        item_type: ItemType,
        target: Target,
    ) -> Self {
        Self {
            id,
            task,
            source,
            by: by.into(),
            item_type,
            target,
            parts: BTreeMap::new(),
            left_open: BTreeMap::new(),
            proposed: BTreeSet::new(),
            written: BTreeMap::new(),
            material: Authors::default(),
            filled: Vec::new(),
            under: None,
            place: None,
            parked: false,
            created: None,
            before: None,
        }
    }

    /// Returns the gaps, in order: the parts its type asks for that nobody has written or left open.
    #[must_use]
    pub fn missing(&self) -> Vec<Part> {
        let gap = |part: &Part| self.state(*part) == PartState::Gap;
        self.item_type.needs().iter().copied().filter(gap).collect()
    }

    /// Returns the state of a part.
    #[must_use]
    pub fn state(&self, part: Part) -> PartState<'_> {
        match (self.parts.get(&part), self.left_open.get(&part)) {
            (Some(text), _) => PartState::Written(text),
            (None, Some(by)) => PartState::LeftOpen { by },
            (None, None) => PartState::Gap,
        }
    }

    /// Leaves an empty part open on purpose. Does nothing to a part that has a text.
    pub fn leave_open(&mut self, part: Part, by: &str) {
        if !self.parts.contains_key(&part) {
            self.left_open.insert(part, by.into());
        }
    }

    /// Writes a proposed text into an empty part, until a person changes it.
    pub(crate) fn propose(&mut self, part: Part, text: &str, by: &Authors) {
        if self.part(part).is_empty() {
            self.set(part, text.into(), by);
            self.proposed.insert(part);
        }
    }

    /// Writes a text that a model proposes into a part, until a person changes it.
    pub(crate) fn repropose(&mut self, part: Part, text: &str, by: &Authors) {
        if self.part(part) != text {
            self.set(part, text.into(), by);
            self.proposed.insert(part);
        }
    }

    /// True if this part's text is a proposal that no person has changed.
    #[must_use]
    pub fn is_proposed(&self, part: Part) -> bool {
        self.proposed.contains(&part)
    }

    /// Returns the parts that somebody left open, with the person who did.
    #[must_use]
    pub fn left_open(&self) -> &BTreeMap<Part, String> {
        &self.left_open
    }

    /// Returns the text of a part; empty if nothing is written.
    #[must_use]
    pub fn part(&self, part: Part) -> &str {
        self.parts.get(&part).map_or("", String::as_str)
    }

    /// Returns the parts written so far.
    #[must_use]
    pub fn parts(&self) -> &BTreeMap<Part, String> {
        &self.parts
    }

    /// Returns the authors of a part's text.
    #[must_use]
    pub fn authors(&self, part: Part) -> Authors {
        match self.written.get(&part) {
            Some(authors) => authors.clone(),
            None if self.parts.contains_key(&part) => Authors::of(&self.by),
            None => Authors::default(),
        }
    }

    /// Returns the authors of each part, under this item's name.
    #[must_use]
    pub fn authored(&self, item: &str) -> Vec<Authored> {
        let one = |part: &Part| Authored {
            item: item.into(),
            field: part.as_str().into(),
            by: self.authors(*part),
        };
        self.parts.keys().map(one).collect()
    }

    /// Writes a part; an empty text clears it. Its author is added to those whose words are in it already, because a
    /// corrected letter leaves the rest of the sentence as it was. An equal text stays whose it was.
    pub fn write(&mut self, part: Part, text: &str, by: &Authors) {
        self.set(part, text.trim().into(), by);
    }

    /// Writes every part that differs from these; parts that are not among them are cleared.
    pub(crate) fn write_all(&mut self, parts: &BTreeMap<Part, String>, by: &Authors) {
        for part in Part::ALL {
            self.set(part, parts.get(&part).cloned().unwrap_or_default(), by);
        }
    }

    fn set(&mut self, part: Part, text: String, by: &Authors) {
        if self.part(part) == text {
            return;
        }
        let authors = self.authors(part).and(by);
        self.written.remove(&part);
        if text.is_empty() {
            self.clear(part);
            return;
        }
        self.left_open.remove(&part);
        self.proposed.remove(&part);
        self.parts.insert(part, text);
        // A part without an entry is the asker's alone.
        let own = authors.is_empty() || authors.has(&self.by) && authors.only(&self.by);
        if !own {
            self.written.insert(part, authors);
        }
    }

    /// Takes a part back to what it was in an earlier state of this draft, with its authors.
    pub(crate) fn restore(&mut self, part: Part, before: &Self) {
        self.clear(part);
        self.parts.extend(before.parts.get(&part).map(|text| (part, text.clone())));
        self.written.extend(before.written.get(&part).map(|authors| (part, authors.clone())));
        self.left_open.extend(before.left_open.get(&part).map(|by| (part, by.clone())));
        self.proposed.extend(before.proposed.get(&part));
    }

    /// Clears a part.
    pub(crate) fn clear(&mut self, part: Part) {
        self.left_open.remove(&part);
        self.proposed.remove(&part);
        self.parts.remove(&part);
        self.written.remove(&part);
    }

    /// Adds a line of evidence, unless it is there. It is code's, so nobody becomes its author.
    pub(crate) fn cite(&mut self, link: &str) {
        let known = self.parts.entry(Part::Evidence).or_default();
        if !known.lines().any(|line| line.contains(link)) {
            known.push_str(if known.is_empty() { "" } else { "\n" });
            known.push_str(link);
        }
    }

    /// Replaces its text, its asker and its authors by the sign of erasure. The key of an issue created from it stays.
    pub(crate) fn erase(&mut self) {
        self.parts = [(Part::Title, ERASED.into())].into();
        self.written.clear();
        self.left_open.clear();
        self.proposed.clear();
        self.material = Authors::default();
        self.by = ERASED.into();
        self.filled = Vec::new();
        self.before = None;
        if let Some(created) = &mut self.created {
            created.reported = None;
        }
    }

    /// Applies an edit of the source text by its author: the parts that differ between its old and its new reading
    /// are rewritten. Returns true if the draft changed.
    pub(crate) fn reword(
        &mut self,
        was: (ItemType, &BTreeMap<Part, String>),
        now: (ItemType, &BTreeMap<Part, String>),
        by: &Authors,
    ) -> bool {
        let before = (self.item_type, self.parts.clone());
        if was.0 != now.0 {
            self.item_type = now.0;
        }
        for part in Part::ALL.into_iter().filter(|part| was.1.get(part) != now.1.get(part)) {
            self.write(part, now.1.get(&part).map_or("", String::as_str), by);
        }
        before != (self.item_type, self.parts.clone())
    }

    /// Takes over what a model wrote, except evidence, which is not a model's to write, and parts that
    /// `keeps` protects. A model's words are those of the person who asked and of whoever wrote its material.
    pub(crate) fn take(
        &mut self,
        written: BTreeMap<Part, String>,
        mut keeps: impl FnMut(&Self, Part) -> bool,
    ) {
        let by = Authors::of(&self.by).and(&self.material);
        for (part, text) in written {
            if part != Part::Evidence && !keeps(self, part) {
                self.set(part, text, &by);
                if self.parts.contains_key(&part) {
                    self.proposed.insert(part);
                }
            }
        }
    }

    /// Returns the issue as a tracker is asked for it: exactly what is shown, hashed and approved.
    #[must_use]
    pub fn item(&self) -> Item {
        Item::alone(self.item_type, self.parts.clone())
    }

    /// Returns the number of characters of its title and texts, which decides if a batch has to be confirmed.
    #[must_use]
    pub fn chars(&self) -> usize {
        self.parts.values().map(|text| text.chars().count()).sum()
    }
}

/// One issue as a tracker is asked for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Id in a batch; empty for a single issue.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The item of the same batch that it belongs to: a story's epic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Type of issue.
    #[serde(rename = "type")]
    pub item_type: ItemType,
    /// Its text, by part.
    pub fields: BTreeMap<Part, String>,
}

impl Item {
    /// Creates the item of a single issue.
    #[must_use]
    pub fn alone(item_type: ItemType, fields: BTreeMap<Part, String>) -> Self {
        Self { id: String::new(), parent: None, item_type, fields }
    }

    /// Returns its one-line title.
    #[must_use]
    pub fn title(&self) -> &str {
        self.fields.get(&Part::Title).map_or("", String::as_str)
    }

    /// Returns its text as one body: every part but the title, each under its label.
    #[must_use]
    pub fn body(&self) -> String {
        let sections = self.fields.iter().filter(|(part, _)| **part != Part::Title);
        sections
            .map(|(part, text)| format!("{}\n{text}\n", part.label(Language::En)))
            .collect::<Vec<_>>()
            .join("\n")
    }
}

texts! {
    struct Draft {
        id, task, source, by: person, item_type: key, target: key, parts: words, left_open: person, proposed: key, written, material, filled, under, place: key,
        parked: key, created, before,
    }
}

#[cfg(test)]
mod tests;
