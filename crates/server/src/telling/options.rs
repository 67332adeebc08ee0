//! What is told of lists of options: of a lane, of a turn, of a list that was shown or closed.

use throughline_engine::EventKind;
use throughline_engine::id::SetId;
use throughline_engine::lane::{Lane, Record};
use throughline_engine::selection::{OptionSet, Origin, View};
use throughline_runtime::record::Turn;

use crate::follow::Chain;
use crate::wire;

/// The lists that are there, by their ids.
pub(super) fn option_sets(lane: &Lane) -> Vec<wire::OptionSet> {
    let sets = lane.records.iter().filter_map(|record| match record {
        Record::OptionSet(set) => Some(wire::OptionSet::seen(set, set.user.as_deref().unwrap_or_default())),
        _ => None,
    });
    sets.collect()
}

/// What each person's lists have come to.
pub(super) fn views(lane: &Lane) -> Vec<wire::View> {
    all_views(lane).map(wire::View::from).collect()
}

fn all_views(lane: &Lane) -> impl Iterator<Item = &View> {
    lane.records.iter().filter_map(|record| match record {
        Record::View(view) => Some(view.as_ref()),
        _ => None,
    })
}

/// A list, and how it stands for whom.
pub(crate) struct Listed {
    pub(crate) set: wire::OptionSet,
    /// By person; nobody: everybody who has not said anything yet.
    pub(crate) standings: Vec<(String, wire::Standing)>,
}

/// The lists that are there, as that person sees them; their own standing comes first.
pub(crate) fn listed(lane: &Lane, viewer: &str) -> Vec<Listed> {
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
        Listed { set: wire::OptionSet::seen(set, viewer), standings }
    };
    sets.map(of).collect()
}

/// The view of that person; of whoever has not said anything yet, the one everybody's begins with.
pub(crate) fn view_of<'l>(lane: &'l Lane, user: &str) -> Option<&'l View> {
    let of = |user: &str| all_views(lane).find(|view| view.user == user);
    of(user).or_else(|| of(""))
}

fn set_of<'l>(lane: &'l Lane, id: &SetId) -> Option<&'l OptionSet> {
    lane.records.iter().find_map(|record| match record {
        Record::OptionSet(set) if set.id == *id => Some(set),
        _ => None,
    })
}

/// The list that an event is about, and for whom; the next text of that person is read against it, or the event shows it.
fn about(lane: &Lane, turn: &Turn) -> Option<(SetId, String)> {
    let event = &turn.content.as_ref()?.event;
    let user = match &event.kind {
        EventKind::OptionsShown(shown) => {
            let set = OptionSet::of(shown, Origin::Host).ok()?;
            return Some((set.id, shown.user.clone().unwrap_or_default()));
        }
        EventKind::FocusChanged(focus) => &focus.user,
        _ => &event.actor,
    };
    let active = view_of(lane, user)?.active_option_set_id.clone()?;
    Some((active, user.clone()))
}

/// The list that the next text of a turn's person is read against.
pub(super) fn active(lane: &Lane, turn: &Turn) -> Option<wire::OptionSet> {
    let (set, user) = about(lane, turn)?;
    set_of(lane, &set).map(|set| wire::OptionSet::seen(set, &user))
}

/// What the turns of a chain did among options: the newest account, and the option that one of them executed.
pub(super) fn selection(chain: &Chain, deciding: &Turn) -> Option<wire::Selection> {
    let own = chain.own.row.trace.selection.as_deref();
    deciding.row.trace.selection.as_deref().or(own).map(wire::Selection::from)
}

/// A list that was shown, or closed, as it stands after that.
pub(crate) fn answered(lane: &Lane, turn: &Turn) -> Option<wire::OptionSetAnswer> {
    let event = &turn.content.as_ref()?.event;
    let (id, user) = match &event.kind {
        EventKind::OptionsClosed { set, .. } => (set.clone()?, event.actor.clone()),
        _ => about(lane, turn)?,
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
