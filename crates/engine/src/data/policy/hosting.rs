//! Division of the work between the engine and a host's own agent (`docs/design/0068-hosts.md`): who answers what no rung
//! decides, which capabilities are on, and who speaks.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::data::lane_key::LaneKey;
use crate::data::owner;
use crate::data::policy::{Policy, limits};
use crate::data::time::{Millis, Timestamp};

/// Way on for a message that no rung decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    /// The person is asked what to do with it.
    #[default]
    Gate,
    /// The host's agent answers it: the turn ends with the effect `turn.handover`.
    Host,
}

/// Speaker of what the engine has to say in a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Replies {
    /// The engine posts it in the channel.
    #[default]
    Engine,
    /// The host posts it: messages, cards and notices are effects that it performs.
    Host,
    /// Nobody. A message that the engine would answer in words is the host's to answer.
    None,
}

macro_rules! built_ins {
    ($($name:ident = $word:path, $says:literal;)*) => {
        /// Capability that can be switched off by name. What it has open when it is switched off still ends.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum BuiltIn {
            $(#[doc = $says] $name,)*
        }

        impl BuiltIn {
            /// Every capability, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns its name in a configuration.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }
        }
    };
}

built_ins! {
    Selection = owner::SELECTION, "Choosing from lists that a host shows.";
    Pending = owner::PENDING, "Reading answers to what a host's agent asked.";
    Tickets = owner::TICKETS, "Drafts of tickets, their previews and changes of issues.";
    Reviews = owner::REVIEWS, "Reviews of a text.";
    Decisions = owner::DECISIONS, "Decisions on record, and issues that a thread tracks.";
    Work = owner::WORK, "Tools and sub-agents that a message calls.";
    Facts = owner::FACTS, "Facts that people state.";
    Help = owner::HELP, "Greetings, help, and answers about what is open.";
}

/// Division of the work in one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hosting<'p> {
    /// Way on for what no rung decides.
    pub fallback: Fallback,
    /// Capabilities that are on; `None` means all of them.
    pub capabilities: Option<&'p [BuiltIn]>,
    /// Speaker.
    pub replies: Replies,
}

impl Hosting<'_> {
    /// Returns true if the capability is on.
    #[must_use]
    pub fn has(&self, capability: BuiltIn) -> bool {
        self.named(capability).unwrap_or(true)
    }

    /// Returns whether the capability is on, if the capabilities that are on are named.
    pub(crate) fn named(&self, capability: BuiltIn) -> Option<bool> {
        self.capabilities.map(|on| on.contains(&capability))
    }

    /// Returns true if the capability of that name is on, or if none of that name can be switched off.
    pub(crate) fn has_named(&self, name: &str) -> bool {
        BuiltIn::ALL.iter().find(|one| one.as_str() == name).is_none_or(|one| self.has(*one))
    }

    /// Returns true if all that the usual help speaks of is on: tickets, reviews and decisions.
    pub(crate) fn makes_tickets(&self) -> bool {
        [BuiltIn::Tickets, BuiltIn::Reviews, BuiltIn::Decisions].into_iter().all(|one| self.has(one))
    }

    /// Returns true if the host's agent answers what no rung decides.
    #[must_use]
    pub fn is_fallback(&self) -> bool {
        self.fallback == Fallback::Host
    }

    /// Returns the setting that cannot stand beside the others, and the reason.
    fn first_invalid(&self) -> Option<(&'static str, &'static str)> {
        let asks = [BuiltIn::Tickets, BuiltIn::Reviews].into_iter().all(|one| self.has(one));
        match self.fallback {
            Fallback::Host => None,
            Fallback::Gate if self.replies == Replies::None => {
                Some(("replies", "is none, so nobody would ask what to do: set `fallback` to host"))
            }
            Fallback::Gate if !asks => Some((
                "capabilities",
                "lacks tickets or reviews, which are what the gate offers: add them, or set `fallback` to host",
            )),
            Fallback::Gate => None,
        }
    }
}

/// Division of the work in one place. A part of the place that is not set fits every lane, and a setting that is not set is
/// the usual one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HostedPlace {
    /// Tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Channel: `slack`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// Room, chat or session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// Thread, topic or panel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Way on for what no rung decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Fallback>,
    /// Capabilities that are on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<BuiltIn>>,
    /// Speaker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replies: Option<Replies>,
}

