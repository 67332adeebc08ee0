//! From a host's request to an event of a lane: total, pure, every problem at once.

use throughline_engine::event::{AssistantPosted, Posted, Press, TaskReported};
use throughline_engine::lane::{MessageKind, TaskStatus};
use throughline_engine::recognize::Expected;
use throughline_engine::{Event, EventKind, LaneKey, TaskId, Timestamp};

use super::inbound::{ActorRequest, AssistantRequest, EventRequest, ReportRequest};
use super::limits::{MAX_FORM_VALUES, MAX_TASK, Problem, Reader, step};
use super::options;

/// Kinds only we make: from a host they would be a forged outcome or deadline.
const OURS: [&str; 3] = ["intake.notice", "effect.settled", "timer.due"];
/// Kinds a host sends.
const KINDS: [&str; 11] = [
    "message.posted",
    "message.edited",
    "message.deleted",
    "card.pressed",
    "command",
    "form.submitted",
    "assistant.posted",
    "task.reported",
    "options.shown",
    "options.closed",
    "focus.changed",
];

/// What the request itself does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// The token's tenant.
    pub tenant: String,
    /// The token's app.
    pub app: String,
    /// The delivery key (`spec 06 §2.1`): `http:{token}:{route}:{Idempotency-Key}` and its like.
    pub key: String,
    /// When intake received it.
    pub received_at: Timestamp,
    /// Who acts when the request names nobody.
    pub default_actor: Option<String>,
}

/// An event on its way into the inbox.
#[derive(Clone, Debug, PartialEq)]
pub struct Inbound {
    /// Where it goes.
    pub lane: LaneKey,
    /// The delivery key, then `event:{app}:{event_id}` when the host gave one. Either being taken makes it a
    /// duplicate.
    pub keys: Vec<String>,
    /// The event.
    pub event: Event,
    /// What to call its actor, when the host said.
    pub actor_name: Option<String>,
    /// When the host says it happened.
    pub at: Option<Timestamp>,
}

impl EventRequest {
    /// The event this request is.
    ///
    /// # Errors
    ///
    /// Everything that is missing, too long or unknown, each with its JSON pointer.
    pub fn normalise(self, context: Context) -> Result<Inbound, Vec<Problem>> {
        let mut read = Reader::default();
        let lane = lane(&self, &context, &mut read);
        let mut keys = vec![context.key.clone()];
        if let Some(id) = &self.event_id {
            read.id("/event_id", id);
            // Two hosts of one tenant may count alike.
            keys.push(format!("event:{}:{id}", context.app));
        }
        let at = self.at.as_deref().and_then(|at| moment(&mut read, "/at", at));
        let ActorRequest { id: actor, name: actor_name } = self.actor.clone().unwrap_or_default();
        read.maybe_id("/actor/id", actor.as_deref());
        if let Some(name) = &actor_name {
            read.name("/actor/name", name);
        }
        // What an agent posts or reports is no person's act, so the token's own user did not do it.
        let nobodys = matches!(
            self.kind.as_str(),
            "assistant.posted" | "task.reported" | "options.shown" | "options.closed"
        );
        let by_default = context.default_actor.filter(|_| !nobodys);
        let actor = actor.or(by_default).unwrap_or_default();
        let kind = kind(self, &actor, &mut read);
        if actor.is_empty() && needs_actor(&kind) && !read.named("/actor/id") {
            read.wrong("/actor/id", format!("{} needs an actor: say who did it", kind.name()));
        }
        if !read.problems.is_empty() {
            return Err(read.problems);
        }
        let event = Event { id: context.key, received_at: context.received_at, actor, kind };
        Ok(Inbound { lane, keys, event, actor_name, at })
    }
}

