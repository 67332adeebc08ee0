//! Faults on demand (`spec 06 §6.4`) and the journal of what was asked: what tests and scenarios hold on to.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use throughline_engine::effect::FieldError;
use throughline_engine::tickets::Part;
use throughline_engine::{EffectId, Millis, Timestamp};

/// A call of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// See [`crate::Tracker::check`].
    Check,
    /// See [`crate::Tracker::create`].
    Create,
    /// See [`crate::Tracker::update`].
    Update,
    /// See [`crate::Tracker::find`].
    Find,
    /// See [`crate::Tracker::seek`].
    Seek,
}

/// What goes wrong with one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// Nothing: this call goes through.
    Pass,
    /// The connection is refused: no byte is written.
    Refused,
    /// 429, maybe with how long to wait.
    RateLimited {
        /// How long the tracker asks us to wait.
        retry_after: Option<Millis>,
    },
    /// 5xx, and nothing was applied.
    ErrorBeforeApply,
    /// 5xx, although it was applied.
    ErrorAfterApply,
    /// It was applied and the answer is lost.
    LostReply,
    /// No answer, and it is applied later: right before the first call after so long, or by
    /// [`super::LocalTracker::land_late`]. Without a [`FaultClock`] that is the next call.
    LateApply {
        /// How long after the call.
        after: Millis,
    },
    /// It goes through, but takes so long. Without a [`FaultClock`] nobody notices.
    Slow {
        /// How long.
        span: Millis,
    },
    /// It is applied, but not under the epic it was asked for.
    ParentIgnored,
    /// Just before, somebody makes this part required in the project.
    Requires(Part),
    /// The tracker says no, for good.
    Reject(FieldError),
}

/// One scripted fault: the first call it fits consumes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scripted {
    /// The only call it is meant for; `None` is any but [`Call::Find`] and [`Call::Seek`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<Call>,
    /// The only item it is meant for; `None` is any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<Which>,
    /// What happens.
    pub fault: Fault,
}

/// Which item of a batch a fault is meant for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Which {
    /// The one the tracker was asked for as the so manieth, from 1. Asking again for the same item counts no further.
    Nth(usize),
    /// The one of this title.
    Titled(String),
}

impl From<Fault> for Scripted {
    fn from(fault: Fault) -> Self {
        Self { on: None, item: None, fault }
    }
}

/// How long a new issue stays out of what [`crate::Tracker::seek`] sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lag {
    /// Not at all.
    #[default]
    None,
    /// For so many searches.
    Searches(usize),
    /// For so long on the [`FaultClock`].
    For(Millis),
}

/// The time of faults: virtual, so that nothing waits.
#[async_trait]
pub trait FaultClock: Send + Sync {
    /// The time.
    fn now(&self) -> Timestamp;

    /// Lets so much of it pass.
    async fn pass(&self, span: Millis);
}

/// One call as it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Request {
    /// Which call.
    pub call: Call,
    /// Whose.
    pub tenant: String,
    /// Where.
    pub project: String,
    /// The effect of a create, an update or a search; the key of a find.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The titles of its items.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub titles: Vec<String>,
    /// Whether a byte of it was sent.
    pub sent: bool,
}

/// The queue of faults and the journal, shared by `Arc` between a test and the tracker.
#[derive(Default)]
pub struct Faults {
    inner: Mutex<Inner>,
    clock: Option<Arc<dyn FaultClock>>,
    lag: Lag,
}

#[derive(Default)]
struct Inner {
    queue: VecDeque<Scripted>,
    journal: Vec<Request>,
    /// When issues were made: the time, and the searches before it.
    made: BTreeMap<EffectId, (Timestamp, usize)>,
}

impl Faults {
    /// No fault, nothing asked.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, in this time.
    #[must_use]
    pub fn with_clock(self, clock: Arc<dyn FaultClock>) -> Self {
        Self { clock: Some(clock), ..self }
    }

    /// The same, with searches that lag.
    #[must_use]
    pub fn with_lag(self, lag: Lag) -> Self {
        Self { lag, ..self }
    }

    /// One more fault, behind those that wait; `on` `None` means any check, create or update.
    pub fn push(&self, on: impl Into<Option<Call>>, fault: Fault) {
        self.script(Scripted { on: on.into(), item: None, fault });
    }

    /// The same, for one item if it says so.
    pub fn script(&self, fault: Scripted) {
        self.lock().queue.push_back(fault);
    }

    /// Every call so far, in order.
    #[must_use]
    pub fn journal(&self) -> Vec<Request> {
        self.lock().journal.clone()
    }

    /// How often a call was made.
    #[must_use]
    pub fn count(&self, call: Call) -> usize {
        self.lock().count(call)
    }

    /// How many requests that could create an issue were put on the wire.
    #[must_use]
    pub fn create_requests(&self) -> usize {
        self.lock().journal.iter().filter(|request| request.call == Call::Create && request.sent).count()
    }

    /// Faults nobody has met yet.
    #[must_use]
    pub fn left(&self) -> usize {
        self.lock().queue.len()
    }

