//! The activity on issues: comments, transitions, links, properties.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::answer::{Answer, Outcome};
use super::issues::{changeable, check_property, properties};
use super::state::{Comment, Issue, World};
use super::wire::Asked;
use super::{FakeJira, values};

/// The status of new issues.
pub(super) const FIRST_STATUS: &str = "To Do";
/// The status of issues that are done.
pub(super) const LAST_STATUS: &str = "Done";
/// The statuses: id of the transition to it, name, and id, key, colour and name of its category.
const STATUSES: [(&str, &str, u32, &str, &str); 3] = [
    ("11", FIRST_STATUS, 2, "new", "blue-gray"),
    ("21", "In Progress", 4, "indeterminate", "yellow"),
    ("31", LAST_STATUS, 3, "done", "green"),
];
/// The types of links: id, name, inward and outward description.
const LINK_TYPES: [(&str, &str, &str, &str); 4] = [
    ("10000", "Blocks", "is blocked by", "blocks"),
    ("10001", "Cloners", "is cloned by", "clones"),
    ("10002", "Duplicate", "is duplicated by", "duplicates"),
    ("10003", "Relates", "relates to", "relates to"),
];

// ---- comments ----

pub(super) fn comments(world: &World, asked: &Asked, key: &str) -> Outcome {
    let issue = world.issue(key).ok_or_else(Answer::no_issue)?;
    let properties = asked.has("expand", "properties");
    Ok(Answer::ok(page_of_comments(world, issue, asked.page(100, 5_000)?, properties)))
}

pub(super) fn page_of_comments(
    world: &World,
    issue: &Issue,
    (start, most): (usize, usize),
    properties: bool,
) -> Value {
    let shown = issue.comments.iter().skip(start).take(most);
    let shown: Vec<_> = shown.map(|comment| world.show_comment(issue, comment, properties)).collect();
    json!({"startAt": start, "maxResults": most, "total": issue.comments.len(), "comments": shown})
}

fn read_comment(world: &World, body: &Value) -> Result<Value, Answer> {
    let document = world.edition.document(body).map_err(|why| Answer::wrong_field("comment", &why))?;
    if values::is_empty(&document) {
        return Err(Answer::wrong_field("comment", "Comment body can not be empty!"));
    }
    Ok(document)
}

fn may_comment(world: &World, key: &str) -> Result<String, Answer> {
    let issue = world.issue(key).ok_or_else(Answer::no_issue)?;
    if !world.project(&issue.project).is_some_and(|project| project.allows("ADD_COMMENTS")) {
        return Err(Answer::wrong_field(
            "comment",
            "You do not have the permission to comment on this issue.",
        ));
    }
    Ok(issue.key.clone())
}

pub(super) fn comment(world: &mut World, asked: &Asked, key: &str, now: i64) -> Outcome {
    let key = may_comment(world, key)?;
    let body = read_comment(world, &asked.body["body"])?;
    let properties = properties(&asked.body["properties"])?;
    add_comment(world, &key, body, properties, now);
    world.changed("jira:issue_updated", &key, Vec::new(), FakeJira::ACCOUNT, now);
    let issue = world.issue(&key).ok_or_else(Answer::no_issue)?;
    let shown = issue
        .comments
        .last()
        .map(|comment| world.show_comment(issue, comment, asked.has("expand", "properties")));
    Ok(Answer::json(201, shown.unwrap_or_default()))
}

pub(super) fn add_comment(
    world: &mut World,
    key: &str,
    body: Value,
    properties: BTreeMap<String, Value>,
    now: i64,
) {
    let id = world.next_id().to_string();
    let text = world.edition.text(&body);
    if let Some(issue) = world.find_mut(key) {
        let author = FakeJira::ACCOUNT.into();
        issue.comments.push(Comment { id, text, body, properties, author, created: now });
        issue.updated = now;
    }
}

/// Returns the comment that `update` adds, if there is one.
pub(super) fn comment_in_update(world: &World, key: &str, update: &Value) -> Result<Option<Value>, Answer> {
    let body = &update["comment"][0]["add"]["body"];
    if body.is_null() {
        return Ok(None);
    }
    may_comment(world, key)?;
    read_comment(world, body).map(Some)
}

// ---- transitions ----

pub(super) fn status(world: &World, name: &str) -> Value {
    let found = STATUSES.iter().position(|one| one.1 == name).unwrap_or_default();
    let (_, name, category, key, colour) = STATUSES[found];
    let id = 10_000 + found;
    let category_name = if key == "indeterminate" { "In Progress" } else { name };
    json!({"self": world.link(&format!("status/{id}")), "description": "", "id": id.to_string(), "name": name,
        "iconUrl": format!("{}/images/status.png", world.site),
        "statusCategory": {"self": world.link(&format!("statuscategory/{category}")), "id": category, "key": key,
            "colorName": colour, "name": category_name}})
}

