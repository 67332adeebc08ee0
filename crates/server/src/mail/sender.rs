//! Sending: one process at a time reads the turns of a tenant in their order, notes who is to be told of what, and sends what
//! is due. A mail that is put off waits alone; while the server takes nothing, all of it waits and nothing is given up.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use throughline_engine::{CardId, Millis, Timestamp};
use throughline_runtime::Heard;
use throughline_store::{ApprovalRow, ApprovalState, StoredTurn, TurnSeq};
use tokio::sync::{Mutex, Notify, broadcast, watch};
use tokio::time::sleep;

use super::Mail;
use super::ledger::{Kept, Ledger, Progress, Standing, Told, Waiting, Writes};
use super::letter::{Letter, Unwritten, letter};
use super::smtp::{Connection, Failure};
use crate::app::App;
use crate::approval_news;
use crate::approver_rules::deciding_users;
use crate::codes;
use crate::config::User;
use crate::config::mail::opens_approvals;
use crate::lead::{self, Again, Lead};
use crate::problem::Problem;
use crate::routes::feed::slots_of;
use crate::routes::lanes::read;
use crate::routes::tenant_events::Lanes;
use crate::webhooks::queue::WAITS;

/// Turns read at a time.
const BATCH: u32 = 32;
/// Mails sent over one connection.
const AT_ONCE: usize = 50;
/// Duration of the lease under which one process sends.
const LEASE: Millis = 6 * Timestamp::SECOND;
/// Longest time without a look at what is due: the clock may be set meanwhile.
const LOOK: Duration = Duration::from_secs(1);
/// Waits between attempts at a server that takes nothing; the last one goes on.
const OUTAGE: [Millis; 4] =
    [5 * Timestamp::SECOND, 30 * Timestamp::SECOND, 2 * Timestamp::MINUTE, 5 * Timestamp::MINUTE];

/// Sends a tenant's mail, whenever this process leads, until told to stop.
pub(crate) async fn run(app: Arc<App>, mail: Arc<Mail>, tenant: String, stop: watch::Receiver<bool>) {
    let store = app.instance.store.clone();
    let lead = Lead::new(store.clone(), &tenant, "mail", &lead::process(), LEASE);
    let ledger = || Ledger::new(store.clone(), &tenant);
    lead.doing(|| send(&app, &mail, &tenant, ledger()), stop).await;
}

async fn send(app: &Arc<App>, mail: &Arc<Mail>, tenant: &str, ledger: Ledger) -> Again {
    let sender = match Sender::load(app.clone(), mail.clone(), tenant, ledger).await {
        Ok(sender) => sender,
        Err(error) => return error,
    };
    tokio::select! {
        error = sender.follow() => error,
        error = sender.deliver() => error,
    }
}

/// State of a tenant's mail while this process sends it.
struct Book {
    progress: Kept<Progress>,
    waiting: BTreeMap<String, Kept<Waiting>>,
}

/// Process that sends a tenant's mail.
struct Sender {
    app: Arc<App>,
    mail: Arc<Mail>,
    tenant: String,
    ledger: Ledger,
    book: Mutex<Book>,
    /// Notified when more mail waits.
    more: Notify,
}

/// Time for which nothing is tried, because the server takes nothing.
#[derive(Clone, Copy)]
struct Outage {
    until: Timestamp,
    failures: usize,
}

impl Sender {
    async fn load(app: Arc<App>, mail: Arc<Mail>, tenant: &str, ledger: Ledger) -> Result<Self, Again> {
        let progress = ledger.progress().await?;
        let waiting = ledger.waiting(progress.value.settled).await?;
        gauge(tenant, waiting.len());
        let book = Mutex::new(Book { progress, waiting });
        Ok(Self { app, mail, tenant: tenant.into(), ledger, book, more: Notify::new() })
    }

    fn now(&self) -> Timestamp {
        self.app.store().now()
    }

