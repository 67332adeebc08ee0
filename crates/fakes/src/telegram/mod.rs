//! Telegram's Bot API: the limits it enforces, the words it refuses with, its queues (`spec 07 §13`).
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

mod deliver;
mod html;
mod methods;
mod refusal;
mod schema;
mod state;
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

pub use deliver::Delivery;
pub use schema::{published_or_skipped, specs, violations};
pub use state::{Answered, Shown, Typing};

/// What goes wrong with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// 429, with so many seconds to wait.
    TooMany(u32),
    /// Refused with that status and those words.
    Refuse(u16, String),
    /// Not applied, and a proxy's page for an answer.
    Unreadable,
    /// Applied, and a proxy's page for an answer.
    AppliedThenLost,
}

/// A call as the journal has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// When, in milliseconds.
    pub at: i64,
    /// Which method.
    pub method: String,
    /// Its parameters.
    pub body: Value,
    /// The answer's status.
    pub status: u16,
    /// What the published schema says against it and its answer.
    pub violations: Vec<String>,
}

/// A fault that waits for its call.
struct Armed {
    method: String,
    chat: Option<i64>,
    fault: Fault,
}

struct Shared {
    token: String,
    clock: Clock,
    world: Mutex<World>,
    journal: Mutex<Vec<Called>>,
    faults: Mutex<VecDeque<Armed>>,
    /// Rung when an update waits.
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

    fn journal(&self, called: Called) {
        lock(&self.journal).push(called);
    }

    fn fault(&self, method: &str, body: &Value) -> Option<Fault> {
        let mut faults = lock(&self.faults);
        let of = |armed: &Armed| armed.chat.is_none_or(|chat| body["chat_id"].as_i64() == Some(chat));
        let at = faults.iter().position(|armed| armed.method.eq_ignore_ascii_case(method) && of(armed))?;
        faults.remove(at).map(|armed| armed.fault)
    }

    /// Another poll begins; the one before it, if it still waits, is told to end.
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
    /// A token of the right form.
    pub const TOKEN: &str = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
    /// The bot of that token.
    pub const BOT: i64 = 110_201_543;
    /// Its name.
    pub const NAME: &str = "maro_bot";

    /// Starts one on a free port of this machine.
    ///
    /// # Errors
    /// No port can be listened on.
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

    /// Where it is: the `api_base` of a client.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    // ---- the world ----

    /// A person, and the private chat with them.
    pub fn person(&self, id: i64, name: &str) {
        let mut world = self.shared.world();
        world.names.insert(id, name.into());
        world.room(id);
    }

    /// A group, with topics if there are any.
    pub fn group(&self, chat: i64, topics: &[i64]) {
        let mut world = self.shared.world();
        let room = world.room(chat);
        room.topics = topics.into();
        room.next = topics.iter().max().map_or(room.next, |last| room.next.max(last + 1));
    }

    fn tell(&self, world: &mut World, kind: &str, body: Value, queue: String) -> i64 {
        let id = world.tell(kind, body, queue, self.shared.now());
        let update = world.waiting.back().map(|waiting| waiting.update.clone()).unwrap_or_default();
        let wrong = schema::violations("Update", &update);
        assert!(wrong.is_empty(), "the fake made an update that Telegram would not: {wrong:?} in {update}");
        self.shared.bell.notify_waiters();
        id
    }

    /// Somebody writes; says the message's number.
    pub fn says(&self, chat: i64, by: i64, text: &str) -> i64 {
        self.writes(chat, by, text, None, None, None)
    }

    /// Somebody sends something, with words under it if there are any: `photo`, `document`, `voice`, `sticker`,
    /// `location`. Panics on any other kind.
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

    /// The same as a reply.
    pub fn replies(&self, chat: i64, by: i64, to: i64, text: &str) -> i64 {
        let topic = self.shared.world().room(chat).messages.get(&to).and_then(|shown| shown.topic);
        self.writes(chat, by, text, topic, Some(to), None)
    }

