//! Records of the messages that show progress, one for each lane that has one (`docs/design/0060-progress-in-slack.md`).

use std::sync::Arc;

use async_trait::async_trait;
use throughline_channels::slack::{StreamRecord, StreamRecords};
use throughline_engine::LaneKey;
use throughline_store::{Document, Store, StoreError};

/// The records, by lane.
const COLLECTION: &str = "slack.streams";
/// Most records that are read.
const MOST: u32 = 10_000;

/// The records of one process.
pub(super) struct Recorded {
    store: Arc<dyn Store>,
    /// Tenant whose documents the records are.
    home: String,
}

impl Recorded {
    pub(super) fn new(store: Arc<dyn Store>, home: &str) -> Self {
        Self { store, home: home.into() }
    }

    /// Reads what the last process has left.
    ///
    /// # Errors
    /// The store did not answer.
    pub(super) async fn left(&self) -> Result<Vec<StreamRecord>, StoreError> {
        let found = self.store.documents(&self.home, COLLECTION, None, MOST).await?;
        Ok(found.iter().filter_map(|one| serde_json::from_str(&one.body).ok()).collect())
    }

    /// Writes a record in the place of the one that is there; an empty one removes it.
    async fn write(&self, lane: &LaneKey, body: &str) -> Result<(), StoreError> {
        let key = lane.id().0;
        loop {
            let version = self.store.document(&self.home, COLLECTION, &key).await?.map(|found| found.version);
            if body.is_empty() && version.is_none() {
                return Ok(());
            }
            let mut document = Document::new(&key, version.unwrap_or_default(), body);
            document.about.lane = Some(lane.id());
            if self.store.write_documents(&self.home, vec![(COLLECTION.into(), document)], None).await? {
                return Ok(());
            }
        }
    }
}

#[async_trait]
impl StreamRecords for Recorded {
    async fn keep(&self, record: &StreamRecord) {
        let body = serde_json::to_string(record).unwrap_or_default();
        if let Err(error) = self.write(&record.lane, &body).await {
            let lane = record.lane.id().0;
            tracing::warn!(lane, %error, "a message that shows progress is not on record: a restart leaves it as it is");
        }
    }

    async fn forget(&self, lane: &LaneKey) {
        if let Err(error) = self.write(lane, "").await {
            let lane = lane.id().0;
            tracing::warn!(lane, %error, "the record of a message that showed progress is not removed");
        }
    }
}
