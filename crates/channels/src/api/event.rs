//! Turns a host's request into an event of a lane. Total and pure; reports every problem at once.

use serde_json::Value;
use throughline_engine::data::attachment::Attachment;
use throughline_engine::data::event::{AssistantPosted, MessagePosted, Press};
use throughline_engine::data::handover::HostAnswer;
use throughline_engine::data::host_act::HostAct;
use throughline_engine::data::message::MessageKind;
use throughline_engine::data::task::TaskReported;
use throughline_engine::data::task_status::TaskStatus;
use throughline_engine::{Event, EventKind, LaneKey, TaskId, Timestamp};
use throughline_language::Expected;

use super::options;
use super::payload;
use super::problem::{
    Checker, MAX_ACT_LINE, MAX_ACT_LINES, MAX_ACT_TITLE, MAX_FILES, MAX_FORM_VALUES, MAX_ID, MAX_TASK,
    MAX_URL, Problem, is_invisible, shortened, step,
};
use super::request::{
    ActorRequest, ApprovalRequest, AssistantRequest, EventRequest, FileRequest, ReportRequest, ShownRequest,
};

/// Kinds that only the runtime makes: from a host they would be a forged outcome or deadline.
const INTERNAL_KINDS: [&str; 3] = ["intake.notice", "effect.settled", "timer.due"];
/// Kinds that hosts may send.
pub const HOST_KINDS: [&str; 12] = [
    "message.posted",
    "message.edited",
    "message.deleted",
    "card.pressed",
    "command",
    "form.submitted",
    "assistant.posted",
    "approval.requested",
    "task.reported",
    "options.shown",
    "options.closed",
    "focus.changed",
];

/// Everything about a request that its body does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// The tenant of the access token.
    pub tenant: String,
    /// The app of the access token.
    pub app: String,
    /// The delivery key, such as `http:{token}:{route}:{Idempotency-Key}` (`docs/design/0029-durable-intake.md`).
    pub key: String,
    /// The time intake received it.
    pub received_at: Timestamp,
    /// The actor when the request names none.
    pub default_actor: Option<String>,
}

/// An event of a lane, made from a request.
#[derive(Clone, Debug, PartialEq)]
pub struct NormalisedEvent {
    /// The lane it belongs to.
    pub lane: LaneKey,
    /// `event:{app}:{event_id}`, if the host gave an id. If this or the delivery key, which is the event's id, is known,
    /// the event is a duplicate.
    pub host_key: Option<String>,
    /// The event.
    pub event: Event,
    /// True if it is meant for the assistant, false if it is not, if the host said so.
    pub addressed: Option<bool>,
    /// The actor's display name, if the host gave one.
    pub actor_name: Option<String>,
    /// The time of the event by the host's clock.
    pub at: Option<Timestamp>,
}

impl EventRequest {
    /// Checks the request and turns it into an event.
    ///
    /// # Errors
    ///
    /// Every problem, each with its JSON pointer.
    pub fn normalise(self, context: Context) -> Result<NormalisedEvent, Vec<Problem>> {
        let mut check = Checker::default();
        let lane = lane(&self, &context, &mut check);
        check.maybe_id("/event_id", self.event_id.as_deref());
        // Two hosts of one tenant may number their events alike.
        let host_key = self.event_id.as_ref().map(|id| format!("event:{}:{id}", context.app));
        let at = self.at.as_deref().and_then(|at| moment(&mut check, "/at", at));
        let ActorRequest { id: actor, name: actor_name } = self.actor.clone().unwrap_or_default();
        check.maybe_id("/actor/id", actor.as_deref());
        if let Some(name) = &actor_name {
            check.name("/actor/name", name);
        }
        // Posts and reports of an agent are not acts of the token's user.
        let nobodys = matches!(
            self.kind.as_str(),
            "assistant.posted" | "task.reported" | "options.shown" | "options.closed"
        );
        let by_default = context.default_actor.filter(|_| !nobodys);
        let actor = actor.or(by_default).unwrap_or_default();
        let addressed = self.addressed;
        let kind = kind(self, &actor, &mut check);
        if actor.is_empty() && needs_actor(&kind) && !check.named("/actor/id") {
            check.wrong("/actor/id", format!("{} needs an actor: say who did it", kind.name()));
        }
        if !check.problems.is_empty() {
            return Err(check.problems);
        }
        let event = Event { id: context.key, received_at: context.received_at, actor, kind };
        Ok(NormalisedEvent { lane, host_key, event, addressed, actor_name, at })
    }
}

