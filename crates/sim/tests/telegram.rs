//! Scenarios of conversations through Telegram. Every message, edit and press is made by a person at the fake, fetched over
//! HTTP and read by the real adapter; every message and card of the lane goes out by the real channel, over HTTP, at
//! Telegram's pace. The scenario's expectations must hold.

#[path = "shared/between.rs"]
mod between;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use between::{Between, Through};
use throughline_channels::telegram::render::{self, Part};
use throughline_channels::telegram::{Answer, Bot, BotToken, Chat, Chats, Client, IncomingUpdate, Telegram};
use throughline_channels::telegram::{inbound, outbound};
use throughline_channels::{Channel, Delivered, Posting, Sending, Surface};
use throughline_engine::data::attachment::Attachment;
use throughline_engine::data::effect::{Attempt, EffectBody};
use throughline_engine::data::event::{EventKind, MessagePosted, Press};
use throughline_engine::data::message::Role;
use throughline_engine::data::record::Record;
use throughline_engine::{LaneKey, Language, Reason, Timestamp};
use throughline_fakes::telegram::FakeTelegram;
use throughline_sim::SimDriver;
use throughline_testkit::driver::Delivery;
use throughline_testkit::{Driver, DriverError, TurnSeen, World, parse, report, run, scenario_files};

/// People's side: their chats, and the messages they see.
struct Phones {
    telegram: FakeTelegram,
    time: Arc<AtomicI64>,
    people: Mutex<Vec<String>>,
    lanes: Mutex<Vec<String>>,
    /// Chat and number of each sent message of a lane by our id; of several parts, those of the last.
    ours: Mutex<BTreeMap<String, (i64, i64)>>,
}

/// Returns a name's place in a list, counted from 1.
fn place(list: &Mutex<Vec<String>>, name: &str) -> i64 {
    let mut list = list.lock().unwrap();
    let at = list.iter().position(|known| known == name).unwrap_or_else(|| {
        list.push(name.into());
        list.len() - 1
    });
    i64::try_from(at).unwrap() + 1
}

impl Phones {
    fn person(&self, name: &str) -> i64 {
        let id = place(&self.people, name);
        self.telegram.person(id, name);
        id
    }

    /// Each lane of a scenario is a chat of its own.
    fn chat(&self, lane: &str) -> i64 {
        let id = place(&self.lanes, lane) + 500;
        self.telegram.person(id, lane);
        id
    }

    fn ours(&self, message: &str) -> Option<(i64, i64)> {
        self.ours.lock().unwrap().get(message).copied()
    }
}

/// Answers of the fake's chats and people to the channel's questions.
struct Book(Arc<Phones>);

#[async_trait]
impl Chats for Book {
    async fn chat(&self, lane: &LaneKey) -> Result<Chat, String> {
        Ok(Chat { id: self.0.chat(&lane.conversation), silent: None })
    }

    async fn moved(&self, _: &LaneKey, _: i64, _: i64) {}

    async fn silenced(&self, _: &LaneKey, _: &str) {}

    async fn number(&self, _: &LaneKey, person: &str) -> Option<i64> {
        Some(self.0.person(person))
    }

    async fn name(&self, _: &LaneKey, person: &str) -> Option<String> {
        Some(person.to_owned())
    }
}

/// The real channel, on a thread with a network: the virtual world has none.
struct OnTheWire {
    channel: Telegram,
    phones: Arc<Phones>,
    network: tokio::runtime::Handle,
}

#[async_trait]
impl Channel for OnTheWire {
    fn name(&self) -> &str {
        self.channel.name()
    }

    fn surface(&self) -> Surface {
        self.channel.surface()
    }

    fn not_before(&self, sending: &Sending<'_>) -> Option<Timestamp> {
        self.channel.not_before(sending)
    }

    async fn post(&self, to: &LaneKey, post: Posting<'_>) -> Attempt<Option<String>> {
        let post = || self.network.block_on(self.channel.post(to, post));
        std::thread::scope(|threads| threads.spawn(post).join()).unwrap()
    }

    fn link(&self, lane: &LaneKey) -> Option<String> {
        self.channel.link(lane)
    }

    async fn deliver(&self, sending: Sending<'_>) -> Attempt<Delivered> {
        self.phones.time.store(sending.now.0, Ordering::SeqCst);
        let (lane, body) = (sending.lane.conversation.clone(), sending.body.clone());
        let deliver = || self.network.block_on(self.channel.deliver(sending));
        let outcome = std::thread::scope(|threads| threads.spawn(deliver).join()).unwrap();
        let (EffectBody::Reply { message, .. }
        | EffectBody::CardPost { message, .. }
        | EffectBody::CardUpdate { message, .. }) = body
        else {
            return outcome;
        };
        if let Attempt::Applied(Delivered { id: Some(id), .. }) = &outcome {
            let number = id.split_once(':').unwrap().1.parse().unwrap();
            self.phones.ours.lock().unwrap().insert(message.0, (self.phones.chat(&lane), number));
        }
        outcome
    }
}

