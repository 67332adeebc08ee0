//! Asks: one model, inside the ask's own budget, which the adapter keeps.

use throughline_engine::ask::{Answer, Ask};
use throughline_engine::effect::{Attempt, EffectResult};

use crate::{FailPoint, Runtime, Stop};

impl Runtime {
    pub(super) async fn ask_model(&self, ask: &Ask) -> Result<Attempt<EffectResult>, Stop> {
        let Some(model) = &self.ports.model else {
            return Ok(Attempt::Applied(EffectResult::Answered(Answer::None { why: "off".into() })));
        };
        self.faults.at(FailPoint::ModelInFlight)?;
        let answer = model.ask(ask).await;
        let outcome = match &answer {
            Attempt::Applied(Answer::None { .. }) => "none",
            Attempt::Applied(_) => "answered",
            _ => "failed",
        };
        metrics::counter!("throughline_model_requests_total", "purpose" => ask.purpose().word(), "outcome" => outcome)
            .increment(1);
        Ok(match answer {
            Attempt::Applied(answer) => Attempt::Applied(EffectResult::Answered(answer)),
            Attempt::NotApplied { why, hint } => Attempt::NotApplied { why, hint },
            // What a model refuses or mangles is no answer, never a failure of the lane.
            Attempt::Rejected { text, .. } => {
                Attempt::Applied(EffectResult::Answered(Answer::None { why: text }))
            }
            Attempt::Unknown { why } => Attempt::Unknown { why },
        })
    }
}
