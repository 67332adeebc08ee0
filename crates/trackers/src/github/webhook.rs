//! Webhooks of GitHub about issues, whose body holds the issue after the change. Pure.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use throughline_engine::Timestamp;
use throughline_engine::data::effect::IssueView;
use throughline_engine::data::issue_report::IssueNow;

use super::config::GithubProject;
use super::issue::RawIssue;
use super::text::{MARKER, MARKER_END};
use crate::remote::{Report, effect_in};

/// A delivery about an issue.
#[derive(Deserialize)]
struct Delivery {
    action: String,
    issue: RawIssue,
    repository: Repository,
    #[serde(default)]
    changes: Value,
}

#[derive(Deserialize)]
struct Repository {
    full_name: String,
}

/// Reads a delivery of the event `issues`. `None` if it tells nothing of an issue that was created here: another repository, no
/// mark of ours, or the creation itself.
///
/// # Errors
/// The body is no delivery of GitHub; the text is for people.
pub fn report(body: &[u8], projects: &BTreeMap<String, GithubProject>) -> Result<Option<Report>, String> {
    let Delivery { action, issue, repository, changes } =
        serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let project = projects.iter().find(|(_, settings)| settings.is(&repository.full_name));
    let lines = || issue.body().lines().rev().map(str::trim);
    let effect = lines().find_map(|line| effect_in(line, MARKER, MARKER_END));
    let Some(((project, _), effect)) = project.zip(effect) else { return Ok(None) };
    let Some(at) = issue.updated_at.as_deref().and_then(Timestamp::parse) else {
        return Err("the issue has no time of its last change".into());
    };
    let key = format!("{project}-{}", issue.number);
    let now = match action.as_str() {
        "opened" => return Ok(None),
        "deleted" => IssueNow::Gone,
        "transferred" => IssueNow::Moved { to: destination(&changes) },
        _ => IssueNow::There { issue: view(&issue) },
    };
    Ok(Some(Report { effect, key, at, now }))
}

/// The place that an issue was transferred to, as GitHub writes it: `acme/ops#12`.
fn destination(changes: &Value) -> String {
    let repository = changes["new_repository"]["full_name"].as_str().unwrap_or_default();
    format!("{repository}#{}", changes["new_issue"]["number"])
}

fn view(issue: &RawIssue) -> IssueView {
    IssueView {
        title: issue.title.clone(),
        state: Some(issue.state()),
        assignee: issue.assignee().map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use throughline_engine::data::effect::IssueState;

    use super::*;

    fn read(action: &str, repository: &str, body: &str) -> Result<Option<Report>, String> {
        let body = json!({
            "action": action, "repository": {"full_name": repository},
            "changes": {"new_issue": {"number": 3}, "new_repository": {"full_name": "acme/ops"}},
            "issue": {
                "id": 1, "number": 7, "title": "Log in", "state": "closed", "body": body,
                "assignees": [{"login": "ana"}], "html_url": "", "updated_at": "2026-01-15T10:00:00Z",
            },
        });
        let web = GithubProject { repository: "acme/web".into(), ..GithubProject::default() };
        report(body.to_string().as_bytes(), &[("WEB".to_owned(), web)].into())
    }

    #[test]
    fn a_delivery_tells_of_an_issue_with_our_line_only() {
        let text = "It fails.\r\n\r\n<!-- throughline-fx_01ab_2_1 -->\r\n";
        let found = read("edited", "Acme/Web", text).unwrap().unwrap();
        assert_eq!((found.effect, found.key.as_str()), ("fx_01ab_2_1".into(), "WEB-7"));
        assert_eq!(found.at, Timestamp::parse("2026-01-15T10:00:00Z").unwrap());
        let there = IssueView {
            title: "Log in".into(),
            state: Some(IssueState::Closed),
            assignee: Some("ana".into()),
        };
        assert_eq!(found.now, IssueNow::There { issue: there });
        let now = |action| read(action, "acme/web", text).unwrap().map(|found| found.now);
        assert_eq!(now("deleted"), Some(IssueNow::Gone));
        assert_eq!(now("transferred"), Some(IssueNow::Moved { to: "acme/ops#3".into() }));
        assert_eq!(now("opened"), None);
        for (repository, body) in [
            ("acme/ops", text),
            ("acme/web", "It fails."),
            ("acme/web", "Before <!-- throughline-fx_1 -->"),
            ("acme/web", "<!-- throughline- -->"),
        ] {
            assert_eq!(read("closed", repository, body), Ok(None), "{repository} {body}");
        }
    }

    #[test]
    fn what_is_no_delivery_is_said_to_be_none() {
        for body in ["", "[]", "<html>", "{}", r#"{"action": "closed", "issue": {}}"#] {
            assert!(report(body.as_bytes(), &BTreeMap::new()).is_err(), "{body}");
        }
    }
}
