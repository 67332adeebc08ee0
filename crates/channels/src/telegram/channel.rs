//! The way out: a message or card, shown by as many calls as it takes, each part on record before the next.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde_json::Value;
use throughline_engine::effect::{Attempt, EffectBody};
use throughline_engine::policy::limits;
use throughline_engine::workflow::{CardModel, Step};
use throughline_engine::{LaneKey, Timestamp};

use super::above::Above;
use super::classify::Answer;
use super::client::Client;
use super::inbound::{CHANNEL, channel_id, chat_and_message};
use super::outbound::{self, Call, Marks, Target};
use super::pace::{Move, Pace};
use super::render::{self, Part, Person};
use super::signals::Refused;
use super::told::Told;
use crate::{Channel, Delivered, Sending, Surface};

/// How long an update waits before it looks again whether its card's message is out.
const CARD_LOOK: i64 = 1_000;

/// What this channel has to know about chats and people, and does not keep itself.
#[async_trait]
pub trait Chats: Send + Sync {
    /// A conversation as it is now.
    ///
    /// # Errors
    /// It cannot be read just now; nothing was sent.
    async fn chat(&self, lane: &LaneKey) -> Result<Chat, String>;

    /// The chat of that number goes on under another.
    async fn moved(&self, lane: &LaneKey, from: i64, to: i64);

    /// We may not write there any more.
    async fn silenced(&self, lane: &LaneKey, why: &str);

    /// The number of a person, who may be known by the name of their account.
    async fn number(&self, lane: &LaneKey, person: &str) -> Option<i64>;

    /// What to call a person.
    async fn name(&self, lane: &LaneKey, person: &str) -> Option<String>;
}

/// A conversation as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chat {
    /// Its number.
    pub id: i64,
    /// Why we may not write there, if we may not.
    pub silent: Option<String>,
}

/// Telegram, as a channel.
pub struct Telegram {
    client: Client,
    chats: Arc<dyn Chats>,
    pace: Mutex<Pace>,
    told: Told,
    above: Above,
    /// Where people find our own pages, when they are told.
    pages: Option<String>,
    pub(super) refused: Refused,
}

/// Where one delivery goes.
struct Way<'a> {
    sending: &'a Sending<'a>,
    chat: i64,
    topic: Option<i64>,
    /// The number of whom it speaks to.
    number: Option<i64>,
}

impl Telegram {
    /// The channel over a client.
    #[must_use]
    pub fn new(client: Client, chats: Arc<dyn Chats>) -> Self {
        Self {
            client,
            chats,
            pace: Mutex::default(),
            told: Told::default(),
            above: Above::default(),
            pages: None,
            refused: Refused::default(),
        }
    }

    /// The same where people find our own pages at an address, `https://bot.example.org`: links to them can be followed.
    #[must_use]
    pub fn with_pages(mut self, address: Option<&str>) -> Self {
        self.pages = address.map(|address| address.trim_end_matches('/').to_owned());
        self
    }

