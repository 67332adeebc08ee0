//! Performs several creates in one request, where the tracker takes that: what is approved together and waits for the same is
//! leased behind its first, marked with it in one write, and sent with it. Each stays an effect with an outcome of its own
//! (`docs/design/0031-effects-and-retries.md`).

use throughline_engine::data::effect::{Attempt, EffectBody, EffectResult, EpicRef};
use throughline_engine::data::fault::{SendingFault, TrackerFault};
use throughline_engine::data::ticket::Target;
use throughline_store::{Leased, Mark, SettleTo, ToMark};
use throughline_trackers::{BulkCreate, BulkRow, Issue};
use tracing::Instrument as _;

use super::record::Tried;
use crate::{FailPoint, Runtime, RuntimeError, spans};

/// A create that is performed with others.
struct Row {
    leased: Leased,
    /// The create with all its parts, or what it lacks.
    body: Result<EffectBody, (EffectBody, SendingFault)>,
}

/// A row whose attempt is marked.
struct BegunRow {
    row: Row,
    attempt: u32,
}

impl Row {
    fn body(&self) -> &EffectBody {
        match &self.body {
            Ok(body) | Err((body, _)) => body,
        }
    }

    /// The issue to create; `None` if a part is missing.
    fn sent(&self) -> Option<BulkRow<'_>> {
        let Ok(EffectBody::TrackerCreate { item, under, .. }) = &self.body else { return None };
        let parent = match under {
            Some(EpicRef::Issue(key)) => Some(key.as_str()),
            Some(EpicRef::Effect(_)) | None => None,
        };
        Some(BulkRow { effect: &self.leased.effect.row.id, item, parent })
    }
}

/// The target of a create.
fn target_of(body: &EffectBody) -> Option<&Target> {
    if let EffectBody::TrackerCreate { target, .. } = body { Some(target) } else { None }
}

impl Runtime {
    /// Leases what can be created together with this effect, if it creates an issue, its tracker takes several at once, and
    /// there are enough of them.
    pub(super) async fn lease_behind(
        &self,
        leased: &Leased,
        body: &EffectBody,
    ) -> Result<Option<(&dyn BulkCreate, Vec<Leased>)>, RuntimeError> {
        let tracker = target_of(body).and_then(|target| self.ports.trackers.get(&target.tracker));
        let bulk = tracker.and_then(|tracker| tracker.bulk(&leased.effect.lane.tenant));
        let Some(bulk) = bulk.filter(|_| !leased.found_attempted) else { return Ok(None) };
        let (least, most) = bulk.size().into_inner();
        let count = least.saturating_sub(1).max(1)..=most.saturating_sub(1);
        let behind = self.store.lease_behind(leased, count).await?;
        Ok((!behind.is_empty()).then_some((bulk, behind)))
    }

    /// Performs a create together with those that were leased behind it.
    pub(super) async fn perform_together(
        &self,
        bulk: &dyn BulkCreate,
        (first, body): (Leased, EffectBody),
        behind: Vec<Leased>,
    ) -> Result<(), RuntimeError> {
        let Some(target) = target_of(&body).cloned() else { return Ok(()) };
        let class = first.effect.row.class.as_str();
        let rows = self.rows(&target, (first, body), behind).await?;
        let (begun, kept) = self.begin(rows).await?;
        self.faults.at(FailPoint::AttemptMarked, class)?;
        if !begun.is_empty() {
            let outcomes = self.send_together(bulk, &target.project, &begun, class).await?;
            self.settle_together(bulk, &begun, outcomes).await?;
        }
        for (row, mark) in kept {
            self.begun(&row.leased, row.body(), mark).await?;
        }
        Ok(())
    }

    /// Gets creates ready, in their order. One for another place is given back, with all behind it.
    async fn rows(
        &self,
        target: &Target,
        (first, body): (Leased, EffectBody),
        behind: Vec<Leased>,
    ) -> Result<Vec<Row>, RuntimeError> {
        let mut rows = vec![self.row(first, body).await?];
        let mut elsewhere = false;
        for leased in behind {
            let Some(body) = self.read(&leased).await? else { continue };
            elsewhere |= target_of(&body) != Some(target);
            if elsewhere {
                self.settle(&leased, SettleTo::Retry(self.store.now()), None, None).await?;
            } else {
                rows.push(self.row(leased, body).await?);
            }
        }
        Ok(rows)
    }

