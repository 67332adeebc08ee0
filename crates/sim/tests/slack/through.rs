//! People between a scenario and the world, who write, press, choose and fill in forms in Slack.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::{Value, json};
use throughline_channels::form::FormField;
use throughline_channels::slack::render::{self, FormModel, Look};
use throughline_channels::slack::{
    Answer, Client, Delivery as Way, FollowUp, FormPlace, Incoming, Key, Slack, inbound, outbound,
};
use throughline_engine::data::card_model::CardModel;
use throughline_engine::data::event::{EventKind, MessagePosted, Press};
use throughline_engine::data::message::Role;
use throughline_engine::data::record::Record;
use throughline_engine::data::step_input::Addressing;
use throughline_fakes::slack::{Button, Delivery as Sent, DeliveryId, FakeSlack, Message};
use throughline_sim::SimDriver;
use throughline_testkit::driver::Delivery;
use throughline_testkit::{Driver, DriverError, TurnSeen, World};

use crate::between::{Between, Through};
use crate::desk::{Desk, OnTheWire, WORKSPACE, app};

/// A button, or an entry of a menu, where a person saw it last.
#[derive(Clone)]
struct Shown {
    channel: String,
    ts: String,
    button: Button,
}

/// A message of a person.
#[derive(Clone)]
struct Said {
    by: String,
    channel: String,
    ts: String,
    mentions: bool,
}

/// People who sit at Slack.
pub(crate) struct ThroughSlack {
    pub(crate) desk: Arc<Desk>,
    client: Client,
    /// People's messages by the scenario's id.
    others: BTreeMap<String, Said>,
    /// The channel's name in the scenario, which addresses there have.
    name: String,
    /// The number of posts at roots so far.
    posts: usize,
    /// Every button that was shown, by its token.
    keys: BTreeMap<String, Shown>,
    /// The number of acts of people so far.
    pub(crate) through: usize,
    /// The delivery in which the host is killed, and the fail point.
    pub(crate) kill: Option<(usize, String)>,
    pub(crate) killed: bool,
    delivered: usize,
    network: tokio::runtime::Runtime,
}

impl ThroughSlack {
    pub(crate) fn new() -> Through<Self> {
        let network =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let time = Arc::new(AtomicI64::new(0));
        let clock = time.clone();
        let clock: throughline_fakes::Clock = Arc::new(move || clock.load(Ordering::SeqCst));
        let slack = network.block_on(FakeSlack::start(clock)).unwrap();
        let client = Client::new(slack.api().trim_end_matches('/'), true).unwrap();
        let desk = Arc::new(Desk::new(slack, time));
        let channel = OnTheWire {
            channel: Slack::new(client.clone(), desk.clone(), Look::default().language, None),
            desk: desk.clone(),
            network: network.handle().clone(),
        };
        let (others, keys) = (BTreeMap::new(), BTreeMap::new());
        let name = String::new();
        let (posts, through, delivered, kill, killed) = (0, 0, 0, None, false);
        let between =
            Self { desk, client, others, name, posts, keys, through, kill, killed, delivered, network };
        Through::new(SimDriver::with_channel(Arc::new(channel)), between)
    }

    /// Reads a delivery as the adapter does.
    fn read(&self, way: Way, payload: &Value) -> Incoming {
        inbound(way, payload, &app(), &|member| self.desk.name(member))
    }

    fn read_interaction(&self, id: DeliveryId) -> Incoming {
        self.read(Way::Interaction, &self.desk.slack.delivery(id).payload)
    }

    /// Returns a delivery as it arrives through Slack. Events that are no person's act there are delivered unchanged.
    fn carried(&mut self, delivery: &Delivery) -> Delivery {
        let (by, lane) = (self.desk.member(&delivery.actor), delivery.lane.as_str());
        let kind = match &delivery.kind {
            EventKind::MessagePosted(posted) => self.posted(lane, &by, posted, delivery.addressing),
            EventKind::MessageEdited { message, text, .. } if self.wrote(&by, message) => {
                self.edited(message, text)
            }
            EventKind::MessageDeleted { message } if self.wrote(&by, message) => self.deleted(message),
            EventKind::CardPressed { press: Press::Token(token), remember } => {
                self.pressed(&by, token, *remember)
            }
            EventKind::FormSubmitted { press: Press::Token(token), values } => {
                self.filled_in(lane, &by, token, values)
            }
            EventKind::Command { text } => self.commanded(lane, &by, text),
            _ => return delivery.clone(),
        };
        self.through += 1;
        Delivery { kind, ..delivery.clone() }
    }

