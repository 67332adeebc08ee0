//! Presses and forms: the checks of `spec 06 §5.3` in their order, then the handler. Every press is answered.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::{About, Action, Card, CardStatus, Checks, Presser, Progress, allowed, needs_approver};
use crate::approval::{ApprovalChange, Closing};
use crate::decision::{Decision, Reason, Verdict};
use crate::decisions::{self as decided, Comment, flow as decisions};
use crate::effect::ApprovalRef;
use crate::event::Press;
use crate::id::CardId;
use crate::intent::{Intent, Remembered};
use crate::lane::{Task, TaskStatus};
use crate::policy::ApproverRule;
use crate::recognize::Words;
use crate::review::flow as review;
use crate::rungs::intent::act;
use crate::say;
use crate::selection::press as selection;
use crate::tickets::{adopt, batch, flow, release};
use crate::time::Timestamp;
use crate::turn::{AskedFor, Said, Turn};
use crate::work;

/// A press that was refused: the code, and what the person is told.
struct Refusal(Reason, String);

/// A button was pressed.
pub(crate) fn pressed(turn: &mut Turn<'_>, press: &Press, remember: bool) -> Decision {
    if let Press::Option { set, version, option } = press {
        return selection::option_pressed(turn, set, *version, option);
    }
    match admitted(turn, press) {
        Ok((card, action)) => perform(turn, card, action, &item_of(turn, press), remember),
        Err(refusal) => refuse(turn, &refusal),
    }
}

/// A form came back: the same checks, then its values.
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

fn refuse(turn: &mut Turn<'_>, Refusal(reason, text): &Refusal) -> Decision {
    turn.tell(text);
    Decision::new(Verdict::Refused, *reason)
}

/// The step of the card allows nothing of the kind.
pub(crate) fn refuse_step(turn: &mut Turn<'_>) -> Decision {
    refuse(turn, &Refusal(Reason::StaleStep, say::STALE_STEP.into()))
}

/// The checks, in order. Ok is the card, loaded, and the action its step allows to this person now.
fn admitted(turn: &Turn<'_>, press: &Press) -> Result<(Card, Action), Refusal> {
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
        let choices = decided::choices(turn, &card);
        // Of several issues one has to be theirs to comment on; which, is asked next.
        let mine = choices.len() > 1 && choices.iter().any(|(_, asked)| may(turn, asked, action));
        if !mine {
            let first = choices.into_iter().next().map(|(_, asked)| asked);
            authorised(turn, first.or_else(|| turn.asked_for(&card)).as_ref(), action)?;
        }
    }
    Ok((card, action))
}

/// The button is known, in this lane.
fn known(turn: &Turn<'_>, press: &Press) -> Result<(Card, u32, Action), Refusal> {
    let (id, version, action) = match press {
        Press::Decision { card, version, action, .. } => (card, *version, *action),
        // That of a list where its host shows it is no card's.
        Press::Option { .. } => return Err(unknown(turn)),
        Press::Token(_) => match &turn.given.press {
            Some(target) if target.lane == turn.lane.key => (&target.card, target.version, target.action),
            _ => return Err(unknown(turn)),
        },
    };
    turn.card(id).map(|card| (card, version, action)).ok_or_else(|| unknown(turn))
}

/// The item of the card that was pressed; empty when the button is the card's own.
fn item_of(turn: &Turn<'_>, press: &Press) -> String {
    match press {
        Press::Decision { item, .. } => item.clone(),
        Press::Option { option, .. } => option.clone(),
        Press::Token(_) => turn.given.press.as_ref().map(|target| target.item.clone()).unwrap_or_default(),
    }
}

fn unknown(turn: &Turn<'_>) -> Refusal {
    Refusal(Reason::PressUnknown, say::unknown_press(&open_lines(turn)))
}

/// What is open in this lane, one line each.
pub(crate) fn open_lines(turn: &Turn<'_>) -> Vec<String> {
    let title = |card| super::project(card, turn, turn.now(), turn.policy).title;
    turn.open_cards().map(title).collect()
}

