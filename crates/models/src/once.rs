//! What a call comes to that brought nothing: what a second try may mend is said so, unless the question is put only once
//! (`spec 07 §7`). Then there is no answer at once, with the class of its failure (`spec 04 §16`).

use throughline_engine::Millis;
use throughline_engine::ask::{Answer, Ask};
use throughline_engine::effect::Attempt;

use crate::no_answer;

/// The vendor takes no more for now.
pub(crate) fn limited(ask: &Ask, hint: Option<Millis>) -> Attempt<Answer> {
    if put_once(ask) {
        return Attempt::Applied(no_answer("rate_limited"));
    }
    Attempt::NotApplied { why: "the model was not asked: status 429".into(), hint }
}

/// Nothing was processed.
pub(crate) fn not_asked(ask: &Ask, why: String) -> Attempt<Answer> {
    if put_once(ask) { lost() } else { Attempt::NotApplied { why, hint: None } }
}

/// Nobody knows what became of it.
pub(crate) fn not_answered(ask: &Ask, why: String) -> Attempt<Answer> {
    if put_once(ask) { lost() } else { Attempt::Unknown { why } }
}

fn lost() -> Attempt<Answer> {
    Attempt::Applied(no_answer("transport_error"))
}

fn put_once(ask: &Ask) -> bool {
    ask.purpose().tries() == 1
}
