//! Settings of the learned judge, which decides some of what the rules leave open (`docs/design/0079-learned-judge.md`).

use serde::{Deserialize, Serialize};

/// Settings of the learned judge. A margin is a sum of the model's weights; larger is surer. Those of the defaults are fitted on
/// messages that the model did not learn from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JudgePolicy {
    /// True if it is asked at all.
    pub enabled: bool,
    /// Margin of a yes to a question of a host that is no confirmation.
    pub yes: i32,
    /// Margin of a yes to a host's question that is to confirm something: `None` for never, as something may be set off by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirm: Option<i32>,
    /// Margin of a no.
    pub no: i32,
    /// Margin of an end, after which nothing is done.
    pub end: i32,
}

impl Default for JudgePolicy {
    fn default() -> Self {
        Self { enabled: true, yes: 23, confirm: None, no: 16, end: 47 }
    }
}

impl JudgePolicy {
    /// Returns the settings of a policy that says nothing of a judge: older ones had none.
    #[must_use]
    pub fn off() -> Self {
        Self { enabled: false, ..Self::default() }
    }

    /// True if a policy need not say it.
    #[must_use]
    pub fn is_off(&self) -> bool {
        *self == Self::off()
    }

    /// Returns the first key with an invalid value, and the reason.
    pub(super) fn first_invalid(&self) -> Option<(&'static str, &'static str)> {
        let confirm = self.confirm.map(|margin| ("judge.confirm", margin));
        let margins = [("judge.yes", self.yes), ("judge.no", self.no), ("judge.end", self.end)];
        let wrong = margins.into_iter().chain(confirm).find(|(_, margin)| *margin < 1)?;
        Some((wrong.0, "is no margin: below 1, another verdict is likelier"))
    }
}
