//! Rules that every backend applies and no constraint can express.

use throughline_engine::data::approval::{Approval, ApprovalChange};
use throughline_engine::data::canonical_json::{Hash, sha256};
use throughline_engine::data::effect::{EffectClass, Outcome};
use throughline_engine::data::fault::SendingFault;
use throughline_engine::{Millis, Timestamp};

use crate::contract::{EffectState, LONGEST_PLAN, PauseRow, Performer};

/// Kind of the event that takes the place of a delivery to a full queue.
pub(crate) const NOTICE_KIND: &str = "intake.notice";

/// Returns true if the pause holds an effect of this class.
pub(crate) fn pause_holds(pause: &PauseRow, class: EffectClass, outward: bool) -> bool {
    outward || (pause.everything && class == EffectClass::ModelAsk)
}

/// Returns state and number of attempts of a new effect. A host's effect is offered as soon as its dependencies are
/// done, and the offer counts as an attempt.
pub(crate) fn first_state(performer: Performer, waits: bool) -> (EffectState, u32) {
    match performer {
        Performer::Us => (EffectState::Planned, 0),
        Performer::Host if waits => (EffectState::Planned, 0),
        Performer::Host => (EffectState::Attempted, 1),
    }
}

/// Returns true if an effect in that state keeps no prompt: of an ended question to a model, and of the messages it was
/// to condense, only the fingerprints stay. Reasons: `docs/design/0028-erasure.md`.
pub(crate) fn drops_prompt(class: EffectClass, state: EffectState) -> bool {
    let ended = matches!(state, EffectState::Done | EffectState::Failed | EffectState::Cancelled);
    ended && matches!(class, EffectClass::ModelAsk | EffectClass::AgentDelegate | EffectClass::TurnHandover)
}

/// Returns the outcome of an effect whose dependency failed or was cancelled, encoded.
pub(crate) fn dependency_outcome() -> String {
    let outcome = Outcome::Failed {
        reason: "dependency".into(),
        text: SendingFault::Dependency.into(),
        errors: Vec::new(),
    };
    serde_json::to_string(&outcome).unwrap_or_default()
}

/// Returns why a decision does not release what its approval shows; `None` if it does, or releases nothing. An approval
/// that an earlier version opened has no list to compare with.
pub(crate) fn other_release(approval: &Approval, decision: &ApprovalChange) -> Option<String> {
    let ApprovalChange::Decide { card, version, payload_sha256: Some(hash), releases, .. } = decision else {
        return None;
    };
    let same =
        *hash == approval.payload_sha256 && (approval.releases.is_empty() || *releases == approval.releases);
    (!same).then(|| format!("what was decided is not what approval {card} v{version} shows"))
}

/// Backward steps of the clock that are not followed, in milliseconds: the clock of a machine is corrected by as much
/// at any time.
pub(crate) const CLOCK_STEP: Millis = 2 * Timestamp::SECOND;

/// Returns by how much the clock was set back, if it shows `now` after it had shown `last`.
pub(crate) fn set_back_by(last: Timestamp, now: Timestamp) -> Option<Millis> {
    Some(last.since(now)).filter(|by| *by > CLOCK_STEP)
}

/// Returns a deadline that a turn set, as it is stored. A turn that was decided before the clock was set back counts from
/// a time that is not there any more.
pub(crate) fn deadline(due: Timestamp, decided_at: Timestamp, now: Timestamp) -> Timestamp {
    set_back_by(decided_at, now).map_or(due, |by| due.plus(-by))
}

/// Returns the time of the next attempt, at most [`LONGEST_PLAN`] ahead.
pub(crate) fn next_attempt(at: Timestamp, now: Timestamp) -> Timestamp {
    at.min(now.plus(LONGEST_PLAN))
}

/// Returns what is kept of a delivery key. 16 bytes of a hash are as good as unique and keep the index small.
pub(crate) fn kept_key(tenant: &str, key: &str) -> [u8; 16] {
    let hash = sha256(&[tenant.as_bytes(), b"\0", key.as_bytes()]);
    std::array::from_fn(|i| hash[i])
}

/// Returns the card that an effect posts, if it posts one.
pub(crate) fn posted_card(class: EffectClass, payload: &str) -> Option<String> {
    let body = (class == EffectClass::CardPost)
        .then(|| serde_json::from_str::<serde_json::Value>(payload).ok())??;
    body["card"]["id"].as_str().map(str::to_owned)
}

/// Returns the hash by which a payload is compared with the planned one before an attempt.
pub(crate) fn payload_hash(payload: &str) -> Hash {
    sha256(&[payload.as_bytes()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependency_outcome_is_the_encoded_engine_outcome() {
        assert_eq!(
            dependency_outcome(),
            r#"{"as":"failed","reason":"dependency","text":{"fault":"dependency"}}"#
        );
    }
}
