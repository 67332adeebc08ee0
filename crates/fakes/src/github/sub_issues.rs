//! Sub-issues: a tree of issues of one owner, each list in the order that people gave it.

use serde_json::{Map, Value};

use super::answer::{Answer, Outcome};
use super::body::{members, not_supplied, wrong};
use super::state::{Issue, Role, World};
use super::wire::Asked;

/// The most issues under one.
const MOST: usize = 100;

impl World {
    /// Returns the issues under one, in their order.
    pub(super) fn under(&self, above: u64) -> Vec<&Issue> {
        let mut under: Vec<&Issue> = self.issues.iter().filter(|issue| issue.parent == Some(above)).collect();
        let place = |issue: &&Issue| self.order.iter().position(|id| *id == issue.id).unwrap_or(usize::MAX);
        under.sort_by_key(place);
        under
    }
}

/// Lists the issues under one.
pub(super) fn list(world: &World, asked: &Asked, repository: &str, number: &str) -> Outcome {
    let above = world.issues[world.place(asked, repository, number)?].id;
    let under = world.under(above).into_iter();
    asked.page(&world.site, under.map(|issue| world.shown_issue(issue)).collect())
}

/// Returns the issue above one.
pub(super) fn parent(world: &World, asked: &Asked, repository: &str, number: &str) -> Outcome {
    let issue = &world.issues[world.place(asked, repository, number)?];
    let above = issue.parent.and_then(|id| world.by_issue_id(id)).ok_or_else(Answer::not_found)?;
    Ok(Answer::ok(world.shown_issue(&world.issues[above])))
}

/// Puts an issue under another.
pub(super) fn add(world: &mut World, asked: &Asked, repository: &str, number: &str) -> Outcome {
    let above = world.place(asked, repository, number)?;
    let members = members(&asked.body, &["sub_issue_id", "replace_parent"])?;
    let id = id(members, "sub_issue_id")?.ok_or_else(|| not_supplied("sub_issue_id"))?;
    let replaces = match members.get("replace_parent") {
        None => false,
        Some(Value::Bool(replaces)) => *replaces,
        Some(other) => return Err(wrong("replace_parent", other, "a boolean")),
    };
    may_sort(world, repository)?;
    let owner = |name: &str| name.split('/').next().unwrap_or_default().to_lowercase();
    let under = world.by_issue_id(id).filter(|at| {
        let issue = &world.issues[*at];
        !issue.pull_request && owner(&issue.repository) == owner(repository)
    });
    let takes = world.repository(repository).is_some_and(|one| one.sub_issues);
    let under = under.filter(|_| takes).ok_or_else(Answer::not_found)?;
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
    if world.under(parent).len() >= MOST {
        return refused("Parent cannot have more than 100 sub-issues");
    }
    world.issues[under].parent = Some(parent);
    world.order.retain(|one| *one != id);
    world.order.push(id);
    Ok(Answer::json(201, world.shown_issue(&world.issues[above])))
}

/// Takes an issue from under another.
pub(super) fn remove(world: &mut World, asked: &Asked, repository: &str, number: &str) -> Outcome {
    let above = world.place(asked, repository, number)?;
    let members = members(&asked.body, &["sub_issue_id"])?;
    let id = id(members, "sub_issue_id")?.ok_or_else(|| not_supplied("sub_issue_id"))?;
    may_sort(world, repository)?;
    let parent = world.issues[above].id;
    let under = world.by_issue_id(id).filter(|at| world.issues[*at].parent == Some(parent));
    let under = under.ok_or_else(Answer::not_found)?;
    world.issues[under].parent = None;
    world.order.retain(|one| *one != id);
    Ok(Answer::ok(world.shown_issue(&world.issues[above])))
}

/// Moves an issue behind or before another one under the same issue.
pub(super) fn prioritise(world: &mut World, asked: &Asked, repository: &str, number: &str) -> Outcome {
    let above = world.place(asked, repository, number)?;
    let members = members(&asked.body, &["sub_issue_id", "after_id", "before_id"])?;
    let moved = id(members, "sub_issue_id")?.ok_or_else(|| not_supplied("sub_issue_id"))?;
    let (other, behind) = match (id(members, "after_id")?, id(members, "before_id")?) {
        (Some(after), None) => (after, true),
        (None, Some(before)) => (before, false),
        _ => return Err(Answer::bad_request("Specify either after_id or before_id.")),
    };
    may_sort(world, repository)?;
    let mut order: Vec<u64> = world.under(world.issues[above].id).iter().map(|issue| issue.id).collect();
    if moved == other || !order.contains(&moved) || !order.contains(&other) {
        return Err(Answer::not_found());
    }
    order.retain(|one| *one != moved);
    let at = order.iter().position(|one| *one == other).unwrap_or_default();
    order.insert(at + usize::from(behind), moved);
    world.order.retain(|one| !order.contains(one));
    world.order.extend(order);
    Ok(Answer::ok(world.shown_issue(&world.issues[above])))
}

fn id(members: &Map<String, Value>, name: &str) -> Result<Option<u64>, Answer> {
    let read = |value: &Value| value.as_u64().ok_or_else(|| wrong(name, value, "an integer"));
    members.get(name).map(read).transpose()
}

fn may_sort(world: &World, repository: &str) -> Result<(), Answer> {
    let sorts = world.repository(repository).is_some_and(|one| one.allows(Role::Triage));
    if sorts { Ok(()) } else { Err(Answer::refused(403, "Resource not accessible by personal access token")) }
}

fn refused(why: &str) -> Outcome {
    let message = format!("An error occurred while adding the sub-issue to the parent issue. {why}");
    Err(Answer::refused(422, &message))
}

/// Returns true if an issue is the one above, or above it.
fn circles(world: &World, above: u64, id: u64) -> bool {
    let up = |id: &u64| world.by_issue_id(*id).and_then(|at| world.issues[at].parent);
    std::iter::successors(Some(above), up).take(world.issues.len() + 1).any(|one| one == id)
}
