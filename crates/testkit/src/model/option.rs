//! Lists of options in a scenario: what a host shows and does, the state before the first turn, and what is expected.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use throughline_engine::data::handover::HostAnswer as Handled;
use throughline_engine::data::option_set::OptionsShown;
use throughline_engine::data::scope::Scope;
use throughline_engine::data::selection_trace::Signal;
use throughline_engine::data::set_option::SetOption;
use throughline_engine::data::view::{ClarifierType, ParkReason};

/// A list that was shown before the first turn, by the event a host would send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenSet {
    /// Its name for later.
    pub name: Option<String>,
    /// The lanes that show it; all lanes of the scenario if empty.
    pub lanes: Vec<String>,
    /// The list. An empty instance means the lane for a list in the chat, and the title for any other.
    pub shown: OptionsShown,
    /// Its state before the first turn.
    pub state: ListState,
}

/// The state of a list before the first turn. Acts of people and hosts are replayed; the rest is written as records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListState {
    /// The people it holds for; if empty, the list's own user, or everybody who was introduced.
    pub users: Vec<String>,
    /// The list has the focus.
    pub focused: bool,
    /// The option that was pressed and executed.
    pub executed: Option<String>,
    /// The last action, when it was a command and not an option of a list.
    pub acted: Option<String>,
    /// The options that were rejected.
    pub rejected: Vec<String>,
    /// The reason the list was parked, if it was.
    pub parked: Option<ParkReason>,
    /// The question that is open about it.
    pub clarifier: Option<ClarifierType>,
}

/// A host shows a list (`options.shown`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShowList {
    /// The lane's name.
    pub lane: String,
    /// The list.
    pub shown: OptionsShown,
}

/// A host closes a list (`options.closed`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloseList {
    /// The lane's name.
    pub lane: String,
    /// The list, by name or id.
    pub set: Option<String>,
    /// The place whose lists are all closed.
    pub instance: Option<String>,
}

/// A person looks at another panel (`focus.changed`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeFocus {
    /// The lane's name.
    pub lane: String,
    /// The person.
    pub user: String,
    /// The scope of the panel.
    pub scope: Scope,
    /// The panel; empty for the chat of the lane.
    pub instance: String,
    /// The option that has the focus in it.
    pub option: Option<String>,
}

/// A person presses an option where its host shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PressOption {
    /// The person.
    pub user: String,
    /// The lane's name.
    pub lane: String,
    /// The list, by name or id.
    pub set: String,
    /// The option.
    pub option: String,
    /// The `exec_rev` the person saw; the current one if `None`.
    pub version: Option<u32>,
}

/// A host's handling of one effect that only it performs.
#[derive(Clone, Debug, PartialEq)]
pub enum HostAnswer {
    /// Performs it. Asked for evidence, the host repeats what it showed.
    Done,
    /// Leaves it open until the scenario ends it: `effect: { settle: option.execute, as: done }`.
    Held,
    /// Reports a failure.
    Failed,
    /// Reports an unknown outcome.
    Uncertain,
    /// Answers a turn that it was handed.
    Handled(Box<Handled>),
    /// Answers a request for evidence with this list.
    Holds {
        /// The options.
        options: Vec<SetOption>,
        /// The option that has the focus.
        focused: Option<String>,
    },
}

/// The state of a person's lists; what is not described is not compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewExpect {
    /// The person; the one who acted if `None`.
    pub user: Option<String>,
    /// The person has no record of lists at all.
    pub empty: bool,
    /// Members by their public names. A list goes by its name, an entry of the trace by its target's id.
    pub fields: BTreeMap<String, Json>,
    /// The state of lists, by name: `active`, `soft`, `parked(stop)`, `gone`.
    pub lists: BTreeMap<String, String>,
}

/// One telemetry event.
#[derive(Clone, Debug, PartialEq)]
pub struct TelemetryExpect {
    /// The event.
    pub event: Signal,
    /// Its fields; those not named are not compared.
    pub fields: BTreeMap<String, Json>,
}

/// Makes an option with defaults: it can be executed, and its risk is read-only.
pub(crate) fn named(id: String, label: String) -> SetOption {
    let exec_ref = format!("open:{id}");
    SetOption::named(id, label).running(exec_ref)
}

/// Returns the place a list is in: the given instance, else the lane for the chat, else the title.
pub(crate) fn instance(shown: &OptionsShown, lane: &str) -> String {
    match (&shown.scope_instance, shown.scope, &shown.title) {
        (said, _, _) if !said.is_empty() => said.clone(),
        (_, Scope::Chat, _) => lane.into(),
        (_, _, Some(title)) => title.to_lowercase(),
        (_, scope, None) => scope.as_str().into(),
    }
}
