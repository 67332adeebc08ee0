//! Trackers: dry run, look-up, create.

use throughline_engine::effect::{Attempt, EffectBody, EffectResult};
use throughline_store::StoredEffect;
use throughline_trackers::Issue;

use crate::{FailPoint, Runtime, Stop};

impl Runtime {
    pub(super) async fn track(
        &self,
        effect: &StoredEffect,
        body: &EffectBody,
    ) -> Result<Attempt<EffectResult>, Stop> {
        let (EffectBody::TrackerCheck { target, .. }
        | EffectBody::TrackerFind { target, .. }
        | EffectBody::TrackerCreate { target, .. }) = body
        else {
            return Ok(Attempt::Rejected { text: "not an effect of a tracker".into(), errors: Vec::new() });
        };
        let Some(tracker) = self.ports.trackers.get(&target.tracker) else {
            let text = format!("no tracker named {} is configured", target.tracker);
            return Ok(Attempt::Rejected { text, errors: Vec::new() });
        };
        let tenant = &effect.lane.tenant;
        self.faults.at(FailPoint::BytesOnWire)?;
        let outcome = match body {
            EffectBody::TrackerCheck { item, by, .. } => {
                tracker.check(tenant, &target.project, Some(by), item).await.map(|()| EffectResult::Checked)
            }
            EffectBody::TrackerFind { key, .. } => {
                let found = tracker.find(tenant, &target.project, key).await;
                found.map(|Issue { key, url, title }| EffectResult::Found { key, title, url })
            }
            EffectBody::TrackerCreate { item, .. } => {
                let created = tracker.create(tenant, &target.project, &effect.row.id, item).await;
                created.map(|Issue { key, url, .. }| EffectResult::Issue { key, url })
            }
            _ => {
                return Ok(Attempt::Rejected {
                    text: "not an effect of a tracker".into(),
                    errors: Vec::new(),
                });
            }
        };
        self.faults.at(FailPoint::VendorApplied)?;
        self.faults.at(FailPoint::ReplyRead)?;
        Ok(outcome)
    }
}
