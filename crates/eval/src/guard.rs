//! Counts for the selection guardrails, over the turns of an eval or of recorded lanes. Both use one count, so that
//! figures before and after a rollout step can be compared.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use throughline_engine::data::id::SetId;
use throughline_engine::data::selection_trace::{SelectionTrace, Signal};
use throughline_engine::data::trace::{Predicate, Trace};
use throughline_engine::{Decision, EventKind, Millis, Reason, Rung, Timestamp, Verdict};

use crate::{Rate, Table};
use throughline_testkit::Recorded;

/// Counts for the selection guardrails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardCounts {
    /// Turns that were about an option of a list.
    pub turns: usize,
    /// Turns that executed an option that was not meant.
    pub wrong: usize,
    /// Turns that asked the person something, about the list or at the gate.
    pub asked: usize,
    /// Turns that left the list alone for another rung.
    pub passed: usize,
    /// Second calls to a model.
    pub retries: usize,
    /// Second calls to a model without new evidence.
    pub unchanged: usize,
    /// The 95th percentile from acceptance to the final decision, in milliseconds; `None` if it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<Millis>,
}

impl GuardCounts {
    /// Returns the share of turns that executed an option that was not meant.
    #[must_use]
    pub fn wrong_actions(&self) -> Rate {
        Rate { hits: self.wrong, of: self.turns, undecided: 0 }
    }

    /// Returns the share of turns that asked a question.
    #[must_use]
    pub fn clarifiers(&self) -> Rate {
        Rate { hits: self.asked, of: self.turns, undecided: 0 }
    }

    /// Returns the share of turns that passed the text to another rung.
    #[must_use]
    pub fn passes(&self) -> Rate {
        Rate { hits: self.passed, of: self.turns, undecided: 0 }
    }

    /// Returns the share of second calls that showed the model nothing new.
    #[must_use]
    pub fn unchanged_retries(&self) -> Rate {
        Rate { hits: self.unchanged, of: self.retries, undecided: 0 }
    }

    pub(crate) fn table(&self, title: &'static str) -> Table {
        let mut table = Table::new("watched", title, &["figure", "seen", "of"]);
        for (name, rate) in [
            ("wrong actions", self.wrong_actions()),
            ("clarifiers", self.clarifiers()),
            ("passes", self.passes()),
            ("unchanged retries", self.unchanged_retries()),
        ] {
            table.rows.push(vec![name.into(), rate.into(), rate.of.into()]);
        }
        let wait = self.p95_ms.map_or_else(|| "–".into(), |ms| format!("{ms} ms"));
        table.rows.push(vec!["p95 to the decision".into(), wait.as_str().into(), self.turns.into()]);
        table
    }
}

/// The outcome of one turn for its author.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TurnOutcome<'t> {
    /// The option that is executed.
    pub(crate) to: Option<&'t str>,
    /// True if the person is asked something, by the list or by the gate. Both count, so that runs with and without
    /// lists can be compared.
    pub(crate) asked: bool,
    /// True if the list is left alone.
    pub(crate) left: bool,
}

impl<'t> TurnOutcome<'t> {
    /// Returns the outcome; none yet for a turn that waits for a model.
    pub(crate) fn of(decision: &Decision, account: Option<&'t SelectionTrace>) -> Option<Self> {
        if decision.outcome == Verdict::Deferred {
            return None;
        }
        if let Some(option) = account.and_then(|account| account.selected.as_deref()) {
            return Some(Self { to: Some(option), ..Self::default() });
        }
        let here =
            decision.rung == Rung::Selection || account.is_some_and(|account| !account.clarify.is_empty());
        let below = decision.outcome == Verdict::Asked || decision.reason == Reason::GateOpened;
        Some(Self { to: None, asked: here || below, left: !here })
    }
}

/// Counts the turns of one lane after the other, each in order.
#[derive(Debug, Default)]
pub struct GuardCounter {
    seen: GuardCounts,
    waits: Vec<Millis>,
    /// The last execution of each person in this lane.
    done: BTreeMap<String, Done>,
    /// Texts that wait for a model, by their cycle: the author, and the time of acceptance.
    open: BTreeMap<String, (String, Timestamp)>,
    /// The number of further texts within which an execution can be taken back.
    repair: u64,
}

