//! Tracker and project that a ticket goes to.

use alloc::string::String;

use serde::{Deserialize, Serialize};

use crate::data::lane_key::LaneKey;
use crate::data::policy::Policy;
use crate::data::ticket::Target;

/// Project of the tickets of a place that name none. A part that is not set fits every lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Destination {
    /// Tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Channel: `slack`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// Room, chat or session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// Thread, topic or panel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Key of the project.
    pub project: String,
}

impl Destination {
    fn fits(&self, lane: &LaneKey) -> bool {
        let parts = [&self.tenant, &self.channel, &self.conversation, &self.thread];
        lane.is_in(parts.map(Option::as_deref))
    }
}

impl Policy {
    /// Returns a project with the tracker that it is in.
    #[must_use]
    pub fn target(&self, project: &str) -> Target {
        let tracker = self.trackers.get(project).unwrap_or(&self.project.tracker);
        Target { tracker: tracker.clone(), project: project.into() }
    }

    /// Returns the target of a lane's tickets that name no project: the first destination that fits, else the usual one.
    #[must_use]
    pub fn destination(&self, lane: &LaneKey) -> Target {
        let set = self.destinations.iter().find(|destination| destination.fits(lane));
        set.map_or_else(|| self.project.clone(), |set| self.target(&set.project))
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec;

    use super::*;

    #[test]
    fn the_first_that_fits_is_where_tickets_go() {
        let of = |channel: Option<&str>, conversation: Option<&str>, project: &str| Destination {
            tenant: None,
            channel: channel.map(Into::into),
            conversation: conversation.map(Into::into),
            thread: None,
            project: project.into(),
        };
        let policy = Policy {
            trackers: [("OPS".to_string(), "jira.main".to_string())].into(),
            destinations: vec![of(Some("slack"), Some("C1"), "OPS"), of(Some("slack"), None, "WEB")],
            ..Policy::default()
        };
        for (channel, conversation, expected) in
            [("slack", "C1", "jira.main:OPS"), ("slack", "C2", "local:WEB"), ("telegram", "C1", "local:DEMO")]
        {
            let lane = LaneKey::new("acme", "app", channel, conversation, "");
            assert_eq!(policy.destination(&lane).to_string(), expected, "{channel} {conversation}");
        }
        assert_eq!(policy.target("OPS").to_string(), "jira.main:OPS");
    }
}
