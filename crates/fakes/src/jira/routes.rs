//! The calls of the API.

use serde_json::Value;

use super::answer::{Answer, Outcome};
use super::edition::Edition;
use super::state::World;
use super::wire::Asked;
use super::{activity, issues, meta, search, webhooks};

/// Performs a call. `None` if there is no such path.
pub(super) fn call(world: &mut World, asked: &Asked, now: i64) -> Option<Outcome> {
    let parts: Vec<&str> = asked.parts.iter().map(String::as_str).collect();
    let (method, cloud) = (asked.method.as_str(), world.edition == Edition::Cloud);
    let answer = match (method, &parts[..]) {
        ("POST", ["issue"]) => issues::create(world, asked, now),
        ("POST", ["issue", "bulk"]) => issues::bulk(world, asked, now),
        ("GET", ["issue", "createmeta", project, "issuetypes"]) => meta::create_types(world, asked, project),
        ("GET", ["issue", "createmeta", project, "issuetypes", kind]) => {
            meta::create_fields(world, asked, project, kind)
        }
        ("GET", ["issue", key]) => issues::get(world, asked, key),
        ("PUT", ["issue", key]) => issues::edit(world, asked, key, now),
        ("DELETE", ["issue", key]) => issues::delete(world, asked, key, now),
        ("GET", ["issue", key, "editmeta"]) => meta::edit_meta(world, key),
        ("GET", ["issue", key, "comment"]) => activity::comments(world, asked, key),
        ("POST", ["issue", key, "comment"]) => activity::comment(world, asked, key, now),
        ("GET", ["issue", key, "transitions"]) => activity::transitions(world, key),
        ("POST", ["issue", key, "transitions"]) => activity::transition(world, asked, key, now),
        ("GET" | "PUT" | "DELETE", ["issue", key, "properties", name]) => {
            activity::property(world, asked, key, name)
        }
        ("GET", ["issue", key, "remotelink"]) => activity::remote_links(world, asked, key),
        ("POST", ["issue", key, "remotelink"]) => activity::remote_link(world, asked, key),
        ("POST", ["issueLink"]) => activity::link(world, asked, now),
        ("GET", ["issueLinkType"]) => activity::link_types(world),
        ("GET" | "POST", ["search", "jql"]) if cloud => search::search(world, asked, now),
        ("GET" | "POST", ["search"]) if cloud => Err(gone()),
        ("GET" | "POST", ["search"]) => search::search(world, asked, now),
        _ => return site(world, asked, method, &parts, now),
    };
    Some(answer)
}

fn site(world: &mut World, asked: &Asked, method: &str, parts: &[&str], now: i64) -> Option<Outcome> {
    let cloud = world.edition == Edition::Cloud;
    Some(match (method, parts) {
        ("GET", ["project", "search"]) if cloud => meta::projects(world, asked),
        ("GET", ["project"]) if !cloud => meta::all_projects(world),
        ("GET", ["project", key]) => meta::project(world, key),
        ("GET", ["mypermissions"]) => meta::my_permissions(world, asked),
        ("GET", ["field"]) => meta::fields(world),
        ("GET", ["priority"]) => Ok(Answer::ok(world.priorities())),
        ("GET", ["issuetype"]) => meta::types(world),
        ("GET", ["myself"]) => meta::myself(world),
        ("GET", ["serverInfo"]) => meta::server_info(world, now),
        ("GET", ["user", "search"]) => meta::users(world, asked),
        ("GET", ["user", "assignable", "search"]) => meta::assignable_users(world, asked),
        ("GET", ["webhook"]) if cloud => webhooks::list(world, asked),
        ("POST", ["webhook"]) if cloud => webhooks::register(world, asked, now),
        ("DELETE", ["webhook"]) if cloud => webhooks::remove(world, asked),
        _ => return None,
    })
}

fn gone() -> Answer {
    let why = "The requested API has been removed. Please migrate to the /rest/api/3/search/jql API. A full migration \
               guideline is available at https://developer.atlassian.com/changelog/#CHANGE-2046";
    Answer::refused(410, why)
}

/// Returns true if the answer to a call has the key of a created issue.
pub(super) fn has_key(answer: &Answer) -> bool {
    answer.status == 201
        && answer.body.as_ref().is_some_and(|body| body["key"].is_string() || body["issues"].is_array())
}

/// Returns the body without the keys of created issues.
pub(super) fn without_key(answer: Answer) -> Answer {
    if has_key(&answer) { Answer::json(201, Value::Object(serde_json::Map::new())) } else { answer }
}
