//! Views of option lists: of a lane, of a turn, and of a list that was shown or closed.

use throughline_engine::EventKind;
use throughline_engine::data::id::SetId;
use throughline_engine::data::lane::Lane;
use throughline_engine::data::option_set::{OptionSet, OptionSetOrigin};
use throughline_engine::data::record::Record;
use throughline_engine::data::view::View;
use throughline_runtime::turn_log::{LeftOpen, Turn};

use crate::turn_chain::TurnChain;
use crate::wire;

/// Returns the registered lists, by id.
pub(crate) fn option_sets(lane: &Lane) -> Vec<wire::OptionSet> {
    let sets = lane.records.iter().filter_map(|record| match record {
        Record::OptionSet(set) => Some(wire::OptionSet::seen(set, set.user.as_deref().unwrap_or_default())),
        _ => None,
    });
    sets.collect()
}

/// Returns every person's view of the lists.
pub(super) fn views(lane: &Lane) -> Vec<wire::View> {
    all_views(lane).map(wire::View::from).collect()
}

fn all_views(lane: &Lane) -> impl Iterator<Item = &View> {
    lane.records.iter().filter_map(|record| match record {
        Record::View(view) => Some(view.as_ref()),
        _ => None,
    })
}

/// List with its standing for each person.
pub(crate) struct ListedSet {
    pub(crate) set: wire::OptionSet,
    /// Standings by person; the empty name stands for everybody who has not written yet.
    pub(crate) standings: Vec<(String, wire::Standing)>,
}

/// Returns the registered lists as a person sees them, with their own standing first.
pub(crate) fn listed_sets(lane: &Lane, viewer: &str) -> Vec<ListedSet> {
    let sets = lane.records.iter().filter_map(|record| match record {
        Record::OptionSet(set) => Some(set),
        _ => None,
    });
    let of = |set: &OptionSet| {
        let stands = |view: &View| {
            view.standing(&set.id).map(|standing| (view.user.clone(), wire::Standing::from(Some(standing))))
        };
        let mut standings: Vec<_> = all_views(lane).filter_map(stands).collect();
        standings.sort_by_key(|(user, _)| (user != viewer, user.is_empty(), user.clone()));
        ListedSet { set: wire::OptionSet::seen(set, viewer), standings }
    };
    sets.map(of).collect()
}

/// Returns a person's view. Somebody who has not written yet gets the view with the empty name.
pub(crate) fn view_of<'l>(lane: &'l Lane, user: &str) -> Option<&'l View> {
    let of = |user: &str| all_views(lane).find(|view| view.user == user);
    of(user).or_else(|| of(""))
}

/// Returns a registered list.
pub(crate) fn set_of<'l>(lane: &'l Lane, id: &SetId) -> Option<&'l OptionSet> {
    lane.records.iter().find_map(|record| match record {
        Record::OptionSet(set) if set.id == *id => Some(set),
        _ => None,
    })
}

/// Returns the list an event is about, and the person: the list it shows, else the one that the person's next text was
/// read against after it.
fn subject_set(left: &LeftOpen, turn: &Turn) -> Option<(SetId, String)> {
    let event = &turn.content.as_ref()?.event;
    let user = match &event.kind {
        EventKind::OptionsShown(shown) => {
            let set = OptionSet::from_shown(shown, OptionSetOrigin::Host).ok()?;
            return Some((set.id, shown.user.clone().unwrap_or_default()));
        }
        EventKind::FocusChanged(focus) => &focus.user,
        _ => &event.actor,
    };
    Some((left.list_of(user)?.clone(), user.clone()))
}

/// Returns the list that the next text of the turn's person was read against.
pub(super) fn active_set(lane: &Lane, turn: &Turn, left: &LeftOpen) -> Option<wire::OptionSet> {
    let (set, user) = subject_set(left, turn)?;
    set_of(lane, &set).map(|set| wire::OptionSet::seen(set, &user))
}

/// Returns the newest selection trace of a chain.
pub(super) fn selection(chain: &TurnChain, deciding: &Turn) -> Option<wire::Selection> {
    let own = chain.own.row.trace.selection.as_deref();
    deciding.row.trace.selection.as_deref().or(own).map(wire::Selection::from)
}

/// Returns a list after it was shown or closed.
pub(crate) fn set_answer(lane: &Lane, turn: &Turn) -> Option<wire::OptionSetAnswer> {
    let event = &turn.content.as_ref()?.event;
    let (id, user) = match &event.kind {
        EventKind::OptionsClosed { set, .. } => (set.clone()?, event.actor.clone()),
        _ => subject_set(&LeftOpen::of(lane, turn.row.at), turn)?,
    };
    let set = set_of(lane, &id);
    let standing = view_of(lane, &user).and_then(|view| view.standing(&id)).filter(|_| set.is_some());
    Some(wire::OptionSetAnswer {
        turn: turn.row.turn.0.clone(),
        reason: turn.row.decision.reason.code().into(),
        id: id.0,
        content_rev: set.map(|set| set.content_rev),
        exec_rev: set.map(|set| set.exec_rev),
        standing: standing.into(),
    })
}
