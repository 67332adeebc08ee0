//! Following turns for somebody outside: the loop of webhooks, mail and notifications, and what mail and notifications share:
//! who is to be told of which approval, each once, noted in one write with how far the turns were read.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use throughline_engine::{CardId, LaneId, Timestamp};
use throughline_runtime::Heard;
use throughline_store::{ApprovalRow, ApprovalState, StoredTurn, TurnSeq};
use tokio::sync::{Mutex, Notify, broadcast};

use crate::app::App;
use crate::approval_news;
use crate::lead::Again;
use crate::mail::ledger::{Kept, Ledger, Progress, Standing, Told, Waiting, Writes};
use crate::problem::Problem;
use crate::routes::feed::slots_of;
use crate::routes::lanes::read;
use crate::routes::tenant_events::Lanes;

/// Turns read at a time.
const BATCH: u32 = 32;

/// Follows the turns of a tenant: asks for the next ones until there are none, then waits for one. Ends with an error.
pub(crate) async fn follow<F>(app: &App, tenant: &str, next: impl Fn() -> F) -> Again
where
    F: Future<Output = Result<bool, Again>>,
{
    let mut committed = app.runtime().wakes().subscribe();
    loop {
        match next().await {
            Ok(true) => {}
            Ok(false) => turn_of(tenant, &mut committed).await,
            Err(error) => return error,
        }
    }
}

/// Waits until there may be more turns.
async fn turn_of(tenant: &str, committed: &mut broadcast::Receiver<Heard>) {
    while let Ok(Heard::Turn(turn)) = committed.recv().await {
        if turn.lane.tenant == tenant {
            return;
        }
    }
}

/// Person who is to be told, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct To {
    pub(crate) person: String,
    pub(crate) device: Option<String>,
}

/// State of what a tenant's people are told in one way, while this process tells it.
pub(crate) struct Teller {
    pub(crate) app: Arc<App>,
    pub(crate) tenant: String,
    pub(crate) ledger: Ledger,
    pub(crate) book: Mutex<Book>,
    /// Notified when more waits.
    pub(crate) more: Notify,
    /// Metric of how many wait.
    gauge: &'static str,
}

/// Progress and what waits, as it is in the store.
pub(crate) struct Book {
    pub(crate) progress: Kept<Progress>,
    pub(crate) waiting: BTreeMap<String, Kept<Waiting>>,
}

impl Teller {
    pub(crate) async fn load(
        app: Arc<App>,
        tenant: &str,
        ledger: Ledger,
        gauge: &'static str,
    ) -> Result<Self, Again> {
        let progress = ledger.progress().await?;
        let waiting = ledger.waiting(progress.value.settled).await?;
        let book = Mutex::new(Book { progress, waiting });
        let teller = Self { app, tenant: tenant.into(), ledger, book, more: Notify::new(), gauge };
        teller.show(&*teller.book.lock().await);
        Ok(teller)
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.app.store().now()
    }

    /// Returns true if an approval waits for somebody.
    pub(crate) fn waits(&self, row: &ApprovalRow) -> bool {
        let past = row.approval.expires_at.is_some_and(|end| end < self.now());
        row.state == ApprovalState::Pending && !past
    }

    pub(crate) async fn waiting(&self, key: &str) -> Option<Waiting> {
        self.book.lock().await.waiting.get(key).map(|kept| kept.value.clone())
    }

    /// Notes who is to be told by the next turns. Returns false if there are none.
    pub(crate) async fn next_turns<F>(&self, recipients: impl Fn(ApprovalRow) -> F) -> Result<bool, Again>
    where
        F: Future<Output = Result<Vec<To>, Again>>,
    {
        let after = self.book.lock().await.progress.value.position;
        let page = self.app.store().turns_of_tenant(&self.tenant, after, BATCH).await?;
        if page.turns.is_empty() && page.end == after {
            return Ok(false);
        }
        let (mut lanes, mut waiting) = (Lanes::default(), BTreeMap::new());
        for turn in &page.turns {
            for row in self.changed(&mut lanes, turn).await? {
                let (approval, lane) = (row.approval.card.clone(), row.lane.id());
                for to in recipients(row).await? {
                    let one = self.due(&approval, &lane, to, turn.position);
                    // Two turns of one part may open two versions of an approval.
                    let of = (one.approval.clone(), one.person.clone(), one.device.clone());
                    waiting.entry(of).or_insert(one);
                }
            }
        }
        let (mut writes, mut added) = (Writes::default(), BTreeMap::new());
        for one in waiting.into_values() {
            let told = self.ledger.told_of(&one).await?;
            if told.as_ref().is_none_or(|told| told.value.state == Standing::Unneeded) {
                writes.waiting(&one, 0, true);
                let version = told.map_or(0, |told| told.version);
                writes.told(&one, version, &Told { state: Standing::Waiting, at: self.now(), why: None });
                added.insert(one.key(), Some(Kept { version: 1, value: one }));
            }
        }
        let mut book = self.book.lock().await;
        self.write(&mut book, writes, page.end, added).await?;
        self.more.notify_one();
        Ok(true)
    }

