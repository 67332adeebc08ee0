//! Intake of updates: from an update to an inbox row in its lane, and to the answer of a press.

use std::time::Duration;

use serde_json::Value;
use throughline_channels::telegram::inbound::lane;
use throughline_channels::telegram::{
    Bot, CHANNEL, FollowUp, IncomingUpdate, Place, PressAnswer, RelatedMessage, inbound,
};
use throughline_engine::data::notice::{Interruption, Notice};
use throughline_engine::data::record::Record;
use throughline_engine::data::snapshot;
use throughline_engine::{EventKind, LaneKey};
use throughline_runtime::{Inbound, Runtime, RuntimeError};
use throughline_store::{Accepted, DeliveryIdentity, TokenRow};

use super::Adapter;
use super::contacts::JoinOutcome;
use crate::lane_lookup::{Found, lane_of};

/// Maximum time of a preview; after it a press is answered as being worked on. Telegram expects an answer within
/// about a second.
const PREVIEW_TIME: Duration = Duration::from_millis(700);

/// Update that has been stored.
#[derive(Debug)]
pub struct AcceptedUpdate {
    /// Press that is still to be answered.
    answer: Option<PressToAnswer>,
}

#[derive(Debug)]
struct PressToAnswer {
    query: String,
    lane: LaneKey,
    to: String,
    said: PressAnswer,
}

/// Lane of an update, and the message it refers to if that was found through a button.
struct Destination {
    lane: LaneKey,
    anchor: Option<String>,
}

impl Adapter {
    /// Stores an update. Only after this succeeds may the offset advance, or a webhook be answered with 200.
    ///
    /// # Errors
    /// Nothing was stored; Telegram will send the update again.
    pub async fn accept(
        &self,
        runtime: &Runtime,
        bot: &Bot,
        update: &Value,
    ) -> Result<AcceptedUpdate, RuntimeError> {
        let IncomingUpdate { more_keys, chat, place, mut event, addressing, person, follow_up } =
            inbound(update, bot);
        let tenant = self.tenant.as_str();
        match &follow_up {
            FollowUp::Migrate { to } => {
                self.contacts.migrate(tenant, chat, *to).await?;
                // Cards under the old number can no longer be pressed.
                let conversation = self.contacts.conversation(tenant, chat).await?;
                let moved = format!("moved:{to}");
                self.show_open_cards(runtime, Some(&conversation), &moved, Interruption::Moved).await?;
            }
            FollowUp::Speak(speak) => {
                let conversation = self.contacts.conversation(tenant, chat).await?;
                let why = (!speak).then(|| "the bot was removed or blocked".to_owned());
                self.contacts.silence(tenant, &conversation, why).await?;
            }
            FollowUp::Nothing | FollowUp::Answer { .. } | FollowUp::Link { .. } => {}
        }
        if let Some(person) = &person {
            self.contacts.remember_name(tenant, person).await?;
        }
        event.received_at = self.store.now();
        let number = std::mem::take(&mut event.actor);
        let conversation = self.contacts.conversation(tenant, chat).await?;
        let Destination { lane, anchor } = self.destination(bot, &conversation, &place).await?;
        self.complete_event(&lane, &mut event.kind, anchor).await?;
        if let FollowUp::Link { token } = &follow_up {
            event.kind = self.join(token, &number).await?;
        }
        if !number.is_empty() {
            event.actor = self.contacts.user_of(tenant, &number).await?;
        }
        // The preview comes before the press is stored: afterwards the press itself may have consumed the button.
        let said = match &follow_up {
            FollowUp::Answer { .. } => self.preview(runtime, &lane, &event).await,
            _ => PressAnswer::Empty,
        };
        let to = event.actor.clone();
        let identity =
            DeliveryIdentity { more_keys, ..DeliveryIdentity::new(lane.clone(), event.id.as_str()) };
        let inbound = Inbound { identity, event, addressing };
        let accepted = runtime.accept(inbound).await?;
        if matches!(accepted, Accepted::Duplicate(_)) {
            ::metrics::counter!("throughline_inbox_duplicates_total", "channel" => CHANNEL).increment(1);
        }
        let said = if matches!(accepted, Accepted::New) { said } else { PressAnswer::Empty };
        let answer = match follow_up {
            FollowUp::Answer { query } => Some(PressToAnswer { query, lane, to, said }),
            _ => None,
        };
        Ok(AcceptedUpdate { answer })
    }

