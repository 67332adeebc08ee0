//! Sending: one process at a time reads the turns of a tenant in their order, notes who is to be told of what, and sends what
//! is due. A mail that is put off waits alone; while the server takes nothing, all of it waits and nothing is given up.

use std::sync::Arc;
use std::time::Duration;

use throughline_engine::{Millis, Timestamp};
use throughline_store::ApprovalRow;
use tokio::sync::watch;
use tokio::time::sleep;

use super::Mail;
use super::ledger::{Ledger, Standing, Waiting};
use super::letter::{Letter, Unwritten, letter};
use super::smtp::{Connection, Failure};
use crate::app::App;
use crate::approver_rules::deciding_users;
use crate::codes;
use crate::config::User;
use crate::config::mail::opens_approvals;
use crate::lead::{self, Again, Lead};
use crate::telling::{Teller, To, follow};
use crate::webhooks::queue::WAITS;

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

/// Process that sends a tenant's mail.
struct Sender {
    app: Arc<App>,
    mail: Arc<Mail>,
    tenant: String,
    teller: Teller,
}

/// Time for which nothing is tried, because the server takes nothing.
#[derive(Clone, Copy)]
struct Outage {
    until: Timestamp,
    failures: usize,
}

impl Sender {
    async fn load(app: Arc<App>, mail: Arc<Mail>, tenant: &str, ledger: Ledger) -> Result<Self, Again> {
        let teller = Teller::load(app.clone(), tenant, ledger, "throughline_mail_waiting").await?;
        Ok(Self { app, mail, tenant: tenant.into(), teller })
    }

    fn now(&self) -> Timestamp {
        self.teller.now()
    }

    /// Follows the turns, and ends with an error.
    async fn follow(&self) -> Again {
        let recipients = async |row: ApprovalRow| {
            let users = self.recipients(&row).await.into_iter();
            Ok(users.map(|user| To { person: user.id.clone(), device: None }).collect())
        };
        follow(&self.app, &self.tenant, || self.teller.next_turns(recipients)).await
    }

    /// Returns the people who are told of an approval: those who may decide it, now and on its page.
    async fn recipients(&self, row: &ApprovalRow) -> Vec<Arc<User>> {
        if !self.teller.waits(row) {
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
                    () = self.teller.more.notified() => {}
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
        let (book, now) = (self.teller.book.lock().await, self.now());
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
        let Some(Waiting { approval, person, .. }) = self.teller.waiting(key).await else { return Ok(None) };
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

    /// Notes what became of a mail.
    async fn end(&self, key: &str, state: Standing, why: Option<String>) -> Result<(), Again> {
        let Some(mail) = self.teller.waiting(key).await else { return Ok(()) };
        match state {
            Standing::Sent => count("sent"),
            Standing::Unneeded => count("unneeded"),
            Standing::Refused | Standing::Waiting => {
                count("refused");
                let (code, why) = (codes::MAIL_REFUSED.id(), why.as_deref());
                tracing::warn!(code, why, approval = %mail.approval, person = mail.person, "a mail was refused");
            }
        }
        self.teller.end(key, state, why).await
    }

    /// Notes that the server put a mail off. One that was put off too often is given up.
    async fn put_off(&self, key: &str, why: String) -> Result<(), Again> {
        let Some(mail) = self.teller.waiting(key).await else { return Ok(()) };
        let Some(wait) = usize::try_from(mail.attempts).ok().and_then(|attempts| WAITS.get(attempts)) else {
            return self.end(key, Standing::Refused, Some(why)).await;
        };
        count("put_off");
        self.teller.put_off(key, self.now().plus(*wait), why).await
    }
}

fn count(outcome: &'static str) {
    metrics::counter!("throughline_mail_attempts_total", "outcome" => outcome).increment(1);
}
