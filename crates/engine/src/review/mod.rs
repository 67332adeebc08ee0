//! Reviews: what is reviewed and its versions, the artifact that stays when one is over (`spec 03 §4`).
//!
//! `none → active(v1) → active(v2…) → frozen → (superseded | forgotten)`. Of a lane's reviews at most one, the newest, is
//! active or frozen. Without a model a review is a checklist, filled with what the thread states (`extract.rs`), and says
//! so; `flow.rs` is the way of one, `patch.rs` what feedback comes to, `topic.rs` what it is about.

mod card;
mod extract;
pub(crate) mod flow;
mod patch;
mod topic;

pub(crate) use card::project;
pub(crate) use patch::shown;
pub(crate) use topic::topic_of;

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::canon::{hex, jcs, sha256};
use crate::id::{CardId, MessageId, ReviewId, TaskId};
use crate::policy::Policy;
use crate::say;
use crate::time::Timestamp;

/// What a review looks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// How it is built.
    #[default]
    Architecture,
    /// How it could be misused.
    Security,
    /// What it is for.
    Pm,
}

impl Kind {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Architecture, Self::Security, Self::Pm];

    /// Its public name.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Architecture => "architecture",
            Self::Security => "security",
            Self::Pm => "pm",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// A section of a patch, in the order they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// New decisions.
    Decisions,
    /// New risks.
    Risks,
    /// New open questions.
    Questions,
    /// What else changed.
    Changes,
}

impl Section {
    /// All four, in their order.
    pub const ALL: [Self; 4] = [Self::Decisions, Self::Risks, Self::Questions, Self::Changes];
}

/// Bullets by section, each section by importance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Points {
    /// What is decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<String>,
    /// What may go wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<String>,
    /// What nobody knows yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
    /// What else a version changed; a review's first version has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
}

impl Points {
    /// The bullets of a section.
    #[must_use]
    pub fn of(&self, section: Section) -> &[String] {
        match section {
            Section::Decisions => &self.decisions,
            Section::Risks => &self.risks,
            Section::Questions => &self.questions,
            Section::Changes => &self.changes,
        }
    }

    fn list(&mut self, section: Section) -> &mut Vec<String> {
        match section {
            Section::Decisions => &mut self.decisions,
            Section::Risks => &mut self.risks,
            Section::Questions => &mut self.questions,
            Section::Changes => &mut self.changes,
        }
    }

    /// How many bullets there are.
    #[must_use]
    pub fn len(&self) -> usize {
        Section::ALL.into_iter().map(|section| self.of(section).len()).sum()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An item of a checklist, and what the thread states of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// What is looked for, in the language of who asked.
    pub item: String,
    /// The first sentence that mentions it; `None`: nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated: Option<String>,
}

/// What one message of feedback came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patch {
    /// The version it made.
    pub version: u32,
    /// Who gave the feedback.
    pub by: String,
    /// What is new, all of it.
    pub points: Points,
}

/// A review of something that was said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Review {
    /// Its id, named like its task.
    pub id: ReviewId,
    /// What it looks for.
    pub kind: Kind,
    /// Starts at 1; each patch makes the next. The version of its card.
    pub version: u32,
    /// What it is about, in a few words.
    pub topic: String,
    /// What the first version comes to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// What the first version holds.
    #[serde(default)]
    pub points: Points,
    /// The checklist, when no model wrote the review.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// What was changed since, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patches: Vec<Patch>,
    /// Where it stands.
    pub status: Status,
    /// The card that shows it; empty while it is drafted.
    pub card: CardId,
    /// The task it is: every message about it names that one.
    pub task: TaskId,
    /// Who asked.
    pub by: String,
    /// The message that asked, or that is reviewed; empty for a bare command.
    pub source: MessageId,
    /// When it was shown or somebody last answered it: what the cooldown counts from.
    pub last_at: Timestamp,
    /// The task that makes tickets of it, since somebody asked for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handed: Option<TaskId>,
}

