//! The explanation of a turn, as a method of its summary.

use alloc::format;
use alloc::string::String;

use crate::data::decision::Verdict;
use crate::data::focus::{FocusTrace, ThreadPosition};
use crate::data::trace::{Trace, TurnSummary};
use throughline_language::reference::{Need, Reference};
use throughline_messages::{self as say, Language};

impl TurnSummary {
    /// The turn in plain words, one statement per line: the rung that decided, its reason, and each rung before it. Every
    /// `why` prints this.
    #[must_use]
    pub fn explain(&self, language: Language) -> String {
        let (decision, trace) = (&self.decision, &self.trace);
        let (rung, reason) = (decision.rung, decision.reason);
        let mut lines = alloc::vec![
            say::why_turn(language, self.at.rfc3339(), &self.event, &self.turn),
            say::why_decided(language, reason, rung.number(), rung.title(language), reason.says(language)),
            say::why_outcome(language, word(decision.outcome)),
        ];
        lines.extend(decision.intent.map(|intent| say::why_intent(language, intent.as_str())));
        lines.extend(trace.rule.as_ref().map(|rule| say::why_rule(language, rule)));
        lines.extend(decision.applied.as_ref().map(|applied| say::why_applied(language, &applied.pending)));
        lines.extend(trace.also.iter().map(|also| say::why_also(language, also, also.says(language))));
        if let Some(focus) = &trace.focus {
            lines.extend(of_focus(language, focus));
        }
        lines.extend(of_rungs(language, trace));
        lines.extend(self.effects.iter().map(|(class, id)| say::why_effect(language, class, id)));
        lines.join("\n")
    }

    /// The turn in plain words, with the version of the policy that the turn was decided under.
    #[must_use]
    pub fn explain_under(&self, policy: &str, language: Language) -> String {
        self.explain(language) + "\n" + &say::why_policy(language, policy)
    }
}

fn of_focus(language: Language, focus: &FocusTrace) -> impl Iterator<Item = String> {
    let source = focus.source.as_str();
    let anchor = match &focus.anchor {
        Some(anchor) => say::why_focus(language, anchor, source),
        None => say::why_focus_nothing(language, source),
    };
    let thread = focus.thread.as_ref().map(|thread| match thread {
        ThreadPosition::Answers(id) => say::why_thread_answers(language, id),
        ThreadPosition::StartsAnew => say::why_thread_anew(language),
    });
    [Some(anchor), refers(language, &focus.reference), thread].into_iter().flatten()
}

/// The line that says whether the text needs its anchor, and by which words.
fn refers(language: Language, reference: &Reference) -> Option<String> {
    let (code, words) = (reference.need.as_str(), &reference.words);
    match reference.need {
        Need::None => None,
        Need::Bound => Some(say::why_reference_bound(language, code, words)),
        Need::NeedsAnchor => Some(say::why_reference_needs(language, code, words)),
    }
}

fn of_rungs(language: Language, trace: &Trace) -> impl Iterator<Item = String> {
    let head = (!trace.passed.is_empty()).then(|| say::why_passed(language));
    head.into_iter().chain(trace.passed.iter().map(move |passed| {
        let (rung, says) = (passed.rung(), trace.says(*passed, language));
        format!("  {:>2} {}: {says}", rung.number(), rung.title(language))
    }))
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ignored => "ignored",
        Verdict::Observed => "observed",
        Verdict::Recorded => "recorded",
        Verdict::Answered => "answered",
        Verdict::Asked => "asked",
        Verdict::Shown => "shown",
        Verdict::Done => "done",
        Verdict::Refused => "refused",
        Verdict::Deferred => "deferred",
        Verdict::HandedOver => "handed_over",
    }
}
