//! Lists and views among a lane's records: registered, refreshed, closed, looked at (`spec 04 §2`). None of it ever executes.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::standing::Kind;
use super::{Latch, OptionSet, Origin, Parked, Scope, Shown, Status, Unfit, View};
use crate::decision::{Decision, Reason, Verdict};
use crate::event::FocusChanged;
use crate::id::{MessageId, SetId};
use crate::lane::{Change, Record, RecordKind};
use crate::policy::limits;
use crate::selection::set::Changed;
use crate::turn::Turn;
use crate::workflow::{About, Card};

/// Whose view everybody's begins as, where a list is the whole lane's.
const EVERYBODY: &str = "";

impl Turn<'_> {
    /// Whether texts are read against lists, and there is one.
    pub(crate) fn has_lists(&self) -> bool {
        let any = |kind| self.lane.records.of(kind).next().is_some() || self.wrote(kind);
        self.policy.selection.enabled && (any(RecordKind::OptionSet) || any(RecordKind::View))
    }

    pub(crate) fn set_of(&self, id: &SetId) -> Option<&OptionSet> {
        match self.find(RecordKind::OptionSet, &id.0)? {
            Record::OptionSet(set) => Some(set),
            _ => None,
        }
    }

    /// The registered lists, as this turn sees them.
    pub(crate) fn sets(&self) -> Vec<&OptionSet> {
        let known = self.ids(RecordKind::OptionSet);
        known.into_iter().filter_map(|id| self.set_of(&SetId(id))).collect()
    }

    /// What a person's lists have come to; of one who never did anything here, what everybody begins with.
    pub(crate) fn view(&self, user: &str) -> View {
        let found = |user: &str| match self.find(RecordKind::View, user)? {
            Record::View(view) => Some((**view).clone()),
            _ => None,
        };
        found(user).unwrap_or_else(|| View { user: user.into(), ..found(EVERYBODY).unwrap_or_default() })
    }

    /// Keeps a view; one that says nothing any more is dropped.
    pub(crate) fn put_view(&mut self, view: View) {
        let nothing = View { user: view.user.clone(), turn: view.turn, ..View::default() };
        let template = view.user != EVERYBODY && self.find(RecordKind::View, EVERYBODY).is_some();
        if view == nothing && !template {
            if self.find(RecordKind::View, &view.user).is_some() {
                self.drop_record(RecordKind::View, &view.user);
            }
        } else {
            self.put(Record::View(Box::new(view)));
        }
    }

    pub(crate) fn kind_of(&self, id: &SetId) -> Option<Kind> {
        self.set_of(id).map(Kind::from)
    }

    /// The views a list is in, or comes into: of one person, or everybody's.
    fn audience(&self, user: Option<&str>) -> Vec<View> {
        match user {
            Some(user) => alloc::vec![self.view(user)],
            None => {
                let mut users = self.ids(RecordKind::View);
                if !users.iter().any(|user| user == EVERYBODY) {
                    users.push(EVERYBODY.into());
                }
                users.iter().map(|user| self.view(user)).collect()
            }
        }
    }

    /// The ids of the records of a kind, loaded or written by this turn.
    fn ids(&self, kind: RecordKind) -> Vec<String> {
        let mut ids: Vec<String> = self.lane.records.of(kind).map(|record| record.id().into()).collect();
        let written = self.changes_of(kind).filter_map(Change::written).map(|record| record.id().into());
        ids.extend(written);
        ids.sort();
        ids.dedup();
        ids.retain(|id| self.find(kind, id).is_some());
        ids
    }

    /// Lists that no view knows any more are gone, and their cards say so.
    pub(crate) fn sweep_lists(&mut self) {
        let mut views: Vec<View> = self.ids(RecordKind::View).iter().map(|user| self.view(user)).collect();
        let (now, policy) = (self.now(), &self.policy.selection);
        // Whose own is over does not begin anew with what everybody's begins with.
        let template = self.view(EVERYBODY);
        views.retain(|view| {
            let everybodys = !template.standings.is_empty() && view.user != EVERYBODY;
            let kept = !view.spent(now, policy) || view.stopped.is_some() || everybodys;
            if !kept {
                self.drop_record(RecordKind::View, &view.user);
            }
            kept
        });
        let stands = |id: &str| views.iter().any(|view| view.standing(&SetId::from(id)).is_some());
        let gone: Vec<String> =
            self.ids(RecordKind::OptionSet).into_iter().filter(|id| !stands(id)).collect();
        for id in gone {
            let shown = self.set_of(&SetId::from(id.as_str())).map(OptionSet::shown_in).unwrap_or_default();
            for view in views.iter_mut().filter(|_| !shown.is_empty()) {
                view.past.extend(shown.iter().cloned());
                view.past.drain(..view.past.len().saturating_sub(limits::SHOWINGS));
                self.put_view(view.clone());
            }
            self.drop_record(RecordKind::OptionSet, &id);
            self.refresh_cards(&SetId(id));
        }
    }

    /// The loaded cards of a list show what it is now.
    fn refresh_cards(&mut self, id: &SetId) {
        let of = |card: &&Card| matches!(&card.about, About::Options { set, .. } if set == id) && card.open();
        let cards = self.head.cards.texts().filter_map(|id| self.card_ref(id)).filter(of);
        let cards: Vec<Card> = cards.cloned().collect();
        for card in cards {
            self.update(card);
        }
    }
}