/// Where a review stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Status {
    /// A model is writing it: nobody has seen it yet.
    Drafting,
    /// Shown, and open for feedback.
    Active,
    /// Over, and there to be handed over.
    Frozen {
        /// What stays.
        artifact: ReviewArtifact,
        /// How it came to its end.
        ended: Ended,
    },
    /// Over, and a newer review took its place; still there to be handed over by reply.
    Superseded {
        /// What stays.
        artifact: ReviewArtifact,
        /// The newer one's card.
        by: CardId,
    },
    /// Somebody had it forgotten: its text is gone.
    Forgotten,
}

/// How a review came to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Ended {
    /// Somebody acknowledged it, or pressed *Finish*.
    Completed {
        /// Who, by name.
        by: String,
    },
    /// Nobody answered it for the time policy gives.
    Idle,
    /// Tickets were made of it while it was active.
    HandedOver,
    /// Its decision was taken on.
    Decided,
}

/// What stays of a review (`spec 03 §4`): these fields and no others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewArtifact {
    /// What it looked for.
    pub kind: Kind,
    /// Its last version.
    pub version: u32,
    /// What it was about.
    pub topic: String,
    /// What its first version came to.
    pub summary: String,
    /// What its last version came to: the summary, and every point made since.
    pub updated_summary: String,
    /// When it froze.
    pub frozen_at: Timestamp,
    /// SHA-256 in hex over the canonical bytes of kind, version, topic and both summaries.
    pub content_hash: String,
}

impl ReviewArtifact {
    /// What the drafter of tickets is given: the topic as the title, then labelled lines.
    #[must_use]
    pub fn text(&self) -> String {
        say::review::handed_over(&self.topic, &self.updated_summary)
    }
}

impl Review {
    /// What stays of it when it freezes now. One that is over keeps what it has.
    #[must_use]
    pub fn artifact(&self, now: Timestamp) -> ReviewArtifact {
        if let Status::Frozen { artifact, .. } | Status::Superseded { artifact, .. } = &self.status {
            return artifact.clone();
        }
        let updated_summary = say::review::updated_summary(&self.summary, &self.merged());
        let content = serde_json::json!({
            "kind": self.kind, "version": self.version, "topic": self.topic,
            "summary": self.summary, "updated_summary": updated_summary,
        });
        ReviewArtifact {
            kind: self.kind,
            version: self.version,
            topic: self.topic.clone(),
            summary: self.summary.clone(),
            updated_summary,
            frozen_at: now,
            content_hash: hex(&sha256(&[jcs(&content).as_bytes()])),
        }
    }

    /// Every point of it, those of the first version before those of the patches.
    #[must_use]
    pub fn merged(&self) -> Points {
        let mut all = self.points.clone();
        for patch in &self.patches {
            for section in Section::ALL {
                all.list(section).extend_from_slice(patch.points.of(section));
            }
        }
        all
    }

    /// Shown, and open for feedback.
    #[must_use]
    pub fn active(&self) -> bool {
        self.status == Status::Active
    }

    /// Active or frozen: the lane's newest review, as long as it is neither superseded nor forgotten.
    #[must_use]
    pub fn current(&self) -> bool {
        matches!(self.status, Status::Active | Status::Frozen { .. })
    }

    /// It can be handed over: there is an artifact, or one can be made.
    #[must_use]
    pub fn handable(&self) -> bool {
        !matches!(self.status, Status::Drafting | Status::Forgotten)
    }

    /// The cooldown has not run out; at its very end it has not.
    #[must_use]
    pub fn awaited(&self, now: Timestamp, policy: &Policy) -> bool {
        now.since(self.last_at) <= policy.review.cooldown_ms
    }
}

impl ReviewId {
    /// The review that is this task. Named like it, so that whoever knows the task finds the review.
    #[must_use]
    pub fn of(task: &TaskId) -> Self {
        let place = task.0.strip_prefix(TaskId::PREFIX).unwrap_or(&task.0);
        Self(alloc::format!("{}{place}", Self::PREFIX))
    }
}
