//! Ids of everything the engine makes. They are derived, not random, so that a replay makes the same ids.
//! Most hold the revision and number they were made with, so that a store can keep a record next to the
//! others of its turn.

use alloc::format;
use alloc::string::String;
use core::fmt;
use serde::{Deserialize, Serialize};

use crate::data::canonical_json::{base32, sha256};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// Prefix of every id of this kind.
            pub const PREFIX: &'static str = $prefix;

            /// Returns the id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
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
    /// Id of a lane, used in web addresses and on the command line.
    LaneId, "ln_";
    /// Id of a turn: one event, stepped and committed.
    TurnId, "tn_";
    /// Id of an effect: outbox key, marker at the vendor, and reference in the settling event.
    EffectId, "fx_";
    /// Id of a message, of ours or of a person.
    MessageId, "m_";
    /// Id of a task.
    TaskId, "t_";
    /// Id of a pending: a question that waits.
    PendingId, "pd_";
    /// Id of a card. If the card is an approval, the id begins with `ap_`.
    CardId, "cd_";
    /// Id of a draft: the text of a ticket before it is created.
    DraftId, "dr_";
    /// Id of a review.
    ReviewId, "rv_";
    /// Id of a batch of tickets.
    BatchId, "b_";
    /// Id of a decision record.
    ProposalId, "dc_";
    /// Id of a list of options, derived from its content.
    SetId, "os1-";
    /// Id of a timer.
    TimerId, "tm_";
    /// Id of a fact, derived from its text and its place (`docs/design/0027-facts.md`).
    FactId, "f1-";
}

/// Origin of an id that a turn made. Among ids of one kind, the earlier is the less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IdOrigin {
    /// Kind, as an index into [`KINDS`].
    pub kind: u8,
    /// Revision that the turn wrote.
    pub revision: u64,
    /// Number within the turn.
    pub ordinal: u32,
}

/// Prefixes of the ids that turns make. The flag is true if the id also holds a part of the lane's id.
/// Indices are stored, so they are never reused.
pub const KINDS: [(&str, bool); 8] = [
    (MessageId::PREFIX, false),
    (TaskId::PREFIX, false),
    (PendingId::PREFIX, false),
    (DraftId::PREFIX, false),
    (CardId::PREFIX, true),
    (CardId::APPROVAL, true),
    (TimerId::PREFIX, true),
    (BatchId::PREFIX, false),
];

/// Number of characters of the lane's id in other ids. At 5 bits each, 80 bits keep the lanes of a tenant
/// apart.
pub(crate) const TAG: usize = 16;

impl CardId {
    /// Prefix of a card that is an approval.
    pub const APPROVAL: &'static str = "ap_";
}

impl TurnId {
    /// Returns the lane and the revision that the id holds.
    #[must_use]
    pub fn parts(&self) -> Option<(LaneId, u64)> {
        let (lane, revision) = self.0.strip_prefix(Self::PREFIX)?.split_once('_')?;
        Some((LaneId(format!("{}{lane}", LaneId::PREFIX)), number(revision)?))
    }
}

/// Returns the part of a lane's id that other ids hold.
pub(crate) fn lane_tag(lane: &LaneId) -> &str {
    lane.0.get(LaneId::PREFIX.len()..LaneId::PREFIX.len() + TAG).unwrap_or_default()
}

/// Returns the origin of an id; `None` if no turn of this lane makes such an id. Every id has an origin of
/// its own.
///
/// ```
/// use throughline_engine::LaneKey;
/// use throughline_engine::data::id;
/// let lane = LaneKey::new("acme", "A111", "slack", "C222", "1700000000.000100").id();
/// let made = id::id_origin(&lane, "cd_atpfhd2dnan4hnne_8_1").unwrap();
/// assert_eq!((made.revision, made.ordinal), (8, 1));
/// assert_eq!(id::id_origin(&lane, "cd_8_1"), None);
/// assert_eq!(id::id_origin(&lane, "m_08_1"), None);
/// ```
#[must_use]
pub fn id_origin(lane: &LaneId, id: &str) -> Option<IdOrigin> {
    let (kind, rest, wide) =
        (0..).zip(KINDS).find_map(|(kind, (prefix, wide))| Some((kind, id.strip_prefix(prefix)?, wide)))?;
    let rest = if wide { rest.strip_prefix(lane_tag(lane))?.strip_prefix('_')? } else { rest };
    let (revision, ordinal) = rest.split_once('_')?;
    Some(IdOrigin { kind, revision: number(revision)?, ordinal: u32::try_from(number(ordinal)?).ok()? })
}

/// Returns the position of a message in its lane, as revision and ordinal. Positions order messages by
/// arrival.
#[must_use]
pub(crate) fn message_position(message: &str) -> Option<(u64, u64)> {
    let (revision, ordinal) = message.strip_prefix(MessageId::PREFIX)?.split_once('_')?;
    Some((number(revision)?, number(ordinal)?))
}

/// Parses decimal digits without a sign or leading zeros, so that every number has one spelling.
fn number(digits: &str) -> Option<u64> {
    let plain = digits.bytes().all(|c| c.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    if plain { digits.parse().ok() } else { None }
}

/// Returns `prefix` followed by the base32 of the first 15 bytes of a SHA-256.
pub(crate) fn digest_id(prefix: &str, canonical: &str) -> String {
    let mut id = String::with_capacity(prefix.len() + 24);
    id.push_str(prefix);
    base32(&sha256(&[canonical.as_bytes()])[..15], &mut id);
    id
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::id_generator::IdGenerator;
    use crate::data::lane_key::LaneKey;

    fn lane() -> LaneKey {
        LaneKey::new("acme", "A111", "slack", "C222", "1700000000.000100")
    }

    #[test]
    fn an_effect_id_has_a_known_hash() {
        assert_eq!(IdGenerator::new(&lane(), 8).effect(1).as_str(), "fx_72jxivl7mdlc3hojwet5pu3h");
    }

    #[test]
    fn every_id_says_where_it_was_made() {
        let lane = lane();
        for (kind, (prefix, _)) in (0..).zip(KINDS) {
            for (revision, ordinal) in [(1, 0), (8, 31), (u64::MAX, u32::MAX)] {
                let id = IdGenerator::new(&lane, revision).other(prefix, ordinal);
                assert_eq!(id_origin(&lane.id(), &id), Some(IdOrigin { kind, revision, ordinal }), "{id}");
            }
        }
        let turn = IdGenerator::new(&lane, 8).turn();
        assert_eq!(turn.parts(), Some((lane.id(), 8)));
    }

    #[test]
    fn what_this_lane_did_not_make_has_no_place() {
        let (ours, theirs) = (lane().id(), LaneKey::new("acme", "A111", "slack", "C333", ""));
        let foreign = IdGenerator::new(&theirs, 8).other(CardId::PREFIX, 1);
        for id in [foreign.as_str(), "m_8", "m_8_", "m__0", "m_+8_0", "m_8_00", "x_8_0", "", "m_8_4294967296"]
        {
            assert_eq!(id_origin(&ours, id), None, "{id}");
        }
    }
}
