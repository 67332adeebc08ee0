//! Checks and results of presses that all cards share: who may approve, refusing with a reason, and
//! deciding a card (`docs/design/0032-approvals.md`). Every press is answered.

use alloc::string::String;
use alloc::vec::Vec;

use crate::data::action::Action;
use crate::data::actor::Presser;
use crate::data::approval::{ApprovalChange, CloseReason};
use crate::data::card::{Card, CardStatus, Checks};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::effect::ApprovalRef;
use crate::data::id::CardId;
use crate::data::policy::ApproverRule;
use crate::data::progress::Progress;
use crate::data::task::Task;
use crate::data::task_status::TaskStatus;
use crate::messages;
use crate::turn::Turn;
use crate::turn::capability::ReleaseRequest;
use throughline_messages as say;

/// A refused press: the reason, and the text for the person.
pub(crate) struct Refusal(pub(crate) Reason, pub(crate) String);

pub(crate) fn refuse(turn: &mut Turn<'_>, Refusal(reason, text): &Refusal) -> Decision {
    turn.tell(text);
    Decision::new(Verdict::Refused, *reason)
}

/// Refuses an action that the card's step does not have.
pub(crate) fn refuse_step(turn: &mut Turn<'_>) -> Decision {
    refuse(turn, &Refusal(Reason::StaleStep, say::press_stale(turn.language())))
}

/// The titles of the lane's open cards.
pub(crate) fn open_lines(turn: &Turn<'_>) -> Vec<String> {
    let title = |card| turn.model(card).title;
    turn.open_cards().map(title).collect()
}

/// Checks, in this order, that a rule allows the acting person to do this, that sending is not paused, and
/// that the stored request is unaltered. Without any rule nobody may.
pub(crate) fn authorised(
    turn: &Turn<'_>,
    asked: Option<&ReleaseRequest>,
    action: Action,
) -> Result<(), Refusal> {
    let (class, target) = asked.map_or(("", ""), |asked| (asked.class, &asked.target));
    let rules: Vec<&ApproverRule> =
        turn.policy.approvers.iter().filter(|rule| rule.covers(class, target)).collect();
    if rules.is_empty() {
        return Err(Refusal(Reason::PressNoPolicy, say::approval_nobody_may(turn.language())));
    }
    let naming: Vec<_> = rules
        .iter()
        .filter(|rule| turn.given.actor.as_ref().is_some_and(|actor| rule.names(actor)))
        .collect();
    if naming.is_empty() {
        return Err(Refusal(Reason::PressForbidden, messages::forbidden(turn.language(), rules.into_iter())));
    }
    let own = asked.filter(|asked| asked.is_by(&turn.event.actor));
    if let Some(own) = own.filter(|_| !naming.iter().any(|rule| rule.self_approve)) {
        let asker = own.by == turn.event.actor;
        let why = if asker {
            &say::approval_self(turn.language())
        } else {
            &say::approval_wrote_part(turn.language())
        };
        return Err(Refusal(Reason::PressSelf, why.into()));
    }
    if let Some(paused) = turn.given.paused.as_ref().filter(|_| action.releases()) {
        return Err(Refusal(
            Reason::EffectsPaused,
            say::press_paused(
                turn.language(),
                &paused.by,
                paused.since.display_at(turn.now(), turn.language()),
            ),
        ));
    }
    if altered(turn, asked, action) {
        return Err(Refusal(Reason::PressTampered, say::approval_tampered(turn.language())));
    }
    Ok(())
}

/// True if the stored approval was altered, or if what the press would release is not what the approval shows.
fn altered(turn: &Turn<'_>, asked: Option<&ReleaseRequest>, action: Action) -> bool {
    let Some(target) = &turn.given.press else { return false };
    let shown = target.approved.as_ref().filter(|_| action.releases());
    let other = |shown: &String| asked.is_none_or(|asked| asked.payload_sha256() != *shown);
    !target.intact || shown.is_some_and(other)
}

/// True if the acting person may release this now.
pub(crate) fn may(turn: &Turn<'_>, asked: &ReleaseRequest, action: Action) -> bool {
    authorised(turn, Some(asked), action).is_ok()
}

/// Decides a card for the acting person.
pub(crate) fn decide(turn: &mut Turn<'_>, card: Card, action: Action, result: Progress) {
    let by = turn.presser();
    decide_as(turn, card, action, by, result);
}

/// Decides a card for `by`. An approval is also decided in the store, by compare-and-swap on its version.
pub(crate) fn decide_as(turn: &mut Turn<'_>, mut card: Card, action: Action, by: Presser, result: Progress) {
    let at = turn.now();
    if card.is_approval() {
        consume(turn, &card, action, by.clone());
    }
    card.status = CardStatus::Decided { action, by, at, result };
    turn.update(card);
}

/// Decides the card's approval in the store, with the hashes of what it releases.
pub(crate) fn consume(turn: &mut Turn<'_>, card: &Card, action: Action, by: Presser) {
    let released = turn.request_of(card).filter(|_| action.releases());
    let (payload_sha256, releases) = released.map(|asked| (asked.payload_sha256(), asked.releases())).unzip();
    turn.approval(ApprovalChange::Decide {
        card: card.id.clone(),
        version: card.version,
        action,
        by,
        at: turn.now(),
        payload_sha256,
        releases: releases.unwrap_or_default(),
    });
}

/// Records the result of a released call on the card that released it.
pub(crate) fn result_on(turn: &mut Turn<'_>, card: &CardId, progress: Progress) {
    let Some(mut card) = turn.get::<Card>(card).cloned() else { return };
    if let CardStatus::Decided { result, .. } = &mut card.status {
        *result = progress;
        turn.update(card);
    }
}

/// Returns the questions about an uncertain effect of this receipt that were decided by doing it again, and whose own
/// effect has no outcome yet: they tell what comes of the newest.
pub(crate) fn following(turn: &Turn<'_>, receipt: &CardId) -> Vec<Card> {
    let cards = turn.head.cards.texts().filter_map(|id| turn.named::<Card>(id));
    let follows = |card: &&Card| {
        card.receipt() == Some(receipt) && card.result().is_some_and(|result| !result.is_final())
    };
    cards.filter(follows).cloned().collect()
}

/// Ends the card's task, unless the task waits for another card by now, and cancels a dry run that is under
/// way.
pub(crate) fn end_of(turn: &mut Turn<'_>, card: &Card, status: TaskStatus) {
    let waits = |task: &Task| task.work.as_ref().is_none_or(|work| work.card.as_ref() == Some(&card.id));
    let waiting = card.task().is_none_or(|id| turn.get::<Task>(id).is_some_and(waits));
    if let Some(task) = turn.task_of(card).filter(|_| waiting) {
        turn.end_task(&task, status);
    }
    if let Some(Checks::Running { effect }) = card.about.checks() {
        turn.cancel(effect);
    }
}

/// Closes an open card that nobody decided.
pub(crate) fn close(turn: &mut Turn<'_>, mut card: Card, status: CardStatus, how: CloseReason) {
    if card.is_approval() {
        turn.approval(ApprovalChange::Close { card: card.id.clone(), version: card.version, how });
    }
    card.status = status;
    turn.update(card);
}

/// The reference to this card's approval that an outward effect carries.
pub(crate) fn released_by(card: &Card) -> ApprovalRef {
    ApprovalRef { card: card.id.clone(), version: card.version }
}
