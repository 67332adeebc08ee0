//! Parses `given`.

use std::collections::BTreeMap;

use throughline_engine::Timestamp;
use throughline_engine::data::message::MessageKind;
use throughline_language::Expected;

use super::ParseError;
use super::fact;
use super::host;
use super::node::{Fields, Node};
use super::option;
use super::work;
use crate::driver::TrackerWorld;
use crate::duration;
use crate::model::{Fault, Given, GivenMessage, GivenPending, GivenWorker, MAIN, Pause, User, When};

type Read<T> = Result<T, ParseError>;

/// All kinds of pending questions; a kind this version does not have fails when the scenario runs.
const PENDINGS: [&str; 11] = [
    "slot_request",
    "clarification_needed",
    "tool_retry_offer",
    "delegation_offer",
    "waiting_story_edit",
    "waiting_decision_edit",
    "waiting_approval",
    "waiting_scope_choice",
    "waiting_quantity_confirm",
    "waiting_size_confirm",
    "waiting_uncertain_effect",
];

/// All faults of one request to the tracker.
pub(super) const FAULTS: [&str; 12] = [
    "ok",
    "parent_ignored",
    "requires",
    "refused",
    "rejected",
    "lost_request",
    "lost_reply",
    "late_apply",
    "429",
    "5xx",
    "5xx_after_apply",
    "slow",
];

pub(super) fn given(node: &Node<'_>) -> Read<Given> {
    let mut given = Given::default();
    let mut fields = node.map()?;
    if let Some(node) = fields.opt("channel") {
        let channels = ["slack", "telegram", "web"];
        let read = |word: &str| channels.contains(&word).then(|| word.to_string());
        given.channel = node.one_of("a channel", read, &channels)?;
    }
    if let Some(node) = fields.opt("clock") {
        given.clock = moment(&node)?;
    }
    if let Some(node) = fields.opt("users").filter(|node| !node.is_empty()) {
        for (name, node) in node.map()?.rest() {
            given.users.insert(name, user(&node)?);
        }
    }
    let lanes = fields.opt("lanes").filter(|node| !node.is_empty());
    for (name, node) in lanes.map(|node| node.map()).transpose()?.map(Fields::rest).unwrap_or_default() {
        let messages = lane(&node, &given.users)?;
        given.lanes.insert(name, messages);
    }
    given.pending = list(fields.opt("pending"), pending)?;
    given.tasks = list(fields.opt("tasks"), work::task)?;
    given.tools = workers(fields.opt("tools"), true)?;
    given.agents = workers(fields.opt("agents"), false)?;
    let policy = fields.opt("policy").filter(|node| !node.is_empty());
    for (name, node) in policy.map(|node| node.map()).transpose()?.map(Fields::rest).unwrap_or_default() {
        given.policy.push((name, node.json()?));
    }
    if let Some(node) = fields.opt("tracker").filter(|node| !node.is_empty()) {
        given.tracker = tracker(&node)?;
    }
    for node in fields.opt("posts").map(|node| node.one_or_more()).transpose()?.unwrap_or_default() {
        given.posts.push(how(&node)?);
    }
    if let Some(node) = fields.opt("model") {
        given.model = node.one_of("`off` or `script`", on_off, &["off", "script"])?;
    }
    if let Some(node) = fields.opt("paused") {
        given.paused = Some(pause(&node)?);
    }
    given.sets = list(fields.opt("sets"), option::given_set)?;
    given.host = host::does(fields.opt("host"))?;
    given.facts = list(fields.opt("facts"), fact::given)?;
    fields.finish()?;
    Ok(given)
}

fn workers(node: Option<Node<'_>>, tools: bool) -> Read<BTreeMap<String, GivenWorker>> {
    let Some(node) = node.filter(|node| !node.is_empty()) else { return Ok(BTreeMap::new()) };
    node.map()?.rest().into_iter().map(|(name, node)| Ok((name, work::worker(&node, tools)?))).collect()
}

fn on_off(word: &str) -> Option<bool> {
    match word {
        // YAML 1.1 reads a bare `off` as false.
        "off" | "false" => Some(false),
        "script" => Some(true),
        _ => None,
    }
}