    /// True if it is a person's own message: Slack lets nobody else edit it, and nobody whom we know of delete it.
    fn wrote(&self, by: &str, message: &str) -> bool {
        self.others.get(message).is_some_and(|said| said.by == by)
    }

    /// The text as a person types it: people in it are mentions, and the app is mentioned if it is.
    fn typed(&self, text: &str, mentions: bool) -> String {
        let begins = if mentions { format!("{} ", FakeSlack::MENTION) } else { String::new() };
        begins + text
    }

    /// Slack has no reply to one message within a thread, and no quotation: where a scenario has one, the words go through
    /// Slack, and what they answer is added as a host's own channel would.
    fn posted(&mut self, lane: &str, by: &str, posted: &MessagePosted, how: Addressing) -> EventKind {
        let (channel, thread) = self.desk.thread(lane);
        let text = self.typed(&posted.text, how.mentioned);
        let files: Vec<Value> = posted.files.iter().map(|file| attached(&file.kind)).collect();
        let ts = self.desk.slack.writes(&channel, by, &text, |message| {
            message.thread = Some(thread.clone());
            if !files.is_empty() {
                (message.files, message.subtype) = (files, Some("file_share".into()));
            }
        });
        let sent = self.desk.slack.deliveries_of(&channel, &ts);
        assert_eq!(sent.len(), 1 + usize::from(how.mentioned), "a mention arrives twice");
        let all: Vec<Incoming> = sent.iter().map(|one: &Sent| self.read(Way::Event, &one.payload)).collect();
        let read = &all[0];
        assert!(all.iter().all(|one| one.event.kind == read.event.kind && one.place == read.place));
        assert_eq!((&read.place.channel, &read.place.thread), (&channel, &thread));
        assert_eq!(read.addressing.mentioned, how.mentioned, "{text}");
        assert_eq!(read.event.actor, by);
        let EventKind::MessagePosted(words) = &read.event.kind else { panic!("{:?}", read.event.kind) };
        assert_eq!(words.message_id, Some(format!("{channel}:{ts}")));
        assert_eq!(words.files.len(), posted.files.len());
        if let Some(id) = &posted.message_id {
            self.others.insert(id.clone(), Said { by: by.into(), channel, ts, mentions: how.mentioned });
        }
        EventKind::MessagePosted(MessagePosted { text: words.text.clone(), ..posted.clone() })
    }

    fn edited(&mut self, message: &str, text: &str) -> EventKind {
        let Said { channel, ts, mentions, .. } = self.others[message].clone();
        let sent = self.desk.slack.edits(&channel, &ts, &self.typed(text, mentions));
        let read = self.read(Way::Event, &self.desk.slack.delivery(sent).payload);
        let EventKind::MessageEdited { message: read, text, metadata_only } = read.event.kind else {
            panic!("an edit is an edit")
        };
        assert_eq!(read, format!("{channel}:{ts}"));
        EventKind::MessageEdited { message: message.into(), text, metadata_only }
    }

    fn deleted(&mut self, message: &str) -> EventKind {
        let Some(Said { channel, ts, .. }) = self.others.remove(message) else { panic!("it is known") };
        let sent = self.desk.slack.deletes(&channel, &ts);
        let read = self.read(Way::Event, &self.desk.slack.delivery(sent).payload);
        assert_eq!(read.event.kind, EventKind::MessageDeleted { message: format!("{channel}:{ts}") });
        EventKind::MessageDeleted { message: message.into() }
    }

    fn commanded(&mut self, lane: &str, by: &str, text: &str) -> EventKind {
        let (channel, _) = self.desk.thread(lane);
        let sent = self.desk.slack.commands(&channel, by, "/maro", text);
        let read = self.read(Way::Command, &self.desk.slack.delivery(sent).payload);
        assert_eq!((read.place.channel, read.place.thread), (channel, String::new()));
        read.event.kind
    }

