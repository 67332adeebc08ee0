//! From an update to an inbox row: its lane, what only the store knows of it, and, of a press, what it is answered with.

use std::time::Duration;

use serde_json::Value;
use throughline_channels::telegram::inbound::lane;
use throughline_channels::telegram::{About, Also, Bot, CHANNEL, Incoming, Place, Said, inbound};
use throughline_engine::lane::Record;
use throughline_engine::{EventKind, LaneKey, snapshot};
use throughline_runtime::{Inbound, Keys, Runtime, Stop};
use throughline_store::Accepted;

use super::Edge;
use super::book::Joined;

/// How long looking ahead may take; then the press is told that it is being worked on (`spec 07 §3.3`: an answer within
/// a second).
const LOOK: Duration = Duration::from_millis(700);
/// What the lanes of a chat that moved are told.
const MOVED: &str = "This chat has moved; what waits for a decision is shown here again";
/// Buttons of a replied-to message that are looked up. Ours has fewer; another bot's may have a hundred.
const TOKENS: usize = 16;

/// An update that is durable.
#[derive(Debug)]
pub struct Taken {
    /// What is left to do: answer the press it was.
    answer: Option<Answering>,
}

#[derive(Debug)]
struct Answering {
    query: String,
    lane: LaneKey,
    to: String,
    said: Said,
}

/// Where an update goes, and the message of ours that it is about when only a button told it.
struct Found {
    lane: LaneKey,
    anchor: Option<String>,
}

impl Edge {
    /// Makes an update durable. Only after this returned may the offset move on or 200 be answered.
    ///
    /// # Errors
    /// The store took nothing; Telegram will send the update again.
    pub async fn take(&self, runtime: &Runtime, bot: &Bot, update: &Value) -> Result<Taken, Stop> {
        let Incoming { keys, chat, place, mut event, addressing, person, also } = inbound(update, bot);
        let tenant = self.tenant.as_str();
        match &also {
            Also::Migrate { to } => {
                self.book.migrate(tenant, chat, *to).await?;
                // What was shown under the old number can be reached by nobody.
                let conversation = self.book.conversation(tenant, chat).await?;
                let moved = format!("moved:{to}");
                self.show_open_cards(runtime, Some(&conversation), &moved, MOVED).await?;
            }
            Also::Speak(speak) => {
                let conversation = self.book.conversation(tenant, chat).await?;
                let why = (!speak).then(|| "the bot was removed or blocked".to_owned());
                self.book.silence(tenant, &conversation, why).await?;
            }
            Also::Nothing | Also::Answer { .. } | Also::Link { .. } => {}
        }
        if let Some(person) = &person {
            self.book.note(tenant, person).await?;
        }
        event.received_at = self.store.now();
        let number = std::mem::take(&mut event.actor);
        let conversation = self.book.conversation(tenant, chat).await?;
        let Found { lane, anchor } = self.find(bot, &conversation, &place).await?;
        self.complete(&lane, &mut event.kind, anchor).await?;
        if let Also::Link { token } = &also {
            event.kind = self.join(token, &number).await?;
        }
        if !number.is_empty() {
            event.actor = self.book.who(tenant, &number).await?;
        }
        // Looked at before the press is durable: afterwards its own lane may have consumed the button.
        let said = match &also {
            Also::Answer { .. } => self.foresee(runtime, &lane, &event).await,
            _ => Said::Nothing,
        };
        let to = event.actor.clone();
        let inbound = Inbound { lane: lane.clone(), keys, event, addressing, body_hash: None };
        let accepted = runtime.accept(inbound).await?;
        if matches!(accepted, Accepted::Duplicate(_)) {
            ::metrics::counter!("throughline_inbox_duplicates_total", "channel" => CHANNEL).increment(1);
        }
        let said = if matches!(accepted, Accepted::New(_)) { said } else { Said::Nothing };
        let answer = match also {
            Also::Answer { query } => Some(Answering { query, lane, to, said }),
            _ => None,
        };
        Ok(Taken { answer })
    }

    /// Does what is left to do after an update was taken: at most one call, beside the lane and never in its way.
    pub async fn finish(&self, taken: Taken) {
        let Some(Answering { query, lane, to, said }) = taken.answer else { return };
        let answer = self.channel.answer(&query, &lane, &to, said).await;
        tracing::debug!(?answer, "answered a press");
    }

    /// The lane of a place (`spec 07 §3.2`): its topic; else that of the message it is about, by the message map, then by
    /// a button under it; else the root. What a button leads to is its card's message, whether the map has it or not.
    async fn find(&self, bot: &Bot, conversation: &str, place: &Place) -> Result<Found, Stop> {
        let tenant = self.tenant.as_str();
        let of = |topic: Option<i64>| lane(tenant, bot, conversation, topic);
        let Some(About { message, tokens, topic }) = &place.about else {
            return Ok(Found { lane: of(place.topic), anchor: None });
        };
        let candidates: Vec<LaneKey> = match place.topic {
            Some(topic) => vec![of(Some(topic))],
            None => topic.iter().map(|topic| of(Some(*topic))).chain([of(None)]).collect(),
        };
        for lane in &candidates {
            if self.store.record(lane, "message", message).await?.is_some() {
                return Ok(Found { lane: lane.clone(), anchor: None });
            }
        }
        for token in tokens.iter().take(TOKENS) {
            for lane in &candidates {
                let Some(button) = self.store.token(lane, &Keys::hash(token)).await? else { continue };
                let card = self.store.record(lane, "card", button.card.as_str()).await?;
                let card = card.and_then(|card| snapshot::decode_record(&card).ok());
                let anchor = if let Some(Record::Card(card)) = card { Some(card.message.0) } else { None };
                return Ok(Found { lane: lane.clone(), anchor });
            }
        }
        Ok(Found { lane: of(place.topic.or(*topic)), anchor: None })
    }

    /// What of an event only the store knows.
    async fn complete(
        &self,
        lane: &LaneKey,
        kind: &mut EventKind,
        anchor: Option<String>,
    ) -> Result<(), Stop> {
        match kind {
            EventKind::MessagePosted(posted) => {
                if let Some(anchor) = anchor {
                    posted.reply_to = Some(anchor);
                }
            }
            EventKind::MessageEdited { message, text, metadata_only } => {
                let stored = self.store.record(lane, "message", message).await?;
                let stored = stored.and_then(|stored| snapshot::decode_record(&stored).ok());
                // Telegram calls a reaction or a preview an edit too; the words say whether it is one.
                if let Some(Record::Message(stored)) = stored {
                    *metadata_only |= stored.text == *text;
                }
            }
            _ => {}
        }
        Ok(())
    }

    async fn join(&self, token: &str, person: &str) -> Result<EventKind, Stop> {
        let joined = self.book.join(&self.tenant, token, person, self.store.now()).await?;
        let message = match joined {
            Joined::To(user) => format!("You are {user} here now: what {user} may approve, you may approve."),
            Joined::No => "This link is not good any more. Ask for a new one.".into(),
        };
        Ok(EventKind::IntakeNotice { why: "linked".into(), message })
    }

    async fn foresee(&self, runtime: &Runtime, lane: &LaneKey, event: &throughline_engine::Event) -> Said {
        match tokio::time::timeout(LOOK, runtime.foresee(lane, event)).await {
            Ok(Ok(foreseen)) => match foreseen.told {
                Some(text) => Said::Told { text, alert: foreseen.refused },
                None => Said::Working,
            },
            Ok(Err(error)) => {
                tracing::warn!(%error, "looking ahead of a press failed");
                Said::Working
            }
            Err(_) => Said::Working,
        }
    }
}
