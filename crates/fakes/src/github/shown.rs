//! Things of the site as the API shows them.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::state::{Comment, Issue, Repository, Role, World};
use crate::time::written;

impl World {
    pub(super) fn user(&self, login: &str) -> Value {
        let id = 100 + self.people.iter().position(|one| one == login).unwrap_or_default();
        json!({
            "login": login, "id": id, "type": "User", "site_admin": false,
            "url": format!("{}/users/{login}", self.site), "html_url": format!("{}/{login}", self.site),
        })
    }

    pub(super) fn shown_repository(&self, repository: &Repository) -> Value {
        let name = &repository.name;
        let (owner, short) = name.split_once('/').unwrap_or_default();
        json!({
            "id": self.repository_id(name), "name": short, "full_name": name, "private": true,
            "owner": {"login": owner, "type": "Organization"},
            "url": format!("{}/repos/{name}", self.site), "html_url": format!("{}/{name}", self.site),
            "has_issues": repository.has_issues, "archived": repository.archived, "disabled": false,
            "permissions": {
                "admin": repository.allows(Role::Admin), "maintain": repository.allows(Role::Admin),
                "push": repository.allows(Role::Write), "triage": repository.allows(Role::Triage),
                "pull": repository.allows(Role::Read),
            },
        })
    }

    pub(super) fn shown_label(&self, repository: &str, name: &str) -> Value {
        let known = self.repository(repository).map(|one| one.labels.as_slice()).unwrap_or_default();
        let place = known.iter().position(|one| one == name).unwrap_or_default();
        let segment = utf8_percent_encode(name, NON_ALPHANUMERIC);
        json!({
            "id": self.repository_id(repository) * 1_000 + place, "name": name, "color": "ededed", "default": false,
            "description": null, "url": format!("{}/repos/{repository}/labels/{segment}", self.site),
        })
    }

    pub(super) fn shown_issue(&self, issue: &Issue) -> Value {
        let Issue { repository, number, .. } = issue;
        let kind = if issue.pull_request { "pull" } else { "issues" };
        let url = format!("{}/repos/{repository}/issues/{number}", self.site);
        let html_url = format!("{}/{repository}/{kind}/{number}", self.site);
        let assignees: Vec<Value> = issue.assignees.iter().map(|login| self.user(login)).collect();
        let mut shown = json!({
            "id": issue.id, "number": number, "title": issue.title, "locked": issue.locked,
            "body": if issue.body.is_empty() { Value::Null } else { json!(issue.body) },
            "state": if issue.closed { "closed" } else { "open" }, "state_reason": issue.state_reason,
            "labels": issue.labels.iter().map(|name| self.shown_label(repository, name)).collect::<Vec<_>>(),
            "labels_url": format!("{url}/labels{{/name}}"), "events_url": format!("{url}/events"),
            "assignee": assignees.first(), "assignees": assignees, "user": self.user(&issue.author),
            "comments": issue.comments.len(), "comments_url": format!("{url}/comments"), "url": url,
            "repository_url": format!("{}/repos/{repository}", self.site), "html_url": html_url,
            "created_at": written(issue.created), "updated_at": written(issue.updated),
            "closed_at": issue.closed_at.map(written), "milestone": null,
        });
        if issue.pull_request {
            shown["pull_request"] = json!({"html_url": html_url});
        } else {
            shown["sub_issues_summary"] = self.summary(issue);
            shown["parent_issue_url"] = json!(self.parent_url(issue));
        }
        shown
    }

    /// The number of issues under one, and of those that are closed.
    fn summary(&self, issue: &Issue) -> Value {
        let under = self.under(issue.id);
        let completed = under.iter().filter(|one| one.closed).count();
        let percent = (completed * 100).checked_div(under.len()).unwrap_or_default();
        json!({"total": under.len(), "completed": completed, "percent_completed": percent})
    }

    fn parent_url(&self, issue: &Issue) -> Option<String> {
        let above = &self.issues[self.by_issue_id(issue.parent?)?];
        Some(format!("{}/repos/{}/issues/{}", self.site, above.repository, above.number))
    }

    pub(super) fn shown_comment(&self, issue: &Issue, comment: &Comment) -> Value {
        let (repository, number, id) = (&issue.repository, issue.number, comment.id);
        json!({
            "id": id, "body": comment.body, "user": self.user(&comment.author),
            "url": format!("{}/repos/{repository}/issues/comments/{id}", self.site),
            "html_url": format!("{}/{repository}/issues/{number}#issuecomment-{id}", self.site),
            "created_at": written(comment.created), "updated_at": written(comment.created),
        })
    }
}
