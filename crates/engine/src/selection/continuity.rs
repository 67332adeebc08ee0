//! Continuity: the gates a reference has to pass before it executes. The first gate that fails gives the
//! reason. The ladder asks them before a model is asked, and once more after a model could not tell
//! (docs/design/0022-choosing-an-option.md).

use alloc::format;
use alloc::string::String;

use crate::data::decision::Reason;
use crate::data::option_set::OptionSet;
use crate::data::policy::selection::Ttl;
use crate::data::set_option::OptionMask;
use crate::data::set_option::OptionRole;
use crate::data::time::Timestamp;
use crate::data::view::View;
use crate::selection::exact_match::Reading;

/// The continuity gate that failed. Its name is recorded in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailedGate {
    UiOnly,
    NullOptionSetId,
    OptionSetMismatch,
    ScopeMismatch,
    NotDenoted,
    AllCandidatesRejected,
    Ambiguous(u32),
    ReadingCollision,
    LoopGuardSameCycle,
    LoopGuard,
}

impl FailedGate {
    /// Returns the gate's name as the trace records it.
    pub(crate) fn name(self) -> String {
        match self {
            Self::UiOnly => "ui_only".into(),
            Self::NullOptionSetId => "null_option_set_id".into(),
            Self::OptionSetMismatch => "option_set_mismatch".into(),
            Self::ScopeMismatch => "scope_mismatch".into(),
            Self::NotDenoted => "not_denoted".into(),
            Self::AllCandidatesRejected => "all_candidates_rejected".into(),
            Self::Ambiguous(n) => format!("ambiguous_{n}_candidates"),
            Self::ReadingCollision => "reading_collision".into(),
            Self::LoopGuardSameCycle => "loop_guard_same_cycle".into(),
            Self::LoopGuard => "loop_guard".into(),
        }
    }

    /// Returns the reason recorded for the turn. Most gates mean that the reference is unresolved.
    pub(crate) fn reason(self) -> Reason {
        match self {
            Self::UiOnly => Reason::OptionsOnly,
            Self::ReadingCollision => Reason::OptionCollision,
            Self::LoopGuardSameCycle => Reason::LoopGuardSameCycle,
            Self::LoopGuard => Reason::LoopGuard,
            _ => Reason::OptionUnreferenced,
        }
    }
}

/// A text's reading with the state the gates look at.
pub(crate) struct Continuity<'c> {
    pub(crate) view: &'c View,
    /// The list the text is about.
    pub(crate) set: &'c OptionSet,
    pub(crate) reading: Reading,
    /// True if this text was put to a model before.
    pub(crate) guarded: bool,
    pub(crate) ttl: &'c Ttl,
    /// The moment the text was received: it refers to nothing that was done later.
    pub(crate) since: Timestamp,
    pub(crate) now: Timestamp,
}