    /// The client: for what is not a delivery.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    pub(super) fn chats(&self) -> &dyn Chats {
        &*self.chats
    }

    pub(super) fn pace(&self) -> MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a press, once. What it tells is not told again by the lane's own notice.
    pub async fn answer(&self, query: &str, lane: &LaneKey, to: &str, said: Said) -> Answer {
        let (text, alert) = match &said {
            Said::Nothing => ("", false),
            Said::Working => ("Working…", false),
            Said::Told { text, alert } => (text.as_str(), *alert),
        };
        let telling = matches!(said, Said::Told { .. }).then(|| self.told.telling(lane, to, text));
        let answer = self.client.call(&outbound::answer(query, text, alert)).await;
        if let Some(telling) = telling {
            // One that came too late was not seen, and what is cut off was not read.
            let read = matches!(answer, Answer::Applied(_)) && render::alert(text) == text;
            telling.send_replace(Some(read));
        }
        answer
    }

    /// Puts the next part on its way that is not out yet.
    async fn show(&self, way: &mut Way<'_>, parts: &[Part]) -> Attempt<Delivered> {
        let out = way.sending.sent.len();
        match parts.get(out) {
            Some(part) => self.send(way, part, out + 1 < parts.len()).await,
            None => Attempt::Applied(Delivered::default()),
        }
    }

    /// Makes the messages of a card that are out show these parts. Edits may be made twice; a message that is missing
    /// is sent, and is on record before the next. Above a receipt stands what was decided, and stays.
    async fn converge(&self, way: &mut Way<'_>, parts: &[Part], receipt: bool) -> Attempt<Delivered> {
        let (Some((card, leads)), sent) = (parts.split_last(), way.sending.sent) else {
            return Attempt::Applied(Delivered::default());
        };
        if parts.len() > sent.len() {
            for (part, id) in parts.iter().zip(sent) {
                if let Err(stop) = self.edit_above(way, id, part).await {
                    return stop;
                }
            }
            return self.show(way, parts).await;
        }
        let Some((shown, above)) = sent.split_last() else { return Attempt::Applied(Delivered::default()) };
        let empty = render::emptied();
        for (n, id) in above.iter().enumerate().take_while(|(n, _)| !receipt || *n < leads.len()) {
            if let Err(stop) = self.edit_above(way, id, leads.get(n).unwrap_or(&empty)).await {
                return stop;
            }
        }
        match self.edit(way, shown, card).await {
            Ok(true) => Attempt::Applied(Delivered::default()),
            // Somebody deleted it: the card goes on in a new message.
            Ok(false) => self.send(way, card, false).await,
            Err(stop) => stop,
        }
    }

    /// A new message.
    async fn send(&self, way: &mut Way<'_>, part: &Part, more: bool) -> Attempt<Delivered> {
        let now = way.sending.now;
        let answer = loop {
            let to = way.target();
            let answer = self.marked(part, |marks| outbound::send(to, part, marks)).await;
            match answer {
                Answer::Moved(to) if to != way.chat => self.follow(way, to).await,
                other => break other,
            }
        };
        match self.ended(way, answer).await {
            Attempt::Applied(result) => match result["message_id"].as_i64() {
                Some(message) => {
                    self.pace().shown(way.chat, message, now);
                    self.above.shown(way.chat, message, part);
                    Attempt::Applied(Delivered { id: Some(channel_id(way.chat, message)), more })
                }
                None => Attempt::Unknown { why: "Telegram named no message".into() },
            },
            other => other.map(|_| Delivered::default()),
        }
    }

    /// The same for a message above a card's buttons, unless it shows just that. One that is gone is not missed: its
    /// words were read.
    async fn edit_above(&self, way: &mut Way<'_>, id: &str, part: &Part) -> Result<(), Attempt<Delivered>> {
        let known = chat_and_message(id);
        if known.is_some_and(|(chat, message)| self.above.shows(chat, message, part)) {
            return Ok(());
        }
        let there = self.edit(way, id, part).await?;
        if let Some((chat, message)) = known.filter(|_| there) {
            self.above.shown(chat, message, part);
        }
        Ok(())
    }

    /// A message's new state; `false` when the message is gone.
    async fn edit(&self, way: &mut Way<'_>, id: &str, part: &Part) -> Result<bool, Attempt<Delivered>> {
        // A message of the chat's old number cannot be reached under the new one.
        let Some((_, message)) = chat_and_message(id).filter(|(chat, _)| *chat == way.chat) else {
            return Ok(false);
        };
        let answer = self.marked(part, |marks| outbound::edit(way.chat, message, part, marks)).await;
        let answer = match answer {
            Answer::Gone => return Ok(false),
            Answer::Moved(to) => {
                self.follow(way, to).await;
                return Ok(false);
            }
            other => other,
        };
        match self.ended(way, answer).await {
            Attempt::Applied(_) => Ok(true),
            other => Err(other.map(|_| Delivered::default())),
        }
    }

    /// With marks, and without them when Telegram cannot read them: it says that nothing was sent.
    async fn marked(&self, part: &Part, call: impl Fn(Marks) -> Call) -> Answer {
        match self.client.call(&call(Marks::Html)).await {
            Answer::Unparsable => {
                tracing::warn!(code = "TL-3202", units = part.plain.len(), "Telegram cannot read our marks");
                self.client.call(&call(Marks::None)).await
            }
            answer => answer,
        }
    }

    /// The chat's number as it is now, where we may write there.
    async fn writable<T>(&self, lane: &LaneKey) -> Result<i64, Attempt<T>> {
        match self.chats.chat(lane).await {
            Ok(Chat { silent: Some(why), .. }) => {
                let text = format!("Telegram does not let us write in this chat: {why}");
                Err(Attempt::Rejected { text, errors: Vec::new() })
            }
            Ok(chat) => Ok(chat.id),
            Err(why) => Err(Attempt::NotApplied { why, hint: None }),
        }
    }

    async fn follow(&self, way: &mut Way<'_>, to: i64) {
        self.chats.moved(way.sending.lane, way.chat, to).await;
        way.chat = to;
    }

    /// What an answer means for the chat, and the outcome it is.
    async fn ended(&self, way: &Way<'_>, answer: Answer) -> Attempt<Value> {
        self.heard(way.chat, way.sending.now, &answer);
        self.noticed(way.sending.lane, &answer).await;
        answer.attempt()
    }

    /// A chat that is told to wait waits, whatever is to be sent there.
    fn heard(&self, chat: i64, now: Timestamp, answer: &Answer) {
        if let Answer::TooMany { hint } = answer {
            self.pace().refused(chat, now.plus(hint.unwrap_or(limits::RETRY_FIRST)));
        }
    }

    /// What an answer says beyond the one message.
    async fn noticed(&self, lane: &LaneKey, answer: &Answer) {
        match answer {
            Answer::TooMany { .. } => {
                metrics::counter!("throughline_vendor_429_total", "vendor" => CHANNEL).increment(1);
            }
            Answer::Forbidden(why) => self.chats.silenced(lane, why).await,
            Answer::Unauthorized(_) => {
                tracing::error!(code = "TL-3201", "Telegram refuses the bot's token");
            }
            _ => {}
        }
    }

    /// The messages of a card.
    async fn parts(&self, lane: &LaneKey, card: &CardModel) -> Vec<Part> {
        let names = self.names(lane, card).await;
        let mut card = card.clone();
        if let Some(pages) = &self.pages {
            let links = card.items.iter_mut().map(|item| &mut item.link).chain([&mut card.link]);
            for link in links.flatten().filter(|link| link.starts_with('/')) {
                link.insert_str(0, pages);
            }
        }
        render::card(&card, &names)
    }

    async fn names(&self, lane: &LaneKey, card: &CardModel) -> BTreeMap<String, String> {
        let mut names = BTreeMap::new();
        for person in render::people(card) {
            if let Some(name) = self.chats.name(lane, &person).await {
                names.insert(person, name);
            }
        }
        names
    }
}

