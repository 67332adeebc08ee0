//! Sentences about facts.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::data::fact::{Fact, FactScope, FactType};
use crate::data::policy::limits;
use crate::data::time::Timestamp;
use crate::text::redact::snippet;
use throughline_language::Choice;

pub(crate) const MEMBERS_ONLY: &str =
    "Only members can have something remembered beyond this thread. Leave that out, and I note it here.";
pub(crate) const WHICH_EPIC: &str = "I cannot tell which epic you mean: none is open in this thread, or more than \
    one. Reply to its preview, or track its issue here.";
pub(crate) const NO_SUCH_FACT: &str = "There is no such fact here.";
pub(crate) const NOT_YOURS: &str = "Who said it may take it back, or a member of this place.";
pub(crate) const FORGOTTEN: &str = "That is forgotten.";
pub(crate) const FULL: &str =
    "I did not note that: there is no room for it, and what is known here is surer.";
pub(crate) const WAS_ERASED: &str = "I did not note that: it was erased. Say it again, and I will.";

/// The answer that the earlier of two facts holds.
pub(crate) const FIRST: &str = "first";
/// The answer that the later one holds.
pub(crate) const SECOND: &str = "second";
/// The answer that both hold.
pub(crate) const BOTH: &str = "both";

/// The answers to the question which of two facts holds.
pub(crate) fn choices(both: bool) -> Vec<Choice> {
    let choice = |value: &str, synonyms: &[&str]| Choice {
        value: value.into(),
        synonyms: synonyms.iter().map(ToString::to_string).collect(),
    };
    let mut choices = alloc::vec![
        choice(
            FIRST,
            &["the first", "the first one", "the earlier", "the earlier one", "earlier", "the old one"]
        ),
        choice(SECOND, &["the second", "the second one", "the later", "the later one", "now", "the new one"]),
    ];
    if both {
        choices.push(choice(BOTH, &["both of them", "both hold", "they both hold"]));
    }
    choices
}

/// The reach of a fact: "for this thread".
fn reach(scope: FactScope) -> &'static str {
    match scope {
        FactScope::Thread => "for this thread",
        FactScope::Epic => "for this epic",
        FactScope::Channel => "for this channel",
    }
}

fn a(kind: FactType) -> &'static str {
    match kind {
        FactType::Decision => "a decision",
        FactType::Constraint => "a constraint",
        FactType::Assumption => "an assumption",
    }
}

/// The fact's text, cut to fit into a sentence.
fn quoted(fact: &Fact) -> String {
    snippet(&fact.text, limits::SNIPPET)
}

/// Confirms a new fact, and names those it supersedes.
pub(crate) fn noted(fact: &Fact, over: &[Fact]) -> String {
    let noted = format!("Noted {} as {}: {}", reach(fact.scope), a(fact.kind), quoted(fact));
    match over {
        [] => noted,
        over => format!(
            "{noted}\nIt takes the place of: {}",
            over.iter().map(quoted).collect::<Vec<_>>().join("; ")
        ),
    }
}

/// Answers a statement that was known before.
pub(crate) fn known(fact: &Fact) -> String {
    format!("That is noted {} already, as {}: {}", reach(fact.scope), a(fact.kind), quoted(fact))
}

/// Asks which of two contradicting facts holds.
pub(crate) fn which(earlier: &Fact, now: &Fact) -> String {
    format!("Earlier: {}, {}. Now: {}. Which holds?", quoted(earlier), day(earlier.source_ts), quoted(now))
}

/// Confirms the fact that holds.
pub(crate) fn holds(fact: &Fact) -> String {
    format!("Noted, this holds {}: {}", reach(fact.scope), quoted(fact))
}

/// Confirms that both facts hold.
pub(crate) fn both_hold(scope: FactScope) -> String {
    format!("Noted, both hold {}.", reach(scope))
}

/// A day in UTC: `3 March`.
fn day(at: Timestamp) -> String {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let text = at.rfc3339();
    let part =
        |from: usize| text.get(from..from + 2).and_then(|part| part.parse::<usize>().ok()).unwrap_or(1);
    format!("{} {}", part(8), MONTHS[(part(5) - 1).min(11)])
}
