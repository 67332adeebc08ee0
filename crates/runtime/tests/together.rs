//! Issues that one request creates: each is an effect with an outcome of its own, in order, and whatever is lost, killed,
//! paused, refused or performed by two workers, no row is sent twice.

#[path = "shared/host.rs"]
mod host;
#[path = "../../server/tests/api/store.rs"]
mod store;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures_util::FutureExt as _;
use throughline_engine::data::action::Action;
use throughline_engine::data::actor::Actor;
use throughline_engine::data::card::{Card, CardSubject};
use throughline_engine::data::effect::{Attempt, EffectClass, IssueChange, IssueState};
use throughline_engine::data::event::Press;
use throughline_engine::data::fault::{Fault, FieldFault};
use throughline_engine::data::progress::Progress;
use throughline_engine::data::record::Record;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::data::ticket::Item;
use throughline_engine::retry::Guarantee;
use throughline_engine::{EffectId, Event, EventKind, LaneKey, Policy, Timestamp};
use throughline_runtime::{
    Crash, Directory, FailPoint, Faults, Inbound, NoFaults, Ports, Runtime, RuntimeError,
};
use throughline_store::{
    DeliveryIdentity, EFFECT_LEASE, EffectState, Effects, KillSwitch, ManualClock, MemoryStore, PauseRow,
    Store, StoredEffect,
};
use throughline_trackers::{BulkCreate, BulkRow, Issue, Tracker};

use host::{run, says};
use store::Rigged;

/// Stories of the batch, beside its epic.
const STORIES: usize = 12;

/// Fate of a request for several issues.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Weather {
    #[default]
    Fine,
    /// The story of that number is refused.
    Refuses(usize),
    /// It asks for half a minute.
    Busy,
    /// It creates, and its answer is lost.
    Lost,
    /// It never arrives.
    Never,
    /// It takes longer than a lease.
    Slow,
}

/// A tracker that takes several issues at once.
struct Bulky {
    clock: Arc<ManualClock>,
    weather: Mutex<Weather>,
    issues: Mutex<Vec<(EffectId, Issue)>>,
    /// Effects of each request that could create an issue.
    requests: Mutex<Vec<Vec<EffectId>>>,
    followed: Mutex<Vec<String>>,
}

impl Bulky {
    fn make(&self, effect: &EffectId, item: &Item, parent: Option<&str>) -> Issue {
        let mut issues = self.issues.lock().unwrap();
        let key = format!("DEMO-{}", issues.len() + 1);
        let (title, parent) = (item.title().to_owned(), parent.map(str::to_owned));
        let issue = Issue { key, url: None, title, parent, state: IssueState::Open, assignee: None };
        issues.push((effect.clone(), issue.clone()));
        issue
    }
}

#[async_trait]
impl Tracker for Bulky {
    fn guarantee(&self) -> Guarantee {
        Guarantee::Nothing
    }

    async fn check(&self, _: &str, _: &str, _: Option<&str>, _: &[Item]) -> Attempt<()> {
        Attempt::Applied(())
    }

    async fn create(
        &self,
        _: &str,
        _: &str,
        effect: &EffectId,
        item: &Item,
        parent: Option<&str>,
    ) -> Attempt<Issue> {
        self.requests.lock().unwrap().push(vec![effect.clone()]);
        Attempt::Applied(self.make(effect, item, parent))
    }

    fn bulk(&self, _: &str) -> Option<&dyn BulkCreate> {
        Some(self)
    }

    async fn update(
        &self,
        _: &str,
        _: &str,
        _: Option<&str>,
        _: &EffectId,
        _: &str,
        _: &IssueChange,
    ) -> Attempt<()> {
        Attempt::Applied(())
    }

    async fn seek(&self, _: &str, _: &str, marker: &EffectId) -> Attempt<Vec<Issue>> {
        let issues = self.issues.lock().unwrap();
        Attempt::Applied(
            issues.iter().filter(|(by, _)| by == marker).map(|(_, issue)| issue.clone()).collect(),
        )
    }

    async fn find(&self, _: &str, _: &str, _: Option<&str>, key: &str) -> Attempt<Issue> {
        let issues = self.issues.lock().unwrap();
        let found = issues.iter().find(|(_, issue)| issue.key == key).map(|(_, issue)| issue.clone());
        found.map_or(refused("none"), Attempt::Applied)
    }
}

