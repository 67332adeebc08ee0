//! What people and programs see of a lane: read from the store, with the buttons' tokens filled in.

use serde::Serialize;
use throughline_engine::lane::{Lane, Message, MessageKind, Record, Role};
use throughline_engine::workflow::{About, Card, CardModel, project};
use throughline_engine::{LaneKey, MessageId, Timestamp};

use crate::given::{decode, unreadable};
use crate::record::Turn;
use crate::{Runtime, Stop};

/// A message as it is shown now: a card shows its newest state.
#[derive(Clone, Debug, Serialize)]
pub struct MessageView {
    /// Its id.
    pub id: MessageId,
    /// Who spoke.
    pub role: Role,
    /// The person, for theirs.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// What it is, for ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<MessageKind>,
    /// The words.
    pub text: String,
    /// When.
    pub at: Timestamp,
    /// The task it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The channel's own id of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<String>,
    /// The card it shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<CardModel>,
}

/// A lane as it stands.
pub struct LaneView {
    /// Head and loaded records.
    pub lane: Lane,
    /// The window's messages, oldest first.
    pub messages: Vec<MessageView>,
}

impl Runtime {
    /// A lane as stored. A lane nothing happened in is empty.
    ///
    /// # Errors
    /// The store did not answer, or holds something this version cannot read.
    pub async fn lane(&self, key: &LaneKey) -> Result<Lane, Stop> {
        Ok(self.read_lane(key).await?.0)
    }

    /// A lane with its window of messages as they are shown.
    ///
    /// # Errors
    /// As [`Self::lane`].
    pub async fn lane_view(&self, key: &LaneKey) -> Result<LaneView, Stop> {
        let lane = self.lane(key).await?;
        let mut messages = Vec::new();
        for id in lane.head.window.iter() {
            if let Some(message) = lane.records.message(&id).cloned() {
                messages.push(self.show(&lane, message).await?);
            }
        }
        Ok(LaneView { lane, messages })
    }

    /// Some messages of a lane, by id, as they are shown now.
    ///
    /// # Errors
    /// As [`Self::lane`].
    pub async fn messages(&self, key: &LaneKey, ids: &[MessageId]) -> Result<Vec<MessageView>, Stop> {
        self.messages_of(&self.lane(key).await?, ids).await
    }

    /// The same of a lane that is at hand.
    ///
    /// # Errors
    /// As [`Self::lane`].
    pub async fn messages_of(&self, lane: &Lane, ids: &[MessageId]) -> Result<Vec<MessageView>, Stop> {
        let mut messages = Vec::new();
        for id in ids {
            if let Some(Record::Message(message)) = self.any_record(lane, "message", id.as_str()).await? {
                messages.push(self.show(lane, message).await?);
            }
        }
        Ok(messages)
    }

    async fn show(&self, lane: &Lane, message: Message) -> Result<MessageView, Stop> {
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
        })
    }

    /// A card as it is shown now, with its tokens.
    ///
    /// # Errors
    /// As [`Self::lane`].
    pub async fn card_model(&self, lane: &Lane, card: &Card) -> Result<CardModel, Stop> {
        let draft = match &card.about {
            About::DraftPreview { draft, .. } | About::UncertainEffect { draft, .. } => {
                match self.any_record(lane, "draft", draft.as_str()).await? {
                    Some(Record::Draft(draft)) => Some(draft),
                    _ => None,
                }
            }
            _ => None,
        };
        let mut model = project(card, draft.as_ref(), self.store.now(), &self.policy);
        self.keys.fill(&lane.key.tenant, &mut model);
        Ok(model)
    }

    /// A record, loaded or retired.
    async fn any_record(&self, lane: &Lane, kind: &str, key: &str) -> Result<Option<Record>, Stop> {
        let loaded = lane.records.iter().find(|record| {
            let found = record.key();
            found.kind.word() == kind && found.key == key
        });
        if let Some(record) = loaded {
            return Ok(Some(record.clone()));
        }
        self.store.record(&lane.key, kind, key).await?.as_deref().map(decode).transpose()
    }

    /// A stored turn, read back.
    ///
    /// # Errors
    /// As [`Self::lane`].
    pub async fn turn_record(&self, tenant: &str, id: &str) -> Result<Option<(LaneKey, Turn)>, Stop> {
        let Some(stored) = self.store.turn(tenant, &id.into()).await? else { return Ok(None) };
        let turn = Turn::read(&stored).map_err(|e| unreadable("a turn row", &e.to_string()))?;
        Ok(Some((stored.lane, turn)))
    }
}
