//! Sending: one process at a time reads the turns of a tenant in their order, notes which devices are to be told of what, and
//! sends what is due. What a push service does not take waits alone, as long as the approval does; nothing waits for it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::iter;
use throughline_engine::{Millis, Timestamp};
use throughline_store::ApprovalRow;
use tokio::sync::watch;
use tokio::time::sleep;

use super::devices::{Device, Devices};
use super::note::note;
use super::{Attempt, Push, counts};
use crate::app::App;
use crate::approver_rules::deciding_users;
use crate::codes;
use crate::config::User;
use crate::lead::{self, Again, Lead};
use crate::mail::ledger::{Ledger, Standing, Waiting};
use crate::telling::{Teller, To, follow};

/// Name of notifications in the store and among what processes lead.
const NAME: &str = "push";
/// Notifications sent in one go, and at once.
const IN_ONE_GO: usize = 64;
const AT_ONCE: usize = 8;
/// Duration of the lease under which one process sends.
const LEASE: Millis = 6 * Timestamp::SECOND;
/// Longest time without a look at what is due: the clock may be set meanwhile.
const LOOK: Duration = Duration::from_secs(1);
/// Waits between attempts; the last one goes on.
const WAITS: [Millis; 4] =
    [5 * Timestamp::SECOND, 30 * Timestamp::SECOND, 2 * Timestamp::MINUTE, 5 * Timestamp::MINUTE];

/// Sends a tenant's notifications, whenever this process leads, until told to stop.
pub(crate) async fn run(app: Arc<App>, push: Arc<Push>, tenant: String, stop: watch::Receiver<bool>) {
    let store = app.instance.store.clone();
    let lead = Lead::new(store, &tenant, NAME, &lead::process(), LEASE);
    lead.doing(|| send(&app, &push, &tenant), stop).await;
}

async fn send(app: &Arc<App>, push: &Arc<Push>, tenant: &str) -> Again {
    let sender = match Sender::load(app.clone(), push.clone(), tenant).await {
        Ok(sender) => sender,
        Err(error) => return error,
    };
    tokio::select! {
        error = sender.follow() => error,
        error = sender.deliver() => error,
    }
}

/// Process that sends a tenant's notifications.
struct Sender {
    app: Arc<App>,
    push: Arc<Push>,
    tenant: String,
    devices: Devices,
    teller: Teller,
}

impl Sender {
    async fn load(app: Arc<App>, push: Arc<Push>, tenant: &str) -> Result<Self, Again> {
        let store = app.instance.store.clone();
        let ledger = Ledger::named(NAME, store.clone(), tenant);
        let teller = Teller::load(app.clone(), tenant, ledger, "throughline_push_waiting").await?;
        let devices = Devices::new(store, tenant);
        Ok(Self { app, push, tenant: tenant.into(), devices, teller })
    }

    /// Follows the turns, and ends with an error.
    async fn follow(&self) -> Again {
        let recipients = async |row: ApprovalRow| self.recipients(&row).await;
        follow(&self.app, &self.tenant, || self.teller.next_turns(recipients)).await
    }

    /// Returns the devices that are told of an approval: those of people who may decide it, now and on its page.
    async fn recipients(&self, row: &ApprovalRow) -> Result<Vec<To>, Again> {
        if !self.teller.waits(row) {
            return Ok(Vec::new());
        }
        let deciding = deciding_users(&self.app, row).await;
        let mut devices = self.devices.list().await?;
        devices.retain(|(_, device)| {
            counts(&self.app, &self.tenant, device) && deciding.iter().any(|user| user.id == device.person)
        });
        Ok(devices.into_iter().map(|(id, device)| To { person: device.person, device: Some(id) }).collect())
    }

