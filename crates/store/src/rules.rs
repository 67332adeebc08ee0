//! The few rules that both backends share as code. What a constraint can say is not here.

use throughline_engine::canon::{Hash, sha256};
use throughline_engine::effect::{EffectClass, Outcome};
use throughline_engine::workflow::Action;

use crate::contract::{EffectState, PauseRow, Performer};

/// The kind of the row that is stored in place of one the queue had no room for.
pub(crate) const NOTICE_KIND: &str = "intake.notice";

/// Deciding this releases something outward: the approval counts as consumed.
pub(crate) fn releases(action: Action) -> bool {
    action.releases()
}

/// Whether the kill switch holds an effect of this class (`spec 06 §5.7`).
pub(crate) fn held_by(pause: &PauseRow, class: EffectClass, outward: bool) -> bool {
    outward || (pause.everything && class == EffectClass::ModelAsk)
}

/// How a planned effect begins. A host is offered it at once, and offering is the mark; but not before what it
/// depends on is done.
pub(crate) fn first_state(performer: Performer, waits: bool) -> (EffectState, u32) {
    match performer {
        Performer::Us => (EffectState::Planned, 0),
        Performer::Host if waits => (EffectState::Planned, 0),
        Performer::Host => (EffectState::Attempted, 1),
    }
}

/// Whether an effect that stands so has let go of the prompt it was to send, and of the messages a summary is made of: its
/// fingerprints are all that stays of one (`spec 05 §12`).
pub(crate) fn forgets(class: EffectClass, state: EffectState) -> bool {
    let ended = matches!(state, EffectState::Done | EffectState::Failed | EffectState::Cancelled);
    ended && matches!(class, EffectClass::ModelAsk | EffectClass::AgentDelegate)
}

/// The outcome of an effect that waited for one that failed or was cancelled.
pub(crate) fn dependency_outcome() -> String {
    let outcome = Outcome::Failed {
        reason: "dependency".into(),
        text: "what it depends on was not done".into(),
        errors: Vec::new(),
    };
    serde_json::to_string(&outcome).unwrap_or_default()
}

/// What is compared before an attempt: the payload as it was planned.
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
            r#"{"as":"failed","reason":"dependency","text":"what it depends on was not done"}"#
        );
    }
}
