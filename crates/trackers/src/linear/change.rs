//! Changes issues: parent, comment, state, assignee, links.

use serde::Deserialize;
use serde_json::{Value, json};
use throughline_engine::EffectId;
use throughline_engine::data::effect::{Attempt, IssueChange, IssueState};
use throughline_engine::data::fault::{FieldFault, TrackerFault};
use throughline_engine::data::ticket::{Item, Part};

use super::answer::Answer;
use super::config::LinearProject;
use super::issue::{Id, List, RawIssue, state, succeeded, told};
use super::queries::{self, Query};
use super::text::inert;
use super::{LinearSite, id};
use crate::common_checks::{self, MAX_BODY};
use crate::project::{project_of, rejected};
use crate::remote::{Outcome, issue_to_change, not_sent};

/// Pages of links that are looked through.
const PAGES: usize = 5;
/// The types of states that an issue is opened to, the best first.
const OPEN: [&str; 4] = ["unstarted", "backlog", "started", "triage"];
/// The types of states that an issue is closed to, the best first.
const CLOSED: [&str; 2] = ["completed", "canceled"];

/// An issue to change, with its project.
struct Place<'a> {
    project: &'a str,
    settings: &'a LinearProject,
    issue: RawIssue,
}

/// The states of a team.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawStates {
    default_issue_state: Option<RawState>,
    states: List<RawState>,
}

/// A state that issues of a team can be in.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct RawState {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    /// Its place among those of its type.
    #[serde(default)]
    position: f64,
}

/// The issues that one is linked to.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawRelations {
    relations: List<Outward>,
    inverse_relations: List<Inward>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outward {
    related_issue: Id,
}

#[derive(Deserialize)]
struct Inward {
    issue: Id,
}

impl LinearSite {
    pub(super) async fn change(
        &self,
        project: &str,
        by: Option<&str>,
        effect: &EffectId,
        key: &str,
        change: &IssueChange,
    ) -> Outcome<()> {
        let projects = &self.config.projects;
        let (settings, issue) =
            issue_to_change(projects, (project, key), by, change, self.issue(key)).await?;
        let place = Place { project, settings, issue };
        match change {
            IssueChange::Parent(epic) => self.set_parent(&place, epic).await,
            IssueChange::Comment(text) => self.comment(&place, effect, text).await,
            IssueChange::State(state) => self.set_state(&place, *state).await,
            IssueChange::Assignee(name) => self.assign(&place, name).await,
            IssueChange::Link(other) => self.relate(&place, by, effect, key, other).await,
        }?;
        Ok(Attempt::Applied(()))
    }

    async fn set_parent(&self, place: &Place<'_>, epic: &str) -> Result<(), Attempt<()>> {
        let wrong = |fault: TrackerFault| rejected(vec![FieldFault::new("check.parent", "parent", fault)]);
        let ours = project_of(epic) == Some(place.project);
        let above = if ours { self.issue(epic).await.map_err(not_sent)? } else { None };
        let Some(above) = above else {
            return Err(wrong(TrackerFault::NoEpic { key: epic.into() }));
        };
        let kind = |issue: &RawIssue| issue.item_type(place.settings);
        let item = Item::alone(kind(&place.issue), [].into());
        if let Some(fault) = common_checks::level(&item, Some(kind(&above))) {
            return Err(wrong(fault));
        }
        if place.issue.parent.as_ref().is_some_and(|now| now.identifier == above.identifier) {
            return Ok(());
        }
        self.edit(place, json!({"parentId": above.id})).await
    }

    /// Comments. Sent twice, it is there once, because its id is that of the effect.
    async fn comment(&self, place: &Place<'_>, effect: &EffectId, text: &str) -> Result<(), Attempt<()>> {
        if text.chars().count() > MAX_BODY {
            let fault = TrackerFault::CommentLong { most: MAX_BODY };
            return Err(rejected(vec![FieldFault::new("check.adf", "comment", fault)]));
        }
        let id = id::of("comment", effect);
        let input = json!({"id": id, "issueId": place.issue.id, "body": inert(text)});
        self.once(&queries::CREATE_COMMENT, input, "commentCreate").await
    }

    async fn set_state(&self, place: &Place<'_>, wanted: IssueState) -> Result<(), Attempt<()>> {
        if place.issue.state() == wanted {
            return Ok(());
        }
        let variables = json!({"team": place.issue.team.id});
        let answer = self.client.ask(&queries::STATES, variables).await.done().map_err(not_sent)?;
        let found: RawStates = told(answer, "team").map_err(not_sent)?;
        let Some(to) = chosen(wanted, found) else {
            // Each team has states of both kinds, so this is no answer of Linear's.
            let why = TrackerFault::Failed { status: 200 }.into();
            return Err(Attempt::NotApplied { why, hint: None });
        };
        self.edit(place, json!({"stateId": to})).await
    }

