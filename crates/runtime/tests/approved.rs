//! The bytes that were approved are those that run: a record, an approval or an effect that somebody changes in the file stops what would
//! have been sent, and the verification names it.

#[path = "shared/host.rs"]
mod host;

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use throughline_engine::data::action::Action;
use throughline_engine::data::actor::Actor;
use throughline_engine::data::approval::ApprovalChange;
use throughline_engine::data::canonical_json::{hex, sha256};
use throughline_engine::data::event::Press;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::{Event, EventKind, LaneKey, Policy, Reason, Timestamp};
use throughline_runtime::turn_log::Turn;
use throughline_runtime::{Directory, Inbound, NoFaults, Ports, Runtime};
use throughline_store::{
    ApprovalState, DeliveryIdentity, EffectState, ManualClock, SqliteStore, StoredEffect,
};
use throughline_trackers::local::{LocalConfig, LocalTracker, MemoryDocuments};

use host::{run, says};

const TICKET: &str =
    "Create a ticket for login bug\nSteps: open /login\nExpected: a form\nActual: a blank page";
const BATCH: &str = "Create an epic with 3 stories for auth\nProblem: nobody gets in\nAcceptance criteria: all are done\n\
    - As a user I want to log in\n  Acceptance criteria: a form\n\
    - As a user I want to log out\n  Acceptance criteria: a button\n\
    - As a user I want to stay in\n  Acceptance criteria: a tick";

struct Approvers;

#[async_trait]
impl Directory for Approvers {
    async fn actor(&self, _: &LaneKey, id: &str) -> Actor {
        let principals = vec![format!("user:{id}"), "role:approver".into()];
        Actor { id: id.into(), name: id.into(), principals, ..Actor::default() }
    }
}

/// A file, and a runtime over it with a tracker that keeps its issues.
struct World {
    folder: tempfile::TempDir,
    clock: Arc<ManualClock>,
    tracker: Arc<LocalTracker>,
    runtime: Option<Runtime>,
    opened: u8,
}

impl World {
    fn new() -> Self {
        let documents = Arc::new(MemoryDocuments::new());
        let tracker = Arc::new(LocalTracker::new(LocalConfig::default(), documents));
        let clock = Arc::new(ManualClock::at(Timestamp(1_768_471_200_000)));
        let folder = tempfile::tempdir().unwrap();
        let mut world = Self { folder, clock, tracker, runtime: None, opened: 0 };
        world.open();
        world
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("store.db")
    }

    fn open(&mut self) {
        self.opened += 1;
        let store = Arc::new(SqliteStore::open(self.file(), self.clock.clone()).unwrap());
        let policy = Policy { approvers: vec![Policy::demo_rule(&["role:approver"])], ..Policy::default() };
        let mut ports: Ports = host::nothing();
        ports.directory = Arc::new(Approvers);
        ports.trackers.insert("local".into(), self.tracker.clone());
        self.runtime = Some(host::host_with(store, ports, policy, Arc::new(NoFaults), self.opened));
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().unwrap()
    }

    /// Changes the file while nobody has it open.
    fn tamper(&mut self, sql: &str) {
        self.runtime = None;
        let changed = throughline_store::tamper(&self.file(), sql).unwrap();
        assert!(changed > 0, "nothing was changed: {sql}");
        self.open();
    }

    async fn press(&self, key: &str, action: Action) -> Reason {
        let runtime = self.runtime();
        let open = runtime.store().approvals("acme", true, 10).await.unwrap();
        let (card, version) = (open[0].approval.card.clone(), open[0].approval.version);
        let press = Press::Decision { card, version, item: String::new(), action };
        let event = Event {
            id: key.into(),
            received_at: runtime.store().now(),
            actor: "bob".into(),
            kind: EventKind::CardPressed { press, remember: false },
        };
        let identity = DeliveryIdentity::new(lane(), key);
        runtime.accept(Inbound { identity, event, addressing: Addressing::default() }).await.unwrap();
        run(runtime).await;
        let stored = runtime.store().turns_before(&lane(), u64::MAX, 1).await.unwrap();
        Turn::read(&stored[0]).unwrap().row.decision.reason
    }

    /// Performs what can be performed, and takes in what comes of it.
    async fn work(&self) {
        while self.runtime().dispatch().await.unwrap() > 0 {
            run(self.runtime()).await;
        }
    }

    /// Returns the bytes of the only effect that leaves the thread.
    async fn outward_payload(&self) -> String {
        let effects = self.runtime().store().effects("acme", None, None, 100).await.unwrap();
        effects.into_iter().find(|effect| effect.row.outward).unwrap().row.payload
    }

    async fn issues(&self) -> usize {
        self.tracker.issues("acme", "DEMO", None, 100).await.unwrap().len()
    }

    async fn broken(&self) -> Vec<String> {
        let (runtime, mut broken) = (self.runtime(), Vec::new());
        broken.extend(
            runtime.store().verify_audit("acme").await.unwrap().map(|row| format!("audit row {row}")),
        );
        broken.extend(runtime.verify_approvals("acme").await.unwrap());
        for info in runtime.store().lanes("acme", None, 100).await.unwrap() {
            broken.extend(runtime.verify_lane(&info).await.unwrap().broken);
        }
        broken
    }
}

