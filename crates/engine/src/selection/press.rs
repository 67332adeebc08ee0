//! Presses of options (`spec 04 §2.4`, `§13`): on a question's card, or where the host shows the list. A press is what
//! was seen, so it is compared with what the list is now before it does anything.

use super::ladder::{About, Act, Question};
use super::{ClarifierType, OptionSet, Provenance, Scope, View, clarify, cycle, flow};
use crate::decision::{Decision, Reason, Verdict};
use crate::id::SetId;
use crate::say::option as words;
use crate::turn::Turn;
use crate::workflow::{About as CardAbout, Action, Card};

/// A button of a question's card.
pub(crate) fn pressed(turn: &mut Turn<'_>, card: &Card, action: Action, item: &str) -> Decision {
    let CardAbout::Options { set, exec_rev, .. } = &card.about else {
        return refuse(turn, Reason::StaleStep, crate::say::STALE_STEP);
    };
    if card.by != turn.event.actor {
        return refuse(turn, Reason::PressForbidden, words::NOT_YOURS);
    }
    let (set, view) = match seen(turn, &set.clone(), *exec_rev) {
        Ok(found) => found,
        Err(decision) => return decision,
    };
    match action {
        Action::Option => choose(turn, view, &set, item),
        Action::NoneOfThese => flow::reject_all(turn, view, &set),
        Action::Leave => flow::leave_list(turn, view, &set, Reason::PressApplied),
        _ => clarify::more(turn, card),
    }
}

/// An option, where its host shows it.
pub(crate) fn option_pressed(turn: &mut Turn<'_>, set: &SetId, version: u32, option: &str) -> Decision {
    let others = |set: &OptionSet| set.user.as_ref().is_some_and(|user| *user != turn.event.actor);
    if turn.set_of(set).is_some_and(others) {
        return refuse(turn, Reason::PressForbidden, words::NOT_YOURS);
    }
    let (set, view) = match seen(turn, set, version) {
        Ok(found) => found,
        Err(decision) => return decision,
    };
    choose(turn, view, &set, option)
}

/// The list as the presser saw it. One that is gone, or that would run something else now, is not pressed: what is there
/// instead is shown.
fn seen(turn: &mut Turn<'_>, id: &SetId, exec_rev: u32) -> Result<(OptionSet, View), Decision> {
    let mut view = turn.view(&turn.event.actor.clone());
    cycle::superseded(turn, &mut view);
    view.expire(turn.now(), &turn.policy.selection, |id| turn.kind_of(id));
    flow::landed(turn, &mut view);
    let set = turn.set_of(id).cloned();
    if let Some(set) = set.filter(|set| set.exec_rev == exec_rev && view.standing(id).is_some()) {
        return Ok((set, view));
    }
    turn.tell(&crate::say::outdated(None));
    let current = view.active_option_set_id.clone().and_then(|id| flow::standing_set(turn, &view, &id));
    match current {
        Some(current) => {
            let about = About::List { set: current.id, first: None, rejected: 0 };
            let question =
                Question::plain(Reason::ListReshown, ClarifierType::SelectionDisambiguation, about);
            let _ = clarify::ask(turn, view, &question, Provenance::SafeClarifier);
        }
        None => turn.put_view(view),
    }
    Err(Decision::new(Verdict::Refused, Reason::StaleVersion))
}

fn choose(turn: &mut Turn<'_>, mut view: View, set: &OptionSet, option: &str) -> Decision {
    let Some((at, named)) = set.option(option) else {
        turn.put_view(view);
        return refuse(turn, Reason::PressUnknown, crate::say::CARD_GONE);
    };
    if set.scope == Scope::Widget {
        view.latch_on(&set.scope_instance, true);
    }
    view.looks(set, Some(named.id.clone()));
    if view.in_flight.iter().any(|act| act.set == set.id && act.option == named.id) {
        turn.put_view(view);
        return refuse(turn, Reason::OptionInFlight, words::ON_ITS_WAY);
    }
    if named.is_normal() && !set.executable() {
        turn.put_view(view);
        return refuse(turn, Reason::OptionsOnly, crate::say::STALE_STEP);
    }
    let act = Act {
        set: set.id.clone(),
        option: at,
        reason: Reason::OptionPressed,
        corrects: None,
        remainder: None,
    };
    flow::execute(turn, view, &act, Provenance::Deterministic)
}

fn refuse(turn: &mut Turn<'_>, reason: Reason, text: &str) -> Decision {
    turn.tell(text);
    Decision::new(Verdict::Refused, reason)
}