fn unconsumed(turn: &Turn<'_>, card: &Card, pressed: Action) -> Result<(), Refusal> {
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

/// Who may, kill switch, stored bytes: in this order, fail closed (`spec 06 §5.2`).
fn authorised(turn: &Turn<'_>, asked: Option<&AskedFor>, action: Action) -> Result<(), Refusal> {
    let (class, target) = asked.map_or(("", ""), |asked| (asked.class, &asked.target));
    let rules: Vec<&ApproverRule> =
        turn.policy.approvers.iter().filter(|rule| rule.covers(class, target)).collect();
    if rules.is_empty() {
        return Err(Refusal(Reason::PressNoPolicy, say::NOBODY_MAY.into()));
    }
    let naming: Vec<_> = rules
        .iter()
        .filter(|rule| turn.given.actor.as_ref().is_some_and(|actor| rule.names(actor)))
        .collect();
    if naming.is_empty() {
        return Err(Refusal(Reason::PressForbidden, say::forbidden(rules.into_iter())));
    }
    let own = asked.is_some_and(|asked| asked.by == turn.event.actor);
    if own && !naming.iter().any(|rule| rule.self_approve) {
        return Err(Refusal(Reason::PressSelf, say::SELF_APPROVE.into()));
    }
    if let Some(paused) = turn.given.paused.as_ref().filter(|_| action.releases()) {
        return Err(Refusal(Reason::EffectsPaused, say::paused(&paused.by, paused.since, turn.now())));
    }
    if turn.given.press.as_ref().is_some_and(|target| !target.intact) {
        return Err(Refusal(Reason::PressTampered, say::TAMPERED.into()));
    }
    Ok(())
}

/// Whether the acting person may release this.
pub(crate) fn may(turn: &Turn<'_>, asked: &AskedFor, action: Action) -> bool {
    authorised(turn, Some(asked), action).is_ok()
}

/// Does what an action of a card says; the checks are done.
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
        // A decision's receipt answered before this.
        Action::Comment => refuse_step(turn),
        Action::ShowFull | Action::ApproveDecision | Action::TurnIntoTicket | Action::Finish => {
            review::pressed(turn, &card, action)
        }
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

/// A choice at the scope gate routes the saved message, once (`spec 03 §2`).
fn choose(turn: &mut Turn<'_>, card: Card, action: Action, intent: Intent, remember: bool) -> Decision {
    let About::ScopeGate { source, remember: ticked, .. } = card.about.clone() else {
        return refuse_step(turn);
    };
    let saved = turn.message(&source);
    decide(turn, card, action, Progress::None);
    let Some(saved) = saved else {
        turn.tell(say::CARD_GONE);
        return Decision::new(Verdict::Refused, Reason::StaleStep);
    };
    let words = Words::of(&saved.text);
    turn.said = Some(Rc::new(Said { message: saved.id, by: saved.by, words, since: saved.at }));
    let decision = act(turn, intent, Reason::IntentChosen, None);
    if ticked || remember {
        // Behind the act: what is remembered now does not end with a review that this choice is the end of.
        turn.head.remembered = Some(Remembered { intent, since: turn.now() });
    }
    decision
}

/// Consumes a card on behalf of the acting person.
pub(crate) fn decide(turn: &mut Turn<'_>, card: Card, action: Action, result: Progress) {
    let by = turn.presser();
    decide_as(turn, card, action, by, result);
}

/// Consumes a card: its status, its message and, for an approval, the store's compare-and-swap.
pub(crate) fn decide_as(turn: &mut Turn<'_>, mut card: Card, action: Action, by: Presser, result: Progress) {
    let at = turn.now();
    if card.is_approval() {
        let (card, version) = (card.id.clone(), card.version);
        turn.approval(ApprovalChange::Decide { card, version, action, by: by.clone(), at });
    }
    card.status = CardStatus::Decided { action, by, at, result };
    turn.update(card);
}

/// Puts the result of a released call on the card that released it.
pub(crate) fn result_on(turn: &mut Turn<'_>, card: &CardId, progress: Progress) {
    let Some(mut card) = turn.card(card) else { return };
    if let CardStatus::Decided { result, .. } = &mut card.status {
        *result = progress;
        turn.update(card);
    }
}

/// The task a card is about ends with it, unless it waits for another one by now.
pub(crate) fn end_of(turn: &mut Turn<'_>, card: &Card, status: TaskStatus) {
    let waits = |task: &Task| task.work.as_ref().is_none_or(|work| work.card.as_ref() == Some(&card.id));
    let waiting = card.task().is_none_or(|id| turn.task(id).is_some_and(|task| waits(&task)));
    if let Some(task) = turn.task_of(card).filter(|_| waiting) {
        turn.end_task(&task, status);
    }
    if let Some(Checks::Running { effect }) = card.about.checks() {
        turn.cancel(effect);
    }
}

/// Ends an open card that nobody decided.
pub(crate) fn close(turn: &mut Turn<'_>, mut card: Card, status: CardStatus, how: Closing) {
    if card.is_approval() {
        turn.approval(ApprovalChange::Close { card: card.id.clone(), version: card.version, how });
    }
    card.status = status;
    turn.update(card);
}

/// The approval an outward effect names.
pub(crate) fn released_by(card: &Card) -> ApprovalRef {
    ApprovalRef { card: card.id.clone(), version: card.version }
}