    /// The same in a topic.
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
        let shown = Shown {
            from: by,
            text: text.into(),
            entities,
            topic,
            reply_to,
            attached,
            at,
            ..Shown::default()
        };
        let id = world.write(chat, shown);
        let mut message = world.message(chat, id);
        let group = world.room(chat).kind != "private";
        if let Some(to) = reply_to.filter(|_| group && topic.is_none()) {
            // Groups without topics name the chain of replies here.
            message["message_thread_id"] = json!(to);
        }
        self.tell(&mut world, "message", message, format!("chat:{chat}"));
        id
    }

    /// Somebody changes what they wrote; the same words are what a preview or a reaction makes of it.
    pub fn edits(&self, chat: i64, by: i64, message: i64, text: &str) {
        let mut world = self.shared.world();
        let (entities, at) = (world.typed(text), self.shared.now());
        // One that was written before the bot came is as good as any.
        let old = Shown { id: message, from: by, at, ..Shown::default() };
        let shown = world.room(chat).messages.entry(message).or_insert(old);
        (shown.text, shown.entities) = (text.into(), entities);
        shown.edits += 1;
        let body = world.message(chat, message);
        self.tell(&mut world, "edited_message", body, format!("chat:{chat}"));
    }

    /// Somebody presses the button of that label; says the press. Panics when there is no such button: a person could
    /// not press it either.
    pub fn presses(&self, chat: i64, by: i64, message: i64, label: &str) -> String {
        let shown = self.shown(chat, message).unwrap_or_default();
        let Some(data) = shown.button(label).map(str::to_owned) else {
            panic!("message {message} of {chat} has no button {label:?}: {shown:#?}");
        };
        self.sends(chat, by, message, &data)
    }

    /// A changed client sends any data as a press.
    pub fn sends(&self, chat: i64, by: i64, message: i64, data: &str) -> String {
        let mut world = self.shared.world();
        let (now, id) = (self.shared.now(), format!("{}{}", 4_382_000, world.queries.len()));
        world.queries.insert(id.clone(), Query { at: now, answered: false });
        let body = json!({"id": id, "from": world.user(by), "message": world.message(chat, message),
            "chat_instance": format!("{chat}"), "data": data});
        self.tell(&mut world, "callback_query", body, format!("user:{by}"));
        id
    }

    /// A group becomes a supergroup: the old chat says so and is closed, the new one begins empty.
    pub fn migrates(&self, from: i64, to: i64) {
        let mut world = self.shared.world();
        let kind = json!({"message_id": world.room(from).next, "date": self.shared.now() / 1_000,
            "chat": {"id": from, "type": "group", "title": "Team"}, "from": world.user(7), "migrate_to_chat_id": to});
        world.room(from).migrated_to = Some(to);
        world.room(to);
        self.tell(&mut world, "message", kind, format!("chat:{from}"));
    }

    /// A person blocks the bot, or lets it in again.
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
        self.tell(&mut world, "my_chat_member", body, format!("chat:{person}"));
    }

    /// A message is gone.
    pub fn deletes(&self, chat: i64, message: i64) {
        self.shared.world().room(chat).messages.remove(&message);
    }

    /// An update of a kind nobody has heard of.
    pub fn tells_something_new(&self) {
        let mut world = self.shared.world();
        world.tell("holiday_wish", json!({"from": 1}), "other".into(), self.shared.now());
    }

    /// The next call of that method, to that chat or to any, goes wrong.
    pub fn arm(&self, method: &str, chat: Option<i64>, fault: Fault) {
        lock(&self.shared.faults).push_back(Armed { method: method.into(), chat, fault });
    }

    // ---- what came of it ----

    /// The bot's messages in a chat, oldest first.
    #[must_use]
    pub fn bot_messages(&self, chat: i64) -> Vec<Shown> {
        let mut world = self.shared.world();
        let bot = world.bot;
        world.room(chat).messages.values().filter(|shown| shown.from == bot).cloned().collect()
    }

    /// One message.
    #[must_use]
    pub fn shown(&self, chat: i64, message: i64) -> Option<Shown> {
        self.shared.world().room(chat).messages.get(&message).cloned()
    }

    /// The bot's newest message with buttons.
    #[must_use]
    pub fn card(&self, chat: i64) -> Option<Shown> {
        self.bot_messages(chat).into_iter().rev().find(|shown| !shown.keyboard.is_empty())
    }

    /// What presses were answered with, in order.
    #[must_use]
    pub fn answers(&self) -> Vec<Answered> {
        self.shared.world().answers.clone()
    }

    /// Every call, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<Called> {
        lock(&self.shared.journal).clone()
    }

    /// Calls of one method.
    #[must_use]
    pub fn calls_of(&self, method: &str) -> Vec<Called> {
        self.calls().into_iter().filter(|called| called.method == method).collect()
    }

    /// What the published schema says against any call or answer so far; nothing where it is not there.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        self.calls().into_iter().flat_map(|called| called.violations).collect()
    }

    /// Updates that wait for the bot.
    #[must_use]
    pub fn waiting(&self) -> usize {
        let mut world = self.shared.world();
        world.expire(self.shared.now());
        world.waiting.len()
    }

    /// Updates that nobody fetched in time.
    #[must_use]
    pub fn dropped(&self) -> usize {
        self.shared.world().dropped
    }

    /// The menu of commands of a language; without a code, everybody else's.
    #[must_use]
    pub fn commands(&self, language: &str) -> Value {
        self.shared.world().commands.get(language).cloned().unwrap_or_default()
    }

    /// When and where the bot said that it is typing.
    #[must_use]
    pub fn typing(&self) -> Vec<Typing> {
        self.shared.world().typing.clone()
    }

    /// The only reactions that a chat allows from now.
    pub fn allows_reactions(&self, chat: i64, emoji: &[&str]) {
        let allowed = emoji.iter().map(|emoji| (*emoji).to_owned()).collect();
        self.shared.world().room(chat).reactions = Some(allowed);
    }

    /// The webhook that is set.
    #[must_use]
    pub fn webhook(&self) -> Option<String> {
        self.shared.world().webhook.as_ref().map(|(url, _)| url.clone())
    }
}
