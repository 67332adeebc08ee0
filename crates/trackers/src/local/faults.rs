//! Faults on demand (`spec 06 §6.4`) and the journal of what was asked: what tests and scenarios hold on to.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use throughline_engine::Millis;
use throughline_engine::effect::FieldError;

/// A call of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// No answer, and it is applied later: right before the next call, or by
    /// [`super::LocalTracker::land_late`].
    LateApply,
    /// It is applied, but not under the epic it was asked for.
    ParentIgnored,
    /// The tracker says no, for good.
    Reject(FieldError),
}

/// One scripted fault: the first call it fits consumes it.
///
/// In a scenario's `tracker.fail`: a word (`lost_reply`, `late_apply`, `refused`, `pass`, …), a status (`429`,
/// `503`), or `{on: create, fault: lost_reply}`, `{fault: 429, retry_after: 7}`,
/// `{field: team, text: Team is required}`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "Wire")]
pub struct Scripted {
    /// The only call it is meant for; `None` is any check or create.
    pub on: Option<Call>,
    /// What happens.
    pub fault: Fault,
}

impl From<Fault> for Scripted {
    fn from(fault: Fault) -> Self {
        Self { on: None, fault }
    }
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
    /// A create's effect id, a find's key.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Whether a byte of it was sent.
    pub sent: bool,
}

/// The queue of faults and the journal, shared by `Arc` between a test and the tracker.
#[derive(Debug, Default)]
pub struct Faults {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    queue: VecDeque<Scripted>,
    journal: Vec<Request>,
}

impl Faults {
    /// No fault, nothing asked.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Faults for the calls to come, in this order.
    #[must_use]
    pub fn script(faults: impl IntoIterator<Item = Scripted>) -> Self {
        let queue = faults.into_iter().collect();
        Self { inner: Mutex::new(Inner { queue, journal: Vec::new() }) }
    }

    /// One more fault, behind those that wait; `on` `None` means any check or create.
    pub fn push(&self, on: impl Into<Option<Call>>, fault: Fault) {
        self.lock().queue.push_back(Scripted { on: on.into(), fault });
    }

    /// Every call so far, in order.
    #[must_use]
    pub fn journal(&self) -> Vec<Request> {
        self.lock().journal.clone()
    }

