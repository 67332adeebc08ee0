//! Tools and sub-agents: one call, to whoever answers under its name.

use throughline_engine::effect::{Attempt, EffectResult};
use throughline_engine::work::Call;
use throughline_store::StoredEffect;

use crate::{FailPoint, Runtime, Stop};

impl Runtime {
    /// A name that nobody answers under is refused for good: the person is told, and nothing is tried again.
    pub(super) async fn call(
        &self,
        effect: &StoredEffect,
        call: &Call,
    ) -> Result<Attempt<EffectResult>, Stop> {
        let target = call.job.target();
        let Some(worker) = self.ports.workers.get(&target) else {
            let text = format!("no client for {target} is part of this installation");
            return Ok(Attempt::Rejected { text, errors: Vec::new() });
        };
        let class = effect.row.class.word();
        self.faults.at(FailPoint::BytesOnWire, class)?;
        let outcome = worker.work(&effect.lane, &effect.row.id, call).await;
        self.faults.at(FailPoint::VendorApplied, class)?;
        self.faults.at(FailPoint::ReplyRead, class)?;
        Ok(match outcome {
            Attempt::Applied(text) => Attempt::Applied(EffectResult::Said { text }),
            Attempt::NotApplied { why, hint } => Attempt::NotApplied { why, hint },
            Attempt::Rejected { text, errors } => Attempt::Rejected { text, errors },
            Attempt::Unknown { why } => Attempt::Unknown { why },
        })
    }
}