    /// Follows the turns, and ends with an error.
    async fn follow(&self) -> Again {
        let mut committed = self.app.runtime().wakes().subscribe();
        loop {
            match self.next_turns().await {
                Ok(true) => {}
                Ok(false) => self.wait(&mut committed).await,
                Err(error) => return error,
            }
        }
    }

    /// Waits until there may be more turns.
    async fn wait(&self, committed: &mut broadcast::Receiver<Heard>) {
        while let Ok(Heard::Turn(turn)) = committed.recv().await {
            if turn.lane.tenant == self.tenant {
                return;
            }
        }
    }

    /// Notes who is to be told by the next turns. Returns false if there are none.
    async fn next_turns(&self) -> Result<bool, Again> {
        let after = self.book.lock().await.progress.value.position;
        let page = self.app.store().turns_of_tenant(&self.tenant, after, BATCH).await?;
        if page.turns.is_empty() && page.end == after {
            return Ok(false);
        }
        let (mut lanes, mut waiting) = (Lanes::default(), BTreeMap::new());
        for turn in &page.turns {
            for mail in self.of_turn(&mut lanes, turn).await? {
                // Two turns of one part may open two versions of an approval.
                waiting.entry((mail.approval.clone(), mail.person.clone())).or_insert(mail);
            }
        }
        let (mut writes, mut added) = (Writes::default(), Vec::new());
        for mail in waiting.into_values() {
            let told = self.ledger.told(&mail.approval, &mail.person).await?;
            if told.as_ref().is_none_or(|told| told.value.state == Standing::Unneeded) {
                writes.waiting(&mail, 0, true);
                let version = told.map_or(0, |told| told.version);
                writes.told(&mail, version, &Told { state: Standing::Waiting, at: self.now(), why: None });
                added.push(mail);
            }
        }
        let mut book = self.book.lock().await;
        let added = added.into_iter().map(|value| (value.key(), Some(Kept { version: 1, value }))).collect();
        self.write(&mut book, writes, page.end, added).await?;
        self.more.notify_one();
        Ok(true)
    }

    /// Returns the mails that a turn makes due: to whoever may decide what it opened.
    async fn of_turn(&self, lanes: &mut Lanes, turn: &StoredTurn) -> Result<Vec<Waiting>, Again> {
        let unreadable = |problem: Problem| Again(format!("a turn cannot be read ({})", problem.code().id()));
        let shows =
            read(turn).map_err(unreadable)?.row.effects.iter().any(|(class, _)| class.starts_with("card."));
        if !shows {
            return Ok(Vec::new());
        }
        let lane = lanes.get(&self.app, &turn.lane).await.map_err(unreadable)?;
        let events = slots_of(&self.app, lane, turn).await.map_err(unreadable)?.events;
        let mut due = Vec::new();
        for (_, row) in approval_news::changed(&self.app, &self.tenant, turn.log.at, &events).await? {
            for user in self.recipients(&row).await {
                due.push(Waiting {
                    approval: row.approval.card.clone(),
                    lane: row.lane.id(),
                    person: user.id.clone(),
                    since: turn.position,
                    attempts: 0,
                    not_before: self.now(),
                });
            }
        }
        Ok(due)
    }

    /// Returns the people who are told of an approval: those who may decide it, now and on its page.
    async fn recipients(&self, row: &ApprovalRow) -> Vec<Arc<User>> {
        let past = row.approval.expires_at.is_some_and(|end| end < self.now());
        if row.state != ApprovalState::Pending || past {
            return Vec::new();
        }
        let mut users = deciding_users(&self.app, row).await;
        users.retain(|user| user.email.is_some() && opens_approvals(user));
        users
    }

