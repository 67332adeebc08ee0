//! Lanes in which nobody speaks for the engine: what it would only say in words is the host's to answer, and what it would
//! say beside something it does is left out.

use alloc::string::String;
use alloc::vec::Vec;

use crate::data::action::CardStep;
use crate::data::decision::{Decision, Verdict};
use crate::data::effect::EffectBody;
use crate::data::effect::EffectClass;
use crate::data::policy::hosting::Replies;
use crate::turn::Turn;

/// Returns the words that the turn would only answer with, if they are the host's to answer instead.
pub(crate) fn only_words(turn: &Turn<'_>, decision: &Decision) -> Option<String> {
    let speaks = matches!(decision.outcome, Verdict::Answered | Verdict::Asked);
    if turn.hosting.replies != Replies::None || !speaks || turn.said.is_none() || decision.applied.is_some() {
        return None;
    }
    let mut words = Vec::new();
    for effect in turn.planned() {
        match &effect.body {
            EffectBody::Reply { text, .. } => words.push(text.as_str()),
            EffectBody::Notice { .. } => {}
            EffectBody::CardPost { card, .. } if card.step == CardStep::Options => words.push(&card.title),
            _ => return None,
        }
    }
    (!words.is_empty()).then(|| words.join("\n\n"))
}

/// Leaves out the messages and notices that the turn would post.
pub(crate) fn keep_quiet(turn: &mut Turn<'_>) {
    if turn.hosting.replies == Replies::None {
        turn.unsay(|body| matches!(body.class(), EffectClass::Reply | EffectClass::Notice));
    }
}
