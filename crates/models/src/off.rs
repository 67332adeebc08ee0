//! No model: every ask has no answer, so that what runs without one is the same code.

use async_trait::async_trait;
use throughline_engine::data::ask::{Answer, Ask};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::purpose::Purpose;

use crate::no_answer::no_answer;
use crate::{Caller, Model};

/// The model of an installation without one. Its answer is [`Answer::None`] with the reason `off`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Off;

#[async_trait]
impl Model for Off {
    async fn ask(&self, _: &Ask, _: &Caller<'_>) -> Attempt<Answer> {
        Attempt::Applied(no_answer("off"))
    }

    fn answers(&self, _: Purpose) -> bool {
        false
    }

    fn name(&self) -> &str {
        "off"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance;

    #[tokio::test]
    async fn says_that_it_is_off() {
        conformance::check(&Off, "ok").await;
        assert!(Purpose::ALL.into_iter().all(|purpose| !Off.answers(purpose)), "so nobody asks it");
        for ask in conformance::asks("hi") {
            assert_eq!(conformance::asked(&Off, &ask).await, Attempt::Applied(no_answer("off")));
        }
    }
}
