//! Ids derived from a lane and a revision.

use crate::data::canonical_json::write_strings;
use crate::data::id::{EffectId, LaneId, TurnId};
use crate::data::id::{KINDS, TAG, digest_id, lane_tag};
use crate::data::lane_key::LaneKey;
use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;

/// The source of a turn's new ids: the lane, the revision the turn writes, and a running number.
///
/// Turns, cards, approvals and timers are named outside their lane, so their ids carry a piece of the lane's
/// id. Messages, tasks, questions and drafts are named inside it only, so revision and number are enough:
/// `m_8_0`.
/// An effect's id is a hash, because vendors keep it (`docs/design/0031-effects-and-retries.md`).
///
/// ```
/// use throughline_engine::{EffectId, LaneKey, data::id_generator::IdGenerator};
/// let lane = LaneKey::new("acme", "A111", "slack", "C222", "1700000000.000100");
/// assert_eq!(lane.id().as_str(), "ln_atpfhd2dnan4hnneg4slqvhi");
/// let mint = IdGenerator::new(&lane, 8);
/// assert_eq!(mint.effect(0), EffectId::from("fx_65emfyihdqmez2f6x5fvmpxn"));
/// assert_eq!(mint.turn().as_str(), "tn_atpfhd2dnan4hnneg4slqvhi_8");
/// assert_eq!(mint.other("m_", 0), "m_8_0");
/// assert_eq!(mint.other("cd_", 1), "cd_atpfhd2dnan4hnne_8_1");
/// ```
#[derive(Clone, Debug)]
pub struct IdGenerator<'a> {
    lane: &'a LaneKey,
    id: LaneId,
    revision: u64,
}

impl<'a> IdGenerator<'a> {
    /// Starts the ids of the turn that writes `revision` of `lane`.
    #[must_use]
    pub fn new(lane: &'a LaneKey, revision: u64) -> Self {
        Self { lane, id: lane.id(), revision }
    }

    /// Returns the id of the turn's effect number `ordinal`, counted from 0.
    #[must_use]
    pub fn effect(&self, ordinal: u32) -> EffectId {
        let mut name = String::with_capacity(128);
        name.push_str("[\"throughline/effect/1\",");
        write_strings(&self.lane.parts(), &mut name);
        // Writing to a text never fails.
        let _ = write!(name, ",{},{ordinal}]", self.revision);
        EffectId(digest_id(EffectId::PREFIX, &name))
    }

    /// Returns the id of the turn itself.
    #[must_use]
    pub fn turn(&self) -> TurnId {
        let lane = &self.id.0[LaneId::PREFIX.len()..];
        TurnId(format!("{}{lane}_{}", TurnId::PREFIX, self.revision))
    }

    /// Returns any other id of this turn: the prefix of its kind, the revision and `ordinal`. A kind that is
    /// named outside its lane also carries a piece of the lane's id.
    #[must_use]
    pub fn other(&self, prefix: &str, ordinal: u32) -> String {
        let mut id = String::with_capacity(prefix.len() + TAG + 16);
        id.push_str(prefix);
        if KINDS.contains(&(prefix, true)) {
            id.push_str(lane_tag(&self.id));
            id.push('_');
        }
        // Writing to a text never fails.
        let _ = write!(id, "{}_{ordinal}", self.revision);
        id
    }
}
