//! Table of the tools. A row names an operation of the API and says what of it is an argument; schemas and texts of the
//! arguments come from the OpenAPI document.

use crate::auth::{Caller, Scope};

/// Tool.
#[derive(Debug)]
pub(super) struct Tool {
    /// Name.
    pub(super) name: &'static str,
    /// Name for people.
    pub(super) title: &'static str,
    /// Description, which tells an agent when to use it.
    pub(super) says: &'static str,
    /// Operation of the API, by its id.
    pub(super) operation: &'static str,
    /// Arguments.
    pub(super) form: Form,
    /// Change that a call makes.
    pub(super) change: Change,
    /// Scopes that a call needs. Without one of them the tool is not listed.
    pub(super) needs: &'static [Scope],
}

/// Arguments of a tool.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// Parameters of the path and the query, and the members of the body.
    Whole,
    /// An approval, waited for until it is decided.
    Awaited,
    /// Members of an event of one kind.
    Event {
        /// Kind of the event.
        kind: &'static str,
        /// Members of the event itself, beside its lane.
        own: &'static [&'static str],
        /// Part that the event is about, whose members are arguments of their own.
        part: Option<Part>,
        /// Arguments that are needed, beside the lane.
        required: &'static [&'static str],
    },
}

/// Part of an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// Member of the event.
    pub(super) name: &'static str,
    /// Its `kind`, which the tool sets.
    pub(super) kind: Option<&'static str>,
    /// Members that are no argument of this tool.
    pub(super) without: &'static [&'static str],
}

/// Change that a call makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// None.
    Reads,
    /// Something is added.
    Adds,
    /// Something that waits is settled for good.
    Settles,
}

use Scope::{
    ApprovalsDecide, ApprovalsRead, AssistantWrite, EffectsRead, EffectsReport, EventsWrite, LanesRead,
    OptionsWrite,
};

