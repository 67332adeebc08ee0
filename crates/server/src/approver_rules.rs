//! Approver rules that apply to an approval (`docs/design/0032-approvals.md`). The engine judges the press; this says
//! who may read an approval of others, and avoids showing buttons that would be refused.

use std::sync::Arc;

use serde::Serialize;
use throughline_engine::Policy;
use throughline_engine::data::actor::Actor;
use throughline_engine::data::approval::Approval;
use throughline_engine::data::policy::ApproverRule;
use throughline_store::ApprovalRow;

use crate::app::App;
use crate::auth::Caller;
use crate::config::{User, UserEntry};
use crate::wire::DecidingRule;

/// Right of a person to decide an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ApproverStanding {
    /// A rule names them.
    May,
    /// A rule names them, but they asked for it or wrote some of it.
    Own,
    /// No rule names them.
    NotNamed,
    /// No rule covers the approval, so nobody may decide.
    Nobody,
}

fn covering<'p>(policy: &'p Policy, approval: &'p Approval) -> impl Iterator<Item = &'p ApproverRule> {
    let covers = |rule: &&ApproverRule| {
        let each = |target: &String| approval.classes.iter().all(|class| rule.covers(class, target));
        approval.targets.iter().all(each)
    };
    policy.approvers.iter().filter(covers)
}

/// Returns the rules that cover an approval.
pub(crate) fn rules(policy: &Policy, approval: &Approval) -> Vec<DecidingRule> {
    let shown =
        |rule: &ApproverRule| DecidingRule { allow: rule.allow.clone(), self_approve: rule.self_approve };
    covering(policy, approval).map(shown).collect()
}

/// Returns the right of a person to decide an approval.
pub(crate) fn standing(policy: &Policy, actor: &Actor, approval: &Approval) -> ApproverStanding {
    let (mut covered, mut named) = (false, false);
    for rule in covering(policy, approval) {
        covered = true;
        if rule.names(actor) {
            named = true;
            if rule.self_approve || !approval.is_by(&actor.id) {
                return ApproverStanding::May;
            }
        }
    }
    match (covered, named) {
        (_, true) => ApproverStanding::Own,
        (true, false) => ApproverStanding::NotNamed,
        (false, false) => ApproverStanding::Nobody,
    }
}

/// Returns the people who may decide an approval, in the order of their ids. People whom only a channel knows are not among
/// them.
pub(crate) async fn deciding_users(app: &App, row: &ApprovalRow) -> Vec<Arc<User>> {
    let mut deciding = Vec::new();
    for UserEntry { user, .. } in app.config().users.of(&row.lane.tenant) {
        let actor = app.runtime().ports().directory.actor(&row.lane, &user.id).await;
        if standing(app.runtime().policy(), &actor, &row.approval) == ApproverStanding::May {
            deciding.push(user);
        }
    }
    deciding.sort_by(|a, b| a.id.cmp(&b.id));
    deciding
}

/// Returns the ids of the configured people who may decide an approval.
pub(crate) async fn deciders(app: &App, row: &ApprovalRow) -> Vec<String> {
    deciding_users(app, row).await.into_iter().map(|user| user.id.clone()).collect()
}

/// Returns true if a rule lets the caller decide the approval, or would if they had not written some of it.
pub(crate) async fn names(app: &App, caller: &Caller, row: &ApprovalRow) -> bool {
    let actor = app.runtime().ports().directory.actor(&row.lane, &caller.principal).await;
    let standing = standing(app.runtime().policy(), &actor, &row.approval);
    matches!(standing, ApproverStanding::May | ApproverStanding::Own)
}

#[cfg(test)]
mod tests {
    use throughline_engine::Timestamp;
    use throughline_engine::data::authors::{Authored, Authors};

    use super::*;

    fn approval() -> Approval {
        Approval {
            card: "ap_1".into(),
            version: 1,
            kind: "tracker.item".into(),
            payload: "{}".into(),
            payload_sha256: String::new(),
            releases: Vec::new(),
            classes: vec!["tracker.create".into()],
            targets: vec!["local:DEMO".into()],
            quantity: 1,
            total_chars: 2,
            requested_by: "ana".into(),
            authors: vec![Authored {
                item: String::new(),
                field: "title".into(),
                by: Authors::of("ana").and(&Authors::of("eli")),
            }],
            source: "m_1".into(),
            created_at: Timestamp(0),
            expires_at: None,
        }
    }

    fn actor(id: &str) -> Actor {
        Actor { id: id.into(), name: id.into(), principals: vec![format!("user:{id}")], ..Actor::default() }
    }

    #[test]
    fn stands_as_the_rules_say() {
        let mut policy = Policy::default();
        assert_eq!(standing(&policy, &actor("ana"), &approval()), ApproverStanding::Nobody);
        let rule = ApproverRule {
            effects: vec!["tracker.*".into()],
            targets: vec!["local:*".into()],
            allow: vec!["user:ana".into(), "user:bob".into(), "user:eli".into()],
            self_approve: false,
        };
        policy.approvers = vec![rule.clone()];
        assert_eq!(standing(&policy, &actor("eve"), &approval()), ApproverStanding::NotNamed);
        assert_eq!(standing(&policy, &actor("bob"), &approval()), ApproverStanding::May);
        assert_eq!(standing(&policy, &actor("ana"), &approval()), ApproverStanding::Own);
        assert_eq!(standing(&policy, &actor("eli"), &approval()), ApproverStanding::Own, "wrote part of it");
        policy.approvers = vec![ApproverRule { self_approve: true, ..rule }];
        assert_eq!(standing(&policy, &actor("ana"), &approval()), ApproverStanding::May);
        policy.approvers[0].targets = vec!["local:AUTH".into()];
        assert_eq!(standing(&policy, &actor("bob"), &approval()), ApproverStanding::Nobody);
        assert!(rules(&policy, &approval()).is_empty());
    }
}
