//! Reports of trackers about issues, on their way to the lanes that created them
//! (`docs/design/0062-reports-of-trackers.md`).

use throughline_engine::EventKind;
use throughline_engine::data::effect::EffectBody;
use throughline_engine::data::issue_report::IssueReport;
use throughline_trackers::Report;

use crate::{Inbound, Runtime, RuntimeError};

impl Runtime {
    /// Makes a tracker's report durable in the lane that created the issue. `delivery` identifies it at the tracker; a second
    /// one with the same is a duplicate. A report about an issue that no effect of that tracker created is passed over.
    ///
    /// # Errors
    /// The store took nothing. Answer the tracker with 503; it will deliver again.
    pub async fn accept_report(
        &self,
        tenant: &str,
        tracker: &str,
        delivery: &str,
        report: Report,
    ) -> Result<(), RuntimeError> {
        let Some(stored) = self.store.effect(tenant, &report.effect).await? else { return Ok(()) };
        let body = serde_json::from_str(&stored.row.payload).ok();
        // A tracker tells nothing of issues of another, whatever mark they carry.
        let Some(EffectBody::TrackerCreate { target, card, .. }) = body else { return Ok(()) };
        if target.tracker != tracker {
            return Ok(());
        }
        let Report { effect, key, at, now } = report;
        let kind = EventKind::IssueReported(IssueReport { effect, card, key, at, now });
        let delivery = format!("{tracker}:{delivery}");
        self.accept(Inbound::internal(stored.lane, delivery, kind, self.store.now())).await?;
        Ok(())
    }
}
