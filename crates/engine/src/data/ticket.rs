//! Tickets before and after they are created: drafts, their parts, and the issues they become.

use crate::data::id::{DraftId, EffectId, MessageId, TaskId};
use alloc::collections::BTreeMap;
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
}

impl Part {
    /// Every part, in the order a card shows them.
    pub const ALL: [Self; 13] = [
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
        }
    }

    /// Returns its label on a card.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Title => "Title",
            Self::Problem => "Problem",
            Self::Steps => "Steps to reproduce",
            Self::Expected => "Expected",
            Self::Actual => "Actual",
            Self::Acceptance => "Acceptance criteria",
            Self::Solution => "Proposed solution",
            Self::Constraints => "Constraints",
            Self::Dependencies => "Dependencies",
            Self::Risks => "Risks",
            Self::Evidence => "Evidence",
            Self::Questions => "Open questions",
            Self::Labels => "Labels",
        }
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

    /// Returns the parts that a preview needs. A bug's problem is stated by its steps, the expected and the
    /// actual behaviour.
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
    /// The parts written so far.
    pub parts: BTreeMap<Part, String>,
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
    /// The issue created from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Created>,
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
}

impl Draft {
    /// Returns the parts that a preview still needs, in order.
    #[must_use]
    pub fn missing(&self) -> Vec<Part> {
        self.item_type.needs().iter().copied().filter(|part| self.part(*part).is_empty()).collect()
    }

    /// Returns the text of a part; empty if nothing is written.
    #[must_use]
    pub fn part(&self, part: Part) -> &str {
        self.parts.get(&part).map_or("", String::as_str)
    }

    /// Writes a part; an empty text clears it.
    pub fn write(&mut self, part: Part, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            self.parts.remove(&part);
        } else {
            self.parts.insert(part, text.into());
        }
    }

    /// Applies an edit of the source text: the parts that differ between its old and its new reading are
    /// rewritten. Returns true if the draft changed.
    pub(crate) fn reword(
        &mut self,
        was: (ItemType, &BTreeMap<Part, String>),
        now: (ItemType, &BTreeMap<Part, String>),
    ) -> bool {
        let before = (self.item_type, self.parts.clone());
        if was.0 != now.0 {
            self.item_type = now.0;
        }
        for part in Part::ALL.into_iter().filter(|part| was.1.get(part) != now.1.get(part)) {
            self.write(part, now.1.get(&part).map_or("", String::as_str));
        }
        before != (self.item_type, self.parts.clone())
    }

    /// Takes over what a model wrote, except evidence, which is not a model's to write, and parts that
    /// `keeps` protects.
    pub(crate) fn take(
        &mut self,
        written: BTreeMap<Part, String>,
        mut keeps: impl FnMut(&Self, Part) -> bool,
    ) {
        for (part, text) in written {
            if part != Part::Evidence && !keeps(self, part) {
                self.parts.insert(part, text);
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
        sections.map(|(part, text)| format!("{}\n{text}\n", part.label())).collect::<Vec<_>>().join("\n")
    }
}

/// An issue that this thread tracks, or is about to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tracked {
    /// Issue key: `AUTH-12`.
    pub key: String,
    /// Its tracker and project.
    pub target: Target,
    /// Its title when it was looked up.
    pub title: String,
    /// Link to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The open look-up; the issue is not tracked until it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sought: Option<EffectId>,
}
