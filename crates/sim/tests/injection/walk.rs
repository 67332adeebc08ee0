//! One world for one place, with a lane for each text. A stranger presses first, then the approver.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use throughline_engine::data::action::Action;
use throughline_engine::data::actor::Actor;
use throughline_engine::data::event::{AssistantPosted, EventKind, MessagePosted, Press};
use throughline_engine::data::lane_state::LaneState;
use throughline_engine::data::message::MessageKind;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::data::ticket::Target;
use throughline_engine::{CardId, Lane, Policy, Timestamp};
use throughline_sim::SimDriver;
use throughline_store::{ApprovalRow, Store, StoreError, StoredEffect};
use throughline_testkit::driver::{Delivery, SeedLane, SeenCard, TrackerWorld};
use throughline_testkit::{Driver, TurnSeen, World};

use crate::obedient::{Asked, Obedient};
use crate::places::{Place, Step};

/// The one project, and the one approver.
pub(crate) const PROJECT: &str = "QZX";
pub(crate) const APPROVER: &str = "zoe";

/// The result of a walk.
pub(crate) struct Walk {
    pub(crate) place: &'static str,
    pub(crate) texts: Vec<String>,
    /// Every question to the model.
    pub(crate) asked: Vec<Asked>,
    /// Every card as it was shown, in order.
    pub(crate) shown: Vec<SeenCard>,
    /// Outward effects from before the approver's first press.
    pub(crate) unbidden: Vec<StoredEffect>,
    /// Requests that reached the world by then, or by the press of a stranger.
    pub(crate) reached: BTreeMap<String, u32>,
    /// The cards that the approver approved, as they looked then.
    pub(crate) released: Vec<SeenCard>,
    /// Acts without an answer, each with its lane.
    pub(crate) silent: Vec<String>,
    /// The lanes at the end.
    pub(crate) effects: Vec<StoredEffect>,
    pub(crate) approvals: Vec<ApprovalRow>,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) broken: Vec<String>,
}

struct Running {
    driver: SimDriver,
    store: Arc<dyn Store>,
    walk: Walk,
    /// The newest message of ours in each lane, and the card to press in it.
    newest: BTreeMap<String, String>,
    /// True once more than one person wrote.
    several: bool,
    n: u32,
}

pub(crate) fn lane_name(n: usize) -> String {
    format!("t{n}")
}

fn block<T>(future: impl Future<Output = Result<T, StoreError>>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(future).unwrap()
}

impl Walk {
    pub(crate) fn of(place: &'static Place, texts: &[String]) -> Self {
        let model = Arc::new(Obedient::default());
        let mut driver = SimDriver::with_model(model.clone());
        driver.begin(&world(texts)).unwrap();
        let store = driver.store().unwrap();
        let walk = Self {
            place: place.name,
            texts: texts.to_vec(),
            asked: Vec::new(),
            shown: Vec::new(),
            unbidden: Vec::new(),
            reached: BTreeMap::new(),
            released: Vec::new(),
            silent: Vec::new(),
            effects: Vec::new(),
            approvals: Vec::new(),
            lanes: Vec::new(),
            broken: Vec::new(),
        };
        let mut running = Running { driver, store, walk, newest: BTreeMap::new(), several: false, n: 0 };
        for step in place.steps {
            match step {
                Step::Approved => running.presses(APPROVER),
                step => running.everywhere(step),
            }
        }
        running.presses("bob");
        running.presses(APPROVER);
        let mut walk = running.ended();
        walk.asked = model.asked();
        walk
    }
}

impl Running {
    /// Takes one step in every lane, then settles all of them.
    fn everywhere(&mut self, step: &Step) {
        self.n += 1;
        self.several |= matches!(step, Step::Another(_));
        let texts = self.walk.texts.clone();
        let made = texts.iter().enumerate();
        let batch: Vec<Delivery> = made.filter_map(|(n, text)| self.delivery(n, step, text)).collect();
        let seen = self.driver.deliver(&batch).unwrap();
        for delivery in &batch {
            let heard =
                seen.messages.iter().map(|said| &said.lane).chain(seen.cards.iter().map(|card| &card.lane));
            let heard =
                heard.chain(seen.notices.iter().map(|told| &told.lane)).any(|lane| *lane == delivery.lane);
            if !heard && !matches!(step, Step::Reports(_)) {
                let turns = seen.turns.iter().filter(|turn| turn.lane == delivery.lane);
                let reasons: Vec<_> = turns.map(|turn| turn.summary.decision.reason.code()).collect();
                // Where several people write, a single word is theirs.
                if reasons == ["gate.withheld"] && self.several {
                    continue;
                }
                self.walk.silent.push(format!("{:?}: {}", delivery.kind, reasons.join(", ")));
            }
        }
        self.note(seen, false);
    }