    /// Presses a button or chooses from a menu; one that is gone can still be pressed by those who saw it before.
    fn presses(&self, by: &str, token: &str) -> Incoming {
        let key = self.keys.get(token);
        let key = key.unwrap_or_else(|| panic!("a button that nobody ever saw: {token}"));
        let (channel, ts) = (&key.channel, &key.ts);
        let shown = self.desk.slack.message(channel, ts).unwrap_or_default();
        let listed = menu(&shown).filter(|menu| menu.to_string().contains(token));
        let sent = match listed {
            Some(menu) => {
                let id = menu["action_id"].as_str().unwrap();
                self.desk.slack.chooses(channel, by, ts, id, token)
            }
            None => self.desk.slack.presses_button(channel, by, ts, &key.button),
        };
        self.read_interaction(sent)
    }

    fn pressed(&mut self, by: &str, token: &str, remember: bool) -> EventKind {
        let EventKind::CardPressed { press, .. } = self.presses(by, token).event.kind else {
            panic!("a press")
        };
        assert_eq!(press, Press::Token(token.into()));
        EventKind::CardPressed { press, remember }
    }

    /// Presses a button that opens a form, types every value and submits.
    fn filled_in(
        &mut self,
        lane: &str,
        by: &str,
        token: &str,
        values: &BTreeMap<String, String>,
    ) -> EventKind {
        let FollowUp::Press(pressed) = self.presses(by, token).follow_up else { panic!("a press") };
        let (channel, thread) = self.desk.thread(lane);
        let field = |name: &String| FormField {
            name: name.clone(),
            label: name.clone(),
            long: true,
            ..FormField::default()
        };
        let place = FormPlace { token: pressed.value, channel, thread };
        let fields = values.keys().map(field).collect();
        let view = render::form(&FormModel { title: "Edit".into(), place, fields }, Look::default().language);
        let token = Key::parse(FakeSlack::BOT_TOKEN).unwrap();
        let call = outbound::open_view(&pressed.trigger, &view);
        let opened = self.network.block_on(self.client.call(&token, &call));
        assert!(matches!(opened, Answer::Applied(_)), "{opened:?}");
        for (name, text) in values {
            self.desk.slack.types(by, &format!("field.{name}"), text);
        }
        let read = self.read_interaction(self.desk.slack.submits(by));
        self.desk.slack.dismisses(by, true);
        read.event.kind
    }

    /// Checks that people see every message and notice, and every card as it is now.
    fn looks(&mut self, seen: &TurnSeen) {
        for said in &seen.messages {
            let (channel, root) = self.desk.thread(&said.lane);
            let there = self.desk.slack.thread(&channel, &root);
            shows(&there, &render::reply(&said.text));
        }
        for told in &seen.notices {
            let there = self.desk.slack.ephemerals(&self.desk.member(&told.to));
            shows(&there, &render::reply(&told.text));
        }
        let newest: BTreeMap<(&str, &str), _> =
            seen.cards.iter().map(|shown| ((shown.lane.as_str(), shown.message.as_str()), shown)).collect();
        for ((lane, message), card) in newest {
            let (channel, ts) = self.desk.ours(lane, message).expect("the card is out");
            let shown = self.desk.slack.message(&channel, &ts).expect("it is there");
            let wanted = Message {
                blocks: render::card(&card.card, &self.look(&card.card), false).blocks,
                ..Message::default()
            };
            assert_eq!(shown.block_text(), wanted.block_text());
            assert_eq!(shown.labels(), wanted.labels());
            self.notes(&shown);
        }
        assert_eq!(self.desk.slack.violations(), [""; 0]);
    }

    /// Counts the posts that Slack has, and writes addresses as the scenario does.
    fn as_in_the_scenario(&mut self, mut seen: TurnSeen) -> TurnSeen {
        let posts = self.desk.posts();
        let new = posts - std::mem::replace(&mut self.posts, posts);
        if new > 0 {
            seen.outward.insert("post.channel".into(), u32::try_from(new).unwrap());
        }
        seen.messages.iter_mut().for_each(|said| said.text = self.addressed(&said.text));
        seen.notices.iter_mut().for_each(|told| told.text = self.addressed(&told.text));
        for card in &mut seen.cards {
            let text = serde_json::to_string(&card.card).unwrap();
            card.card = serde_json::from_str(&self.addressed(&text)).unwrap();
        }
        seen
    }