fn refused<T>(text: &str) -> Attempt<T> {
    let errors = vec![FieldFault::new("check.value", "labels", Fault::Said(text.into()))];
    Attempt::Rejected { text: Fault::Said(text.into()), errors }
}

#[async_trait]
impl BulkCreate for Bulky {
    fn size(&self) -> RangeInclusive<u32> {
        10..=50
    }

    async fn create_together(&self, _: &str, rows: &[BulkRow<'_>]) -> Vec<Attempt<Issue>> {
        self.requests.lock().unwrap().push(rows.iter().map(|row| row.effect.clone()).collect());
        let weather = std::mem::take(&mut *self.weather.lock().unwrap());
        if weather == Weather::Slow {
            self.clock.advance(EFFECT_LEASE);
        }
        let outcome = |(n, row): (usize, &BulkRow<'_>)| match weather {
            Weather::Refuses(refuses) if refuses == n + 1 => refused("There is no such label."),
            Weather::Busy => Attempt::NotApplied { why: Fault::Said("busy".into()), hint: Some(30_000) },
            Weather::Never => Attempt::Unknown { why: Fault::Said("lost".into()) },
            Weather::Lost => {
                self.make(row.effect, row.item, row.parent);
                Attempt::Unknown { why: Fault::Said("lost".into()) }
            }
            Weather::Fine | Weather::Slow | Weather::Refuses(_) => {
                Attempt::Applied(self.make(row.effect, row.item, row.parent))
            }
        };
        rows.iter().enumerate().map(outcome).collect()
    }

    async fn follow_up(&self, _: &BulkRow<'_>, key: &str) {
        self.followed.lock().unwrap().push(key.into());
    }
}

struct Approvers;

#[async_trait]
impl Directory for Approvers {
    async fn actor(&self, _: &LaneKey, id: &str) -> Actor {
        let principals = vec![format!("user:{id}"), "role:approver".into()];
        Actor { id: id.into(), name: id.into(), principals, ..Actor::default() }
    }
}

/// Stops a run once, when an issue to create passes this point for the n-th time.
#[derive(Default)]
struct Killing(Mutex<Option<(FailPoint, u32)>>);

impl Faults for Killing {
    fn at(&self, point: FailPoint, about: &str) -> Result<(), Crash> {
        let mut armed = self.0.lock().unwrap();
        let here =
            armed.as_mut().filter(|(at, _)| *at == point && about == EffectClass::TrackerCreate.as_str());
        let Some((_, left)) = here else { return Ok(()) };
        *left -= 1;
        if *left > 0 {
            return Ok(());
        }
        *armed = None;
        Err(Crash(point))
    }
}

struct World {
    clock: Arc<ManualClock>,
    store: Arc<Rigged>,
    tracker: Arc<Bulky>,
    faults: Arc<Killing>,
    runtime: Runtime,
}

fn lane() -> LaneKey {
    LaneKey::new("acme", "app", "web", "session", "")
}

impl World {
    /// A world in which the batch is approved, and its epic exists.
    async fn approved(stories: usize) -> Self {
        let clock = Arc::new(ManualClock::at(Timestamp(1_768_471_200_000)));
        let store = Rigged::over(Arc::new(MemoryStore::new(clock.clone())));
        let tracker = Arc::new(Bulky {
            clock: clock.clone(),
            weather: Mutex::default(),
            issues: Mutex::default(),
            requests: Mutex::default(),
            followed: Mutex::default(),
        });
        let faults = Arc::new(Killing::default());
        let runtime = worker(&store, &tracker, faults.clone(), 1);
        let world = Self { clock, store, tracker, faults, runtime };
        let story = |n: usize| format!("- As a user I want way {n}\n  Acceptance criteria: it works\n");
        let text = format!(
            "Create an epic with {stories} stories for auth\nProblem: nobody gets in\nAcceptance criteria: all are done\n{}",
            (1..=stories).map(story).collect::<String>()
        );
        says(&world.runtime, lane(), "ana", "said", &text).await;
        world.work().await;
        world.press("confirmed", Action::ConfirmQuantity).await;
        world.work().await;
        world.press("approved", Action::Approve).await;
        // The dry run, then the epic.
        for _ in 0..2 {
            assert_eq!(world.runtime.dispatch().await.unwrap(), 1);
            run(&world.runtime).await;
        }
        world
    }

