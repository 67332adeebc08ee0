//! Presses of options, on a question's card or where a host shows the list. A press means the list as it was
//! seen, so its version is compared with the list as it is now (docs/design/0021-option-lists.md).

use crate::data::action::Action;
use crate::data::card::{Card, CardSubject};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::id::SetId;
use crate::data::option_set::OptionSet;
use crate::data::permit::{Door, TextFacts, Veto};
use crate::data::scope::Scope;
use crate::data::selection_trace::Provenance;
use crate::data::view::{ClarifierType, View};
use crate::selection::resolution::{ClarifyingQuestion, Execution, QuestionSubject};
use crate::selection::vetoes::{self, ChoiceMade, permit};
use crate::selection::{clarify, model_pick, rung};
use crate::turn::Turn;
use throughline_messages as say;

/// Handles a press on a button of a question's card.
pub(crate) fn pressed(turn: &mut Turn<'_>, card: &Card, action: Action, item: &str) -> Decision {
    let CardSubject::Options { set, exec_rev, .. } = &card.about else {
        return refuse(turn, Reason::StaleStep, &say::press_stale(turn.language()));
    };
    if card.by != turn.event.actor {
        return refuse(turn, Reason::PressForbidden, &say::option_not_yours(turn.language()));
    }
    // A list that was closed and shown anew begins with the same version, but this card does not show it.
    let shows = |set: &OptionSet| set.shown_by(&card.message, &card.by).is_some();
    let (set, view) = match seen(turn, &set.clone(), *exec_rev, shows) {
        Ok(found) => found,
        Err(decision) => return decision,
    };
    match action {
        Action::Option => choose(turn, view, &set, item),
        Action::NoneOfThese => rung::reject_all(turn, view, &set),
        Action::Leave => rung::leave_list(turn, view, &set, Reason::PressApplied),
        _ => clarify::more(turn, card),
    }
}

/// Handles a press on an option where its host shows the list. `version` is the `exec_rev` that was seen.
pub(crate) fn option_pressed(turn: &mut Turn<'_>, set: &SetId, version: u32, option: &str) -> Decision {
    let others = |set: &OptionSet| set.user.as_ref().is_some_and(|user| *user != turn.event.actor);
    if turn.get::<OptionSet>(set).is_some_and(others) {
        // What they wrote before is overtaken all the same.
        model_pick::cancel_for_actor(turn);
        return refuse(turn, Reason::PressForbidden, &say::option_not_yours(turn.language()));
    }
    let (set, view) = match seen(turn, set, version, |_| true) {
        Ok(found) => found,
        Err(decision) => return decision,
    };
    choose(turn, view, &set, option)
}

/// Returns the list and the presser's view, if the list still runs what was seen. Otherwise tells the person,
/// shows the active list if there is one, and returns the decision as the error.
fn seen(
    turn: &mut Turn<'_>,
    id: &SetId,
    exec_rev: u32,
    shows: impl Fn(&OptionSet) -> bool,
) -> Result<(OptionSet, View), Decision> {
    let mut view = turn.view(&turn.event.actor.clone());
    model_pick::cancel(turn, &mut view);
    view.expire(turn.now(), &turn.policy.selection, |id| turn.kind_of(id));
    rung::drop_ended_executions(turn, &mut view);
    let set = turn.get::<OptionSet>(id).cloned();
    let same = |set: &OptionSet| set.exec_rev == exec_rev && shows(set);
    if let Some(set) = set.filter(|set| same(set) && view.standing(id).is_some()) {
        return Ok((set, view));
    }
    turn.tell(&crate::messages::outdated(turn.language(), None));
    let current = view.active_option_set_id.clone().and_then(|id| rung::standing_set(turn, &view, &id));
    match current {
        Some(current) => {
            let about = QuestionSubject::List { set: current.id, first: None, ahead: 0, rejected: 0 };
            let question =
                ClarifyingQuestion::plain(Reason::ListReshown, ClarifierType::SelectionDisambiguation, about);
            let _ = clarify::ask(turn, view, &question, Provenance::SafeClarifier);
        }
        None => turn.put_view(view),
    }
    Err(Decision::new(Verdict::Refused, Reason::StaleVersion))
}

fn choose(turn: &mut Turn<'_>, mut view: View, set: &OptionSet, option: &str) -> Decision {
    let Some((at, named)) = set.option(option) else {
        turn.put_view(view);
        return refuse(turn, Reason::PressUnknown, &say::card_gone(turn.language()));
    };
    if set.scope == Scope::Widget {
        view.latch_on(&set.scope_instance, true);
    }
    view.mark_focused(set, Some(named.id.clone()));
    // The version that was pressed is the list's: `seen` compared them.
    let permitted = set.identity(at).ok_or(Veto::Changed).and_then(|meant| {
        permit(&view, set, ChoiceMade { door: Door::Press, meant: &meant, text: TextFacts::NONE })
    });
    match permitted {
        Ok(chosen) => {
            let act = Execution { chosen, reason: Reason::OptionPressed, corrects: None, remainder: None };
            rung::execute(turn, view, act, Provenance::Deterministic)
        }
        Err(veto) => {
            let text = match veto {
                Veto::InFlight => rung::under_way(turn, &view, &set.id, option),
                _ => say::press_stale(turn.language()),
            };
            turn.put_view(view);
            refuse(turn, vetoes::reason(veto), &text)
        }
    }
}

fn refuse(turn: &mut Turn<'_>, reason: Reason, text: &str) -> Decision {
    turn.tell(text);
    Decision::new(Verdict::Refused, reason)
}