impl HostedPlace {
    fn fits(&self, lane: &LaneKey) -> bool {
        let parts = [&self.tenant, &self.channel, &self.conversation, &self.thread];
        lane.is_in(parts.map(Option::as_deref))
    }

    fn over<'p>(&'p self, usual: Hosting<'p>) -> Hosting<'p> {
        Hosting {
            fallback: self.fallback.unwrap_or(usual.fallback),
            capabilities: self.capabilities.as_deref().or(usual.capabilities),
            replies: self.replies.unwrap_or(usual.replies),
        }
    }
}

impl Policy {
    /// Returns the division of the work in a lane: that of the first place that fits, else the usual one.
    #[must_use]
    pub fn hosting(&self, lane: &LaneKey) -> Hosting<'_> {
        let place = self.hosted.iter().find(|place| place.fits(lane));
        place.map_or(self.usual_hosting(), |place| place.over(self.usual_hosting()))
    }

    /// Returns the milliseconds that a host has to answer a turn.
    #[must_use]
    pub fn handover_ms(&self) -> Millis {
        self.handover_ms.unwrap_or(limits::HANDOVER)
    }

    fn usual_hosting(&self) -> Hosting<'_> {
        let capabilities = self.capabilities.as_deref();
        Hosting { fallback: self.fallback, capabilities, replies: self.replies }
    }

    /// Returns the first setting of the division that cannot stand beside the others, and the reason.
    pub(super) fn first_invalid_hosting(&self) -> Option<(&'static str, &'static str)> {
        let usual = self.usual_hosting();
        let of_places = || self.hosted.iter().find_map(|place| place.over(usual).first_invalid());
        let fits = (Timestamp::SECOND..=limits::HOST_REPORT).contains(&self.handover_ms());
        let deadline = (!fits).then_some(("handover_ms", "is from a second to a day"));
        deadline.or_else(|| usual.first_invalid()).or_else(|| of_places().map(|(_, why)| ("hosted", why)))
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn the_first_place_that_fits_decides_and_says_only_what_differs() {
        let policy = Policy {
            capabilities: Some(vec![BuiltIn::Selection]),
            fallback: Fallback::Host,
            hosted: vec![
                HostedPlace {
                    channel: Some("slack".into()),
                    replies: Some(Replies::Host),
                    ..HostedPlace::default()
                },
                HostedPlace {
                    conversation: Some("c1".into()),
                    capabilities: Some(BuiltIn::ALL.to_vec()),
                    fallback: Some(Fallback::Gate),
                    ..HostedPlace::default()
                },
            ],
            ..Policy::default()
        };
        let of = |channel: &str, conversation: &str| LaneKey::new("acme", "app", channel, conversation, "");
        let slack = of("slack", "c1");
        let slack = policy.hosting(&slack);
        assert_eq!((slack.fallback, slack.replies), (Fallback::Host, Replies::Host));
        assert!(slack.has(BuiltIn::Selection) && !slack.has(BuiltIn::Tickets));
        let gate = of("api", "c1");
        let gate = policy.hosting(&gate);
        assert_eq!((gate.fallback, gate.replies), (Fallback::Gate, Replies::Engine));
        assert!(gate.has(BuiltIn::Tickets));
        assert!(policy.hosting(&of("api", "c2")).is_fallback());
        assert_eq!(policy.first_invalid(), None);
    }

    #[test]
    fn a_gate_needs_its_buttons_and_a_voice() {
        let only = |capabilities: &[BuiltIn], replies| Policy {
            capabilities: Some(capabilities.to_vec()),
            replies,
            ..Policy::default()
        };
        let why = |policy: &Policy| policy.first_invalid().map(|(key, _)| key);
        assert_eq!(why(&only(&[BuiltIn::Tickets], Replies::Engine)), Some("capabilities"));
        assert_eq!(why(&only(BuiltIn::ALL, Replies::None)), Some("replies"));
        assert_eq!(why(&only(BuiltIn::ALL, Replies::Host)), None);
        let place = HostedPlace { fallback: Some(Fallback::Gate), ..HostedPlace::default() };
        let policy = Policy { fallback: Fallback::Host, hosted: vec![place], ..only(&[], Replies::Engine) };
        assert_eq!(why(&policy), Some("hosted"));
        for ms in [-1, 10, limits::HOST_REPORT + 1, i64::MAX] {
            assert_eq!(why(&Policy { handover_ms: Some(ms), ..Policy::default() }), Some("handover_ms"));
        }
    }
}
