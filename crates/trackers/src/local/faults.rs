//! Scripted faults and the journal of calls, for tests and scenarios (`docs/design/0039-how-it-is-tested.md`).

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use throughline_engine::data::fault::FieldFault;
use throughline_engine::data::ticket::Part;
use throughline_engine::{EffectId, Millis, Timestamp};

/// A call of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// [`crate::Tracker::check`].
    Check,
    /// [`crate::Tracker::create`].
    Create,
    /// [`crate::Tracker::update`].
    Update,
    /// [`crate::Tracker::find`].
    Find,
    /// [`crate::Tracker::seek`].
    Seek,
}

/// A fault of one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// None: this call succeeds.
    Pass,
    /// The connection is refused: no byte is written.
    Refused,
    /// 429, with an optional wait.
    RateLimited {
        /// The wait the tracker asks for, in milliseconds.
        retry_after: Option<Millis>,
    },
    /// 5xx, and nothing was applied.
    ErrorBeforeApply,
    /// 5xx, although it was applied.
    ErrorAfterApply,
    /// It was applied and the answer is lost.
    LostReply,
    /// No answer, and it is applied later: right before the first call after this time, or by
    /// [`super::LocalTracker::land_late`]. Without a [`FaultClock`] that is the next call.
    LateApply {
        /// The time after the call, in milliseconds.
        after: Millis,
    },
    /// It succeeds after this time. Without a [`FaultClock`] at once.
    Slow {
        /// The time, in milliseconds.
        span: Millis,
    },
    /// It is applied, but not under its epic.
    ParentIgnored,
    /// Somebody makes this part required in the project just before.
    Requires(Part),
    /// The tracker refuses for good.
    Reject(FieldFault),
}

/// A scripted fault. The first call that matches consumes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedFault {
    /// The call it is for; `None` for any but [`Call::Find`] and [`Call::Seek`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<Call>,
    /// The item it is for; `None` for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<ItemMatch>,
    /// The fault.
    pub fault: Fault,
}

/// The item of a batch that a fault is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemMatch {
    /// The item with this number, from 1, in the order of the calls. A repeated call for one item is not counted
    /// again.
    Nth(usize),
    /// The item with this title.
    Titled(String),
}

impl From<Fault> for ScriptedFault {
    fn from(fault: Fault) -> Self {
        Self { on: None, item: None, fault }
    }
}

/// The time until [`crate::Tracker::seek`] finds a new issue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lag {
    /// None.
    #[default]
    None,
    /// For this number of searches.
    Searches(usize),
    /// For this time on the [`FaultClock`].
    For(Millis),
}

/// A virtual clock for faults, so that nothing really waits.
#[async_trait]
pub trait FaultClock: Send + Sync {
    /// The time.
    fn now(&self) -> Timestamp;

    /// Lets time pass.
    async fn pass(&self, span: Millis);
}

/// A call in the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Request {
    /// The kind of call.
    pub call: Call,
    /// The tenant.
    pub tenant: String,
    /// The project.
    pub project: String,
    /// The effect of a create, an update or a search; the key of a find.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The titles of its items.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub titles: Vec<String>,
    /// True if a byte of it was sent.
    pub sent: bool,
}

/// The queue of faults and the journal. Share it in an `Arc` between a test and the tracker.
#[derive(Default)]
pub struct Faults {
    inner: Mutex<Inner>,
    clock: Option<Arc<dyn FaultClock>>,
    lag: Lag,
}

#[derive(Default)]
struct Inner {
    queue: VecDeque<ScriptedFault>,
    journal: Vec<Request>,
    /// The time of each create, and the number of searches before it.
    made: BTreeMap<EffectId, (Timestamp, usize)>,
}

impl Faults {
    /// Creates an empty queue and journal.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses this clock.
    #[must_use]
    pub fn with_clock(self, clock: Arc<dyn FaultClock>) -> Self {
        Self { clock: Some(clock), ..self }
    }

    /// Makes searches lag.
    #[must_use]
    pub fn with_lag(self, lag: Lag) -> Self {
        Self { lag, ..self }
    }

    /// Adds a fault behind those that wait; without `on`, for any check, create or update.
    pub fn push(&self, on: impl Into<Option<Call>>, fault: Fault) {
        self.script(ScriptedFault { on: on.into(), item: None, fault });
    }

    /// Adds a scripted fault behind those that wait.
    pub fn script(&self, fault: ScriptedFault) {
        self.lock().queue.push_back(fault);
    }

    /// Every call so far, in order.
    #[must_use]
    pub fn journal(&self) -> Vec<Request> {
        self.lock().journal.clone()
    }

    /// The number of calls of one kind.
    #[must_use]
    pub fn count(&self, call: Call) -> usize {
        self.lock().count(call)
    }

    /// The number of requests sent that could create an issue.
    #[must_use]
    pub fn create_requests(&self) -> usize {
        self.lock().journal.iter().filter(|request| request.call == Call::Create && request.sent).count()
    }

    /// The number of faults not used yet.
    #[must_use]
    pub fn left(&self) -> usize {
        self.lock().queue.len()
    }

    /// Notes a call and takes the fault that is for it.
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

    /// True if there is a clock.
    pub(super) fn timed(&self) -> bool {
        self.clock.is_some()
    }

    pub(super) async fn pass(&self, span: Millis) {
        if let Some(clock) = &self.clock {
            clock.pass(span).await;
        }
    }

    /// Notes that this effect created an issue.
    pub(super) fn made(&self, effect: &EffectId) {
        let now = self.now();
        let mut inner = self.lock();
        let searches = inner.count(Call::Seek);
        inner.made.insert(effect.clone(), (now, searches));
    }

    /// True if a search made now finds what this effect created.
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

    /// True if the fault is for the last call of the journal.
    fn fits(&self, scripted: &ScriptedFault) -> bool {
        let Some(request) = self.journal.last() else { return false };
        let call = match scripted.on {
            Some(on) => on == request.call,
            None => !matches!(request.call, Call::Find | Call::Seek),
        };
        let item = match &scripted.item {
            None => true,
            Some(ItemMatch::Nth(n)) => self.nth(request) == *n,
            Some(ItemMatch::Titled(title)) => request.titles.contains(title),
        };
        call && item
    }

    /// The number of the item this request is about, among the calls of its kind. A request about no single item
    /// counts each time.
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
        let meant = |item, fault| ScriptedFault { on: Some(Call::Create), item: Some(item), fault };
        faults.script(meant(ItemMatch::Nth(2), Fault::LostReply));
        faults.script(meant(ItemMatch::Titled("Log out".into()), Fault::Refused));
        let met: Vec<Fault> =
            [("fx_1", "Log in"), ("fx_1", "Log in"), ("fx_2", "Reset"), ("fx_3", "Log out")]
                .into_iter()
                .map(|(effect, title)| faults.meet(request(Call::Create, effect, &[title])))
                .collect();
        assert_eq!(met, [Fault::Pass, Fault::Pass, Fault::LostReply, Fault::Refused]);
    }
}
