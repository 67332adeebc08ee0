//! World of a test: one bot, its Telegram, and a clock that the test advances.

use std::sync::Arc;

use tempfile::TempDir;
use throughline_engine::{LaneKey, Timestamp};
use throughline_fakes::telegram::{FakeTelegram, Message};
use throughline_models::Model;
use throughline_runtime::turn_log::Turn;
use throughline_runtime::{Keys, NoFaults, Parts, Ports, Runtime};
use throughline_server::telegram::{Adapter, Polled, Poller};
use throughline_server::{Config, Instance, Sources, open_with};
use throughline_store::{Clock, ManualClock, MemoryStore, Store};

/// Ana requests, Mia approves, Bob has no role.
pub(crate) const ANA: i64 = 7;
pub(crate) const MIA: i64 = 8;
pub(crate) const BOB: i64 = 9;
/// A group.
pub(crate) const TEAM: i64 = -100;
/// 15 January 2026, 10:00 UTC.
pub(crate) const START: Timestamp = Timestamp(1_768_471_200_000);

pub(crate) struct World {
    pub(crate) telegram: FakeTelegram,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) instance: Instance,
    pub(crate) poller: Poller,
    folder: TempDir,
    mode: &'static str,
    starts: u32,
}

const CONFIG: &str = r#"
tenant = "acme"
instance_key_file = "KEY"
[server]
listen = "127.0.0.1:0"
public_url = "https://bot.example.org"
[store]
url = "memory:"
[telegram]
mode = "MODE"
token_file = "TOKEN"
secret_file = "SECRET"
api_base = "BASE"
allow_loopback = true
[[users]]
id = "ana"
telegram = "7"
[[users]]
id = "mia"
name = "Mia"
telegram = "8"
roles = ["pm"]
[[approvers]]
effects = ["tracker.*", "post.channel"]
targets = ["local:*", "telegram:*"]
allow = ["role:pm"]
"#;

/// Requests a ticket that needs no further details.
pub(crate) fn ticket(about: &str) -> String {
    format!("@maro_bot create a ticket for {about}\nProblem: it is missing\nAcceptance criteria: it is there")
}

pub(crate) const SECRET: &str = "a-secret-of-our-own-making";

impl World {
    pub(crate) async fn new() -> Self {
        Self::in_mode("poll").await
    }