pub(super) fn transitions(world: &World, key: &str) -> Outcome {
    let issue = world.issue(key).ok_or_else(Answer::no_issue)?;
    let transitions = transitions_of(world, issue);
    Ok(Answer::ok(json!({"expand": "transitions", "transitions": transitions})))
}

/// Returns the transitions that the service account can use.
pub(super) fn transitions_of(world: &World, issue: &Issue) -> Value {
    if !world.project(&issue.project).is_some_and(|project| project.allows("TRANSITION_ISSUES")) {
        return json!([]);
    }
    let one = |(id, name, ..): &(&str, &str, u32, &str, &str)| {
        json!({"id": id, "name": name, "to": status(world, name), "hasScreen": false, "isGlobal": true,
            "isInitial": false, "isAvailable": true, "isConditional": false, "looped": false})
    };
    STATUSES.iter().map(one).collect()
}

pub(super) fn transition(world: &mut World, asked: &Asked, key: &str, now: i64) -> Outcome {
    let issue = world.issue(key).ok_or_else(Answer::no_issue)?;
    let (key, before) = (issue.key.clone(), issue.status.clone());
    let id = asked.body["transition"]["id"].as_str();
    let id = id.ok_or_else(|| Answer::refused(400, "Missing 'transition' identifier"))?;
    let allowed =
        transitions_of(world, issue).as_array().is_some_and(|all| all.iter().any(|one| one["id"] == id));
    let to = STATUSES.iter().find(|one| one.0 == id && allowed).map(|one| one.1);
    let to = to
        .ok_or_else(|| Answer::refused(400, &format!("Transition id '{id}' is not valid for this issue.")))?;
    let fields = asked.body["fields"].as_object().into_iter().flatten().next();
    if let Some((name, _)) = fields {
        let why = format!("Field '{name}' cannot be set. It is not on the appropriate screen, or unknown.");
        return Err(Answer::wrong_field(name, &why));
    }
    let comment = comment_in_update(world, &key, &asked.body["update"])?;
    if let Some(issue) = world.find_mut(&key) {
        (issue.status, issue.closed, issue.updated) = (to.into(), to == LAST_STATUS, now);
    }
    if let Some(body) = comment {
        add_comment(world, &key, body, BTreeMap::new(), now);
    }
    let items = status_item(&before, to).into_iter().collect();
    world.changed("jira:issue_updated", &key, items, FakeJira::ACCOUNT, now);
    Ok(Answer::empty(204))
}

/// Returns the item of a changelog for a status, if it changed.
pub(super) fn status_item(before: &str, after: &str) -> Option<Value> {
    let item = json!({"field": "status", "fieldId": "status", "fieldtype": "jira", "from": null,
        "fromString": before, "to": null, "toString": after});
    (before != after).then_some(item)
}

// ---- links ----

fn show_link_type(world: &World, (id, name, inward, outward): &(&str, &str, &str, &str)) -> Value {
    let link = world.link(&format!("issueLinkType/{id}"));
    json!({"id": id, "name": name, "inward": inward, "outward": outward, "self": link})
}

pub(super) fn link_types(world: &World) -> Outcome {
    let all: Vec<_> = LINK_TYPES.iter().map(|kind| show_link_type(world, kind)).collect();
    Ok(Answer::ok(json!({"issueLinkTypes": all})))
}

pub(super) fn link(world: &mut World, asked: &Asked, now: i64) -> Outcome {
    let body = &asked.body;
    let wanted = &body["type"];
    let kind =
        LINK_TYPES.iter().find(|(id, name, ..)| match (wanted["id"].as_str(), wanted["name"].as_str()) {
            (Some(wanted), _) => *id == wanted,
            (None, Some(wanted)) => name.eq_ignore_ascii_case(wanted),
            (None, None) => false,
        });
    let named = wanted["name"].as_str().or_else(|| wanted["id"].as_str()).unwrap_or_default();
    let kind =
        kind.ok_or_else(|| Answer::refused(404, &format!("No issue link type with name '{named}' found.")))?;
    let inward = link_end(world, &body["inwardIssue"])?;
    let outward = link_end(world, &body["outwardIssue"])?;
    if inward == outward {
        return Err(Answer::refused(400, "You cannot link an issue to itself."));
    }
    let comment = &body["comment"]["body"];
    let comment = if comment.is_null() { None } else { Some(read_comment(world, comment)?) };
    // The inward issue is the source: it blocks the outward one.
    if let Some(issue) = world.find_mut(&inward) {
        let link = (kind.1.to_owned(), outward.clone());
        if !issue.links.contains(&link) {
            issue.links.push(link);
        }
        issue.updated = now;
    }
    if let Some(body) = comment {
        add_comment(world, &outward, body, BTreeMap::new(), now);
    }
    for key in [&inward, &outward] {
        world.changed("jira:issue_updated", key, Vec::new(), FakeJira::ACCOUNT, now);
    }
    Ok(Answer::empty(201))
}

