//! Stores, refreshes and closes the lists a host shows, and each person's view of them. A list is an
//! [`OptionSet`]; nothing here executes an option (docs/design/0021-option-lists.md).

use alloc::string::String;
use alloc::vec::Vec;

use crate::data::card::{Card, CardSubject};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::event::FocusChanged;
use crate::data::id::{MessageId, SetId};
use crate::data::message::Message;
use crate::data::option_set::OptionSetChange;
use crate::data::option_set::{OptionSet, OptionSetError, OptionSetOrigin, OptionsShown};
use crate::data::policy::limits;
use crate::data::record::RecordKind;
use crate::data::scope::Scope;
use crate::data::view::{ListStatus, PanelLatch, ParkReason, View};
use crate::selection::list_lifecycle::ListKind;
use crate::turn::Turn;

/// The user of the template view. A list shown to the whole lane is kept in it, and a person without a view
/// of their own starts from it.
const EVERYBODY: &str = "";

impl Turn<'_> {
    /// True if selection is enabled and the lane has at least one list or view.
    pub(crate) fn has_lists(&self) -> bool {
        let any = |kind| self.lane.records.of(kind).next().is_some() || self.wrote(kind);
        self.selects() && (any(RecordKind::OptionSet) || any(RecordKind::View))
    }

    /// Returns a copy of a person's view. A person without one starts from the template.
    pub(crate) fn view(&self, user: &str) -> View {
        let own = self.get::<View>(user).cloned();
        let everybodys = || self.get::<View>(EVERYBODY).cloned().unwrap_or_default();
        own.unwrap_or_else(|| View { user: user.into(), ..everybodys() })
    }

    /// Stores a view, or drops its record when it is empty. While the template exists an empty view is kept:
    /// without it the person would start from the template again.
    pub(crate) fn put_view(&mut self, view: View) {
        let template = view.user != EVERYBODY && self.get::<View>(EVERYBODY).is_some();
        if view.is_blank() && !template {
            if self.get::<View>(&view.user).is_some() {
                self.delete::<View>(&view.user);
            }
        } else {
            self.put(view);
        }
    }

    pub(crate) fn kind_of(&self, id: &SetId) -> Option<ListKind> {
        self.get::<OptionSet>(id).map(ListKind::from)
    }

    /// The views that a list belongs to: one person's, or every view and the template.
    fn audience(&self, user: Option<&str>) -> Vec<View> {
        match user {
            Some(user) => alloc::vec![self.view(user)],
            None => {
                let mut users: Vec<&str> = self.all::<View>().map(|view| view.user.as_str()).collect();
                if !users.contains(&EVERYBODY) {
                    users.push(EVERYBODY);
                }
                users.into_iter().map(|user| self.view(user)).collect()
            }
        }
    }

    /// Drops views that are over and lists that no view refers to, and refreshes the cards of those lists.
    pub(crate) fn sweep_lists(&mut self) {
        let (now, policy) = (self.now(), &self.policy.selection);
        // Without its own view the person would start from the template's lists again.
        let template = self.get::<View>(EVERYBODY).is_some_and(|view| !view.standings.is_empty());
        let over = |view: &&View| {
            let everybodys = template && view.user != EVERYBODY;
            view.is_spent(now, policy) && view.stopped.is_none() && !everybodys
        };
        let over: Vec<String> = self.all::<View>().filter(over).map(|view| view.user.clone()).collect();
        for user in over {
            self.delete::<View>(&user);
        }
        let stands = |set: &&OptionSet| self.all::<View>().any(|view| view.standing(&set.id).is_some());
        let gone: Vec<OptionSet> = self.all::<OptionSet>().filter(|set| !stands(set)).cloned().collect();
        for set in gone {
            let shown = set.shown_in();
            let views: Vec<View> = self.all::<View>().filter(|_| !shown.is_empty()).cloned().collect();
            for mut view in views {
                view.past.extend(shown.iter().cloned());
                view.past.drain(..view.past.len().saturating_sub(limits::SHOWINGS));
                self.put_view(view);
            }
            self.delete::<OptionSet>(&set.id);
            self.refresh_cards(&set.id);
        }
    }

    /// Renders the open cards of a list again.
    fn refresh_cards(&mut self, id: &SetId) {
        let of = |card: &&Card| {
            matches!(&card.about, CardSubject::Options { set, .. } if set == id) && card.is_open()
        };
        let cards = self.head.cards.texts().filter_map(|id| self.named::<Card>(id)).filter(of);
        let cards: Vec<Card> = cards.cloned().collect();
        for card in cards {
            self.update(card);
        }
    }
}