    async fn row(&self, leased: Leased, body: EffectBody) -> Result<Row, RuntimeError> {
        let completed = self.completed(&leased.effect, body.clone()).await?;
        Ok(Row { leased, body: completed.map_err(|lacks| (body, lacks)) })
    }

    /// Marks attempts at all rows in one write. Returns those that may begin, and those that may not. What becomes of the
    /// latter is written after the request: a store that fails in between would leave marks behind of what was never sent.
    async fn begin(&self, rows: Vec<Row>) -> Result<(Vec<BegunRow>, Vec<(Row, Mark)>), RuntimeError> {
        let attempts: Vec<ToMark> = rows.iter().map(|row| row.leased.to_mark()).collect();
        let Some(first) = rows.first() else { return Ok((Vec::new(), Vec::new())) };
        let marks = self.store.mark_together(&first.leased.effect.lane.tenant, &attempts).await?;
        let (mut begun, mut kept) = (Vec::with_capacity(rows.len()), Vec::new());
        for (row, mark) in rows.into_iter().zip(marks) {
            match mark {
                Mark::Attempt(attempt) => begun.push(BegunRow { row, attempt }),
                other => kept.push((row, other)),
            }
        }
        Ok((begun, kept))
    }

    /// Sends one request for all rows that lack nothing. Returns the outcome of each.
    async fn send_together(
        &self,
        bulk: &dyn BulkCreate,
        project: &str,
        begun: &[BegunRow],
        class: &str,
    ) -> Result<Vec<Attempt<Issue>>, RuntimeError> {
        let sent: Vec<BulkRow<'_>> = begun.iter().filter_map(|begun| begun.row.sent()).collect();
        self.faults.at(FailPoint::BytesOnWire, class)?;
        let mut answers = match sent.is_empty() {
            true => Vec::new(),
            false => bulk.create_together(project, &sent).instrument(spans::tracker(class, project)).await,
        }
        .into_iter();
        self.faults.at(FailPoint::VendorApplied, class)?;
        self.faults.at(FailPoint::ReplyRead, class)?;
        let outcome = |BegunRow { row, .. }: &BegunRow| match &row.body {
            Err((_, lacks)) => Attempt::Rejected { text: lacks.clone().into(), errors: Vec::new() },
            Ok(_) => answers.next().unwrap_or(Attempt::Unknown { why: TrackerFault::Silent.into() }),
        };
        Ok(begun.iter().map(outcome).collect())
    }

    /// Settles each row by its own outcome, in their order. A store that fails at one row may take the next: what is known of
    /// that one is not thrown away.
    async fn settle_together(
        &self,
        bulk: &dyn BulkCreate,
        begun: &[BegunRow],
        outcomes: Vec<Attempt<Issue>>,
    ) -> Result<(), RuntimeError> {
        // What is sent together is tried again together.
        let paced_by = begun.first().map(|begun| &begun.row.leased.effect.row.id);
        let mut failed = None;
        let mut created = Vec::new();
        for (BegunRow { row, attempt }, outcome) in begun.iter().zip(outcomes) {
            if let Attempt::Applied(issue) = &outcome {
                created.extend(row.sent().map(|sent| (sent, issue.key.clone())));
            }
            let result = outcome.map(|Issue { key, url, .. }| EffectResult::Issue { key, url });
            let tried = Tried { attempts: *attempt, parts_out: 0, paced_by };
            match self.record_attempt(&row.leased, row.body(), tried, result).await {
                Ok(()) => {}
                Err(RuntimeError::Store(error)) => {
                    tracing::error!(effect = %row.leased.effect.row.id, %error, "the outcome of a create was not recorded");
                    failed = failed.or(Some(error));
                }
                Err(stopped) => return Err(stopped),
            }
        }
        for (row, key) in &created {
            bulk.follow_up(row, key).await;
        }
        failed.map_or(Ok(()), |error| Err(error.into()))
    }
}