fn lane() -> LaneKey {
    LaneKey::new("acme", "app", "web", "session", "")
}

/// A world in which a preview of the text is open and checked.
async fn shown(text: &str) -> World {
    let world = World::new();
    says(world.runtime(), lane(), "ana", "said", text).await;
    world.work().await;
    assert_eq!(world.runtime().store().approvals("acme", true, 10).await.unwrap().len(), 1);
    world
}

/// The SQL that replaces words in a column.
fn replaced(table: &str, column: &str, where_: &str) -> String {
    format!("UPDATE {table} SET {column} = replace({column}, 'login', 'logon') WHERE {where_}")
}

fn names(broken: &[String], what: &str) {
    assert!(broken.iter().any(|found| found.contains(what)), "{what} is not among {broken:#?}");
}

#[tokio::test]
async fn what_nobody_changed_is_created_and_verified() {
    for (text, issues) in [(TICKET, 1), (BATCH, 4)] {
        let world = shown(text).await;
        confirm(&world, issues).await;
        assert_eq!(world.press("pressed", Action::Approve).await, Reason::PressApplied);
        world.work().await;
        assert_eq!(world.issues().await, issues);
        assert_eq!(world.broken().await, Vec::<String>::new());
        every_effect_was_approved(&world).await;
    }
}

/// Confirms the number of items, where there are several.
async fn confirm(world: &World, items: usize) {
    if items > 1 {
        assert_eq!(world.press("confirmed", Action::ConfirmQuantity).await, Reason::PressApplied);
        world.work().await;
    }
}

/// Every outward effect's bytes are among those that its approval lists.
async fn every_effect_was_approved(world: &World) {
    let store = world.runtime().store();
    let mut outward = 0;
    for effect in store.effects("acme", None, None, 100).await.unwrap() {
        let Some(approval) = effect.row.approval.as_ref().filter(|_| effect.row.outward) else { continue };
        let row = store.approval("acme", &approval.card).await.unwrap().unwrap();
        assert!(row.approval.releases.contains(&effect.payload_sha256), "{}", effect.row.id);
        let ApprovalState::Decided { change: ApprovalChange::Decide { releases, .. } } = row.state else {
            panic!("it was consumed")
        };
        assert_eq!(releases, row.approval.releases);
        outward += 1;
    }
    assert!(outward > 0);
}

#[tokio::test]
async fn a_story_is_created_under_the_epic_of_its_batch() {
    let world = shown(BATCH).await;
    confirm(&world, 4).await;
    let _ = world.press("pressed", Action::Approve).await;
    world.work().await;
    let issues = world.tracker.issues("acme", "DEMO", None, 100).await.unwrap();
    let stories = world.tracker.stories("acme", &issues[0].key, 100).await.unwrap();
    assert_eq!(stories.len(), 3);
}

#[tokio::test]
async fn a_changed_draft_is_not_released() {
    let mut world = shown(TICKET).await;
    world.tamper(&replaced("records", "body", "body LIKE '%login%'"));
    names(&world.broken().await, "its stored state");
    assert_eq!(world.press("pressed", Action::Approve).await, Reason::PressTampered);
    world.work().await;
    assert_eq!(world.issues().await, 0);
    names(&world.broken().await, "was decided on another state");
}

#[tokio::test]
async fn a_changed_approval_is_not_consumed() {
    let mut world = shown(TICKET).await;
    world.tamper(&replaced("approvals", "approval", "state = 0"));
    names(&world.broken().await, "has another payload");
    assert_eq!(world.press("pressed", Action::Approve).await, Reason::PressTampered);
    world.work().await;
    assert_eq!(world.issues().await, 0);
}

#[tokio::test]
async fn a_changed_effect_is_not_sent() {
    let mut world = shown(TICKET).await;
    let _ = world.press("pressed", Action::Approve).await;
    world.tamper(&replaced("outbox", "payload", "outward = 1"));
    names(&world.broken().await, "has another payload than was planned");
    world.work().await;
    assert_eq!(world.issues().await, 0);
    assert_eq!(refused(&world).await, 1);
}

/// An attempt whose answer was lost may have arrived, also where the next one is stopped.
#[tokio::test]
async fn a_changed_effect_that_may_have_arrived_is_uncertain() {
    let mut world = shown(TICKET).await;
    let _ = world.press("pressed", Action::Approve).await;
    let lost = r#"{"as":"uncertain","text":{"fault":"worker_gone"}}"#;
    world.tamper(&format!(
        "INSERT INTO outcomes SELECT n, '{lost}' FROM outbox WHERE outward = 1; {}",
        replaced("outbox", "payload", "outward = 1")
    ));
    world.work().await;
    assert_eq!((world.issues().await, refused(&world).await), (0, 0));
    let store = world.runtime().store();
    let uncertain = store.effects("acme", None, Some(EffectState::Uncertain), 100).await.unwrap();
    assert_eq!(uncertain.iter().filter(|effect| effect.row.outward).count(), 1);
}

