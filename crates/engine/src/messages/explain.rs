//! The explanation of a turn, as a method of its summary.

use alloc::format;
use alloc::string::{String, ToString};

use crate::data::decision::Verdict;
use crate::data::focus::ThreadPosition;
use crate::data::trace::TurnSummary;
use throughline_language::reference::{Need, Reference};

impl TurnSummary {
    /// The turn in plain words, one statement per line. Every `why` prints this.
    #[must_use]
    pub fn explain(&self) -> String {
        why(self)
    }
}

/// The explanation of a turn: the rung that decided, its reason, and each rung before it.
fn why(turn: &TurnSummary) -> String {
    let d = &turn.decision;
    let mut lines = alloc::vec![
        format!("Turn {} at {}: {}", turn.turn, turn.at.rfc3339(), turn.event),
        format!(
            "Decided by rung {}, {}: {} ({})",
            d.rung.number(),
            d.rung.title(),
            d.reason.says(),
            d.reason
        ),
        format!("Outcome: {}", outcome(d.outcome)),
    ];
    if let Some(intent) = d.intent {
        lines.push(format!("Intent: {}", intent.as_str()));
    }
    if let Some(rule) = &turn.trace.rule {
        lines.push(format!("Recognised by: {rule}"));
    }
    if let Some(applied) = &d.applied {
        lines.push(format!("Answer taken for {}", applied.pending));
    }
    for reason in &turn.trace.also {
        lines.push(format!("Also: {} ({reason})", reason.says()));
    }
    if let Some(focus) = &turn.trace.focus {
        let anchor = focus.anchor.as_ref().map_or("nothing".to_string(), ToString::to_string);
        lines.push(format!("Focus: {anchor} ({})", focus.source.as_str()));
        lines.extend(refers(&focus.reference));
        lines.extend(focus.thread.as_ref().map(|thread| match thread {
            ThreadPosition::Answers(id) => format!("Thread: it answers {id}"),
            ThreadPosition::StartsAnew => "Thread: it starts something new".into(),
        }));
    }
    if !turn.trace.passed.is_empty() {
        lines.push("Rungs that did not decide:".into());
    }
    for passed in &turn.trace.passed {
        let (rung, says) = (passed.rung(), turn.trace.says(*passed));
        lines.push(format!("  {:>2} {}: {says}", rung.number(), rung.title()));
    }
    for (class, id) in &turn.effects {
        lines.push(format!("Effect planned: {class} {id}"));
    }
    lines.join("\n")
}

/// The line that says whether the text needs its anchor, and by which words.
fn refers(reference: &Reference) -> Option<String> {
    let says = match reference.need {
        Need::None => return None,
        Need::Bound => "refers to nothing outside itself",
        Need::NeedsAnchor => "needs it",
    };
    Some(format!("Reference: the text {says} ({}: {})", reference.need.as_str(), reference.words))
}

fn outcome(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ignored => "ignored",
        Verdict::Observed => "kept, not answered",
        Verdict::Recorded => "recorded",
        Verdict::Answered => "answered",
        Verdict::Asked => "asked a question",
        Verdict::Shown => "showed a card",
        Verdict::Done => "done",
        Verdict::Refused => "refused, and said so",
        Verdict::Deferred => "asked a model or a tracker; the turn of the answer decides",
    }
}