/// A host shows a list.
pub(crate) fn shown(turn: &mut Turn<'_>, shown: &Shown) -> Decision {
    if !turn.policy.selection.enabled {
        return Decision::new(Verdict::Ignored, Reason::SelectionOff);
    }
    let newer = match OptionSet::of(shown, Origin::Host) {
        Ok(set) => set,
        Err(unfit) => {
            return Decision::new(
                Verdict::Refused,
                match unfit {
                    Unfit::TooMany => Reason::RegistrationTooMany,
                    Unfit::BadOption => Reason::RegistrationBadOption,
                    Unfit::BadScope => Reason::RegistrationBadScope,
                },
            );
        }
    };
    let message = shown.message_id.as_deref().map(|id| shown_by(turn, id));
    let known = turn.set_of(&newer.id).cloned();
    let mut set = known.clone().unwrap_or_else(|| newer.clone());
    if set.user != newer.user {
        // More than one person has it by now: whose it is, their views say.
        set.user = None;
    }
    let changed = if known.is_some() { set.refresh(newer) } else { Changed::Exec };
    let order = shown.order();
    let displayed = u8::try_from(order.len()).unwrap_or(u8::MAX);
    set.show(set.user.clone().as_deref(), message, order, displayed, turn.now());
    let (id, executable) = (set.id.clone(), set.executable());
    turn.put(Record::OptionSet(set.clone()));
    let (now, policy) = (turn.now(), &turn.policy.selection);
    for mut view in turn.audience(shown.user.as_deref()) {
        match changed {
            // Another question under the same name: nothing that was said of the one before counts.
            Changed::Exec if known.is_some() => view.gone(&id),
            Changed::Content => view.reworded(&id),
            Changed::Exec | Changed::Nothing => {}
        }
        view.shown(&set, now, policy, |id| turn.kind_of(id));
        if shown.focused_option.is_some() {
            view.looks(&set, shown.focused_option.clone());
        }
        turn.put_view(view);
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

/// The message of ours that shows it, as the lane knows it.
fn shown_by(turn: &Turn<'_>, channel_id: &str) -> MessageId {
    let known = turn.lane.records.of(RecordKind::Message).find_map(|record| match record {
        Record::Message(message)
            if message.channel_id.as_deref() == Some(channel_id) || message.id.0 == channel_id =>
        {
            Some(message.id.clone())
        }
        _ => None,
    });
    known.unwrap_or_else(|| MessageId::from(channel_id))
}

/// A host took a list away.
pub(crate) fn closed(turn: &mut Turn<'_>, set: Option<&SetId>, instance: Option<&str>) -> Decision {
    if !turn.policy.selection.enabled {
        return Decision::new(Verdict::Ignored, Reason::SelectionOff);
    }
    let of = |known: &&OptionSet| {
        Some(&known.id) == set || instance.is_some_and(|instance| known.scope_instance == instance)
    };
    let closed: Vec<OptionSet> = turn.sets().into_iter().filter(of).cloned().collect();
    for mut view in turn.audience(None) {
        for set in &closed {
            view.gone(&set.id);
            view.latch = view.latch.take().filter(|latch| latch.instance != set.scope_instance);
            view.focus = view.focus.take().filter(|focus| focus.scope_instance != set.scope_instance);
        }
        turn.put_view(view);
    }
    turn.sweep_lists();
    if let Some(set) = closed.first() {
        account(turn, set);
    }
    Decision::new(Verdict::Recorded, Reason::OptionsClosed)
}

/// Somebody looks at another panel: where "this widget" is, and which list of several on the screen a text means.
pub(crate) fn focused(turn: &mut Turn<'_>, focus: &FocusChanged) -> Decision {
    if !turn.policy.selection.enabled {
        return Decision::new(Verdict::Ignored, Reason::SelectionOff);
    }
    let mut view = turn.view(&focus.user);
    view.expire(turn.now(), &turn.policy.selection, |id| turn.kind_of(id));
    view.focus = Some(focus.clone());
    let there = |set: &&&OptionSet| {
        set.scope == focus.scope
            && set.scope_instance == focus.scope_instance
            && view.standing(&set.id).is_some()
    };
    let set = turn.sets().iter().find(there).copied().cloned();
    if let Some(set) = &set {
        view.looks(set, focus.option.clone());
        // One that another panel displaced is looked at again; one that somebody left stays left.
        let displaced = view.standing(&set.id).is_some_and(|s| s.status == Status::Parked(Parked::Displaced));
        if displaced && set.executable() {
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

/// The list a host's event is about, for the turn's row.
fn account(turn: &mut Turn<'_>, set: &OptionSet) {
    let account = turn.account();
    account.set = Some(set.id.clone());
    account.scope = Some(set.scope);
}

impl View {
    /// The person sees a list now: positions and references count from here.
    pub(crate) fn looks(&mut self, set: &OptionSet, option: Option<String>) {
        self.sees(&set.id);
        self.focus = Some(FocusChanged {
            user: self.user.clone(),
            scope: set.scope,
            scope_instance: set.scope_instance.clone(),
            option,
        });
    }

    /// A list was shown to the person.
    pub(crate) fn sees(&mut self, set: &SetId) {
        let turn = self.turn;
        for standing in self.standings.iter_mut().filter(|standing| standing.set == *set) {
            standing.seen = turn;
        }
    }

    /// The one way a panel becomes the one that is acted in (`spec 04 §4`).
    pub(crate) fn latch_on(&mut self, instance: &str, resolved: bool) {
        let turn = self.turn;
        self.latch = Some(Latch { instance: instance.into(), resolved, suspended: false, turn });
    }
}
