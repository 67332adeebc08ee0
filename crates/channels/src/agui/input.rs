//! `RunAgentInput`: what is read of it, and what is only noticed. History, state and tools come from a browser, so they
//! decide nothing.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::api::{ActorRequest, Checker, Problem};

/// Key of `forwardedProps` that lets a text through although interrupts are open.
const PARALLEL: &str = "throughline.parallel";
/// Key of `forwardedProps` with the person who acts.
const ACTOR: &str = "throughline.actor";
/// Largest number of answers in one input.
const MAX_ANSWERS: usize = 100;

/// Names of a run, as its client gives them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunIds {
    /// Thread: the conversation.
    pub thread: String,
    /// Run.
    pub run: String,
    /// Run that it continues.
    pub parent: Option<String>,
}

/// Input of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunInput {
    /// Newest message of the user, if there is any.
    pub message: Option<UserMessage>,
    /// Ids of the messages and calls that the client shows already.
    pub shown: BTreeSet<String>,
    /// Answers to interrupts, in order.
    pub resume: Vec<ResumeEntry>,
    /// True if a text goes through although interrupts are open.
    pub parallel: bool,
    /// Person who acts; the token's own if absent.
    pub actor: Option<ActorRequest>,
    /// Members that hold something nobody reads: `messages`, `state`, `tools`, `context`.
    pub unread: Vec<&'static str>,
}

/// Message of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserMessage {
    /// The client's id.
    pub id: String,
    /// Text of all its text parts.
    pub text: String,
    /// Number of parts that are no text.
    pub media: usize,
}

/// Answer to one interrupt.
#[derive(Clone, Debug, PartialEq)]
pub struct ResumeEntry {
    /// Id of the interrupt.
    pub interrupt: String,
    /// The answer.
    pub answer: Answer,
}

/// Answer to an interrupt.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// It was answered with this payload, `null` if there is none.
    Resolved(Value),
    /// It was left.
    Cancelled,
}

impl Answer {
    /// Returns its status, as the protocol names it.
    #[must_use]
    pub fn status(&self) -> &'static str {
        match self {
            Self::Resolved(_) => "resolved",
            Self::Cancelled => "cancelled",
        }
    }

    /// Returns the payload; that of one that was left says nothing.
    #[must_use]
    pub fn payload(&self) -> &Value {
        match self {
            Self::Resolved(payload) => payload,
            Self::Cancelled => &Value::Null,
        }
    }
}

impl RunIds {
    /// Reads the names of a run.
    ///
    /// # Errors
    ///
    /// Every problem, each with its JSON pointer. Without names there is no run to speak of.
    pub fn of(body: &Value) -> Result<Self, Vec<Problem>> {
        let mut check = Checker::default();
        if !body.is_object() {
            return Err(vec![Problem::new("", "the input of a run is a JSON object")]);
        }
        let thread = id(&mut check, "/threadId", body.get("threadId"));
        let run = id(&mut check, "/runId", body.get("runId"));
        let parent = body.get("parentRunId").filter(|parent| !parent.is_null());
        let parent = parent.map(|parent| id(&mut check, "/parentRunId", Some(parent)));
        if check.problems.is_empty() { Ok(Self { thread, run, parent }) } else { Err(check.problems) }
    }
}

impl RunInput {
    /// Reads the input of a run.
    ///
    /// # Errors
    ///
    /// Every problem, each with its JSON pointer.
    pub fn of(body: &Value) -> Result<Self, Vec<Problem>> {
        let mut check = Checker::default();
        let messages = list(&mut check, "/messages", body.get("messages"));
        let newest = messages.iter().rposition(|message| message["role"] == "user");
        let mut of_message = Checker::default();
        let message = newest.and_then(|at| user_message(&mut of_message, at, &messages[at]));
        let resume = list(&mut check, "/resume", body.get("resume").or(Some(&Value::Null)));
        if resume.len() > MAX_ANSWERS {
            check.wrong("/resume", format!("one input has at most {MAX_ANSWERS} answers"));
        }
        let entry = |(at, entry)| resume_entry(&mut check, at, entry);
        let resume: Vec<_> = resume.iter().take(MAX_ANSWERS).enumerate().filter_map(entry).collect();
        once(&mut check, &resume);
        // A message that was refused stays the newest until another one: it does not keep an answer back.
        if resume.is_empty() {
            check.problems.append(&mut of_message.problems);
        }
        let (parallel, actor) = forwarded(&mut check, body.get("forwardedProps"));
        let unread = unread(body, messages.len() - usize::from(newest.is_some()));
        let shown = shown(messages);
        let input = Self { message, shown, resume, parallel, actor, unread };
        if check.problems.is_empty() { Ok(input) } else { Err(check.problems) }
    }
}

