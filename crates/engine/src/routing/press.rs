//! Presses and forms: the checks in their order, then the capability that the card belongs to
//! (`docs/design/0032-approvals.md`).

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::cards::decide::{Refusal, authorised, may, open_lines, refuse};
use crate::data::action::{Action, allowed, needs_approver};
use crate::data::card::{Card, CardStatus, Checks};
use crate::data::decision::{Decision, Reason};
use crate::data::event::Press;
use crate::data::progress::{Phase, Progress};
use crate::data::task::Task;
use crate::data::time::Timestamp;
use crate::messages;
use crate::selection::press as selection;
use crate::turn::Turn;
use crate::turn::capability::PressInput;
use throughline_messages as say;

/// Handles the press of a button.
pub(crate) fn pressed(turn: &mut Turn<'_>, press: &Press, remember: bool) -> Decision {
    if let Press::Option { set, version, option } = press {
        return selection::option_pressed(turn, set, *version, option);
    }
    match admitted(turn, press) {
        Ok((card, action)) => {
            let item = item_of(turn, press);
            hand_over(turn, card, &PressInput { action, item: &item, remember })
        }
        Err(refusal) => refuse(turn, &refusal),
    }
}

/// Hands a press that passed its checks to the capability that handles it.
pub(crate) fn hand_over(turn: &mut Turn<'_>, card: Card, press: &PressInput<'_>) -> Decision {
    turn.capabilities.named(card.handler(press.action)).pressed(turn, card, press)
}

/// Handles a submitted form: the checks of a press, then its values.
pub(crate) fn submitted(turn: &mut Turn<'_>, press: &Press, values: &BTreeMap<String, String>) -> Decision {
    match admitted(turn, press) {
        Ok((card, action)) => {
            let item = item_of(turn, press);
            let pressed = PressInput { action, item: &item, remember: false };
            turn.capabilities.named(card.handler(action)).submitted(turn, card, &pressed, values)
        }
        Err(refusal) => refuse(turn, &refusal),
    }
}

/// Runs the checks in their order. Returns the loaded card and the action that its step allows this person
/// now.
pub(crate) fn admitted(turn: &Turn<'_>, press: &Press) -> Result<(Card, Action), Refusal> {
    let (card, version, action) = known(turn, press)?;
    if !card.actions().contains(&action) {
        unconsumed(turn, &card, action)?;
    }
    if version != card.version {
        return Err(Refusal(Reason::StaleVersion, messages::outdated(turn.language(), Some(card.version))));
    }
    if matches!(card.status, CardStatus::Superseded { .. }) {
        return Err(Refusal(Reason::StaleVersion, messages::outdated(turn.language(), None)));
    }
    if let (Action::Approve, Some(first)) = (action, card.to_confirm()) {
        return Err(Refusal(Reason::StaleStep, messages::batch::not_confirmed(turn.language(), first)));
    }
    let step_allows = allowed(card.step()).contains(&action) && card.status != CardStatus::Withdrawn;
    let offered = card.actions().contains(&action) || card.status == CardStatus::Expired;
    if !(step_allows && offered) {
        return Err(Refusal(Reason::StaleStep, say::press_stale(turn.language())));
    }
    let undecided = card.is_open() || card.status == CardStatus::Expired || action == Action::Comment;
    let late = |end: &Timestamp| turn.now() > *end || card.status == CardStatus::Expired;
    if let Some(end) = card.expires_at.filter(|end| undecided && late(end)) {
        return Err(Refusal(
            Reason::PressExpired,
            say::press_expired(turn.language(), end.deadline_at(turn.now(), turn.language())),
        ));
    }
    if needs_approver(card.step(), action) {
        let requests = turn.capabilities.of(&card).requests(turn, &card);
        // If several are offered, one that this person may release is enough here; the next question names it.
        let mine = requests.len() > 1 && requests.iter().any(|request| may(turn, request, action));
        if !mine {
            authorised(turn, requests.first(), action)?;
        }
    }
    Ok((card, action))
}