    /// How often a call was made.
    #[must_use]
    pub fn count(&self, call: Call) -> usize {
        self.lock().journal.iter().filter(|request| request.call == call).count()
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
    pub(super) fn meet(&self, call: Call, tenant: &str, project: &str, about: &str) -> Fault {
        let mut inner = self.lock();
        let fits = |scripted: &Scripted| match scripted.on {
            Some(on) => on == call,
            None => call != Call::Find,
        };
        let at = inner.queue.iter().position(fits);
        let fault = at.and_then(|at| inner.queue.remove(at)).map_or(Fault::Pass, |scripted| scripted.fault);
        let sent = fault != Fault::Refused;
        let (tenant, project, about) = (tenant.to_owned(), project.to_owned(), about.to_owned());
        inner.journal.push(Request { call, tenant, project, about, sent });
        fault
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The ways a scenario writes a fault.
#[derive(Deserialize)]
#[serde(untagged)]
enum Wire {
    Name(Name),
    Named(Named),
    Reject(Rejection),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Name {
    Word(Word),
    Status(Status),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Pass,
    Refused,
    RateLimited,
    ErrorBeforeApply,
    ErrorAfterApply,
    LostReply,
    LateApply,
    ParentIgnored,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "u16")]
struct Status(u16);

impl TryFrom<u16> for Status {
    type Error = &'static str;

    fn try_from(status: u16) -> Result<Self, Self::Error> {
        let known = status == 429 || (500..600).contains(&status);
        known.then_some(Self(status)).ok_or("a fault's status is 429 or 5xx")
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    on: Option<Call>,
    fault: Name,
    /// Seconds, as the header has it.
    retry_after: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rejection {
    on: Option<Call>,
    field: String,
    text: String,
    #[serde(default = "required")]
    code: String,
}

fn required() -> String {
    "check.required".into()
}

impl From<Wire> for Scripted {
    fn from(wire: Wire) -> Self {
        match wire {
            Wire::Name(name) => fault(name, None).into(),
            Wire::Named(named) => {
                let hint = named.retry_after.map(|seconds| Millis::from(seconds) * 1_000);
                Self { on: named.on, fault: fault(named.fault, hint) }
            }
            Wire::Reject(Rejection { on, field, text, code }) => {
                Self { on, fault: Fault::Reject(FieldError { item: String::new(), code, field, text }) }
            }
        }
    }
}

fn fault(name: Name, retry_after: Option<Millis>) -> Fault {
    match name {
        Name::Word(Word::Pass) => Fault::Pass,
        Name::Word(Word::Refused) => Fault::Refused,
        Name::Word(Word::RateLimited) | Name::Status(Status(429)) => Fault::RateLimited { retry_after },
        Name::Word(Word::ErrorBeforeApply) => Fault::ErrorBeforeApply,
        // A 5xx is scripted to show that it may have been applied.
        Name::Word(Word::ErrorAfterApply) | Name::Status(_) => Fault::ErrorAfterApply,
        Name::Word(Word::LostReply) => Fault::LostReply,
        Name::Word(Word::LateApply) => Fault::LateApply,
        Name::Word(Word::ParentIgnored) => Fault::ParentIgnored,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_a_scenario_writes() {
        let limited = |retry_after| Fault::RateLimited { retry_after };
        let reject = |code: &str| Fault::Reject(FieldError::new(code, "team", "Team is required"));
        let table = [
            (r#""lost_reply""#, None, Fault::LostReply),
            (r#""late_apply""#, None, Fault::LateApply),
            (r#""pass""#, None, Fault::Pass),
            ("429", None, limited(None)),
            ("503", None, Fault::ErrorAfterApply),
            (r#"{"fault": 429, "retry_after": 7}"#, None, limited(Some(7_000))),
            (r#"{"on": "create", "fault": "refused"}"#, Some(Call::Create), Fault::Refused),
            (r#"{"field": "team", "text": "Team is required"}"#, None, reject("check.required")),
            (
                r#"{"on": "check", "field": "team", "text": "Team is required", "code": "check.field"}"#,
                Some(Call::Check),
                reject("check.field"),
            ),
        ];
        for (wire, on, fault) in table {
            let read: Scripted = serde_json::from_str(wire).unwrap_or_else(|e| panic!("{wire}: {e}"));
            assert_eq!(read, Scripted { on, fault }, "{wire}");
        }
        for bad in ["\"lost_replies\"", "404", "{}", r#"{"fault": "pass", "onn": "check"}"#] {
            assert!(serde_json::from_str::<Scripted>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_call_takes_the_first_fault_that_fits_it() {
        let faults = Faults::new();
        faults.push(Call::Create, Fault::LostReply);
        faults.push(None, Fault::Refused);
        faults.push(Call::Find, Fault::ErrorBeforeApply);
        assert_eq!(faults.meet(Call::Check, "t", "DEMO", ""), Fault::Refused);
        assert_eq!(faults.meet(Call::Create, "t", "DEMO", "fx_1"), Fault::LostReply);
        assert_eq!(faults.meet(Call::Create, "t", "DEMO", "fx_1"), Fault::Pass);
        assert_eq!(faults.meet(Call::Find, "t", "DEMO", "DEMO-1"), Fault::ErrorBeforeApply);
        assert_eq!((faults.count(Call::Create), faults.create_requests(), faults.left()), (2, 2, 0));
    }

    #[test]
    fn a_refused_connection_is_no_request_that_could_create() {
        let faults = Faults::script([Fault::Refused.into()]);
        faults.meet(Call::Create, "t", "DEMO", "fx_1");
        assert_eq!((faults.count(Call::Create), faults.create_requests()), (1, 0));
        assert!(!faults.journal()[0].sent);
    }
}