impl Checker {
    /// Reports that the member a kind is about is missing. The kind it returns is a placeholder: with a problem there
    /// is no event.
    fn lacks(&mut self, pointer: &str, kind: String) -> EventKind {
        self.required::<()>(pointer, &kind, None);
        EventKind::Unknown { name: kind }
    }
}

fn needs_actor(kind: &EventKind) -> bool {
    use EventKind::{AssistantPosted, FocusChanged, OptionsClosed, OptionsShown, TaskReported, Unknown};
    !matches!(
        kind,
        AssistantPosted(_)
            | TaskReported(_)
            | OptionsShown(_)
            | OptionsClosed { .. }
            | FocusChanged(_)
            | Unknown { .. }
    )
}

fn lane(request: &EventRequest, context: &Context, check: &mut Checker) -> LaneKey {
    let channel = request.lane.channel.as_deref().unwrap_or("api");
    check.id("/lane/channel", channel);
    let conversation = match request.lane.conversation.as_deref() {
        Some(conversation) => {
            check.id("/lane/conversation", conversation);
            conversation
        }
        None => {
            check.wrong("/lane/conversation", "say which conversation: any id of yours for the room or chat");
            ""
        }
    };
    // An absent thread is empty in the key, so both mean the same.
    let given = |value: &Option<String>| value.clone().filter(|value| !value.is_empty());
    let (thread, panel) = (given(&request.lane.thread), given(&request.panel));
    check.maybe_id("/lane/thread", thread.as_deref());
    check.maybe_id("/panel", panel.as_deref());
    if thread.is_some() && panel.is_some() && thread != panel {
        check.wrong("/panel", "a panel is the thread of its session; send panel or lane.thread, not both");
    }
    let thread = thread.or(panel).unwrap_or_default();
    LaneKey::new(&context.tenant, &context.app, channel, conversation, &thread)
}

/// Reads the kind and what it carries. With problems the result is a placeholder that is dropped.
fn kind(request: EventRequest, actor: &str, check: &mut Checker) -> EventKind {
    let name = request.kind.clone();
    match name.as_str() {
        "message.posted" => posted(request, check),
        "message.edited" => {
            let message = message(&name, request.message_id, check);
            let text = check.required("/text", &name, request.text);
            check.text("/text", &text);
            EventKind::MessageEdited { message, text, metadata_only: request.metadata_only.unwrap_or(false) }
        }
        "message.deleted" => EventKind::MessageDeleted { message: message(&name, request.message_id, check) },
        "card.pressed" => {
            let Some(press) = request.press else { return check.lacks("/press", name) };
            let remember = press.remember.unwrap_or(false);
            EventKind::CardPressed { press: options::press(&name, press, check), remember }
        }
        "command" => {
            let text = request.text.unwrap_or_default();
            check.text("/text", &text);
            EventKind::Command { text: after_name(&text).into() }
        }
        "form.submitted" => form(&name, request, check),
        "assistant.posted" => match request.assistant {
            None => check.lacks("/assistant", name),
            Some(said) => {
                check.maybe_id("/task", request.task.as_deref());
                let mut posted = assistant("/assistant", &name, said, check);
                posted.task = posted.task.or(request.task.map(TaskId));
                posted.message_id = posted.message_id.or(request.message_id);
                EventKind::AssistantPosted(posted)
            }
        },
        "approval.requested" => match request.approval {
            None => check.lacks("/approval", name),
            Some(asked) => EventKind::ApprovalRequested(host_act(&name, asked, check)),
        },
        "task.reported" => reported(&name, request, check),
        "options.shown" => match request.shown {
            None => check.lacks("/shown", name),
            Some(shown) => EventKind::OptionsShown(options::shown("/shown", &name, shown, check)),
        },
        "options.closed" => match request.closed {
            None => check.lacks("/closed", name),
            Some(closed) => options::closed(&name, closed, check),
        },
        "focus.changed" => match request.focus {
            None => check.lacks("/focus", name),
            Some(focus) => options::focus("/focus", &name, focus, actor, check),
        },
        ours if INTERNAL_KINDS.contains(&ours) => {
            check.wrong("/kind", format!("{name} is only ever made by Throughline itself"));
            EventKind::Unknown { name }
        }
        other => {
            let known = HOST_KINDS.join(", ");
            let text = match other {
                "" => format!("say what happened: one of {known}"),
                _ => format!("there is no kind of event “{}”; known are {known}", shortened(other)),
            };
            check.wrong("/kind", text);
            EventKind::Unknown { name }
        }
    }
}

