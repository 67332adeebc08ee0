//! Outcomes of calls that brought no answer. A failure that a second attempt may mend is reported as such, unless the
//! question is asked only once: then there is no answer at once, with the class of the failure
//! (`docs/design/0023-model-picks.md`).

use throughline_engine::Millis;
use throughline_engine::data::ask::{Answer, Ask};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::Fault;

/// No answer, with a stable word for the reason.
#[must_use]
pub fn no_answer(why: &str) -> Answer {
    Answer::None { why: why.into() }
}

/// The vendor limits the rate of calls.
pub(crate) fn limited(ask: &Ask, hint: Option<Millis>) -> Attempt<Answer> {
    if asked_once(ask) {
        return Attempt::Applied(no_answer("rate_limited"));
    }
    Attempt::NotApplied { why: Fault::Said("the model was not asked: status 429".into()), hint }
}

/// The vendor processed nothing.
pub(crate) fn not_asked(ask: &Ask, why: String) -> Attempt<Answer> {
    if asked_once(ask) {
        transport_error()
    } else {
        Attempt::NotApplied { why: Fault::Said(why), hint: None }
    }
}

/// It is not known whether the vendor processed the request.
pub(crate) fn not_answered(ask: &Ask, why: String) -> Attempt<Answer> {
    if asked_once(ask) { transport_error() } else { Attempt::Unknown { why: Fault::Said(why) } }
}

fn transport_error() -> Attempt<Answer> {
    Attempt::Applied(no_answer("transport_error"))
}

fn asked_once(ask: &Ask) -> bool {
    ask.purpose().max_tries() == 1
}
