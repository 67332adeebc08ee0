//! Comments and assignees.

use serde_json::json;

use super::FakeGithub;
use super::answer::{Answer, Outcome};
use super::body::{members, not_supplied, text, texts};
use super::issues::BODY;
use super::state::{Comment, Role, World};
use super::wire::Asked;

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

/// Assigns an issue to people, or takes it from them. People are left out silently if the account may not set them.
pub(super) fn assign(
    world: &mut World,
    asked: &Asked,
    (repository, number): (&str, &str),
    adds: bool,
    now: i64,
) -> Outcome {
    let at = world.place(asked, repository, number)?;
    let named = texts(members(&asked.body, &["assignees"])?, "assignees")?;
    let named = named.ok_or_else(|| not_supplied("assignees"))?;
    let known = if adds { world.assignees(repository, &named)? } else { named };
    if world.repository(repository).is_some_and(|one| one.allows(Role::Triage)) {
        let issue = &mut world.issues[at];
        issue.assignees.retain(|one| !known.iter().any(|login| login.eq_ignore_ascii_case(one)));
        issue.assignees.extend(known.into_iter().filter(|_| adds));
        issue.updated = now;
    }
    Ok(Answer::json(if adds { 201 } else { 200 }, world.shown_issue(&world.issues[at])))
}
