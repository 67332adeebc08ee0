//! The life of lists in one person's view: at most one executable list is active, others are parked, and only
//! a few things bring one back (docs/design/0021-option-lists.md).

use alloc::string::String;
use core::ops::Range;

use crate::data::id::SetId;
use crate::data::option_set::OptionSet;
use crate::data::policy::selection::SelectionPolicy;
use crate::data::scope::Scope;
use crate::data::time::Timestamp;
use crate::data::view::{ClarifierType, ListState, ListStatus, ParkReason, TraceEntry, View};

/// The properties of a list that matter to the others: its place, its numbers, and if its options can execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListKind {
    pub(crate) scope: Scope,
    pub(crate) instance: String,
    pub(crate) executable: bool,
    /// The numbers of the options that it was last shown with, by whoever it was shown to.
    pub(crate) numbers: Range<usize>,
}

impl From<&OptionSet> for ListKind {
    fn from(set: &OptionSet) -> Self {
        Self {
            scope: set.scope,
            instance: set.scope_instance.clone(),
            executable: set.is_executable(),
            numbers: set.numbers(),
        }
    }
}

impl ListKind {
    /// True if the given list replaces this one: any list of the chat does so in the chat, elsewhere only one
    /// of the same panel. Only an executable list is replaced, and another page of the same list is not.
    fn replaced_by(&self, set: &OptionSet) -> bool {
        self.executable
            && self.scope == set.scope
            && (self.scope == Scope::Chat || self.instance == set.scope_instance)
            && !self.has_page(set)
    }

    /// True if the given list is a later page of this one: of the same place, with other numbers.
    fn has_page(&self, set: &OptionSet) -> bool {
        set.numbers().start > 1 && set.is_apart(&self.numbers) && self.instance == set.scope_instance
    }
}

impl View {
    /// Adds a list that is shown. `kinds` gives the properties of the view's lists. A list that is shown again keeps its state
    /// and lives on, and one that the person left stays left; but one that another list displaced, or another request, is the newest again.
    pub(crate) fn add_list(
        &mut self,
        set: &OptionSet,
        at: Timestamp,
        policy: &SelectionPolicy,
        kinds: impl Fn(&SetId) -> Option<ListKind>,
    ) {
        let turn = self.turn;
        if let Some(standing) = self.standings.iter_mut().find(|standing| standing.set == set.id) {
            standing.seen = turn;
            match standing.status {
                ListStatus::Active => (standing.turn, standing.at) = (turn, at),
                ListStatus::Parked(ParkReason::Stop | ParkReason::Attempts) => {}
                ListStatus::Soft | ListStatus::Parked(ParkReason::Displaced | ParkReason::Interrupt) => {
                    if set.is_executable() {
                        self.revive(set, at, kinds);
                    }
                }
            }
            return;
        }
        if set.is_executable() {
            self.make_room(set, turn, at, &kinds);
            self.activate(set);
        }
        self.standings.push(ListState {
            set: set.id.clone(),
            status: ListStatus::Active,
            turn,
            at,
            seen: turn,
        });
        while self.standings.len() > policy.max_sets {
            let other = |standing: &&ListState| self.active_option_set_id.as_ref() != Some(&standing.set);
            let Some(oldest) = self.standings.iter().find(other).map(|standing| standing.set.clone()) else {
                break;
            };
            self.remove_list(&oldest);
        }
    }

    /// Makes a parked list active again after a cue, a return or a reply.
    pub(crate) fn revive(
        &mut self,
        set: &OptionSet,
        at: Timestamp,
        kinds: impl Fn(&SetId) -> Option<ListKind>,
    ) {
        let turn = self.turn;
        self.displace(turn, at, &kinds);
        for standing in self.standings.iter_mut().filter(|standing| standing.set == set.id) {
            *standing = ListState { set: set.id.clone(), status: ListStatus::Active, turn, at, seen: turn };
        }
        if self.active_option_set_id.as_ref() != Some(&set.id) {
            self.activate(set);
        }
    }

    /// Drops lists of the same place and parks those of others.
    fn make_room(
        &mut self,
        set: &OptionSet,
        turn: u64,
        at: Timestamp,
        kinds: &impl Fn(&SetId) -> Option<ListKind>,
    ) {
        let latched = self.latch.as_ref().map(|latch| latch.instance.clone());
        self.standings.retain(|standing| kinds(&standing.set).is_some_and(|kind| !kind.replaced_by(set)));
        // Another panel shows a new list: that one is acted in now, not the latched one.
        if set.scope == Scope::Widget && latched.is_some_and(|latched| latched != set.scope_instance) {
            self.latch = None;
        }
        self.displace(turn, at, kinds);
    }

