//! Notes that are kept of a thread beside its lane: whether its client was told what is not read, and the interrupts that
//! somebody left. It is erased with the lane.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use throughline_engine::LaneKey;
use throughline_store::{Document, Store};

use crate::problem::Problem;

/// Collection of the threads.
const THREADS: &str = "agui";

/// Notes about a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Thread {
    /// True once the client was told what is not read.
    #[serde(default)]
    pub(super) told: bool,
    /// Ids of the interrupts that were left: they block nothing here, and their cards stay open.
    #[serde(default)]
    pub(super) left: BTreeSet<String>,
}

impl Thread {
    /// Reads the notes about a thread.
    pub(super) async fn read(store: &dyn Store, lane: &LaneKey) -> Result<Self, Problem> {
        Ok(found(store, lane).await?.map(|(thread, _)| thread).unwrap_or_default())
    }

    /// Changes the notes about a thread. Of two that write at once, each changes what the other left.
    pub(super) async fn change(
        store: &dyn Store,
        lane: &LaneKey,
        change: impl Fn(&mut Self),
    ) -> Result<(), Problem> {
        loop {
            let (before, version) = found(store, lane).await?.unwrap_or_default();
            let mut now = before.clone();
            change(&mut now);
            if now == before {
                return Ok(());
            }
            let mut document = Document::new(lane.id().0, version, crate::idempotency::to_json(&now));
            document.about.lane = Some(lane.id());
            if store.write_documents(&lane.tenant, vec![(THREADS.into(), document)], None).await? {
                return Ok(());
            }
        }
    }
}

async fn found(store: &dyn Store, lane: &LaneKey) -> Result<Option<(Thread, u64)>, Problem> {
    let document = store.document(&lane.tenant, THREADS, lane.id().as_str()).await?;
    // Notes that cannot be read are treated as missing: then the client is told once more.
    Ok(document.map(|found| (serde_json::from_str(&found.body).unwrap_or_default(), found.version)))
}
