//! Reviews: their points, their versions, and the artifact they freeze into (`docs/design/0018-reviews.md`).

use crate::data::authors::Authors;
use crate::data::id::{CardId, MessageId, ReviewId, TaskId};
use crate::data::language::{self, Language};
use crate::data::policy::Policy;
use crate::data::time::Timestamp;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// The kind of a review.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewKind {
    /// The structure of a design.
    #[default]
    Architecture,
    /// Ways to misuse it.
    Security,
    /// Its purpose, from a product manager's view.
    Pm,
}

impl ReviewKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Architecture, Self::Security, Self::Pm];

    /// Returns its public name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Architecture => "architecture",
            Self::Security => "security",
            Self::Pm => "pm",
        }
    }

    /// Returns the kind with that name.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// A section of a patch, in the order shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewSection {
    /// New decisions.
    Decisions,
    /// New risks.
    Risks,
    /// New open questions.
    Questions,
    /// Other changes.
    Changes,
}

impl ReviewSection {
    /// Every section, in the order shown.
    pub const ALL: [Self; 4] = [Self::Decisions, Self::Risks, Self::Questions, Self::Changes];

    /// Returns its name in fields of cards.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decisions => "decisions",
            Self::Risks => "risks",
            Self::Questions => "questions",
            Self::Changes => "changes",
        }
    }
}

/// Bullets by section, the most important first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Points {
    /// Decisions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<String>,
    /// Risks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<String>,
    /// Open questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
    /// Other changes of a version; a review's first version has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
}

impl Points {
    /// Returns the bullets of a section.
    #[must_use]
    pub fn of(&self, section: ReviewSection) -> &[String] {
        match section {
            ReviewSection::Decisions => &self.decisions,
            ReviewSection::Risks => &self.risks,
            ReviewSection::Questions => &self.questions,
            ReviewSection::Changes => &self.changes,
        }
    }

    pub(crate) fn list(&mut self, section: ReviewSection) -> &mut Vec<String> {
        match section {
            ReviewSection::Decisions => &mut self.decisions,
            ReviewSection::Risks => &mut self.risks,
            ReviewSection::Questions => &mut self.questions,
            ReviewSection::Changes => &mut self.changes,
        }
    }

    /// Returns the number of bullets.
    #[must_use]
    pub fn len(&self) -> usize {
        ReviewSection::ALL.into_iter().map(|section| self.of(section).len()).sum()
    }

    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// An item of a checklist, and the sentence of the thread that covers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChecklistItem {
    /// The item, in the language of the person who asked.
    pub item: String,
    /// The first sentence that mentions it; `None` if none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated: Option<String>,
}

/// The changes that one message of feedback made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewPatch {
    /// The version it made.
    pub version: u32,
    /// The person who gave the feedback.
    pub by: String,
    /// Everything that is new.
    pub points: Points,
}

/// A review of something that was said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Review {
    /// Id, derived from the task's.
    pub id: ReviewId,
    /// Its kind.
    pub kind: ReviewKind,
    /// Version, from 1; each patch makes the next. Also the version of its card.
    pub version: u32,
    /// Language it is written in. English in records of versions before 0.2.
    #[serde(default, skip_serializing_if = "language::is_english", with = "language")]
    pub language: Language,
    /// Topic, in a few words.
    pub topic: String,
    /// Summary of the first version.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Points of the first version.
    #[serde(default)]
    pub points: Points,
    /// The checklist, when no model wrote the review.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<ChecklistItem>,
    /// Patches since, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patches: Vec<ReviewPatch>,
    /// Its status.
    pub status: ReviewStatus,
    /// The card that shows it; empty while it is being written.
    pub card: CardId,
    /// Its task, which every message about the review names.
    pub task: TaskId,
    /// The person who asked.
    pub by: String,
    /// Other people whose messages the first version was made from.
    #[serde(default, skip_serializing_if = "Authors::is_empty")]
    pub material: Authors,
    /// The message that asked, or that is reviewed; empty for a bare command.
    pub source: MessageId,
    /// Moment at which it was shown or last answered; the cooldown counts from here.
    pub last_at: Timestamp,
    /// The task that makes tickets of it, once somebody asked for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handed: Option<TaskId>,
}