#[derive(Debug)]
struct Done {
    set: SetId,
    option: String,
    /// Texts of that person since.
    texts: u64,
}

impl GuardCounter {
    /// Makes a counter. An execution counts as wrong if it is taken back within `repair` texts of its person
    /// (`selection.ttl.repair`).
    #[must_use]
    pub fn new(repair: u64) -> Self {
        Self { repair, ..Self::default() }
    }

    /// Counts one recorded turn of this lane.
    pub fn turn(&mut self, turn: &Recorded) {
        let text = matches!(turn.event.kind, EventKind::MessagePosted(_));
        if let (true, Some(done)) = (text, self.done.get_mut(&turn.event.actor)) {
            done.texts += 1;
        }
        let Some(account) = turn.summary.trace.selection.as_deref() else { return };
        self.model(account);
        let Some((by, since)) = self.begun(turn, account) else { return };
        let decision = &turn.summary.decision;
        let Some(outcome) = TurnOutcome::of(decision, Some(account)) else {
            self.open.extend(account.cycle.clone().map(|cycle| (cycle, (by, since))));
            return;
        };
        // A text that was read without a list does not count.
        if outcome.left && !read_against_one(&turn.summary.trace) {
            return;
        }
        self.seen.wrong += usize::from(self.takes_back(&by, decision.reason, account));
        self.count(outcome, Some(turn.summary.at.since(since)));
        if let (Some(option), Some(set)) = (outcome.to, &account.set) {
            self.done.insert(by, Done { set: set.clone(), option: option.to_owned(), texts: 0 });
        }
    }

    /// Returns the author and the time of acceptance of the text or press this turn decides.
    fn begun(&mut self, turn: &Recorded, account: &SelectionTrace) -> Option<(String, Timestamp)> {
        match turn.event.kind {
            EventKind::MessagePosted(_) | EventKind::CardPressed { .. } => {
                Some((turn.event.actor.clone(), turn.event.received_at))
            }
            EventKind::EffectSettled { .. } => self.open.remove(account.cycle.as_ref()?),
            _ => None,
        }
    }

    /// Begins another lane.
    pub fn next_lane(&mut self) {
        self.done.clear();
        self.open.clear();
    }

    /// Returns the counts.
    #[must_use]
    pub fn seen(mut self) -> GuardCounts {
        self.waits.sort_unstable();
        let p95 = (self.waits.len() * 95).div_ceil(100).checked_sub(1);
        GuardCounts { p95_ms: p95.and_then(|at| self.waits.get(at).copied()), ..self.seen }
    }

    pub(crate) fn count(&mut self, outcome: TurnOutcome<'_>, wait: Option<Millis>) {
        self.seen.turns += 1;
        self.seen.asked += usize::from(outcome.asked);
        self.seen.passed += usize::from(outcome.left);
        self.waits.extend(wait);
    }

    pub(crate) fn was_wrong(&mut self) {
        self.seen.wrong += 1;
    }

    fn model(&mut self, account: &SelectionTrace) {
        if account.signals.contains(&Signal::AskedAgain) {
            self.seen.retries += 1;
            self.seen.unchanged += usize::from(account.fingerprint_before == account.fingerprint_after);
        }
    }

    /// Returns true if the turn takes back the person's recent execution: it picks another option or rejects that
    /// one. A list without that option is then asked about.
    fn takes_back(&mut self, by: &str, reason: Reason, account: &SelectionTrace) -> bool {
        let Some(done) = self.done.get(by).filter(|done| done.texts <= self.repair) else { return false };
        if account.set.as_ref() != Some(&done.set) {
            return false;
        }
        let back = match reason {
            Reason::OptionCorrected => account.selected.as_deref() != Some(&done.option),
            Reason::RepairRemaining => !account.clarify.contains(&done.option),
            Reason::ListRejected => true,
            _ => false,
        };
        if back {
            self.done.remove(by);
        }
        back
    }
}

