//! A fake of Telegram's Bot API, with its limits, error texts and update queues.
//!
//! ```no_run
//! # async fn example() {
//! use throughline_fakes::{system_clock, telegram::FakeTelegram};
//! let telegram = FakeTelegram::start(FakeTelegram::TOKEN, system_clock()).await.unwrap();
//! telegram.person(7, "Ana");
//! telegram.says(7, 7, "create a ticket for the login");
//! // … a bot with api_base = telegram.url() answers …
//! assert_eq!(telegram.violations(), [""; 0]);
//! # }
//! ```

mod api_error;
mod html;
mod methods;
mod schema;
mod state;
mod webhook;
mod wire;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Notify;

use crate::Clock;
use state::{Query, World};

pub use schema::{published_or_skipped, specs, violations};
pub use state::{Message, PressAnswer, Typing};
pub use webhook::Delivery;

/// A fault of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Refuses the call with status 429 and this many seconds to wait.
    TooMany(u32),
    /// Refuses the call with this status and text.
    Refuse(u16, String),
    /// Answers with a proxy's HTML page. The call has no effect.
    Unreadable,
    /// Answers with a proxy's HTML page. The call has its effect.
    AppliedThenLost,
}

/// A call in the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The time, in milliseconds since 1970.
    pub at: i64,
    /// The method.
    pub method: String,
    /// The parameters.
    pub body: Value,
    /// The HTTP status of the answer.
    pub status: u16,
    /// The violations of the published schema by the call or its answer.
    pub violations: Vec<String>,
}

/// A fault that waits for a call of its method.
struct PendingFault {
    method: String,
    chat: Option<i64>,
    /// True if only a message with buttons fails.
    with_buttons: bool,
    fault: Fault,
}

struct Shared {
    token: String,
    clock: Clock,
    world: Mutex<World>,
    journal: Mutex<Vec<Call>>,
    faults: Mutex<VecDeque<PendingFault>>,
    /// Notified when an update is queued.
    bell: Notify,
    polls: AtomicU64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn now(&self) -> i64 {
        (self.clock)()
    }

    fn world(&self) -> MutexGuard<'_, World> {
        lock(&self.world)
    }

    fn journal(&self, called: Call) {
        lock(&self.journal).push(called);
    }

    fn fault(&self, method: &str, body: &Value) -> Option<Fault> {
        let mut faults = lock(&self.faults);
        let of = |armed: &PendingFault| armed.chat.is_none_or(|chat| body["chat_id"].as_i64() == Some(chat));
        let buttons = body["reply_markup"]["inline_keyboard"].as_array().is_some_and(|rows| !rows.is_empty());
        let fits = |armed: &PendingFault| {
            armed.method.eq_ignore_ascii_case(method) && of(armed) && (buttons || !armed.with_buttons)
        };
        let at = faults.iter().position(fits)?;
        faults.remove(at).map(|armed| armed.fault)
    }

    /// Starts a poll and ends the one that is waiting: the Bot API allows one at a time.
    fn next_poll(&self) -> u64 {
        let turn = self.polls.fetch_add(1, Ordering::SeqCst) + 1;
        self.bell.notify_waiters();
        turn
    }

    fn newest_poll(&self, turn: u64) -> bool {
        self.polls.load(Ordering::SeqCst) == turn
    }
}

/// A running fake. It ends with the runtime it was started in.
#[derive(Clone)]
pub struct FakeTelegram {
    shared: Arc<Shared>,
    address: SocketAddr,
}

impl FakeTelegram {
    /// A bot token of the right form.
    pub const TOKEN: &str = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
    /// The user id of the bot.
    pub const BOT: i64 = 110_201_543;
    /// The username of the bot.
    pub const NAME: &str = "maro_bot";

