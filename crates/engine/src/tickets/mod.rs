//! Tickets: the draft, what it still needs, and the item a tracker is given (`spec 03 §6.1`).

pub(crate) mod adopt;
pub(crate) mod batch;
mod extract;
pub(crate) mod flow;
mod link;
pub(crate) mod release;
mod subject;
mod words;

pub use batch::Batch;
pub use extract::{extract, fill};
pub(crate) use subject::subject;

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde::{Deserialize, Serialize};

use crate::id::{DraftId, EffectId, MessageId, TaskId};
use crate::turn::Turn;

/// Where issues go.
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
    /// One line.
    Title,
    /// What is wrong or wanted.
    Problem,
    /// A bug: how to see it.
    Steps,
    /// A bug: what should happen.
    Expected,
    /// A bug: what happens instead.
    Actual,
    /// When it is done, one a line.
    Acceptance,
    /// The way proposed.
    Solution,
    /// What it must keep to.
    Constraints,
    /// What it waits for.
    Dependencies,
    /// What may go wrong.
    Risks,
    /// Links to where it was said, one a line. Code writes them, and no model any.
    Evidence,
    /// What nobody knows yet.
    Questions,
    /// Words to find it by.
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

    /// Its name in forms, labelled lines and tracker fields.
    #[must_use]
    pub fn word(self) -> &'static str {
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

    /// Its label on a card.
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

    /// The part of that name, as a form field names it.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.word() == word)
    }
}

/// What kind of issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemType {
    /// Something is broken.
    Bug,
    /// Something a user wants.
    Story,
    /// Something to do.
    Task,
    /// A whole of several.
    Epic,
}

impl ItemType {
    /// The word trackers and people use.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Bug => "bug",
            Self::Story => "story",
            Self::Task => "task",
            Self::Epic => "epic",
        }
    }

    /// The parts a preview needs. A bug's problem *is* its steps, what was expected and what happens.
    #[must_use]
    pub fn needs(self) -> &'static [Part] {
        match self {
            Self::Bug => &[Part::Title, Part::Steps, Part::Expected, Part::Actual],
            Self::Story | Self::Task | Self::Epic => &[Part::Title, Part::Problem, Part::Acceptance],
        }
    }
}

/// What a draft is made from besides the message that asks for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    /// What a model is shown beside that message: a review's artifact.
    pub(crate) texts: Vec<String>,
    /// The messages that say it.
    pub(crate) messages: Vec<MessageId>,
}

/// The text of a ticket before it is one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// Its id.
    pub id: DraftId,
    /// The task it serves.
    pub task: TaskId,
    /// The message it was made from: an edit of that message makes it again.
    pub source: MessageId,
    /// Who asked.
    pub by: String,
    /// What kind of issue.
    pub item_type: ItemType,
    /// Where it would go.
    pub target: Target,
    /// What is written so far.
    pub parts: BTreeMap<Part, String>,
    /// The answers that went into it: an edit of one is taken in again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filled: Vec<Filled>,
    /// The epic it belongs to, by its draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under: Option<DraftId>,
    /// Its place among what the message asks for, from 0; none alone, and none of what came in on the card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<usize>,
    /// The issue that came of it.
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

/// An issue that came of a draft.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Created {
    /// By which effect.
    pub effect: EffectId,
    /// `DEMO-1`.
    pub key: String,
    /// Where to see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl Draft {
    /// The parts a preview still needs, in order.
    #[must_use]
    pub fn missing(&self) -> Vec<Part> {
        self.item_type.needs().iter().copied().filter(|part| self.part(*part).is_empty()).collect()
    }

    /// What is written of a part; empty when nothing is.
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

    /// The text it was read from says something else now: what that changed is changed. Says whether it was anything.
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

    /// Takes in what a model wrote, but for the links to where it was said: those are not its to say.
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

    /// Notes where a message that went into it is seen (`spec 03 §6.1`, evidence): the message where its channel has such
    /// places, else the lane, each once.
    fn said_at(&mut self, turn: &Turn<'_>, message: &MessageId) {
        let own = turn.message_ref(&message.0).and_then(|message| message.link.as_ref());
        let Some(link) = own.or(turn.given.here.as_ref()) else { return };
        let known = self.parts.entry(Part::Evidence).or_default();
        if !known.lines().any(|line| line.contains(link.as_str())) {
            known.push_str(if known.is_empty() { "" } else { "\n" });
            known.push_str(link);
        }
    }

    /// What a tracker is given: exactly what is shown, hashed and approved.
    #[must_use]
    pub fn item(&self) -> Item {
        Item::alone(self.item_type, self.parts.clone())
    }

    /// Characters of its title and its text: what the size latch counts (`spec 06 §6.3`).
    #[must_use]
    pub fn chars(&self) -> usize {
        self.parts.values().map(|text| text.chars().count()).sum()
    }
}

/// One issue as a tracker is asked for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Its id in a batch; empty when it is alone.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The item of the same batch it belongs to: a story's epic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// What kind.
    #[serde(rename = "type")]
    pub item_type: ItemType,
    /// Its text, by part.
    pub fields: BTreeMap<Part, String>,
}

impl Item {
    /// An item that is alone.
    #[must_use]
    pub fn alone(item_type: ItemType, fields: BTreeMap<Part, String>) -> Self {
        Self { id: String::new(), parent: None, item_type, fields }
    }

    /// Its one-line title.
    #[must_use]
    pub fn title(&self) -> &str {
        self.fields.get(&Part::Title).map_or("", String::as_str)
    }

    /// Its text as one body: every part but the title, each under its label.
    #[must_use]
    pub fn body(&self) -> String {
        let sections = self.fields.iter().filter(|(part, _)| **part != Part::Title);
        sections.map(|(part, text)| format!("{}\n{text}\n", part.label())).collect::<Vec<_>>().join("\n")
    }
}
