//! Creates several issues in one request, sent once.

use std::ops::RangeInclusive;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::TrackerFault;

use super::JiraSite;
use super::answer::Answer;
use super::bulk_answer::divide;
use super::create::ReadyIssue;
use super::field_kind::People;
use crate::{BulkCreate, BulkRow, Issue};

/// Numbers of issues that are created together. Jira takes no more, and fewer are not worth that one lost answer leaves all
/// of them unknown.
const ROWS: RangeInclusive<u32> = 10..=50;

/// The time in which all rows are got ready. With that of the request it is less than a worker may have them.
const READY: Duration = Duration::from_secs(15);

/// A row that is got ready, or its outcome without a request.
type Ready = Result<ReadyIssue, Attempt<Issue>>;

impl JiraSite {
    /// Gets rows ready, one after the other.
    ///
    /// # Errors
    /// Jira does not tell what it takes. Nothing was sent.
    async fn ready_all(&self, project: &str, rows: &[BulkRow<'_>]) -> Result<Vec<Ready>, Attempt<Issue>> {
        let mut people = People::new();
        let mut ready = Vec::with_capacity(rows.len());
        for row in rows {
            match self.ready(project, row, &mut people).await {
                // Asked again for each row, a site that does not answer would keep all of them for long.
                Err(Attempt::NotApplied { why, hint }) => return Err(Attempt::NotApplied { why, hint }),
                other => ready.push(other),
            }
        }
        Ok(ready)
    }
}

#[async_trait]
impl BulkCreate for JiraSite {
    fn size(&self) -> RangeInclusive<u32> {
        ROWS
    }

    async fn create_together(&self, project: &str, rows: &[BulkRow<'_>]) -> Vec<Attempt<Issue>> {
        let ready = match tokio::time::timeout(READY, self.ready_all(project, rows)).await {
            Ok(Ok(ready)) => ready,
            Ok(Err(ended)) => return vec![ended; rows.len()],
            Err(_) => {
                let late = Attempt::NotApplied { why: TrackerFault::Silent.into(), hint: None };
                return vec![late; rows.len()];
            }
        };
        let bodies: Vec<&Value> = ready.iter().flatten().map(|ready| &ready.body).collect();
        let mut answers = Vec::new();
        if !bodies.is_empty() {
            let answer = self.client.create_several(&json!({"issueUpdates": bodies})).await;
            answers = divide(answer, bodies.len());
        }
        let mut answers = answers.into_iter();
        let mut outcome = |(row, ready): (&BulkRow<'_>, Ready)| {
            let ready = match ready {
                Ok(ready) => ready,
                Err(ended) => return ended,
            };
            let answer = answers.next().unwrap_or(Answer::Unknown(TrackerFault::Silent));
            self.outcome(project, row, &ready, answer)
        };
        rows.iter().zip(ready).map(&mut outcome).collect()
    }

    async fn follow_up(&self, row: &BulkRow<'_>, key: &str) {
        self.follow(key, row.effect, row.item).await;
    }
}