    /// Returns the approvals that a turn opened or ended.
    async fn changed(&self, lanes: &mut Lanes, turn: &StoredTurn) -> Result<Vec<ApprovalRow>, Again> {
        let unreadable = |problem: Problem| Again(format!("a turn cannot be read ({})", problem.code().id()));
        let shows =
            read(turn).map_err(unreadable)?.row.effects.iter().any(|(class, _)| class.starts_with("card."));
        if !shows {
            return Ok(Vec::new());
        }
        let lane = lanes.get(&self.app, &turn.lane).await.map_err(unreadable)?;
        let events = slots_of(&self.app, lane, turn).await.map_err(unreadable)?.events;
        let changed = approval_news::changed(&self.app, &self.tenant, turn.log.at, &events).await?;
        Ok(changed.into_iter().map(|(_, row)| row).collect())
    }

    fn due(&self, approval: &CardId, lane: &LaneId, to: To, since: TurnSeq) -> Waiting {
        let To { person, device } = to;
        let (approval, lane, not_before) = (approval.clone(), lane.clone(), self.now());
        Waiting { approval, lane, person, device, since, attempts: 0, not_before }
    }

    /// Writes changes and the progress, all of it or nothing, and notes them in the book.
    pub(crate) async fn write(
        &self,
        book: &mut Book,
        mut writes: Writes,
        position: TurnSeq,
        changes: BTreeMap<String, Option<Kept<Waiting>>>,
    ) -> Result<(), Again> {
        // Keys are in the order of what they wait since.
        let stays = book.waiting.iter().find(|(key, _)| changes.get(*key).is_none_or(Option::is_some));
        let comes = changes.values().flatten().map(|one| one.value.since);
        let oldest = stays.map(|(_, one)| one.value.since).into_iter().chain(comes).min();
        let next = Progress { position, settled: oldest.map_or(position, |oldest| oldest - 1) };
        if next != book.progress.value {
            writes.progress(&Kept { version: book.progress.version, value: next.clone() });
        }
        if !self.ledger.write(writes).await? {
            return Err(Again("somebody else changed it".into()));
        }
        if next != book.progress.value {
            book.progress = Kept { version: book.progress.version + 1, value: next };
        }
        for (key, change) in changes {
            match change {
                Some(one) => drop(book.waiting.insert(key, one)),
                None => drop(book.waiting.remove(&key)),
            }
        }
        self.show(book);
        Ok(())
    }

    /// Notes what became of one that waits, which waits no more.
    pub(crate) async fn end(&self, key: &str, state: Standing, why: Option<String>) -> Result<(), Again> {
        let mut book = self.book.lock().await;
        let Some(Kept { version, value: one }) = book.waiting.get(key).cloned() else { return Ok(()) };
        let mut writes = Writes::default();
        writes.waiting(&one, version, false);
        let told = self.ledger.told_of(&one).await?.map_or(0, |told| told.version);
        writes.told(&one, told, &Told { state, at: self.now(), why });
        let position = book.progress.value.position;
        self.write(&mut book, writes, position, BTreeMap::from([(key.to_owned(), None)])).await
    }

    /// Notes that one goes on waiting after an attempt, until a time.
    pub(crate) async fn put_off(&self, key: &str, not_before: Timestamp, why: String) -> Result<(), Again> {
        let mut book = self.book.lock().await;
        let Some(Kept { version, value: mut one }) = book.waiting.get(key).cloned() else { return Ok(()) };
        one.attempts = one.attempts.saturating_add(1);
        one.not_before = not_before;
        let mut writes = Writes::default();
        writes.waiting(&one, version, true);
        let told = self.ledger.told_of(&one).await?.map_or(0, |told| told.version);
        writes.told(&one, told, &Told { state: Standing::Waiting, at: self.now(), why: Some(why) });
        let position = book.progress.value.position;
        let later = Some(Kept { version: version + 1, value: one });
        self.write(&mut book, writes, position, BTreeMap::from([(key.to_owned(), later)])).await
    }

    #[expect(clippy::cast_precision_loss, reason = "a gauge is a float, and no count here comes near 2^52")]
    fn show(&self, book: &Book) {
        metrics::gauge!(self.gauge, "tenant" => self.tenant.clone()).set(book.waiting.len() as f64);
    }
}