/// People who sit at Telegram.
struct ThroughTelegram {
    phones: Arc<Phones>,
    client: Client,
    /// Chat and number of people's messages and of those before the scenario began, by the scenario's id.
    others: BTreeMap<String, (i64, i64)>,
    offset: Option<i64>,
    /// The number of acts of people so far.
    through: usize,
    network: tokio::runtime::Runtime,
}

impl ThroughTelegram {
    fn new() -> Through<Self> {
        let network =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let time = Arc::new(AtomicI64::new(0));
        let clock = time.clone();
        let clock: throughline_fakes::Clock = Arc::new(move || clock.load(Ordering::SeqCst));
        let telegram = network.block_on(FakeTelegram::start(FakeTelegram::TOKEN, clock)).unwrap();
        let token = BotToken::read(FakeTelegram::TOKEN).unwrap();
        let client = Client::new(&telegram.url(), true, token).unwrap();
        let (people, lanes, ours) = (Mutex::default(), Mutex::default(), Mutex::default());
        let phones = Arc::new(Phones { telegram, time, people, lanes, ours });
        let channel = OnTheWire {
            channel: Telegram::new(client.clone(), Arc::new(Book(phones.clone())), Language::En),
            phones: phones.clone(),
            network: network.handle().clone(),
        };
        let between = Self { phones, client, others: BTreeMap::new(), offset: None, through: 0, network };
        Through::new(SimDriver::with_channel(Arc::new(channel)), between)
    }

    /// Returns the one waiting update as the adapter reads it.
    fn fetch(&mut self) -> IncomingUpdate {
        let call = outbound::get_updates(self.offset, 0);
        let Answer::Applied(updates) = self.network.block_on(self.client.call(&call)) else { panic!() };
        let updates = updates.as_array().unwrap();
        assert_eq!(updates.len(), 1, "{updates:?}");
        self.offset = Some(updates[0]["update_id"].as_i64().unwrap() + 1);
        let bot = Bot { id: FakeTelegram::BOT, username: FakeTelegram::NAME.into(), command: "maro".into() };
        inbound(&updates[0], &bot)
    }

    /// Sends a message that is not delivered to the lane.
    fn was_said(&mut self, chat: i64, by: i64, text: &str) -> (i64, i64) {
        let message = self.phones.telegram.says(chat, by, text);
        self.fetch();
        (chat, message)
    }

    /// Returns a delivery as it arrives through Telegram. Events that are no person's act there are delivered unchanged.
    fn carried(&mut self, delivery: &Delivery) -> Delivery {
        let (chat, by) = (self.phones.chat(&delivery.lane), self.phones.person(&delivery.actor));
        let kind = match &delivery.kind {
            EventKind::MessagePosted(posted) => self.posted(chat, by, posted),
            EventKind::MessageEdited { message, text, .. } => self.edited(by, message, text),
            EventKind::CardPressed { press: Press::Token(token), remember } => {
                self.pressed(chat, by, token, *remember)
            }
            _ => return delivery.clone(),
        };
        self.through += 1;
        Delivery { kind, ..delivery.clone() }
    }

    fn posted(&mut self, chat: i64, by: i64, posted: &MessagePosted) -> EventKind {
        let ours = posted.reply_to.as_ref().and_then(|id| self.phones.ours(id));
        let other = posted.reply_to.as_ref().and_then(|id| self.others.get(id)).copied();
        let to = match (ours.or(other), &posted.quote) {
            (None, Some(quote)) => Some(self.was_said(chat, FakeTelegram::BOT, quote)),
            (found, _) => found,
        };
        assert!(to.is_some() || posted.reply_to.is_none(), "a reply to something nobody sees: {posted:?}");
        let message = match to {
            Some((_, to)) => self.phones.telegram.replies(chat, by, to, &posted.text),
            None => match posted.files.first() {
                Some(file) => self.phones.telegram.sends_file(chat, by, field(&file.kind), &posted.text),
                None => self.phones.telegram.says(chat, by, &posted.text),
            },
        };
        let id = posted.message_id.clone().unwrap();
        self.others.insert(id.clone(), (chat, message));
        let incoming = self.fetch();
        assert!(incoming.addressing.direct, "a chat of two");
        let EventKind::MessagePosted(read) = incoming.event.kind else { return incoming.event.kind };
        let kinds = |files: &[Attachment]| files.first().map(|file| file.kind.clone());
        assert_eq!(kinds(&read.files), kinds(&posted.files));
        assert_eq!(read.reply_to, to.map(|(chat, to)| format!("{chat}:{to}")), "it names its message");
        // The store's map does not know names that only the scenario uses.
        let reply_to = if other.is_some() { posted.reply_to.clone() } else { read.reply_to };
        let quote = read.quote.filter(|_| posted.quote.is_some());
        EventKind::MessagePosted(MessagePosted {
            text: read.text,
            message_id: Some(id),
            reply_to,
            quote,
            task: None,
            // One message in Telegram has one attachment; the scenario's may have several.
            files: posted.files.clone(),
            seen: posted.seen,
        })
    }

