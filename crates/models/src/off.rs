//! No model: every ask has no answer, so that what runs without one is the same code.

use async_trait::async_trait;
use throughline_engine::ask::{Answer, Ask};
use throughline_engine::effect::Attempt;

use crate::{Model, no_answer};

/// The model that is not there. Its answer is [`Answer::None`], why `off`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Off;

#[async_trait]
impl Model for Off {
    async fn ask(&self, _: &Ask) -> Attempt<Answer> {
        Attempt::Applied(no_answer("off"))
    }

    fn name(&self) -> &str {
        "off"
    }
}

#[cfg(test)]
mod tests {
    use throughline_engine::Policy;

    use super::*;

    #[tokio::test]
    async fn says_that_it_is_off() {
        let answer = Off.ask(&Ask::classify("hi", &Policy::default())).await;
        assert_eq!(answer, Attempt::Applied(Answer::None { why: "off".into() }));
    }
}