    /// Answers the press of an update, if it was one: at most one call, outside of the lane.
    pub async fn answer_press(&self, accepted: AcceptedUpdate) {
        let Some(PressToAnswer { query, lane, to, said }) = accepted.answer else { return };
        let answer = self.channel.answer(&query, &lane, &to, said).await;
        tracing::debug!(?answer, "answered a press");
    }

    /// Returns the lane of an update: its topic; else the lane of the message it replies to, found by the message map
    /// or a button of it; else the chat's root. A button leads to the message of its card, even if the map does not
    /// have it.
    async fn destination(
        &self,
        bot: &Bot,
        conversation: &str,
        place: &Place,
    ) -> Result<Destination, RuntimeError> {
        let tenant = self.tenant.as_str();
        let of = |topic: Option<i64>| lane(tenant, bot, conversation, topic);
        let Some(RelatedMessage { message, tokens, topic }) = &place.about else {
            return Ok(Destination { lane: of(place.topic), anchor: None });
        };
        let candidates: Vec<LaneKey> = match place.topic {
            Some(topic) => vec![of(Some(topic))],
            None => topic.iter().map(|topic| of(Some(*topic))).chain([of(None)]).collect(),
        };
        let tokens = tokens.iter().map(String::as_str);
        let found = lane_of(self.store.as_ref(), &candidates, message, tokens).await?;
        if let Some(Found { lane, button }) = found {
            let anchor = match button {
                Some(button) => self.message_of(lane, &button).await?,
                None => None,
            };
            return Ok(Destination { lane: lane.clone(), anchor });
        }
        Ok(Destination { lane: of(place.topic.or(*topic)), anchor: None })
    }

    /// Returns the message that shows a button's card.
    async fn message_of(&self, lane: &LaneKey, button: &TokenRow) -> Result<Option<String>, RuntimeError> {
        let card = self.store.record(lane, "card", button.card.as_str()).await?;
        let card = card.and_then(|card| snapshot::decode_record(&card).ok());
        Ok(if let Some(Record::Card(card)) = card { Some(card.message.0) } else { None })
    }

    /// Completes an event with what only the store knows.
    async fn complete_event(
        &self,
        lane: &LaneKey,
        kind: &mut EventKind,
        anchor: Option<String>,
    ) -> Result<(), RuntimeError> {
        match kind {
            EventKind::MessagePosted(posted) => {
                if let Some(anchor) = anchor {
                    posted.reply_to = Some(anchor);
                }
            }
            EventKind::MessageEdited { message, text, metadata_only } => {
                let stored = self.store.record(lane, "message", message).await?;
                let stored = stored.and_then(|stored| snapshot::decode_record(&stored).ok());
                // Telegram reports reactions and link previews as edits too; only a changed text is one.
                if let Some(Record::Message(stored)) = stored {
                    *metadata_only |= stored.text == *text;
                }
            }
            _ => {}
        }
        Ok(())
    }

    async fn join(&self, token: &str, person: &str) -> Result<EventKind, RuntimeError> {
        let joined = self.contacts.join(&self.tenant, token, person, self.store.now()).await?;
        Ok(EventKind::IntakeNotice(match joined {
            JoinOutcome::Joined(user) => Notice::Joined { user },
            JoinOutcome::Refused => Notice::LinkOver,
        }))
    }

    async fn preview(
        &self,
        runtime: &Runtime,
        lane: &LaneKey,
        event: &throughline_engine::Event,
    ) -> PressAnswer {
        match tokio::time::timeout(PREVIEW_TIME, runtime.preview_press(lane, event)).await {
            Ok(Ok(preview)) => match preview.notice {
                Some(text) => PressAnswer::Text { text, alert: preview.refused },
                None => PressAnswer::Working,
            },
            Ok(Err(error)) => {
                tracing::warn!(%error, "looking ahead of a press failed");
                PressAnswer::Working
            }
            Err(_) => PressAnswer::Working,
        }
    }
}