    /// Sends what is due when its time comes, and ends with an error.
    async fn deliver(&self) -> Again {
        loop {
            let (due, next) = self.due().await;
            if due.is_empty() {
                tokio::select! {
                    () = self.teller.more.notified() => {}
                    () = sleep(next) => {}
                }
                continue;
            }
            let sent: Vec<_> = iter(due).map(|key| self.send(key)).buffer_unordered(AT_ONCE).collect().await;
            if let Some(error) = sent.into_iter().find_map(Result::err) {
                return error;
            }
        }
    }

    /// Returns the keys of what is due, and the time until there may be something.
    async fn due(&self) -> (Vec<String>, Duration) {
        let (book, now) = (self.teller.book.lock().await, self.teller.now());
        let (due, later): (Vec<_>, Vec<_>) =
            book.waiting.iter().partition(|(_, one)| one.value.not_before <= now);
        let next = later.iter().map(|(_, one)| one.value.not_before.since(now)).min();
        let next = next.and_then(|millis| u64::try_from(millis).ok()).map_or(LOOK, Duration::from_millis);
        (due.into_iter().take(IN_ONE_GO).map(|(key, _)| key.clone()).collect(), next.min(LOOK))
    }

    async fn send(&self, key: String) -> Result<(), Again> {
        let Some(waiting) = self.teller.waiting(&key).await else { return Ok(()) };
        let Some((row, user, id, device)) = self.needed(&waiting).await? else {
            count("unneeded");
            return self.teller.end(&key, Standing::Unneeded, None).await;
        };
        let attempt = match device.subscription(&self.push, &id) {
            None => Attempt::Gone,
            Some(to) => {
                let note = note(&self.app, &row, &user).await.map_err(|error| Again(error.to_string()))?;
                self.push.send(&to, &note, self.teller.now()).await
            }
        };
        self.record(&key, &waiting, &id, attempt).await
    }

    /// Returns what is to be told, to whom and where; `None` if it is needed no more.
    async fn needed(
        &self,
        waiting: &Waiting,
    ) -> Result<Option<(ApprovalRow, Arc<User>, String, Device)>, Again> {
        let row = self.app.store().approval(&self.tenant, &waiting.approval).await?;
        let (Some(row), Some(id)) = (row.filter(|row| self.teller.waits(row)), &waiting.device) else {
            return Ok(None);
        };
        let device = self.devices.get(id).await?.filter(|device| device.person == waiting.person);
        let Some(device) = device.filter(|device| counts(&self.app, &self.tenant, device)) else {
            return Ok(None);
        };
        let user = deciding_users(&self.app, &row).await.into_iter().find(|user| user.id == waiting.person);
        Ok(user.map(|user| (row, user, id.clone(), device)))
    }

    /// Notes what became of an attempt.
    async fn record(&self, key: &str, of: &Waiting, id: &str, attempt: Attempt) -> Result<(), Again> {
        match attempt {
            Attempt::Sent => {
                count("sent");
                self.teller.end(key, Standing::Sent, None).await
            }
            Attempt::Gone => {
                count("gone");
                self.devices.end(id).await?;
                self.teller.end(key, Standing::Unneeded, Some("the device is no more".into())).await
            }
            Attempt::Refused(why) => {
                count("refused");
                let (code, approval, person) = (codes::PUSH_REFUSED.id(), &of.approval, &of.person);
                tracing::warn!(code, why, %approval, person, "a notification was refused");
                self.teller.end(key, Standing::Refused, Some(why)).await
            }
            Attempt::Later { why, wait } => {
                count("put_off");
                if of.attempts == 0 {
                    let code = codes::PUSH_LATER.id();
                    tracing::warn!(code, why, "a push service does not take a notification; it waits");
                }
                let attempts = usize::try_from(of.attempts).unwrap_or(usize::MAX);
                let wait = WAITS[attempts.min(WAITS.len() - 1)].max(wait.unwrap_or(0));
                self.teller.put_off(key, self.teller.now().plus(wait), why).await
            }
        }
    }
}

fn count(outcome: &'static str) {
    metrics::counter!("throughline_push_attempts_total", "outcome" => outcome).increment(1);
}
