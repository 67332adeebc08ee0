//! Names for things, all derived: no randomness, so a replay makes the same ones. Most say where they were made,
//! so that a store finds them there, next to what was made with them.

use alloc::format;
use alloc::string::String;
use core::fmt::{self, Write as _};
use serde::{Deserialize, Serialize};

use crate::canon::{base32, sha256, write_strings};
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
    /// A review.
    ReviewId, "rv_";
    /// Several tickets that are shown and approved together.
    BatchId, "b_";
    /// A decision people record.
    ProposalId, "dc_";
    /// A list of options, by its content.
    SetId, "os1-";
    /// A deadline.
    TimerId, "tm_";
    /// A fact, by what it says and where it is kept (`spec 05 §8.1`).
    FactId, "f1-";
}

/// Where a turn's new ids come from: the lane, the revision the turn writes, and a running number.
///
/// Turn, card, approval and timer are named outside their lane, so their ids carry a piece of the lane's. What is
/// only named inside it (messages, tasks, questions, drafts) needs no more than revision and number: `m_8_0`.
/// Effects have ids of their own (`spec 06 §4.1`), because vendors keep them.
///
/// ```
/// use throughline_engine::{EffectId, LaneKey, id::Mint};
/// let lane = LaneKey::new("acme", "A111", "slack", "C222", "1700000000.000100");
/// assert_eq!(lane.id().as_str(), "ln_atpfhd2dnan4hnneg4slqvhi");
/// let mint = Mint::new(&lane, 8);
/// assert_eq!(mint.effect(0), EffectId::from("fx_65emfyihdqmez2f6x5fvmpxn"));
/// assert_eq!(mint.turn().as_str(), "tn_atpfhd2dnan4hnneg4slqvhi_8");
/// assert_eq!(mint.other("m_", 0), "m_8_0");
/// assert_eq!(mint.other("cd_", 1), "cd_atpfhd2dnan4hnne_8_1");
/// ```
#[derive(Clone, Debug)]
pub struct Mint<'a> {
    lane: &'a LaneKey,
    id: LaneId,
    revision: u64,
}

/// What an id of a turn says: where it was made. Of one kind, an earlier id is less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Made {
    /// What it is: a place in [`KINDS`].
    pub kind: u8,
    /// The revision its turn wrote.
    pub revision: u64,
    /// Its number in that turn.
    pub ordinal: u32,
}

/// How the ids of a turn begin, and whether they carry a piece of the lane's. Places are never used again: a store
/// keeps them.
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

/// Characters of the lane's id, 5 bits each: 80 bits keep two lanes of a tenant apart.
const TAG: usize = 16;

impl CardId {
    /// What the id of a card begins with that releases outward effects.
    pub const APPROVAL: &'static str = "ap_";
}

impl TurnId {
    /// The lane and the revision it names.
    #[must_use]
    pub fn parts(&self) -> Option<(LaneId, u64)> {
        let (lane, revision) = self.0.strip_prefix(Self::PREFIX)?.split_once('_')?;
        Some((LaneId(format!("{}{lane}", LaneId::PREFIX)), number(revision)?))
    }
}

impl<'a> Mint<'a> {
    /// Ids for the turn that writes `revision` of `lane`.
    #[must_use]
    pub fn new(lane: &'a LaneKey, revision: u64) -> Self {
        Self { lane, id: lane.id(), revision }
    }

    /// The id of the turn's `ordinal`-th effect (`spec 06 §4.1`).
    #[must_use]
    pub fn effect(&self, ordinal: u32) -> EffectId {
        let mut name = String::with_capacity(128);
        name.push_str("[\"throughline/effect/1\",");
        write_strings(&self.lane.parts(), &mut name);
        // Writing to a text never fails.
        let _ = write!(name, ",{},{ordinal}]", self.revision);
        EffectId(digest_id(EffectId::PREFIX, &name))
    }

    /// The id of the turn itself.
    #[must_use]
    pub fn turn(&self) -> TurnId {
        let lane = &self.id.0[LaneId::PREFIX.len()..];
        TurnId(format!("{}{lane}_{}", TurnId::PREFIX, self.revision))
    }