    async fn press(&self, key: &str, action: Action) {
        let store = self.runtime.store();
        let open = store.approvals("acme", true, 10).await.unwrap();
        let (card, version) = (open[0].approval.card.clone(), open[0].approval.version);
        let press = Press::Decision { card, version, item: String::new(), action };
        let event = Event {
            id: key.into(),
            received_at: store.now(),
            actor: "bob".into(),
            kind: EventKind::CardPressed { press, remember: false },
        };
        let identity = DeliveryIdentity::new(lane(), key);
        self.runtime.accept(Inbound { identity, event, addressing: Addressing::default() }).await.unwrap();
        run(&self.runtime).await;
    }

    /// Performs what can be performed, and takes in what comes of it.
    async fn work(&self) {
        loop {
            run(&self.runtime).await;
            if self.runtime.dispatch().await.unwrap() == 0 && self.runtime.wakes().idle() {
                return;
            }
        }
    }

    /// Lets time pass, with everything that becomes due meanwhile.
    async fn wait(&self, seconds: i64) {
        for _ in 0..seconds / 5 {
            self.clock.advance(5 * Timestamp::SECOND);
            self.runtime.fire_timers().await.unwrap();
            self.work().await;
        }
    }

    /// The creates of stories, in order.
    async fn creates(&self) -> Vec<StoredEffect> {
        let mut effects = self.store.effects("acme", Some(&lane()), None, 1_000).await.unwrap();
        effects.retain(|effect| effect.row.class == EffectClass::TrackerCreate);
        effects.sort_by_key(|effect| (effect.revision, effect.row.ordinal));
        effects.split_off(1)
    }

    async fn states(&self) -> Vec<EffectState> {
        self.creates().await.iter().map(|effect| effect.state).collect()
    }

    async fn cards(&self) -> Vec<Card> {
        let lane = self.runtime.lane(&lane()).await.unwrap();
        let card = |record: &Record| if let Record::Card(card) = record { Some(card.clone()) } else { None };
        lane.records.iter().filter_map(card).collect()
    }

    /// The progress of the stories on the receipt.
    async fn receipt(&self) -> Vec<Progress> {
        let card = self.cards().await.into_iter().find(|card| card.released().count() > 1).unwrap();
        card.released().skip(1).map(|(_, progress)| progress.clone()).collect()
    }

    async fn open_questions(&self) -> usize {
        let asks = |card: &&Card| matches!(card.about, CardSubject::UncertainEffect { .. }) && card.is_open();
        self.cards().await.iter().filter(asks).count()
    }

    /// The requests that could create a story: the epic's is the first of all.
    fn requests(&self) -> Vec<Vec<EffectId>> {
        self.tracker.requests.lock().unwrap()[1..].to_vec()
    }