fn id(check: &mut Checker, pointer: &str, value: Option<&Value>) -> String {
    match value {
        Some(Value::String(id)) => {
            check.id(pointer, id);
            id.clone()
        }
        Some(_) => {
            check.wrong(pointer, "an id is a text");
            String::new()
        }
        None => {
            check.wrong(pointer, "the input of a run has it");
            String::new()
        }
    }
}

/// Returns a list; an absent one is a problem, and one that is `null` is empty.
fn list<'v>(check: &mut Checker, pointer: &str, value: Option<&'v Value>) -> &'v [Value] {
    match value {
        Some(Value::Array(items)) => items,
        Some(Value::Null) => &[],
        Some(_) => {
            check.wrong(pointer, "a list belongs here");
            &[]
        }
        None => {
            check.wrong(pointer, "the input of a run has it, be it empty");
            &[]
        }
    }
}

fn user_message(check: &mut Checker, at: usize, message: &Value) -> Option<UserMessage> {
    let before = check.problems.len();
    let id = id(check, &format!("/messages/{at}/id"), message.get("id"));
    let pointer = format!("/messages/{at}/content");
    let (text, media) = match message.get("content") {
        Some(Value::String(text)) => (text.clone(), 0),
        Some(Value::Array(parts)) => {
            let texts: Vec<&str> = parts.iter().filter_map(text_of).collect();
            (texts.join("\n"), parts.len() - texts.len())
        }
        _ => {
            check.wrong(&pointer, "the content of a user's message is a text or a list of parts");
            return None;
        }
    };
    check.words(&pointer, &text);
    (check.problems.len() == before).then_some(UserMessage { id, text, media })
}

fn text_of(part: &Value) -> Option<&str> {
    if part["type"] == "text" { part["text"].as_str() } else { None }
}

fn resume_entry(check: &mut Checker, at: usize, entry: &Value) -> Option<ResumeEntry> {
    let before = check.problems.len();
    let place = |member: &str| format!("/resume/{at}/{member}");
    if !entry.is_object() {
        check.wrong(&format!("/resume/{at}"), "an answer is an object");
        return None;
    }
    let interrupt = id(check, &place("interruptId"), entry.get("interruptId"));
    let answer = match entry.get("status").and_then(Value::as_str) {
        Some("resolved") => Answer::Resolved(entry.get("payload").cloned().unwrap_or_default()),
        Some("cancelled") => Answer::Cancelled,
        _ => {
            check.wrong(&place("status"), "the status of an answer is resolved or cancelled");
            return None;
        }
    };
    (check.problems.len() == before).then_some(ResumeEntry { interrupt, answer })
}

/// Checks that no interrupt is answered twice: which answer should count?
fn once(check: &mut Checker, resume: &[ResumeEntry]) {
    let mut seen = BTreeSet::new();
    for (at, entry) in resume.iter().enumerate() {
        if !seen.insert(entry.interrupt.as_str()) {
            check.wrong(&format!("/resume/{at}/interruptId"), "this interrupt is answered twice");
        }
    }
}

fn forwarded(check: &mut Checker, props: Option<&Value>) -> (bool, Option<ActorRequest>) {
    let Some(Value::Object(props)) = props else { return (false, None) };
    let place = |name: &str| format!("/forwardedProps/{name}");
    let parallel = match props.get(PARALLEL) {
        None | Some(Value::Null) => false,
        Some(Value::Bool(parallel)) => *parallel,
        Some(_) => {
            check.wrong(&place(PARALLEL), "it is true or false");
            false
        }
    };
    let actor = match props.get(ACTOR) {
        None | Some(Value::Null) => None,
        Some(Value::String(id)) => Some(ActorRequest { id: Some(id.clone()), name: None }),
        Some(Value::Object(actor)) => {
            let text = |name: &str| actor.get(name).and_then(Value::as_str).map(str::to_owned);
            Some(ActorRequest { id: text("id"), name: text("name") })
        }
        Some(_) => {
            check.wrong(&place(ACTOR), "it is the id of a person, or an object with id and name");
            None
        }
    };
    if actor.as_ref().is_some_and(|actor| actor.id.is_none()) {
        check.wrong(&place(ACTOR), "the person who acts has an id");
    }
    (parallel, actor)
}

