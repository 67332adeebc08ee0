//! Mutations: creating and changing issues, comments and links.

use serde_json::{Map, Value};

use super::answer::Error;
use super::nodes::Node;
use super::state::{Comment, OPENED, Relation, STATES, Stored, World};

/// The longest title, in characters.
const TITLE: usize = 512;
/// The members of an issue that is created or changed.
const ISSUE: [&str; 9] =
    ["title", "description", "priority", "labelIds", "assigneeId", "parentId", "stateId", "id", "teamId"];

/// Performs a mutation; returns its result.
pub(super) fn call(world: &mut World, name: &str, arguments: &Value, now: i64) -> Result<Node, Error> {
    let payload = |kind: &'static str, field: &'static str, node: Node| {
        Node::Payload(kind, field, Some(Box::new(node)))
    };
    match name {
        "issueCreate" => {
            let at = create_issue(world, input(arguments)?, now)?;
            Ok(payload("IssuePayload", "issue", Node::Issue(at)))
        }
        "issueUpdate" => {
            let at = live_issue(world, arguments["id"].as_str())?;
            update_issue(world, at, input(arguments)?, now)?;
            Ok(payload("IssuePayload", "issue", Node::Issue(at)))
        }
        "commentCreate" => {
            let at = create_comment(world, input(arguments)?, now)?;
            Ok(payload("CommentPayload", "comment", Node::Comment(at)))
        }
        "issueRelationCreate" => {
            let at = create_relation(world, input(arguments)?, now)?;
            Ok(payload("IssueRelationPayload", "issueRelation", Node::Relation(at)))
        }
        _ => Err(Error::invalid(&format!("Cannot query field \"{name}\" on type \"Mutation\"."))),
    }
}

fn input(arguments: &Value) -> Result<&Map<String, Value>, Error> {
    arguments["input"].as_object().ok_or_else(|| Error::invalid("Argument \"input\" is required."))
}

/// Refuses members that are not known.
fn known(input: &Map<String, Value>, names: &[&str]) -> Result<(), Error> {
    match input.keys().find(|name| !names.contains(&name.as_str())) {
        Some(other) => {
            Err(Error::invalid(&format!("Field \"{other}\" is not defined by the type of input.")))
        }
        None => Ok(()),
    }
}

/// Returns a text, if there is one.
fn text<'a>(input: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, Error> {
    match input.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(Error::invalid(&format!("String cannot represent the value of \"{name}\"."))),
    }
}

/// Returns the id for a new thing: the given one, if it is a UUID of version 4.
fn new_id(
    world: &mut World,
    input: &Map<String, Value>,
    used: impl Fn(&World, &str) -> bool,
    entity: &str,
) -> Result<String, Error> {
    let Some(id) = text(input, "id")? else { return Ok(world.next_id()) };
    let shaped = id.len() == 36
        && id.char_indices().all(|(at, c)| match at {
            8 | 13 | 18 | 23 => c == '-',
            14 => c == '4',
            19 => matches!(c, '8' | '9' | 'a' | 'b'),
            _ => c.is_ascii_hexdigit(),
        });
    if !shaped {
        return Err(Error::argument("id must be a UUID."));
    }
    if used(world, id) { Err(Error::conflict(entity, id)) } else { Ok(id.to_owned()) }
}

/// Returns an issue that can be written to: not one that is archived or in the trash.
fn live_issue(world: &World, id: Option<&str>) -> Result<usize, Error> {
    let found = id.and_then(|id| world.issue_at(id));
    let found = found.filter(|at| world.teams[world.issues[*at].team].visible);
    let live = |at: &usize| !world.issues[*at].archived && !world.issues[*at].trashed;
    found.filter(live).ok_or_else(|| Error::not_found("Issue"))
}

fn create_issue(world: &mut World, input: &Map<String, Value>, now: i64) -> Result<usize, Error> {
    known(input, &ISSUE)?;
    let team = text(input, "teamId")?
        .ok_or_else(|| Error::invalid("Field \"teamId\" of required type \"String!\" was not provided."))?;
    let team =
        world.team_at(team).filter(|at| world.teams[*at].visible).ok_or_else(|| Error::not_found("Team"))?;
    let closed = world.teams[team].archived || world.teams[team].retired;
    if closed {
        return Err(Error::input("Team is retired", "This team is retired and takes no issues."));
    }
    if text(input, "title")?.is_none_or(|title| title.trim().is_empty()) {
        return Err(Error::argument("title should not be empty"));
    }
    let used = |world: &World, id: &str| world.issues.iter().any(|one| one.id == id);
    let id = new_id(world, input, used, "Issue")?;
    let mut issue = Stored { id, team, state: OPENED, created: now, updated: now, ..Stored::default() };
    issue.number = world.next_number(team);
    fill(world, &mut issue, input)?;
    world.issues.push(issue);
    Ok(world.issues.len() - 1)
}

