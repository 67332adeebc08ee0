//! The sending side of the channel: delivers a message or card with as many calls as it needs, each part on record
//! before the next.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde_json::Value;
use throughline_engine::data::action::CardStep;
use throughline_engine::data::card_model::CardModel;
use throughline_engine::data::effect::{Attempt, EffectBody};
use throughline_engine::data::fault::{Fault, SendingFault};
use throughline_engine::data::policy::limits;
use throughline_engine::{LaneKey, Language, Timestamp};

use super::answer::Answer;
use super::answered_presses::AnsweredPresses;
use super::client::Client;
use super::names::{CHANNEL, channel_id, chat_and_message};
use super::outbound::{self, Call, Formatting, Target};
use super::rate_limit::{Outgoing, RateLimiter};
use super::refused_reactions::RefusedReactions;
use super::render::{self, Part, Person};
use super::shown_parts::ShownParts;
use crate::{Channel, Delivered, Posting, Sending, Surface, Working};

/// The look-ups of chats and people that the channel needs and does not keep itself.
#[async_trait]
pub trait Chats: Send + Sync {
    /// A conversation as it is now.
    ///
    /// # Errors
    /// The conversation cannot be read now; nothing was sent.
    async fn chat(&self, lane: &LaneKey) -> Result<Chat, String>;

    /// Called when the chat goes on under another number.
    async fn moved(&self, lane: &LaneKey, from: i64, to: i64);

    /// Called when the bot may no longer write in the chat.
    async fn silenced(&self, lane: &LaneKey, why: &str);

    /// The Telegram number of a person, who may be known by the name of their account.
    async fn number(&self, lane: &LaneKey, person: &str) -> Option<i64>;

    /// The display name of a person.
    async fn name(&self, lane: &LaneKey, person: &str) -> Option<String>;
}

/// A conversation as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chat {
    /// The chat's number.
    pub id: i64,
    /// The reason the bot may not write there, if it may not.
    pub silent: Option<String>,
}

/// Telegram, as a channel.
pub struct Telegram {
    client: Client,
    chats: Arc<dyn Chats>,
    rate_limiter: Mutex<RateLimiter>,
    answered: AnsweredPresses,
    shown: ShownParts,
    /// The address of the installation's own pages, if people can reach them.
    pages: Option<String>,
    /// The language of what the channel says itself.
    language: Language,
    pub(super) refused_reactions: RefusedReactions,
}

/// The destination of one delivery.
struct Route<'a> {
    sending: &'a Sending<'a>,
    chat: i64,
    topic: Option<i64>,
    /// The number of the person it is for.
    number: Option<i64>,
}

impl Telegram {
    /// Creates the channel over a client.
    #[must_use]
    pub fn new(client: Client, chats: Arc<dyn Chats>, language: Language) -> Self {
        Self {
            client,
            chats,
            rate_limiter: Mutex::default(),
            answered: AnsweredPresses::default(),
            shown: ShownParts::default(),
            pages: None,
            language,
            refused_reactions: RefusedReactions::default(),
        }
    }

    /// Sets the address of the installation's own pages, `https://bot.example.org`, so that links to them can be
    /// followed.
    #[must_use]
    pub fn with_pages(mut self, address: Option<&str>) -> Self {
        self.pages = address.map(|address| address.trim_end_matches('/').to_owned());
        self
    }

