//! Cards within a turn: shown, updated, revised, each with its message, pending, deadlines and approval.

use alloc::vec::Vec;

use crate::cards::project;
use crate::data::approval::{Approval, ApprovalChange};
use crate::data::authors::Authored;
use crate::data::batch::Batch;
use crate::data::card::{Card, CardStatus, CardSubject, TimerPurpose};
use crate::data::card_model::CardModel;
use crate::data::effect::EffectBody;
use crate::data::id::{CardId, MessageId, TaskId, TimerId};
use crate::data::message::{Message, MessageKind};
use crate::data::pending::{PendingClass, PendingKind};
use crate::data::step::Timer;
use crate::data::ticket::Draft;
use crate::data::time::Timestamp;
use crate::turn::Turn;
use crate::turn::capability::{CardContext, ReleaseRequest};

impl Turn<'_> {
    /// Shows a new card: its record, its message, its pending, its timers and, if it releases outward
    /// effects, its approval.
    pub(crate) fn show(&mut self, about: CardSubject, by: &str, task: Option<&TaskId>) -> CardId {
        let approval = about.is_approval();
        let id = CardId(self.new_id(if approval { CardId::APPROVAL } else { CardId::PREFIX }));
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
            language: self.language(),
            told: None,
        };
        let owner = self.capabilities.of(&card);
        let pending = owner.waits_for(&card);
        card.expires_at = self.end_of_life(&card, pending.as_ref());
        let model = self.model(&card);
        card.message = self.our_message("", MessageKind::Card, task, Some(&id), &model.as_text());
        if let Some(kind) = pending {
            self.open_pending(kind, None, &card.message, task, None, card.expires_at);
        }
        self.head.cards.push(&id);
        owner.follow(self, &card);
        self.set_timers(&mut card);
        self.effect(EffectBody::CardPost { message: card.message.clone(), card: model }, &[], None);
        self.open_approval(&card);
        self.put(card);
        id
    }

    /// Returns the time until which a new version of a card counts: that of its question, or an earlier one that its host wants.
    fn end_of_life(&self, card: &Card, waits_for: Option<&PendingKind>) -> Option<Timestamp> {
        let usual = waits_for?.lifetime(self.policy).map(|age| self.now().plus(age));
        let wanted = card.call().and_then(|(call, _)| call.job.act()?.expires);
        usual.into_iter().chain(wanted).min()
    }

    /// Stores a changed card and shows its new state. A card that is no longer open loses its pending and
    /// its timers.
    pub(crate) fn update(&mut self, mut card: Card) {
        let model = self.model(&card);
        if let Some(mut message) = self.get::<Message>(&card.message).cloned() {
            message.text = model.as_text();
            self.put(message);
        }
        if !card.is_open() {
            self.clear_pending_of(&card.id);
            self.clear_timers.append(&mut card.timers);
        }
        self.capabilities.of(&card).follow(self, &card);
        self.effect(EffectBody::CardUpdate { message: card.message.clone(), card: model }, &[], None);
        self.put(card);
    }

    /// Shows an unchanged card with a note as its first line. The card's next update removes the note.
    pub(crate) fn show_again(&mut self, card: &Card, note: &str) {
        let mut model = self.model(card);
        model.facts.insert(0, note.into());
        self.effect(EffectBody::CardUpdate { message: card.message.clone(), card: model }, &[], None);
    }

    /// Gives a card its next version, because what would be approved has changed: the old approval can no
    /// longer be decided and the old buttons are stale.
    pub(crate) fn revise(&mut self, mut card: Card, about: CardSubject) {
        card.version += 1;
        card.about = about;
        card.expires_at = self.end_of_life(&card, self.capabilities.of(&card).waits_for(&card).as_ref());
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
    pub(crate) fn move_on(&mut self, mut card: Card, about: CardSubject) {
        self.clear_timers.append(&mut card.timers);
        card.about = about;
        self.set_timers(&mut card);
        self.update(card);
    }

    /// Restarts a card's deadlines from now.
    pub(crate) fn put_off(&mut self, mut card: Card) {
        self.clear_timers.append(&mut card.timers);
        self.set_timers(&mut card);
        self.put(card);
    }

    /// Returns what a sentence calls a card: its title, or what it is about if the title says that. The words of a person
    /// stand alone in the sentence's quotation marks then, so that an erasure finds them.
    pub(crate) fn called(&self, card: &Card) -> alloc::string::String {
        let title = self.model(card).title;
        let topic = self.capabilities.of(card).topic(self, card);
        if !topic.is_empty() && title.contains(&topic) { topic } else { title }
    }

    /// Returns what a person sees of the card now.
    pub(crate) fn model(&self, card: &Card) -> CardModel {
        project(self.capabilities, &CardContext { card, known: self, now: self.now(), policy: self.policy })
    }

    pub(crate) fn draft_of(&self, card: &Card) -> Option<Draft> {
        card.draft().and_then(|draft| self.get::<Draft>(draft).cloned())
    }

    /// The drafts a card shows or released, in its order.
    pub(crate) fn drafts_of(&self, card: &Card) -> Vec<Draft> {
        match card.batch().and_then(|batch| self.get::<Batch>(batch).cloned()) {
            Some(batch) => batch.items.iter().filter_map(|draft| self.get::<Draft>(draft).cloned()).collect(),
            None => self.draft_of(card).into_iter().collect(),
        }
    }

    /// The task a card serves.
    pub(crate) fn task_of(&self, card: &Card) -> Option<TaskId> {
        self.capabilities.of(card).task(self, card)
    }

    fn set_timers(&mut self, card: &mut Card) {
        let (id, version) = (card.id.clone(), card.version);
        if let Some(end) = card.expires_at {
            // A press at the very end still counts, so the timer is one millisecond later.
            card.timers.push(self.set_timer(end.plus(1), TimerPurpose::Expiry { card: id.clone(), version }));
        }
        let owner = self.capabilities.of(card);
        if let Some((due, about)) = owner.deadline(self, card) {
            card.timers.push(self.set_timer(due, about));
        }
        if matches!(owner.waits_for(card), Some(PendingKind::WaitingApproval { .. })) {
            let at = self.now().plus(self.policy.approval.remind_ms);
            card.timers.push(self.set_timer(at, TimerPurpose::Reminder { card: id, version }));
        }
    }

    pub(crate) fn set_timer(&mut self, due: Timestamp, about: TimerPurpose) -> TimerId {
        let id = TimerId(self.new_id(TimerId::PREFIX));
        self.timers.push(Timer { id: id.clone(), due, about });
        id
    }

    pub(crate) fn open_approval(&mut self, card: &Card) {
        if !card.is_approval() {
            return;
        }
        // While several requests could be meant, none is up for approval yet.
        let Some(mut asked) = self.request_of(card) else { return };
        if Authored::all(&asked.authors).only(&asked.by) {
            asked.authors.clear();
        }
        self.approvals.push(ApprovalChange::Open(Approval {
            card: card.id.clone(),
            version: card.version,
            kind: asked.kind.into(),
            payload_sha256: asked.payload_sha256(),
            releases: asked.releases(),
            payload: asked.payload,
            classes: alloc::vec![asked.class.into()],
            targets: alloc::vec![asked.target],
            quantity: u32::try_from(asked.quantity).unwrap_or(u32::MAX),
            total_chars: u32::try_from(asked.chars).unwrap_or(u32::MAX),
            requested_by: asked.by,
            authors: asked.authors,
            source: asked.source,
            created_at: self.now(),
            expires_at: card.expires_at,
        }));
    }

    /// Returns the one request that a press on the card would release.
    pub(crate) fn request_of(&self, card: &Card) -> Option<ReleaseRequest> {
        let requests = self.capabilities.of(card).requests(self, card);
        <[ReleaseRequest; 1]>::try_from(requests).ok().map(|[one]| one)
    }

    pub(crate) fn approval(&mut self, change: ApprovalChange) {
        self.approvals.push(change);
    }
}
