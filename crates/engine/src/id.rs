//! Names for things, all derived: no randomness, so a replay makes the same ones.

use alloc::format;
use alloc::string::String;
use core::fmt;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::canon::{base32, jcs, sha256};
use crate::lane::LaneKey;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// What every id of this kind begins with.
            pub const PREFIX: &'static str = $prefix;

            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }
    )*};
}

ids! {
    /// A lane, in URLs and on the command line.
    LaneId, "ln_";
    /// One stepped and committed event.
    TurnId, "tn_";
    /// An effect: the outbox key, the marker at the vendor, the id in the settling event.
    EffectId, "fx_";
    /// A message, ours or a person's.
    MessageId, "m_";
    /// What somebody asked for.
    TaskId, "t_";
    /// A question that waits.
    PendingId, "pd_";
    /// A card with buttons. One that releases outward effects is an approval and begins with `ap_`.
    CardId, "cd_";
    /// The text of a ticket before it is one.
    DraftId, "dr_";
    /// A deadline.
    TimerId, "tm_";
}

/// Where a turn's new ids come from: the lane and the revision the turn writes, then a running number
/// for each kind.
///
/// ```
/// use throughline_engine::{EffectId, LaneKey, id::Mint};
/// let lane = LaneKey::new("acme", "A111", "slack", "C222", "1700000000.000100");
/// assert_eq!(lane.id().as_str(), "ln_atpfhd2dnan4hnneg4slqvhi");
/// assert_eq!(Mint::new(&lane, 8).effect(0), EffectId::from("fx_65emfyihdqmez2f6x5fvmpxn"));
/// ```
#[derive(Clone, Debug)]
pub struct Mint<'a> {
    lane: &'a LaneKey,
    revision: u64,
}

impl<'a> Mint<'a> {
    /// Ids for the turn that writes `revision` of `lane`.
    #[must_use]
    pub fn new(lane: &'a LaneKey, revision: u64) -> Self {
        Self { lane, revision }
    }

    /// The id of the turn's `ordinal`-th effect (`spec 06 §4.1`).
    #[must_use]
    pub fn effect(&self, ordinal: u32) -> EffectId {
        EffectId(self.derive(EffectId::PREFIX, "throughline/effect/1", ordinal))
    }

    /// The id of the turn itself.
    #[must_use]
    pub fn turn(&self) -> TurnId {
        TurnId(self.derive(TurnId::PREFIX, "throughline/turn-id/1", 0))
    }

    /// Any other id of this turn.
    #[must_use]
    pub fn other(&self, prefix: &str, ordinal: u32) -> String {
        self.derive(prefix, "throughline/id/1", ordinal)
    }

    fn derive(&self, prefix: &str, domain: &str, ordinal: u32) -> String {
        let name = if domain == "throughline/id/1" {
            json!([domain, self.lane.parts(), prefix, self.revision, ordinal])
        } else {
            json!([domain, self.lane.parts(), self.revision, ordinal])
        };
        digest_id(prefix, &jcs(&name))
    }
}

/// `prefix` and the base32 of the first 15 bytes of SHA-256.
pub(crate) fn digest_id(prefix: &str, canonical: &str) -> String {
    format!("{prefix}{}", base32(&sha256(&[canonical.as_bytes()])[..15]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_effect_of_the_spec() {
        let lane = LaneKey::new("acme", "A111", "slack", "C222", "1700000000.000100");
        assert_eq!(Mint::new(&lane, 8).effect(1).as_str(), "fx_72jxivl7mdlc3hojwet5pu3h");
    }
}