    /// The client, for calls that are not deliveries.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    pub(super) fn chats(&self) -> &dyn Chats {
        &*self.chats
    }

    pub(super) fn rate_limiter(&self) -> MutexGuard<'_, RateLimiter> {
        self.rate_limiter.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a press once. A text that was shown here is not repeated by the lane's own notice.
    pub async fn answer(&self, query: &str, lane: &LaneKey, to: &str, answer: PressAnswer) -> Answer {
        let (text, alert) = match &answer {
            PressAnswer::Empty => ("", false),
            PressAnswer::Working => ("Working…", false),
            PressAnswer::Text { text, alert } => (text.as_str(), *alert),
        };
        let arrived = matches!(answer, PressAnswer::Text { .. }).then(|| self.answered.begin(lane, to, text));
        let answer = self.client.call(&outbound::answer(query, text, alert)).await;
        if let Some(arrived) = arrived {
            // An answer that came too late was not seen, and a text that was cut was not read to its end.
            let read = matches!(answer, Answer::Applied(_)) && render::alert(text) == text;
            arrived.send_replace(Some(read));
        }
        answer
    }

    /// Sends the next part that is not out yet.
    async fn show(&self, route: &mut Route<'_>, parts: &[Part]) -> Attempt<Delivered> {
        let out = route.sending.sent.len();
        match parts.get(out) {
            Some(part) => self.send(route, part, out + 1 < parts.len()).await,
            None => Attempt::Applied(Delivered::default()),
        }
    }

    /// Edits the messages of a card to show these parts. Edits may be made twice; a message that is missing is sent,
    /// and is on record before the next. The messages above a receipt stay as they were decided.
    async fn update_messages(
        &self,
        route: &mut Route<'_>,
        parts: &[Part],
        receipt: bool,
    ) -> Attempt<Delivered> {
        let (Some((card, leads)), sent) = (parts.split_last(), route.sending.sent) else {
            return Attempt::Applied(Delivered::default());
        };
        if parts.len() > sent.len() {
            for (part, id) in parts.iter().zip(sent) {
                if let Err(stop) = self.edit_above(route, id, part).await {
                    return stop;
                }
            }
            return self.show(route, parts).await;
        }
        let Some((shown, above)) = sent.split_last() else { return Attempt::Applied(Delivered::default()) };
        let empty = render::emptied();
        for (n, id) in above.iter().enumerate().take_while(|(n, _)| !receipt || *n < leads.len()) {
            if let Err(stop) = self.edit_above(route, id, leads.get(n).unwrap_or(&empty)).await {
                return stop;
            }
        }
        match self.edit(route, shown, card).await {
            Ok(true) => Attempt::Applied(Delivered::default()),
            // Somebody deleted it: the card goes on in a new message.
            Ok(false) => self.send(route, card, false).await,
            Err(stop) => stop,
        }
    }

    /// Sends a new message.
    async fn send(&self, route: &mut Route<'_>, part: &Part, more: bool) -> Attempt<Delivered> {
        let now = route.sending.now;
        let answer = loop {
            let to = route.target();
            let answer = self.call_formatted(part, |formatting| outbound::send(to, part, formatting)).await;
            match answer {
                Answer::Moved(to) if to != route.chat => self.follow(route, to).await,
                other => break other,
            }
        };
        match self.settle(route, answer).await {
            Attempt::Applied(result) => match result["message_id"].as_i64() {
                Some(message) => {
                    self.rate_limiter().shown(route.chat, message, now);
                    self.shown.shown(route.chat, message, part);
                    Attempt::Applied(Delivered { id: Some(channel_id(route.chat, message)), more })
                }
                None => Attempt::Unknown { why: SendingFault::Unnamed { channel: "Telegram".into() }.into() },
            },
            other => other.map(|_| Delivered::default()),
        }
    }

    /// Edits a message above a card's buttons, unless it shows that part already. One that is gone is not sent again:
    /// it was read.
    async fn edit_above(
        &self,
        route: &mut Route<'_>,
        id: &str,
        part: &Part,
    ) -> Result<(), Attempt<Delivered>> {
        let known = chat_and_message(id);
        if known.is_some_and(|(chat, message)| self.shown.shows(chat, message, part)) {
            return Ok(());
        }
        let there = self.edit(route, id, part).await?;
        if let Some((chat, message)) = known.filter(|_| there) {
            self.shown.shown(chat, message, part);
        }
        Ok(())
    }

    /// Edits a message; returns false if the message is gone.
    async fn edit(&self, route: &mut Route<'_>, id: &str, part: &Part) -> Result<bool, Attempt<Delivered>> {
        // A message of the chat's old number cannot be reached under the new one.
        let Some((_, message)) = chat_and_message(id).filter(|(chat, _)| *chat == route.chat) else {
            return Ok(false);
        };
        let answer = self
            .call_formatted(part, |formatting| outbound::edit(route.chat, message, part, formatting))
            .await;
        let answer = match answer {
            Answer::Gone => return Ok(false),
            Answer::Moved(to) => {
                self.follow(route, to).await;
                return Ok(false);
            }
            other => other,
        };
        match self.settle(route, answer).await {
            Attempt::Applied(_) => Ok(true),
            other => Err(other.map(|_| Delivered::default())),
        }
    }

    /// Calls with formatting, and again without it if Telegram cannot parse it: that answer says that nothing was
    /// sent.
    async fn call_formatted(&self, part: &Part, call: impl Fn(Formatting) -> Call) -> Answer {
        match self.client.call(&call(Formatting::Html)).await {
            Answer::Unparsable => {
                tracing::warn!(code = "TL-3202", units = part.plain.len(), "Telegram cannot read our marks");
                self.client.call(&call(Formatting::Plain)).await
            }
            answer => answer,
        }
    }

    /// The chat's current number, if the bot may write there.
    async fn writable<T>(&self, lane: &LaneKey) -> Result<i64, Attempt<T>> {
        match self.chats.chat(lane).await {
            Ok(Chat { silent: Some(why), .. }) => {
                let fault = SendingFault::NotLet { channel: "Telegram".into(), why };
                Err(Attempt::Rejected { text: fault.into(), errors: Vec::new() })
            }
            Ok(chat) => Ok(chat.id),
            Err(why) => Err(Attempt::NotApplied { why: Fault::Said(why), hint: None }),
        }
    }

    async fn follow(&self, route: &mut Route<'_>, to: i64) {
        self.chats.moved(route.sending.lane, route.chat, to).await;
        route.chat = to;
    }

    /// Records what an answer says about the chat, and turns it into an outcome.
    async fn settle(&self, route: &Route<'_>, answer: Answer) -> Attempt<Value> {
        self.note_rate_limit(route.chat, route.sending.now, &answer);
        self.note_answer(route.sending.lane, &answer).await;
        answer.attempt()
    }

    /// Makes a chat wait that Telegram asked to wait, whatever is to be sent there.
    fn note_rate_limit(&self, chat: i64, now: Timestamp, answer: &Answer) {
        if let Answer::TooMany { hint } = answer {
            self.rate_limiter().refused(chat, now.plus(hint.unwrap_or(limits::RETRY_FIRST)));
        }
    }

    /// Records what an answer says beyond the one message.
    async fn note_answer(&self, lane: &LaneKey, answer: &Answer) {
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

    /// Renders the messages of a card.
    async fn parts(&self, lane: &LaneKey, card: &CardModel) -> Vec<Part> {
        let names = self.names(lane, card).await;
        match &self.pages {
            Some(pages) => render::card(&render::with_pages(card.clone(), pages), &names, self.language),
            None => render::card(card, &names, self.language),
        }
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

/// The address of a message for members of a supergroup. Other chats have none; numbers of supergroups begin with
/// -100.
fn link(chat: i64, message: i64) -> Option<String> {
    let within = chat.to_string().strip_prefix("-100")?.trim_start_matches('0').to_owned();
    Some(format!("https://t.me/c/{within}/{message}")).filter(|_| chat < -1_000_000_000_000)
}

impl Route<'_> {
    fn target(&self) -> Target {
        let first = self.sending.sent.is_empty();
        let answers = self.sending.answers.filter(|_| first).and_then(chat_and_message);
        let answers = answers.filter(|(chat, _)| *chat == self.chat).map(|(_, message)| message);
        Target { chat: self.chat, topic: self.topic, answers }
    }

    /// The person the text has to name, so that they see that it is for them. Not needed in a private chat, nor when
    /// their own message is answered.
    fn person(&self) -> Option<Person> {
        let (person, id) = self.sending.person.zip(self.number)?;
        let named = self.chat < 0 && self.target().answers.is_none();
        named.then(|| Person { id, name: person.name.clone() })
    }
}

/// The answer to a press.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PressAnswer {
    /// No text: the press was answered before.
    Empty,
    /// A note that the press is being worked on.
    Working,
    /// The lane's likely answer.
    Text {
        /// The text.
        text: String,
        /// True for a refusal: it is shown in a window that has to be closed.
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
        // Before the first message only the conversation's own number is known, which limits as well as any.
        let chat = last.map(|(chat, _)| chat).or_else(|| sending.lane.conversation.parse().ok())?;
        let wants = match (sending.body, last) {
            (EffectBody::CardUpdate { .. }, Some((_, message))) => Outgoing::Edit(message),
            _ => Outgoing::New,
        };
        self.rate_limiter().admit(chat, wants, sending.now).err()
    }

    async fn working(&self, Working { lane, now, .. }: Working<'_>) {
        self.show_typing(lane, now).await;
        std::future::pending().await
    }

    fn seen(self: Arc<Self>, lane: &LaneKey, message: &str) {
        self.show_seen(lane.clone(), message);
    }

    /// At the chat's root, in no topic; in a forum that is General.
    async fn post(&self, to: &LaneKey, Posting { text, now, .. }: Posting<'_>) -> Attempt<Option<String>> {
        let mut chat = match self.writable(to).await {
            Ok(chat) => chat,
            Err(stop) => return stop.map(|_: Value| None),
        };
        let parts = render::reply(text, None);
        let [part] = parts.as_slice() else {
            let text = SendingFault::TooLong { channel: "Telegram".into() }.into();
            return Attempt::Rejected { text, errors: Vec::new() };
        };
        if let Err(until) = self.rate_limiter().admit(chat, Outgoing::New, now) {
            let why = SendingFault::Rationed { channel: "Telegram".into() }.into();
            return Attempt::NotApplied { why, hint: Some(until.since(now)) };
        }
        let answer = loop {
            let target = Target { chat, topic: None, answers: None };
            match self.call_formatted(part, |formatting| outbound::send(target, part, formatting)).await {
                Answer::Moved(moved) if moved != chat => {
                    self.chats.moved(to, chat, moved).await;
                    chat = moved;
                }
                other => break other,
            }
        };
        self.note_rate_limit(chat, now, &answer);
        self.note_answer(to, &answer).await;
        match answer.attempt() {
            Attempt::Applied(result) => match result["message_id"].as_i64() {
                Some(message) => Attempt::Applied(link(chat, message)),
                None => Attempt::Unknown { why: SendingFault::Unnamed { channel: "Telegram".into() }.into() },
            },
            other => other.map(|_| None),
        }
    }

    /// The topic, or the beginning of the chat. Private chats and small groups have no addresses.
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
        let mut route = Route { sending: &sending, chat, topic: lane.thread.parse().ok(), number };
        match sending.body {
            EffectBody::Reply { text, offers, .. } if sending.question => {
                // In a group only a reply to the bot's message is sure to reach it, so words are offered in private
                // chats only.
                let words: &[String] = if chat > 0 { offers } else { &[] };
                let parts = render::question(text, route.person().as_ref(), words, self.language);
                self.show(&mut route, &parts).await
            }
            EffectBody::Reply { text, .. } => self.show(&mut route, &render::reply(text, None)).await,
            EffectBody::CardPost { card, .. } => {
                let parts = self.parts(lane, card).await;
                self.show(&mut route, &parts).await
            }
            EffectBody::CardUpdate { card, .. } => {
                let parts = self.parts(lane, card).await;
                self.update_messages(&mut route, &parts, card.step == CardStep::Receipt).await
            }
            EffectBody::Notice { to, text } => {
                if self.answered.already_told(lane, to, text).await {
                    return Attempt::Applied(Delivered::default());
                }
                let parts = render::reply(text, route.person().as_ref());
                self.show(&mut route, &parts[..1]).await
            }
            _ => Attempt::Rejected { text: SendingFault::NotDelivered.into(), errors: Vec::new() },
        }
    }
}
