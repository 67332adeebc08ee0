//! Sentences about state are true: a search over every lane that a few requests can lead to, in which a ledger of the
//! outbox, kept beside the engine, says what the answers to a stop, to `status`, to `pending` and to a press on a decided
//! card have to name.

mod harness;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use harness::{TICKET, TestLane};
use throughline_engine::data::action::{Action, CardStep};
use throughline_engine::data::card::{Card, CardStatus};
use throughline_engine::data::effect::{Effect, EffectBody, EffectResult, Outcome};
use throughline_engine::data::event::{AssistantPosted, EventKind, MessagePosted, Press};
use throughline_engine::data::fault::Fault;
use throughline_engine::data::message::MessageKind;
use throughline_engine::data::record::{Record, RecordKey};
use throughline_engine::data::step_input::{EffectStanding, Paused, ReleasedStanding};
use throughline_engine::{
    CardId, Change, EffectId, Event, Millis, Step, StepInput, TaskId, Timestamp, effects_told, needs, step,
};
use throughline_language::Expected;

/// The outbox's knowledge of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    Planned,
    Sent,
    Done,
    Refused,
    Unknown,
    Cancelled,
}

/// One effect of the ledger.
#[derive(Clone, Debug)]
struct Entry {
    /// Its place in the order in which effects were planned.
    n: usize,
    effect: Effect,
    standing: Standing,
}

/// A card as people see it.
#[derive(Clone, Copy, Debug)]
struct Shown {
    decides: bool,
    end: Option<Timestamp>,
}

/// The things a sentence names, with how many there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Named {
    running: usize,
    sent: usize,
    waiting: usize,
    unknown: usize,
}

/// A lane with the ledger of its effects, of the cards that have buttons, and of the host's question.
#[derive(Clone)]
struct World {
    lane: TestLane,
    ledger: BTreeMap<EffectId, Entry>,
    /// Every record there is, as a store keeps it: also those that the lane does not load any more.
    stored: BTreeMap<RecordKey, Record>,
    /// Cards as people see them: those with buttons to decide with, and the end of that.
    shown: BTreeMap<CardId, Shown>,
    /// The end of the host's question, while it is open.
    question: Option<Timestamp>,
    paused: bool,
    late: bool,
}

