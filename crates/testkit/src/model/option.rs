//! What a scenario says of lists of options: what a host shows, how that stands before the first turn, what the host does
//! with what only it can do, and what must be seen (`spec 04`).

use std::collections::BTreeMap;

use serde_json::Value as Json;
use throughline_engine::selection::{ClarifierType, Metadata, Parked, Role, Scope, SetOption, Shown, Signal};
use throughline_engine::work::Risk;

/// A list that was shown before the first turn, by the event a host would send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenSet {
    /// Its name for later.
    pub name: Option<String>,
    /// The lanes; none named is every lane that the scenario has.
    pub lanes: Vec<String>,
    /// What is shown. An empty instance is the lane for a list in the chat, else what the place is called.
    pub shown: Shown,
    /// What came of it since.
    pub stands: Stands,
}

/// How a list stands before the first turn. What people and hosts do is played; the rest is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stands {
    /// For whom; nobody named is whose list it is, else everybody who was introduced.
    pub users: Vec<String>,
    /// They look at it.
    pub focused: bool,
    /// This option of it was pressed, and executed.
    pub executed: Option<String>,
    /// This was done last, and not out of any list: a command did it.
    pub acted: Option<String>,
    /// These were rejected.
    pub rejected: Vec<String>,
    /// It was put aside.
    pub parked: Option<Parked>,
    /// This is being asked about it.
    pub clarifier: Option<ClarifierType>,
}

/// A host shows a list (`options.shown`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shows {
    /// Where.
    pub lane: String,
    /// What.
    pub shown: Shown,
}

/// A host takes a list away (`options.closed`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closes {
    /// Where.
    pub lane: String,
    /// Which list, by name or id.
    pub set: Option<String>,
    /// All lists of this place.
    pub instance: Option<String>,
}

/// Somebody looks at another panel (`focus.changed`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Focuses {
    /// Where.
    pub lane: String,
    /// Who.
    pub user: String,
    /// What kind of place.
    pub scope: Scope,
    /// Which one; an empty one is the lane for the chat.
    pub instance: String,
    /// Which option in it.
    pub option: Option<String>,
}

/// Somebody presses an option where its host shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chooses {
    /// Who.
    pub user: String,
    /// Where.
    pub lane: String,
    /// In which list, by name or id.
    pub set: String,
    /// Which option.
    pub option: String,
    /// What of the list they saw: its `exec_rev`; what it is now, if nobody says.
    pub version: Option<u32>,
}

/// What a host does with one effect that only it performs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostAnswer {
    /// It does it; asked what a list holds, it says what it said before.
    Done,
    /// It says nothing before the scenario does: `effect: { settle: option.execute, as: done }`.
    Held,
    /// It cannot.
    Failed,
    /// It does not know.
    Uncertain,
    /// Asked what a list holds, it says this.
    Holds {
        /// The options.
        options: Vec<SetOption>,
        /// The one that has the focus.
        focused: Option<String>,
    },
}

/// What somebody's lists have come to, as far as it is described.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewExpect {
    /// Whose; nobody named is who acted.
    pub user: Option<String>,
    /// Nothing is there.
    pub empty: bool,
    /// Members under their public names. A list goes by its name, an entry of the trace by its target's id.
    pub fields: BTreeMap<String, Json>,
    /// How lists stand, by name: `active`, `soft`, `parked(stop)`, `gone`.
    pub lists: BTreeMap<String, String>,
}

/// One event that was told.
#[derive(Clone, Debug, PartialEq)]
pub struct TelemetryExpect {
    /// Which.
    pub event: Signal,
    /// What it carries, as far as it is described.
    pub fields: BTreeMap<String, Json>,
}

/// An option as it is when nothing else is said of it: it can be executed, and only looks things up.
pub(crate) fn named(id: String, label: String) -> SetOption {
    SetOption {
        exec_ref: Some(format!("open:{id}")),
        id,
        label,
        sublabel: None,
        badge: None,
        aliases: Vec::new(),
        metadata: Metadata::default(),
        role: Role::Normal,
        repeatable: true,
        risk: Risk::Read,
    }
}

/// The place a list is in when nobody says which: a list in the chat is in its lane's, any other in what it is called.
pub(crate) fn instance(shown: &Shown, lane: &str) -> String {
    match (&shown.scope_instance, shown.scope, &shown.title) {
        (said, _, _) if !said.is_empty() => said.clone(),
        (_, Scope::Chat, _) => lane.into(),
        (_, _, Some(title)) => title.to_lowercase(),
        (_, scope, None) => scope.word().into(),
    }
}
