//! Events of a run, as they are sent.

use serde::Serialize;
use serde_json::Value;

/// Version of the protocol whose events these are.
pub const PROTOCOL: &str = "1.0";

/// Event of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE", rename_all_fields = "camelCase")]
pub enum RunEvent {
    /// Beginning of a run.
    RunStarted {
        /// Thread, as the client names it.
        thread_id: String,
        /// Run, as the client names it.
        run_id: String,
        /// Run that it continues, as the client names it.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent_run_id: Option<String>,
        /// [`PROTOCOL`].
        protocol_version: &'static str,
    },
    /// End of a run that did not fail.
    RunFinished {
        /// Thread, as the client names it.
        thread_id: String,
        /// Run, as the client names it.
        run_id: String,
        /// Turns of the run, each with its decision and reason.
        result: Value,
        /// Interrupts that the thread waits for now, if any.
        outcome: Outcome,
    },
    /// End of a run that was refused or failed.
    RunError {
        /// `TL-NNNN`, the title of the code, and what happened this time.
        message: String,
        /// Stable name of the code.
        code: String,
    },
    /// Beginning of a message of the assistant.
    TextMessageStart {
        /// Id of the message in its lane.
        message_id: String,
        /// `assistant`.
        role: &'static str,
    },
    /// Text of a message.
    TextMessageContent {
        /// Id of the message.
        message_id: String,
        /// The next part of its text.
        delta: String,
    },
    /// End of a message.
    TextMessageEnd {
        /// Id of the message.
        message_id: String,
    },
    /// Beginning of a call that waits for an approval.
    ToolCallStart {
        /// Id of the approval.
        tool_call_id: String,
        /// Kind of the approval.
        tool_call_name: String,
        /// Message that shows the approval.
        parent_message_id: String,
    },
    /// Arguments of a call.
    ToolCallArgs {
        /// Id of the approval.
        tool_call_id: String,
        /// The canonical bytes of what an approval would release.
        delta: String,
    },
    /// End of a call's arguments.
    ToolCallEnd {
        /// Id of the approval.
        tool_call_id: String,
    },
    /// Result of a call that was decided.
    ToolCallResult {
        /// Id of the message with the result.
        message_id: String,
        /// Id of the approval.
        tool_call_id: String,
        /// The receipt, as text.
        content: String,
        /// `tool`.
        role: &'static str,
    },
    /// Beginning of a wait.
    StepStarted {
        /// Name of the wait: a class of effects.
        step_name: String,
    },
    /// End of a wait.
    StepFinished {
        /// Name of the wait.
        step_name: String,
    },
    /// State of the lane.
    StateSnapshot {
        /// The state.
        snapshot: Value,
    },
    /// Messages of the lane.
    MessagesSnapshot {
        /// The messages, oldest first.
        messages: Vec<HistoryMessage>,
    },
    /// Event of our own.
    Custom {
        /// Name: `throughline.…`.
        name: &'static str,
        /// Content.
        value: Value,
    },
}

/// State in which a run leaves its thread.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Outcome {
    /// Nothing blocks the thread.
    Success,
    /// The thread waits for answers.
    Interrupt {
        /// Kind of thing it waits for.
        interrupts: Vec<Interrupt>,
    },
}

/// Question that blocks a thread.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Interrupt {
    /// Card and version: `ap_….v3`.
    pub id: String,
    /// Kind of question.
    pub reason: InterruptReason,
    /// Question, for people.
    pub message: String,
    /// Call that an approval is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// JSON Schema of the answer's payload.
    pub response_schema: Value,
    /// Last moment at which an answer counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Version, hash, step of the card, and the labels of its buttons.
    pub metadata: Value,
}

/// Kind of question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InterruptReason {
    /// An approval.
    ToolCall,
    /// A choice among actions.
    InputRequired,
}

/// Message of a thread's history.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "role", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum HistoryMessage {
    /// Message of a person.
    User {
        /// The client's id if it gave one, else ours.
        id: String,
        /// Text.
        content: String,
    },
    /// Message of the assistant.
    Assistant(AssistantTurn),
    /// Result of a call.
    Tool {
        /// Id.
        id: String,
        /// Call.
        tool_call_id: String,
        /// Text.
        content: String,
    },
}

/// Message of the assistant, with the calls that it shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AssistantTurn {
    /// Id.
    pub id: String,
    /// Text.
    pub content: String,
    /// Calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
}

/// Call of a message.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolCall {
    /// Id of the approval.
    pub id: String,
    /// `function`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Name and arguments.
    pub function: FunctionCall,
}

/// Name and arguments of a call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FunctionCall {
    /// Kind of the approval.
    pub name: String,
    /// Canonical JSON of what an approval would release.
    pub arguments: String,
}
