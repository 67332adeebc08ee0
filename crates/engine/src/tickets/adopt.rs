//! Creates with an unknown outcome. The tracker is searched for the create's marker; an issue that is found,
//! or that a person names, is adopted. Nothing is sent again unless a person approves a new create.
//!
//! Design: docs/design/0031-effects-and-retries.md.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::cards::decide::{close, decide, decide_as, released_by};
use crate::data::action::Action;
use crate::data::approval::CloseReason;
use crate::data::card::{AdoptionLookup, Card, CardStatus, CardSubject, TimerPurpose};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::effect::EffectBody;
use crate::data::effect::outcome::{EffectResult, Outcome};
use crate::data::id::{CardId, DraftId, EffectId};
use crate::data::message::MessageKind;
use crate::data::policy::limits;
use crate::data::progress::Progress;
use crate::data::task_status::TaskStatus;
use crate::data::ticket::{Draft, Part};
use crate::data::time::Timestamp;
use crate::tickets::drafting::invalid;
use crate::tickets::release::{
    created, put, put_all, put_following, receipt_of, settle_up, stand, without_epic,
};
use crate::tickets::released;
use crate::turn::Turn;
use throughline_messages as say;

/// Handles a create with an unknown outcome: asks a person, schedules searches of the tracker, and blocks the
/// task.
pub(super) fn uncertain(turn: &mut Turn<'_>, card: &Card, draft: &DraftId, effect: &EffectId) -> Reason {
    let Some(draft) = turn.get::<Draft>(draft).cloned() else { return Reason::EffectSuperseded };
    let parent = receipt_of(card).unwrap_or_else(|| card.id.clone());
    let about = CardSubject::UncertainEffect {
        effect: effect.clone(),
        draft: draft.id.clone(),
        parent,
        looking: Vec::new(),
        next_look: Some(turn.now().plus(limits::SEEK[0])),
    };
    let asks = turn.show(about, &draft.by, Some(&draft.task));
    plan_look(turn, &asks, 0);
    turn.end_task(&draft.task, TaskStatus::Blocked);
    stand(turn, card, vec![(draft.id, Progress::Uncertain { card: asks })]);
    Reason::EffectSettled
}

// ---- searching ----

/// Returns when search `n` (from 0) is due, in milliseconds after the question was asked. `None` once the
/// searches are over.
fn look_at(n: u32) -> Option<i64> {
    let first = limits::SEEK.get(n as usize).copied();
    let day = i64::from(n) + 1 - i64::try_from(limits::SEEK.len()).unwrap_or_default();
    first.or_else(|| (day <= limits::SEEK_DAYS).then_some(day * Timestamp::DAY))
}

/// Returns the number of the search that is due next.
fn next_look(turn: &Turn<'_>, card: &Card) -> u32 {
    let gone = turn.now().since(card.created_at);
    (0..).find(|n| look_at(*n).is_none_or(|after| after > gone)).unwrap_or_default()
}

/// Sets the timer of search `n`.
fn plan_look(turn: &mut Turn<'_>, card: &CardId, n: u32) {
    let Some(mut card) = turn.get::<Card>(card).cloned() else { return };
    let Some(after) = look_at(n) else { return };
    let due = card.created_at.plus(after);
    let timer = turn.set_timer(due, TimerPurpose::Seek { card: card.id.clone(), n });
    // After *Create again* the search goes on although its card is decided.
    if card.is_open() {
        card.timers.push(timer);
    }
    turn.put(card);
}

/// Continues the searches after *Create again* at the step that is due next.
pub(super) fn keep_looking(turn: &mut Turn<'_>, card: &CardId) {
    let Some(next) = turn.get::<Card>(card).map(|card| next_look(turn, card)) else { return };
    plan_look(turn, card, next);
}

/// Tells when the next search is, because one has ended without a find.
fn looked(turn: &mut Turn<'_>, mut card: Card) {
    let due = look_at(next_look(turn, &card)).map(|after| card.created_at.plus(after));
    if let CardSubject::UncertainEffect { next_look, .. } = &mut card.about {
        *next_look = due;
    }
    match card.is_open() {
        true => turn.update(card),
        false => turn.put(card),
    }
}

