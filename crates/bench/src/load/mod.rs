//! The production runtime over a SQLite file, in this process, and people who talk to it.

pub(crate) mod limit;
pub(crate) mod messages;
pub(crate) mod rows;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use throughline_engine::data::card::Card;

use anyhow::Context;
use async_trait::async_trait;
use throughline_engine::data::action::Action;
use throughline_engine::data::actor::Actor;
use throughline_engine::data::effect::{EffectClass, EffectResult, Outcome};
use throughline_engine::data::event::Press;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::{Event, EventKind, LaneKey, Policy, Timestamp};
use throughline_runtime::host::{self, Host};
use throughline_runtime::{Directory, Inbound, Keys, NoFaults, Parts, Ports, Runtime};
use throughline_store::{
    Accepted, DeliveryIdentity, Performer, SqliteStore, Store, StoredEffect, SystemClock,
};

use crate::frame::{Spread, mixed};

/// A directory that knows everybody by their id.
struct Everybody;

#[async_trait]
impl Directory for Everybody {
    async fn actor(&self, _: &LaneKey, id: &str) -> Actor {
        Actor { id: id.into(), name: id.into(), ..Actor::default() }
    }
}

/// The party that delivers replies and cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivered {
    /// The commit: the channel reads from the store.
    ByCommit,
    /// The host, which then reports each: a settlement and a turn more.
    ByHost,
}

/// A store and the loops over it.
pub(crate) struct Bench {
    pub(crate) runtime: Arc<Runtime>,
    host: Host,
}

impl Bench {
    /// Opens the file and starts the loops. Call it inside the executor.
    pub(crate) fn open(path: &Path, delivered: Delivered) -> anyhow::Result<Self> {
        let store = SqliteStore::open(path, Arc::new(SystemClock::default()))?;
        Ok(Self::over(Arc::new(store), delivered))
    }

    /// Starts the loops over a store. Call it inside the executor.
    pub(crate) fn over(store: Arc<dyn Store>, delivered: Delivered) -> Self {
        let classes = [EffectClass::Reply, EffectClass::CardPost, EffectClass::CardUpdate];
        let hosted = match delivered {
            Delivered::ByCommit => Vec::new(),
            Delivered::ByHost => classes.map(|class| ("api".to_owned(), class)).into(),
        };
        let drawn = AtomicU64::new(0);
        let entropy = move || {
            let mut bytes = [0; 16];
            let n = drawn.fetch_add(2, Ordering::Relaxed);
            bytes[..8].copy_from_slice(&mixed(n).to_be_bytes());
            bytes[8..].copy_from_slice(&mixed(n + 1).to_be_bytes());
            bytes
        };
        let runtime = Arc::new(Runtime::new(Parts {
            store,
            ports: Ports {
                directory: Arc::new(Everybody),
                channels: BTreeMap::new(),
                trackers: BTreeMap::new(),
                workers: BTreeMap::new(),
                model: None,
                hosted,
                own_host: Vec::new(),
            },
            policy: Policy::default(),
            keys: Keys::new([1; 32]),
            faults: Arc::new(NoFaults),
            entropy: Arc::new(entropy),
        }));
        Self { host: host::run(runtime.clone()), runtime }
    }

    /// Somebody who talks in that lane.
    pub(crate) fn talk(&self, lane: LaneKey) -> Talk {
        Talk { runtime: self.runtime.clone(), lane }
    }

    /// Lets go of every lane and closes the file.
    pub(crate) async fn close(self) {
        self.host.drain().await;
    }
}

/// Returns the n-th lane of the benchmarks' own tenant.
pub(crate) fn lane(n: usize) -> LaneKey {
    LaneKey::new("bench", "app", "api", &format!("c{n}"), "")
}

/// Deliveries so far in this process: no two have one key, in any store.
static SENT: AtomicU64 = AtomicU64::new(0);

/// One person in one lane, who waits for each turn before the next message.
#[derive(Clone)]
pub(crate) struct Talk {
    runtime: Arc<Runtime>,
    pub(crate) lane: LaneKey,
}

impl Talk {
    /// Returns this person in another lane.
    pub(crate) fn to(&self, lane: LaneKey) -> Self {
        Self { runtime: self.runtime.clone(), lane }
    }