    /// Any other id of this turn.
    #[must_use]
    pub fn other(&self, prefix: &str, ordinal: u32) -> String {
        let mut id = String::with_capacity(prefix.len() + TAG + 16);
        id.push_str(prefix);
        if KINDS.contains(&(prefix, true)) {
            id.push_str(tag(&self.id));
            id.push('_');
        }
        // Writing to a text never fails.
        let _ = write!(id, "{}_{ordinal}", self.revision);
        id
    }
}

/// The piece of a lane's id that ids outside of it carry.
fn tag(lane: &LaneId) -> &str {
    lane.0.get(LaneId::PREFIX.len()..LaneId::PREFIX.len() + TAG).unwrap_or_default()
}

/// Where an id of this lane was made; `None` when it is no id that a turn of this lane makes. No two ids are made at
/// the same place.
///
/// ```
/// use throughline_engine::{LaneKey, id};
/// let lane = LaneKey::new("acme", "A111", "slack", "C222", "1700000000.000100").id();
/// let made = id::made(&lane, "cd_atpfhd2dnan4hnne_8_1").unwrap();
/// assert_eq!((made.revision, made.ordinal), (8, 1));
/// assert_eq!(id::made(&lane, "cd_8_1"), None);
/// assert_eq!(id::made(&lane, "m_08_1"), None);
/// ```
#[must_use]
pub fn made(lane: &LaneId, id: &str) -> Option<Made> {
    let (kind, rest, wide) =
        (0..).zip(KINDS).find_map(|(kind, (prefix, wide))| Some((kind, id.strip_prefix(prefix)?, wide)))?;
    let rest = if wide { rest.strip_prefix(tag(lane))?.strip_prefix('_')? } else { rest };
    let (revision, ordinal) = rest.split_once('_')?;
    Some(Made { kind, revision: number(revision)?, ordinal: u32::try_from(number(ordinal)?).ok()? })
}

/// The order in which a lane's messages came: the revision and the place in it that made an id.
#[must_use]
pub(crate) fn place(message: &str) -> Option<(u64, u64)> {
    let (revision, ordinal) = message.strip_prefix(MessageId::PREFIX)?.split_once('_')?;
    Some((number(revision)?, number(ordinal)?))
}

/// Decimal digits as they are written: no sign, no zero before them.
fn number(digits: &str) -> Option<u64> {
    let plain = digits.bytes().all(|c| c.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    if plain { digits.parse().ok() } else { None }
}

/// `prefix` and the base32 of the first 15 bytes of SHA-256.
pub(crate) fn digest_id(prefix: &str, canonical: &str) -> String {
    let mut id = String::with_capacity(prefix.len() + 24);
    id.push_str(prefix);
    base32(&sha256(&[canonical.as_bytes()])[..15], &mut id);
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane() -> LaneKey {
        LaneKey::new("acme", "A111", "slack", "C222", "1700000000.000100")
    }

    #[test]
    fn second_effect_of_the_spec() {
        assert_eq!(Mint::new(&lane(), 8).effect(1).as_str(), "fx_72jxivl7mdlc3hojwet5pu3h");
    }

    #[test]
    fn every_id_says_where_it_was_made() {
        let lane = lane();
        for (kind, (prefix, _)) in (0..).zip(KINDS) {
            for (revision, ordinal) in [(1, 0), (8, 31), (u64::MAX, u32::MAX)] {
                let id = Mint::new(&lane, revision).other(prefix, ordinal);
                assert_eq!(made(&lane.id(), &id), Some(Made { kind, revision, ordinal }), "{id}");
            }
        }
        let turn = Mint::new(&lane, 8).turn();
        assert_eq!(turn.parts(), Some((lane.id(), 8)));
    }

    #[test]
    fn what_this_lane_did_not_make_has_no_place() {
        let (ours, theirs) = (lane().id(), LaneKey::new("acme", "A111", "slack", "C333", ""));
        let foreign = Mint::new(&theirs, 8).other(CardId::PREFIX, 1);
        for id in [foreign.as_str(), "m_8", "m_8_", "m__0", "m_+8_0", "m_8_00", "x_8_0", "", "m_8_4294967296"]
        {
            assert_eq!(made(&ours, id), None, "{id}");
        }
    }
}