/// A move of the search.
#[derive(Clone, Debug)]
enum Move {
    Press { who: &'static str, card: CardId, action: Action },
    Send(EffectId),
    Settle(EffectId, Standing),
    Stop(&'static str),
    Ask,
    Pause,
    Wait,
}

const HOUR: Millis = Timestamp::HOUR;

impl World {
    fn new(requests: &[&str]) -> Self {
        Self::with_window(requests, TestLane::new().policy.window.cards)
    }

    /// A world whose lane loads no more than so many cards.
    fn with_window(requests: &[&str], cards: usize) -> Self {
        let mut lane = TestLane::new();
        lane.policy.window.cards = cards;
        lane.has_publisher();
        let mut world = Self {
            lane,
            ledger: BTreeMap::new(),
            stored: BTreeMap::new(),
            shown: BTreeMap::new(),
            question: None,
            paused: false,
            late: false,
        };
        for text in requests {
            world.says("ana", text);
        }
        world
    }

    /// The input of a step: what a runtime looks up, from the ledger.
    fn given(&self, actor: &str, kind: &EventKind) -> StepInput {
        let mut given = if actor.is_empty() {
            StepInput { now: self.lane.now, ..StepInput::default() }
        } else {
            self.lane.given(actor)
        };
        let event =
            Event { id: "e".into(), received_at: self.lane.now, actor: actor.into(), kind: kind.clone() };
        let standing = |effect: &EffectId| {
            let stands = self.ledger.get(effect).map(|entry| entry.standing);
            let released = match stands {
                Some(Standing::Planned | Standing::Sent) => Some(ReleasedStanding::Awaited),
                Some(Standing::Unknown) => Some(ReleasedStanding::Unknown),
                _ => None,
            };
            let sent = stands.is_some_and(|stands| stands != Standing::Planned);
            EffectStanding { effect: effect.clone(), sent, released }
        };
        let told = effects_told(&self.lane.lane, &event, &given, &self.lane.policy);
        given.effects = told.map(|told| {
            let all: BTreeSet<EffectId> = told.into_iter().chain(self.ledger.keys().cloned()).collect();
            all.iter().map(standing).collect()
        });
        if self.paused {
            given.paused = Some(Paused { by: "root".into(), since: self.lane.now, everything: false });
        }
        if given.effects.is_some() {
            let open = self.stored.values().filter_map(|record| match record {
                Record::Card(card) if card.is_open() => Some(card.id.clone()),
                _ => None,
            });
            given.waiting = open.collect();
        }
        loop {
            let wanted = needs(&self.lane.lane, &event, &given, &self.lane.policy);
            let found: Vec<Record> = wanted.iter().filter_map(|key| self.stored.get(key).cloned()).collect();
            if found.is_empty() {
                return given;
            }
            given.revived.extend(found);
        }
    }

    /// Steps an event without taking it.
    fn answer(&self, actor: &str, kind: EventKind) -> Step {
        let given = self.given(actor, &kind);
        let event = Event { id: "would".into(), received_at: self.lane.now, actor: actor.into(), kind };
        step(&self.lane.lane, &event, &given, &self.lane.policy)
    }

    /// Takes an event, and enters what it did into the ledger.
    fn takes(&mut self, actor: &str, kind: EventKind) {
        let given = self.given(actor, &kind);
        let done = self.lane.event(actor, kind, given);
        self.enter(&done);
        // A dry run passes at once: it is no work, and only a released item waits for it.
        for effect in &done.effects {
            if let EffectBody::TrackerCheck { .. } = &effect.body {
                self.settles(effect, Outcome::Done { result: EffectResult::Checked });
            }
        }
    }

    fn settles(&mut self, effect: &Effect, outcome: Outcome) {
        let kind = EventKind::EffectSettled {
            effect: effect.id.clone(),
            outcome,
            card: effect.body.card().cloned(),
            task: effect.body.task().cloned(),
            unshown: None,
        };
        self.takes("", kind);
    }

    fn enter(&mut self, done: &Step) {
        for change in &done.changes {
            match change {
                Change::Put(record) => drop(self.stored.insert(record.key(), record.clone())),
                Change::Drop(key) => drop(self.stored.remove(key)),
                Change::Retire(_) => {}
            }
        }
        for effect in &done.effects {
            match &effect.body {
                EffectBody::TrackerCreate { .. } | EffectBody::AgentDelegate(_) => {
                    let n = self.ledger.len();
                    let entry = Entry { n, effect: effect.clone(), standing: Standing::Planned };
                    self.ledger.insert(effect.id.clone(), entry);
                }
                EffectBody::CardPost { card, .. } | EffectBody::CardUpdate { card, .. } => {
                    let decides = !card.buttons.is_empty() && card.step != CardStep::Receipt;
                    // Approvals last fourteen days; questions about an unknown outcome do not end.
                    let unsure = matches!(card.step, CardStep::UncertainEffect | CardStep::UncertainCall);
                    let end = (!unsure).then(|| self.lane.now.plus(14 * Timestamp::DAY));
                    let shown = self.shown.entry(card.id.clone()).or_insert(Shown { decides, end });
                    shown.decides = decides;
                }
                _ => {}
            }
        }
        for id in &done.cancel {
            if let Some(entry) = self.ledger.get_mut(id)
                && matches!(entry.standing, Standing::Planned | Standing::Unknown)
            {
                entry.standing = Standing::Cancelled;
            }
        }
        for (id, _) in &done.adopt {
            if let Some(entry) = self.ledger.get_mut(id) {
                entry.standing = Standing::Done;
            }
        }
    }

    fn says(&mut self, who: &str, text: &str) {
        self.takes(who, said(text));
    }

    /// The ledger's state.
    fn truth(&self) -> Named {
        let count = |standing| self.ledger.values().filter(|entry| entry.standing == standing).count();
        let open = |shown: &&Shown| shown.decides && shown.end.is_none_or(|end| self.lane.now <= end);
        let cards = self.shown.values().filter(open).count();
        let question = self.question.is_some_and(|end| self.lane.now <= end);
        Named {
            running: count(Standing::Planned),
            sent: count(Standing::Sent),
            waiting: cards + usize::from(question),
            unknown: count(Standing::Unknown),
        }
    }

    fn cards(&self) -> Vec<Card> {
        let cards = self.stored.values().filter_map(|record| match record {
            Record::Card(card) => Some(card.clone()),
            _ => None,
        });
        cards.collect()
    }

    fn card(&self, id: &CardId) -> Option<Card> {
        self.cards().into_iter().find(|card| card.id == *id)
    }

    fn moves(&self, people: &[&'static str]) -> Vec<Move> {
        let mut moves = Vec::new();
        for card in self.cards() {
            for action in card.actions() {
                let press = |who| Move::Press { who, card: card.id.clone(), action };
                if !matches!(action, Action::Edit | Action::Adopt) {
                    moves.extend(people.iter().copied().map(press));
                }
            }
        }
        for (id, entry) in &self.ledger {
            let to = |standing| Move::Settle(id.clone(), standing);
            match entry.standing {
                Standing::Planned => moves.extend([Move::Send(id.clone())]),
                Standing::Sent => {
                    moves.extend([Standing::Done, Standing::Refused, Standing::Unknown].map(to));
                }
                Standing::Unknown => moves.extend([to(Standing::Done)]),
                _ => {}
            }
        }
        moves.extend(people.iter().copied().map(Move::Stop));
        if self.question.is_none() && !self.late {
            moves.push(Move::Ask);
        }
        if !self.late {
            moves.push(Move::Wait);
        }
        if !self.paused {
            moves.push(Move::Pause);
        }
        moves
    }

    fn makes(&mut self, what: &Move) {
        self.lane.advance(1);
        match what {
            Move::Press { who, card, action } => {
                let version = self.card(card).map_or(1, |card| card.version);
                self.takes(who, pressed(card, version, *action));
            }
            Move::Send(id) => self.ledger.get_mut(id).unwrap().standing = Standing::Sent,
            Move::Settle(id, standing) => {
                let entry = self.ledger.get_mut(id).unwrap();
                entry.standing = *standing;
                let effect = entry.effect.clone();
                let result = match &effect.body {
                    EffectBody::TrackerCreate { .. } => {
                        EffectResult::Issue { key: "DEMO-1".into(), url: None }
                    }
                    _ => EffectResult::Said { text: "Published.".into() },
                };
                let outcome = match standing {
                    Standing::Done => Outcome::Done { result },
                    Standing::Refused => Outcome::Failed {
                        reason: "rejected".into(),
                        text: Fault::Said("no".into()),
                        errors: Vec::new(),
                    },
                    _ => Outcome::Uncertain { text: Fault::Said("no answer".into()) },
                };
                self.settles(&effect, outcome);
            }
            Move::Stop(who) => {
                self.says(who, "stop");
                self.question = None;
            }
            Move::Ask => {
                let expires = self.lane.now.plus(HOUR);
                self.question = Some(expires);
                let asked = AssistantPosted {
                    kind: MessageKind::Question,
                    task: None::<TaskId>,
                    text: "Which city?".into(),
                    expected: Some(Expected::Text),
                    asked_of: None,
                    expires: Some(expires),
                    message_id: None,
                };
                self.takes("", EventKind::AssistantPosted(asked));
            }
            Move::Pause => self.paused = true,
            Move::Wait => {
                self.lane.advance(15 * Timestamp::DAY);
                self.late = true;
            }
        }
    }

    /// The key by which two worlds are alike for the search: ids and times do not.
    fn key(&self) -> String {
        let mut cards: Vec<String> = self
            .cards()
            .iter()
            .map(|card| {
                let status = match &card.status {
                    CardStatus::Decided { action, result, .. } => format!("{action:?}{}", result.as_str()),
                    other => format!("{other:?}").chars().take(5).collect(),
                };
                format!("{:?}{status}", card.step())
            })
            .collect();
        cards.sort_unstable();
        let mut ledger: Vec<Standing> = self.ledger.values().map(|entry| entry.standing).collect();
        ledger.sort_unstable();
        format!("{cards:?}{ledger:?}{:?}{}{}", self.question.is_some(), self.paused, self.late)
    }

    /// Checks every sentence.
    fn check(&self, path: &[Move]) {
        let truth = self.truth();
        let at = || format!("{truth:?} after {path:#?}");
        let status = text_of(&self.answer("zoe", said("/maro status")));
        assert_eq!(counts(&status), truth, "status: {status:?}: {}", at());
        assert_eq!(status.contains("paused"), self.paused, "{status:?}: {}", at());
        let any = |word: &str| status.contains(word);
        assert!(!any("· running") || truth.running + truth.sent > 0, "a task rests: {status:?}: {}", at());
        assert!(!any("· waiting") || truth.waiting > 0, "nothing waits: {status:?}: {}", at());
        let pending = text_of(&self.answer("zoe", said("/maro pending")));
        let lines = pending.lines().filter(|line| line.starts_with("· ")).count();
        let cards_alone = pending.lines().filter(|line| line.starts_with("  card: ")).count();
        assert_eq!(
            (lines + cards_alone > 0, pending.contains("Nothing is waiting")),
            (truth.waiting > 0, truth.waiting == 0),
            "pending: {pending:?}: {}",
            at()
        );
        assert_eq!(counts(&pending), Named { waiting: 0, ..truth }, "pending: {pending:?}: {}", at());
        for who in ["zoe", "ana"] {
            let mut after = self.clone();
            after.makes(&Move::Stop(who));
            let left = after.truth();
            let told = text_of(after.lane.last.as_ref().unwrap());
            assert_eq!(counts(&told), left, "stop by {who}: {told:?}: {}", at());
            let idle = left == Named::default();
            assert_eq!(told.contains("Still here"), !idle, "stop by {who}: {told:?}: {}", at());
            assert_eq!(told.contains("may still happen"), left.sent > 0, "stop by {who}: {told:?}: {}", at());
            if told.contains("Nothing is running") {
                assert!(idle, "{told:?}");
            }
        }
        for card in self.cards().iter().filter(|card| card.result().is_some()) {
            self.check_decided(card, &at());
        }
    }

    /// Checks the answer to a press on a card that was decided: it tells the state of the newest attempt.
    fn check_decided(&self, card: &Card, at: &str) {
        let CardStatus::Decided { action, .. } = &card.status else { return };
        let kind = pressed(&card.id, card.version, *action);
        let told = notice_of(&self.answer("zoe", kind));
        let root = |card: &Card| card.receipt().unwrap_or(&card.id).clone();
        let of_root = |entry: &&Entry| {
            let by = entry.effect.approval.as_ref().and_then(|approval| self.card(&approval.card));
            by.is_some_and(|by| root(&by) == root(card))
        };
        let newest = self.ledger.values().filter(of_root).max_by_key(|entry| entry.n);
        let standing = newest.map(|entry| entry.standing);
        let named = Named {
            running: usize::from(told.contains("in progress") && !told.contains("sent already")),
            sent: usize::from(told.contains("sent already")),
            waiting: 0,
            unknown: usize::from(told.contains("no answer yet")),
        };
        let is = |wanted| usize::from(standing == Some(wanted));
        let truth = Named {
            running: is(Standing::Planned),
            sent: is(Standing::Sent),
            waiting: 0,
            unknown: is(Standing::Unknown),
        };
        assert_eq!(named, truth, "a press on {:?}: {told:?}: {at}", card.step());
        let over = told.contains("→ DEMO-1") || told.contains("→ done");
        assert_eq!(over, standing == Some(Standing::Done), "a press on {:?}: {told:?}: {at}", card.step());
    }
}

fn said(text: &str) -> EventKind {
    EventKind::MessagePosted(MessagePosted { text: text.into(), ..MessagePosted::default() })
}

fn pressed(card: &CardId, version: u32, action: Action) -> EventKind {
    let press = Press::Decision { card: card.clone(), version, item: String::new(), action };
    EventKind::CardPressed { press, remember: false }
}

fn text_of(step: &Step) -> String {
    let texts = step.effects.iter().filter_map(|effect| match &effect.body {
        EffectBody::Reply { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn notice_of(step: &Step) -> String {
    let texts = step.effects.iter().filter_map(|effect| match &effect.body {
        EffectBody::Notice { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The numbers that a sentence names.
fn counts(text: &str) -> Named {
    let number = |what: &str| {
        let before = text.split(what).next().filter(|before| before.len() < text.len())?;
        before.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    Named {
        running: number(" running").unwrap_or(0),
        sent: number(" sent already").unwrap_or(0),
        waiting: number(" waiting").unwrap_or(0),
        unknown: number(" without an answer").unwrap_or(0),
    }
}

/// Searches from a world by the moves that count, checks every sentence in every world that is found, and returns the
/// combinations of what went on there.
fn search(
    start: World,
    people: &[&'static str],
    counts: fn(&Move) -> bool,
    most: usize,
) -> (usize, BTreeSet<[bool; 4]>) {
    let mut seen = BTreeSet::from([start.key()]);
    let mut next = VecDeque::from([(start, Vec::new())]);
    let mut combinations = BTreeSet::new();
    let mut found = 0;
    while let Some((world, path)) = next.pop_front() {
        world.check(&path);
        found += 1;
        let Named { running, sent, waiting, unknown } = world.truth();
        combinations.insert([running > 0, sent > 0, waiting > 0, unknown > 0]);
        for what in world.moves(people).into_iter().filter(counts) {
            if seen.len() >= most {
                break;
            }
            let mut after = world.clone();
            after.makes(&what);
            if seen.insert(after.key()) {
                let path = path.iter().cloned().chain([what]).collect();
                next.push_back((after, path));
            }
        }
    }
    (found, combinations)
}

/// One request, two people, in depth: every press, outcome, stop, question, pause and end of time.
#[test]
fn every_sentence_about_one_request_is_true() {
    for request in [TICKET, "@publisher publish the release notes"] {
        let (found, combinations) = search(World::new(&[request]), &["ana", "bob"], |_| true, 300);
        assert!(found >= 100, "{found} worlds for {request}");
        assert!(combinations.len() >= 6, "{combinations:?}");
    }
}

/// Several requests at once: every combination of running, sent, waiting and unknown that there can be.
#[test]
fn every_combination_is_told() {
    let requests = [
        TICKET,
        "@publisher publish the release notes",
        "Create a ticket for search bug\nSteps: search\nExpected: hits\nActual: none",
    ];
    let counts = |what: &Move| match what {
        Move::Press { action, .. } => matches!(action, Action::Approve | Action::Cancel),
        Move::Settle(_, standing) => *standing != Standing::Refused,
        Move::Send(_) | Move::Stop(_) => true,
        Move::Ask | Move::Pause | Move::Wait => false,
    };
    let (found, combinations) = search(World::new(&requests), &["ana", "bob"], counts, 1_500);
    assert!((100..1_500).contains(&found), "the search ended by itself: {found}");
    let all = (0..16_u8).map(|n| [n & 8 != 0, n & 4 != 0, n & 2 != 0, n & 1 != 0]);
    // A question about an unknown outcome has no end, so something waits as long as there is one.
    let reachable: BTreeSet<[bool; 4]> =
        all.filter(|[_, _, waiting, unknown]| *waiting || !unknown).collect();
    assert_eq!(combinations, reachable);
}

/// Work is told when its card has left the window of the lane: a lane that loads as many cards as there are requests,
/// in which each question about an unknown outcome puts a decided card aside.
#[test]
fn what_left_the_window_is_told() {
    let requests = [TICKET, "@publisher publish the release notes"];
    let counts = |what: &Move| match what {
        Move::Press { action, .. } => !matches!(action, Action::Edit | Action::Reject),
        Move::Settle(..) | Move::Send(_) => true,
        Move::Stop(_) | Move::Ask | Move::Pause | Move::Wait => false,
    };
    let (found, combinations) = search(World::with_window(&requests, 2), &["ana", "bob"], counts, 1_000);
    assert!(found >= 100, "{found}");
    for going_on in [[true, false, true, true], [false, true, true, true], [false, false, true, true]] {
        assert!(combinations.contains(&going_on), "{going_on:?} of {combinations:?}");
    }
}
