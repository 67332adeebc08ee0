//! After an outage: Telegram drops presses that it cannot deliver for 150 seconds, so every open card says that it still
//! waits (`spec 06 §5.6`).

use std::time::Duration;

use throughline_channels::telegram::CHANNEL;
use throughline_engine::given::Addressing;
use throughline_engine::workflow::Card;
use throughline_engine::{Event, EventKind, LaneKey, Millis, Timestamp};
use throughline_runtime::{Inbound, Runtime, Stop};
use throughline_store::{Accepted, Document};

use super::Edge;

/// So long without intake is an outage: 30 seconds before the first press is lost.
const OUTAGE: Millis = 120 * Timestamp::SECOND;
/// When deliveries could last be kept.
const HEARD: &str = "telegram.heard";
/// Lanes read at once.
const PAGE: u32 = 200;

/// How often a process that has its updates delivered says that it listens.
const BEAT: Duration = Duration::from_secs(30);

impl Edge {
    /// Says again and again that this process listens, for as long as the store can be written: what the webhook cannot
    /// keep is an outage too.
    pub(super) async fn listen(&self, runtime: &Runtime) {
        loop {
            if let Err(error) = self.beat(runtime).await {
                tracing::warn!(%error, "that Telegram is heard was not kept");
            }
            tokio::time::sleep(BEAT).await;
        }
    }

    /// Once; what was missed since the time before is told.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn beat(&self, runtime: &Runtime) -> Result<(), Stop> {
        let (now, key) = (self.store.now(), self.client().bot_id().to_string());
        let found = self.store.document(&self.tenant, HEARD, &key).await?;
        let before = found.as_ref().and_then(|found| found.body.parse().ok()).map_or(now, Timestamp);
        self.after_outage(runtime, before, now).await?;
        let version = found.map_or(0, |found| found.version);
        let document = Document { key, version, body: now.0.to_string() };
        // Another process may have said it in the meantime, which is as good.
        self.store.write_documents(&self.tenant, vec![(HEARD.to_owned(), document)], None).await?;
        Ok(())
    }

    /// Tells every lane with an open card about a time in which presses may have been lost, if there was one.
    pub(super) async fn after_outage(
        &self,
        runtime: &Runtime,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<(), Stop> {
        if to.since(from) <= OUTAGE {
            return Ok(());
        }
        let message = format!(
            "Still waiting for a decision (presses between {} and {} may be lost)",
            from.told(to),
            to.told(to)
        );
        self.show_open_cards(runtime, None, &format!("outage:{}", from.0), &message).await
    }

    /// Has every lane with an open card, of one conversation or of all, show it again with that note, and one lane of
    /// each chat say it. `why` tells one occasion from another.
    pub(super) async fn show_open_cards(
        &self,
        runtime: &Runtime,
        conversation: Option<&str>,
        why: &str,
        note: &str,
    ) -> Result<(), Stop> {
        let app = self.client().bot_id().to_string();
        let ours = |key: &LaneKey| {
            let here = conversation.is_none_or(|conversation| key.conversation == conversation);
            key.channel == CHANNEL && key.app == app && here
        };
        let mut after = None;
        loop {
            let lanes = self.store.lanes(&self.tenant, after.as_ref(), PAGE).await?;
            let Some(last) = lanes.last() else { return Ok(()) };
            after = Some(last.id.clone());
            for info in lanes.into_iter().filter(|info| ours(&info.key)) {
                let lane = match runtime.lane(&info.key).await {
                    // It is told nothing, and keeps nobody else from being told.
                    Err(Stop::Unreadable { what, why }) => {
                        tracing::error!(lane = %info.id, what, why, "a lane cannot be read");
                        continue;
                    }
                    lane => lane?,
                };
                if !lane.head.cards.iter().filter_map(|id| lane.records.card(&id)).any(Card::open) {
                    continue;
                }
                let of_lane = format!("notice:{why}:{}", info.id);
                let of_chat = format!("notice:{why}:chat:{}", info.key.conversation);
                // The chat's key is used up by the first lane that says it, also across a restart.
                let told =
                    self.notice(runtime, &info.key, "still_open", note, vec![of_lane.clone(), of_chat]);
                if matches!(told.await?, Accepted::Duplicate(_)) {
                    self.notice(runtime, &info.key, "still_open_here", note, vec![of_lane]).await?;
                }
            }
        }
    }
    async fn notice(
        &self,
        runtime: &Runtime,
        lane: &LaneKey,
        why: &str,
        note: &str,
        keys: Vec<String>,
    ) -> Result<Accepted, Stop> {
        let kind = EventKind::IntakeNotice { why: why.into(), message: note.into() };
        let id = keys.first().cloned().unwrap_or_default();
        let event = Event { id, received_at: self.store.now(), actor: String::new(), kind };
        let addressing = Addressing::default();
        runtime.accept(Inbound { lane: lane.clone(), keys, event, addressing, body_hash: None }).await
    }
}