/// Returns what to tell a person who approves a card in words: what to press, or why a press of theirs would not count now.
pub(crate) fn instead_of_text(turn: &Turn<'_>, card: &Card) -> String {
    let offered = card.actions();
    let releasing: Vec<Action> = offered.iter().copied().filter(|action| action.releases()).collect();
    let Some(first) = releasing.first() else {
        let due = match (card.to_confirm(), card.about.checks()) {
            (Some(first), _) => messages::batch::not_confirmed(turn.language(), first),
            (_, Some(Checks::Failed { .. })) => say::approval_checks_failed(turn.language()),
            _ => say::approval_checks_run(turn.language()),
        };
        return say::approval_not_by_text(turn.language(), &due);
    };
    if turn.given.actor.is_none() {
        return say::approval_not_by_text(turn.language(), say::approval_approver_presses(turn.language()));
    }
    let press =
        Press::Decision { card: card.id.clone(), version: card.version, item: String::new(), action: *first };
    match admitted(turn, &press) {
        Ok(_) => {
            say::approval_not_by_text(turn.language(), messages::please_press(turn.language(), &releasing))
        }
        Err(Refusal(_, why)) => say::approval_not_by_text(turn.language(), &why),
    }
}

/// Finds the card, version and action of a press, if they belong to this lane.
pub(crate) fn known(turn: &Turn<'_>, press: &Press) -> Result<(Card, u32, Action), Refusal> {
    let (id, version, action) = match press {
        Press::Decision { card, version, action, .. } => (card, *version, *action),
        // An option pressed where its host shows the list belongs to no card.
        Press::Option { .. } => return Err(unknown(turn)),
        Press::Token(_) => match &turn.given.press {
            Some(target) if target.lane == turn.lane.key => (&target.card, target.version, target.action),
            _ => return Err(unknown(turn)),
        },
    };
    turn.get::<Card>(id).cloned().map(|card| (card, version, action)).ok_or_else(|| unknown(turn))
}

/// The id of the item that was pressed; empty for a button of the card itself.
pub(crate) fn item_of(turn: &Turn<'_>, press: &Press) -> String {
    match press {
        Press::Decision { item, .. } => item.clone(),
        Press::Option { option, .. } => option.clone(),
        Press::Token(_) => turn.given.press.as_ref().map(|target| target.item.clone()).unwrap_or_default(),
    }
}

pub(crate) fn unknown(turn: &Turn<'_>) -> Refusal {
    Refusal(Reason::PressUnknown, messages::unknown_press(turn.language(), &open_lines(turn)))
}

pub(crate) fn unconsumed(turn: &Turn<'_>, card: &Card, pressed: Action) -> Result<(), Refusal> {
    let Some((action, by, at, result)) = card.consumed(pressed) else { return Ok(()) };
    let phase = phase_of(turn, card, result);
    let sent = |progress: &Progress| matches!(progress.phase(), Phase::Running(effect) if turn.given.was_sent(effect));
    let sent = match phase {
        Phase::Running(effect) => turn.given.was_sent(effect),
        Phase::Several(items) => items.iter().any(|item| sent(&item.progress)),
        _ => false,
    };
    let came_of = messages::state::came_of(turn.language(), &phase, sent);
    let text = messages::consumed(turn.language(), action, by, at, came_of, &turn.event.actor, turn.now());
    Err(Refusal(Reason::PressConsumed, text))
}

/// Returns how far it is what this card released. A card says nothing of a call before its outcome, and its receipt the
/// last outcome while the call is made again: until then the task knows.
fn phase_of<'t>(turn: &'t Turn<'_>, card: &'t Card, result: &'t Progress) -> Phase<'t> {
    // An attempt that was made anew is followed on the receipt; the question may have left the window since.
    let receipt = card.receipt().and_then(|id| turn.get::<Card>(id)).filter(|_| !result.is_final());
    let newest = receipt.and_then(|receipt| receipt.progress_asked_by(card)).unwrap_or(result);
    let phase = answered(turn, newest.phase());
    let work = card.task().and_then(|task| turn.get::<Task>(task)?.work.as_ref());
    let Some((effect, by)) = work.and_then(|work| Some((work.effect.as_ref()?, work.card.as_ref()?))) else {
        return phase;
    };
    let root = |card: &'t Card| card.receipt().unwrap_or(&card.id);
    let of_card = turn.get::<Card>(by).is_some_and(|by| root(by) == root(card));
    match phase {
        Phase::Nothing | Phase::Unknown(_) if of_card => Phase::Running(effect),
        _ => phase,
    }
}

/// Returns how far it is, where the question about an unknown outcome was answered: as far as its answer came, which may be
/// to an attempt that was stopped.
fn answered<'t>(turn: &'t Turn<'_>, phase: Phase<'t>) -> Phase<'t> {
    let Phase::Unknown(asks) = phase else { return phase };
    match turn.get::<Card>(asks).and_then(Card::result).map(Progress::phase) {
        Some(Phase::Unknown(_)) | None => phase,
        Some(of_answer) => of_answer,
    }
}