/// The status of a review.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum ReviewStatus {
    /// A model is writing it; nobody has seen it yet.
    Drafting,
    /// Shown, and open for feedback.
    Active,
    /// Over, but can still be handed over.
    Frozen {
        /// The artifact it froze into.
        artifact: ReviewArtifact,
        /// The way it ended.
        ended: ReviewEnding,
    },
    /// Over and replaced by a newer review, but can still be handed over by reply.
    Superseded {
        /// The artifact it froze into.
        artifact: ReviewArtifact,
        /// The newer review's card.
        by: CardId,
    },
    /// Forgotten at somebody's request: its text is gone.
    Forgotten,
}

/// The way a review ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum ReviewEnding {
    /// Somebody acknowledged it, or pressed *Finish*.
    Completed {
        /// Name of the person.
        by: String,
    },
    /// Nobody answered it for the time that policy gives.
    Idle,
    /// Tickets were made of it while it was active.
    HandedOver,
    /// Somebody began to record a decision from it.
    Decided,
}

/// The lasting part of a review: these fields and no others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewArtifact {
    /// Its kind.
    pub kind: ReviewKind,
    /// Its last version.
    pub version: u32,
    /// Topic.
    pub topic: String,
    /// Summary of the first version.
    pub summary: String,
    /// Summary of the last version: that of the first, and every point since.
    pub updated_summary: String,
    /// Moment at which it froze.
    pub frozen_at: Timestamp,
    /// SHA-256 in hex over the canonical bytes of kind, version, topic and both summaries.
    pub content_hash: String,
}

impl Review {
    /// Returns every point, those of the first version before those of the patches.
    #[must_use]
    pub fn merged(&self) -> Points {
        let mut all = self.points.clone();
        for patch in &self.patches {
            for section in ReviewSection::ALL {
                all.list(section).extend_from_slice(patch.points.of(section));
            }
        }
        all
    }

    /// Returns everybody whose words are in it: who asked, who said what it was made from, who gave feedback.
    #[must_use]
    pub fn authors(&self) -> Authors {
        let mut authors = Authors::of(&self.by).and(&self.material);
        self.patches.iter().for_each(|patch| authors.add(&patch.by));
        authors
    }

    /// True if it is shown and open for feedback.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.status == ReviewStatus::Active
    }

    /// True if it is active or frozen: the lane's newest review, neither superseded nor forgotten.
    #[must_use]
    pub fn is_current(&self) -> bool {
        matches!(self.status, ReviewStatus::Active | ReviewStatus::Frozen { .. })
    }

    /// True if it can be handed over: it has an artifact, or one can be made.
    #[must_use]
    pub fn can_hand_over(&self) -> bool {
        !matches!(self.status, ReviewStatus::Drafting | ReviewStatus::Forgotten)
    }

    /// True until the cooldown has run out, its last millisecond included.
    #[must_use]
    pub fn awaits_feedback(&self, now: Timestamp, policy: &Policy) -> bool {
        now.since(self.last_at) <= policy.review.cooldown_ms
    }
}

impl ReviewId {
    /// Returns the id of the review that belongs to that task. It is derived, so that the task's id is enough
    /// to find the review.
    #[must_use]
    pub fn of(task: &TaskId) -> Self {
        let place = task.0.strip_prefix(TaskId::PREFIX).unwrap_or(&task.0);
        Self(alloc::format!("{}{place}", Self::PREFIX))
    }
}

/// Returns as many points as may be shown together, and the number left out. The last section is cut first,
/// and the least important point of a section before the others.
pub(crate) fn shown(points: &Points, most: usize) -> (Points, usize) {
    let mut shown = points.clone();
    let over = points.len().saturating_sub(most);
    for _ in 0..over {
        let last = ReviewSection::ALL.into_iter().rev().find(|section| !shown.of(*section).is_empty());
        if let Some(last) = last {
            shown.list(last).pop();
        }
    }
    (shown, over)
}