fn list<T>(node: Option<Node<'_>>, read: impl Fn(&Node<'_>) -> Read<T>) -> Read<Vec<T>> {
    let Some(node) = node.filter(|node| !node.is_empty()) else { return Ok(Vec::new()) };
    node.list()?.iter().map(read).collect()
}

fn user(node: &Node<'_>) -> Read<User> {
    let mut user = User::default();
    if node.is_empty() {
        return Ok(user);
    }
    let mut fields = node.map()?;
    for node in fields.opt("may").map(|node| node.one_or_more()).transpose()?.unwrap_or_default() {
        let read = |word: &str| (word == "approve").then_some(true);
        user.approves = node.one_of("something a user may", read, &["approve"])?;
    }
    for node in fields.opt("roles").map(|node| node.one_or_more()).transpose()?.unwrap_or_default() {
        user.roles.push(node.text()?);
    }
    user.barred = fields.opt_text("barred")?;
    user.zone = fields.opt_text("zone")?;
    user.language = fields.opt_text("language")?;
    user.bot = fields.opt("bot").map(|node| node.flag()).transpose()?.unwrap_or(false);
    fields.finish()?;
    Ok(user)
}

fn lane(node: &Node<'_>, users: &BTreeMap<String, User>) -> Read<Vec<GivenMessage>> {
    if node.is_empty() {
        return Ok(Vec::new());
    }
    let mut fields = node.map()?;
    let messages = fields.opt("messages").filter(|node| !node.is_empty());
    fields.finish()?;
    let mut read = Vec::new();
    for node in messages.map(|node| node.list()).transpose()?.unwrap_or_default() {
        read.push(message(&node, users)?);
    }
    Ok(read)
}

fn message(node: &Node<'_>, users: &BTreeMap<String, User>) -> Read<GivenMessage> {
    let mut fields = node.map()?;
    let kind = fields.opt("kind").map(|node| message_kind(&node)).transpose()?;
    let (name, task) = (fields.opt_text("as")?, fields.opt_text("task")?);
    let assistant = fields.opt_text("assistant")?;
    let mut rest = fields.rest();
    let (by, text) = match (assistant, rest.len()) {
        (Some(text), 0) => (None, text),
        (None, 1) => {
            let (by, node) = rest.remove(0);
            (Some(known(&node, by, users)?), node.text()?)
        }
        _ => {
            return Err(node.fail(
                "a message is `assistant: text` or `USER: text`, with `kind`, `task`, `as` if need be",
            ));
        }
    };
    Ok(GivenMessage { by, text, kind: kind.unwrap_or(MessageKind::Answer), name, task })
}

/// Accepts a name if it was introduced in `users`, or if nobody was.
pub(super) fn known(node: &Node<'_>, name: String, users: &BTreeMap<String, User>) -> Read<String> {
    if users.is_empty() || users.contains_key(&name) {
        return Ok(name);
    }
    let all: Vec<&str> = users.keys().map(String::as_str).collect();
    Err(node.fail(format!("nobody is called `{name}`{}", super::node::suggest(&name, &all))))
}

pub(super) fn message_kind(node: &Node<'_>) -> Read<MessageKind> {
    let read = |word: &str| {
        Some(match word {
            "answer" => MessageKind::Answer,
            "question" => MessageKind::Question,
            "card" => MessageKind::Card,
            "notification" => MessageKind::Notification,
            _ => return None,
        })
    };
    node.one_of("a kind of message", read, &["answer", "question", "card", "notification"])
}

pub(super) fn expected(node: &Node<'_>) -> Read<Expected> {
    node.text()?.parse().map_err(|error| node.fail(format!("{error}")))
}

fn pending(node: &Node<'_>) -> Read<GivenPending> {
    let mut fields = node.map()?;
    let kind = fields.need("kind")?;
    let read = |word: &str| PENDINGS.contains(&word).then(|| word.to_string());
    let kind = kind.one_of("a kind of pending", read, &PENDINGS)?;
    let read = GivenPending {
        kind,
        expected: fields.opt("expected").map(|node| expected(&node)).transpose()?,
        lane: fields.opt_text("lane")?.unwrap_or_else(|| MAIN.into()),
        anchor: fields.opt_text("anchor")?,
        task: fields.opt_text("task")?,
        asked_of: fields.opt_text("asked_of")?,
        expires: fields.opt("expires").map(|node| when(&node)).transpose()?,
        with: fields.opt_text("with")?,
    };
    fields.finish()?;
    Ok(read)
}