/// Where members of a supergroup see a message; other chats have no such place. Their numbers begin with -100.
fn link(chat: i64, message: i64) -> Option<String> {
    let within = chat.to_string().strip_prefix("-100")?.trim_start_matches('0').to_owned();
    Some(format!("https://t.me/c/{within}/{message}")).filter(|_| chat < -1_000_000_000_000)
}

impl Way<'_> {
    fn target(&self) -> Target {
        let first = self.sending.sent.is_empty();
        let answers = self.sending.answers.filter(|_| first).and_then(chat_and_message);
        let answers = answers.filter(|(chat, _)| *chat == self.chat).map(|(_, message)| message);
        Target { chat: self.chat, topic: self.topic, answers }
    }

    /// Whom the words have to name, so that they are seen to be theirs: nobody in a private chat, and nobody whose own
    /// message is answered.
    fn person(&self) -> Option<Person> {
        let (person, id) = self.sending.person.zip(self.number)?;
        let named = self.chat < 0 && self.target().answers.is_none();
        named.then(|| Person { id, name: person.name.clone() })
    }
}

/// What a press is answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Only that it came: it was answered before.
    Nothing,
    /// That it is being worked on.
    Working,
    /// What the lane would say.
    Told {
        /// The words.
        text: String,
        /// In a window that has to be closed: a refusal.
        alert: bool,
    },
}

#[async_trait]
impl Channel for Telegram {
    fn name(&self) -> &str {
        CHANNEL
    }

    fn surface(&self) -> Surface {
        Surface::Sends
    }

