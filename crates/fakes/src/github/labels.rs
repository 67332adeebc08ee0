//! Labels: those of a repository, and those of an issue.

use serde_json::{Map, Value, json};

use super::answer::{Answer, Outcome};
use super::body::{members, not_supplied, text, texts};
use super::state::{Issue, Role, World};
use super::wire::Asked;

/// A change of the labels of an issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// More of them.
    Add,
    /// Others in their place.
    Set,
}

/// Lists the labels of a repository.
pub(super) fn of_repository(world: &World, asked: &Asked, repository: &str) -> Outcome {
    let names = world.repository(repository).map(|one| one.labels.clone()).unwrap_or_default();
    asked.page(&world.site, shown(world, repository, &names))
}

/// Adds a label to a repository.
pub(super) fn create(world: &mut World, asked: &Asked, repository: &str) -> Outcome {
    let members = members(&asked.body, &["name", "color", "description"])?;
    let name = text(members, "name")?.ok_or_else(|| not_supplied("name"))?;
    World::check_labels(std::slice::from_ref(&name))?;
    may_sort(world, repository)?;
    let known = world.repository_mut(repository).ok_or_else(Answer::not_found)?;
    if known.labels.iter().any(|one| one.eq_ignore_ascii_case(&name)) {
        let error = json!([{"resource": "Label", "code": "already_exists", "field": "name"}]);
        return Err(Answer::invalid(&error));
    }
    known.labels.push(name.clone());
    Ok(Answer::json(201, world.shown_label(repository, &name)))
}

/// Lists the labels of an issue.
pub(super) fn of_issue(world: &World, asked: &Asked, repository: &str, number: &str) -> Outcome {
    let issue = &world.issues[world.place(asked, repository, number)?];
    asked.page(&world.site, shown(world, repository, &issue.labels))
}

/// Adds labels to an issue, or sets them. New ones are added to the repository.
pub(super) fn change(
    world: &mut World,
    asked: &Asked,
    (repository, number): (&str, &str),
    change: Change,
    now: i64,
) -> Outcome {
    let at = world.place(asked, repository, number)?;
    let named = named(&asked.body)?;
    World::check_labels(&named)?;
    may_sort(world, repository)?;
    let mut labels = if change == Change::Add { world.issues[at].labels.clone() } else { Vec::new() };
    labels.extend(named);
    let labels = world.label(repository, labels);
    set(&mut world.issues[at], labels, now);
    Ok(Answer::ok(shown(world, repository, &world.issues[at].labels).into()))
}

/// Takes a label from an issue, or all of them.
pub(super) fn remove(
    world: &mut World,
    asked: &Asked,
    (repository, number): (&str, &str),
    name: Option<&str>,
    now: i64,
) -> Outcome {
    let at = world.place(asked, repository, number)?;
    may_sort(world, repository)?;
    let Some(name) = name else {
        set(&mut world.issues[at], Vec::new(), now);
        return Ok(Answer::empty(204));
    };
    let mut labels = world.issues[at].labels.clone();
    let count = labels.len();
    labels.retain(|one| !one.eq_ignore_ascii_case(name));
    if labels.len() == count {
        return Err(Answer::refused(404, "Label does not exist"));
    }
    set(&mut world.issues[at], labels, now);
    Ok(Answer::ok(shown(world, repository, &world.issues[at].labels).into()))
}

fn set(issue: &mut Issue, labels: Vec<String>, now: i64) {
    (issue.labels, issue.updated) = (labels, now);
}

/// Returns the labels that a body names: in a list, or by themselves.
fn named(body: &Value) -> Result<Vec<String>, Answer> {
    let whole = Map::from_iter([("labels".to_owned(), body.clone())]);
    let members = if body.is_array() { &whole } else { members(body, &["labels"])? };
    texts(members, "labels")?.ok_or_else(|| not_supplied("labels"))
}

fn may_sort(world: &World, repository: &str) -> Result<(), Answer> {
    let sorts = world.repository(repository).is_some_and(|one| one.allows(Role::Triage));
    if sorts { Ok(()) } else { Err(Answer::refused(403, "Must have admin rights to Repository.")) }
}

fn shown(world: &World, repository: &str, names: &[String]) -> Vec<Value> {
    names.iter().map(|name| world.shown_label(repository, name)).collect()
}
