//! Several issues that one request creates.

use std::ops::RangeInclusive;

use async_trait::async_trait;
use throughline_engine::EffectId;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::ticket::Item;

use crate::Issue;

/// An issue to create.
#[derive(Clone, Copy, Debug)]
pub struct BulkRow<'a> {
    /// The effect that creates it.
    pub effect: &'a EffectId,
    /// Its parts.
    pub item: &'a Item,
    /// The key of its epic.
    pub parent: Option<&'a str>,
}

/// Creates several issues in one request, for one tenant.
///
/// One request is one attempt at every row. An answer that names a row decides that row alone; one that is lost leaves all of
/// them unknown.
#[async_trait]
pub trait BulkCreate: Send + Sync {
    /// The numbers of rows that are worth a request, up to the most that one may have.
    fn size(&self) -> RangeInclusive<u32>;

    /// Creates the issues. Returns the outcome of each row, in their order. Permissions are not checked, as in
    /// [`Tracker::create`](crate::Tracker::create).
    async fn create_together(&self, project: &str, rows: &[BulkRow<'_>]) -> Vec<Attempt<Issue>>;

    /// Adds to a created issue what takes requests of its own. It is called once the outcome of the row is durable, so it may
    /// take its time; what fails is logged and not tried again.
    async fn follow_up(&self, row: &BulkRow<'_>, key: &str);
}