impl Reader {
    /// The whole part a kind is about is missing; what is returned is a placeholder that nobody sees.
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

fn lane(request: &EventRequest, context: &Context, read: &mut Reader) -> LaneKey {
    let channel = request.lane.channel.as_deref().unwrap_or("api");
    read.id("/lane/channel", channel);
    let conversation = match request.lane.conversation.as_deref() {
        Some(conversation) => {
            read.id("/lane/conversation", conversation);
            conversation
        }
        None => {
            read.wrong("/lane/conversation", "say which conversation: any id of yours for the room or chat");
            ""
        }
    };
    // An absent thread is empty in the key, so empty is as good as absent.
    let given = |value: &Option<String>| value.clone().filter(|value| !value.is_empty());
    let (thread, panel) = (given(&request.lane.thread), given(&request.panel));
    read.maybe_id("/lane/thread", thread.as_deref());
    read.maybe_id("/panel", panel.as_deref());
    if thread.is_some() && panel.is_some() && thread != panel {
        read.wrong("/panel", "a panel is the thread of its session; send panel or lane.thread, not both");
    }
    let thread = thread.or(panel).unwrap_or_default();
    LaneKey::new(&context.tenant, &context.app, channel, conversation, &thread)
}

/// The kind and what it carries. With problems it is a placeholder that nobody sees.
fn kind(request: EventRequest, actor: &str, read: &mut Reader) -> EventKind {
    let name = request.kind.clone();
    match name.as_str() {
        "message.posted" => posted(request, read),
        "message.edited" => {
            let message = message(&name, request.message_id, read);
            let text = read.required("/text", &name, request.text);
            read.text("/text", &text);
            EventKind::MessageEdited { message, text, metadata_only: request.metadata_only.unwrap_or(false) }
        }
        "message.deleted" => EventKind::MessageDeleted { message: message(&name, request.message_id, read) },
        "card.pressed" => {
            let Some(press) = request.press else { return read.lacks("/press", name) };
            let remember = press.remember.unwrap_or(false);
            EventKind::CardPressed { press: options::press(&name, press, read), remember }
        }
        "command" => {
            let text = request.text.unwrap_or_default();
            read.text("/text", &text);
            EventKind::Command { text: after_name(&text).into() }
        }
        "form.submitted" => form(&name, request, read),
        "assistant.posted" => assistant(&name, request, read),
        "task.reported" => reported(&name, request, read),
        "options.shown" => match request.shown {
            None => read.lacks("/shown", name),
            Some(shown) => EventKind::OptionsShown(options::shown("/shown", &name, shown, read)),
        },
        "options.closed" => match request.closed {
            None => read.lacks("/closed", name),
            Some(closed) => options::closed(&name, closed, read),
        },
        "focus.changed" => match request.focus {
            None => read.lacks("/focus", name),
            Some(focus) => options::focus("/focus", &name, focus, actor, read),
        },
        ours if OURS.contains(&ours) => {
            read.wrong("/kind", format!("{name} is only ever made by Throughline itself"));
            EventKind::Unknown { name }
        }
        other => {
            let known = KINDS.join(", ");
            let text = match other {
                "" => format!("say what happened: one of {known}"),
                _ => format!("there is no kind of event “{}”; known are {known}", shortened(other)),
            };
            read.wrong("/kind", text);
            EventKind::Unknown { name }
        }
    }
}

fn posted(request: EventRequest, read: &mut Reader) -> EventKind {
    let text = match request.text {
        Some(text) => {
            read.words("/text", &text);
            text
        }
        None => read.required("/text", &request.kind, None),
    };
    read.maybe_id("/message_id", request.message_id.as_deref());
    read.maybe_id("/reply_to", request.reply_to.as_deref());
    read.maybe_id("/task", request.task.as_deref());
    read.text("/quote", request.quote.as_deref().unwrap_or_default());
    EventKind::MessagePosted(Posted {
        text,
        message_id: request.message_id,
        reply_to: request.reply_to,
        quote: request.quote,
        task: request.task.map(TaskId),
        files: Vec::new(),
    })
}

fn message(kind: &str, id: Option<String>, read: &mut Reader) -> String {
    read.maybe_id("/message_id", id.as_deref());
    read.required("/message_id", kind, id)
}

/// The token is opaque; one we do not know is answered in the turn, not refused here.
fn token(pointer: &str, kind: &str, token: Option<String>, read: &mut Reader) -> Press {
    read.maybe_id(pointer, token.as_deref());
    Press::Token(read.required(pointer, kind, token))
}

fn form(kind: &str, request: EventRequest, read: &mut Reader) -> EventKind {
    let Some(form) = request.form else { return read.lacks("/form", kind.into()) };
    let press = token("/form/token", kind, form.token, read);
    let values = read.required("/form/values", kind, form.values);
    if values.len() > MAX_FORM_VALUES {
        read.wrong("/form/values", format!("a form has at most {MAX_FORM_VALUES} values"));
    }
    for (name, value) in values.iter().take(MAX_FORM_VALUES) {
        let pointer = format!("/form/values/{}", step(name));
        read.id(&pointer, name);
        read.text(&pointer, value);
    }
    EventKind::FormSubmitted { press, values }
}

fn assistant(kind: &str, request: EventRequest, read: &mut Reader) -> EventKind {
    let Some(said) = request.assistant else { return read.lacks("/assistant", kind.into()) };
    let AssistantRequest { kind: as_what, task, text, expected, asked_of, expires } = said;
    let known = "answer, question, card or notification";
    let as_what = match as_what.as_deref() {
        Some("answer") => MessageKind::Answer,
        Some("question") => MessageKind::Question,
        Some("card") => MessageKind::Card,
        Some("notification") => MessageKind::Notification,
        Some(other) => {
            let other = shortened(other);
            read.wrong("/assistant/kind", format!("“{other}” is no kind of message; it is {known}"));
            MessageKind::Notification
        }
        None => {
            read.wrong("/assistant/kind", format!("say what it is: {known}"));
            MessageKind::Notification
        }
    };
    let text = match text {
        Some(text) => {
            read.words("/assistant/text", &text);
            text
        }
        None => read.required("/assistant/text", kind, None),
    };
    read.maybe_id("/task", request.task.as_deref());
    read.maybe_id("/assistant/task", task.as_deref());
    read.maybe_id("/assistant/asked_of", asked_of.as_deref());
    let expected = expected.and_then(|wire| {
        read.text("/assistant/expected", &wire);
        let parsed: Result<Expected, _> = wire.parse();
        parsed.map_err(|error| read.wrong("/assistant/expected", error.to_string())).ok()
    });
    let expires = expires.and_then(|at| moment(read, "/assistant/expires", &at));
    EventKind::AssistantPosted(AssistantPosted {
        kind: as_what,
        task: task.or(request.task).map(TaskId),
        text,
        expected,
        asked_of,
        expires,
    })
}

fn reported(kind: &str, request: EventRequest, read: &mut Reader) -> EventKind {
    let Some(report) = request.report else { return read.lacks("/report", kind.into()) };
    let ReportRequest { task_id, status, at, intent, reason, result } = report;
    read.maybe_id("/report/task_id", task_id.as_deref());
    let task: String = read.required("/report/task_id", kind, task_id);
    if task.len() > MAX_TASK {
        read.wrong("/report/task_id", format!("a task's id has at most {MAX_TASK} bytes"));
    }
    let word: String = read.required("/report/status", kind, status);
    let status = TaskStatus::from_word(&word);
    if status.is_none() && !word.is_empty() {
        let known = TaskStatus::ALL.map(TaskStatus::word).join(", ");
        read.wrong("/report/status", format!("“{}” is no status; it is one of {known}", shortened(&word)));
    }
    let texts = [("/report/intent", &intent), ("/report/reason", &reason), ("/report/result", &result)];
    for (pointer, text) in texts {
        read.text(pointer, text.as_deref().unwrap_or_default());
    }
    let at = at.and_then(|at| moment(read, "/report/at", &at));
    let status = status.unwrap_or(TaskStatus::Running);
    EventKind::TaskReported(TaskReported { task: TaskId(task), status, at, intent, reason, result })
}

fn moment(read: &mut Reader, pointer: &str, text: &str) -> Option<Timestamp> {
    let moment = Timestamp::parse(text);
    if moment.is_none() {
        read.wrong(pointer, "a time is RFC 3339 in UTC, like 2026-01-15T10:00:00.000Z");
    }
    moment
}

/// What follows a command's name, for hosts that send the name along.
fn after_name(text: &str) -> &str {
    match text.trim_start().strip_prefix('/') {
        Some(rest) => rest.split_once(char::is_whitespace).map_or("", |(_, rest)| rest).trim_start(),
        None => text,
    }
}

/// Enough of a foreign word to recognise it by.
pub(super) fn shortened(word: &str) -> String {
    word.chars().take(40).collect()
}

#[cfg(test)]
mod tests;
