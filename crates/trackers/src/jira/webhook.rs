//! Webhooks of Jira, whose body holds the issue after the change. Pure.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use throughline_engine::data::effect::IssueView;
use throughline_engine::data::issue_report::IssueNow;
use throughline_engine::{EffectId, Timestamp};

use super::config::JiraProject;
use super::issue::{RawIssue, Status};
use crate::project::project_of;
use crate::remote::{Report, effect_in};

/// A delivery.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Delivery {
    timestamp: i64,
    webhook_event: String,
    issue: Option<RawIssue>,
    #[serde(default)]
    changelog: Changelog,
}

#[derive(Default, Deserialize)]
struct Changelog {
    #[serde(default)]
    items: Vec<Value>,
}

/// Reads a delivery. `None` if it tells nothing of an issue that was created here: another event, another project, no label of
/// ours, or the creation itself.
///
/// # Errors
/// The body is no delivery of Jira; the text is for people.
pub fn report(body: &[u8], projects: &BTreeMap<String, JiraProject>) -> Result<Option<Report>, String> {
    let delivery: Delivery = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let Some(issue) = delivery.issue else { return Ok(None) };
    let moved = moved_from(&delivery.changelog);
    let key = moved.unwrap_or_else(|| issue.key.clone());
    let ours = project_of(&key).is_some_and(|project| projects.contains_key(project));
    let Some(effect) = effect(&issue).filter(|_| ours) else { return Ok(None) };
    let now = match delivery.webhook_event.as_str() {
        "jira:issue_deleted" => IssueNow::Gone,
        "jira:issue_updated" if key != issue.key => IssueNow::Moved { to: issue.key },
        "jira:issue_updated" => IssueNow::There { issue: view(issue) },
        _ => return Ok(None),
    };
    Ok(Some(Report { effect, key, at: Timestamp(delivery.timestamp), now }))
}

/// The key that an issue had before it was moved.
fn moved_from(changelog: &Changelog) -> Option<String> {
    let item = changelog.items.iter().find(|item| item["field"] == "Key")?;
    item["fromString"].as_str().map(str::to_owned)
}

/// The effect that the issue's label names.
fn effect(issue: &RawIssue) -> Option<EffectId> {
    let labels = issue.fields.more.get("labels")?.as_array()?;
    labels.iter().filter_map(Value::as_str).find_map(|label| effect_in(label, "throughline-", ""))
}

fn view(issue: RawIssue) -> IssueView {
    IssueView {
        title: issue.fields.summary,
        state: issue.fields.status.as_ref().map(Status::state),
        assignee: issue.fields.assignee.map(|person| person.display_name),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use throughline_engine::data::effect::IssueState;

    use super::*;

    fn read(event: &str, key: &str, labels: &[&str], items: Value) -> Option<Report> {
        let body = json!({
            "timestamp": 1_768_000_000_123_i64, "webhookEvent": event, "user": {"accountId": "a-1"},
            "issue": {"id": "10001", "key": key, "fields": {
                "summary": "Log in", "labels": labels, "assignee": {"displayName": "Ana"},
                "status": {"name": "Done", "statusCategory": {"key": "done"}},
            }},
            "changelog": {"id": "1", "items": items},
        });
        let projects = [("OPS".to_owned(), JiraProject::default())].into();
        report(body.to_string().as_bytes(), &projects).unwrap()
    }

    #[test]
    fn a_delivery_tells_of_an_issue_with_our_label_only() {
        let label = "throughline-fx_01ab_2_1";
        let there = IssueView {
            title: "Log in".into(),
            state: Some(IssueState::Closed),
            assignee: Some("Ana".into()),
        };
        let found = read("jira:issue_updated", "OPS-7", &["login", label], json!([])).unwrap();
        assert_eq!((found.effect, found.key.as_str()), ("fx_01ab_2_1".into(), "OPS-7"));
        assert_eq!((found.at, found.now), (Timestamp(1_768_000_000_123), IssueNow::There { issue: there }));
        let gone = read("jira:issue_deleted", "OPS-7", &[label], json!([])).unwrap();
        assert_eq!(gone.now, IssueNow::Gone);
        let moved = json!([{"field": "Key", "fromString": "OPS-7", "toString": "WEB-3"}]);
        let moved = read("jira:issue_updated", "WEB-3", &[label], moved).unwrap();
        assert_eq!((moved.key.as_str(), moved.now), ("OPS-7", IssueNow::Moved { to: "WEB-3".into() }));
        for (event, key, labels) in [
            ("jira:issue_created", "OPS-7", &[label][..]),
            ("comment_created", "OPS-7", &[label]),
            ("jira:issue_updated", "WEB-7", &[label]),
            ("jira:issue_updated", "OPS-7", &["login"]),
            ("jira:issue_updated", "OPS-7", &["throughline-"]),
            ("jira:issue_updated", "OPS-7", &["throughline-fx_1; drop"]),
        ] {
            assert_eq!(read(event, key, labels, json!([])), None, "{event} {key} {labels:?}");
        }
    }

    #[test]
    fn what_is_no_delivery_is_said_to_be_none() {
        for body in ["", "[]", "<html>", "{}", r#"{"timestamp": "now", "webhookEvent": "x"}"#] {
            assert!(report(body.as_bytes(), &BTreeMap::new()).is_err(), "{body}");
        }
        let other = br#"{"timestamp": 1, "webhookEvent": "sprint_started", "sprint": {}}"#;
        assert_eq!(report(other, &BTreeMap::new()), Ok(None));
    }
}