    pub(crate) async fn in_mode(mode: &'static str) -> Self {
        let clock = Arc::new(ManualClock::at(START));
        let time = clock.clone();
        let telegram =
            FakeTelegram::start(FakeTelegram::TOKEN, Arc::new(move || time.now().0)).await.expect("a port");
        for (id, name) in [(ANA, "Ana"), (MIA, "Mia P."), (BOB, "Bob")] {
            telegram.person(id, name);
        }
        telegram.group(TEAM, &[]);
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new(clock.clone()));
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("token"), format!("{}\n", FakeTelegram::TOKEN)).expect("written");
        std::fs::write(folder.path().join("secret"), SECRET).expect("written");
        let instance = opened(&folder, mode, &telegram, &store).await;
        let poller = poller(&instance, "first");
        Self { telegram, clock, store, instance, poller, folder, mode, starts: 1 }
    }

    pub(crate) fn adapter(&self) -> Arc<Adapter> {
        self.instance.telegram.clone().expect("it is configured")
    }

    /// Replaces the instance by another over the same store, losing everything in memory.
    pub(crate) async fn restart(&mut self) {
        self.poller.resign().await;
        self.instance = opened(&self.folder, self.mode, &self.telegram, &self.store).await;
        self.starts += 1;
        self.poller = poller(&self.instance, &format!("start {}", self.starts));
        self.instance.runtime.recover("acme").await.expect("the store answers");
    }

    /// Replaces the instance by one over another store, as a kill does: nothing is given up.
    pub(crate) async fn over(&mut self, store: Arc<dyn Store>) {
        self.instance = opened(&self.folder, self.mode, &self.telegram, &store).await;
        self.starts += 1;
        self.poller = poller(&self.instance, &format!("start {}", self.starts));
        self.store = store;
    }

    /// Makes the runtime ask a model.
    pub(crate) fn asks(&mut self, model: Arc<dyn Model>) {
        let runtime = &self.instance.runtime;
        let ports = Ports { model: Some(model), ..runtime.ports().clone() };
        self.instance.runtime = Arc::new(Runtime::new(Parts {
            store: self.store.clone(),
            ports,
            policy: runtime.policy().clone(),
            keys: Keys::new([7; 32]),
            faults: Arc::new(NoFaults),
            entropy: Arc::new(|| [7; 16]),
        }));
        self.poller = poller(&self.instance, "thinking");
    }

    /// Opens a second instance beside this one.
    pub(crate) async fn beside(&self) -> (Instance, Poller) {
        let instance = opened(&self.folder, self.mode, &self.telegram, &self.store).await;
        let poller = poller(&instance, "beside");
        (instance, poller)
    }

    /// Polls, runs lanes and performs effects until nothing is left to do at this time.
    pub(crate) async fn settle(&mut self) {
        loop {
            let took = self.poller.once(0).await.expect("the store answers");
            self.poller.answered().await;
            if !self.work().await && matches!(took, Polled::Updates(0) | Polled::Standby(_)) {
                return;
            }
        }
    }

    /// Runs lanes and performs effects, once each; returns true if there was anything to do.
    pub(crate) async fn work(&self) -> bool {
        work(&self.instance).await
    }

    /// Settles, advancing time for messages that wait for the chat's pace, by at most that many milliseconds.
    pub(crate) async fn settle_within(&mut self, most: i64) {
        let end = self.clock.now().plus(most);
        loop {
            self.settle().await;
            match self.store.next_due().await.expect("the store answers") {
                Some(due) if due <= end => self.clock.set(due),
                _ => return,
            }
        }
    }

    /// Settles within ten seconds, which is enough for every message.
    pub(crate) async fn calm(&mut self) {
        self.settle_within(10_000).await;
    }

    pub(crate) fn lane(&self, chat: i64, topic: &str) -> LaneKey {
        LaneKey::new("acme", &FakeTelegram::BOT.to_string(), "telegram", &chat.to_string(), topic)
    }

    /// Returns all lanes.
    pub(crate) async fn lanes(&self) -> Vec<LaneKey> {
        let lanes = self.store.lanes("acme", None, 100).await.expect("the store answers");
        lanes.into_iter().map(|lane| lane.key).collect()
    }

    /// Returns the turns of a lane, oldest first.
    pub(crate) async fn turns(&self, lane: &LaneKey) -> Vec<Turn> {
        let turns = self.store.turns(lane, 0, 200).await.expect("the store answers");
        turns.iter().map(|turn| Turn::read(turn).expect("a turn of ours")).collect()
    }

    /// Returns the reasons of a lane's turns, without those on effects and timers.
    pub(crate) async fn reasons(&self, lane: &LaneKey) -> Vec<String> {
        let turns = self.turns(lane).await;
        let by_people =
            turns.iter().filter(|turn| !matches!(turn.row.event.as_str(), "effect.settled" | "timer.due"));
        by_people.map(|turn| turn.row.decision.reason.code().to_owned()).collect()
    }

    /// Returns the number of created issues.
    pub(crate) async fn issues(&self) -> usize {
        let documents =
            self.store.documents("acme", "tracker.issues.DEMO", None, 100).await.expect("the store answers");
        documents.len()
    }

    /// Has Ana request a ticket in the chat; returns its card.
    pub(crate) async fn card_in(&mut self, chat: i64) -> Message {
        self.telegram.says(chat, ANA, &ticket("a CSV export"));
        self.calm().await;
        let card =
            self.telegram.card(chat).unwrap_or_else(|| panic!("no card: {:#?}", self.telegram.calls()));
        assert_eq!(card.labels(), ["Approve", "Edit", "Reject"], "{card:#?}");
        card
    }

    /// Checks that Telegram has refused nothing so far.
    pub(crate) fn well(&self) {
        assert_eq!(self.telegram.violations(), [""; 0]);
    }
}

pub(crate) async fn work(instance: &Instance) -> bool {
    let runtime = &instance.runtime;
    let mut some = false;
    while let Some(lane) = runtime.wakes().next() {
        let run = runtime.run_lane(&lane).await.expect("the store answers");
        runtime.wakes().done(&lane, run.more);
        some = true;
    }
    some |= runtime.fire_timers().await.expect("the store answers") > 0;
    some | (runtime.dispatch().await.expect("the store answers") > 0)
}

fn poller(instance: &Instance, name: &str) -> Poller {
    let adapter = instance.telegram.clone().expect("it is configured");
    Poller::new(adapter, instance.runtime.clone(), name)
}

async fn opened(folder: &TempDir, mode: &str, telegram: &FakeTelegram, store: &Arc<dyn Store>) -> Instance {
    let path = |name: &str| folder.path().join(name).display().to_string();
    let file = folder.path().join("throughline.toml");
    let text = CONFIG
        .replace("MODE", mode)
        .replace("KEY", &path("key"))
        .replace("TOKEN", &path("token"))
        .replace("SECRET", &path("secret"))
        .replace("BASE", &telegram.url());
    std::fs::write(&file, text).expect("written");
    let config = Config::load(&Sources { file: Some(file), ..Sources::default() });
    open_with(config.expect("the test's configuration is right"), store.clone())
        .await
        .expect("the instance opens")
}