    fn edited(&mut self, by: i64, message: &str, text: &str) -> EventKind {
        let (chat, number) = self.others[message];
        self.phones.telegram.edits(chat, by, number, text);
        let EventKind::MessageEdited { message: read, text, metadata_only } = self.fetch().event.kind else {
            panic!("an edit is an edit")
        };
        assert_eq!(read, format!("{chat}:{number}"));
        EventKind::MessageEdited { message: message.into(), text, metadata_only }
    }

    fn pressed(&mut self, chat: i64, by: i64, token: &str, remember: bool) -> EventKind {
        let messages = self.phones.telegram.bot_messages(chat);
        let has =
            messages.iter().find(|shown| shown.keyboard.iter().flatten().any(|(_, data)| data == token));
        // A removed button can still be pressed by those who saw it before.
        self.phones.telegram.presses_with_data(chat, by, has.map_or(1, |shown| shown.id), token);
        let EventKind::CardPressed { press, .. } = self.fetch().event.kind else { panic!("a press") };
        EventKind::CardPressed { press, remember }
    }

    /// Puts earlier messages into the chat too: a lane's seeded history, and messages of a host's own agent.
    fn stands(&mut self, lane: &str, records: &[Record]) {
        let chat = self.phones.chat(lane);
        for record in records {
            let Record::Message(message) = record else { continue };
            let id = message.id.as_str();
            if self.phones.ours(id).is_some() || self.others.contains_key(id) {
                continue;
            }
            let by = match message.role {
                Role::Assistant => FakeTelegram::BOT,
                _ => self.phones.person(&message.by),
            };
            let at = self.was_said(chat, by, &message.text);
            self.others.insert(id.into(), at);
        }
    }

    fn shows(&self, lane: &str, parts: &[Part]) {
        let there = self.phones.telegram.bot_messages(self.phones.chat(lane));
        for part in parts {
            assert!(there.iter().any(|shown| shown.text == part.plain), "{part:?} is not among {there:#?}");
        }
    }
}

impl Between for ThroughTelegram {
    fn begins(&mut self, world: World) -> World {
        self.phones.time.store(world.clock.0, Ordering::SeqCst);
        for lane in &world.lanes {
            self.stands(&lane.name, &lane.records);
        }
        world
    }

    fn carries(&mut self, _: &mut SimDriver, batch: &[Delivery]) -> Result<Vec<Delivery>, DriverError> {
        Ok(batch.iter().map(|delivery| self.carried(delivery)).collect())
    }

    /// Checks that people see every message and card of the lane, whatever its formatting.
    fn sees(&mut self, sim: &mut SimDriver, _: &[Delivery], seen: TurnSeen) -> Result<TurnSeen, DriverError> {
        for said in &seen.messages {
            self.shows(&said.lane, &render::reply(&said.text, None));
        }
        for told in &seen.notices {
            self.shows(&told.lane, &render::reply(&told.text, None));
        }
        let newest: BTreeMap<&str, _> =
            seen.cards.iter().map(|shown| (shown.message.as_str(), shown)).collect();
        for (message, card) in newest {
            let (chat, number) = self.phones.ours(message).expect("the card is out");
            let shown = self.phones.telegram.shown(chat, number).expect("it is there");
            let names = render::people(&card.card).into_iter().map(|id| (id.clone(), id)).collect();
            let part = render::card(&card.card, &names, Language::En).pop().unwrap();
            assert_eq!((&shown.text, shown.labels().len()), (&part.plain, part.keys.concat().len()));
        }
        let hosts = seen.turns.iter().filter(|turn| turn.summary.decision.reason == Reason::AssistantPosted);
        for lane in hosts.map(|turn| turn.lane.clone()).collect::<BTreeSet<_>>() {
            let records: Vec<Record> = sim.lane(&lane)?.records.iter().cloned().collect();
            self.stands(&lane, &records);
        }
        assert_eq!(self.phones.telegram.violations(), [""; 0]);
        Ok(seen)
    }
}

/// Returns Telegram's field for an attachment of that kind.
fn field(kind: &str) -> &'static str {
    match kind {
        "photo" => "photo",
        "voice message" => "voice",
        other => panic!("no field for a {other}"),
    }
}

/// Returns the scenarios of conversations and of files. A new one is run through Telegram too.
fn rows() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/scenarios");
    let mut rows = Vec::new();
    for path in scenario_files(&folder).unwrap() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let scenario = parse(&name, &text).unwrap_or_else(|e| panic!("{e}"));
        let number = |row: &String| row.strip_prefix('T').is_some_and(|rest| rest.parse::<u32>().is_ok());
        if scenario.rows.iter().any(number) || name.starts_with("files-") {
            rows.push((name, text));
        }
    }
    rows
}

#[test]
fn the_conversation_rows_hold_through_telegram() {
    let rows = rows();
    assert!(rows.len() >= 15, "{}", rows.len());
    let mut failed = Vec::new();
    for (name, text) in rows {
        let scenario = parse(&name, &text).unwrap_or_else(|e| panic!("{e}"));
        let mut driver = ThroughTelegram::new();
        let report = run(&scenario, &mut driver);
        assert!(driver.between.through > 0, "{name}: nothing went through Telegram");
        if !report.passed() {
            failed.push(report);
        }
    }
    assert!(failed.is_empty(), "{}", report::human(&failed));
}
