//! Rules about who may approve what (`docs/design/0032-approvals.md`).

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::data::actor::Actor;

/// A rule about who may approve which effects. It cannot express "anyone who can see the card".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApproverRule {
    /// Effect classes: `tracker.*`, `tracker.create`.
    pub effects: Vec<String>,
    /// Targets: `local:DEMO`, `local:*`.
    pub targets: Vec<String>,
    /// Principals: `user:ana`, `role:approver`, `group:pm`.
    pub allow: Vec<String>,
    /// True if the requester may approve.
    #[serde(default)]
    pub self_approve: bool,
}

impl ApproverRule {
    /// True if the rule covers an effect of that class on that target.
    #[must_use]
    pub fn covers(&self, class: &str, target: &str) -> bool {
        self.effects.iter().any(|pattern| matches(pattern, class))
            && self.targets.iter().any(|pattern| matches(pattern, target))
    }

    /// True if the rule names this person. A guest or a member of another workspace counts only when listed
    /// by user id; somebody deactivated, or a bot, never does.
    #[must_use]
    pub fn names(&self, actor: &Actor) -> bool {
        let usable = match actor.barred.as_deref() {
            None => actor.principals.len(),
            // The first principal is the person's own id; roles and groups follow.
            Some("guest" | "foreign") => 1,
            Some(_) => 0,
        };
        actor.principals.iter().take(usable).any(|principal| self.allow.contains(principal))
    }
}

/// Matches `prefix*` or the whole word. A bare `*` matches nothing.
fn matches(pattern: &str, word: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some("") => false,
        Some(prefix) => word.starts_with(prefix),
        None => pattern == word,
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::data::policy::Policy;

    #[test]
    fn a_bare_star_allows_nothing() {
        assert!(matches("tracker.*", "tracker.create"));
        assert!(matches("local:DEMO", "local:DEMO"));
        assert!(!matches("*", "tracker.create"));
        assert!(!matches("local:DEMO", "local:DEMO2"));
    }

    #[test]
    fn a_guest_must_be_listed_one_by_one() {
        let mut guest = Actor { id: "g".into(), name: "g".into(), ..Actor::default() };
        guest.principals = vec!["user:g".into(), "role:approver".into()];
        guest.barred = Some("guest".into());
        assert!(!Policy::demo_rule(&["role:approver"]).names(&guest));
        assert!(Policy::demo_rule(&["user:g"]).names(&guest));
        guest.barred = Some("deactivated".into());
        assert!(!Policy::demo_rule(&["user:g"]).names(&guest));
    }
}