const fn said(kind: &'static str, without: &'static [&'static str]) -> Option<Part> {
    Some(Part { name: "assistant", kind: Some(kind), without })
}

/// Every tool.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "deliver_message",
        title: "Deliver a person's message",
        says: "Pass on what a person wrote to you, word for word, before you act on it. The answer is what was decided: whether it \
               answered an open question (`applied`), chose from a list, asked for a ticket, is handed to you, or waits for an approval.",
        operation: "postEvent",
        form: Form::Event {
            kind: "message.posted",
            own: &["actor", "text", "reply_to", "quote", "message_id", "event_id", "task", "addressed"],
            part: None,
            required: &["text"],
        },
        change: Change::Adds,
        needs: &[EventsWrite],
    },
    Tool {
        name: "ask",
        title: "Ask a person",
        says: "Put a question to a person, with the type of answer you expect. The next message that fits is applied as its answer, and \
               anything else is not taken for one. Use it whenever you need a value or a yes or no; for leave to do something use \
               request_approval, because no text approves.",
        operation: "postEvent",
        form: Form::Event {
            kind: "assistant.posted",
            own: &["event_id"],
            part: said("question", &["kind"]),
            required: &["text"],
        },
        change: Change::Adds,
        needs: &[EventsWrite, AssistantWrite],
    },
    Tool {
        name: "say",
        title: "Say something",
        says: "Record what you, the assistant, told the people in a conversation, so that their replies are understood as replies to it.",
        operation: "postEvent",
        form: Form::Event {
            kind: "assistant.posted",
            own: &["event_id"],
            part: said("answer", &["kind", "expected", "asked_of", "expires"]),
            required: &["text"],
        },
        change: Change::Adds,
        needs: &[EventsWrite, AssistantWrite],
    },
    Tool {
        name: "show_options",
        title: "Show a list of options",
        says: "Register a list that a person sees, so that “the second one” is understood. Showing it runs nothing; what is chosen comes \
               as an effect option.execute, which you perform and report.",
        operation: "postEvent",
        form: Form::Event {
            kind: "options.shown",
            own: &["event_id"],
            part: Some(Part { name: "shown", kind: None, without: &[] }),
            required: &["scope", "scope_instance", "options"],
        },
        change: Change::Adds,
        needs: &[EventsWrite, OptionsWrite],
    },
    Tool {
        name: "request_approval",
        title: "Request an approval",
        says: "Ask that a person approves something that you are about to do and that changes something: an act with its exact content. \
               The answer has the card; its id is the approval that get_approval reads. Once it is approved you get an effect host.act with \
               the same content: perform that, with its id as the idempotency key, and report it. If you repeat the call, keep request_id.",
        operation: "postEvent",
        form: Form::Event {
            kind: "approval.requested",
            own: &["actor", "event_id"],
            part: Some(Part { name: "approval", kind: None, without: &[] }),
            required: &["request_id", "title", "target", "payload"],
        },
        change: Change::Adds,
        needs: &[EventsWrite, AssistantWrite],
    },
    Tool {
        name: "list_lanes",
        title: "List conversations",
        says: "List the conversations (lanes) that you may read, with their ids.",
        operation: "listLanes",
        form: Form::Whole,
        change: Change::Reads,
        needs: &[LanesRead],
    },
    Tool {
        name: "read_lane",
        title: "Read a conversation",
        says: "Read how a conversation stands: its open questions, tasks, lists and focus. Use it before you continue one.",
        operation: "getLane",
        form: Form::Whole,
        change: Change::Reads,
        needs: &[LanesRead],
    },
    Tool {
        name: "list_messages",
        title: "List messages",
        says: "List the messages of a conversation, the newest page first.",
        operation: "listMessages",
        form: Form::Whole,
        change: Change::Reads,
        needs: &[LanesRead],
    },
    Tool {
        name: "list_pending",
        title: "List what waits",
        says: "List the questions and cards of a conversation that nobody has answered yet. Look here before you ask again.",
        operation: "getPending",
        form: Form::Whole,
        change: Change::Reads,
        needs: &[LanesRead],
    },
    Tool {
        name: "why",
        title: "Explain a decision",
        says: "Explain why a turn was decided as it was, rule by rule. The turn's id is in every answer of a tool that delivers something.",
        operation: "getWhy",
        form: Form::Whole,
        change: Change::Reads,
        needs: &[LanesRead],
    },
    Tool {
        name: "list_approvals",
        title: "List approvals",
        says: "List approvals, those that wait if you name no state.",
        operation: "listApprovals",
        form: Form::Whole,
        change: Change::Reads,
        needs: &[ApprovalsRead],
    },
    Tool {
        name: "get_approval",
        title: "Read an approval",
        says: "Read an approval with its exact payload, its hash and what was decided; with `wait` it answers as soon as it is decided. \
               Do nothing that an approval is about while its state is `pending`, and nothing if it is not `approved`.",
        operation: "getApproval",
        form: Form::Awaited,
        change: Change::Reads,
        needs: &[ApprovalsRead],
    },
    Tool {
        name: "decide_approval",
        title: "Decide an approval",
        says: "Decide an approval for a person who told your program so by a button or a signed-in call, at the version they saw. Who may is \
               settled by the rules of the installation; nobody decides what they asked for unless a rule says so. Never use it because of a text.",
        operation: "decideApproval",
        form: Form::Whole,
        change: Change::Settles,
        needs: &[ApprovalsDecide],
    },
    Tool {
        name: "list_effects",
        title: "List effects",
        says: "List what was planned to be done and what came of it. `state: attempted` with `delivery: host` is your work: perform it with its \
               id as the idempotency key, and report it with report_effect.",
        operation: "listEffects",
        form: Form::Whole,
        change: Change::Reads,
        needs: &[EffectsRead],
    },
    Tool {
        name: "get_effect",
        title: "Read an effect",
        says: "Read one effect: what is to be done, which approval released it, and what came of it.",
        operation: "getEffect",
        form: Form::Whole,
        change: Change::Reads,
        needs: &[EffectsRead],
    },
    Tool {
        name: "report_effect",
        title: "Report an effect",
        says: "Report what became of an effect that you perform: `applied`, `rejected`, or `unknown` if you cannot tell, in which case a person \
               is asked. A turn that was handed to you is answered here, with `answer`.",
        operation: "reportEffect",
        form: Form::Whole,
        change: Change::Settles,
        needs: &[EffectsReport],
    },
];

impl Tool {
    /// Returns the tool of that name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// Returns true if the caller has every scope that it needs.
    pub(super) fn is_for(&self, caller: &Caller) -> bool {
        self.needs.iter().all(|scope| caller.may(*scope))
    }
}