    /// At most one request that could create it was sent for each row, and at most one issue is there.
    fn at_most_once(&self) {
        let mut sent: BTreeMap<EffectId, usize> = BTreeMap::new();
        for effect in self.tracker.requests.lock().unwrap().iter().flatten() {
            *sent.entry(effect.clone()).or_default() += 1;
        }
        assert!(sent.values().all(|times| *times == 1), "{sent:?}");
        let issues = self.tracker.issues.lock().unwrap();
        let mut made: Vec<&EffectId> = issues.iter().map(|(effect, _)| effect).collect();
        made.sort();
        made.dedup();
        assert_eq!(made.len(), issues.len());
    }
}

fn worker(store: &Arc<Rigged>, tracker: &Arc<Bulky>, faults: Arc<dyn Faults>, seed: u8) -> Runtime {
    let policy = Policy { approvers: vec![Policy::demo_rule(&["role:approver"])], ..Policy::default() };
    let mut ports: Ports = host::nothing();
    ports.directory = Arc::new(Approvers);
    ports.trackers.insert("local".into(), tracker.clone());
    host::host_with(store.clone(), ports, policy, faults, seed)
}

fn keys(progress: &[Progress]) -> Vec<&str> {
    let key = |progress: &Progress| match progress {
        Progress::Created { .. } => true,
        other => panic!("{other:?}"),
    };
    assert!(progress.iter().all(key));
    progress
        .iter()
        .filter_map(|p| if let Progress::Created { key, .. } = p { Some(key.as_str()) } else { None })
        .collect()
}

fn expected_keys() -> Vec<String> {
    (2..=STORIES + 1).map(|n| format!("DEMO-{n}")).collect()
}

#[tokio::test]
async fn the_stories_of_an_epic_are_one_request() {
    let world = World::approved(STORIES).await;
    world.work().await;
    let creates: Vec<EffectId> = world.creates().await.into_iter().map(|effect| effect.row.id).collect();
    assert_eq!(world.requests(), [creates], "in their order");
    assert_eq!(keys(&world.receipt().await), expected_keys());
    assert_eq!(*world.tracker.followed.lock().unwrap(), expected_keys());
    assert!(world.creates().await.iter().all(|effect| effect.attempts == 1));
    let parents = world.tracker.issues.lock().unwrap();
    assert!(parents[1..].iter().all(|(_, issue)| issue.parent.as_deref() == Some("DEMO-1")));
}

#[tokio::test]
async fn a_few_stories_are_a_request_each() {
    let world = World::approved(9).await;
    world.work().await;
    assert_eq!(world.requests().iter().map(Vec::len).collect::<Vec<_>>(), [1; 9]);
    assert_eq!(world.states().await, [EffectState::Done; 9]);
}

#[tokio::test]
async fn a_refused_row_is_on_its_item_alone() {
    let world = World::approved(STORIES).await;
    *world.tracker.weather.lock().unwrap() = Weather::Refuses(3);
    world.work().await;
    let receipt = world.receipt().await;
    for (n, progress) in (1..).zip(&receipt) {
        match progress {
            Progress::Failed { errors, .. } => assert_eq!((n, errors[0].field.as_str()), (3, "labels")),
            Progress::Created { .. } => assert_ne!(n, 3),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((world.requests().len(), world.open_questions().await), (1, 0));
    world.at_most_once();
}

#[tokio::test]
async fn a_wait_is_for_all_and_they_are_tried_again_together() {
    let world = World::approved(STORIES).await;
    *world.tracker.weather.lock().unwrap() = Weather::Busy;
    let begun = world.store.now();
    world.work().await;
    let creates = world.creates().await;
    assert!(creates.iter().all(|effect| effect.not_before == begun.plus(30 * Timestamp::SECOND)));
    world.wait(25).await;
    assert_eq!(world.requests().len(), 1);
    world.wait(5).await;
    assert_eq!(world.requests().iter().map(Vec::len).collect::<Vec<_>>(), [STORIES; 2]);
    assert_eq!(keys(&world.receipt().await), expected_keys());
}

#[tokio::test]
async fn a_lost_answer_leaves_all_uncertain_and_each_is_found() {
    let world = World::approved(STORIES).await;
    *world.tracker.weather.lock().unwrap() = Weather::Lost;
    world.work().await;
    assert_eq!(world.states().await, [EffectState::Uncertain; STORIES]);
    assert_eq!(world.open_questions().await, STORIES);
    world.wait(30).await;
    assert_eq!(keys(&world.receipt().await), expected_keys());
    assert_eq!(world.open_questions().await, 0);
    world.at_most_once();
}

#[tokio::test]
async fn what_never_arrived_is_a_question_that_stays() {
    let world = World::approved(STORIES).await;
    *world.tracker.weather.lock().unwrap() = Weather::Never;
    world.work().await;
    world.wait(300).await;
    assert_eq!(world.states().await, [EffectState::Uncertain; STORIES]);
    assert_eq!((world.open_questions().await, world.requests().len()), (STORIES, 1));
}

#[tokio::test]
async fn a_pause_holds_all_and_nothing_is_sent() {
    let world = World::approved(STORIES).await;
    let pause =
        PauseRow { by: "root".into(), since: world.store.now(), reason: String::new(), everything: false };
    world.store.set_pause("acme", Some(pause), "{}").await.unwrap();
    world.work().await;
    assert_eq!((world.states().await, world.requests().len()), (vec![EffectState::Planned; STORIES], 0));
    assert!(world.creates().await.iter().all(|effect| effect.attempts == 0));
    world.store.set_pause("acme", None, "{}").await.unwrap();
    world.wait(60).await;
    assert_eq!(world.requests().iter().map(Vec::len).collect::<Vec<_>>(), [STORIES]);
    assert_eq!(keys(&world.receipt().await), expected_keys());
}

#[tokio::test]
async fn one_outcome_that_a_store_does_not_take_costs_no_other() {
    let world = World::approved(STORIES).await;
    world.store.fail_once("settle", 3);
    let failed = world.runtime.dispatch().await;
    assert!(matches!(failed, Err(RuntimeError::Store(_))), "{failed:?}");
    run(&world.runtime).await;
    let mut expected = vec![EffectState::Done; STORIES];
    expected[2] = EffectState::Attempted;
    assert_eq!(world.states().await, expected);
    world.wait(120).await;
    assert_eq!(keys(&world.receipt().await), expected_keys(), "its lease ran out, and it was found");
    assert_eq!(world.requests().len(), 1);
}

#[tokio::test]
async fn nothing_is_sent_that_a_store_does_not_mark() {
    let world = World::approved(STORIES).await;
    world.store.read_only(true);
    assert!(world.runtime.dispatch().await.is_err());
    assert_eq!(world.requests().len(), 0, "nothing is sent that cannot be marked");
    world.store.read_only(false);
    world.work().await;
    assert_eq!(world.requests().len(), 1);

    let world = World::approved(STORIES).await;
    world.store.fail_once("mark_together", 1);
    assert!(world.runtime.dispatch().await.is_err());
    assert_eq!(world.requests().len(), 0);
    world.wait(65).await;
    assert_eq!(
        world.requests().iter().map(Vec::len).collect::<Vec<_>>(),
        [STORIES],
        "once the leases ran out"
    );
    assert_eq!(keys(&world.receipt().await), expected_keys());
}

#[tokio::test]
async fn a_worker_that_is_killed_anywhere_leaves_each_row_one_issue_or_a_question() {
    let many = u32::try_from(STORIES).unwrap();
    let mut kills = 0;
    for (point, passings) in [
        (FailPoint::EffectClaimed, 1),
        (FailPoint::AttemptMarked, 1),
        (FailPoint::BytesOnWire, 1),
        (FailPoint::VendorApplied, 1),
        (FailPoint::ReplyRead, 1),
        (FailPoint::ResultCommitted, many),
    ] {
        for passing in 1..=passings {
            let world = World::approved(STORIES).await;
            *world.faults.0.lock().unwrap() = Some((point, passing));
            let killed = world.runtime.dispatch().await;
            assert!(matches!(killed, Err(RuntimeError::Crash(_))), "{point:?} {passing}: {killed:?}");
            kills += 1;
            world.wait(200).await;
            world.at_most_once();
            let made = world.tracker.issues.lock().unwrap().len() - 1;
            // What was never sent is asked about, unless it was never marked.
            let sent = !matches!(point, FailPoint::AttemptMarked | FailPoint::BytesOnWire);
            assert_eq!(made, if sent { STORIES } else { 0 }, "{point:?}");
            let questions = world.open_questions().await;
            assert_eq!(questions, STORIES - made, "{point:?} {passing}");
            if sent {
                assert_eq!(keys(&world.receipt().await), expected_keys(), "{point:?} {passing}");
            }
        }
    }
    assert_eq!(kills, 5 + STORIES);
}

#[tokio::test]
async fn two_workers_send_no_row_twice() {
    for take_over in [false, true] {
        let world = World::approved(STORIES).await;
        let other = worker(&world.store, &world.tracker, Arc::new(NoFaults), 2);
        let leased = world.runtime.lease_effects(16).await.unwrap();
        assert_eq!(leased.len(), 1);
        assert_eq!(other.lease_effects(16).await.unwrap(), [], "the first keeps its stream");
        if take_over {
            // Its lease runs out before it begins: the other one sends, and the first finds its leases lost.
            world.clock.advance(EFFECT_LEASE);
            assert_eq!(other.dispatch().await.unwrap(), 1);
        }
        for effect in leased {
            world.runtime.perform(effect).now_or_never().expect("nothing here waits").unwrap();
        }
        world.work().await;
        world.at_most_once();
        assert_eq!(world.requests().iter().map(Vec::len).collect::<Vec<_>>(), [STORIES]);
        assert_eq!(world.states().await, [EffectState::Done; STORIES], "taken over: {take_over}");
    }
}

#[tokio::test]
async fn an_answer_that_comes_after_the_lease_is_too_late_and_found() {
    let world = World::approved(STORIES).await;
    *world.tracker.weather.lock().unwrap() = Weather::Slow;
    let other = worker(&world.store, &world.tracker, Arc::new(NoFaults), 2);
    let leased = world.runtime.lease_effects(16).await.unwrap().remove(0);
    // The leases run out while the request is under way; nobody has looked, so the worker still settles what it holds.
    world.runtime.perform(leased).await.unwrap();
    assert_eq!(other.dispatch().await.unwrap(), 0);
    run(&world.runtime).await;
    world.work().await;
    assert_eq!(keys(&world.receipt().await), expected_keys());
    world.at_most_once();
}