    /// Says something and waits for its turn.
    pub(crate) async fn say(&self, text: &str) -> anyhow::Result<()> {
        self.send(|id| messages::posted(id, 0, text)).await
    }

    /// Presses a button of the newest card.
    pub(crate) async fn press(&self, action: Action) -> anyhow::Result<()> {
        let lane = rows::read(&self.runtime, &self.lane).await?;
        let card = lane.head.cards.iter().last().and_then(|id| lane.records.get::<Card>(&id));
        let card = card.context("the lane shows no card")?;
        let token = self.runtime.keys().token(&self.lane.tenant, &card.id, card.version, "", action);
        let press = |id: &str| Event {
            id: id.into(),
            received_at: Timestamp(0),
            actor: "ana".into(),
            kind: EventKind::CardPressed { press: Press::Token(token), remember: false },
        };
        self.send(press).await
    }

    /// Delivers the newest turn's reply as its host, and waits until the settlement is a turn.
    pub(crate) async fn settle(&self) -> anyhow::Result<()> {
        for effect in self.newest(2).await? {
            if effect.row.performer != Performer::Host || effect.outcome.is_some() {
                continue;
            }
            let taken = self.runtime.wakes().watch(effect.row.id.as_str());
            let delivered = Outcome::Done { result: EffectResult::Delivered { channel_id: None } };
            anyhow::ensure!(self.runtime.report(&effect, delivered).await?, "it was settled before");
            taken.await?;
        }
        Ok(())
    }

    async fn newest(&self, limit: u32) -> anyhow::Result<Vec<StoredEffect>> {
        Ok(self.runtime.store().effects(&self.lane.tenant, Some(&self.lane), None, limit).await?)
    }

    async fn send(&self, event: impl FnOnce(&str) -> Event) -> anyhow::Result<()> {
        let id = messages::delivery_key(SENT.fetch_add(1, Ordering::Relaxed));
        let turn = self.runtime.wakes().watch(&id);
        let addressing = Addressing { direct: true, ..Addressing::default() };
        let inbound =
            Inbound { event: event(&id), identity: DeliveryIdentity::new(self.lane.clone(), id), addressing };
        let accepted = self.runtime.accept(inbound).await?;
        anyhow::ensure!(matches!(accepted, Accepted::New), "a new message was not taken: {accepted:?}");
        turn.await?;
        Ok(())
    }
}

/// A kind of turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A message that is answered with a reply.
    Reply,
    /// A message that is answered with a reply, which the host delivers.
    Settled,
    /// A message that ends at the gate.
    Gate,
}

impl Kind {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Reply | Self::Settled => messages::REPLY,
            Self::Gate => messages::GATE,
        }
    }

    pub(crate) fn delivered(self) -> Delivered {
        if self == Self::Settled { Delivered::ByHost } else { Delivered::ByCommit }
    }

    /// One message, to its end.
    pub(crate) async fn go(self, talk: &Talk) -> anyhow::Result<()> {
        talk.say(self.text()).await?;
        if self == Self::Settled {
            talk.settle().await?;
        }
        Ok(())
    }
}

/// The result of many people at once.
pub(crate) struct Seen {
    pub(crate) per_second: f64,
    /// Milliseconds of each message, from its delivery to its end.
    pub(crate) took: Spread,
}

/// Sends `each` messages of that kind from every person, one after the other, all people at once.
pub(crate) async fn all(people: Vec<Talk>, kind: Kind, each: usize) -> anyhow::Result<Seen> {
    let count = people.len() * each;
    let began = Instant::now();
    let tasks: Vec<_> = people
        .into_iter()
        .map(|talk| {
            tokio::spawn(async move {
                let mut took = Vec::with_capacity(each);
                for _ in 0..each {
                    let sent = Instant::now();
                    kind.go(&talk).await?;
                    took.push(sent.elapsed());
                }
                anyhow::Ok(took)
            })
        })
        .collect();
    let mut took = Vec::with_capacity(count);
    for task in tasks {
        took.extend(task.await??);
    }
    Ok(Seen { per_second: count as f64 / began.elapsed().as_secs_f64(), took: milliseconds(&took) })
}

pub(crate) fn milliseconds(took: &[Duration]) -> Spread {
    took.iter().map(|took| took.as_secs_f64() * 1e3).collect()
}