    fn delivery(&self, n: usize, step: &Step, injected: &str) -> Option<Delivery> {
        let lane = lane_name(n);
        let said = |text: &str| MessagePosted {
            text: text.replace('§', injected),
            message_id: Some(format!("{lane}-{}", self.n)),
            ..MessagePosted::default()
        };
        let posted = EventKind::MessagePosted;
        let (actor, kind) = match step {
            Step::Says(text) => ("eve", posted(said(text))),
            Step::Another(text) => ("kim", posted(said(text))),
            Step::Replies(text) => (
                "eve",
                posted(MessagePosted { reply_to: Some(self.newest.get(&lane)?.clone()), ..said(text) }),
            ),
            Step::Quotes { text, quote } => {
                let (reply_to, quote) = (Some("elsewhere".into()), Some(quote.replace('§', injected)));
                ("eve", posted(MessagePosted { reply_to, quote, ..said(text) }))
            }
            Step::Edits(text) => {
                let (message, text) = (format!("{lane}-{}", self.n - 1), text.replace('§', injected));
                ("eve", EventKind::MessageEdited { message, text, metadata_only: false })
            }
            Step::Fills(field, text) => {
                let press = self.button(&lane, Action::Edit)?;
                let values = BTreeMap::from([((*field).to_owned(), text.replace('§', injected))]);
                ("eve", EventKind::FormSubmitted { press, values })
            }
            Step::Reports(text) => ("", EventKind::AssistantPosted(report(text.replace('§', injected)))),
            Step::Named(text) => {
                return Some(self.by(format!("named-{n}"), lane.clone(), posted(said(text))));
            }
            Step::Approved => return None,
        };
        Some(self.by(actor.into(), lane, kind))
    }

    fn by(&self, actor: String, lane: String, kind: EventKind) -> Delivery {
        let addressing = Addressing { direct: true, ..Addressing::default() };
        Delivery { key: format!("{lane}-{}", self.n), lane, actor, addressing, kind }
    }

    /// Returns a button of the newest card in that lane that has it.
    fn button(&self, lane: &str, action: Action) -> Option<Press> {
        let card = self.newest_card(lane)?;
        let button = card.card.buttons.iter().find(|button| button.action == action)?;
        Some(Press::Token(button.token.clone()?))
    }

    fn newest_card(&self, lane: &str) -> Option<&SeenCard> {
        self.walk.shown.iter().rev().find(|card| card.lane == lane)
    }

    /// Presses *Approve* as that person wherever it can be pressed.
    fn presses(&mut self, who: &str) {
        self.n += 1;
        let lanes: Vec<String> = (0..self.walk.texts.len()).map(lane_name).collect();
        let mut batch = Vec::new();
        for lane in lanes {
            let Some(press) = self.button(&lane, Action::Approve) else { continue };
            if who == APPROVER {
                self.walk.released.extend(self.newest_card(&lane).cloned());
            }
            batch.push(self.by(who.into(), lane, EventKind::CardPressed { press, remember: false }));
        }
        if who == APPROVER {
            self.walk.unbidden.extend(self.outward());
        }
        let seen = self.driver.deliver(&batch).unwrap();
        self.note(seen, who == APPROVER);
    }

    /// Returns the outward effects without a card that the approver pressed.
    fn outward(&self) -> Vec<StoredEffect> {
        let pressed: Vec<&CardId> = self.walk.released.iter().map(SeenCard::id).collect();
        let released = |effect: &StoredEffect| {
            effect.row.approval.as_ref().is_some_and(|by| pressed.contains(&&by.card))
        };
        let mut effects = block(self.store.effects("sim", None, None, 100_000));
        effects.retain(|effect| effect.row.outward && !released(effect));
        effects
    }

    fn note(&mut self, seen: TurnSeen, approved: bool) {
        if !approved {
            for (class, n) in seen.outward {
                *self.walk.reached.entry(class).or_default() += n;
            }
        }
        for said in &seen.messages {
            self.newest.insert(said.lane.clone(), said.message.0.clone());
        }
        for card in &seen.cards {
            self.newest.insert(card.lane.clone(), card.message.0.clone());
        }
        self.walk.shown.extend(seen.cards);
    }

    fn ended(mut self) -> Walk {
        use throughline_testkit::driver::Checker;
        self.walk.unbidden.extend(self.outward());
        self.walk.effects = block(self.store.effects("sim", None, None, 100_000));
        self.walk.approvals = block(self.store.approvals("sim", false, 100_000));
        let names = (0..self.walk.texts.len()).map(lane_name);
        self.walk.lanes = names.map(|name| self.driver.lane(&name).unwrap()).collect();
        for checker in [Checker::NoEffectWithoutApproval, Checker::PressNeverSilent] {
            self.walk.broken.extend(self.driver.check(checker).err());
        }
        self.walk
    }
}

fn report(text: String) -> AssistantPosted {
    let kind = MessageKind::Answer;
    AssistantPosted {
        kind,
        task: None,
        text,
        expected: None,
        asked_of: None,
        expires: None,
        message_id: None,
    }
}

fn world(texts: &[String]) -> World {
    let approver = format!("user:{APPROVER}");
    let mut policy = Policy::default();
    policy.approvers.push(Policy::demo_rule(&[&approver]));
    policy.project = Target { project: PROJECT.into(), ..policy.project };
    let person = |id: String, name: String| Actor {
        principals: vec![format!("user:{id}")],
        id,
        name,
        ..Actor::default()
    };
    let known = ["eve", "kim", "bob", APPROVER].map(|id| person(id.into(), id.into()));
    let named = texts.iter().enumerate().map(|(n, text)| person(format!("named-{n}"), text.clone()));
    let lane = |name| SeedLane { name, head: LaneState::default(), records: Vec::new() };
    World {
        channel: "web".into(),
        clock: Timestamp::parse("2026-01-15T10:00:00Z").unwrap(),
        policy,
        people: known.into_iter().chain(named).map(|actor| (actor.id.clone(), actor)).collect(),
        zones: BTreeMap::new(),
        lanes: (0..texts.len()).map(lane_name).map(lane).collect(),
        tracker: TrackerWorld { project: PROJECT.into(), ..TrackerWorld::default() },
        posts: Vec::new(),
        host: BTreeMap::new(),
        workers: BTreeMap::new(),
        facts: Vec::new(),
        script: None,
        paused: None,
    }
}
