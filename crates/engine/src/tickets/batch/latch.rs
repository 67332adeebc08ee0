//! Latches: a batch of many items, or of very long ones, has to be confirmed on its preview before it can be
//! approved. A confirmation holds for one version; a change of the batch asks again.
//!
//! Design: docs/design/0020-ticket-drafts-and-batches.md.

use alloc::vec::Vec;

use crate::cards::decide::{close, refuse_step};
use crate::data::action::Action;
use crate::data::approval::CloseReason;
use crate::data::batch::{Batch, PartOf};
use crate::data::batch::{Latch, Latches};
use crate::data::card::{Card, CardStatus, CardSubject};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::id::{BatchId, DraftId};
use crate::data::pending::PendingKind;
use crate::data::ticket::Draft;
use crate::tickets::batch::{drafting, edit};
use crate::turn::Turn;
use throughline_messages as say;

/// Counts the items approved in this lane within the latch window of the policy.
pub(crate) fn recent(turn: &Turn<'_>) -> usize {
    let since = turn.policy.latch.recent_ms;
    let cards = turn.head.cards.texts().filter_map(|id| turn.named::<Card>(id));
    let approved = cards.filter(|card| {
        let recently = matches!(card.status, CardStatus::Decided { action: Action::Approve, at, .. }
            if turn.now().since(at) <= since);
        recently && card.about.checks().is_some()
    });
    approved.map(|card| card.released().count()).sum()
}

/// Keeps a question beside the approval for each confirmation that a batch still needs; it expires with the card.
pub(crate) fn keep_questions(turn: &mut Turn<'_>, card: &Card) {
    let CardSubject::BatchPreview { latches, .. } = &card.about else { return };
    let latches = [
        (latches.quantity, PendingKind::WaitingQuantityConfirm { card: card.id.clone() }),
        (latches.size, PendingKind::WaitingSizeConfirm { card: card.id.clone() }),
    ];
    let task = turn.task_of(card);
    for (latch, kind) in latches {
        let waits = turn.head.pendings.iter().any(|p| p.kind == kind);
        if !latch.asked() {
            turn.head.pendings.retain(|p| p.kind != kind);
        } else if !waits {
            turn.open_pending(kind, None, &card.message, task.as_ref(), None, card.expires_at);
            if let Some(pending) = turn.head.pendings.last_mut() {
                pending.ui_version = card.version;
            }
        }
    }
}

/// Confirms a latch. The content to approve is unchanged, and so is the version of the card.
pub(crate) fn confirm(turn: &mut Turn<'_>, mut card: Card, action: Action) -> Decision {
    let CardSubject::BatchPreview { latches, .. } = &mut card.about else {
        return refuse_step(turn);
    };
    let latch = if action == Action::ConfirmQuantity { &mut latches.quantity } else { &mut latches.size };
    *latch = Latch::Confirmed;
    turn.update(card);
    Decision::new(Verdict::Done, Reason::PressApplied)
}

/// Checks the quantity latch again on *Approve*: other approvals in the lane may have made it necessary.
/// Returns `true` if it now has to be confirmed first.
pub(crate) fn rearmed(turn: &mut Turn<'_>, card: &Card) -> bool {
    let needed = Latches::of(turn, &turn.drafts_of(card));
    let mut card = card.clone();
    let CardSubject::BatchPreview { latches, .. } = &mut card.about else { return false };
    if latches.quantity != Latch::Idle || needed.quantity == Latch::Idle {
        return false;
    }
    latches.quantity = Latch::Asked;
    turn.update(card);
    true
}

/// Splits a batch into parts, in order, each filled up to the limit of characters; an item over the limit is
/// alone. The first part opens now, each other one when the part before it is finished.
pub(crate) fn split(turn: &mut Turn<'_>, card: Card) -> Decision {
    let Some(whole) = card.batch().and_then(|batch| turn.get::<Batch>(batch).cloned()) else {
        return refuse_step(turn);
    };
    let groups = groups(&turn.drafts_of(&card), turn.policy.latch.chars);
    if groups.len() < 2 {
        turn.tell(&say::batch_one_item(turn.language()));
        return Decision::new(Verdict::Refused, Reason::StaleStep);
    }
    let of = u32::try_from(groups.len()).unwrap_or(u32::MAX);
    let ids: Vec<BatchId> = groups.iter().map(|_| turn.new_batch_id()).collect();
    for (at, items) in groups.into_iter().enumerate() {
        let n = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let next = ids.get(at + 1).cloned().or_else(|| whole.part.as_ref()?.next.clone());
        let part = Some(PartOf { n, of, next });
        turn.put(Batch { id: ids[at].clone(), items, part, before: None, ..whole.clone() });
    }
    let first = drafting::show(turn, &ids[0], None);
    close(turn, card, CardStatus::Superseded { by: first }, CloseReason::Superseded);
    edit::ask_missing(turn, &ids[0]);
    Decision::new(Verdict::Shown, Reason::PressApplied)
}

fn groups(drafts: &[Draft], most: usize) -> Vec<Vec<DraftId>> {
    let mut groups: Vec<Vec<DraftId>> = Vec::new();
    let mut left = 0;
    for draft in drafts {
        let chars = draft.chars();
        match groups.last_mut().filter(|_| chars <= left) {
            Some(group) => group.push(draft.id.clone()),
            None => {
                groups.push(alloc::vec![draft.id.clone()]);
                left = most;
            }
        }
        left = left.saturating_sub(chars);
    }
    groups
}

impl Latches {
    /// Returns the latches that these drafts need now.
    pub(crate) fn of(turn: &Turn<'_>, drafts: &[Draft]) -> Self {
        let limits = &turn.policy.latch;
        let chars: usize = drafts.iter().map(Draft::chars).sum();
        Self {
            quantity: Latch::when(drafts.len() + recent(turn) > limits.items),
            size: Latch::when(chars > limits.chars),
        }
    }
}