    async fn assign(&self, place: &Place<'_>, name: &str) -> Result<(), Attempt<()>> {
        let person = self.person(name).await.map_err(not_sent)?.map_err(|fault| {
            rejected(vec![FieldFault::new("check.value", Part::Assignee.as_str(), fault)])
        })?;
        self.edit(place, json!({"assigneeId": person})).await
    }

    /// Relates two issues, unless they are linked already, in either direction.
    async fn relate(
        &self,
        place: &Place<'_>,
        by: Option<&str>,
        effect: &EffectId,
        key: &str,
        other: &str,
    ) -> Result<(), Attempt<()>> {
        let seen = self.config.shows(other, by) && other != key;
        let found = if seen { self.issue(other).await.map_err(not_sent)? } else { None };
        let Some(other_issue) = found else {
            let fault = TrackerFault::NoOtherIssue { key: other.into() };
            return Err(rejected(vec![FieldFault::new("check.reference", "link", fault)]));
        };
        if self.is_linked(&place.issue.id, &other_issue.id).await.map_err(not_sent)? {
            return Ok(());
        }
        let input = json!({
            "id": id::of("relation", effect),
            "issueId": place.issue.id,
            "relatedIssueId": other_issue.id,
            "type": "related",
        });
        self.once(&queries::CREATE_RELATION, input, "issueRelationCreate").await
    }

    /// True if two issues are linked, in either direction, by a link of any type.
    async fn is_linked(&self, issue: &str, other: &str) -> Result<bool, Attempt<()>> {
        let (mut after, mut backwards) = (None, None);
        for _ in 0..PAGES {
            let variables = json!({"id": issue, "after": after, "backwards": backwards});
            let answer = self.client.ask(&queries::RELATIONS, variables).await.done()?;
            let found: RawRelations = told(answer, "issue")?;
            let outward = found.relations.nodes.iter().any(|one| one.related_issue.id == other);
            if outward || found.inverse_relations.nodes.iter().any(|one| one.issue.id == other) {
                return Ok(true);
            }
            // A list that has ended is asked for its end again, which has nothing more.
            let ends = (found.relations.page_info.next(), found.inverse_relations.page_info.next());
            if ends == (None, None) {
                break;
            }
            after = ends.0.or(after);
            backwards = ends.1.or(backwards);
        }
        Ok(false)
    }

    /// Creates something with an id of our own. If it is there, it was created before.
    async fn once(&self, query: &Query, input: Value, name: &str) -> Result<(), Attempt<()>> {
        match self.client.ask(query, json!({"input": input})).await {
            Answer::Refused(refusal) if refusal.is_conflict() => Ok(()),
            answer => succeeded(&answer.done()?, name),
        }
    }

    async fn edit(&self, place: &Place<'_>, input: Value) -> Result<(), Attempt<()>> {
        let variables = json!({"id": place.issue.id, "input": input});
        succeeded(&self.client.ask(&queries::CHANGE_ISSUE, variables).await.done()?, "issueUpdate")
    }
}

/// The id of the state that an issue is opened or closed to: the first one of the best type, or that which the team opens
/// issues in.
fn chosen(wanted: IssueState, team: RawStates) -> Option<String> {
    let usual =
        team.default_issue_state.filter(|one| wanted == IssueState::Open && state(&one.kind) == wanted);
    if let Some(usual) = usual {
        return Some(usual.id);
    }
    let kinds: &[&str] = match wanted {
        IssueState::Open => &OPEN,
        IssueState::Closed => &CLOSED,
    };
    let of = |kind: &&str| {
        let fitting = team.states.nodes.iter().filter(|one| one.kind == *kind);
        fitting.min_by(|one, other| one.position.total_cmp(&other.position))
    };
    kinds.iter().find_map(of).map(|one| one.id.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_the_first_of_its_kind() {
        let team = |usual: Value, kinds: &[(&str, f64)]| {
            let states: Vec<_> = kinds
                .iter()
                .map(|(kind, position)| json!({"id": format!("{kind}{position}"), "type": kind, "position": position}))
                .collect();
            serde_json::from_value::<RawStates>(
                json!({"defaultIssueState": usual, "states": {"nodes": states}}),
            )
            .unwrap()
        };
        let all = [
            ("started", 1.0),
            ("unstarted", 3.0),
            ("unstarted", 2.0),
            ("completed", 5.0),
            ("completed", 4.5),
        ];
        let backlog = json!({"id": "usual", "type": "backlog"});
        let over = json!({"id": "usual", "type": "completed"});
        for (wanted, usual, kinds, expected) in [
            (IssueState::Open, Value::Null, &all[..], Some("unstarted2")),
            (IssueState::Open, backlog.clone(), &all, Some("usual")),
            (IssueState::Open, over, &all[..1], Some("started1")),
            (IssueState::Closed, backlog, &all, Some("completed4.5")),
            (IssueState::Closed, Value::Null, &[("canceled", 1.0)], Some("canceled1")),
            (IssueState::Closed, Value::Null, &[("started", 1.0)], None),
        ] {
            assert_eq!(chosen(wanted, team(usual, kinds)).as_deref(), expected, "{wanted:?} {kinds:?}");
        }
    }
}