    /// Parks the executable lists that are active or soft. Lists that are only displayed stay.
    fn displace(&mut self, turn: u64, at: Timestamp, kinds: &impl Fn(&SetId) -> Option<ListKind>) {
        let executable = |set: &SetId| kinds(set).is_some_and(|kind| kind.executable);
        for standing in self.standings.iter_mut().filter(|standing| executable(&standing.set)) {
            if matches!(standing.status, ListStatus::Active | ListStatus::Soft) {
                standing.status = ListStatus::Parked(ParkReason::Displaced);
                (standing.turn, standing.at) = (turn, at);
            }
        }
    }

    /// Makes a list the active one. Questions about the one before are forgotten.
    pub(crate) fn activate(&mut self, set: &OptionSet) {
        self.active_option_set_id = Some(set.id.clone());
        self.active_scope = Some(set.scope);
        self.forget_questions();
        // Rejections belong to their list: they are still there when the same list becomes active again.
        if self.rejected_of.as_ref() != Some(&set.id) {
            self.recent_rejected_choice_ids.clear();
            self.all_rejected = false;
            self.rejected_of = Some(set.id.clone());
        }
    }

    pub(crate) fn forget_questions(&mut self) {
        self.guard = None;
        self.attempts = 0;
        self.pending_clarifier_type = ClarifierType::None;
        self.clarifier = None;
        self.refined = None;
        self.denied = None;
    }

    /// Forgets the guard of the active list after its options were reworded. Rejections stay.
    pub(crate) fn reworded(&mut self, set: &SetId) {
        if self.active_option_set_id.as_ref() == Some(set) {
            self.guard = None;
            self.attempts = 0;
        }
    }

    /// Lets a list live on as if it was new, after a question about it: another subject ends it, not how often it is asked about.
    pub(crate) fn keep_alive(&mut self, set: &SetId, about: bool, at: Timestamp) {
        let turn = self.turn;
        for standing in self.standings.iter_mut().filter(|standing| about && standing.set == *set) {
            (standing.turn, standing.at) = (turn, at);
        }
    }

    /// Parks the active list.
    pub(crate) fn park(&mut self, why: ParkReason, at: Timestamp) {
        let (turn, active) = (self.turn, self.active_option_set_id.take());
        self.active_scope = None;
        self.attempts = 0;
        self.pending_clarifier_type = ClarifierType::None;
        let Some(active) = active else { return };
        for standing in self.standings.iter_mut().filter(|standing| standing.set == active) {
            standing.status = ListStatus::Parked(why);
            (standing.turn, standing.at) = (turn, at);
        }
    }

    /// Removes a list that was closed, replaced or has expired.
    pub(crate) fn remove_list(&mut self, set: &SetId) {
        self.standings.retain(|standing| standing.set != *set);
        if self.rejected_of.as_ref() == Some(set) {
            self.recent_rejected_choice_ids.clear();
            self.all_rejected = false;
            self.rejected_of = None;
        }
        if self.active_option_set_id.as_ref() == Some(set) {
            self.active_option_set_id = None;
            self.active_scope = None;
            self.forget_questions();
        }
    }

    /// Records that an option was executed with success. A list of the chat becomes soft; others are still on
    /// the screen and keep their state.
    pub(crate) fn record_execution(
        &mut self,
        set: &OptionSet,
        option: &str,
        at: Timestamp,
        policy: &SelectionPolicy,
    ) {
        newest_first(&mut self.recent_accepted_choice_ids, option, policy.trace);
        self.last_accepted_choice_id = Some(option.into());
        // A newer question may be open by now, and it stays open.
        if self.active_option_set_id.as_ref() == Some(&set.id) && self.clarifier.is_none() {
            self.pending_clarifier_type = ClarifierType::None;
            self.attempts = 0;
        }
        let turn = self.turn;
        for standing in self.standings.iter_mut().filter(|standing| standing.set == set.id) {
            standing.seen = turn;
            if set.scope == Scope::Chat && matches!(standing.status, ListStatus::Active | ListStatus::Soft) {
                standing.status = ListStatus::Soft;
                (standing.turn, standing.at) = (turn, at);
            }
        }
    }

    /// Rejects an option of the active list.
    pub(crate) fn reject(&mut self, option: &str, policy: &SelectionPolicy) {
        newest_first(&mut self.recent_rejected_choice_ids, option, policy.trace);
    }