/// Searches the tracker because the search timer is due. Also after *Create again*, so that a late find can
/// be reported as a duplicate.
pub(crate) fn seek(turn: &mut Turn<'_>, card: Card, n: u32) -> Reason {
    let again = matches!(card.status, CardStatus::Decided { action: Action::CreateAgain, .. });
    let CardSubject::UncertainEffect { effect, next_look: Some(_), .. } = &card.about else {
        return Reason::TimerSuperseded;
    };
    if !(card.is_open() || again) {
        return Reason::TimerSuperseded;
    }
    let Some(draft) = turn.draft_of(&card) else { return Reason::TimerSuperseded };
    let (marker, target) = (effect.clone(), draft.target);
    turn.effect(EffectBody::TrackerSeek { target, marker, card: card.id.clone() }, &[], None);
    plan_look(turn, &card.id, n + 1);
    // It says that a search is under way, and the time of the next one when that has ended: whoever is about to create again
    // should not take a search that has not ended for one that found nothing.
    if let Some(card) = turn.get::<Card>(&card.id).cloned().filter(Card::is_open) {
        turn.update(card);
    }
    Reason::TimerDue
}

/// Applies the result of a search: adopts the issue that was found, or reports a duplicate. An empty result
/// proves nothing and leaves the question open.
pub(super) fn sought(turn: &mut Turn<'_>, card: Card, issues: &[(String, Option<String>)]) -> Reason {
    let CardSubject::UncertainEffect { effect, draft, .. } = &card.about else {
        return Reason::EffectSuperseded;
    };
    let (effect, draft) = (effect.clone(), draft.clone());
    let Some((key, url)) = issues.first().cloned() else {
        looked(turn, card);
        return Reason::EffectSettled;
    };
    let task = turn.get::<Draft>(&draft).map(|draft| draft.task.clone());
    if !card.is_open() {
        if !matches!(card.status, CardStatus::Decided { action: Action::CreateAgain, .. }) {
            return Reason::EffectSuperseded;
        }
        let other = card.released().find_map(|(_, progress)| progress.key()).unwrap_or_default();
        turn.note(Reason::DuplicateSeen);
        turn.say(
            MessageKind::Notification,
            task.as_ref(),
            &say::adopt_duplicate(turn.language(), &key, other),
        );
        stop_looking(turn, card);
        return Reason::EffectSettled;
    }
    if let Some((second, _)) = issues.get(1) {
        turn.note(Reason::DuplicateSeen);
        turn.say(
            MessageKind::Notification,
            task.as_ref(),
            &say::adopt_duplicate(turn.language(), &key, second),
        );
    }
    let result = EffectResult::Issue { key: key.clone(), url: url.clone() };
    turn.adopt(&effect, Outcome::Done { result });
    let receipt = receipt_of(&card).and_then(|receipt| turn.get::<Card>(&receipt).cloned());
    question_over(turn, card);
    if let Some(receipt) = receipt {
        created(turn, &receipt, &draft, &effect, &key, url);
    }
    Reason::EffectSettled
}

fn stop_looking(turn: &mut Turn<'_>, mut card: Card) {
    if let CardSubject::UncertainEffect { next_look, .. } = &mut card.about {
        *next_look = None;
    }
    turn.put(card);
}

/// Withdraws the card that asked whether the issue exists.
pub(super) fn question_over(turn: &mut Turn<'_>, asks: Card) {
    if asks.is_open() {
        close(turn, asks, CardStatus::Withdrawn, CloseReason::Cancelled);
    }
}

// ---- a person's decision ----

/// Replaces the old create after *Create again*. Stories that waited for the old create of their epic are
/// sent anew, to wait for the new one.
pub(super) fn replaced(turn: &mut Turn<'_>, card: &Card, old: &EffectId, new: Option<&EffectId>) {
    turn.cancel(old);
    let (Some(new), Some(epic)) = (new, card.draft()) else { return };
    let Some(receipt) = receipt_of(card).and_then(|receipt| turn.get::<Card>(&receipt).cloned()) else {
        return;
    };
    let waiting: Vec<(DraftId, Progress)> =
        receipt.released().map(|(draft, progress)| (draft.clone(), progress.clone())).collect();
    let mut now = Vec::new();
    for (id, progress) in waiting {
        let (Some(draft), Progress::Working { check, effect }) = (turn.get::<Draft>(&id).cloned(), progress)
        else {
            continue;
        };
        if draft.under.as_ref() != Some(epic) {
            continue;
        }
        turn.cancel(&effect);
        let item = crate::tickets::card::items(turn, &receipt, core::slice::from_ref(&draft)).remove(0);
        let body = released::create(&receipt.id, &draft, item);
        let effect = turn.effect(body, core::slice::from_ref(new), Some(released_by(&receipt)));
        now.push((id, Progress::Working { check, effect }));
    }
    put_all(turn, &receipt.id, now);
}