/// Returns true if the selection rung had a list and left it alone.
fn read_against_one(trace: &Trace) -> bool {
    let without = [Predicate::NoOptions, Predicate::SelectionOff];
    trace.passed.iter().any(|passed| passed.rung() == Rung::Selection && !without.contains(passed))
}

#[cfg(test)]
mod tests {
    use throughline_engine::data::effect::Outcome;
    use throughline_engine::data::event::{Event, MessagePosted, Press};
    use throughline_engine::data::fault::Fault;
    use throughline_engine::data::trace::TurnSummary;
    use throughline_engine::{EffectId, TurnId};

    use super::*;

    /// A lane's log under construction.
    #[derive(Default)]
    struct Log {
        watch: GuardCounter,
        clock: i64,
    }

    impl Log {
        fn new() -> Self {
            Self { watch: GuardCounter::new(2), ..Self::default() }
        }

        /// Adds a turn that was decided `wait` milliseconds after its acceptance.
        fn turn(
            &mut self,
            kind: EventKind,
            by: &str,
            wait: Millis,
            decision: Decision,
            account: SelectionTrace,
        ) {
            self.clock += 60_000;
            let of_a_list = account.set.is_some();
            let passed = vec![if of_a_list { Predicate::NotAnOption } else { Predicate::NoOptions }];
            let received_at = Timestamp(self.clock);
            let summary = TurnSummary {
                turn: TurnId::from("tn_1"),
                at: received_at.plus(wait),
                event: kind.name().into(),
                decision,
                trace: Trace { passed, selection: Some(Box::new(account)), ..Trace::default() },
                effects: Vec::new(),
            };
            let event = Event { id: "e".into(), received_at, actor: by.into(), kind };
            let turn =
                Recorded { revision: 1, event, given: Default::default(), summary, messages: Vec::new() };
            self.watch.turn(&turn);
        }

        fn says(&mut self, by: &str, outcome: Verdict, reason: Reason, account: SelectionTrace) {
            let posted = EventKind::MessagePosted(MessagePosted::default());
            self.turn(posted, by, 5, Decision::new(outcome, reason), account);
        }

        fn picks(&mut self, by: &str, option: &str) {
            self.says(by, Verdict::Done, Reason::OptionLabel, picked(option));
        }

        fn settles(&mut self, wait: Millis, decision: Decision, account: SelectionTrace) {
            let outcome = Outcome::Uncertain { text: Fault::Said("?".into()) };
            let kind = EventKind::EffectSettled {
                effect: EffectId::from("fx_1"),
                outcome,
                card: None,
                task: None,
                unshown: None,
            };
            self.turn(kind, "", wait, decision, account);
        }

        fn seen(self) -> (usize, usize, usize, usize) {
            let seen = self.watch.seen();
            (seen.turns, seen.wrong, seen.asked, seen.passed)
        }
    }

    fn listed() -> SelectionTrace {
        SelectionTrace { set: Some(SetId::from("os1-a")), ..SelectionTrace::default() }
    }

    fn picked(option: &str) -> SelectionTrace {
        SelectionTrace { selected: Some(option.into()), ..listed() }
    }

    fn asks(options: &[&str]) -> SelectionTrace {
        SelectionTrace { clarify: options.iter().map(|option| (*option).into()).collect(), ..listed() }
    }

    #[test]
    fn executions_questions_and_passes_are_counted() {
        let mut log = Log::new();
        log.picks("ana", "a");
        log.says("ana", Verdict::Asked, Reason::OptionNoMatch, asks(&["a", "b"]));
        log.says("ana", Verdict::Answered, Reason::IntentRule, listed());
        log.says("ana", Verdict::Shown, Reason::GateOpened, listed());
        // There was no list to read against.
        log.says("ana", Verdict::Shown, Reason::GateOpened, SelectionTrace::default());
        assert_eq!(log.seen(), (4, 0, 2, 2));
    }

