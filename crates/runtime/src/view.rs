//! Lanes as people and programs see them: read from the store, with the tokens of buttons filled in.

use std::sync::Arc;

use serde::Serialize;
use throughline_engine::data::attachment::Attachment;
use throughline_engine::data::card::Card;
use throughline_engine::data::card_model::CardModel;
use throughline_engine::data::lane::Lane;
use throughline_engine::data::message::{Message, MessageKind, Role};
use throughline_engine::data::record::Record;
use throughline_engine::data::records::Records;
use throughline_engine::{LaneKey, MessageId, Timestamp, summary};
use throughline_engine::{card_records, project_card};

use crate::turn_log::Turn;
use crate::{Runtime, RuntimeError, stored};

/// A message as it is shown now; a card shows its newest state.
#[derive(Clone, Debug, Serialize)]
pub struct MessageView {
    /// Its id.
    pub id: MessageId,
    /// Person or assistant.
    pub role: Role,
    /// The person's id, for messages of people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// The kind, for messages of the assistant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<MessageKind>,
    /// The text.
    pub text: String,
    /// The time.
    pub at: Timestamp,
    /// The task it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The channel's own id of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<String>,
    /// The card it shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<CardModel>,
    /// The files that came with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Attachment>,
}

/// A lane and its messages.
pub struct LaneView {
    /// The lane's head and loaded records.
    pub lane: Lane,
    /// The window's messages, oldest first.
    pub messages: Vec<MessageView>,
}

impl Runtime {
    /// Reads a lane: the copy in memory if this process alone writes it, else from the store. One in which nothing happened yet
    /// is empty.
    ///
    /// # Errors
    /// The store did not answer, or holds something this version cannot read.
    pub async fn lane(&self, key: &LaneKey) -> Result<Lane, RuntimeError> {
        match self.held_copy(key) {
            Some(lane) => Ok(lane),
            None => Ok(self.read_lane(key).await?.0),
        }
    }

    /// Copies a lane that is held and idle. While it runs, its copy in memory is that of before; where the store is shared,
    /// another process may hold the lane by a clock that differs.
    fn held_copy(&self, key: &LaneKey) -> Option<Lane> {
        let slot = self.lanes.find(key).filter(|_| !self.store.is_shared())?;
        let held = slot.try_lock().ok()?;
        held.as_ref().filter(|actor| actor.fresh(self.store.now())).map(|actor| actor.lane.clone())
    }

    /// Reads a lane as prompts show it: with every line of its summary, also those that are only made when somebody reads
    /// them. It has not the hash of the stored one.
    ///
    /// # Errors
    /// As [`Self::lane`].
    pub async fn lane_with_summary(&self, key: &LaneKey) -> Result<Lane, RuntimeError> {
        let mut lane = self.lane(key).await?;
        if summary::has_lines_to_make(&lane.head) {
            let newest = self.covered(&lane).await?;
            lane.head.covered = Some(Arc::new(summary::as_read(&lane.head, &newest, self.policy())));
        }
        Ok(lane)
    }

    /// Reads a lane and its window of messages as they are shown.
    ///
    /// # Errors
    /// As [`Self::lane`].
    pub async fn lane_view(&self, key: &LaneKey) -> Result<LaneView, RuntimeError> {
        let lane = self.lane(key).await?;
        let mut messages = Vec::new();
        for id in lane.head.window.iter() {
            if let Some(message) = lane.records.get::<Message>(&id).cloned() {
                messages.push(self.show(&lane, message).await?);
            }
        }
        Ok(LaneView { lane, messages })
    }

    /// Reads messages of a lane by id, as they are shown now. Unknown ids are left out.
    ///
    /// # Errors
    /// As [`Self::lane`].
    pub async fn messages(&self, key: &LaneKey, ids: &[MessageId]) -> Result<Vec<MessageView>, RuntimeError> {
        self.messages_of(&self.lane(key).await?, ids).await
    }

    /// As [`Self::messages`], for a lane that has been read already.
    ///
    /// # Errors
    /// As [`Self::lane`].
    pub async fn messages_of(
        &self,
        lane: &Lane,
        ids: &[MessageId],
    ) -> Result<Vec<MessageView>, RuntimeError> {
        let mut messages = Vec::new();
        for id in ids {
            if let Some(Record::Message(message)) = self.any_record(lane, "message", id.as_str()).await? {
                messages.push(self.show(lane, message).await?);
            }
        }
        Ok(messages)
    }

    async fn show(&self, lane: &Lane, message: Message) -> Result<MessageView, RuntimeError> {
        let card = match &message.card {
            None => None,
            Some(id) => match self.any_record(lane, "card", id.as_str()).await? {
                Some(Record::Card(card)) => Some(self.card_model(lane, &card).await?),
                _ => None,
            },
        };
        Ok(MessageView {
            id: message.id,
            role: message.role,
            by: message.by,
            kind: message.kind,
            text: message.text,
            at: message.at,
            task: message.task.map(|task| task.0),
            channel_id: message.channel_id,
            card,
            files: message.files,
        })
    }

    /// Renders a card as it is shown now, with its tokens.
    ///
    /// # Errors
    /// As [`Self::lane`].
    pub async fn card_model(&self, lane: &Lane, card: &Card) -> Result<CardModel, RuntimeError> {
        let mut shown = Records::default();
        // A batch names its drafts, and those name their epics.
        for _ in 0..3 {
            for key in card_records(card, &shown) {
                if shown.record(&key).is_none()
                    && let Some(record) = self.any_record(lane, key.kind.as_str(), &key.key).await?
                {
                    shown.insert(record);
                }
            }
        }
        let mut model = project_card(card, &shown, self.store.now(), self.policy());
        self.keys.fill(&lane.key.tenant, &mut model);
        Ok(model)
    }

    /// A record, loaded with the lane or retired from it.
    async fn any_record(&self, lane: &Lane, kind: &str, key: &str) -> Result<Option<Record>, RuntimeError> {
        let loaded = lane.records.iter().find(|record| {
            let found = record.key();
            found.kind.as_str() == kind && found.key == key
        });
        if let Some(record) = loaded {
            return Ok(Some(record.clone()));
        }
        self.store.record(&lane.key, kind, key).await?.as_deref().map(stored::record).transpose()
    }

    /// Reads a turn and its lane's key.
    ///
    /// # Errors
    /// As [`Self::lane`].
    pub async fn turn_record(&self, tenant: &str, id: &str) -> Result<Option<(LaneKey, Turn)>, RuntimeError> {
        let Some(stored) = self.store.turn(tenant, &id.into()).await? else { return Ok(None) };
        let turn = stored::turn(&stored)?;
        Ok(Some((stored.lane, turn)))
    }
}
