//! The goals of the headline figures, with the best baselines seen elsewhere.

use serde::Serialize;

use crate::{Rate, Section};

/// A goal.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Limit {
    AtLeast(f64),
    AtMost(f64),
    /// No goal; the figure is shown beside the others.
    Open,
}

use Limit::{AtLeast, AtMost, Open};

/// A headline figure and its goal.
#[derive(Debug)]
pub struct Goal {
    key: &'static str,
    kind: &'static str,
    figure: &'static str,
    best: &'static str,
    limit: Limit,
}

macro_rules! goals {
    ($($key:literal: $kind:literal, $figure:literal, $best:literal, $limit:expr;)*) => {
        /// The headline figures, in order.
        static GOALS: &[Goal] =
            &[$(Goal { key: $key, kind: $kind, figure: $figure, best: $best, limit: $limit }),*];
    };
}

goals! {
    "pending.boolean.recall": "pending, boolean", "recall", "0.87 (keyword)", AtLeast(0.97);
    "pending.boolean.hijack": "pending, boolean", "hijack", "0.06 (keyword)", AtMost(0.01);
    "pending.boolean.approved_nothing": "pending, boolean", "approved, nothing was answered", "0.061", AtMost(0.002);
    "pending.boolean.approved_no": "pending, boolean", "approved, the answer was no", "0.027", AtMost(0.0);
    "pending.boolean.approved_taken_back": "pending, boolean", "approved, a correction or a cancel", "0.058", AtMost(0.002);
    "pending.boolean.plus": "pending, boolean", "answer plus more: right polarity, rest kept", "0.855", AtLeast(0.95);
    "pending.time.plain_recall": "pending, time", "recall without over-informative", "0.95–1.00", AtLeast(0.97);
    "pending.time.hijack_easy": "pending, time", "hijack, not hard", "~0.05", AtMost(0.01);
    "pending.time.hijack_hard": "pending, time", "hijack, hard", "~1.00", AtMost(0.20);
    "pending.time.value": "pending, time", "right value among applied", "0.85–0.97", AtLeast(0.97);
    "pending.time.over_informative": "pending, time", "recall of over-informative", "1.00", AtLeast(0.70);
    "pending.date.plain_recall": "pending, date", "recall without over-informative", "0.95–1.00", AtLeast(0.97);
    "pending.date.hijack_easy": "pending, date", "hijack, not hard", "~0.05", AtMost(0.01);
    "pending.date.hijack_hard": "pending, date", "hijack, hard", "~1.00", AtMost(0.20);
    "pending.date.value": "pending, date", "right value among applied", "0.85–0.97", AtLeast(0.97);
    "pending.date.over_informative": "pending, date", "recall of over-informative", "1.00", AtLeast(0.70);
    "pending.number.plain_recall": "pending, number", "recall without over-informative", "0.95–1.00", AtLeast(0.97);
    "pending.number.hijack_easy": "pending, number", "hijack, not hard", "~0.05", AtMost(0.01);
    "pending.number.hijack_hard": "pending, number", "hijack, hard", "~1.00", AtMost(0.20);
    "pending.number.value": "pending, number", "right value among applied", "0.85–0.97", AtLeast(0.97);
    "pending.number.over_informative": "pending, number", "recall of over-informative", "1.00", AtLeast(0.70);
    "pending.location.recall": "pending, location", "recall", "0.85", AtLeast(0.93);
    "pending.location.plain_recall": "pending, location", "recall without over-informative", "", Open;
    "pending.location.hijack_easy": "pending, location", "hijack, not hard", "~0.05", AtMost(0.02);
    "pending.location.hijack_hard": "pending, location", "hijack, hard", "0.88", AtMost(0.20);
    "pending.selection.recall": "pending, selection", "recall", "0.60", Open;
    "pending.selection.recall_shared": "pending, selection", "recall where a word is shared", "", AtLeast(0.92);
    "pending.selection.recall_synonym": "pending, selection", "recall of options named by a synonym", "", Open;
    "pending.selection.hijack": "pending, selection", "hijack", "0.01", AtMost(0.005);
    "pending.money.recall": "pending, money", "recall", "0.76", AtLeast(0.95);
    "pending.money.hijack": "pending, money", "hijack", "–", AtMost(0.02);
    "pending.text.recall": "pending, text", "recall", "0.97", AtLeast(0.93);
    "pending.text.hijack": "pending, text", "hijack", "0.71", AtMost(0.10);
    "pending.text.hijack_requests": "pending, text", "hijack of transplanted requests", "0.71", AtMost(0.03);
    "closing.complete": "ack", "complete: recall", "0.74", AtLeast(0.95);
    "closing.complete_plus_new": "ack", "thanks and a new task closed", "0.86", AtMost(0.01);
    "closing.not_complete": "ack", "other closed", "0.04", AtMost(0.005);
    "review.complete": "ack, to a review", "complete: recall", "", Open;
    "review.complete_plus_new": "ack, to a review", "thanks and a new task completed it", "", Open;
    "review.not_complete": "ack, to a review", "other completed it", "", Open;
    "utterance.polarity": "utterance", "affirm and deny: right polarity", "0.85", AtLeast(0.95);
    "utterance.tasks": "utterance", "tasks taken as yes or no", "0.05", AtMost(0.002);
    "utterance.tasks_time_easy": "utterance", "tasks taken as a time, no number in them", "", AtMost(0.01);
    "utterance.tasks_time_hard": "utterance", "tasks taken as a time, hard", "", AtMost(0.20);
    "utterance.tasks_date_easy": "utterance", "tasks taken as a date, no number in them", "", AtMost(0.01);
    "utterance.tasks_date_hard": "utterance", "tasks taken as a date, hard", "", AtMost(0.20);
    "utterance.tasks_number_easy": "utterance", "tasks taken as a number, no number in them", "", AtMost(0.01);
    "utterance.tasks_number_hard": "utterance", "tasks taken as a number, hard", "", AtMost(0.20);
    "utterance.tasks_money_easy": "utterance", "tasks taken as money, no number in them", "", AtMost(0.01);
    "utterance.tasks_money_hard": "utterance", "tasks taken as money, hard", "", AtMost(0.20);
    "utterance.maybe": "utterance", "maybe taken as yes or no", "0.50", AtMost(0.02);
    "utterance.interrupts": "utterance", "interrupts taken as yes or no", "0.16", AtMost(0.01);
    "interrupt.recall": "interrupt", "recall of stop, cancel, start over", "–", AtLeast(0.90);
    "interrupt.named": "interrupt", "the same, by the data's word", "", Open;
    "interrupt.recall_all": "interrupt", "all the data's words, help and repeat too", "", Open;
    "interrupt.false": "interrupt", "ordinary messages taken as one", "–", AtMost(0.002);
    "selection.offers.right": "selection, offers", "right", "0.72", Open;
    "selection.offers.right_shared": "selection, offers", "right where a word is shared", "", AtLeast(0.90);
    "selection.offers.right_synonym": "selection, offers", "right where a synonym names it", "", Open;
    "selection.offers.wrong": "selection, offers", "wrong option", "0.02", AtMost(0.003);
    "selection.offers.picked": "selection, offers", "picked on none", "0.09", AtMost(0.01);
    "selection.labels.right": "selection, ordinals and labels", "right", "0.72", AtLeast(0.95);
    "selection.labels.wrong": "selection, ordinals and labels", "wrong option", "0.05", AtMost(0.005);
    "selection.labels.picked": "selection, ordinals and labels", "picked on none", "", Open;
    "selection.indirect.wrong": "selection, indirect", "wrong option, without a model", "0.04", AtMost(0.005);
    "list.offers.right": "selection, offers, a list that is asked about", "right", "", Open;
    "list.offers.wrong": "selection, offers, a list that is asked about", "wrong option", "", Open;
    "list.offers.picked": "selection, offers, a list that is asked about", "picked on none", "", Open;
    "list.labels.right": "selection, ordinals and labels, a list that is asked about", "right", "", Open;
    "list.labels.wrong": "selection, ordinals and labels, a list that is asked about", "wrong option", "", Open;
    "list.labels.picked": "selection, ordinals and labels, a list that is asked about", "picked on none", "", Open;
    "list.indirect.wrong": "selection, indirect, a list that is asked about", "wrong option, without a model", "", Open;
    "shown.offers.right": "selection, offers, a list just shown", "right", "", AtLeast(0.90);
    "shown.offers.wrong": "selection, offers, a list just shown", "wrong option", "", AtMost(0.003);
    "shown.offers.picked": "selection, offers, a list just shown", "picked on none", "", AtMost(0.01);
    "shown.labels.right": "selection, ordinals and labels, a list just shown", "right", "", AtLeast(0.95);
    "shown.labels.wrong": "selection, ordinals and labels, a list just shown", "wrong option", "", AtMost(0.005);
    "shown.labels.picked": "selection, ordinals and labels, a list just shown", "picked on none", "", Open;
    "shown.indirect.wrong": "selection, indirect, a list just shown", "wrong option, without a model", "", AtMost(0.005);
    "put.offers.right": "selection, offers, a list shown as a question", "right", "", AtLeast(0.90);
    "put.offers.wrong": "selection, offers, a list shown as a question", "wrong option", "", AtMost(0.003);
    "put.offers.picked": "selection, offers, a list shown as a question", "picked on none", "", AtMost(0.01);
    "put.labels.right": "selection, ordinals and labels, a list shown as a question", "right", "", AtLeast(0.95);
    "put.labels.wrong": "selection, ordinals and labels, a list shown as a question", "wrong option", "", AtMost(0.005);
    "put.labels.picked": "selection, ordinals and labels, a list shown as a question", "picked on none", "", Open;
    "put.indirect.wrong": "selection, indirect, a list shown as a question", "wrong option, without a model", "", AtMost(0.005);
    "anaphora.anaphor": "reference", "anaphor recall", "0.95–1.00", AtLeast(0.97);
    "anaphora.self_contained": "reference", "false alarms", "0.07–0.46", AtMost(0.08);
    "anaphora.ellipsis": "reference", "ellipsis recall", "0.04–0.37", AtLeast(0.55);
    "anaphora.antecedent": "reference", "earlier message right", "", Open;
    "reply_to.linked": "reply-to", "anchor right among linked", "0.58", AtLeast(0.70);
    "reply_to.new": "reply-to", "“starts new” found", "0.00", AtLeast(0.50);
    "room.cards": "room", "cards on messages between people", "", AtMost(0.02);
    "closing.gated": "dialogues of one person", "turns that end in a gate", "", AtMost(0.10);
    "value.duckling.moments": "values", "date and time right, duckling", "0.29–0.65", AtLeast(0.85);
    "value.recognizers.moments": "values", "date and time right, recognizers", "0.73–0.97", AtLeast(0.97);
    "intent.misfire": "intent", "TICKET on what must not be one", "0.02", AtMost(0.005);
    "intent.accepted": "intent", "right", "", Open;
    "intent.accepted_but_greetings": "intent", "right, greetings aside", "", Open;
    "intent.requests": "intent", "right on explicit ITSM requests", "0.77", AtLeast(0.90);
    "intent.ticket_requests": "intent", "right on those that ask for a ticket", "", Open;
    "intent.gated": "intent", "share gated", "", Open;
}