    /// Lifts the rejection of an option that was named exactly.
    pub(crate) fn unreject(&mut self, option: &str) {
        self.recent_rejected_choice_ids.retain(|id| id != option);
        self.all_rejected = false;
    }

    /// Counts a turn and ends what has outlived its lifetime.
    pub(crate) fn tick(
        &mut self,
        now: Timestamp,
        policy: &SelectionPolicy,
        kinds: impl Fn(&SetId) -> Option<ListKind>,
    ) {
        self.turn += 1;
        self.forget_old(policy);
        self.expire(now, policy, kinds);
    }

    /// Forgets the latch, the kept text and other state whose lifetime is counted in turns alone.
    fn forget_old(&mut self, policy: &SelectionPolicy) {
        let turn = self.turn;
        let old = |since: u64, turns: u64| turn.saturating_sub(since) > turns;
        let ttl = &policy.ttl;
        self.latch = self
            .latch
            .take()
            .filter(|latch| !old(latch.turn, if latch.resolved { ttl.latch } else { ttl.latch_pending }));
        self.scope_question =
            self.scope_question.take().filter(|question| !old(question.turn, ttl.scope_question));
        self.stopped = self.stopped.filter(|since| !old(*since, ttl.stop_suppression));
        self.denied = self.denied.filter(|since| !old(*since, 1));
        self.refined = self.refined.filter(|since| !old(*since, 1));
    }

    /// True if the view holds nothing that a text could be read against.
    pub(crate) fn is_spent(&self, now: Timestamp, policy: &SelectionPolicy) -> bool {
        let fresh = |entry: &TraceEntry| now.since(entry.timestamp) <= policy.ttl.active_host_ms;
        self.standings.is_empty() && self.in_flight.is_empty() && !self.recent_action_trace.iter().any(fresh)
    }

    /// Removes the lists that have outlived their lifetime in turns or milliseconds.
    pub(crate) fn expire(
        &mut self,
        now: Timestamp,
        policy: &SelectionPolicy,
        kinds: impl Fn(&SetId) -> Option<ListKind>,
    ) {
        let ttl = &policy.ttl;
        let turn = self.turn;
        let over = |standing: &ListState| {
            let turns = turn.saturating_sub(standing.turn);
            let time = now.since(standing.at);
            let chat = kinds(&standing.set).is_some_and(|kind| kind.scope == Scope::Chat);
            match standing.status {
                ListStatus::Active if chat => turns > ttl.active_chat || time > ttl.active_chat_ms,
                ListStatus::Active => time > ttl.active_host_ms,
                ListStatus::Soft => turns > ttl.soft,
                ListStatus::Parked(_) => turns > ttl.parked || time > ttl.parked_ms,
            }
        };
        let gone: alloc::vec::Vec<SetId> = self
            .standings
            .iter()
            .filter(|standing| over(standing))
            .map(|standing| standing.set.clone())
            .collect();
        for set in &gone {
            self.remove_list(set);
        }
    }
}