fn update_issue(world: &mut World, at: usize, input: &Map<String, Value>, now: i64) -> Result<(), Error> {
    known(input, &ISSUE[..7])?;
    let mut issue = world.issues[at].clone();
    fill(world, &mut issue, input)?;
    let up = |at: &usize| world.issues[*at].parent;
    if std::iter::successors(issue.parent, up).take(world.issues.len() + 1).any(|above| above == at) {
        let why = "An issue cannot be under itself.";
        return Err(Error::input("parentId would create a circle", why));
    }
    issue.updated = now;
    world.issues[at] = issue;
    Ok(())
}

/// Sets what an input names.
fn fill(world: &World, issue: &mut Stored, input: &Map<String, Value>) -> Result<(), Error> {
    if let Some(title) = text(input, "title")? {
        if title.chars().count() > TITLE {
            return Err(Error::argument(&format!(
                "title must be shorter than or equal to {TITLE} characters"
            )));
        }
        issue.title = title.trim().to_owned();
    }
    if let Some(description) = text(input, "description")? {
        issue.description = description.to_owned();
    }
    if let Some(priority) = input.get("priority").filter(|priority| !priority.is_null()) {
        issue.priority = priority
            .as_u64()
            .filter(|one| *one <= 4)
            .ok_or_else(|| Error::argument("priority must not be greater than 4"))?;
    }
    if let Some(labels) = input.get("labelIds").filter(|labels| !labels.is_null()) {
        issue.labels = labels_of(world, issue.team, labels)?;
    }
    if let Some(person) = text(input, "assigneeId")? {
        let found = world.person_at(person).filter(|at| world.people[*at].active);
        let found = found.ok_or_else(|| Error::not_found("User"))?;
        if !world.people[found].assignable {
            return Err(Error::input("assigneeId not assignable", "This user cannot be assigned to issues."));
        }
        issue.assignee = Some(found);
    }
    if let Some(parent) = text(input, "parentId")? {
        issue.parent = Some(live_issue(world, Some(parent))?);
    }
    if let Some(state) = text(input, "stateId")? {
        let found = (0..STATES.len()).find(|at| World::state_id(issue.team, *at) == state);
        let wrong = || Error::input("stateId not in team", "Discrepancy between issue state and team.");
        issue.state = found.ok_or_else(wrong)?;
    }
    Ok(())
}

fn labels_of(world: &World, team: usize, ids: &Value) -> Result<Vec<usize>, Error> {
    let ids = ids.as_array().ok_or_else(|| Error::invalid("labelIds must be a list."))?;
    let mut found: Vec<usize> = Vec::new();
    for id in ids {
        let at =
            id.as_str().and_then(|id| world.label_at(id)).ok_or_else(|| Error::not_found("IssueLabel"))?;
        let label = &world.labels[at];
        if label.team.as_ref().is_some_and(|key| *key != world.teams[team].key) {
            return Err(Error::input("labelIds not in team", "The label belongs to another team."));
        }
        if label.group {
            return Err(Error::input(
                "labelIds are groups",
                "A group of labels cannot be applied to an issue.",
            ));
        }
        let rival =
            found.iter().find(|one| label.parent.is_some() && world.labels[**one].parent == label.parent);
        if let Some(rival) = rival {
            let why = format!(
                "The label '{}' is in the same group as '{}'. Only one label in a group can be applied.",
                label.name, world.labels[*rival].name
            );
            return Err(Error::input("labelIds not exclusive child labels", &why));
        }
        found.push(at);
    }
    Ok(found)
}

fn create_comment(world: &mut World, input: &Map<String, Value>, now: i64) -> Result<usize, Error> {
    known(input, &["id", "issueId", "body"])?;
    let issue = live_issue(world, text(input, "issueId")?)?;
    let body = text(input, "body")?.filter(|body| !body.trim().is_empty());
    let body = body.ok_or_else(|| Error::argument("body should not be empty"))?.to_owned();
    let used = |world: &World, id: &str| world.comments.iter().any(|one| one.id == id);
    let id = new_id(world, input, used, "Comment")?;
    world.comments.push(Comment { id, issue, body, created: now });
    Ok(world.comments.len() - 1)
}

fn create_relation(world: &mut World, input: &Map<String, Value>, now: i64) -> Result<usize, Error> {
    known(input, &["id", "issueId", "relatedIssueId", "type"])?;
    let issue = live_issue(world, text(input, "issueId")?)?;
    let related = live_issue(world, text(input, "relatedIssueId")?)?;
    let kind =
        text(input, "type")?.filter(|kind| ["blocks", "duplicate", "related", "similar"].contains(kind));
    let kind = kind
        .ok_or_else(|| Error::invalid("Value of \"type\" does not exist in \"IssueRelationType\" enum."))?
        .to_owned();
    if issue == related {
        return Err(Error::input("relatedIssueId is the issue", "An issue cannot be related to itself."));
    }
    let used = |world: &World, id: &str| world.relations.iter().any(|one| one.id == id);
    let id = new_id(world, input, used, "IssueRelation")?;
    world.relations.push(Relation { id, kind, issue, related, created: now });
    Ok(world.relations.len() - 1)
}