/// Registers a list that a host shows, or refreshes the one with the same id. Refuses a list that breaks a
/// limit.
pub(crate) fn shown(turn: &mut Turn<'_>, shown: &OptionsShown) -> Decision {
    if !turn.selects() {
        return Decision::new(Verdict::Ignored, Reason::SelectionOff);
    }
    let newer = match OptionSet::from_shown(shown, OptionSetOrigin::Host) {
        Ok(set) => set,
        Err(unfit) => {
            return Decision::new(
                Verdict::Refused,
                match unfit {
                    OptionSetError::TooMany => Reason::RegistrationTooMany,
                    OptionSetError::BadOption => Reason::RegistrationBadOption,
                    OptionSetError::BadScope => Reason::RegistrationBadScope,
                    OptionSetError::BadNumbers => Reason::RegistrationBadNumbers,
                },
            );
        }
    };
    if let Some(title) = &shown.title {
        turn.begun_by_host(title);
    }
    let message = shown.message_id.as_deref().map(|id| shown_by(turn, id));
    let known = turn.get::<OptionSet>(&newer.id).cloned();
    let mut set = known.clone().unwrap_or_else(|| newer.clone());
    if set.user != newer.user {
        // Several people see the list now; their views say which.
        set.user = None;
    }
    let changed = if known.is_some() { set.refresh(newer) } else { OptionSetChange::Exec };
    let order = shown.order();
    let numbers =
        shown.numbers_from..shown.numbers_from.saturating_add(order.len().try_into().unwrap_or(u16::MAX));
    set.show(set.user.clone().as_deref(), message, order, &numbers, (turn.revision(), turn.now()));
    let (id, executable) = (set.id.clone(), set.is_executable());
    turn.put(set.clone());
    let (now, policy) = (turn.now(), &turn.policy.selection);
    let mut left = false;
    for mut view in turn.audience(shown.user.as_deref()) {
        let before: Vec<SetId> = view.standings.iter().map(|standing| standing.set.clone()).collect();
        match changed {
            // The options would run something else now: earlier rejections and guards do not apply to them.
            OptionSetChange::Exec if known.is_some() => view.remove_list(&id),
            OptionSetChange::Content => view.reworded(&id),
            OptionSetChange::Exec | OptionSetChange::Nothing => {}
        }
        view.add_list(&set, now, policy, |id| turn.kind_of(id));
        left |= before.iter().any(|set| view.standing(set).is_none());
        if shown.focused_option.is_some() {
            view.mark_focused(&set, shown.focused_option.clone());
        }
        turn.put_view(view);
    }
    if left || known.is_some() && changed == OptionSetChange::Exec {
        turn.head.left_at = Some(now);
    }
    turn.sweep_lists();
    turn.refresh_cards(&id);
    account(turn, &set);
    let reason = match (known.is_some(), executable) {
        (true, _) => Reason::OptionsRefreshed,
        (false, true) => Reason::OptionsRegistered,
        (false, false) => Reason::OptionsUiOnly,
    };
    Decision::new(Verdict::Recorded, reason)
}

/// Maps a channel's message id to the lane's own id of that message. An unknown id is returned as it is.
fn shown_by(turn: &Turn<'_>, channel_id: &str) -> MessageId {
    let is_it =
        |message: &&Message| message.channel_id.as_deref() == Some(channel_id) || message.id.0 == channel_id;
    let known = turn.all::<Message>().find(is_it).map(|message| message.id.clone());
    known.unwrap_or_else(|| MessageId::from(channel_id))
}