    /// Sends what is due when its time comes, and ends with an error.
    async fn deliver(&self) -> Again {
        let mut outage: Option<Outage> = None;
        loop {
            let (due, next) = self.due(outage).await;
            if due.is_empty() {
                tokio::select! {
                    () = self.more.notified() => {}
                    () = sleep(next) => {}
                }
                continue;
            }
            match self.send_all(due).await {
                Err(error) => return error,
                Ok(None) => {
                    if outage.take().is_some() {
                        tracing::info!("the mail server takes mail again");
                    }
                }
                Ok(Some(why)) => {
                    count("unreachable");
                    if outage.is_none() {
                        let code = codes::MAIL_UNREACHABLE.id();
                        tracing::warn!(code, why, "the mail server takes nothing; mail waits");
                    }
                    let failures = outage.map_or(0, |outage| outage.failures + 1);
                    let wait = OUTAGE[failures.min(OUTAGE.len() - 1)];
                    outage = Some(Outage { until: self.now().plus(wait), failures });
                }
            }
        }
    }

    /// Returns the keys of the mails that are due, and the time until there may be one.
    async fn due(&self, outage: Option<Outage>) -> (Vec<String>, Duration) {
        let (book, now) = (self.book.lock().await, self.now());
        let at = |mail: &Waiting| outage.map_or(mail.not_before, |outage| outage.until.max(mail.not_before));
        let (due, later): (Vec<_>, Vec<_>) =
            book.waiting.iter().partition(|(_, mail)| at(&mail.value) <= now);
        let next = later.iter().map(|(_, mail)| at(&mail.value).since(now)).min();
        let next = next.and_then(|millis| u64::try_from(millis).ok()).map_or(LOOK, Duration::from_millis);
        (due.into_iter().take(AT_ONCE).map(|(key, _)| key.clone()).collect(), next.min(LOOK))
    }

    /// Sends mails over one connection. Returns the reason if the server takes nothing.
    async fn send_all(&self, due: Vec<String>) -> Result<Option<String>, Again> {
        let mut connection: Option<Connection> = None;
        for key in due {
            if self.needed(&key).await?.is_none() {
                self.end(&key, Standing::Unneeded, None).await?;
                continue;
            }
            let mut open = match connection.take() {
                Some(open) => open,
                None => match self.mail.connect().await {
                    Ok(open) => open,
                    Err(why) => return Ok(Some(why)),
                },
            };
            // Connecting may have taken its time, and somebody may have decided meanwhile.
            match self.letter(&key).await? {
                None => self.end(&key, Standing::Unneeded, None).await?,
                Some(Err(why)) => self.end(&key, Standing::Refused, Some(why.to_string())).await?,
                Some(Ok(Letter { to, bytes })) => match open.send(&self.mail.from.email, &to, &bytes).await {
                    Ok(()) => self.end(&key, Standing::Sent, None).await?,
                    Err(Failure::Refused(why)) => self.end(&key, Standing::Refused, Some(why)).await?,
                    Err(Failure::Later(why)) => self.put_off(&key, why).await?,
                    Err(Failure::Unreachable(why)) => return Ok(Some(why)),
                },
            }
            connection = Some(open).filter(|open| !open.is_broken());
        }
        if let Some(open) = connection {
            open.quit().await;
        }
        Ok(None)
    }

    /// Returns the approval and the person that a mail is about; `None` if it is needed no more.
    async fn needed(&self, key: &str) -> Result<Option<(ApprovalRow, Arc<User>)>, Again> {
        let Some(Waiting { approval, person, .. }) = self.waiting(key).await else { return Ok(None) };
        let row = self.app.store().approval(&self.tenant, &approval).await?;
        let Some(row) = row else { return Ok(None) };
        let user = self.recipients(&row).await.into_iter().find(|user| user.id == person);
        Ok(user.map(|user| (row, user)))
    }

    /// Returns what is to be sent; `None` if it is needed no more.
    async fn letter(&self, key: &str) -> Result<Option<Result<Letter, Unwritten>>, Again> {
        let Some((row, user)) = self.needed(key).await? else { return Ok(None) };
        let written = letter(&self.app, &self.mail, &row, &user).await;
        written.map(Some).map_err(|error| Again(error.to_string()))
    }