fn posted(request: EventRequest, check: &mut Checker) -> EventKind {
    let files = files(request.files.unwrap_or_default(), check);
    let text = match request.text {
        // A file says something without words.
        text if !files.is_empty() => {
            let text = text.unwrap_or_default();
            check.text("/text", &text);
            text
        }
        Some(text) => {
            check.words("/text", &text);
            text
        }
        None => check.required("/text", &request.kind, None),
    };
    check.maybe_id("/message_id", request.message_id.as_deref());
    check.maybe_id("/reply_to", request.reply_to.as_deref());
    check.maybe_id("/task", request.task.as_deref());
    check.text("/quote", request.quote.as_deref().unwrap_or_default());
    EventKind::MessagePosted(MessagePosted {
        text,
        message_id: request.message_id,
        reply_to: request.reply_to,
        quote: request.quote,
        task: request.task.map(TaskId),
        files,
        seen: request.seen,
    })
}

/// Reads the files of a message. What is known of one that is kept here, its keeper adds.
fn files(requests: Vec<FileRequest>, check: &mut Checker) -> Vec<Attachment> {
    if requests.len() > MAX_FILES {
        let text = format!("a message has at most {MAX_FILES} files; this one has {}", requests.len());
        check.wrong("/files", text);
    }
    let read = |(n, file): (usize, FileRequest)| {
        let at = |member: &str| format!("/files/{n}/{member}");
        let FileRequest { id, name, mime, bytes, url } = file;
        if let Some(id) = id {
            check.id(&at("id"), &id);
            return Attachment { id: Some(id), ..Attachment::default() };
        }
        match &name {
            Some(name) => check.line(&at("name"), name, MAX_ID),
            None => check.wrong(&at("name"), "a file has the id of one that is kept here, or a name"),
        }
        if let Some(mime) = &mime {
            check.id(&at("mime"), mime);
        }
        if let Some(url) = &url {
            let known = ["https://", "http://"].iter().any(|scheme| url.starts_with(scheme));
            let odd = |c: char| c.is_control() || c.is_whitespace() || is_invisible(c);
            if !known || url.contains(odd) || url.chars().count() > MAX_URL {
                let text = format!("an address begins with https:// and has at most {MAX_URL} characters");
                check.wrong(&at("url"), text);
            }
        }
        let kind = Attachment::kind_of(mime.as_deref().unwrap_or_default()).into();
        Attachment { kind, name, mime, bytes: bytes.map(u64::from), id: None, url }
    };
    requests.into_iter().enumerate().take(MAX_FILES).map(read).collect()
}

fn message(kind: &str, id: Option<String>, check: &mut Checker) -> String {
    check.maybe_id("/message_id", id.as_deref());
    check.required("/message_id", kind, id)
}

/// The token is opaque: an unknown one is answered by the turn, not refused here.
fn token(pointer: &str, kind: &str, token: Option<String>, check: &mut Checker) -> Press {
    check.maybe_id(pointer, token.as_deref());
    Press::Token(check.required(pointer, kind, token))
}

fn form(kind: &str, request: EventRequest, check: &mut Checker) -> EventKind {
    let Some(form) = request.form else { return check.lacks("/form", kind.into()) };
    let press = token("/form/token", kind, form.token, check);
    let values = check.required("/form/values", kind, form.values);
    if values.len() > MAX_FORM_VALUES {
        check.wrong("/form/values", format!("a form has at most {MAX_FORM_VALUES} values"));
    }
    for (name, value) in values.iter().take(MAX_FORM_VALUES) {
        let pointer = format!("/form/values/{}", step(name));
        check.id(&pointer, name);
        check.text(&pointer, value);
    }
    EventKind::FormSubmitted { press, values }
}

/// Reads a message of a host's agent, which is at `at` in its request.
fn assistant(at: &str, kind: &str, said: AssistantRequest, check: &mut Checker) -> AssistantPosted {
    let AssistantRequest { kind: as_what, task, text, expected, asked_of, expires, message_id } = said;
    let place = |member: &str| format!("{at}/{member}");
    let known = "answer, question, card or notification";
    let as_what = match as_what.as_deref() {
        Some("answer") => MessageKind::Answer,
        Some("question") => MessageKind::Question,
        Some("card") => MessageKind::Card,
        Some("notification") => MessageKind::Notification,
        Some(other) => {
            let other = shortened(other);
            check.wrong(&place("kind"), format!("“{other}” is no kind of message; it is {known}"));
            MessageKind::Notification
        }
        None => {
            check.wrong(&place("kind"), format!("say what it is: {known}"));
            MessageKind::Notification
        }
    };
    let text = match text {
        Some(text) => {
            check.words(&place("text"), &text);
            text
        }
        None => check.required(&place("text"), kind, None),
    };
    for (member, id) in [("task", &task), ("asked_of", &asked_of), ("message_id", &message_id)] {
        check.maybe_id(&place(member), id.as_deref());
    }
    let expected = expected.and_then(|wire| {
        check.text(&place("expected"), &wire);
        let parsed: Result<Expected, _> = wire.parse();
        parsed.map_err(|error| check.wrong(&place("expected"), error.to_string())).ok()
    });
    let expires = expires.and_then(|time| moment(check, &place("expires"), &time));
    AssistantPosted { kind: as_what, task: task.map(TaskId), text, expected, asked_of, expires, message_id }
}

