//! A call of a tool: the request that its arguments are, and the result that the answer is.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value};

use super::request::{ApiAnswer, ApiRequest};
use super::schema::{self, KEY, Operation, WAIT};
use super::tools::{Change, Form, Tool};
use crate::problem::{Pointed, Problem};

/// Seconds to wait for a turn if a call names none.
const DEFAULT_WAIT: u64 = 10;

/// Arguments of a call.
pub(super) type Arguments = Map<String, Value>;

/// Makes the request of a call.
pub(super) fn request(tool: &Tool, mut given: Arguments) -> Result<ApiRequest, Problem> {
    known(tool, &given)?;
    let operation = Operation::of(tool.operation).ok_or_else(|| Problem::not_found("tool"))?;
    let wait = wait(&mut given)?;
    let key = key(&mut given)?;
    let target = target(operation, &mut given)?;
    let mut request = ApiRequest { method: method(operation.method), target, ..ApiRequest::default() };
    if tool.change == Change::Reads {
        return Ok(request);
    }
    request = request.header("idempotency-key", key);
    if operation.waits() {
        request = request.header("prefer", format!("wait={}", wait.unwrap_or(DEFAULT_WAIT)));
    }
    request.body = Some(body(tool.form, given));
    Ok(request)
}

/// Takes the time to wait out of the arguments.
pub(super) fn wait(given: &mut Arguments) -> Result<Option<u64>, Problem> {
    match given.remove(WAIT) {
        None | Some(Value::Null) => Ok(None),
        Some(wait) => {
            wait.as_u64().map(Some).ok_or_else(|| wrong(WAIT, "a number of whole seconds, 0 or more"))
        }
    }
}

/// Takes the key out of the arguments. Without one the call is an act of its own: the ids of an MCP client's requests
/// begin anew with each of its runs, so they name nothing.
fn key(given: &mut Arguments) -> Result<String, Problem> {
    match given.remove(KEY) {
        None | Some(Value::Null) => Ok(format!("mcp-{}", crate::random::id()?)),
        Some(Value::String(key))
            if (1..=255).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic()) =>
        {
            Ok(key)
        }
        Some(_) => Err(wrong(KEY, "1 to 255 visible ASCII characters")),
    }
}

/// Checks that the tool has each of the arguments.
fn known(tool: &Tool, given: &Arguments) -> Result<(), Problem> {
    let Some(listed) = schema::tool(tool) else { return Ok(()) };
    let unknown = given.keys().filter(|name| !schema::has_argument(listed, name));
    let unknown: Vec<Pointed> =
        unknown.map(|name| pointed(name, &format!("{} has no such argument", tool.name))).collect();
    if unknown.is_empty() { Ok(()) } else { Err(Problem::schema(unknown)) }
}

/// Returns the path and the query, and takes what they hold out of the arguments.
fn target(operation: Operation, given: &mut Arguments) -> Result<String, Problem> {
    let mut path = operation.path.to_owned();
    for (name, _) in operation.parameters("path") {
        let value = given.remove(name).as_ref().and_then(Value::as_str).map(str::to_owned);
        let value =
            value.filter(|value| !value.is_empty()).ok_or_else(|| wrong(name, "needed: an id, as text"))?;
        path =
            path.replace(&format!("{{{name}}}"), &utf8_percent_encode(&value, NON_ALPHANUMERIC).to_string());
    }
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, _) in operation.parameters("query") {
        match given.remove(name) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => drop(query.append_pair(name, &text)),
            Some(other) => drop(query.append_pair(name, &other.to_string())),
        }
    }
    let query = query.finish();
    Ok(if query.is_empty() { path } else { format!("{path}?{query}") })
}

fn method(name: &str) -> &'static str {
    ["get", "post", "put", "delete"]
        .into_iter()
        .zip(["GET", "POST", "PUT", "DELETE"])
        .find_map(|(small, method)| (small == name).then_some(method))
        .unwrap_or("GET")
}

/// Returns the body of the request: the arguments, or the event that they describe.
fn body(form: Form, given: Arguments) -> Value {
    let Form::Event { kind, own, part, .. } = form else { return given.into() };
    let (mut event, mut about): (Arguments, Arguments) = given
        .into_iter()
        .partition(|(name, _)| part.is_none() || name == "lane" || own.contains(&name.as_str()));
    event.insert("kind".into(), kind.into());
    if let Some(part) = part {
        if let Some(kind) = part.kind {
            about.insert("kind".into(), kind.into());
        }
        event.insert(part.name.into(), about.into());
    }
    event.into()
}

/// Returns the result of a call: the operation's answer, or its problem in words and as data.
pub(super) fn result(tool: &Tool, answer: &ApiAnswer) -> CallToolResult {
    let mut body = answer.json();
    if answer.status.is_success() {
        return CallToolResult::structured(body);
    }
    if let Form::Event { part: Some(part), .. } = tool.form {
        unprefix(&mut body, &format!("/{}/", part.name));
    }
    let mut result = CallToolResult::error(vec![ContentBlock::text(problem_text(&body))]);
    result.structured_content = Some(body);
    result
}

/// Returns a problem as a result.
pub(super) fn refused(tool: &Tool, problem: Problem) -> CallToolResult {
    result(tool, &problem.into())
}

/// Returns a problem in words: what happened, where, and its code.
pub(super) fn problem_text(problem: &Value) -> String {
    let member = |name: &str| problem[name].as_str().unwrap_or_default();
    let mut text =
        format!("{}: {} ({} {})", member("title"), member("detail"), member("code"), member("name"));
    for error in problem["errors"].as_array().into_iter().flatten() {
        let place = error["pointer"].as_str().unwrap_or_default();
        text += &format!("\n{place}: {}", error["text"].as_str().unwrap_or_default());
    }
    text
}

/// Makes the places of a problem those of the arguments: the members of an event's part are arguments of their own.
fn unprefix(problem: &mut Value, prefix: &str) {
    if let Some(detail) = problem["detail"].as_str() {
        problem["detail"] = detail.replace(prefix, "/").into();
    }
    for error in problem["errors"].as_array_mut().into_iter().flatten() {
        if let Some(place) = error["pointer"].as_str().and_then(|place| place.strip_prefix(prefix)) {
            error["pointer"] = format!("/{place}").into();
        }
    }
}

fn pointed(name: &str, text: &str) -> Pointed {
    Pointed { pointer: format!("/{name}"), text: text.into() }
}

fn wrong(name: &str, text: &str) -> Problem {
    Problem::schema(vec![pointed(name, text)])
}
