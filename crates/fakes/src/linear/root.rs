//! The fields of queries: things by their ids, and lists of them with their filters and pages.

use serde_json::{Value, json};

use super::answer::Error;
use super::filter;
use super::nodes::{Node, Out};
use super::state::{STATES, World};

/// The results of a page, if the call does not say.
const PAGE: u64 = 50;
/// The most results of a page.
const LONGEST_PAGE: u64 = 250;

fn text(arguments: &Value, name: &str) -> Result<String, Error> {
    let given = arguments[name].as_str().map(str::to_owned);
    given.ok_or_else(|| Error::invalid(&format!("Argument \"{name}\" of type \"String!\" is required.")))
}

/// Returns a field of queries.
pub(super) fn root(world: &World, name: &str, arguments: &Value) -> Result<Out, Error> {
    let all = |count: usize, node: fn(usize) -> Node| (0..count).map(node).collect::<Vec<_>>();
    let visible = |at: &usize| world.teams[*at].visible;
    match name {
        "viewer" => Ok(Out::Node(Node::User(0))),
        "issue" => {
            let found = world.issue_at(&text(arguments, "id")?).filter(|at| visible(&world.issues[*at].team));
            found.map(|at| Out::Node(Node::Issue(at))).ok_or_else(|| Error::not_found("Issue"))
        }
        "team" => {
            let found = world.team_at(&text(arguments, "id")?).filter(visible);
            found.map(|at| Out::Node(Node::Team(at))).ok_or_else(|| Error::not_found("Team"))
        }
        "user" => {
            let found = world.person_at(&text(arguments, "id")?);
            found.map(|at| Out::Node(Node::User(at))).ok_or_else(|| Error::not_found("User"))
        }
        "workflowState" => {
            let id = text(arguments, "id")?;
            let all = (0..world.teams.len()).flat_map(|team| (0..STATES.len()).map(move |at| (team, at)));
            let found = all.into_iter().find(|(team, at)| World::state_id(*team, *at) == id);
            found
                .map(|(team, at)| Out::Node(Node::State(team, at)))
                .ok_or_else(|| Error::not_found("WorkflowState"))
        }
        "comment" => {
            let id = text(arguments, "id")?;
            let found = (0..world.comments.len()).find(|at| world.comments[*at].id == id);
            found.map(|at| Out::Node(Node::Comment(at))).ok_or_else(|| Error::not_found("Comment"))
        }
        "issues" => {
            let seen = (0..world.issues.len()).rev().filter(|at| visible(&world.issues[*at].team));
            connection(world, "IssueConnection", seen.map(Node::Issue).collect(), arguments)
        }
        "teams" => {
            let seen = (0..world.teams.len()).filter(visible).map(Node::Team).collect();
            connection(world, "TeamConnection", seen, arguments)
        }
        "users" => {
            let off = arguments["includeDisabled"] == true;
            let seen = (0..world.people.len()).filter(|at| off || world.people[*at].active);
            connection(world, "UserConnection", seen.map(Node::User).collect(), arguments)
        }
        "issueLabels" => {
            connection(world, "IssueLabelConnection", all(world.labels.len(), Node::Label), arguments)
        }
        "comments" => {
            connection(world, "CommentConnection", all(world.comments.len(), Node::Comment), arguments)
        }
        "workflowStates" => {
            let teams = (0..world.teams.len()).filter(visible);
            let states = teams.flat_map(|team| (0..STATES.len()).map(move |at| Node::State(team, at)));
            connection(world, "WorkflowStateConnection", states.collect(), arguments)
        }
        _ => Err(Error::invalid(&format!("Cannot query field \"{name}\" on type \"Query\"."))),
    }
}

/// Returns the page of a list that is asked for.
pub(super) fn connection(
    world: &World,
    kind: &'static str,
    all: Vec<Node>,
    arguments: &Value,
) -> Result<Out, Error> {
    let known = [
        "after",
        "before",
        "filter",
        "first",
        "includeArchived",
        "includeDisabled",
        "last",
        "orderBy",
        "sort",
    ];
    let members = arguments.as_object().into_iter().flat_map(|members| members.keys());
    if let Some(other) = members.into_iter().find(|name| !known.contains(&name.as_str())) {
        return Err(Error::invalid(&format!("Unknown argument \"{other}\".")));
    }
    if ["before", "last", "sort"].iter().any(|name| !arguments[*name].is_null()) {
        return Err(Error::argument("The fake goes forward only."));
    }
    let first = match &arguments["first"] {
        Value::Null => PAGE,
        given => given
            .as_u64()
            .filter(|first| (1..=LONGEST_PAGE).contains(first))
            .ok_or_else(|| Error::argument(&format!("first must not be greater than {LONGEST_PAGE}.")))?,
    };
    let mut fitting = Vec::new();
    for node in all {
        let shown = arguments["includeArchived"] == true || !node.is_archived(world);
        if shown && filter::matches(world, &node, &arguments["filter"])? {
            fitting.push(node);
        }
    }
    let start = match arguments["after"].as_str() {
        None => 0,
        Some(cursor) => {
            let at = fitting.iter().position(|node| node.id(world) == cursor);
            at.ok_or_else(|| Error::argument("after must be a cursor of this list."))? + 1
        }
    };
    let rest = fitting.get(start..).unwrap_or_default();
    let first = usize::try_from(first).unwrap_or(usize::MAX);
    let page: Vec<Node> = rest.iter().take(first).cloned().collect();
    let cursor = |node: Option<&Node>| node.map(|node| node.id(world));
    let info = json!({
        "startCursor": cursor(page.first()), "endCursor": cursor(page.last()),
        "hasPreviousPage": start > 0, "hasNextPage": rest.len() > first,
    });
    Ok(Out::Node(Node::Connection(kind, page, info)))
}