/// Gives up an uncertain create on a person's *Cancel*: searches end, and the stories of an epic that is
/// given up are not tried.
pub(crate) fn cancelled(turn: &mut Turn<'_>, card: Card) {
    let CardSubject::UncertainEffect { effect, draft, parent, looking, .. } = card.about.clone() else {
        return;
    };
    [&effect].into_iter().chain(looking.iter().map(|looking| &looking.effect)).for_each(|e| turn.cancel(e));
    decide(turn, card, Action::Cancel, Progress::Cancelled);
    put(turn, &parent, &draft, Progress::Cancelled);
    put_following(turn, &parent, &draft, &Progress::Cancelled);
    match turn.get::<Card>(&parent).cloned().filter(|receipt| receipt.batch().is_some()) {
        Some(receipt) => {
            without_epic(turn, &receipt, &draft);
            settle_up(turn, &parent);
        }
        None => {
            if let Some(draft) = turn.get::<Draft>(&draft).cloned() {
                turn.end_task(&draft.task, TaskStatus::Cancelled);
            }
        }
    }
}

/// Answers *It exists…* where the key is to come by form.
pub(crate) fn ask_key(turn: &mut Turn<'_>) -> Decision {
    turn.tell(&say::adopt_which(turn.language()));
    Decision::new(Verdict::Asked, Reason::PressApplied)
}

/// Looks up the issue a person named, before it is adopted.
pub(crate) fn adopt(turn: &mut Turn<'_>, card: &Card, values: &BTreeMap<String, String>) -> Decision {
    let key = values.get("key").map_or("", |key| key.trim());
    let Some(draft) = turn.draft_of(card).filter(|_| !key.is_empty()) else {
        return invalid(turn, &say::adopt_needs_key(turn.language()));
    };
    let (by, card_id) = (turn.event.actor.clone(), card.id.clone());
    let body =
        EffectBody::TrackerFind { target: draft.target, key: key.into(), by, card: card_id, task: None };
    let looks = AdoptionLookup { effect: turn.effect(body, &[], None), by: turn.presser() };
    let mut card = card.clone();
    if let CardSubject::UncertainEffect { looking, .. } = &mut card.about {
        looking.push(looks);
    }
    turn.put(card);
    turn.tell(&say::adopt_looking(turn.language(), key));
    Decision::new(Verdict::Done, Reason::PressApplied)
}

/// Applies the look-up of a named issue: adopts it if its title is the draft's, else tells the person why not
/// and leaves the question open. The failure of a scheduled search is not told; nobody asked for it.
pub(super) fn looked_up(turn: &mut Turn<'_>, mut card: Card, looks: &EffectId, outcome: &Outcome) -> Reason {
    let Some(draft) = turn.draft_of(&card) else { return Reason::EffectSuperseded };
    let CardSubject::UncertainEffect { effect, looking, .. } = &mut card.about else {
        return Reason::EffectSuperseded;
    };
    let effect = effect.clone();
    let Some(at) = looking.iter().position(|looking| looking.effect == *looks) else {
        looked(turn, card);
        return Reason::EffectSettled;
    };
    let by = looking.remove(at).by;
    let refused = match outcome {
        Outcome::Done { result: EffectResult::Found { key, title, url, .. } }
            if title == draft.part(Part::Title) =>
        {
            let (key, url) = (key.clone(), url.clone());
            let result = EffectResult::Issue { key: key.clone(), url: url.clone() };
            turn.adopt(&effect, Outcome::Done { result });
            let done = Progress::Created { key: key.clone(), url: url.clone(), link: None };
            decide_as(turn, card.clone(), Action::Adopt, by, done);
            created(turn, &card, &draft.id, &effect, &key, url);
            return Reason::EffectSettled;
        }
        Outcome::Done { result: EffectResult::Found { key, title, .. } } => {
            say::adopt_other_title(turn.language(), key, title)
        }
        Outcome::Failed { text, .. } | Outcome::Uncertain { text } => {
            say::adopt_not_found(turn.language(), text.text(turn.language()))
        }
        Outcome::Done { .. } => return Reason::EffectSuperseded,
    };
    turn.put(card);
    turn.say(MessageKind::Notification, Some(&draft.task), &refused);
    Reason::EffectSettled
}
