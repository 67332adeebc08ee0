//! What a scenario says must be seen of a turn. Each compares exactly; what each means is `compare.rs`.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use throughline_engine::Verdict;
use throughline_engine::focus::Need;
use throughline_engine::intent::Intent;
use throughline_engine::selection::Provenance;
use throughline_engine::trace::Rung;

use super::{FactExpect, SummaryExpect, TaskExpect, TelemetryExpect, ViewExpect};

/// One thing that must be seen. Each compares exactly; [`Expectation::key`] is its key in the file.
#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    /// The kind of outcome.
    Decision(Verdict),
    /// The code of the decision's reason, or of one of those noted on the way: `trace.also`, what stood between a list and
    /// the model, `duplicate.delivery` for a delivery that intake answered.
    Reason(String),
    /// The rung that decided.
    Rung(Rung),
    /// What the user wants.
    Intent(Intent),
    /// What waits in the lane afterwards.
    Pending(PendingExpect),
    /// The answer that was taken; `None`: none was.
    Applied(Option<String>),
    /// What the message refers to.
    Focus(FocusExpect),
    /// Whether the text needs its anchor, and the words that say so.
    Reference(ReferenceExpect),
    /// Every text is part of something said or shown in the lane.
    Says(Vec<String>),
    /// Every text is part of something the acting person was told privately.
    Private(Vec<String>),
    /// The newest card this turn showed or changed; `None`: it showed and changed none.
    Card(Option<CardExpect>),
    /// Outward effects that reached the world, by class; empty: none did.
    Effects(BTreeMap<String, u32>),
    /// Questions that reached the model.
    ModelCalls(u32),
    /// A task the lane holds afterwards; `None`: it holds none.
    Task(Option<TaskExpect>),
    /// Every text is part of a prompt the model was sent.
    Prompt(Vec<String>),
    /// The option that is executed, by id or label; `None`: none is, by no turn that came of this one.
    Selected(Option<String>),
    /// The options that a question showed, by id or label, in order; `None`: no list was asked about.
    Clarify(Option<Vec<String>>),
    /// How the option or the question came about; `None`: nothing of a list did.
    Provenance(Option<Provenance>),
    /// What left for the next rung, member by member under its public name; `None`: nothing did.
    Handoff(Option<BTreeMap<String, Json>>),
    /// What somebody's lists have come to.
    View(ViewExpect),
    /// The events that were told, all of them and in order.
    Telemetry(Vec<TelemetryExpect>),
    /// All facts in reach of the lane, in any order; empty: there are none.
    Facts(Vec<FactExpect>),
    /// What the older messages of the lane were condensed to.
    Summary(SummaryExpect),
    /// Something of a capability this version does not have; running it fails.
    Later {
        /// The key: `warnings`.
        key: String,
        /// What was written.
        value: Json,
    },
    /// None of these may be seen.
    Not(Vec<Expectation>),
}

/// What waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PendingExpect {
    /// Nothing.
    None,
    /// Something that fits.
    One(PendingFit),
    /// These and nothing else, in any order.
    All(Vec<PendingFit>),
}

/// A pending, as far as it is described.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PendingFit {
    /// Its kind's public name.
    pub kind: Option<String>,
    /// Its expected type on the wire.
    pub expected: Option<String>,
    /// The value it took in this turn.
    pub value: Option<String>,
}

/// A focus, as far as it is described.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FocusExpect {
    /// `reply`, `reply.payload`, `lane.recency`, `none`.
    pub source: Option<String>,
    /// The anchor, by name.
    pub anchor: Option<String>,
    /// The anchor's task, by id or title.
    pub task: Option<String>,
}

/// A reference, as far as it is described.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceExpect {
    /// Whether the text needs its anchor.
    pub need: Option<Need>,
    /// Words that were found.
    pub words: Vec<String>,
}

/// A card, as far as it is described.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardExpect {
    /// Where it stands (`spec 03 §3`).
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

/// The items of a card, as far as they are described.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemsExpect {
    /// So many.
    Count(u32),
    /// These, in order.
    All(Vec<ItemExpect>),
}

/// An item of a card, as far as it is described.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemExpect {
    /// `Epic`, `Story 3`.
    pub label: Option<String>,
    /// Part of its title.
    pub title: Option<String>,
    /// Part of how it stands.
    pub state: Option<String>,
    /// Its buttons' actions, in order.
    pub buttons: Option<Vec<String>>,
    /// Part of one thing that is wrong with it; `none`: nothing is.
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
