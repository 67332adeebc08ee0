//! Shapes of the HTTP API, separate from the engine's types so that each can change without the other. The OpenAPI
//! document is generated from them. Times are RFC 3339 in UTC with milliseconds.

mod approval;
mod context;
mod effect;
mod event;
pub(crate) mod fact;
mod file;
mod lane;
mod learn;
mod list_view;
mod operations;
mod option;
mod problem;
mod run;
mod tenant_event;
mod tool;
mod turn;
mod user;
pub(crate) mod vocabulary;
mod webhook;

pub use approval::{Approval, ApprovalNews, Authored, Decide, DecideActor, Decided, DecidingRule, Decision};
pub use context::{Context, Omitted, Render, RenderedTask, Repair};
pub use effect::{AnswerBody, Effect, Remote, Resolution, Resolve, ResultOutcome, ResultReport, Settled};
pub use event::EventBody;
pub use fact::{Fact, StateFact};
pub use file::{File, MessageFile};
pub use lane::{
    Button, Card, CardRequest, Field, FieldError, Item, Lane, LaneEvent, LaneEvents, LaneInfo, Message,
    Moment, Pending, Task, Writing,
};
pub use learn::{
    ChangedDecision, DecisionBrief, JudgeMargins, LearnProposal, LearnReplay, LearnSuggestion, Learned,
    LearnedVersion, Lesson, Phrase,
};
pub use list_view::{SetStanding, TargetRef, TraceEntry, View};
pub use operations::{
    Erasure, Issue, IssueComment, IssueLink, Pause, PauseChange, Ready, Replay, ReplayedTurn, Replays,
    SignInLink, SignInLinkFor, Version,
};
pub use option::{
    ClosedBody, ComparisonBody, FieldBody, FocusBody, Handoff, MetadataBody, OptionBody, OptionSet,
    OptionSetAnswer, Referent, Selection, ShownBody, SnapshotBody, Standing,
};
pub use problem::{Current, Pointed, ProblemDetails};
pub use run::{ResumeEntry, RunAgentInput};
pub use tenant_event::{Envelope, Place, ServerSentEvent, TenantEvents};
pub use tool::{PinTools, PinnedTools, Tool, UnreachableTool};
pub use turn::{Applied, Focus, Passed, Received, SettledBy, Turn, TurnAnswer, TurnInfo, Why};
pub use user::{Session, User, UserChange};
pub use webhook::{DeadLetter, Delivered, Webhook};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Page of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Page<T> {
    /// Items of the page.
    pub items: Vec<T>,
    /// Cursor of the next page, for `?cursor=`; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}
