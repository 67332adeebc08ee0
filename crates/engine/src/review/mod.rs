//! Reviews: written, patched by feedback, frozen into an artifact, and turned into tickets.
//!
//! `none → active(v1) → active(v2…) → frozen → (superseded | forgotten)`. At most one review of a lane, the
//! newest, is active or frozen. Without a model a review is a checklist filled from the thread, and is
//! labelled so.
//!
//! `lifecycle.rs` is the life of a review, `extract.rs` reads sentences, `patch.rs` turns feedback into points,
//! and `topic.rs` names the topic. Design: docs/design/0018-reviews.md.

mod capability;
mod card;
mod erase;
mod extract;
pub(crate) mod lifecycle;
pub(crate) mod patch;
pub(crate) mod topic;

use crate::data::canonical_json::{hex, jcs, sha256};
use crate::data::review::ReviewArtifact;
use crate::data::review::{Review, ReviewStatus};
use crate::data::time::Timestamp;
use crate::messages;
pub(crate) use crate::review::capability::Reviews;
pub(crate) use crate::review::topic::topic_of;
use alloc::string::String;

impl ReviewArtifact {
    /// Returns the text for the drafter of tickets: the topic as the title, then labelled lines.
    #[must_use]
    pub fn text(&self) -> String {
        messages::review::handed_over(&self.topic, &self.updated_summary)
    }
}

impl Review {
    /// Returns the artifact of this review as if it froze `now`. A review that is frozen or superseded
    /// returns the artifact it has.
    #[must_use]
    pub fn artifact(&self, now: Timestamp) -> ReviewArtifact {
        if let ReviewStatus::Frozen { artifact, .. } | ReviewStatus::Superseded { artifact, .. } =
            &self.status
        {
            return artifact.clone();
        }
        let updated_summary = messages::review::updated_summary(self.language, &self.summary, &self.merged());
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
}
