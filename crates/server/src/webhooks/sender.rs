//! Sending: one process at a time reads the turns of a tenant in their order and posts their events. Conversations do not
//! wait for each other; one whose event is refused is held, and goes on by itself in `retries.rs`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::iter;
use throughline_engine::data::canonical_json::sha256;
use throughline_engine::{LaneKey, Millis, Timestamp};
use throughline_store::StoredTurn;
use tokio::sync::{Mutex, MutexGuard, Notify, watch};
use tokio::time::sleep;

use super::queue::{Dead, Disabled, Held, Kept, Progress, Queue, WAITS, Writes};
use super::{Attempt, Webhook};
use crate::app::App;
use crate::lead::{self, Again, Lead};
use crate::problem::Problem;
use crate::routes::tenant_events::{self, Lanes};
use crate::telling::follow;

/// Turns read at a time.
pub(super) const BATCH: u32 = 32;
/// Conversations that are sent to an endpoint at once.
pub(super) const AT_ONCE: usize = 8;
/// Duration of the lease under which one process sends.
const LEASE: Millis = 6 * Timestamp::SECOND;
/// Pause between looks at a webhook that is disabled.
const PAUSE: Duration = Duration::from_secs(2);

/// Sends a webhook's events, whenever this process leads, until told to stop.
pub(crate) async fn run(app: Arc<App>, webhook: Arc<Webhook>, stop: watch::Receiver<bool>) {
    let store = app.instance.store.clone();
    let what = format!("webhooks.{}", webhook.name);
    let lead = Lead::new(store.clone(), &webhook.tenant, &what, &lead::process(), LEASE);
    let queue = || Queue::new(store.clone(), &webhook.tenant, &webhook.name);
    lead.doing(|| send(&app, &webhook, queue()), stop).await;
}

async fn send(app: &Arc<App>, webhook: &Arc<Webhook>, queue: Queue) -> Again {
    let sender = match Sender::load(app.clone(), webhook.clone(), queue).await {
        Ok(sender) => sender,
        Err(error) => return error,
    };
    tokio::select! {
        error = sender.follow() => error,
        error = sender.retry() => error,
    }
}

/// State of a webhook while this process sends.
pub(super) struct Book {
    pub(super) progress: Kept<Progress>,
    pub(super) held: BTreeMap<String, Kept<Option<Held>>>,
}

/// The process that sends a webhook's events.
pub(super) struct Sender {
    pub(super) app: Arc<App>,
    pub(super) webhook: Arc<Webhook>,
    pub(super) queue: Queue,
    book: Mutex<Book>,
    /// Notified when a conversation is held.
    pub(super) more_held: Notify,
}

/// Progress of a conversation after an attempt to send its events.
pub(super) enum Sent {
    /// All of these turns.
    All,
    /// The endpoint wants no more.
    Gone,
    /// Not this event.
    Stopped(Box<Stopped>),
}

/// Event that could not be sent.
pub(super) struct Stopped {
    id: String,
    kind: String,
    turn: String,
    revision: u64,
    slot: usize,
    /// True if the events before it were sent now.
    moved: bool,
    why: String,
    wait: Option<Millis>,
}

impl Sender {
    async fn load(app: Arc<App>, webhook: Arc<Webhook>, queue: Queue) -> Result<Self, Again> {
        let book = Book { progress: queue.progress().await?, held: queue.held().await? };
        Ok(Self { app, webhook, queue, book: Mutex::new(book), more_held: Notify::new() })
    }

