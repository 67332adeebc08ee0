//! Cards of a turn: shown, updated, revised, each with its message, pending, deadlines and approval.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Turn;
use crate::approval::{Approval, ApprovalChange};
use crate::canon::{hex, jcs, sha256};
use crate::effect::EffectBody;
use crate::id::{CardId, MessageId, TaskId, TimerId};
use crate::lane::{MessageKind, Record};
use crate::pending::{PendingClass, PendingKind};
use crate::step::Timer;
use crate::tickets::Draft;
use crate::time::Timestamp;
use crate::workflow::{About, Card, CardStatus, TimerAbout, project};

/// What may be released, by whom it was asked for and what rules name it by.
pub(crate) struct AskedFor {
    kind: &'static str,
    pub(crate) class: &'static str,
    pub(crate) target: String,
    payload: String,
    chars: usize,
    pub(crate) by: String,
    source: MessageId,
}

impl Turn<'_> {
    /// Shows a new card: its record, its message, its pending, its timers and, for one that releases outward
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
        let model = project(&card, self.draft_of(&card).as_ref(), self.now(), self.policy);
        card.message = self.our_message(MessageKind::Card, task, Some(&id), &model.as_text());
        if let Some(kind) = pending {
            self.open_pending(kind, None, &card.message, task, None, card.expires_at);
        }
        self.head.cards.push(&id);
        self.set_timers(&mut card);
        self.effect(EffectBody::CardPost { message: card.message.clone(), card: model }, &[], None);
        self.open_approval(&card);
        self.put(Record::Card(card));
        id
    }

    /// Writes a card that changed and shows its new state.
    pub(crate) fn update(&mut self, mut card: Card) {
        let model = project(&card, self.draft_of(&card).as_ref(), self.now(), self.policy);
        if let Some(mut message) = self.message(&card.message) {
            message.text = model.as_text();
            self.put(Record::Message(message));
        }
        if !card.open() {
            self.clear_pending_of(&card.id);
            self.clear_timers.append(&mut card.timers);
        }
        self.effect(EffectBody::CardUpdate { message: card.message.clone(), card: model }, &[], None);
        self.put(Record::Card(card));
    }

    /// Shows a card as it stands, with a note at its head. The next change of the card takes the note away.
    pub(crate) fn show_again(&mut self, card: &Card, note: &str) {
        let mut model = project(card, self.draft_of(card).as_ref(), self.now(), self.policy);
        model.facts.insert(0, note.into());
        self.effect(EffectBody::CardUpdate { message: card.message.clone(), card: model }, &[], None);
    }

    /// The card's next version: what would be approved has changed, so the old approval can be decided no
    /// more and its buttons are stale.
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

    fn pending_of(&self, card: &Card) -> Option<PendingKind> {
        let id = card.id.clone();
        match &card.about {
            About::DraftPreview { .. } | About::CallPreview { .. } => {
                Some(PendingKind::WaitingApproval { card: id })
            }
            About::ScopeGate { source, .. } => {
                Some(PendingKind::WaitingScopeChoice { card: id, message: source.clone() })
            }
            About::UncertainEffect { effect, .. } | About::UncertainCall { effect, .. } => {
                Some(PendingKind::WaitingUncertainEffect { card: id, effect: effect.clone() })
            }
            About::Remembered => None,
        }
    }

    pub(crate) fn draft_of(&self, card: &Card) -> Option<Draft> {
        card.draft().and_then(|draft| self.draft(draft))
    }

    fn set_timers(&mut self, card: &mut Card) {
        let (id, version) = (card.id.clone(), card.version);
        if let Some(end) = card.expires_at {
            // The end itself still counts; the timer comes one millisecond later.
            card.timers.push(self.set_timer(end.plus(1), TimerAbout::Expiry { card: id.clone(), version }));
        }
        if matches!(card.about, About::DraftPreview { .. } | About::CallPreview { .. }) {
            let at = self.now().plus(self.policy.approval.remind_ms);
            card.timers.push(self.set_timer(at, TimerAbout::Reminder { card: id, version }));
        }
    }

    fn set_timer(&mut self, due: Timestamp, about: TimerAbout) -> TimerId {
        let id = TimerId(self.fresh(TimerId::PREFIX));
        self.timers.push(Timer { id: id.clone(), due, about });
        id
    }

    fn open_approval(&mut self, card: &Card) {
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
            quantity: 1,
            total_chars: u32::try_from(asked.chars).unwrap_or(u32::MAX),
            requested_by: asked.by,
            source: asked.source,
            created_at: self.now(),
            expires_at: card.expires_at,
        }));
    }

    /// What a card that releases something would release.
    pub(crate) fn asked_for(&self, card: &Card) -> Option<AskedFor> {
        if let Some((call, source)) = card.call() {
            return Some(AskedFor {
                kind: "call",
                class: call.job.class(),
                target: call.job.target(),
                payload: jcs(call),
                chars: call.text.chars().count(),
                by: card.by.clone(),
                source: source.clone(),
            });
        }
        let draft = self.draft_of(card)?;
        Some(AskedFor {
            kind: "tracker.item",
            class: "tracker.create",
            target: draft.target.to_string(),
            payload: jcs(&draft.payload()),
            chars: draft.item().fields.values().map(|text| text.chars().count()).sum(),
            by: draft.by,
            source: draft.source,
        })
    }

    pub(crate) fn approval(&mut self, change: ApprovalChange) {
        self.approvals.push(change);
    }
}