    /// Starts a fake on a free loopback port.
    ///
    /// # Errors
    /// Fails if no port can be listened on.
    pub async fn start(token: &str, clock: Clock) -> std::io::Result<Self> {
        let bot = token.split(':').next().and_then(|id| id.parse().ok()).unwrap_or(Self::BOT);
        let shared = Arc::new(Shared {
            token: token.into(),
            clock,
            world: Mutex::new(World::new(bot, Self::NAME)),
            journal: Mutex::default(),
            faults: Mutex::default(),
            bell: Notify::new(),
            polls: AtomicU64::new(0),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let router = wire::router(shared.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { shared, address })
    }

    /// Returns the base URL, the `api_base` of a client.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    // ---- people and chats ----

    /// Adds a person and the private chat with them.
    pub fn person(&self, id: i64, name: &str) {
        let mut world = self.shared.world();
        world.names.insert(id, name.into());
        world.room(id);
    }

    /// Adds a group, with topics if there are any.
    pub fn group(&self, chat: i64, topics: &[i64]) {
        let mut world = self.shared.world();
        let room = world.room(chat);
        room.topics = topics.into();
        room.next = topics.iter().max().map_or(room.next, |last| room.next.max(last + 1));
    }

    fn queue_update(&self, world: &mut World, kind: &str, body: Value, queue: String) -> i64 {
        let id = world.queue_update(kind, body, queue, self.shared.now());
        let update = world.waiting.back().map(|waiting| waiting.update.clone()).unwrap_or_default();
        let wrong = schema::violations("Update", &update);
        assert!(wrong.is_empty(), "the fake made an update that Telegram would not: {wrong:?} in {update}");
        self.shared.bell.notify_waiters();
        id
    }

    /// Sends a message from a person. Returns the message's id.
    pub fn says(&self, chat: i64, by: i64, text: &str) -> i64 {
        self.writes(chat, by, text, None, None, None)
    }

    /// Sends an attachment from a person, with an optional caption. Returns the message's id. `kind` is `photo`,
    /// `document`, `voice`, `sticker` or `location`; panics on any other.
    pub fn sends_file(&self, chat: i64, by: i64, kind: &str, caption: &str) -> i64 {
        let known = json!({"file_id": "AgAC", "file_unique_id": "AQAD", "file_size": 4_711});
        let with = |more: Value| {
            let mut file = known.clone();
            let more = more.as_object().cloned().unwrap_or_default();
            file.as_object_mut().expect("an object").extend(more);
            file
        };
        let file = match kind {
            "photo" => {
                json!([with(json!({"width": 90, "height": 60})), with(json!({"width": 900, "height": 600}))])
            }
            "document" => with(json!({"file_name": "plan.pdf", "mime_type": "application/pdf"})),
            "voice" => with(json!({"duration": 3, "mime_type": "audio/ogg"})),
            "sticker" => with(
                json!({"type": "regular", "width": 512, "height": 512, "is_animated": false, "is_video": false}),
            ),
            "location" => json!({"latitude": 51.6, "longitude": -3.9}),
            other => panic!("the fake sends no {other}"),
        };
        self.writes(chat, by, caption, None, None, Some((kind.into(), file)))
    }

    /// Sends a reply from a person. Returns the message's id.
    pub fn replies(&self, chat: i64, by: i64, to: i64, text: &str) -> i64 {
        let topic = self.shared.world().room(chat).messages.get(&to).and_then(|shown| shown.topic);
        self.writes(chat, by, text, topic, Some(to), None)
    }

    /// Sends a message from a person in a topic. Returns the message's id.
    pub fn says_in(&self, chat: i64, topic: i64, by: i64, text: &str) -> i64 {
        self.writes(chat, by, text, Some(topic), None, None)
    }

    fn writes(
        &self,
        chat: i64,
        by: i64,
        text: &str,
        topic: Option<i64>,
        reply_to: Option<i64>,
        attached: Option<(String, Value)>,
    ) -> i64 {
        let mut world = self.shared.world();
        let entities = world.typed(text);
        let at = self.shared.now();
        let shown = Message {
            from: by,
            text: text.into(),
            entities,
            topic,
            reply_to,
            attached,
            at,
            ..Message::default()
        };
        let id = world.write(chat, shown);
        let mut message = world.message(chat, id);
        let group = world.room(chat).kind != "private";
        if let Some(to) = reply_to.filter(|_| group && topic.is_none()) {
            // In groups without topics, this is the first message of the chain of replies.
            message["message_thread_id"] = json!(to);
        }
        self.queue_update(&mut world, "message", message, format!("chat:{chat}"));
        id
    }

    /// Edits a message of a person. Telegram sends the same update, with the same text, when a link preview or a reaction
    /// is added.
    pub fn edits(&self, chat: i64, by: i64, message: i64, text: &str) {
        let mut world = self.shared.world();
        let (entities, at) = (world.typed(text), self.shared.now());
        // A message from before the bot joined can be edited, too.
        let old = Message { id: message, from: by, at, ..Message::default() };
        let shown = world.room(chat).messages.entry(message).or_insert(old);
        (shown.text, shown.entities) = (text.into(), entities);
        shown.edits += 1;
        let body = world.message(chat, message);
        self.queue_update(&mut world, "edited_message", body, format!("chat:{chat}"));
    }

    /// Presses the button with a label. Returns the id of the callback query. Panics if the message has no such button.
    pub fn presses(&self, chat: i64, by: i64, message: i64, label: &str) -> String {
        let shown = self.shown(chat, message).unwrap_or_default();
        let Some(data) = shown.button(label).map(str::to_owned) else {
            panic!("message {message} of {chat} has no button {label:?}: {shown:#?}");
        };
        self.presses_with_data(chat, by, message, &data)
    }

    /// Sends a callback query with any data, as a modified client can. Returns its id.
    pub fn presses_with_data(&self, chat: i64, by: i64, message: i64, data: &str) -> String {
        let mut world = self.shared.world();
        let (now, id) = (self.shared.now(), format!("{}{}", 4_382_000, world.queries.len()));
        world.queries.insert(id.clone(), Query { at: now, answered: false });
        let body = json!({"id": id, "from": world.user(by), "message": world.message(chat, message),
            "chat_instance": format!("{chat}"), "data": data});
        self.queue_update(&mut world, "callback_query", body, format!("user:{by}"));
        id
    }

    /// Upgrades a group to a supergroup. The old chat announces it and is closed; the new one is empty.
    pub fn migrates(&self, from: i64, to: i64) {
        let mut world = self.shared.world();
        let kind = json!({"message_id": world.room(from).next, "date": self.shared.now() / 1_000,
            "chat": {"id": from, "type": "group", "title": "Team"}, "from": world.user(7), "migrate_to_chat_id": to});
        world.room(from).migrated_to = Some(to);
        world.room(to);
        self.queue_update(&mut world, "message", kind, format!("chat:{from}"));
    }

    /// Blocks or unblocks the bot for a person.
    pub fn blocks(&self, person: i64, blocks: bool) {
        let mut world = self.shared.world();
        world.room(person).closed = blocks.then_some("bot was blocked by the user");
        let (status, before) = if blocks { ("kicked", "member") } else { ("member", "kicked") };
        let member = |status: &str| match status {
            "kicked" => json!({"status": "kicked", "user": world.user(world.bot), "until_date": 0}),
            _ => json!({"status": "member", "user": world.user(world.bot)}),
        };
        let body = json!({"chat": world.chat(person), "from": world.user(person), "date": self.shared.now() / 1_000,
            "old_chat_member": member(before), "new_chat_member": member(status)});
        self.queue_update(&mut world, "my_chat_member", body, format!("chat:{person}"));
    }

    /// Deletes a message.
    pub fn deletes(&self, chat: i64, message: i64) {
        self.shared.world().room(chat).messages.remove(&message);
    }

    /// Queues an update of an unknown kind.
    pub fn sends_unknown_update(&self) {
        let mut world = self.shared.world();
        world.queue_update("holiday_wish", json!({"from": 1}), "other".into(), self.shared.now());
    }

    /// Lets the next call of a method fail, in one chat or in any.
    pub fn fail_next(&self, method: &str, chat: Option<i64>, fault: Fault) {
        lock(&self.shared.faults).push_back(PendingFault {
            method: method.into(),
            chat,
            with_buttons: false,
            fault,
        });
    }

    /// Lets the next new message with buttons fail in one chat.
    pub fn fail_next_card(&self, chat: i64, fault: Fault) {
        let method = "sendMessage".into();
        lock(&self.shared.faults).push_back(PendingFault {
            method,
            chat: Some(chat),
            with_buttons: true,
            fault,
        });
    }

    // ---- observations ----

    /// Returns the bot's messages in a chat, oldest first.
    #[must_use]
    pub fn bot_messages(&self, chat: i64) -> Vec<Message> {
        let mut world = self.shared.world();
        let bot = world.bot;
        world.room(chat).messages.values().filter(|shown| shown.from == bot).cloned().collect()
    }

    /// Returns a message.
    #[must_use]
    pub fn shown(&self, chat: i64, message: i64) -> Option<Message> {
        self.shared.world().room(chat).messages.get(&message).cloned()
    }

    /// Returns the bot's newest message with buttons.
    #[must_use]
    pub fn card(&self, chat: i64) -> Option<Message> {
        self.bot_messages(chat).into_iter().rev().find(|shown| !shown.keyboard.is_empty())
    }

    /// Returns the answers to presses, in order.
    #[must_use]
    pub fn answers(&self) -> Vec<PressAnswer> {
        self.shared.world().answers.clone()
    }

    /// Returns all calls, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        lock(&self.shared.journal).clone()
    }

    /// Returns the calls of a method.
    #[must_use]
    pub fn calls_of(&self, method: &str) -> Vec<Call> {
        self.calls().into_iter().filter(|called| called.method == method).collect()
    }

    /// Returns the violations of the published schema so far. Returns none if the schema is not installed.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        self.calls().into_iter().flat_map(|called| called.violations).collect()
    }

    /// Returns the number of updates that wait for the bot.
    #[must_use]
    pub fn waiting(&self) -> usize {
        let mut world = self.shared.world();
        world.expire(self.shared.now());
        world.waiting.len()
    }

    /// Returns the number of updates that expired before the bot fetched them.
    #[must_use]
    pub fn dropped(&self) -> usize {
        self.shared.world().dropped
    }

    /// Returns the command menu of a language, or the default menu for an empty code.
    #[must_use]
    pub fn commands(&self, language: &str) -> Value {
        self.shared.world().commands.get(language).cloned().unwrap_or_default()
    }

    /// Returns the typing indications of the bot, in order.
    #[must_use]
    pub fn typing(&self) -> Vec<Typing> {
        self.shared.world().typing.clone()
    }

    /// Sets the reactions that a chat allows.
    pub fn allows_reactions(&self, chat: i64, emoji: &[&str]) {
        let allowed = emoji.iter().map(|emoji| (*emoji).to_owned()).collect();
        self.shared.world().room(chat).reactions = Some(allowed);
    }

    /// Returns the URL of the webhook, if one is set.
    #[must_use]
    pub fn webhook(&self) -> Option<String> {
        self.shared.world().webhook.as_ref().map(|(url, _)| url.clone())
    }
}