/// Checks the answer of a host's agent to a turn, which is at `at` in its request.
///
/// # Errors
///
/// Every problem, each with its JSON pointer.
pub fn answer(
    at: &str,
    said: Option<AssistantRequest>,
    list: Option<ShownRequest>,
) -> Result<HostAnswer, Vec<Problem>> {
    let mut check = Checker::default();
    let of = "an answer";
    let posted = said.map(|said| assistant(&format!("{at}/assistant"), of, said, &mut check));
    let options = list.map(|list| options::shown(&format!("{at}/shown"), of, list, &mut check));
    if check.problems.is_empty() { Ok(HostAnswer { posted, options }) } else { Err(check.problems) }
}

fn reported(kind: &str, request: EventRequest, check: &mut Checker) -> EventKind {
    let Some(report) = request.report else { return check.lacks("/report", kind.into()) };
    let ReportRequest { task_id, status, at, intent, reason, result } = report;
    check.maybe_id("/report/task_id", task_id.as_deref());
    let task: String = check.required("/report/task_id", kind, task_id);
    if task.chars().count() > MAX_TASK {
        check.wrong("/report/task_id", format!("a task's id has at most {MAX_TASK} characters"));
    }
    let word: String = check.required("/report/status", kind, status);
    let status = TaskStatus::parse(&word);
    if status.is_none() && !word.is_empty() {
        let known = TaskStatus::ALL.map(TaskStatus::as_str).join(", ");
        check.wrong("/report/status", format!("“{}” is no status; it is one of {known}", shortened(&word)));
    }
    let texts = [("/report/intent", &intent), ("/report/reason", &reason), ("/report/result", &result)];
    for (pointer, text) in texts {
        check.text(pointer, text.as_deref().unwrap_or_default());
    }
    let at = at.and_then(|at| moment(check, "/report/at", &at));
    let status = status.unwrap_or(TaskStatus::Running);
    EventKind::TaskReported(TaskReported { task: TaskId(task), status, at, intent, reason, result })
}

/// Reads a request to approve an act of the host's.
fn host_act(kind: &str, asked: ApprovalRequest, check: &mut Checker) -> HostAct {
    let ApprovalRequest { request_id, title, target, payload, lines, expires } = asked;
    check.maybe_id("/approval/request_id", request_id.as_deref());
    check.maybe_id("/approval/target", target.as_deref());
    let title: String = check.required("/approval/title", kind, title);
    check.line("/approval/title", &title, MAX_ACT_TITLE);
    let lines = lines.unwrap_or_default();
    if lines.len() > MAX_ACT_LINES {
        check.wrong("/approval/lines", format!("a request has at most {MAX_ACT_LINES} lines for people"));
    }
    for (at, line) in lines.iter().take(MAX_ACT_LINES).enumerate() {
        check.line(&format!("/approval/lines/{at}"), line, MAX_ACT_LINE);
    }
    let payload = Value::Object(check.required("/approval/payload", kind, payload));
    HostAct {
        request_id: check.required("/approval/request_id", kind, request_id),
        title,
        target: check.required("/approval/target", kind, target),
        payload: payload::text("/approval/payload", &payload, check),
        lines,
        expires: expires.and_then(|time| moment(check, "/approval/expires", &time)),
    }
}

fn moment(check: &mut Checker, pointer: &str, text: &str) -> Option<Timestamp> {
    let moment = Timestamp::parse(text);
    if moment.is_none() {
        check.wrong(pointer, "a time is RFC 3339 in UTC, like 2026-01-15T10:00:00.000Z");
    }
    moment
}

/// The words after a command's name, for hosts that send the name too.
fn after_name(text: &str) -> &str {
    match text.trim_start().strip_prefix('/') {
        Some(rest) => rest.split_once(char::is_whitespace).map_or("", |(_, rest)| rest).trim_start(),
        None => text,
    }
}

#[cfg(test)]
mod tests;
