//! Performs the effects of trackers: check, find, search, update, create.

use throughline_engine::data::effect::{Attempt, EffectBody, EffectResult, EpicRef};
use throughline_engine::data::fault::TrackerFault;
use throughline_store::StoredEffect;
use throughline_trackers::Issue;

use crate::{FailPoint, Runtime, RuntimeError};

impl Runtime {
    pub(super) async fn track(
        &self,
        effect: &StoredEffect,
        body: &EffectBody,
    ) -> Result<Attempt<EffectResult>, RuntimeError> {
        let (EffectBody::TrackerCheck { target, .. }
        | EffectBody::TrackerFind { target, .. }
        | EffectBody::TrackerSeek { target, .. }
        | EffectBody::TrackerUpdate { target, .. }
        | EffectBody::TrackerCreate { target, .. }) = body
        else {
            return Ok(refused(TrackerFault::NotOfTracker));
        };
        let Some(tracker) = self.ports.trackers.get(&target.tracker) else {
            return Ok(refused(TrackerFault::NotConfigured { tracker: target.tracker.clone() }));
        };
        let tenant = &effect.lane.tenant;
        let class = body.class().as_str();
        self.faults.at(FailPoint::BytesOnWire, class)?;
        let outcome = match body {
            EffectBody::TrackerCheck { items, by, .. } => {
                tracker.check(tenant, &target.project, Some(by), items).await.map(|()| EffectResult::Checked)
            }
            EffectBody::TrackerFind { key, by, .. } => {
                let found = tracker.find(tenant, &target.project, Some(by), key).await;
                found.map(|Issue { key, url, title, parent, state, assignee }| EffectResult::Found {
                    key,
                    title,
                    url,
                    parent,
                    state: Some(state),
                    assignee,
                })
            }
            EffectBody::TrackerSeek { marker, .. } => {
                let found = tracker.seek(tenant, &target.project, marker).await;
                found.map(|issues| EffectResult::Sought {
                    issues: issues.into_iter().map(|issue| (issue.key, issue.url)).collect(),
                })
            }
            EffectBody::TrackerUpdate { key, change, by, .. } => {
                let id = &effect.row.id;
                let by = Some(by.as_str()).filter(|by| !by.is_empty());
                let updated = tracker.update(tenant, &target.project, by, id, key, change).await;
                updated.map(|()| EffectResult::Updated)
            }
            EffectBody::TrackerCreate { item, under, .. } => {
                let parent = match under {
                    Some(EpicRef::Issue(key)) => Some(key.as_str()),
                    Some(EpicRef::Effect(_)) | None => None,
                };
                let id = &effect.row.id;
                let created = tracker.create(tenant, &target.project, id, item, parent).await;
                created.map(|Issue { key, url, .. }| EffectResult::Issue { key, url })
            }
            _ => {
                return Ok(refused(TrackerFault::NotOfTracker));
            }
        };
        self.faults.at(FailPoint::VendorApplied, class)?;
        self.faults.at(FailPoint::ReplyRead, class)?;
        Ok(outcome)
    }
}

fn refused(fault: TrackerFault) -> Attempt<EffectResult> {
    Attempt::Rejected { text: fault.into(), errors: Vec::new() }
}
