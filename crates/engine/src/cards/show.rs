//! Cards within a turn: shown, updated, revised, each with its message, pending, deadlines and approval.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::cards::batch;
use crate::cards::project;
use crate::cards::proposal;
use crate::data::approval::{Approval, ApprovalChange};
use crate::data::canon::{hex, jcs, sha256};
use crate::data::card::{About, Card, CardStatus, TimerAbout};
use crate::data::effect::EffectBody;
use crate::data::id::{CardId, DraftId, MessageId, TaskId, TimerId};
use crate::data::message::MessageKind;
use crate::data::pending::{PendingClass, PendingKind, PendingState};
use crate::data::proposal::Proposal;
use crate::data::record::Record;
use crate::data::step::Timer;
use crate::data::ticket::{Draft, Item, Target};
use crate::data::time::Timestamp;
use crate::turn::Turn;

/// A request that a card would release: its payload, the class and target that approver rules match, and
/// who asked.
pub(crate) struct AskedFor {
    pub(crate) kind: &'static str,
    pub(crate) class: &'static str,
    pub(crate) target: String,
    pub(crate) payload: String,
    pub(crate) quantity: usize,
    pub(crate) chars: usize,
    pub(crate) by: String,
    pub(crate) source: MessageId,
}

impl Turn<'_> {
    /// Shows a new card: its record, its message, its pending, its timers and, if it releases outward
    /// effects, its approval.
    pub(crate) fn show(&mut self, about: About, by: &str, task: Option<&TaskId>) -> CardId {
        let approval = about.is_approval();
        let id = CardId(self.fresh(if approval { CardId::APPROVAL } else { CardId::PREFIX }));
        let mut card = Card {
            id: id.clone(),
            version: 1,
            message: MessageId::from(""),
            by: by.into(),
            created_at: self.now(),
            expires_at: None,
            about,
            status: CardStatus::Open,
            timers: Vec::new(),
        };
        let pending = self.pending_of(&card);
        card.expires_at =
            pending.as_ref().and_then(|kind| kind.lifetime(self.policy)).map(|age| self.now().plus(age));
        let model = project(&card, self, self.now(), self.policy);
        card.message = self.our_message("", MessageKind::Card, task, Some(&id), &model.as_text());
        if let Some(kind) = pending {
            self.open_pending(kind, None, &card.message, task, None, card.expires_at);
        }
        self.head.cards.push(&id);
        self.latch_pendings(&card);
        self.set_timers(&mut card);
        self.effect(EffectBody::CardPost { message: card.message.clone(), card: model }, &[], None);
        self.open_approval(&card);
        self.put(Record::Card(card));
        id
    }

    /// Stores a changed card and shows its new state. A card that is no longer open loses its pending and
    /// its timers.
    pub(crate) fn update(&mut self, mut card: Card) {
        let model = project(&card, self, self.now(), self.policy);
        if let Some(mut message) = self.message(&card.message) {
            message.text = model.as_text();
            self.put(Record::Message(message));
        }
        if card.open() {
            self.latch_pendings(&card);
        } else {
            self.clear_pending_of(&card.id);
            self.clear_question_about(&card);
            self.clear_timers.append(&mut card.timers);
        }
        self.effect(EffectBody::CardUpdate { message: card.message.clone(), card: model }, &[], None);
        self.put(Record::Card(card));
    }

    /// Shows an unchanged card with a note as its first line. The card's next update removes the note.
    pub(crate) fn show_again(&mut self, card: &Card, note: &str) {
        let mut model = project(card, self, self.now(), self.policy);
        model.facts.insert(0, note.into());
        self.effect(EffectBody::CardUpdate { message: card.message.clone(), card: model }, &[], None);
    }

    /// Gives a card its next version, because what would be approved has changed: the old approval can no
    /// longer be decided and the old buttons are stale.
    pub(crate) fn revise(&mut self, mut card: Card, about: About) {
        card.version += 1;
        card.about = about;
        card.expires_at = self
            .pending_of(&card)
            .and_then(|kind| kind.lifetime(self.policy))
            .map(|age| self.now().plus(age));
        for pending in &mut self.head.pendings {
            if pending.kind.card() == Some(&card.id) && pending.kind.class() == PendingClass::Workflow {
                pending.ui_version = card.version;
                pending.expires_at = card.expires_at;
            }
        }
        self.clear_timers.append(&mut card.timers);
        self.set_timers(&mut card);
        self.open_approval(&card);
        self.update(card);
    }

    /// Moves a card to its next step. What it shows is unchanged, so its version is too.
    pub(crate) fn move_on(&mut self, mut card: Card, about: About) {
        self.clear_timers.append(&mut card.timers);
        card.about = about;
        self.set_timers(&mut card);
        self.update(card);
    }

    /// Restarts a card's deadlines from now.
    pub(crate) fn put_off(&mut self, mut card: Card) {
        self.clear_timers.append(&mut card.timers);
        self.set_timers(&mut card);
        self.put(Record::Card(card));
    }

    /// Clears questions about items of a batch when the card of the batch closes.
    fn clear_question_about(&mut self, card: &Card) {
        let Some(batch) = card.batch().and_then(|batch| self.batch(batch)) else { return };
        let about = |p: &PendingState| {
            matches!(&p.kind, PendingKind::SlotRequest(_))
                && p.kind.draft().is_some_and(|d| batch.items.contains(d))
        };
        self.head.pendings.retain(|p| !about(p));
        self.head.lapsed.take_if(|p| about(p));
    }

    /// Keeps a pending beside the approval for each confirmation that a batch still needs; it expires with
    /// the card.
    fn latch_pendings(&mut self, card: &Card) {
        let About::BatchPreview { latches, .. } = &card.about else { return };
        let latches = [
            (latches.quantity, PendingKind::WaitingQuantityConfirm { card: card.id.clone() }),
            (latches.size, PendingKind::WaitingSizeConfirm { card: card.id.clone() }),
        ];
        let task = self.task_of(card);
        for (latch, kind) in latches {
            let waits = self.head.pendings.iter().any(|p| p.kind == kind);
            if !latch.asked() {
                self.head.pendings.retain(|p| p.kind != kind);
            } else if !waits {
                self.open_pending(kind, None, &card.message, task.as_ref(), None, card.expires_at);
                if let Some(pending) = self.head.pendings.last_mut() {
                    pending.ui_version = card.version;
                }
            }
        }
    }

    fn pending_of(&self, card: &Card) -> Option<PendingKind> {
        let id = card.id.clone();
        match &card.about {
            About::DraftPreview { .. }
            | About::BatchPreview { .. }
            | About::CallPreview { .. }
            | About::DecisionPreview { .. } => Some(PendingKind::WaitingApproval { card: id }),
            About::ScopeGate { source, .. } => {
                Some(PendingKind::WaitingScopeChoice { card: id, message: source.clone() })
            }
            About::UncertainEffect { effect, .. }
            | About::UncertainCall { effect, .. }
            | About::DecisionUncertain { effect, .. } => {
                Some(PendingKind::WaitingUncertainEffect { card: id, effect: effect.clone() })
            }
            About::Remembered
            | About::ReviewActive { .. }
            | About::ReviewFrozen { .. }
            | About::Options { .. } => None,
        }
    }

    pub(crate) fn draft_of(&self, card: &Card) -> Option<Draft> {
        card.draft().and_then(|draft| self.draft(draft))
    }

    /// The drafts a card shows or released, in its order.
    pub(crate) fn drafts_of(&self, card: &Card) -> Vec<Draft> {
        match card.batch().and_then(|batch| self.batch(batch)) {
            Some(batch) => batch.items.iter().filter_map(|draft| self.draft(draft)).collect(),
            None => self.draft_of(card).into_iter().collect(),
        }
    }

    /// The items of these drafts as a tracker receives them: an item without a batch has no id, and an epic
    /// that exists is named by its key.
    pub(crate) fn items_of(&self, card: &Card, drafts: &[Draft]) -> Vec<Item> {
        let made = |epic: &DraftId| Some(self.draft_ref(epic)?.created.as_ref()?.key.clone());
        let mut items = batch::items(drafts, made);
        if card.batch().is_none() {
            items.iter_mut().for_each(|item| item.id.clear());
        }
        items
    }

    /// The task that a card about this would serve.
    pub(crate) fn task_of_about(&self, about: &About) -> Option<TaskId> {
        match about {
            About::DraftPreview { draft, .. } => Some(self.draft_ref(draft)?.task.clone()),
            About::BatchPreview { batch, .. } => Some(self.batch(batch)?.task),
            _ => None,
        }
    }

    pub(crate) fn proposal_of(&self, card: &Card) -> Option<Proposal> {
        card.decision().and_then(|decision| self.proposal(decision))
    }

    /// The task a card serves.
    pub(crate) fn task_of(&self, card: &Card) -> Option<TaskId> {
        let batch = || Some(self.batch(card.batch()?)?.task);
        card.draft()
            .and_then(|draft| self.draft_ref(draft))
            .map(|draft| draft.task.clone())
            .or_else(batch)
            .or_else(|| card.task().cloned())
            .or_else(|| self.proposal_of(card).map(|proposal| proposal.task))
    }

    fn set_timers(&mut self, card: &mut Card) {
        let (id, version) = (card.id.clone(), card.version);
        if let Some(end) = card.expires_at {
            // A press at the very end still counts, so the timer is one millisecond later.
            card.timers.push(self.set_timer(end.plus(1), TimerAbout::Expiry { card: id.clone(), version }));
        }
        if matches!(card.about, About::ReviewActive { .. }) {
            let due = self.now().plus(self.policy.review.cooldown_ms).plus(1);
            card.timers.push(self.set_timer(due, TimerAbout::Cooldown { card: id.clone(), version }));
        }
        if matches!(self.pending_of(card), Some(PendingKind::WaitingApproval { .. })) {
            let at = self.now().plus(self.policy.approval.remind_ms);
            card.timers.push(self.set_timer(at, TimerAbout::Reminder { card: id, version }));
        }
    }

    pub(crate) fn set_timer(&mut self, due: Timestamp, about: TimerAbout) -> TimerId {
        let id = TimerId(self.fresh(TimerId::PREFIX));
        self.timers.push(Timer { id: id.clone(), due, about });
        id
    }

    pub(crate) fn open_approval(&mut self, card: &Card) {
        if !card.is_approval() {
            return;
        }
        let Some(asked) = self.asked_for(card) else { return };
        self.approvals.push(ApprovalChange::Open(Approval {
            card: card.id.clone(),
            version: card.version,
            kind: asked.kind.into(),
            payload_sha256: hex(&sha256(&[asked.payload.as_bytes()])),
            payload: asked.payload,
            classes: alloc::vec![asked.class.into()],
            targets: alloc::vec![asked.target],
            quantity: u32::try_from(asked.quantity).unwrap_or(u32::MAX),
            total_chars: u32::try_from(asked.chars).unwrap_or(u32::MAX),
            requested_by: asked.by,
            source: asked.source,
            created_at: self.now(),
            expires_at: card.expires_at,
        }));
    }

    /// The request that this card would release; `None` if the records it needs are gone.
    pub(crate) fn asked_for(&self, card: &Card) -> Option<AskedFor> {
        if let Some((call, source)) = card.call() {
            return Some(AskedFor {
                kind: "call",
                class: call.job.class(),
                target: call.job.target(),
                payload: jcs(call),
                quantity: 1,
                chars: call.text.chars().count(),
                by: card.by.clone(),
                source: source.clone(),
            });
        }
        if card.decision().is_some() {
            return proposal::asked_for(self, card);
        }
        let drafts = self.drafts_of(card);
        let items = self.items_of(card, &drafts);
        let chars = drafts.iter().map(Draft::chars).sum();
        let created =
            |kind, payload: &serde_json::Value, target: &Target, by: &str, source: &MessageId| AskedFor {
                kind,
                class: "tracker.create",
                target: target.to_string(),
                payload: jcs(payload),
                quantity: items.len(),
                chars,
                by: by.into(),
                source: source.clone(),
            };
        if let Some(batch) = card.batch().and_then(|batch| self.batch(batch)) {
            let payload = crate::cards::payload_of_batch(&batch.target, &items);
            return Some(created("tracker.batch", &payload, &batch.target, &batch.by, &batch.source));
        }
        let (draft, item) = (drafts.first()?, items.first()?);
        let payload = crate::cards::payload(&draft.target, item);
        Some(created("tracker.item", &payload, &draft.target, &draft.by, &draft.source))
    }

    pub(crate) fn approval(&mut self, change: ApprovalChange) {
        self.approvals.push(change);
    }
}
