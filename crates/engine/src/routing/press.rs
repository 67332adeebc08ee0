//! Presses and forms: the checks in their order, then the capability that the card belongs to
//! (`docs/design/0032-approvals.md`).

use crate::cards::decide::{
    Refusal, authorised, decide, end_of, may, open_lines, refuse, refuse_step, result_on,
};
use crate::data::action::{Action, allowed, needs_approver};
use crate::data::card::{About, Card, CardStatus};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::event::Press;
use crate::data::intent::{Intent, Remembered};
use crate::data::progress::Progress;
use crate::data::proposal::Comment;
use crate::data::task_status::TaskStatus;
use crate::data::time::Timestamp;
use crate::decisions::flow as decisions;
use crate::review::flow as review;
use crate::routing::intent::act;
use crate::selection::press as selection;
use crate::tickets::{adopt, batch, flow, release};
use crate::turn::{Said, Turn};
use crate::{say, work};
use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::String;
use throughline_language::Words;

/// Handles the press of a button.
pub(crate) fn pressed(turn: &mut Turn<'_>, press: &Press, remember: bool) -> Decision {
    if let Press::Option { set, version, option } = press {
        return selection::option_pressed(turn, set, *version, option);
    }
    match admitted(turn, press) {
        Ok((card, action)) => perform(turn, card, action, &item_of(turn, press), remember),
        Err(refusal) => refuse(turn, &refusal),
    }
}

/// Handles a submitted form: the checks of a press, then its values.
pub(crate) fn submitted(turn: &mut Turn<'_>, press: &Press, values: &BTreeMap<String, String>) -> Decision {
    let refusal = match admitted(turn, press) {
        Ok((card, action)) if card.decision().is_some() => {
            return decisions::submitted(turn, card, action, values);
        }
        Ok((card, Action::Edit)) => {
            let draft = turn.draft_of(&card);
            return flow::edit_by_form(turn, card, draft, values);
        }
        Ok((card, Action::EditStory)) => {
            let draft = batch::edit::item(turn, &card, &item_of(turn, press));
            return flow::edit_by_form(turn, card, draft, values);
        }
        Ok((card, Action::AddStory)) => return batch::edit::add_story(turn, card, values),
        Ok((card, Action::Adopt)) => return adopt::adopt(turn, &card, values),
        Ok((_, action)) => Refusal(Reason::FormInvalid, say::no_form(action)),
        Err(refusal) => refusal,
    };
    refuse(turn, &refusal)
}

/// Runs the checks in their order. Returns the loaded card and the action that its step allows this person
/// now.
pub(crate) fn admitted(turn: &Turn<'_>, press: &Press) -> Result<(Card, Action), Refusal> {
    let (card, version, action) = known(turn, press)?;
    if !card.actions().contains(&action) {
        unconsumed(turn, &card, action)?;
    }
    if version != card.version {
        return Err(Refusal(Reason::StaleVersion, say::outdated(Some(card.version))));
    }
    if matches!(card.status, CardStatus::Superseded { .. }) {
        return Err(Refusal(Reason::StaleVersion, say::outdated(None)));
    }
    if let (Action::Approve, Some(first)) = (action, card.to_confirm()) {
        return Err(Refusal(Reason::StaleStep, say::batch::not_confirmed(first)));
    }
    let step_allows = allowed(card.step()).contains(&action) && card.status != CardStatus::Withdrawn;
    let offered = card.actions().contains(&action) || card.status == CardStatus::Expired;
    if !(step_allows && offered) {
        return Err(Refusal(Reason::StaleStep, say::STALE_STEP.into()));
    }
    let undecided = card.open() || card.status == CardStatus::Expired || action == Action::Comment;
    let late = |end: &Timestamp| turn.now() > *end || card.status == CardStatus::Expired;
    if let Some(end) = card.expires_at.filter(|end| undecided && late(end)) {
        return Err(Refusal(Reason::PressExpired, say::expired(end, turn.now())));
    }
    if needs_approver(card.step(), action) {
        let choices = crate::cards::proposal::choices(turn, &card);
        // If several issues are offered, one that this person may comment on is enough here; the next
        // question names the issue.
        let mine = choices.len() > 1 && choices.iter().any(|(_, asked)| may(turn, asked, action));
        if !mine {
            let first = choices.into_iter().next().map(|(_, asked)| asked);
            authorised(turn, first.or_else(|| turn.asked_for(&card)).as_ref(), action)?;
        }
    }
    Ok((card, action))
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
    turn.card(id).map(|card| (card, version, action)).ok_or_else(|| unknown(turn))
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
    Refusal(Reason::PressUnknown, say::unknown_press(&open_lines(turn)))
}