    /// The text with the scenario's address of a conversation in the place of those of its threads and messages in Slack.
    fn addressed(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (channel, conversation) in self.desk.channels() {
            let link = format!("{WORKSPACE}/archives/{channel}/p");
            while let Some(at) = text.find(&link) {
                let rest = &text[at + link.len()..];
                let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let end = at + link.len() + digits;
                text.replace_range(at..end, &format!("https://{}.test/{conversation}", self.name));
            }
        }
        text
    }

    fn look(&self, card: &CardModel) -> Look {
        let people = render::named_people(card).into_iter();
        Look { people: people.map(|id| (id.clone(), self.desk.member(&id))).collect(), ..Look::default() }
    }

    /// Notes every button and every entry of a menu of a message.
    fn notes(&mut self, shown: &Message) {
        let at = |button: Button| Shown { channel: shown.channel.clone(), ts: shown.ts.clone(), button };
        let entries = menu(shown).into_iter().flat_map(|menu| {
            let groups = menu["option_groups"].as_array().cloned().unwrap_or_default();
            let options =
                groups.iter().flat_map(|group| group["options"].as_array().cloned().unwrap_or_default());
            options
                .map(|option| Button {
                    action_id: menu["action_id"].as_str().unwrap().into(),
                    value: option["value"].as_str().unwrap().into(),
                    element: json!({"text": option["text"], "value": option["value"]}),
                    ..Button::default()
                })
                .collect::<Vec<_>>()
        });
        let all: Vec<Button> = shown.buttons().into_iter().chain(entries).collect();
        self.keys.extend(all.into_iter().map(|button| (button.value.clone(), at(button))));
    }

    /// Puts people's earlier messages into the thread too: a lane's seeded history.
    fn stands(&mut self, lane: &str, records: &[Record]) {
        let (channel, thread) = self.desk.thread(lane);
        for record in records {
            let Record::Message(message) = record else { continue };
            if message.role != Role::User || self.others.contains_key(message.id.as_str()) {
                continue;
            }
            let by = self.desk.member(&message.by);
            let ts = self.desk.slack.says_in(&channel, &thread, &by, &message.text);
            let said = Said { by, channel: channel.clone(), ts, mentions: false };
            self.others.insert(message.id.as_str().into(), said);
        }
    }
}

impl Between for ThroughSlack {
    fn begins(&mut self, world: World) -> World {
        self.desk.time.store(world.clock.0, Ordering::SeqCst);
        self.name.clone_from(&world.channel);
        for name in world.people.keys() {
            self.desk.member(name);
        }
        for lane in &world.lanes {
            self.stands(&lane.name, &lane.records);
        }
        world
    }

    fn carries(&mut self, sim: &mut SimDriver, batch: &[Delivery]) -> Result<Vec<Delivery>, DriverError> {
        self.desk.time.store(sim.now().0, Ordering::SeqCst);
        if let Some((_, at)) = self.kill.as_ref().filter(|(delivery, _)| *delivery == self.delivered) {
            sim.arm(at)?;
        }
        self.delivered += 1;
        Ok(batch.iter().map(|delivery| self.carried(delivery)).collect())
    }

    fn sees(&mut self, _: &mut SimDriver, _: &[Delivery], seen: TurnSeen) -> Result<TurnSeen, DriverError> {
        self.killed |= seen.killed.is_some();
        self.looks(&seen);
        Ok(self.as_in_the_scenario(seen))
    }
}

/// The menu of a message, if it has one.
fn menu(message: &Message) -> Option<Value> {
    let elements = message.blocks.iter().filter_map(|block| block["elements"].as_array()).flatten();
    elements.clone().find(|element| element["type"] == "static_select").cloned()
}

/// Checks that all parts of a text are among the messages.
fn shows(there: &[Message], parts: &[render::Message]) {
    for part in parts {
        let wanted = Message { blocks: part.blocks.clone(), ..Message::default() }.block_text();
        assert!(there.iter().any(|one| one.block_text() == wanted), "{wanted} is not among {there:#?}");
    }
}

/// Slack's file for an attachment of that kind.
fn attached(kind: &str) -> Value {
    let mime = match kind {
        "photo" => "image/png",
        "voice message" => "audio/mp4",
        _ => "application/pdf",
    };
    json!({"id": "F0FILE001", "name": "file", "mimetype": mime, "size": 4_711})
}