fn unread(body: &Value, history: usize) -> Vec<&'static str> {
    let filled = |name: &str| match body.get(name) {
        None | Some(Value::Null) => false,
        Some(Value::Array(items)) => !items.is_empty(),
        Some(Value::Object(members)) => !members.is_empty(),
        Some(_) => true,
    };
    let history = (history > 0).then_some("messages");
    history.into_iter().chain(["state", "tools", "context"].into_iter().filter(|name| filled(name))).collect()
}

/// Returns the ids of messages and calls. What is shown there already is not said again.
fn shown(messages: &[Value]) -> BTreeSet<String> {
    let members = messages.iter().filter_map(Value::as_object);
    let calls = |message: &Map<String, Value>| {
        let calls = message.get("toolCalls").and_then(Value::as_array).cloned().unwrap_or_default();
        calls.into_iter().filter_map(|call| call["id"].as_str().map(str::to_owned))
    };
    let own = |message: &Map<String, Value>| message.get("id").and_then(Value::as_str).map(str::to_owned);
    members.flat_map(|message| own(message).into_iter().chain(calls(message))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn input(more: Value) -> Value {
        let mut body = json!({"threadId": "t1", "runId": "r1", "messages": []});
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        body
    }

    fn refused(body: &Value) -> Vec<String> {
        let problems = match RunIds::of(body) {
            Err(problems) => problems,
            Ok(_) => RunInput::of(body).unwrap_err(),
        };
        problems.into_iter().map(|problem| problem.pointer).collect()
    }

    #[test]
    fn only_the_newest_message_of_the_user_counts() {
        let body = input(json!({"messages": [
            {"id": "u1", "role": "user", "content": "old"},
            {"id": "a1", "role": "assistant", "toolCalls": [{"id": "ap_1"}]},
            {"id": "u2", "role": "user", "content": [
                {"type": "text", "text": "two"}, {"type": "image", "source": {}}, {"type": "text", "text": "parts"}]},
            {"id": "t1", "role": "tool", "content": "done", "toolCallId": "ap_1"},
        ], "tools": [{"name": "delete_all"}], "state": {}}));
        let read = RunInput::of(&body).unwrap();
        assert_eq!(read.message, Some(UserMessage { id: "u2".into(), text: "two\nparts".into(), media: 1 }));
        assert_eq!(read.shown, ["a1", "ap_1", "t1", "u1", "u2"].map(String::from).into());
        assert_eq!(read.unread, ["messages", "tools"]);
    }

    #[test]
    fn what_is_absent_is_absent() {
        let read = RunInput::of(&input(json!({"resume": null, "forwardedProps": null}))).unwrap();
        assert_eq!((read.message, read.resume.len(), read.parallel, read.actor), (None, 0, false, None));
        assert!(read.unread.is_empty());
    }

    #[test]
    fn every_fault_is_named_with_its_place() {
        for (body, places) in [
            (json!([]), vec![""]),
            (json!({}), vec!["/threadId", "/runId"]),
            (json!({"threadId": 1, "runId": ""}), vec!["/threadId", "/runId"]),
            (json!({"threadId": "t", "runId": "r"}), vec!["/messages"]),
            (input(json!({"messages": {}})), vec!["/messages"]),
            (input(json!({"messages": [{"role": "user"}]})), vec!["/messages/0/id", "/messages/0/content"]),
            (
                input(json!({"messages": [{"role": "user", "id": "a b", "content": "x"}]})),
                vec!["/messages/0/id"],
            ),
            (
                input(json!({"messages": [{"role": "user", "id": "u", "content": []}]})),
                vec!["/messages/0/content"],
            ),
            (input(json!({"resume": {}})), vec!["/resume"]),
            (input(json!({"resume": [1]})), vec!["/resume/0"]),
            (input(json!({"resume": [{}]})), vec!["/resume/0/interruptId", "/resume/0/status"]),
            (input(json!({"resume": [{"interruptId": "a", "status": "done"}]})), vec!["/resume/0/status"]),
            (
                input(json!({"resume": [{"interruptId": "a", "status": "cancelled"},
                    {"interruptId": "a", "status": "resolved", "payload": {}}]})),
                vec!["/resume/1/interruptId"],
            ),
            (
                input(json!({"forwardedProps": {"throughline.parallel": "yes", "throughline.actor": {}}})),
                vec!["/forwardedProps/throughline.parallel", "/forwardedProps/throughline.actor"],
            ),
        ] {
            assert_eq!(refused(&body), places, "{body}");
        }
    }
}