/// A figure and the verdict on its goal.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// The stable name.
    pub key: &'static str,
    /// The kind of case.
    pub kind: &'static str,
    /// The meaning of the count.
    pub figure: &'static str,
    /// The value.
    pub seen: Rate,
    /// The share of cases of its kind that nothing decided, where that is counted.
    pub rest: Option<Rate>,
    /// The goal as text, such as `≥ 0.97`; empty if there is none.
    pub goal: String,
    /// The best baseline seen elsewhere.
    pub best: &'static str,
    /// True if the goal is met; `None` if there is none or nothing is decided yet.
    pub met: Option<bool>,
}

impl Judged {
    /// Returns `met`, `not met`, `not yet decided`, or an empty text.
    #[must_use]
    pub fn verdict(&self) -> &'static str {
        match self.met {
            Some(true) => "met",
            Some(false) => "not met",
            None if self.seen.is_undecided() => "not yet decided",
            None => "",
        }
    }
}

/// Returns every headline figure that these sections have a case for.
pub(crate) fn judge(sections: &[Section]) -> Vec<Judged> {
    let figures = || sections.iter().flat_map(|section| &section.figures);
    let judge = |goal: &'static Goal| {
        let (_, seen) = figures().find(|(key, seen)| key == goal.key && seen.of > 0)?;
        let about = |(prefix, _): &&(String, Rate)| goal.key.starts_with(prefix.as_str());
        let rest = sections.iter().flat_map(|section| &section.rest).filter(about);
        let rest = rest.max_by_key(|(prefix, _)| prefix.len()).map(|(_, rest)| *rest);
        Some(goal.judge(*seen, rest))
    };
    GOALS.iter().filter_map(judge).collect()
}

