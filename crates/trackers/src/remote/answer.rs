//! The meaning of an answer, whoever gave it (`docs/design/0031-effects-and-retries.md`).

use serde::de::DeserializeOwned;
use serde_json::Value;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{FieldFault, TrackerFault};
use throughline_engine::{Language, Millis};

use crate::project::rejected;

/// The meaning of an answer. `R` is a refusal in the vendor's words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer<R> {
    /// Done; the body, null if it is empty.
    Done(Value),
    /// Refused for good.
    Refused(R),
    /// Nothing was sent.
    NotSent,
    /// The credentials are refused. Nothing was done.
    Credentials,
    /// Too many requests. Nothing was done.
    TooMany {
        /// The time to wait, if given.
        hint: Option<Millis>,
    },
    /// It is not known whether it was done.
    Unknown(TrackerFault),
}

/// A refusal in a vendor's words.
pub(crate) trait Refused {
    /// True if there is no such thing, or none that we may see.
    fn is_absence(&self) -> bool;

    /// The faults. `name` names a field of the vendor's as people know it.
    fn faults(self, name: &dyn Fn(&str) -> String) -> Vec<FieldFault>;
}

impl<R: Refused> Answer<R> {
    /// The body, or the outcome of the attempt that got this answer instead. `name` names a field of the vendor's as people
    /// know it.
    ///
    /// # Errors
    /// It was not done, as far as is known.
    pub(crate) fn named<T>(self, name: &dyn Fn(&str) -> String) -> Result<Value, Attempt<T>> {
        let not_applied = |why: TrackerFault, hint| Attempt::NotApplied { why: why.into(), hint };
        Err(match self {
            Self::Done(body) => return Ok(body),
            Self::Refused(refusal) => rejected(refusal.faults(name)),
            Self::NotSent => not_applied(TrackerFault::Unreachable, None),
            Self::Credentials => not_applied(TrackerFault::Credentials, None),
            Self::TooMany { hint } => not_applied(TrackerFault::SlowDown, hint),
            Self::Unknown(why) => Attempt::Unknown { why: why.into() },
        })
    }

    /// As [`Self::named`], for requests that name no field.
    pub(crate) fn done<T>(self) -> Result<Value, Attempt<T>> {
        self.named(&str::to_owned)
    }

    /// As [`Self::done`], but nothing where there is no such thing, or none that we may see.
    pub(crate) fn found<T>(self) -> Result<Option<Value>, Attempt<T>> {
        match self {
            Self::Refused(refusal) if refusal.is_absence() => Ok(None),
            other => other.done().map(Some),
        }
    }
}

/// Reads a body.
///
/// # Errors
/// It has another form.
pub(crate) fn read<T: DeserializeOwned, U>(body: Value) -> Result<T, Attempt<U>> {
    let unknown = |_| Attempt::Unknown { why: TrackerFault::Failed { status: 200 }.into() };
    serde_json::from_value(body).map_err(unknown)
}

/// The outcome of a request that comes before the one that counts: where it failed, that one was not sent.
pub(crate) fn not_sent<T>(outcome: Attempt<T>) -> Attempt<T> {
    match outcome {
        Attempt::Unknown { why } => Attempt::NotApplied { why, hint: None },
        other => other,
    }
}

/// The outcome of a request that comes after the one that counts: where it failed, it does not tell what that one did.
pub(crate) fn not_told<T>(outcome: Attempt<T>) -> Attempt<T> {
    match outcome {
        Attempt::NotApplied { why, .. } | Attempt::Rejected { text: why, .. } => Attempt::Unknown { why },
        other => other,
    }
}

/// The reason that an operation without effect ended early, for people who operate the server; `None` if the credentials are
/// refused.
pub(crate) fn reason(ended: Attempt<()>) -> Option<String> {
    match ended {
        Attempt::NotApplied { why, .. } if why == TrackerFault::Credentials.into() => None,
        Attempt::NotApplied { why, .. } | Attempt::Unknown { why } | Attempt::Rejected { text: why, .. } => {
            Some(why.text(Language::En))
        }
        Attempt::Applied(()) => Some(String::new()),
    }
}