impl Continuity<'_> {
    /// Returns the base-order index of the option that may execute, or the first gate that failed.
    pub(crate) fn allowed_option(&self) -> Result<usize, FailedGate> {
        let Self { view, set, .. } = self;
        if !set.is_executable() {
            return Err(FailedGate::UiOnly);
        }
        let active = view.active_option_set_id.as_ref().ok_or(FailedGate::NullOptionSetId)?;
        if *active != set.id {
            return Err(FailedGate::OptionSetMismatch);
        }
        if view.active_scope != Some(set.scope) {
            return Err(FailedGate::ScopeMismatch);
        }
        let (denoted, exactly, again) = match self.reading {
            Reading::One(option, _) => (1 << option, true, true),
            Reading::Reference { again } => (self.denoted(again), false, again),
            Reading::Tie(_) | Reading::Collision(_) => return Err(FailedGate::ReadingCollision),
            Reading::OutOfRange | Reading::Several | Reading::Compared(_) | Reading::Nothing => {
                return Err(FailedGate::NotDenoted);
            }
        };
        if self.open() == 0 && !exactly {
            return Err(FailedGate::AllCandidatesRejected);
        }
        if denoted.count_ones() != 1 {
            return Err(FailedGate::Ambiguous(denoted.count_ones()));
        }
        let option = denoted.trailing_zeros() as usize;
        if !exactly && self.suggested().is_some_and(|suggested| suggested != option) {
            return Err(FailedGate::Ambiguous(2));
        }
        if !again && self.last() == Some(option) {
            return Err(FailedGate::LoopGuardSameCycle);
        }
        if self.guarded {
            return Err(FailedGate::LoopGuard);
        }
        Ok(option)
    }

    /// The options a pure reference denotes: the last one executed and the only one not rejected. With
    /// "again", only the last one executed.
    fn denoted(&self, again: bool) -> OptionMask {
        let last = self.last().map_or(0, |option| 1 << option);
        if again {
            return last;
        }
        let open = self.open();
        let only = if open.count_ones() == 1 { open } else { 0 };
        (last & open) | only
    }

    /// The option of this list that the newest question suggests.
    fn suggested(&self) -> Option<usize> {
        let asked = self.view.clarifier.as_ref().filter(|asked| asked.set.as_ref() == Some(&self.set.id))?;
        self.set.option(asked.suggests.as_deref()?).map(|(option, _)| option)
    }

    /// The options that are not rejected.
    fn open(&self) -> OptionMask {
        self.set.those(|option| {
            option.role == OptionRole::Normal && !self.view.rejected_in(&self.set.id, &option.id)
        })
    }

    /// The option executed last, if it belongs to this list and is recent.
    fn last(&self) -> Option<usize> {
        let last = self.view.last_resolved_action.as_ref()?;
        let here = last.option_set_id.as_ref() == Some(&self.set.id);
        let fresh = self.view.within(last.turn, self.ttl.reference)
            && last.timestamp <= self.since
            && self.now.since(last.timestamp) <= self.ttl.reference_ms;
        let (option, _) = self.set.option(&last.target_ref.id).filter(|_| here && fresh)?;
        last.still_is(self.set.identity(option).as_ref()).then_some(option)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::call::Risk;
    use crate::data::option_names::MatchedBy;
    use crate::data::option_set::{OptionSetOrigin, OptionsShown};
    use crate::data::scope::Scope;
    use crate::data::set_option::{Metadata, OptionRole, SetOption};
    use crate::data::view::{ActionKind, ActionOutcome, TargetRef, TraceEntry};
    use alloc::vec::Vec;

    fn f1() -> OptionSet {
        let option = |id: &str| SetOption {
            id: id.into(),
            label: id.into(),
            sublabel: None,
            badge: None,
            aliases: Vec::new(),
            metadata: Metadata::default(),
            fields: crate::data::field::Fields::new(),
            role: OptionRole::Normal,
            repeatable: true,
            exec_ref: Some("open".into()),
            risk: Risk::Read,
        };
        let shown = OptionsShown {
            scope: Scope::Chat,
            scope_instance: "lane-1".into(),
            title: None,
            user: None,
            options: ["opt-0", "opt-1", "opt-2"].map(option).into(),
            refreshable: false,
            message_id: None,
            displayed: None,
            focused_option: None,
            numbers_from: 1,
            comparisons: Vec::new(),
            asked: false,
        };
        OptionSet::from_shown(&shown, OptionSetOrigin::Host).unwrap()
    }

    fn view(set: &OptionSet, rejected: &[&str], last: Option<&str>) -> View {
        let entry = |id: &str| TraceEntry {
            kind: ActionKind::SelectOption,
            target_ref: TargetRef { kind: "choice".into(), id: id.into(), label: id.into() },
            source_scope: Scope::Chat,
            option_set_id: Some(set.id.clone()),
            timestamp: Timestamp(0),
            outcome: ActionOutcome::Success,
            turn: 0,
            executed: set.option(id).and_then(|(at, _)| set.identity(at)),
        };
        View {
            active_option_set_id: Some(set.id.clone()),
            active_scope: Some(Scope::Chat),
            last_resolved_action: last.map(entry),
            recent_rejected_choice_ids: rejected.iter().map(|id| (*id).into()).collect(),
            ..View::default()
        }
    }

    fn winner(view: &View, set: &OptionSet, reading: Reading) -> Result<usize, FailedGate> {
        let ttl = Ttl::default();
        Continuity { view, set, reading, guarded: false, ttl: &ttl, since: Timestamp(0), now: Timestamp(0) }
            .allowed_option()
    }

    const THAT: Reading = Reading::Reference { again: false };
    const AGAIN: Reading = Reading::Reference { again: true };

    #[test]
    fn a_reference_denotes_one_thing_or_none() {
        let set = f1();
        for (rejected, last, reading, expected) in [
            (&["opt-0", "opt-1"][..], None, THAT, Ok(2)),
            (&["opt-0"], None, THAT, Err(FailedGate::Ambiguous(0))),
            (&[], Some("opt-2"), THAT, Err(FailedGate::LoopGuardSameCycle)),
            (&["opt-0", "opt-1"], Some("opt-2"), THAT, Err(FailedGate::LoopGuardSameCycle)),
            (&["opt-0", "opt-1"], Some("opt-2"), AGAIN, Ok(2)),
            (&["opt-0", "opt-1"], Some("opt-1"), THAT, Ok(2)),
            (&["opt-0", "opt-1", "opt-2"], None, THAT, Err(FailedGate::AllCandidatesRejected)),
            (&["opt-0", "opt-1"], None, Reading::One(0, MatchedBy::Label), Ok(0)),
            (&["opt-0", "opt-1"], None, Reading::Nothing, Err(FailedGate::NotDenoted)),
        ] {
            assert_eq!(winner(&view(&set, rejected, last), &set, reading), expected, "{rejected:?} {last:?}");
        }
    }

    #[test]
    fn nothing_is_executed_from_a_list_that_is_not_the_active_one() {
        let set = f1();
        let empty = View::default();
        assert_eq!(winner(&empty, &set, Reading::One(0, MatchedBy::Label)), Err(FailedGate::NullOptionSetId));
        let other = View { active_option_set_id: Some("os1-x".into()), ..view(&set, &[], None) };
        assert_eq!(
            winner(&other, &set, Reading::One(0, MatchedBy::Label)),
            Err(FailedGate::OptionSetMismatch)
        );
        let elsewhere = View { active_scope: Some(Scope::Widget), ..view(&set, &[], None) };
        assert_eq!(
            winner(&elsewhere, &set, Reading::One(0, MatchedBy::Label)),
            Err(FailedGate::ScopeMismatch)
        );
    }

    #[test]
    fn what_was_done_long_ago_is_not_meant() {
        let set = f1();
        let ttl = Ttl::default();
        let late = View { turn: ttl.reference + 1, ..view(&set, &[], Some("opt-2")) };
        assert_eq!(winner(&late, &set, AGAIN), Err(FailedGate::Ambiguous(0)));
    }
}
