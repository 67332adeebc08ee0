//! Comments, sub-issues and assignees.

use serde_json::{Value, json};

use super::FakeGithub;
use super::answer::{Answer, Outcome};
use super::body::{members, not_supplied, text, wrong};
use super::issues::BODY;
use super::state::{Comment, Role, World};
use super::wire::Asked;

/// The most issues under one.
const SUB_ISSUES: usize = 100;

/// Lists the comments on an issue, oldest first.
pub(super) fn comments(world: &World, asked: &Asked, repository: &str, number: &str) -> Outcome {
    let issue = &world.issues[world.place(asked, repository, number)?];
    let shown = issue.comments.iter().map(|comment| world.shown_comment(issue, comment)).collect();
    asked.page(&world.site, shown)
}

/// Comments on an issue.
pub(super) fn comment(world: &mut World, asked: &Asked, repository: &str, number: &str, now: i64) -> Outcome {
    let at = world.place(asked, repository, number)?;
    let body = text(members(&asked.body, &["body"])?, "body")?.ok_or_else(|| not_supplied("body"))?;
    if body.trim().is_empty() {
        let error = json!([{"resource": "IssueComment", "code": "missing_field", "field": "body"}]);
        return Err(Answer::invalid(&error));
    }
    if body.chars().count() > BODY {
        return Err(Answer::too_long("IssueComment", "body", BODY));
    }
    if world.issues[at].locked && !world.repository(repository).is_some_and(|one| one.allows(Role::Write)) {
        return Err(Answer::refused(403, "Unable to create comment because issue is locked."));
    }
    let comment = Comment { id: world.next_id(), body, author: FakeGithub::LOGIN.into(), created: now };
    let shown = world.shown_comment(&world.issues[at], &comment);
    world.issues[at].comments.push(comment);
    world.issues[at].updated = now;
    Ok(Answer::json(201, shown))
}

/// Lists the issues under one.
pub(super) fn sub_issues(world: &World, asked: &Asked, repository: &str, number: &str) -> Outcome {
    let above = world.issues[world.place(asked, repository, number)?].id;
    let under = world.issues.iter().filter(|issue| issue.parent == Some(above));
    asked.page(&world.site, under.map(|issue| world.shown_issue(issue)).collect())
}

/// Returns the issue above one.
pub(super) fn parent(world: &World, asked: &Asked, repository: &str, number: &str) -> Outcome {
    let issue = &world.issues[world.place(asked, repository, number)?];
    let above = issue.parent.and_then(|id| world.by_issue_id(id)).ok_or_else(Answer::not_found)?;
    Ok(Answer::ok(world.shown_issue(&world.issues[above])))
}

/// Puts an issue under another.
pub(super) fn add_sub_issue(world: &mut World, asked: &Asked, repository: &str, number: &str) -> Outcome {
    let above = world.place(asked, repository, number)?;
    let members = members(&asked.body, &["sub_issue_id", "replace_parent"])?;
    let id = match members.get("sub_issue_id") {
        None => return Err(not_supplied("sub_issue_id")),
        Some(value) => value.as_u64().ok_or_else(|| wrong("sub_issue_id", value, "an integer"))?,
    };
    let replaces = match members.get("replace_parent") {
        None => false,
        Some(Value::Bool(replaces)) => *replaces,
        Some(other) => return Err(wrong("replace_parent", other, "a boolean")),
    };
    let known = world.repository(repository);
    if !known.is_some_and(|one| one.allows(Role::Triage)) {
        return Err(Answer::refused(403, "Resource not accessible by personal access token"));
    }
    let owner = |name: &str| name.split('/').next().unwrap_or_default().to_lowercase();
    let under = world.by_issue_id(id).filter(|at| {
        let issue = &world.issues[*at];
        !issue.pull_request && owner(&issue.repository) == owner(repository)
    });
    let under = under.filter(|_| known.is_some_and(|one| one.sub_issues)).ok_or_else(Answer::not_found)?;
    let refused = |why: &str| {
        Err(Answer::refused(
            422,
            &format!("An error occurred while adding the sub-issue to the parent issue. {why}"),
        ))
    };
    let parent = world.issues[above].id;
    if world.issues[under].parent == Some(parent) {
        return refused("Issue may not contain duplicate sub-issues");
    }
    if world.issues[under].parent.is_some() && !replaces {
        return refused("Sub issue may only have one parent");
    }
    if circles(world, parent, id) {
        return refused("Sub issue may not be an ancestor of its parent");
    }
    if world.issues.iter().filter(|issue| issue.parent == Some(parent)).count() >= SUB_ISSUES {
        return refused("Parent cannot have more than 100 sub-issues");
    }
    world.issues[under].parent = Some(parent);
    Ok(Answer::json(201, world.shown_issue(&world.issues[above])))
}

/// Returns true if an issue is the one above, or above it.
fn circles(world: &World, above: u64, id: u64) -> bool {
    let up = |id: &u64| world.by_issue_id(*id).and_then(|at| world.issues[at].parent);
    std::iter::successors(Some(above), up).take(world.issues.len() + 1).any(|one| one == id)
}

/// Lists the people to whom issues can be assigned.
pub(super) fn assignees(world: &World, asked: &Asked, repository: &str) -> Outcome {
    let known = world.repository(repository).map(|one| world.assignable(one)).unwrap_or_default();
    asked.page(&world.site, known.into_iter().map(|login| world.user(login)).collect())
}

/// Tells if issues can be assigned to a person.
pub(super) fn assignee(world: &World, repository: &str, login: &str) -> Outcome {
    let known = world.repository(repository).map(|one| world.assignable(one)).unwrap_or_default();
    let found = known.iter().any(|one| one.eq_ignore_ascii_case(login));
    if found { Ok(Answer::empty(204)) } else { Err(Answer::not_found()) }
}