    async fn waiting(&self, key: &str) -> Option<Waiting> {
        self.book.lock().await.waiting.get(key).map(|kept| kept.value.clone())
    }

    /// Notes what became of a mail.
    async fn end(&self, key: &str, state: Standing, why: Option<String>) -> Result<(), Again> {
        let mut book = self.book.lock().await;
        let Some(Kept { version, value: mail }) = book.waiting.get(key).cloned() else { return Ok(()) };
        match state {
            Standing::Sent => count("sent"),
            Standing::Unneeded => count("unneeded"),
            Standing::Refused | Standing::Waiting => {
                count("refused");
                let (code, why) = (codes::MAIL_REFUSED.id(), why.as_deref());
                tracing::warn!(code, why, approval = %mail.approval, person = mail.person, "a mail was refused");
            }
        }
        let mut writes = Writes::default();
        writes.waiting(&mail, version, false);
        let told = self.version_of_told(&mail.approval, &mail.person).await?;
        writes.told(&mail, told, &Told { state, at: self.now(), why });
        let position = book.progress.value.position;
        self.write(&mut book, writes, position, BTreeMap::from([(key.to_owned(), None)])).await
    }

    /// Notes that the server put a mail off. One that was put off too often is given up.
    async fn put_off(&self, key: &str, why: String) -> Result<(), Again> {
        let Some(mut mail) = self.waiting(key).await else { return Ok(()) };
        let Some(wait) = usize::try_from(mail.attempts).ok().and_then(|attempts| WAITS.get(attempts)) else {
            return self.end(key, Standing::Refused, Some(why)).await;
        };
        count("put_off");
        mail.attempts += 1;
        mail.not_before = self.now().plus(*wait);
        let mut book = self.book.lock().await;
        let Some(version) = book.waiting.get(key).map(|kept| kept.version) else { return Ok(()) };
        let mut writes = Writes::default();
        writes.waiting(&mail, version, true);
        let told = self.version_of_told(&mail.approval, &mail.person).await?;
        writes.told(&mail, told, &Told { state: Standing::Waiting, at: self.now(), why: Some(why) });
        let position = book.progress.value.position;
        let later = Some(Kept { version: version + 1, value: mail });
        self.write(&mut book, writes, position, BTreeMap::from([(key.to_owned(), later)])).await
    }

    async fn version_of_told(&self, approval: &CardId, person: &str) -> Result<u64, Again> {
        Ok(self.ledger.told(approval, person).await?.map_or(0, |told| told.version))
    }

    /// Writes changes and the progress, all of it or nothing, and notes them in the book.
    async fn write(
        &self,
        book: &mut Book,
        mut writes: Writes,
        position: TurnSeq,
        changes: BTreeMap<String, Option<Kept<Waiting>>>,
    ) -> Result<(), Again> {
        // Keys are in the order of what they wait since.
        let stays = book.waiting.iter().find(|(key, _)| changes.get(*key).is_none_or(Option::is_some));
        let comes = changes.values().flatten().map(|mail| mail.value.since);
        let oldest = stays.map(|(_, mail)| mail.value.since).into_iter().chain(comes).min();
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
                Some(mail) => drop(book.waiting.insert(key, mail)),
                None => drop(book.waiting.remove(&key)),
            }
        }
        gauge(&self.tenant, book.waiting.len());
        Ok(())
    }
}

fn count(outcome: &'static str) {
    metrics::counter!("throughline_mail_attempts_total", "outcome" => outcome).increment(1);
}

#[expect(clippy::cast_precision_loss, reason = "a gauge is a float, and no count here comes near 2^52")]
fn gauge(tenant: &str, waiting: usize) {
    metrics::gauge!("throughline_mail_waiting", "tenant" => tenant.to_owned()).set(waiting as f64);
}
