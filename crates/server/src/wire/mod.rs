//! The shapes of the HTTP API, apart from the engine's own so that neither has to move with the other. The OpenAPI
//! document is generated from these. Times are RFC 3339 in UTC with milliseconds.

mod approval;
mod context;
mod effect;
mod event;
mod fact;
mod keeping;
mod lane;
mod option;
mod problem;
mod tool;
mod turn;

pub use approval::{Approval, Decide, DecideActor, Decided, Decision};
pub use context::{Context, Omitted, Render, RenderedTask, Repair};
pub use effect::{Effect, Remote, Resolution, Resolve, ResultOutcome, ResultReport, Settled};
pub use event::EventBody;
pub use fact::{Fact, StateFact};
pub use keeping::{
    Erasure, Issue, IssueComment, IssueLink, Pause, PauseChange, Ready, Replay, ReplayedTurn, Replays,
    SignInLink, SignInLinkFor, Version,
};
pub use lane::{
    Button, Card, Field, FieldError, Item, Lane, LaneEvent, LaneEvents, LaneInfo, Message, Pending, Task,
};
pub use option::{
    ClosedBody, FocusBody, Handoff, MetadataBody, OptionBody, OptionSet, OptionSetAnswer, Referent,
    Selection, SetStanding, ShownBody, SnapshotBody, Standing, TargetRef, TraceEntry, View,
};
pub use problem::{Current, Pointed, ProblemDetails};
pub use tool::{PinTools, PinnedTools, Tool, UnreachableTool};
pub use turn::{Applied, Focus, Passed, Received, SettledBy, Turn, TurnAnswer, TurnInfo, Why};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Page<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// Hand it back as `?cursor=` for the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}
