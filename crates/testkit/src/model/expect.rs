//! Expectations: what a turn must show. `compare.rs` defines what each one means.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use throughline_engine::Verdict;
use throughline_engine::data::intent::Intent;
use throughline_engine::data::rung::Rung;
use throughline_engine::data::selection_trace::Provenance;
use throughline_language::reference::Need;

use super::{FactExpect, SummaryExpect, TaskExpect, TelemetryExpect, ViewExpect};

/// One expectation. Each compares exactly what it names; [`Expectation::key`] is its key in the file.
#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    /// The kind of outcome.
    Decision(Verdict),
    /// The code of the decision's reason, or of a reason noted on the way: one in `trace.also`, one that kept a list
    /// from a model, or `duplicate.delivery` for a delivery that intake recognised.
    Reason(String),
    /// The rung that decided.
    Rung(Rung),
    /// The intent of the message.
    Intent(Intent),
    /// The questions that are open in the lane afterwards.
    Pending(PendingExpect),
    /// The answer that was applied to a question; `None` if none was.
    Applied(Option<String>),
    /// The focus of the message.
    Focus(FocusExpect),
    /// The reference in the text: its need of an anchor, and the words that show it.
    Reference(ReferenceExpect),
    /// Texts that each have to be part of something said or shown in the lane.
    Says(Vec<String>),
    /// Texts that each have to be part of a private notice to the acting person.
    Private(Vec<String>),
    /// The newest card this turn showed or changed; `None` if it showed and changed none.
    Card(Option<CardExpect>),
    /// Outward effects that reached the world, counted by class; empty if none did.
    Effects(BTreeMap<String, u32>),
    /// The number of calls to the model.
    ModelCalls(u32),
    /// A task the lane holds afterwards; `None` if it holds none.
    Task(Option<TaskExpect>),
    /// Texts that each have to be part of a prompt sent to the model.
    Prompt(Vec<String>),
    /// The option that is executed, by id or label; `None` if none is, in this turn or in one that followed from it.
    Selected(Option<String>),
    /// The options a question showed, by id or label, in order; `None` if no question was about a list.
    Clarify(Option<Vec<String>>),
    /// The provenance of the option or the question; `None` if no list was involved.
    Provenance(Option<Provenance>),
    /// The handoff to the next rung, by its members' public names; `None` if there was none.
    Handoff(Option<BTreeMap<String, Json>>),
    /// The state of a person's lists.
    View(ViewExpect),
    /// All telemetry events of the turn, in order.
    Telemetry(Vec<TelemetryExpect>),
    /// All facts in reach of the lane, in any order; empty if there are none.
    Facts(Vec<FactExpect>),
    /// The summary of the lane's older messages.
    Summary(SummaryExpect),
    /// A key of a capability this version does not have; a scenario that uses it fails when it runs.
    Later {
        /// The key: `warnings`.
        key: String,
        /// The value as written.
        value: Json,
    },
    /// Expectations of which none may come true.
    Not(Vec<Expectation>),
}

/// The questions that have to be open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PendingExpect {
    /// Nothing.
    None,
    /// At least one that fits.
    One(PendingFit),
    /// These and no others, in any order.
    All(Vec<PendingFit>),
}

/// An open question; fields that are `None` are not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PendingFit {
    /// Its kind's public name.
    pub kind: Option<String>,
    /// Its expected type on the wire.
    pub expected: Option<String>,
    /// The value it took in this turn.
    pub value: Option<String>,
}

/// A focus; fields that are `None` are not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FocusExpect {
    /// `reply`, `reply.payload`, `lane.recency`, `none`.
    pub source: Option<String>,
    /// The anchor, by name.
    pub anchor: Option<String>,
    /// The anchor's task, by id or title.
    pub task: Option<String>,
}

/// A reference; an empty field is not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceExpect {
    /// The text's need of an anchor.
    pub need: Option<Need>,
    /// Words that show the need.
    pub words: Vec<String>,
}

/// A card; fields that are `None` are not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardExpect {
    /// Its workflow step.
    pub step: Option<String>,
    /// Its version.
    pub version: Option<u32>,
    /// Its buttons' actions, in order.
    pub buttons: Option<Vec<String>>,
    /// Part of its title.
    pub title: Option<String>,
    /// `open`, `working`, `created`, `failed`, `uncertain`, `cancelled`, `rejected`, `dismissed`, `answered`, `decided`,
    /// `superseded`, `expired`, `withdrawn`.
    pub state: Option<String>,
    /// Its items, in order.
    pub items: Option<ItemsExpect>,
}

/// The items of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemsExpect {
    /// This number of items.
    Count(u32),
    /// These items, in order.
    All(Vec<ItemExpect>),
}

/// An item of a card; fields that are `None` are not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemExpect {
    /// Its label, such as `Epic` or `Story 3`.
    pub label: Option<String>,
    /// Part of its title.
    pub title: Option<String>,
    /// Part of its state.
    pub state: Option<String>,
    /// Its buttons' actions, in order.
    pub buttons: Option<Vec<String>>,
    /// Part of one of its errors; `none` if it has none.
    pub error: Option<String>,
}

impl Expectation {
    /// Its key in a scenario.
    #[must_use]
    pub fn key(&self) -> &str {
        match self {
            Self::Decision(_) => "decision",
            Self::Reason(_) => "reason",
            Self::Rung(_) => "rung",
            Self::Intent(_) => "intent",
            Self::Pending(_) => "pending",
            Self::Applied(_) => "applied",
            Self::Focus(_) => "focus",
            Self::Reference(_) => "reference",
            Self::Says(_) => "says",
            Self::Private(_) => "private",
            Self::Card(_) => "card",
            Self::Effects(_) => "effects",
            Self::ModelCalls(_) => "model_calls",
            Self::Task(_) => "task",
            Self::Prompt(_) => "prompt",
            Self::Selected(_) => "selected",
            Self::Clarify(_) => "clarify",
            Self::Provenance(_) => "provenance",
            Self::Handoff(_) => "handoff",
            Self::View(_) => "view",
            Self::Telemetry(_) => "telemetry",
            Self::Facts(_) => "facts",
            Self::Summary(_) => "summary",
            Self::Later { key, .. } => key,
            Self::Not(_) => "not",
        }
    }
}