/// Closes the list with this id and all lists of this panel, as their host reports.
pub(crate) fn closed(turn: &mut Turn<'_>, set: Option<&SetId>, instance: Option<&str>) -> Decision {
    if !turn.selects() {
        return Decision::new(Verdict::Ignored, Reason::SelectionOff);
    }
    let of = |known: &&OptionSet| {
        Some(&known.id) == set || instance.is_some_and(|instance| known.scope_instance == instance)
    };
    let closed: Vec<OptionSet> = turn.all::<OptionSet>().filter(of).cloned().collect();
    for mut view in turn.audience(None) {
        for set in &closed {
            view.remove_list(&set.id);
            view.latch = view.latch.take().filter(|latch| latch.instance != set.scope_instance);
            view.focus = view.focus.take().filter(|focus| focus.scope_instance != set.scope_instance);
        }
        turn.put_view(view);
    }
    turn.sweep_lists();
    if let Some(set) = closed.first() {
        turn.head.left_at = Some(turn.now());
        account(turn, set);
    }
    Decision::new(Verdict::Recorded, Reason::OptionsClosed)
}

/// Records the panel a person looks at: "this widget" means it, and its list is preferred among several.
pub(crate) fn focused(turn: &mut Turn<'_>, focus: &FocusChanged) -> Decision {
    if !turn.selects() {
        return Decision::new(Verdict::Ignored, Reason::SelectionOff);
    }
    let mut view = turn.view(&focus.user);
    view.expire(turn.now(), &turn.policy.selection, |id| turn.kind_of(id));
    view.focus = Some(focus.clone());
    let there = |set: &&OptionSet| {
        set.scope == focus.scope
            && set.scope_instance == focus.scope_instance
            && view.standing(&set.id).is_some()
    };
    let set = turn.all::<OptionSet>().find(there).cloned();
    if let Some(set) = &set {
        view.mark_focused(set, focus.option.clone());
        // Looking at a list brings it back only if another panel displaced it, not if the person left it.
        let displaced =
            view.standing(&set.id).is_some_and(|s| s.status == ListStatus::Parked(ParkReason::Displaced));
        if displaced && set.is_executable() {
            view.revive(set, turn.now(), |id| turn.kind_of(id));
        }
        account(turn, set);
    }
    if focus.scope == Scope::Widget {
        let resolved = set.is_some();
        view.latch_on(&focus.scope_instance, resolved);
    }
    turn.put_view(view);
    Decision::new(Verdict::Recorded, Reason::FocusChanged)
}

/// Writes the list that a host's event is about to the turn's record.
fn account(turn: &mut Turn<'_>, set: &OptionSet) {
    let account = turn.selection_trace();
    account.set = Some(set.id.clone());
    account.scope = Some(set.scope);
}

impl View {
    /// Records that the person sees a list and has its panel in focus. The lifetime of positions and
    /// references starts here.
    pub(crate) fn mark_focused(&mut self, set: &OptionSet, option: Option<String>) {
        self.mark_seen(&set.id);
        self.focus = Some(FocusChanged {
            user: self.user.clone(),
            scope: set.scope,
            scope_instance: set.scope_instance.clone(),
            option,
        });
    }

    /// Records that a list was shown to the person in this turn.
    pub(crate) fn mark_seen(&mut self, set: &SetId) {
        let turn = self.turn;
        for standing in self.standings.iter_mut().filter(|standing| standing.set == *set) {
            standing.seen = turn;
        }
    }

    /// Makes a panel the one the person acts in. `resolved`: its list is known.
    pub(crate) fn latch_on(&mut self, instance: &str, resolved: bool) {
        let turn = self.turn;
        self.latch = Some(PanelLatch { instance: instance.into(), resolved, suspended: false, turn });
    }
}
