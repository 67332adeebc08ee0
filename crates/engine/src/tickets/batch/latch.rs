//! Latches (`spec 06 §6.3`): many items, or long ones, are confirmed on the preview before they can be approved. A
//! confirmation is of one version; what changes the batch asks anew.

use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use super::{Batch, PartOf, edit, flow};
use crate::approval::Closing;
use crate::decision::{Decision, Reason, Verdict};
use crate::id::{BatchId, DraftId};
use crate::lane::Record;
use crate::say;
use crate::tickets::Draft;
use crate::turn::Turn;
use crate::workflow::press::{close, refuse_step};
use crate::workflow::{About, Action, Card, CardStatus};

/// One thing to confirm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Latch {
    /// There is nothing to confirm.
    #[default]
    Idle,
    /// It has to be confirmed.
    Asked,
    /// It is.
    Confirmed,
}

impl Latch {
    /// It holds Approve back.
    #[must_use]
    pub fn asked(self) -> bool {
        self == Self::Asked
    }

    fn when(needed: bool) -> Self {
        if needed { Self::Asked } else { Self::Idle }
    }
}

/// What is to be confirmed of one version of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latches {
    /// How many items.
    #[serde(default)]
    pub quantity: Latch,
    /// How many characters.
    #[serde(default)]
    pub size: Latch,
}

impl Latches {
    /// Nothing is to be confirmed.
    #[must_use]
    pub fn idle(&self) -> bool {
        *self == Self::default()
    }

    /// What has to be confirmed first.
    #[must_use]
    pub fn shut(&self) -> Option<Action> {
        let quantity = self.quantity.asked().then_some(Action::ConfirmQuantity);
        quantity.or_else(|| self.size.asked().then_some(Action::ConfirmSize))
    }

    /// What these drafts need to have confirmed now.
    pub(crate) fn of(turn: &Turn<'_>, drafts: &[Draft]) -> Self {
        let limits = &turn.policy.latch;
        let chars: usize = drafts.iter().map(Draft::chars).sum();
        Self {
            quantity: Latch::when(drafts.len() + recent(turn) > limits.items),
            size: Latch::when(chars > limits.chars),
        }
    }
}

/// Items that were approved in this lane a moment ago.
fn recent(turn: &Turn<'_>) -> usize {
    let since = turn.policy.latch.recent_ms;
    let cards = turn.head.cards.texts().filter_map(|id| turn.card_ref(id));
    let approved = cards.filter(|card| {
        let recently = matches!(card.status, CardStatus::Decided { action: Action::Approve, at, .. }
            if turn.now().since(at) <= since);
        recently && card.about.checks().is_some()
    });
    approved.map(|card| card.released().count()).sum()
}

/// *Confirm* was pressed. What would be approved stays what it is, and so does the version.
pub(crate) fn confirm(turn: &mut Turn<'_>, mut card: Card, action: Action) -> Decision {
    let About::BatchPreview { latches, .. } = &mut card.about else {
        return refuse_step(turn);
    };
    let latch = if action == Action::ConfirmQuantity { &mut latches.quantity } else { &mut latches.size };
    *latch = Latch::Confirmed;
    turn.update(card);
    Decision::new(Verdict::Done, Reason::PressApplied)
}

/// Approve was pressed: what was approved elsewhere in the meantime may have armed the latch.
pub(crate) fn rearmed(turn: &mut Turn<'_>, card: &Card) -> bool {
    let needed = Latches::of(turn, &turn.drafts_of(card));
    let mut card = card.clone();
    let About::BatchPreview { latches, .. } = &mut card.about else { return false };
    if latches.quantity != Latch::Idle || needed.quantity == Latch::Idle {
        return false;
    }
    latches.quantity = Latch::Asked;
    turn.update(card);
    true
}

/// *Split into batches*: in order and greedy, each within the limit, one item that is too long alone. The first opens
/// now, each other when the one before it is over.
pub(crate) fn split(turn: &mut Turn<'_>, card: Card) -> Decision {
    let Some(whole) = card.batch().and_then(|batch| turn.batch(batch)) else { return refuse_step(turn) };
    let groups = groups(&turn.drafts_of(&card), turn.policy.latch.chars);
    if groups.len() < 2 {
        turn.tell(say::batch::ONE_ITEM);
        return Decision::new(Verdict::Refused, Reason::StaleStep);
    }
    let of = u32::try_from(groups.len()).unwrap_or(u32::MAX);
    let ids: Vec<BatchId> = groups.iter().map(|_| turn.new_batch_id()).collect();
    for (at, items) in groups.into_iter().enumerate() {
        let n = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let next = ids.get(at + 1).cloned().or_else(|| whole.part.as_ref()?.next.clone());
        let part = Some(PartOf { n, of, next });
        turn.put(Record::Batch(Batch { id: ids[at].clone(), items, part, ..whole.clone() }));
    }
    let first = flow::show(turn, &ids[0], None);
    close(turn, card, CardStatus::Superseded { by: first }, Closing::Superseded);
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