/// Returns true if the figure counts mistakes.
pub(crate) fn counts_mistakes(key: &str) -> bool {
    GOALS.iter().any(|goal| goal.key == key && matches!(goal.limit, AtMost(_)))
}

impl Goal {
    fn judge(&self, seen: Rate, rest: Option<Rate>) -> Judged {
        let share = seen.share().filter(|_| !seen.is_undecided());
        let (goal, met) = match self.limit {
            AtLeast(limit) => (format!("≥ {limit}"), share.map(|share| share >= limit)),
            AtMost(0.0) => ("0".into(), share.map(|share| share <= 0.0)),
            AtMost(limit) => (format!("≤ {limit}"), share.map(|share| share <= limit)),
            Open => (String::new(), None),
        };
        Judged { key: self.key, kind: self.kind, figure: self.figure, seen, rest, goal, best: self.best, met }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(key: &str, hits: usize, of: usize, undecided: usize) -> Option<Judged> {
        let figures = vec![(key.to_owned(), Rate { hits, of, undecided })];
        judge(&[Section { figures, ..Section::default() }]).pop()
    }

    #[test]
    fn a_goal_is_met_at_its_limit() {
        for (key, hits, of, met) in [
            ("pending.boolean.recall", 97, 100, true),
            ("pending.boolean.recall", 96, 100, false),
            ("pending.boolean.hijack", 1, 100, true),
            ("pending.boolean.hijack", 2, 100, false),
            ("pending.boolean.approved_no", 0, 100, true),
            ("pending.boolean.approved_no", 1, 10_000, false),
        ] {
            assert_eq!(judged(key, hits, of, 0).unwrap().met, Some(met), "{key} {hits}/{of}");
        }
    }

    #[test]
    fn an_undecided_figure_meets_no_goal() {
        let undecided = judged("pending.time.hijack_hard", 0, 10, 10).unwrap();
        assert_eq!((undecided.met, undecided.verdict()), (None, "not yet decided"));
        assert_eq!(judged("intent.gated", 1, 2, 0).unwrap().verdict(), "");
        assert!(judged("pending.time.hijack_hard", 0, 0, 0).is_none(), "without a case there is no figure");
    }

    #[test]
    fn every_figure_is_there_once() {
        for goal in GOALS {
            assert_eq!(GOALS.iter().filter(|other| other.key == goal.key).count(), 1, "{}", goal.key);
        }
        assert!(counts_mistakes("selection.offers.wrong") && !counts_mistakes("selection.offers.right"));
    }

    #[test]
    fn a_figure_bears_the_rest_of_its_own_kind() {
        let of = |hits| Rate { hits, of: 10, undecided: 0 };
        let figures =
            vec![("pending.boolean.recall".into(), of(9)), ("pending.time.hijack_easy".into(), of(0))];
        let rest = vec![("pending.boolean.".into(), of(3)), ("closing.".into(), of(5))];
        let judged = judge(&[Section { figures, rest, ..Section::default() }]);
        assert_eq!(judged.iter().map(|figure| figure.rest).collect::<Vec<_>>(), [Some(of(3)), None]);
    }
}
