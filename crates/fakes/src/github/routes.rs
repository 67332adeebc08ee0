//! The calls of the API.

use serde_json::json;

use super::FakeGithub;
use super::answer::{Answer, Outcome};
use super::labels::Change;
use super::state::{Role, World};
use super::wire::Asked;
use super::{activity, issues, labels, search, sub_issues};

/// Performs a call.
pub(super) fn call(world: &mut World, asked: &Asked, now: i64) -> Outcome {
    let parts: Vec<&str> = asked.parts.iter().map(String::as_str).collect();
    match (asked.method.as_str(), &parts[..]) {
        ("GET", ["user"]) => Ok(Answer::ok(world.user(FakeGithub::LOGIN))),
        ("GET", ["rate_limit"]) => Ok(Answer::ok(json!({"resources": {}}))),
        ("GET", ["search", "issues"]) => search::issues(world, asked),
        (_, ["repos", owner, name, rest @ ..]) => {
            let repository = current(world, asked, &format!("{owner}/{name}"), rest)?;
            of_repository(world, asked, &repository, rest, now)
        }
        (_, ["repositories", id, rest @ ..]) => {
            let repository = world.by_id(id).map(|one| one.name.clone()).ok_or_else(Answer::not_found)?;
            of_repository(world, asked, &repository, rest, now)
        }
        _ => Err(Answer::not_found()),
    }
}

/// Returns the name of a repository, or where it has gone.
fn current(world: &World, asked: &Asked, name: &str, rest: &[&str]) -> Result<String, Answer> {
    if let Some(found) = world.repository(name) {
        return Ok(found.name.clone());
    }
    let now = world.renamed.iter().rev().find(|(before, _)| before.eq_ignore_ascii_case(name));
    let Some((_, now)) = now else { return Err(Answer::not_found()) };
    let rest: String = rest.iter().map(|part| format!("/{part}")).collect();
    let to = format!("{}/repositories/{}{rest}", world.site, world.repository_id(now));
    Err(Answer::moved(asked.method == "GET", to))
}

fn of_repository(world: &mut World, asked: &Asked, repository: &str, rest: &[&str], now: i64) -> Outcome {
    let method = asked.method.as_str();
    let known = world.repository(repository).ok_or_else(Answer::not_found)?;
    if !known.allows(Role::Read) {
        return Err(Answer::not_found());
    }
    if !known.has_issues && rest.first() == Some(&"issues") {
        return Err(Answer::refused(410, "Issues has been disabled in this repository."));
    }
    if known.archived && method != "GET" {
        return Err(Answer::refused(403, "Repository was archived so is read-only."));
    }
    match (method, rest) {
        ("GET", []) => Ok(Answer::ok(world.shown_repository(known))),
        ("GET", ["labels"]) => labels::of_repository(world, asked, repository),
        ("POST", ["labels"]) => labels::create(world, asked, repository),
        ("GET", ["assignees"]) => activity::assignees(world, asked, repository),
        ("GET", ["assignees", login]) => activity::assignee(world, repository, login),
        ("GET", ["issues"]) => issues::list(world, asked, repository),
        ("POST", ["issues"]) => issues::create(world, asked, repository, now),
        ("GET", ["issues", number]) => issues::get(world, asked, repository, number),
        ("PATCH", ["issues", number]) => issues::edit(world, asked, repository, number, now),
        (_, ["issues", number, rest @ ..]) => of_issue(world, asked, (repository, number), rest, now),
        _ => Err(Answer::not_found()),
    }
}

/// Performs a call about something of an issue.
fn of_issue(
    world: &mut World,
    asked: &Asked,
    (repository, number): (&str, &str),
    rest: &[&str],
    now: i64,
) -> Outcome {
    let issue = (repository, number);
    match (asked.method.as_str(), rest) {
        ("GET", ["comments"]) => activity::comments(world, asked, repository, number),
        ("POST", ["comments"]) => activity::comment(world, asked, repository, number, now),
        ("GET", ["labels"]) => labels::of_issue(world, asked, repository, number),
        ("POST", ["labels"]) => labels::change(world, asked, issue, Change::Add, now),
        ("PUT", ["labels"]) => labels::change(world, asked, issue, Change::Set, now),
        ("DELETE", ["labels"]) => labels::remove(world, asked, issue, None, now),
        ("DELETE", ["labels", name]) => labels::remove(world, asked, issue, Some(*name), now),
        ("POST", ["assignees"]) => activity::assign(world, asked, issue, true, now),
        ("DELETE", ["assignees"]) => activity::assign(world, asked, issue, false, now),
        ("GET", ["sub_issues"]) => sub_issues::list(world, asked, repository, number),
        ("POST", ["sub_issues"]) => sub_issues::add(world, asked, repository, number),
        ("DELETE", ["sub_issue"]) => sub_issues::remove(world, asked, repository, number),
        ("PATCH", ["sub_issues", "priority"]) => sub_issues::prioritise(world, asked, repository, number),
        ("GET", ["parent"]) => sub_issues::parent(world, asked, repository, number),
        _ => Err(Answer::not_found()),
    }
}
