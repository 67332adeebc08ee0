//! What the guardrails of selection watch (`spec 04 §16`), counted over turns: those of an eval, and those that were
//! recorded. The same count for both, so that what was measured before a step is what is seen after it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use throughline_engine::id::SetId;
use throughline_engine::selection::{Account, Signal};
use throughline_engine::{Decision, EventKind, Millis, Reason, Rung, Timestamp, Verdict};

use super::{Rate, Table};
use crate::record::Recorded;

/// The figures that are watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watched {
    /// Turns that were about an option of a list.
    pub turns: usize,
    /// They executed an option that was not meant.
    pub wrong: usize,
    /// They asked the person something.
    pub asked: usize,
    /// They left the list alone, for another rung.
    pub passed: usize,
    /// A model was asked once more.
    pub retries: usize,
    /// It was, although what it saw had not changed.
    pub unchanged: usize,
    /// From acceptance to the final decision, in milliseconds: 95 of 100 turns took no longer. Nothing where nobody
    /// measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<Millis>,
}

impl Watched {
    /// Executed options that were not meant, of all turns.
    #[must_use]
    pub fn wrong_actions(&self) -> Rate {
        Rate { hits: self.wrong, of: self.turns, undecided: 0 }
    }

    /// Questions, of all turns.
    #[must_use]
    pub fn clarifiers(&self) -> Rate {
        Rate { hits: self.asked, of: self.turns, undecided: 0 }
    }

    /// Texts that went on to another rung, of all turns.
    #[must_use]
    pub fn passes(&self) -> Rate {
        Rate { hits: self.passed, of: self.turns, undecided: 0 }
    }

    /// Second questions that showed a model nothing new, of all of them.
    #[must_use]
    pub fn unchanged_retries(&self) -> Rate {
        Rate { hits: self.unchanged, of: self.retries, undecided: 0 }
    }

    pub(super) fn table(&self, title: &'static str) -> Table {
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

/// What one turn came to for who wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Came<'t> {
    /// An option is executed.
    To(&'t str),
    /// The person is asked.
    Asked,
    /// Neither: the list is left alone.
    Passed,
}

impl<'t> Came<'t> {
    /// A turn that waits for a model has come to nothing yet.
    pub(super) fn of(decision: &Decision, account: Option<&'t Account>) -> Option<Self> {
        if decision.outcome == Verdict::Deferred {
            return None;
        }
        if let Some(option) = account.and_then(|account| account.selected.as_deref()) {
            return Some(Self::To(option));
        }
        // What no list takes may be asked about further down: for who wrote it is a question all the same.
        let asks = decision.outcome == Verdict::Asked
            || decision.reason == Reason::GateOpened
            || decision.rung == Rung::Selection
            || account.is_some_and(|account| !account.clarify.is_empty());
        Some(if asks { Self::Asked } else { Self::Passed })
    }
}

/// Counts turns, of one lane after the other, each in order.
#[derive(Debug, Default)]
pub struct Watch {
    seen: Watched,
    waits: Vec<Millis>,
    /// What each person executed last in this lane.
    done: BTreeMap<String, Done>,
    /// Texts that wait for a model, by the cycle they began: who wrote, and when that was taken in.
    open: BTreeMap<String, (String, Timestamp)>,
    /// Within so many further texts an execution can be taken back.
    repair: u64,
}

#[derive(Debug)]
struct Done {
    set: SetId,
    option: String,
    /// Texts of that person since.
    texts: u64,
}

impl Watch {
    /// Counts turns; an execution counts as wrong when it is taken back within so many of the person's texts
    /// (`selection.ttl.repair`).
    #[must_use]
    pub fn new(repair: u64) -> Self {
        Self { repair, ..Self::default() }
    }

    /// One more turn of this lane, as it was recorded.
    pub fn turn(&mut self, turn: &Recorded) {
        let text = matches!(turn.event.kind, EventKind::MessagePosted(_));
        if let (true, Some(done)) = (text, self.done.get_mut(&turn.event.actor)) {
            done.texts += 1;
        }
        let Some(account) = turn.summary.trace.selection.as_deref() else { return };
        self.model(account);
        let Some((by, since)) = self.begun(turn, account) else { return };
        let decision = &turn.summary.decision;
        let Some(came) = Came::of(decision, Some(account)) else {
            self.open.extend(account.cycle.clone().map(|cycle| (cycle, (by, since))));
            return;
        };
        // What was read against no list says nothing of lists.
        if came == Came::Passed && account.set.is_none() {
            return;
        }
        self.seen.wrong += usize::from(self.takes_back(&by, decision.reason, account));
        self.count(came, Some(turn.summary.at.since(since)));
        if let (Came::To(option), Some(set)) = (came, &account.set) {
            self.done.insert(by, Done { set: set.clone(), option: option.to_owned(), texts: 0 });
        }
    }

    /// Who began what this turn decides, and when: a text or a press, or a text that waited for a model.
    fn begun(&mut self, turn: &Recorded, account: &Account) -> Option<(String, Timestamp)> {
        match turn.event.kind {
            EventKind::MessagePosted(_) | EventKind::CardPressed { .. } => {
                Some((turn.event.actor.clone(), turn.event.received_at))
            }
            EventKind::EffectSettled { .. } => self.open.remove(account.cycle.as_ref()?),
            _ => None,
        }
    }

    /// The next turns are of another lane.
    pub fn next_lane(&mut self) {
        self.done.clear();
        self.open.clear();
    }

    /// What was counted.
    #[must_use]
    pub fn seen(mut self) -> Watched {
        self.waits.sort_unstable();
        let p95 = (self.waits.len() * 95).div_ceil(100).checked_sub(1);
        Watched { p95_ms: p95.and_then(|at| self.waits.get(at).copied()), ..self.seen }
    }

    pub(super) fn count(&mut self, came: Came<'_>, wait: Option<Millis>) {
        self.seen.turns += 1;
        match came {
            Came::To(_) => {}
            Came::Asked => self.seen.asked += 1,
            Came::Passed => self.seen.passed += 1,
        }
        self.waits.extend(wait);
    }

    pub(super) fn was_wrong(&mut self) {
        self.seen.wrong += 1;
    }

    fn model(&mut self, account: &Account) {
        if account.signals.contains(&Signal::AskedAgain) {
            self.seen.retries += 1;
            self.seen.unchanged += usize::from(account.fingerprint_before == account.fingerprint_after);
        }
    }

    /// This turn takes back what the person executed a little while ago: picks another instead, or says no to it. A list
    /// without that option is what is asked then.
    fn takes_back(&mut self, by: &str, reason: Reason, account: &Account) -> bool {
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