    pub(super) async fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().await
    }

    pub(super) fn now(&self) -> Timestamp {
        self.app.store().now()
    }

    /// Follows the turns, and ends with an error.
    async fn follow(&self) -> Again {
        follow(&self.app, &self.webhook.tenant, || self.next_or_pause()).await
    }

    /// Sends the events of the next turns. One that is disabled is looked at again after a pause.
    async fn next_or_pause(&self) -> Result<bool, Again> {
        let more = self.next_turns().await?;
        if more || self.book().await.progress.value.disabled.is_none() {
            return Ok(more);
        }
        sleep(PAUSE).await;
        Ok(true)
    }

    /// Sends the events of the next turns. Returns false if there are none.
    async fn next_turns(&self) -> Result<bool, Again> {
        let (after, held_before) = {
            let mut book = self.book().await;
            if book.progress.value.disabled.is_some() {
                book.progress = self.queue.progress().await?;
                self.more_held.notify_one();
            }
            if book.progress.value.disabled.is_some() {
                return Ok(false);
            }
            let held: Vec<String> = book
                .held
                .iter()
                .filter(|(_, held)| held.value.is_some())
                .map(|(lane, _)| lane.clone())
                .collect();
            (book.progress.value.position, held)
        };
        let page = self.app.store().turns_of_tenant(&self.webhook.tenant, after, BATCH).await?;
        if page.turns.is_empty() && page.end == after {
            return Ok(false);
        }
        let mut lanes: BTreeMap<LaneKey, Vec<StoredTurn>> = BTreeMap::new();
        for turn in page.turns {
            lanes.entry(turn.lane.clone()).or_default().push(turn);
        }
        let (waiting, free): (Vec<_>, Vec<_>) = lanes
            .into_iter()
            .partition(|(lane, _)| held_before.iter().any(|held| held == lane.id().as_str()));
        let sent = iter(free).map(async |(lane, turns)| (lane, self.deliver(&turns, 0).await));
        let sent: Vec<_> = sent.buffer_unordered(AT_ONCE).collect().await;

        let mut book = self.book().await;
        let (mut next, mut changes) = (book.progress.value.clone(), Changes::default());
        for (lane, sent) in sent {
            match sent? {
                Sent::All => {}
                Sent::Gone => return self.disable(&mut book).await.map(|()| false),
                Sent::Stopped(stopped) => changes.held(&lane, stopped.hold(0, self.now())),
            }
        }
        // A conversation that stopped waiting meanwhile did not know of these turns.
        for (lane, turns) in waiting {
            let held = book.held.get(lane.id().as_str()).is_some_and(|held| held.value.is_some());
            if let Some(first) = turns.first().filter(|_| !held) {
                changes.held(&lane, Held::at(first.revision - 1, self.now()));
            }
        }
        next.position = page.end;
        changes.progress = Some(next);
        self.write(&mut book, changes).await?;
        Ok(true)
    }

    /// Sends the events of a conversation's turns in their order, from a slot of the first one on.
    pub(super) async fn deliver(&self, turns: &[StoredTurn], first_slot: usize) -> Result<Sent, Again> {
        let (mut lanes, mut moved) = (Lanes::default(), false);
        for (n, turn) in turns.iter().enumerate() {
            let skip = if n == 0 { first_slot } else { 0 };
            let events = tenant_events::of_turn(&self.app, &mut lanes, turn, skip, &self.webhook.kinds).await;
            for told in events.map_err(|problem: Problem| {
                Again(format!("a turn cannot be read ({})", problem.code().id()))
            })? {
                let id = told.cursor.to_string();
                let body = serde_json::to_string(&told.envelope).unwrap_or_default();
                let attempt = self.webhook.send(&id, body, self.now()).await;
                self.count(&attempt);
                match attempt {
                    Attempt::Delivered => moved = true,
                    Attempt::Gone => return Ok(Sent::Gone),
                    Attempt::Failed { why, wait } => {
                        return Ok(Sent::Stopped(Box::new(Stopped {
                            id,
                            kind: told.envelope.kind,
                            turn: turn.log.turn.as_str().into(),
                            revision: turn.revision - 1,
                            slot: told.slot,
                            moved,
                            why,
                            wait,
                        })));
                    }
                }
            }
        }
        Ok(Sent::All)
    }

    fn count(&self, attempt: &Attempt) {
        let outcome = if *attempt == Attempt::Delivered { "delivered" } else { "failed" };
        let name = self.webhook.name.clone();
        metrics::counter!("throughline_webhook_attempts_total", "webhook" => name, "outcome" => outcome)
            .increment(1);
    }

    /// Ends the webhook until somebody enables it: its endpoint answered that it is gone.
    pub(super) async fn disable(&self, book: &mut Book) -> Result<(), Again> {
        tracing::warn!(
            webhook = self.webhook.name,
            "the endpoint answered 410; nothing is sent to it any more"
        );
        let mut next = book.progress.value.clone();
        next.disabled = Some(Disabled { at: self.now(), why: "it answered 410".into() });
        self.write(book, Changes { progress: Some(next), ..Changes::default() }).await
    }

    /// Writes changes, all of them or none, and notes them in the book.
    #[expect(clippy::cast_precision_loss, reason = "a gauge is a float, and no count here comes near 2^52")]
    pub(super) async fn write(&self, book: &mut Book, changes: Changes) -> Result<(), Again> {
        let mut writes = Writes::default();
        let progress = changes.progress.map(|value| Kept { version: book.progress.version, value });
        if let Some(progress) = &progress {
            self.queue.set_progress(&mut writes, progress);
        }
        for (lane, held) in &changes.held {
            let version = book.held.get(lane).map_or(0, |before| before.version);
            self.queue.set_held(&mut writes, lane, version, held.as_ref());
        }
        if let Some((id, dead)) = &changes.dead {
            let version = self.queue.version_of_dead(id).await?;
            self.queue.set_dead(&mut writes, id, version, Some(dead));
            tracing::warn!(webhook = self.webhook.name, event = id, why = dead.why, "an event was given up");
            let name = self.webhook.name.clone();
            metrics::counter!("throughline_webhook_dead_total", "webhook" => name).increment(1);
        }
        if !self.queue.write(writes, None).await? {
            return Err(Again("somebody else changed it".into()));
        }
        if let Some(progress) = progress {
            book.progress = Kept { version: progress.version + 1, value: progress.value };
        }
        for (lane, value) in changes.held {
            let version = book.held.get(&lane).map_or(0, |before| before.version) + 1;
            book.held.insert(lane, Kept { version, value });
        }
        let held = book.held.values().filter(|held| held.value.is_some()).count();
        metrics::gauge!("throughline_webhook_lanes_waiting", "webhook" => self.webhook.name.clone())
            .set(held as f64);
        self.more_held.notify_one();
        Ok(())
    }
}