fn tracker(node: &Node<'_>) -> Read<TrackerWorld> {
    let mut tracker = TrackerWorld::default();
    let mut fields = node.map()?;
    if let Some(project) = fields.opt_text("project")? {
        tracker.project = project;
    }
    tracker.required = texts(fields.opt("required"))?;
    tracker.types = texts(fields.opt("types"))?;
    tracker.values = lists(fields.opt("values"))?;
    tracker.may = lists(fields.opt("may"))?;
    tracker.child_link = fields.opt_text("child_link")?;
    tracker.lag = fields.opt("lag").map(|node| span(&node)).transpose()?.unwrap_or(0);
    for node in fields.opt("fail").map(|node| node.one_or_more()).transpose()?.unwrap_or_default() {
        tracker.fail.push(fault(&node)?);
    }
    if let Some(node) = fields.opt("idempotent") {
        tracker.idempotent = node.flag()?;
    }
    fields.finish()?;
    Ok(tracker)
}

fn how(node: &Node<'_>) -> Read<String> {
    let read = |word: &str| FAULTS.contains(&word).then(|| word.to_string());
    node.one_of("a way for a request to fail", read, &FAULTS)
}

pub(super) fn texts(node: Option<Node<'_>>) -> Read<Vec<String>> {
    let nodes = node.map(|node| node.one_or_more()).transpose()?.unwrap_or_default();
    nodes.iter().map(Node::text).collect()
}

/// Parses `{ labels: [sso, web] }`.
fn lists(node: Option<Node<'_>>) -> Read<BTreeMap<String, Vec<String>>> {
    let Some(node) = node.filter(|node| !node.is_empty()) else { return Ok(BTreeMap::new()) };
    node.map()?.rest().into_iter().map(|(name, node)| Ok((name, texts(Some(node))?))).collect()
}

/// Parses `lost_reply`, which is about the next create, or `{ check: refused }` with an optional `item`, `after` and
/// `field`.
fn fault(node: &Node<'_>) -> Read<Fault> {
    if !node.is_map() {
        return Ok(Fault::next("create", &how(node)?));
    }
    let mut fields = node.map()?;
    let mut found = Vec::new();
    for on in ["create", "check", "find", "update", "seek"] {
        let how = fields.opt(on).map(|node| how(&node)).transpose()?;
        found.extend(how.map(|how| Fault::next(on, &how)));
    }
    let (item, field) = (fields.opt_text("item")?, fields.opt_text("field")?);
    let after = fields.opt("after").map(|node| span(&node)).transpose()?;
    fields.finish()?;
    match found.len() {
        1 => Ok(Fault { item, after, field, ..found.remove(0) }),
        _ => Err(node.fail(
            "an entry of `fail` is a word, or one of `create`, `check`, `find`, `update`, `seek` with a word",
        )),
    }
}

pub(super) fn pause(node: &Node<'_>) -> Read<Pause> {
    let mut fields = node.map()?;
    let by = fields.opt_text("by")?.unwrap_or_else(|| "root".into());
    let everything = fields.opt("everything").map(|node| node.flag()).transpose()?.unwrap_or(false);
    fields.finish()?;
    Ok(Pause { by, everything })
}

fn moment(node: &Node<'_>) -> Read<Timestamp> {
    let text = node.text()?;
    Timestamp::parse(&text)
        .ok_or_else(|| node.fail(format!("`{text}` is no moment like 2026-01-15T10:00:00Z")))
}

pub(super) fn span(node: &Node<'_>) -> Read<throughline_engine::Millis> {
    let text = node.text()?;
    duration::parse(&text)
        .ok_or_else(|| node.fail(format!("`{text}` is no length of time like 15m or 2h1ms")))
}

pub(super) fn when(node: &Node<'_>) -> Read<When> {
    let text = node.text()?;
    match (duration::parse(&text), Timestamp::parse(&text)) {
        (Some(span), _) => Ok(When::In(span)),
        (None, Some(at)) => Ok(When::At(at)),
        (None, None) => Err(node
            .fail(format!("`{text}` is neither a moment like 2026-01-15T10:00:00Z nor a length like 15m"))),
    }
}