    /// Notes a call and takes the fault meant for it.
    pub(super) fn meet(&self, request: Request) -> Fault {
        let mut inner = self.lock();
        inner.journal.push(request);
        let at = inner.queue.iter().position(|scripted| inner.fits(scripted));
        let fault = at.and_then(|at| inner.queue.remove(at)).map_or(Fault::Pass, |scripted| scripted.fault);
        if let Some(last) = inner.journal.last_mut() {
            last.sent = fault != Fault::Refused;
        }
        fault
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.as_ref().map_or(Timestamp(0), |clock| clock.now())
    }

    /// Whether there is a time to wait in.
    pub(super) fn timed(&self) -> bool {
        self.clock.is_some()
    }

    pub(super) async fn pass(&self, span: Millis) {
        if let Some(clock) = &self.clock {
            clock.pass(span).await;
        }
    }

    /// An issue was made by this effect.
    pub(super) fn made(&self, effect: &EffectId) {
        let now = self.now();
        let mut inner = self.lock();
        let searches = inner.count(Call::Seek);
        inner.made.insert(effect.clone(), (now, searches));
    }

    /// Whether a search made now sees what this effect made.
    pub(super) fn sees(&self, effect: &EffectId) -> bool {
        let now = self.now();
        let inner = self.lock();
        let Some((at, searches)) = inner.made.get(effect) else { return true };
        match self.lag {
            Lag::None => true,
            Lag::Searches(n) => inner.count(Call::Seek) - searches > n,
            Lag::For(span) => now >= at.plus(span),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn count(&self, call: Call) -> usize {
        self.journal.iter().filter(|request| request.call == call).count()
    }

    /// Whether it is meant for the last call of the journal.
    fn fits(&self, scripted: &Scripted) -> bool {
        let Some(request) = self.journal.last() else { return false };
        let call = match scripted.on {
            Some(on) => on == request.call,
            None => !matches!(request.call, Call::Find | Call::Seek),
        };
        let item = match &scripted.item {
            None => true,
            Some(Which::Nth(n)) => self.nth(request) == *n,
            Some(Which::Titled(title)) => request.titles.contains(title),
        };
        call && item
    }

    /// The how manieth item this request is about, among those of its call: a request about none of its own counts
    /// each time.
    fn nth(&self, request: &Request) -> usize {
        let mut seen: Vec<&str> = Vec::new();
        for other in self.journal.iter().filter(|other| other.call == request.call) {
            if other.about.is_empty() || !seen.contains(&other.about.as_str()) {
                seen.push(&other.about);
            }
        }
        match request.about.as_str() {
            "" => seen.len(),
            about => seen.iter().position(|one| *one == about).map_or(0, |at| at + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(call: Call, about: &str, titles: &[&str]) -> Request {
        let titles = titles.iter().map(|&title| title.to_owned()).collect();
        Request { call, tenant: "t".into(), project: "DEMO".into(), about: about.into(), titles, sent: true }
    }

    #[test]
    fn a_call_takes_the_first_fault_that_fits_it() {
        let faults = Faults::new();
        faults.push(Call::Create, Fault::LostReply);
        faults.push(None, Fault::Refused);
        faults.push(Call::Find, Fault::ErrorBeforeApply);
        assert_eq!(faults.meet(request(Call::Seek, "fx_1", &[])), Fault::Pass);
        assert_eq!(faults.meet(request(Call::Check, "", &[])), Fault::Refused);
        assert_eq!(faults.meet(request(Call::Create, "fx_1", &[])), Fault::LostReply);
        assert_eq!(faults.meet(request(Call::Create, "fx_1", &[])), Fault::Pass);
        assert_eq!(faults.meet(request(Call::Find, "DEMO-1", &[])), Fault::ErrorBeforeApply);
        assert_eq!((faults.count(Call::Create), faults.create_requests(), faults.left()), (2, 2, 0));
    }

    #[test]
    fn a_refused_connection_is_no_request_that_could_create() {
        let faults = Faults::new();
        faults.push(None, Fault::Refused);
        faults.meet(request(Call::Create, "fx_1", &[]));
        assert_eq!((faults.count(Call::Create), faults.create_requests()), (1, 0));
        assert!(!faults.journal()[0].sent);
    }

    #[test]
    fn a_fault_meets_the_item_it_is_meant_for() {
        let faults = Faults::new();
        let meant = |item, fault| Scripted { on: Some(Call::Create), item: Some(item), fault };
        faults.script(meant(Which::Nth(2), Fault::LostReply));
        faults.script(meant(Which::Titled("Log out".into()), Fault::Refused));
        let met: Vec<Fault> =
            [("fx_1", "Log in"), ("fx_1", "Log in"), ("fx_2", "Reset"), ("fx_3", "Log out")]
                .into_iter()
                .map(|(effect, title)| faults.meet(request(Call::Create, effect, &[title])))
                .collect();
        assert_eq!(met, [Fault::Pass, Fault::Pass, Fault::LostReply, Fault::Refused]);
    }
}