    fn not_before(&self, sending: &Sending<'_>) -> Option<Timestamp> {
        let last = sending.sent.last().and_then(|id| chat_and_message(id));
        // Before the first message only the conversation's own number is known; it is a bucket as good as any.
        let chat = last.map(|(chat, _)| chat).or_else(|| sending.lane.conversation.parse().ok())?;
        let wants = match (sending.body, last) {
            (EffectBody::CardUpdate { .. }, None) if sending.age <= limits::GIVE_UP_MESSAGE.1 => {
                return Some(sending.now.plus(CARD_LOOK));
            }
            (EffectBody::CardUpdate { .. }, Some((_, message))) => Move::Edit(message),
            _ => Move::Send,
        };
        self.pace().admit(chat, wants, sending.now).err()
    }

    async fn working(&self, lane: &LaneKey, now: Timestamp) {
        self.types(lane, now).await;
        std::future::pending().await
    }

    fn seen(self: Arc<Self>, lane: &LaneKey, message: &str) {
        self.reacts(lane.clone(), message);
    }

    /// At the chat's root, so in no topic: in a forum that is General.
    async fn post(&self, to: &LaneKey, text: &str, now: Timestamp) -> Attempt<Option<String>> {
        let mut chat = match self.writable(to).await {
            Ok(chat) => chat,
            Err(stop) => return stop.map(|_: Value| None),
        };
        let parts = render::reply(text, None);
        let [part] = parts.as_slice() else {
            let text = "the text is too long for one message of Telegram".into();
            return Attempt::Rejected { text, errors: Vec::new() };
        };
        if let Err(until) = self.pace().admit(chat, Move::Send, now) {
            let why = "Telegram takes only so many messages in this chat".into();
            return Attempt::NotApplied { why, hint: Some(until.since(now)) };
        }
        let answer = loop {
            let target = Target { chat, topic: None, answers: None };
            match self.marked(part, |marks| outbound::send(target, part, marks)).await {
                Answer::Moved(moved) if moved != chat => {
                    self.chats.moved(to, chat, moved).await;
                    chat = moved;
                }
                other => break other,
            }
        };
        self.heard(chat, now, &answer);
        self.noticed(to, &answer).await;
        match answer.attempt() {
            Attempt::Applied(result) => match result["message_id"].as_i64() {
                Some(message) => Attempt::Applied(link(chat, message)),
                None => Attempt::Unknown { why: "Telegram named no message".into() },
            },
            other => other.map(|_| None),
        }
    }

    /// The topic, or the beginning of the chat. A private chat and a small group have no links.
    fn link(&self, lane: &LaneKey) -> Option<String> {
        let first = if lane.thread.is_empty() { 1 } else { lane.thread.parse().ok()? };
        link(lane.conversation.parse().ok()?, first)
    }

    fn link_to(&self, _: &LaneKey, message: &str) -> Option<String> {
        let (chat, message) = chat_and_message(message)?;
        link(chat, message)
    }

    async fn deliver(&self, sending: Sending<'_>) -> Attempt<Delivered> {
        let lane = sending.lane;
        let chat = match self.writable(lane).await {
            Ok(chat) => chat,
            Err(stop) => return stop,
        };
        let number = match sending.person {
            Some(person) => self.chats.number(lane, &person.id).await,
            None => None,
        };
        let mut way = Way { sending: &sending, chat, topic: lane.thread.parse().ok(), number };
        match sending.body {
            EffectBody::Reply { text, offers, .. } if sending.question => {
                // In a group only an answer to our message is sure to reach us, so there the words are typed.
                let words: &[String] = if chat > 0 { offers } else { &[] };
                let parts = render::question(text, way.person().as_ref(), words);
                self.show(&mut way, &parts).await
            }
            EffectBody::Reply { text, .. } => self.show(&mut way, &render::reply(text, None)).await,
            EffectBody::CardPost { card, .. } => {
                let parts = self.parts(lane, card).await;
                self.show(&mut way, &parts).await
            }
            EffectBody::CardUpdate { card, .. } => {
                let parts = self.parts(lane, card).await;
                self.converge(&mut way, &parts, card.step == Step::Receipt).await
            }
            EffectBody::Notice { to, text } => {
                if self.told.was_told(lane, to, text).await {
                    return Attempt::Applied(Delivered::default());
                }
                let parts = render::reply(text, way.person().as_ref());
                self.show(&mut way, &parts[..1]).await
            }
            _ => Attempt::Rejected { text: "this is nothing a channel delivers".into(), errors: Vec::new() },
        }
    }
}
