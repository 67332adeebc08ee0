//! Reports of trackers about issues that were created here.

use alloc::string::String;

use serde::{Deserialize, Serialize};

use crate::data::id::{CardId, EffectId};
use crate::data::issue_change::IssueView;
use crate::data::time::Timestamp;

/// Report of a tracker about an issue, which a webhook brought. It only tells; nothing is done in the tracker because of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IssueReport {
    /// Effect that created the issue, as its mark says.
    pub effect: EffectId,
    /// Card that released the effect.
    pub card: CardId,
    /// Issue key.
    pub key: String,
    /// Moment of the change, by the tracker's clock.
    pub at: Timestamp,
    /// The issue after it.
    pub now: IssueNow,
}

/// Issue as its tracker reported it last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum IssueNow {
    /// It is there.
    There {
        /// Title, state and assignee.
        issue: IssueView,
    },
    /// It was moved to another project.
    Moved {
        /// Its key there.
        to: String,
    },
    /// It was deleted.
    Gone,
}

/// The newest report about a created issue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reported {
    /// Its moment; older reports change nothing.
    pub at: Timestamp,
    /// The issue.
    pub now: IssueNow,
}