fn link_end(world: &World, named: &Value) -> Result<String, Answer> {
    let key = named["key"].as_str().or_else(|| named["id"].as_str()).ok_or_else(Answer::bad_payload)?;
    let issue = world.issue(key).ok_or_else(Answer::no_issue)?;
    if !world
        .project(&issue.project)
        .is_some_and(|project| project.allows("LINK_ISSUES") && !project.archived)
    {
        return Err(Answer::refused(404, &format!("No Link Issue Permission for issue '{}'", issue.key)));
    }
    Ok(issue.key.clone())
}

/// Returns the links of an issue, in both directions.
pub(super) fn shown_links(world: &World, issue: &Issue) -> Value {
    let mut all = Vec::new();
    for source in &world.issues {
        for (number, (name, other)) in source.links.iter().enumerate() {
            let Some(target) = world.find(other) else { continue };
            let (side, shown) = match (source.key == issue.key, target.key == issue.key) {
                (true, _) => ("outwardIssue", target),
                (_, true) => ("inwardIssue", source),
                _ => continue,
            };
            let kind = LINK_TYPES.iter().find(|kind| kind.1 == name).map(|kind| show_link_type(world, kind));
            let id = format!("{}{number:02}", source.id);
            let link = world.link(&format!("issueLink/{id}"));
            all.push(json!({"id": id, "self": link, "type": kind, side: world.show_short(shown)}));
        }
    }
    json!(all)
}

// ---- properties ----

pub(super) fn property(world: &mut World, asked: &Asked, issue: &str, key: &str) -> Outcome {
    let found = world.issue(issue).ok_or_else(Answer::no_issue)?;
    let present = found.properties.contains_key(key);
    let missing = || Answer::refused(404, &format!("The property {key} does not exist."));
    if asked.method == "GET" {
        let value = found.properties.get(key).ok_or_else(missing)?;
        return Ok(Answer::ok(json!({"key": key, "value": value})));
    }
    changeable(world, issue, "EDIT_ISSUES")?;
    if asked.method == "PUT" {
        if asked.body.is_null() {
            return Err(Answer::bad_payload());
        }
        check_property(key, &asked.body)?;
    } else if !present {
        return Err(missing());
    }
    let Some(found) = world.find_mut(issue) else { return Err(Answer::no_issue()) };
    if asked.method == "DELETE" {
        found.properties.remove(key);
        return Ok(Answer::empty(204));
    }
    found.properties.insert(key.into(), asked.body.clone());
    Ok(Answer::json(if present { 200 } else { 201 }, json!({})))
}

// ---- links to other systems ----

pub(super) fn remote_links(world: &World, asked: &Asked, key: &str) -> Outcome {
    let issue = world.issue(key).ok_or_else(Answer::no_issue)?;
    let Some(id) = asked.query("globalId") else { return Ok(Answer::ok(json!(issue.remote_links))) };
    let found = issue.remote_links.iter().find(|link| link["globalId"] == id);
    found.cloned().map(Answer::ok).ok_or_else(|| Answer::refused(404, "The remote link does not exist."))
}

pub(super) fn remote_link(world: &mut World, asked: &Asked, key: &str) -> Outcome {
    let body = &asked.body;
    for name in ["title", "url"] {
        if body["object"][name].as_str().is_none_or(str::is_empty) {
            return Err(Answer::wrong_field(name, &format!("'{name}' is required.")));
        }
    }
    let (issue, _) = changeable(world, key, "LINK_ISSUES")?;
    let (issue_key, global) = (issue.key.clone(), body["globalId"].clone());
    let known = issue.remote_links.iter().position(|link| !global.is_null() && link["globalId"] == global);
    let known_id = known.map(|at| issue.remote_links[at]["id"].clone());
    let id = known_id.unwrap_or_else(|| json!(world.next_id()));
    let own = world.link(&format!("issue/{issue_key}/remotelink/{id}"));
    let mut kept = body.clone();
    (kept["id"], kept["self"]) = (id.clone(), json!(own));
    let Some(issue) = world.find_mut(&issue_key) else { return Err(Answer::no_issue()) };
    match known {
        Some(at) => issue.remote_links[at] = kept,
        None => issue.remote_links.push(kept),
    }
    Ok(Answer::json(if known.is_some() { 200 } else { 201 }, json!({"id": id, "self": own})))
}
