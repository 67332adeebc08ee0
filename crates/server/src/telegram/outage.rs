//! Recovery after an outage. Telegram drops presses that it cannot deliver for 150 seconds, so every open card is
//! shown again with a notice that it still waits.

use std::time::Duration;

use throughline_channels::telegram::CHANNEL;
use throughline_engine::data::card::Card;
use throughline_engine::data::notice::{Interruption, Notice};
use throughline_engine::data::step_input::Addressing;
use throughline_engine::{Event, EventKind, LaneKey, Millis, Timestamp};
use throughline_runtime::{Inbound, Runtime, RuntimeError};
use throughline_store::{Accepted, DeliveryIdentity, Document};

use super::Adapter;

/// Time without intake that counts as an outage: 30 seconds less than Telegram keeps a press.
const OUTAGE: Millis = 120 * Timestamp::SECOND;
/// Collection that holds the last time deliveries could be stored.
const HEARD: &str = "telegram.heard";
/// Lanes read at a time.
const PAGE: u32 = 200;

/// Interval at which a process with a webhook records that it can receive.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(30);

impl Adapter {
    /// Records heartbeats as long as the store can be written. If a webhook's updates cannot be stored, that is an
    /// outage too.
    pub(super) async fn record_heartbeats(&self, runtime: &Runtime) {
        loop {
            if let Err(error) = self.heartbeat(runtime).await {
                tracing::warn!(%error, "that Telegram is heard was not kept");
            }
            tokio::time::sleep(HEARTBEAT_INTERVAL).await;
        }
    }

    /// Records one heartbeat, and reports an outage that lies before it.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn heartbeat(&self, runtime: &Runtime) -> Result<(), RuntimeError> {
        let (now, key) = (self.store.now(), self.client().bot_id().to_string());
        let found = self.store.document(&self.tenant, HEARD, &key).await?;
        let before = found.as_ref().and_then(|found| found.body.parse().ok()).map_or(now, Timestamp);
        self.after_outage(runtime, before, now).await?;
        let version = found.map_or(0, |found| found.version);
        let document = Document::new(key, version, now.0.to_string());
        // If another process has written a heartbeat meanwhile, that is as good.
        self.store.write_documents(&self.tenant, vec![(HEARD.to_owned(), document)], None).await?;
        Ok(())
    }

    /// Notifies every lane with an open card of a time in which presses may have been lost, if there was one.
    pub(super) async fn after_outage(
        &self,
        runtime: &Runtime,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<(), RuntimeError> {
        if to.since(from) <= OUTAGE {
            return Ok(());
        }
        let outage = Interruption::Outage { from, to };
        self.show_open_cards(runtime, None, &format!("outage:{}", from.0), outage).await
    }

    /// Shows every open card again with a note, in one conversation or in all, and posts the note in one lane of each
    /// chat. `why` distinguishes the occasions.
    pub(super) async fn show_open_cards(
        &self,
        runtime: &Runtime,
        conversation: Option<&str>,
        why: &str,
        occasion: Interruption,
    ) -> Result<(), RuntimeError> {
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
                    // This lane is skipped, and the others are still notified.
                    Err(RuntimeError::Unreadable { what, why }) => {
                        tracing::error!(lane = %info.id, what, why, "a lane cannot be read");
                        continue;
                    }
                    lane => lane?,
                };
                if !lane.head.cards.iter().filter_map(|id| lane.records.get::<Card>(&id)).any(Card::is_open) {
                    continue;
                }
                let of_lane = format!("notice:{why}:{}", info.id);
                let of_chat = format!("notice:{why}:chat:{}", info.key.conversation);
                // The first lane to post it uses the chat's key up, also across a restart.
                let alone = DeliveryIdentity::new(info.key, of_lane);
                let first = DeliveryIdentity { more_keys: vec![of_chat], ..alone.clone() };
                if matches!(
                    self.notice(runtime, first, Notice::StillOpen { after: occasion, aloud: true }).await?,
                    Accepted::Duplicate(_)
                ) {
                    self.notice(runtime, alone, Notice::StillOpen { after: occasion, aloud: false }).await?;
                }
            }
        }
    }
    async fn notice(
        &self,
        runtime: &Runtime,
        identity: DeliveryIdentity,
        notice: Notice,
    ) -> Result<Accepted, RuntimeError> {
        let kind = EventKind::IntakeNotice(notice);
        let id = identity.key.clone();
        let event = Event { id, received_at: self.store.now(), actor: String::new(), kind };
        runtime.accept(Inbound { identity, event, addressing: Addressing::default() }).await
    }
}
