//! Shared by trackers over the network: a site for each tenant, the projects that are used there, and what an answer proves.

mod answer;
pub(crate) mod form;
mod gate;
mod lines;
mod markdown;
mod parents;
pub(crate) mod people;
mod projects;
mod report;
mod sites;

pub(crate) use answer::{Answer, Refused, not_sent, not_told, read, reason};
pub(crate) use gate::Gate;
pub(crate) use lines::{ending, has_line};
pub(crate) use markdown::{GAP, inert, parted};
pub(crate) use parents::Parents;
pub(crate) use projects::{ProjectSettings, issue_to_change, known, project, shows};
pub use report::Report;
pub(crate) use report::effect_in;
pub use sites::Sites;
pub(crate) use sites::{Outcome, Site};

use throughline_engine::data::fault::{FieldFault, TrackerFault};

use crate::project::closed;

/// The limits of our requests to one site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Requests at once.
    pub at_once: usize,
    /// Time between two writes that the far side counts together.
    pub between_writes: std::time::Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { at_once: 4, between_writes: std::time::Duration::from_secs(1) }
    }
}

/// The fault of a project that does not exist for a person.
pub(crate) fn no_project(project: &str, known: Vec<String>) -> FieldFault {
    closed(TrackerFault::NoProject { project: project.into(), known })
}