/// Moves or adds an id to the front and keeps at most `most`.
fn newest_first(ids: &mut alloc::vec::Vec<alloc::string::String>, id: &str, most: usize) {
    ids.retain(|known| known != id);
    ids.insert(0, id.into());
    ids.truncate(most);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::call::Risk;
    use crate::data::option_set::{OptionSetOrigin, OptionsShown};
    use crate::data::set_option::{Metadata, OptionRole, SetOption};
    use alloc::format;
    use alloc::vec::Vec;

    const ALL: [&str; 4] = ["a", "b", "c", "d"];

    fn set(scope: Scope, instance: &str, exec: bool) -> OptionSet {
        let option = |id: &&str| SetOption {
            id: (*id).into(),
            label: format!("Option {id}"),
            sublabel: None,
            badge: None,
            aliases: Vec::new(),
            metadata: Metadata::default(),
            fields: crate::data::field::Fields::new(),
            role: OptionRole::Normal,
            repeatable: true,
            exec_ref: exec.then(|| "open".into()),
            risk: Risk::Read,
        };
        let shown = OptionsShown {
            scope,
            scope_instance: instance.into(),
            title: None,
            user: None,
            options: ALL.iter().map(option).collect(),
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

    struct World {
        sets: Vec<OptionSet>,
        view: View,
        policy: SelectionPolicy,
    }

    impl World {
        fn new() -> Self {
            let sets = alloc::vec![
                set(Scope::Chat, "one", true),
                set(Scope::Chat, "two", true),
                set(Scope::Widget, "w", true),
                set(Scope::Dashboard, "d", false),
            ];
            Self { sets, view: View::default(), policy: SelectionPolicy::default() }
        }

        fn kinds(&self) -> impl Fn(&SetId) -> Option<ListKind> + use<> {
            let all: Vec<(SetId, ListKind)> =
                self.sets.iter().map(|set| (set.id.clone(), set.into())).collect();
            move |id| all.iter().find(|(known, _)| known == id).map(|(_, kind)| kind.clone())
        }

        fn show(&mut self, at: usize) {
            let kinds = self.kinds();
            self.view.add_list(&self.sets[at], Timestamp(0), &self.policy, kinds);
        }

        fn tick(&mut self, turns: usize) {
            for _ in 0..turns {
                let kinds = self.kinds();
                self.view.tick(Timestamp(0), &self.policy, kinds);
            }
        }

        fn status(&self, at: usize) -> Option<ListStatus> {
            self.view.standing(&self.sets[at].id).map(|standing| standing.status)
        }

        fn executable_active(&self) -> usize {
            let executable = |id: &SetId| self.sets.iter().any(|set| set.id == *id && set.is_executable());
            let active =
                |standing: &&ListState| standing.status == ListStatus::Active && executable(&standing.set);
            self.view.standings.iter().filter(active).count()
        }
    }

    #[test]
    fn a_new_list_replaces_one_of_its_scope_and_puts_others_aside() {
        let mut w = World::new();
        w.show(0);
        w.view.reject("a", &w.policy);
        w.show(1);
        assert_eq!((w.status(0), w.status(1)), (None, Some(ListStatus::Active)));
        assert!(w.view.recent_rejected_choice_ids.is_empty(), "a rejection dies with its list");
        w.show(2);
        assert_eq!(w.status(1), Some(ListStatus::Parked(ParkReason::Displaced)));
        assert_eq!(w.view.active_scope, Some(Scope::Widget));
        w.show(3);
        assert_eq!(w.view.active_scope, Some(Scope::Widget), "what is only looked at displaces nothing");
    }

    #[test]
    fn showing_a_list_again_changes_nothing_that_was_said_of_it() {
        let mut w = World::new();
        w.show(0);
        w.view.reject("a", &w.policy);
        w.view.attempts = 2;
        w.show(0);
        assert!(w.view.rejected("a") && w.view.attempts == 2);
    }

    #[test]
    fn lists_live_as_long_as_the_policy_says() {
        let mut w = World::new();
        w.show(0);
        w.tick(5);
        assert_eq!(w.status(0), Some(ListStatus::Active));
        w.tick(1);
        assert_eq!((w.status(0), w.view.active_option_set_id.as_ref()), (None, None));
        w.show(0);
        w.view.park(ParkReason::Stop, Timestamp(0));
        w.tick(10);
        assert_eq!(w.status(0), Some(ListStatus::Parked(ParkReason::Stop)));
        w.tick(1);
        assert_eq!(w.status(0), None);
        w.show(0);
        let chat = w.sets[0].clone();
        w.view.record_execution(&chat, "b", Timestamp(0), &w.policy);
        w.tick(2);
        assert_eq!(w.status(0), Some(ListStatus::Soft));
        w.tick(1);
        assert_eq!(w.status(0), None);
    }

    #[test]
    fn the_newest_are_kept_once_each() {
        let mut w = World::new();
        w.show(0);
        for id in ["a", "b", "a", "c", "d", "e", "f"] {
            w.view.reject(id, &w.policy);
        }
        assert_eq!(w.view.recent_rejected_choice_ids, ["f", "e", "d", "c", "a"].map(String::from));
        w.view.unreject("d");
        assert!(!w.view.rejected("d"));
    }

    /// Invariant: at most one executable list is active, after any sequence of changes.
    #[test]
    fn at_most_one_list_that_can_be_executed_is_active() {
        let mut w = World::new();
        let mut state = 7u32;
        for _ in 0..5_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (what, at) = (state >> 28, (state >> 20) as usize % w.sets.len());
            let set = w.sets[at].clone();
            match what % 6 {
                0 | 1 => w.show(at),
                2 => w.tick(1),
                3 if at == 0 => w.view.park(ParkReason::Interrupt, Timestamp(0)),
                3 if set.is_executable() && w.status(at).is_some() => {
                    w.view.revive(&set, Timestamp(0), w.kinds())
                }
                4 => w.view.remove_list(&set.id),
                _ if w.status(at).is_some() => w.view.record_execution(&set, "a", Timestamp(0), &w.policy),
                _ => {}
            }
            assert!(w.executable_active() <= 1);
        }
    }
}