/// Changes of a webhook's state.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) progress: Option<Progress>,
    pub(super) held: BTreeMap<String, Option<Held>>,
    pub(super) dead: Option<(String, Dead)>,
}

impl Changes {
    fn held(&mut self, lane: &LaneKey, held: Held) {
        self.held.insert(lane.id().as_str().into(), Some(held));
    }
}

impl Held {
    /// Returns the wait of a conversation that goes on at once, behind that revision.
    pub(super) fn at(revision: u64, now: Timestamp) -> Self {
        Self { revision, slot: 0, attempts: 0, not_before: now, why: String::new() }
    }
}

impl Stopped {
    /// Returns the number of attempts at the event, after as many before.
    pub(super) fn attempts(&self, before: u32) -> u32 {
        if self.moved { 1 } else { before.saturating_add(1) }
    }

    /// Returns the wait for the next attempt.
    pub(super) fn hold(&self, before: u32, now: Timestamp) -> Held {
        let attempts = self.attempts(before);
        let place = usize::try_from(attempts).unwrap_or(usize::MAX).clamp(1, WAITS.len());
        let planned = jittered(WAITS[place - 1], &self.id, attempts);
        let wait = planned.max(self.wait.unwrap_or(0));
        let (revision, slot, why) = (self.revision, self.slot, self.why.clone());
        Held { revision, slot, attempts, not_before: now.plus(wait), why }
    }

    /// Returns the event as one that is given up, and the place behind it, if it was tried as often as it is.
    pub(super) fn given_up(&self, before: u32, lane: &str, now: Timestamp) -> Option<((String, Dead), Held)> {
        let attempts = self.attempts(before);
        if usize::try_from(attempts).is_ok_and(|attempts| attempts <= WAITS.len()) {
            return None;
        }
        let dead = Dead {
            lane: lane.into(),
            turn: self.turn.clone(),
            revision: self.revision,
            slot: self.slot,
            kind: self.kind.clone(),
            attempts,
            at: now,
            why: self.why.clone(),
        };
        let next = Held { slot: self.slot + 1, ..Held::at(self.revision, now) };
        Some(((self.id.clone(), dead), next))
    }
}

/// Returns a wait that is up to a tenth longer, so that conversations that failed together do not come back together.
fn jittered(wait: Millis, id: &str, attempts: u32) -> Millis {
    let byte = sha256(&[id.as_bytes(), &attempts.to_be_bytes()])[0];
    wait + wait / 10 * Millis::from(byte) / 255
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stopped(moved: bool, wait: Option<Millis>) -> Stopped {
        let (id, kind, turn) = ("7-2".into(), "effect".into(), "tn_1".into());
        Stopped { id, kind, turn, revision: 4, slot: 2, moved, why: "it answered 500".into(), wait }
    }

    #[test]
    fn each_wait_is_longer_and_then_an_event_is_given_up() {
        let now = Timestamp(1_000_000);
        let event = stopped(false, None);
        let mut last = 0;
        for before in 0..9 {
            assert!(event.given_up(before, "ln_1", now).is_none(), "{before}");
            let held = event.hold(before, now);
            let wait = held.not_before.since(now);
            let planned = WAITS[before as usize];
            assert!((planned..=planned + planned / 10).contains(&wait) && wait > last, "{before}: {wait}");
            assert_eq!((held.revision, held.slot, held.attempts), (4, 2, before + 1));
            last = wait;
        }
        let ((id, dead), next) = event.given_up(9, "ln_1", now).expect("the tenth attempt is the last");
        assert_eq!((id.as_str(), dead.attempts, dead.slot), ("7-2", 10, 2));
        assert_eq!((next.revision, next.slot, next.attempts, next.not_before), (4, 3, 0, now));
    }

    #[test]
    fn an_endpoint_may_ask_for_a_longer_wait_and_for_no_shorter_one() {
        let now = Timestamp(0);
        assert_eq!(stopped(false, Some(3_600_000)).hold(0, now).not_before, Timestamp(3_600_000));
        assert!(stopped(false, Some(1_000)).hold(0, now).not_before >= Timestamp(5_000));
    }

    #[test]
    fn attempts_are_of_one_event() {
        assert_eq!(stopped(true, None).attempts(8), 1);
        assert_eq!(stopped(false, None).attempts(8), 9);
    }
}
