//! The obedient fake behind the runtime's own contract of models: the real prompt, the fake's answer, the real parser.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use throughline_engine::EffectId;
use throughline_engine::data::ask::{Answer, Ask};
use throughline_engine::data::effect::Attempt;
use throughline_fakes::model::obedient_answer;
use throughline_models::{Caller, Model, Prompt, parse};

/// One question as it was put and answered.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) ask: Ask,
    pub(crate) effect: EffectId,
    pub(crate) prompt: Prompt,
    pub(crate) raw: String,
    pub(crate) answer: Answer,
}

#[derive(Default)]
pub(crate) struct Obedient(Mutex<Vec<Asked>>);

impl Obedient {
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Model for Obedient {
    async fn ask(&self, ask: &Ask, caller: &Caller<'_>) -> Attempt<Answer> {
        let prompt = Prompt::of(ask, caller.effect);
        let raw = obedient_answer(&prompt.schema, &prompt.user);
        let answer = parse(ask, &raw);
        let asked =
            Asked { ask: ask.clone(), effect: caller.effect.clone(), prompt, raw, answer: answer.clone() };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
        Attempt::Applied(answer)
    }

    fn name(&self) -> &str {
        "obedient"
    }
}
