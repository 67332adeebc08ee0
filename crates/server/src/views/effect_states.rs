//! Names of the states of effects.

use throughline_store::EffectState;

/// Returns the name of an effect's state.
#[must_use]
pub fn effect_state_name(state: EffectState) -> &'static str {
    match state {
        EffectState::Planned => "planned",
        EffectState::Attempted => "attempted",
        EffectState::Done => "done",
        EffectState::Failed => "failed",
        EffectState::Uncertain => "uncertain",
        EffectState::Cancelled => "cancelled",
    }
}

/// Returns the effect state of that name.
#[must_use]
pub fn effect_state(word: &str) -> Option<EffectState> {
    EffectState::ALL.into_iter().find(|state| effect_state_name(*state) == word)
}
