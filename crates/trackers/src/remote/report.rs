//! Reports about issues of ours, as webhooks bring them.

use throughline_engine::data::issue_report::IssueNow;
use throughline_engine::{EffectId, Timestamp};

/// Report about an issue that carries the mark of an effect of ours. A copy of an issue has its mark too, so whoever takes
/// it in compares the key.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The effect, as the issue's mark says.
    pub effect: EffectId,
    /// Issue key; of an issue that was moved, the one it had.
    pub key: String,
    /// Moment of the change.
    pub at: Timestamp,
    /// The issue after it.
    pub now: IssueNow,
}

/// Returns the id in a mark: `fx_…` in `before` + id + `behind`. `None` if it cannot be one of ours.
pub(crate) fn effect_in(text: &str, before: &str, behind: &str) -> Option<EffectId> {
    let id = text.strip_prefix(before)?.strip_suffix(behind)?;
    let good = id.starts_with(EffectId::PREFIX) && id.len() <= LONGEST;
    let plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (good && plain).then(|| id.into())
}

/// Characters of an effect's id at most.
const LONGEST: usize = 64;
