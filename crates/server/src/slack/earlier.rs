//! Messages of a thread from before the assistant was asked into it. A mention there is mostly about them ("make a ticket
//! of this"), and Slack delivers none of them again.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::{Value, json};
use throughline_channels::slack::outbound::{self, Span, Target};
use throughline_channels::slack::read_back::next_page;
use throughline_channels::slack::{
    Answer, Delivery, Incoming, Place, Workspace, channel_and_ts, channel_id, inbound,
};
use throughline_engine::data::step_input::Addressing;
use throughline_engine::{EventKind, LaneKey};
use throughline_runtime::{Inbound, Runtime, RuntimeError};
use throughline_store::{DeliveryIdentity, StoreError};

use super::Adapter;

/// Most messages that are read: what began the thread, and the newest.
const MOST: usize = 20;
/// Maximum time for it, since the mention is acknowledged only afterwards. Slack waits for three seconds.
const PATIENCE: Duration = Duration::from_millis(1_500);

impl Adapter {
    /// Stores what people wrote in a thread before a message of it, as far as the lane does not know it. It is observed
    /// and not answered. If Slack cannot be asked, the message is decided without it.
    ///
    /// # Errors
    /// The store did not answer.
    pub(super) async fn accept_earlier(
        &self,
        runtime: &Runtime,
        workspace: &Workspace,
        lane: &LaneKey,
        place: &Place,
        before: &str,
    ) -> Result<(), RuntimeError> {
        if self.knows(lane, place, before).await? {
            // The same mention, delivered again.
            return Ok(());
        }
        let read = tokio::time::timeout(PATIENCE, self.read_thread(workspace, place, before)).await;
        let Ok(Ok(messages)) = read else {
            tracing::warn!(answer = ?read, "the earlier messages of a thread in Slack cannot be read");
            return Ok(());
        };
        for message in messages {
            if self.knows(lane, place, ts_of(&message)).await? {
                continue;
            }
            let payload = json!({ "event": message });
            let names = |member: &str| self.people.known(workspace, member);
            let incoming = inbound(Delivery::Event, &payload, &workspace.app, &names);
            let Incoming { more_keys, mut event, addressing, .. } = incoming;
            let Some(key) = more_keys.first().filter(|_| !addressing.own && !addressing.bot) else {
                continue;
            };
            // Its own key is taken if Slack delivered it at the time, when it was for nobody here.
            event.id = format!("{key}:earlier");
            event.actor = self.people.account(&workspace.tenant, &event.actor);
            let identity = DeliveryIdentity::new(lane.clone(), event.id.as_str());
            let addressing = Addressing { not_to_us: true, ..Addressing::default() };
            runtime.accept(Inbound { identity, event, addressing }).await?;
        }
        Ok(())
    }

    /// Returns true if the lane has stored the message with this time stamp.
    async fn knows(&self, lane: &LaneKey, place: &Place, ts: &str) -> Result<bool, StoreError> {
        Ok(self.store.record(lane, "message", &channel_id(&place.channel, ts)).await?.is_some())
    }

    /// Returns the first message of a thread and the newest before another, oldest first, as far as Slack lets the app read
    /// on: some apps may read a page a minute.
    ///
    /// # Errors
    /// Slack did not give the first page.
    async fn read_thread(
        &self,
        workspace: &Workspace,
        place: &Place,
        before: &str,
    ) -> Result<Vec<Value>, Answer> {
        let thread = Target { channel: &place.channel, thread: &place.thread };
        let (mut first, mut newest, mut cursor) = (None, VecDeque::new(), String::new());
        loop {
            let call = outbound::said(thread, Span::Before(before), &cursor);
            let page = match self.client().call(&workspace.token, &call).await {
                Answer::Applied(page) => page,
                refused if cursor.is_empty() => return Err(refused),
                _ => break,
            };
            for message in page["messages"].as_array().into_iter().flatten() {
                let mut message = message.clone();
                message["type"] = json!("message");
                message["channel"] = json!(place.channel);
                match ts_of(&message) {
                    root if root == place.thread => first = Some(message),
                    ts if ts < before => newest.push_back(message),
                    _ => {}
                }
            }
            newest.drain(..newest.len().saturating_sub(MOST - 1));
            next_page(&page).clone_into(&mut cursor);
            if cursor.is_empty() {
                break;
            }
        }
        Ok(first.into_iter().chain(newest).collect())
    }
}

fn ts_of(message: &Value) -> &str {
    message["ts"].as_str().unwrap_or_default()
}

/// Returns the time stamp of a message that calls the assistant into a thread which it does not follow.
pub(super) fn called_in_by<'a>(
    kind: &'a EventKind,
    place: &Place,
    addressing: &Addressing,
) -> Option<&'a str> {
    let EventKind::MessagePosted(posted) = kind else { return None };
    let called = place.joined && addressing.mentioned && !addressing.thread_ours;
    let (_, ts) = channel_and_ts(posted.message_id.as_deref().filter(|_| called)?)?;
    Some(ts)
}
