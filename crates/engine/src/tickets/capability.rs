//! Tickets, as routing reaches them.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::cards::decide::{Refusal, decide, end_of, refuse, refuse_step};
use crate::data::action::Action;
use crate::data::ask::{Answer, AnswerRecipient};
use crate::data::batch::Batch;
use crate::data::canonical_json::jcs;
use crate::data::card::{Card, CardSubject, TimerPurpose};
use crate::data::card_model::CardModel;
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::id::TaskId;
use crate::data::owner::TICKETS;
use crate::data::pending::{PendingKind, PendingState, Slot};
use crate::data::progress::Progress;
use crate::data::record::RecordKey;
use crate::data::record_lookup::RecordLookup;
use crate::data::task_status::TaskStatus;
use crate::data::ticket::{Draft, Target};
use crate::messages;
use crate::tickets::{adopt, after_receipt, batch, card as cards, drafting, release, released};
use crate::turn::Turn;
use crate::turn::capability::{Capability, CardContext, PressInput, ReleaseRequest, Settled};
use throughline_language::Value;
use throughline_messages as say;

pub(crate) struct Tickets;

impl Capability for Tickets {
    fn name(&self) -> &'static str {
        TICKETS
    }

    fn commands(&self) -> &'static [&'static str] {
        &["ticket"]
    }

    fn command(&self, turn: &mut Turn<'_>, word: &str, rest: &str) -> Option<Decision> {
        if word != "ticket" {
            return None;
        }
        let by = turn.event.actor.clone();
        let verdict = drafting::start(turn, rest.trim(), None, &by);
        Some(Decision::new(verdict, Reason::CommandTicket))
    }

    fn show(&self, model: &mut CardModel, view: &CardContext<'_>) {
        cards::show(model, view);
    }

    fn shown(&self, card: &Card, known: &dyn RecordLookup) -> Vec<RecordKey> {
        let mut keys: Vec<RecordKey> = card.subject().into_iter().collect();
        let Some(id) = card.batch() else { return keys };
        keys.push(RecordKey::of::<Batch>(id));
        for draft in known.get::<Batch>(id).into_iter().flat_map(|batch| &batch.items) {
            keys.push(RecordKey::of::<Draft>(draft));
            let epic = known.get::<Draft>(draft).and_then(|draft| draft.under.as_ref());
            keys.extend(epic.map(RecordKey::of::<Draft>));
        }
        keys.sort();
        keys.dedup();
        keys
    }

    /// Returns what the card shows, the drafts that it showed before its last change, and the batch that opens when the
    /// card's batch ends, with its drafts.
    fn reached(&self, card: &Card, known: &dyn RecordLookup) -> Vec<RecordKey> {
        let mut keys = self.shown(card, known);
        let batch = card.batch().and_then(|batch| known.get::<Batch>(batch));
        let before = batch.and_then(|batch| batch.before.as_ref());
        keys.extend(before.into_iter().flatten().map(RecordKey::of::<Draft>));
        if let Some(next) = batch.and_then(|batch| batch.part.as_ref()?.next.as_ref()) {
            keys.push(RecordKey::of::<Batch>(next));
            let drafts = known.get::<Batch>(next).into_iter().flat_map(|batch| &batch.items);
            keys.extend(drafts.map(RecordKey::of::<Draft>));
        }
        keys
    }

    fn follow(&self, turn: &mut Turn<'_>, card: &Card) {
        if card.is_open() {
            batch::latch::keep_questions(turn, card);
        } else {
            batch::edit::clear_questions(turn, card);
        }
    }

    fn requests(&self, turn: &Turn<'_>, card: &Card) -> Vec<ReleaseRequest> {
        request(turn, card).into_iter().collect()
    }

    fn task(&self, turn: &Turn<'_>, card: &Card) -> Option<TaskId> {
        match card.draft() {
            Some(draft) => turn.get::<Draft>(draft).map(|draft| draft.task.clone()),
            None => Some(turn.get::<Batch>(card.batch()?)?.task.clone()),
        }
    }

    fn topic(&self, turn: &Turn<'_>, card: &Card) -> String {
        release::titles(&turn.drafts_of(card)).first().map(ToString::to_string).unwrap_or_default()
    }

    fn pressed(&self, turn: &mut Turn<'_>, card: Card, press: &PressInput<'_>) -> Decision {
        let action = press.action;
        match action {
            Action::Approve if batch::latch::rearmed(turn, &card) => {
                let text = messages::batch::not_confirmed(turn.language(), Action::ConfirmQuantity);
                return refuse(turn, &Refusal(Reason::StaleStep, text));
            }
            Action::Approve | Action::CreateAgain => release::release(turn, card, action),
            Action::Reject => {
                end_of(turn, &card, TaskStatus::Cancelled);
                decide(turn, card, action, Progress::None);
            }
            Action::Edit => {
                let draft = turn.draft_of(&card);
                return drafting::ask_edit(turn, &card, draft);
            }
            Action::EditStory => {
                let draft = batch::edit::item(turn, &card, press.item);
                return drafting::ask_edit(turn, &card, draft);
            }
            Action::RemoveStory => return batch::edit::remove(turn, card, press.item),
            Action::AddStory => return batch::edit::ask_story(turn, &card),
            Action::ConfirmQuantity | Action::ConfirmSize => {
                return batch::latch::confirm(turn, card, action);
            }
            Action::Split => return batch::latch::split(turn, card),
            Action::RetryMissing => return batch::drafting::retry(turn, &card),
            Action::Adopt => return adopt::ask_key(turn),
            Action::Cancel if matches!(card.about, CardSubject::UncertainEffect { .. }) => {
                adopt::cancelled(turn, card);
            }
            Action::Cancel => {
                decide(turn, card.clone(), action, Progress::None);
                batch::drafting::dropped(turn, &card);
            }
            _ => return refuse_step(turn),
        }
        Decision::new(Verdict::Done, Reason::PressApplied)
    }

    fn submitted(
        &self,
        turn: &mut Turn<'_>,
        card: Card,
        press: &PressInput<'_>,
        values: &BTreeMap<String, String>,
    ) -> Decision {
        match press.action {
            Action::Edit => {
                let draft = turn.draft_of(&card);
                drafting::edit_by_form(turn, card, draft, values)
            }
            Action::EditStory => {
                let draft = batch::edit::item(turn, &card, press.item);
                drafting::edit_by_form(turn, card, draft, values)
            }
            Action::AddStory => batch::edit::add_story(turn, card, values),
            Action::Adopt => adopt::adopt(turn, &card, values),
            action => {
                drafting::invalid(turn, &say::press_no_form(turn.language(), action.label(turn.language())))
            }
        }
    }

    fn lapsed(&self, turn: &mut Turn<'_>, card: &Card) {
        batch::drafting::dropped(turn, card);
    }

    fn due(&self, turn: &mut Turn<'_>, card: Card, about: &TimerPurpose) -> Reason {
        match about {
            TimerPurpose::Seek { n, .. } => adopt::seek(turn, card, *n),
            _ => Reason::TimerSuperseded,
        }
    }

    fn answered(&self, turn: &mut Turn<'_>, pending: &PendingState, value: &Value, corrects: bool) {
        let Value::Text(text) = value else { return };
        match &pending.kind {
            PendingKind::SlotRequest(Slot::Draft { draft, part }) if corrects => {
                drafting::corrected(turn, draft, *part, text);
            }
            PendingKind::SlotRequest(Slot::Draft { draft, part }) => {
                drafting::filled(turn, draft, *part, text)
            }
            PendingKind::WaitingStoryEdit { card, draft, part } => {
                let skips = messages::is_label(say::offer_skip, text);
                drafting::edit_by_text(turn, card, draft, *part, Some(text.as_str()).filter(|_| !skips));
            }
            _ => {}
        }
    }

    /// Says once that the draft stays.
    fn left(&self, turn: &mut Turn<'_>, pending: &PendingState) {
        let PendingKind::SlotRequest(Slot::Draft { draft, part }) = &pending.kind else { return };
        drafting::parked(turn, draft, *part);
    }

    fn correctable(&self, turn: &Turn<'_>, pending: &PendingState) -> bool {
        match &pending.kind {
            PendingKind::SlotRequest(Slot::Draft { draft, .. }) => {
                drafting::open_draft(turn, draft).is_some()
            }
            _ => false,
        }
    }

    fn blocked(&self, turn: &Turn<'_>, pending: &PendingState) -> Option<TaskId> {
        let PendingKind::SlotRequest(Slot::Draft { draft, .. }) = &pending.kind else { return None };
        // An item of a shown preview can still be decided on its card, so its task goes on.
        let shown = matches!(drafting::open_draft(turn, draft), Some(drafting::DraftPlace::Preview(_)));
        pending.task.clone().filter(|_| !shown)
    }

    fn heard(&self, turn: &mut Turn<'_>, about: AnswerRecipient, answer: Option<Answer>) -> Decision {
        let items = match answer {
            Some(Answer::Draft { items }) => items,
            _ => Vec::new(),
        };
        match about {
            AnswerRecipient::Draft(draft) => drafting::drafted(turn, &draft, items.into_iter().next()),
            AnswerRecipient::Batch(batch) => batch::drafting::drafted(turn, &batch, items),
            _ => Decision::new(Verdict::Recorded, Reason::LateAnswer),
        }
    }

    fn stopped(&self, turn: &mut Turn<'_>, about: &AnswerRecipient) {
        let draft = about.draft().and_then(|draft| turn.get::<Draft>(draft)).map(|draft| &draft.task);
        let batch = about.batch().and_then(|batch| turn.get::<Batch>(batch)).map(|batch| &batch.task);
        if let Some(task) = draft.or(batch).cloned() {
            turn.end_task(&task, TaskStatus::Cancelled);
        }
    }

    fn settled(&self, turn: &mut Turn<'_>, settled: &Settled<'_>) -> Option<Decision> {
        let Some(card) = settled.card else {
            let told = after_receipt::told(turn, settled.effect, settled.outcome);
            return told.then(|| Decision::new(Verdict::Answered, Reason::EffectSettled));
        };
        let reason = release::settled(turn, card, settled.effect, settled.outcome);
        Some(Decision::new(Verdict::Recorded, reason))
    }
}

/// The request that a press on the card would release; `None` if the records it needs are gone.
fn request(turn: &Turn<'_>, card: &Card) -> Option<ReleaseRequest> {
    let drafts = turn.drafts_of(card);
    let items = cards::items(turn, card, &drafts);
    let chars = drafts.iter().map(Draft::chars).sum();
    let effects = released::effects(card, &drafts, &items);
    let created = |kind, payload: &serde_json::Value, target: &Target, by: &str, source| ReleaseRequest {
        kind,
        class: "tracker.create",
        target: target.to_string(),
        payload: jcs(payload),
        effects: effects.clone(),
        quantity: items.len(),
        chars,
        by: by.into(),
        authors: cards::authored(card, &drafts),
        source,
    };
    if let Some(batch) = card.batch().and_then(|batch| turn.get::<Batch>(batch)) {
        let payload = batch::card::payload(&batch.target, &items);
        return Some(created("tracker.batch", &payload, &batch.target, &batch.by, batch.source.clone()));
    }
    let (draft, item) = (drafts.first()?, items.first()?);
    let payload = cards::payload(&draft.target, item);
    Some(created("tracker.item", &payload, &draft.target, &draft.by, draft.source.clone()))
}
