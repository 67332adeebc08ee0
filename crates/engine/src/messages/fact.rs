//! Sentences about facts.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use throughline_language::Choice;
use throughline_messages::{self as say, Language};

use crate::data::fact::{Fact, FactScope};
use crate::data::policy::limits;
use crate::text::redact::snippet;

/// The answer that the earlier of two facts holds.
pub(crate) const FIRST: &str = "first";
/// The answer that the later one holds.
pub(crate) const SECOND: &str = "second";
/// The answer that both hold.
pub(crate) const BOTH: &str = "both";

/// The answers to the question which of two facts holds.
pub(crate) fn choices(language: Language, both: bool) -> Vec<Choice> {
    let choice = |value: &str, synonyms: String| Choice {
        value: value.into(),
        synonyms: synonyms.split(", ").map(Into::into).collect(),
    };
    let mut choices = alloc::vec![
        choice(FIRST, say::fact_choice_first(language)),
        choice(SECOND, say::fact_choice_second(language)),
    ];
    choices.extend(both.then(|| choice(BOTH, say::fact_choice_both(language))));
    choices
}

/// The reach of a fact: "for this thread".
fn reach(language: Language, scope: FactScope) -> String {
    say::fact_reach(language, scope.as_str())
}

fn a(language: Language, fact: &Fact) -> String {
    say::fact_kind(language, fact.kind.as_str())
}

/// The fact's text, cut to fit into a sentence.
fn quoted(fact: &Fact) -> String {
    snippet(&fact.text, limits::SNIPPET)
}

/// Confirms a new fact, and names those it supersedes.
pub(crate) fn noted(language: Language, fact: &Fact, over: &[Fact]) -> String {
    let noted = say::fact_noted(language, a(language, fact), reach(language, fact.scope), quoted(fact));
    if over.is_empty() {
        return noted;
    }
    let others = over.iter().map(quoted).collect::<Vec<_>>().join("; ");
    format!("{noted}\n{}", say::fact_takes_the_place(language, others))
}

/// Answers a statement that was known before.
pub(crate) fn known(language: Language, fact: &Fact) -> String {
    say::fact_known(language, a(language, fact), reach(language, fact.scope), quoted(fact))
}

/// Asks which of two contradicting facts holds.
pub(crate) fn which(language: Language, earlier: &Fact, now: &Fact) -> String {
    say::fact_which(language, earlier.source_ts.date(language), quoted(earlier), quoted(now))
}

/// Confirms the fact that holds.
pub(crate) fn holds(language: Language, fact: &Fact) -> String {
    say::fact_holds(language, reach(language, fact.scope), quoted(fact))
}

/// Confirms that both facts hold.
pub(crate) fn both_hold(language: Language, scope: FactScope) -> String {
    say::fact_both_hold(language, reach(language, scope))
}