pub(crate) fn unconsumed(turn: &Turn<'_>, card: &Card, pressed: Action) -> Result<(), Refusal> {
    if let (
        About::DecisionPreview { comment: Comment::Pressed { by, at, result, .. }, .. },
        Action::Comment,
    ) = (&card.about, pressed)
    {
        let text = say::consumed(pressed, by, *at, result, &turn.event.actor, turn.now());
        return Err(Refusal(Reason::PressConsumed, text));
    }
    let CardStatus::Decided { action, by, at, result } = &card.status else { return Ok(()) };
    let text = say::consumed(*action, by, *at, result, &turn.event.actor, turn.now());
    Err(Refusal(Reason::PressConsumed, text))
}

/// Carries out an action of a card after the checks.
pub(crate) fn perform(
    turn: &mut Turn<'_>,
    card: Card,
    action: Action,
    item: &str,
    remember: bool,
) -> Decision {
    if card.decision().is_some() {
        return decisions::pressed(turn, card, action);
    }
    let done = Decision::new(Verdict::Done, Reason::PressApplied);
    match action {
        Action::Approve if card.task().is_some() => {
            work::release(turn, card);
            done
        }
        Action::Approve if batch::latch::rearmed(turn, &card) => {
            let text = say::batch::not_confirmed(Action::ConfirmQuantity);
            refuse(turn, &Refusal(Reason::StaleStep, text))
        }
        Action::Happened => {
            work::happened(turn, card);
            done
        }
        Action::DoAgain => {
            work::again(turn, card);
            done
        }
        Action::Approve | Action::CreateAgain => {
            release::release(turn, card, action);
            done
        }
        Action::Reject => {
            end_of(turn, &card, TaskStatus::Cancelled);
            decide(turn, card, action, Progress::None);
            done
        }
        Action::Edit => {
            let draft = turn.draft_of(&card);
            flow::ask_edit(turn, &card, draft)
        }
        Action::EditStory => {
            let draft = batch::edit::item(turn, &card, item);
            flow::ask_edit(turn, &card, draft)
        }
        Action::RemoveStory => batch::edit::remove(turn, card, item),
        Action::AddStory => batch::edit::ask_story(turn, &card),
        Action::ConfirmQuantity | Action::ConfirmSize => batch::latch::confirm(turn, card, action),
        Action::Split => batch::latch::split(turn, card),
        Action::RetryMissing => batch::flow::retry(turn, &card),
        Action::Adopt => adopt::ask_key(turn),
        Action::Cancel if matches!(card.about, About::UncertainCall { .. }) => {
            if let Some((effect, receipt)) = card.doubts().zip(card.receipt()) {
                turn.cancel(effect);
                result_on(turn, receipt, Progress::Cancelled);
            }
            end_of(turn, &card, TaskStatus::Cancelled);
            decide(turn, card, action, Progress::Cancelled);
            done
        }
        Action::Cancel if matches!(card.about, About::UncertainEffect { .. }) => {
            adopt::cancelled(turn, card);
            done
        }
        Action::Cancel => {
            decide(turn, card.clone(), action, Progress::None);
            batch::flow::dropped(turn, &card);
            done
        }
        Action::Remember => {
            let mut card = card;
            if let About::ScopeGate { remember, .. } = &mut card.about {
                *remember = !*remember;
            }
            turn.update(card);
            done
        }
        Action::Dismiss => {
            decide(turn, card, action, Progress::None);
            Decision::new(Verdict::Done, Reason::GateDismissed)
        }
        Action::SelectReview => choose(turn, card, action, Intent::Review, remember),
        Action::SelectTicket => choose(turn, card, action, Intent::Ticket, remember),
        // Comments are handled above, with the cards of decision records.
        Action::Comment => refuse_step(turn),
        Action::ApproveDecision => decisions::record_pressed(turn, &card),
        Action::ShowFull | Action::TurnIntoTicket | Action::Finish => review::pressed(turn, &card, action),
        Action::Option | Action::NoneOfThese | Action::Leave | Action::More => {
            selection::pressed(turn, &card, action, item)
        }
        Action::Forget => {
            decide(turn, card, action, Progress::None);
            turn.forget_mode();
            turn.tell(say::FORGOTTEN);
            done
        }
    }
}

/// Routes the gate's stored message by the intent chosen. The gate is decided, so this happens once.
pub(crate) fn choose(
    turn: &mut Turn<'_>,
    card: Card,
    action: Action,
    intent: Intent,
    remember: bool,
) -> Decision {
    let About::ScopeGate { source, remember: ticked, .. } = card.about.clone() else {
        return refuse_step(turn);
    };
    let saved = turn.message(&source);
    decide(turn, card, action, Progress::None);
    let Some(saved) = saved else {
        turn.tell(say::CARD_GONE);
        return Decision::new(Verdict::Refused, Reason::StaleStep);
    };
    let words = Words::new(&saved.text, turn.languages());
    turn.said = Some(Rc::new(Said { message: saved.id, by: saved.by, words, since: saved.at }));
    let decision = act(turn, intent, Reason::IntentChosen, None);
    if ticked || remember {
        // Set only after `act`: acting may end a review, which clears the mode that was remembered before.
        turn.head.remembered = Some(Remembered { intent, since: turn.now() });
    }
    decision
}