    /// An execution taken back within two texts is wrong, once; by another person, in another list or later, it is
    /// not.
    #[test]
    fn an_execution_taken_back_was_wrong() {
        let corrected = || (Reason::OptionCorrected, picked("b"));
        let not_that = || (Reason::RepairRemaining, asks(&["b", "c"]));
        let other_set = SelectionTrace { set: Some(SetId::from("os1-b")), ..picked("b") };
        for (by, texts, (reason, account), wrong) in [
            ("ana", 0, corrected(), 1),
            ("ana", 1, corrected(), 1),
            ("ana", 2, corrected(), 0),
            ("bob", 0, corrected(), 0),
            ("ana", 0, (Reason::OptionCorrected, other_set), 0),
            ("ana", 0, not_that(), 1),
            ("ana", 0, (Reason::ListRejected, listed()), 1),
            // "Not the second" asks about the rest of the list.
            ("ana", 0, (Reason::RepairRemaining, asks(&["a", "c"])), 0),
            ("ana", 0, (Reason::OptionLabel, picked("b")), 0),
        ] {
            let mut log = Log::new();
            log.picks("ana", "a");
            for _ in 0..texts {
                log.says("ana", Verdict::Answered, Reason::IntentRule, SelectionTrace::default());
            }
            log.says(by, Verdict::Done, reason, account);
            assert_eq!(log.seen().1, wrong, "{by} {texts} {reason}");
        }
        let mut log = Log::new();
        log.picks("ana", "a");
        log.says("ana", Verdict::Asked, Reason::RepairRemaining, asks(&["b", "c"]));
        log.says("ana", Verdict::Asked, Reason::RepairRemaining, asks(&["c"]));
        assert_eq!(log.seen().1, 1, "it was one execution");
    }

    /// A text that waits for a model is one turn, decided with the last answer.
    #[test]
    fn a_text_that_waits_is_one_turn() {
        let cycle = |account: SelectionTrace| SelectionTrace { cycle: Some("fx_1".into()), ..account };
        let deferred = || Decision::new(Verdict::Deferred, Reason::OptionNoMatch);
        let mut log = Log::new();
        log.says("ana", Verdict::Deferred, Reason::OptionNoMatch, cycle(listed()));
        let prints = |after: &str| SelectionTrace {
            signals: vec![Signal::NeedsMore, Signal::AskedAgain],
            fingerprint_before: Some("one".into()),
            fingerprint_after: Some(after.into()),
            ..cycle(listed())
        };
        log.settles(3, deferred(), prints("two"));
        log.settles(7, Decision::new(Verdict::Done, Reason::OptionLabel), cycle(picked("a")));
        log.settles(9, Decision::new(Verdict::Recorded, Reason::EffectSettled), picked("a"));
        log.says("bob", Verdict::Deferred, Reason::OptionNoMatch, cycle(listed()));
        log.settles(3, deferred(), prints("one"));
        let seen = log.watch.seen();
        assert_eq!((seen.turns, seen.asked, seen.retries, seen.unchanged), (1, 0, 2, 1));
        assert_eq!(seen.p95_ms, Some(120_007), "from the text to the turn that executes");
    }

    #[test]
    fn ninety_five_of_a_hundred_took_no_longer() {
        for (waits, p95) in [(1..=1, 1), (1..=20, 19), (1..=100, 95), (1..=101, 96)] {
            let mut watch = GuardCounter::default();
            waits.rev().for_each(|wait| watch.count(TurnOutcome::default(), Some(wait)));
            assert_eq!(watch.seen().p95_ms, Some(p95));
        }
        assert_eq!(GuardCounter::default().seen().p95_ms, None);
    }

    #[test]
    fn a_press_counts_as_what_it_picks() {
        let mut log = Log::new();
        let press = Press::Option { set: SetId::from("os1-a"), version: 1, option: "a".into() };
        let press = EventKind::CardPressed { press, remember: false };
        log.turn(press, "ana", 5, Decision::new(Verdict::Done, Reason::OptionPressed), picked("a"));
        assert_eq!(log.seen(), (1, 0, 0, 0));
    }
}