/// Whoever changes the hash beside the bytes has to lift a constraint, and is stopped by what the approval lists.
#[tokio::test]
async fn a_changed_effect_with_its_hash_is_not_sent() {
    let mut world = shown(TICKET).await;
    let _ = world.press("pressed", Action::Approve).await;
    let payload = replaced("outbox", "payload", "outward = 1");
    let other = "ab".repeat(32);
    world.tamper(&format!(
        "DROP TRIGGER \"an outward effect keeps its hash and its approval\"; {payload}; \
         UPDATE outbox SET payload_sha256 = x'{other}' WHERE outward = 1",
    ));
    names(&world.broken().await, "effect fx_");
    world.work().await;
    assert_eq!(world.issues().await, 0);
    assert_eq!(refused(&world).await, 1);
}

#[tokio::test]
async fn a_list_that_was_changed_is_found() {
    let mut world = shown(TICKET).await;
    let _ = world.press("pressed", Action::Approve).await;
    let other = "ab".repeat(32);
    world.tamper(&format!(
        "DROP TRIGGER \"what was released stays as it was\"; UPDATE releases SET payload_sha256 = x'{other}'"
    ));
    names(&world.broken().await, "releases something else than was decided");
    world.work().await;
    assert_eq!(world.issues().await, 0);
}

/// Nobody gets around an approval by saying of an effect that it stays here, or is something else: its bytes say what it is.
#[tokio::test]
async fn an_effect_that_says_something_else_of_itself_is_not_sent() {
    for says in [
        "outward = 0, card = NULL, version = NULL",
        "class = 'notice', outward = 0",
        "class = 'tracker.update'",
    ] {
        let mut world = shown(TICKET).await;
        let _ = world.press("pressed", Action::Approve).await;
        let payload = world.outward_payload().await.replace("login", "logon");
        let hash = hex(&sha256(&[payload.as_bytes()]));
        world.tamper(&format!(
            "DROP TRIGGER \"an outward effect keeps its hash and its approval\"; \
             UPDATE outbox SET payload = replace(payload, 'login', 'logon'), payload_sha256 = x'{hash}', {says} \
             WHERE class = 'tracker.create'",
        ));
        names(&world.broken().await, "is not what its bytes say");
        world.work().await;
        assert_eq!(world.issues().await, 0, "{says}");
        let stopped = world.runtime().store().effects("acme", None, Some(EffectState::Failed), 100).await;
        let told = |effect: &StoredEffect| {
            effect.outcome.as_deref().is_some_and(|text| text.contains(r#""fault":"altered""#))
        };
        assert!(stopped.unwrap().iter().any(|effect| told(effect) && effect.attempts == 0), "{says}");
    }
}

/// Bytes that cannot be read any more are an alarm as well, and the one who approved them is told.
#[tokio::test]
async fn an_effect_that_cannot_be_read_is_stopped_and_told() {
    let mut world = shown(TICKET).await;
    let _ = world.press("pressed", Action::Approve).await;
    world.tamper("UPDATE outbox SET payload = '?' || payload WHERE outward = 1");
    names(&world.broken().await, "has another payload than was planned");
    world.work().await;
    assert_eq!((world.issues().await, refused(&world).await), (0, 1));
    let open = world.runtime().store().approvals("acme", true, 10).await.unwrap();
    assert_eq!(open.len(), 1, "it is shown anew, to be approved again");
}

/// Returns the number of outward effects that were refused before anything was sent.
async fn refused(world: &World) -> usize {
    let failed = world.runtime().store().effects("acme", None, Some(EffectState::Failed), 100).await.unwrap();
    let told = |outcome: &Option<String>| {
        outcome.as_deref().is_some_and(|text| text.contains(r#""fault":"altered""#))
    };
    failed.iter().filter(|effect| effect.row.outward && told(&effect.outcome) && effect.attempts == 0).count()
}

/// Bytes that nobody changed, but that this version does not know, end their effect: nothing is tried for ever.
#[tokio::test]
async fn an_effect_of_another_version_ends() {
    let mut world = World::new();
    says(world.runtime(), lane(), "ana", "said", TICKET).await;
    let (payload, hash) = ("{\"later\":1}", hex(&sha256(&[b"{\"later\":1}"])));
    world.tamper(&format!(
        "UPDATE outbox SET payload = '{payload}', payload_sha256 = x'{hash}' WHERE class = 'tracker.check'"
    ));
    world.work().await;
    let failed = world.runtime().store().effects("acme", None, Some(EffectState::Failed), 100).await.unwrap();
    let told = |effect: &StoredEffect| {
        effect.outcome.as_deref().is_some_and(|text| text.contains(r#""fault":"unreadable""#))
    };
    assert!(failed.iter().any(|effect| told(effect) && effect.attempts == 0), "{failed:#?}");
}
