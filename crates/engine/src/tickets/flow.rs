//! The way of one ticket: asked for, completed, checked, shown, edited, approved, created.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Created, Draft, Filled, ItemType, Part, extract, fill};
use crate::approval::Closing;
use crate::decision::{Decision, Reason, Verdict};
use crate::effect::{EffectBody, EffectResult, FieldError, Outcome};
use crate::id::{CardId, DraftId, EffectId, MessageId};
use crate::lane::{Message, MessageKind, Record, TaskStatus};
use crate::pending::{PendingKind, Slot};
use crate::recognize::Expected;
use crate::say;
use crate::turn::Turn;
use crate::workflow::press::{close, create, decide, decide_as, released_by, result_on, works_on};
use crate::workflow::{About, Action, Card, CardStatus, Checks, Progress};

/// Starts a ticket about `text`, as a task of its own.
pub(crate) fn start(turn: &mut Turn<'_>, text: &str, named: Option<ItemType>, by: &str) {
    let task = turn.start_task(text, by);
    let source = turn.said.as_ref().map_or_else(|| MessageId::from(""), |said| said.message.clone());
    let (item_type, parts) = extract(text, named, turn.policy.window.title_chars);
    let draft = Draft {
        id: turn.new_draft_id(),
        task,
        source,
        by: by.into(),
        item_type,
        target: turn.policy.project.clone(),
        parts,
        filled: Vec::new(),
        created: None,
    };
    go_on(turn, draft);
}

/// Asks for what is missing, or shows the preview.
fn go_on(turn: &mut Turn<'_>, draft: Draft) {
    let (id, task, by) = (draft.id.clone(), draft.task.clone(), draft.by.clone());
    let missing = draft.missing();
    turn.put(Record::Draft(draft));
    let Some(first) = missing.first() else {
        show_preview(turn, &id, &by, None);
        return;
    };
    let question = if *first == Part::Title { say::ASK_TITLE.into() } else { say::ask_for(&missing) };
    let anchor = turn.say(MessageKind::Question, Some(&task), &question);
    let slot = Slot::Draft { draft: id, part: *first };
    turn.open_pending(
        PendingKind::SlotRequest(slot),
        Some(Expected::Text),
        &anchor,
        Some(&task),
        Some(&by),
        None,
    );
}

/// A preview whose dry run is on its way, or failed already.
fn show_preview(turn: &mut Turn<'_>, draft: &DraftId, by: &str, errors: Option<&[FieldError]>) {
    let Some(found) = turn.draft(draft) else { return };
    let checks = match errors {
        Some(errors) => Checks::Failed { errors: errors.into() },
        None => Checks::Running { effect: EffectId::from("") },
    };
    let card = turn.show(About::DraftPreview { draft: draft.clone(), checks }, by, Some(&found.task));
    if errors.is_none() {
        check(turn, &found, &card);
    }
}

/// The question whether the tracker would take what a draft holds.
fn dry_run(draft: &Draft, card: &CardId) -> EffectBody {
    let (target, item, by) = (draft.target.clone(), draft.item(), draft.by.clone());
    EffectBody::TrackerCheck { target, item, by, card: card.clone() }
}

/// Asks the tracker whether it would take the draft.
fn check(turn: &mut Turn<'_>, draft: &Draft, card: &CardId) {
    let body = dry_run(draft, card);
    let effect = turn.effect(body, &[], None);
    if let Some(mut card) = turn.card(card) {
        card.about = About::DraftPreview { draft: draft.id.clone(), checks: Checks::Running { effect } };
        turn.put(Record::Card(card));
    }
}

/// An answer to a slot: labelled lines fill their parts, the rest fills the part that was asked for.
pub(crate) fn filled(turn: &mut Turn<'_>, draft: &DraftId, part: Part, text: &str) {
    let Some(mut draft) = turn.draft(draft) else { return };
    pour(&mut draft, part, text);
    if let Some(said) = &turn.said {
        draft.filled.push(Filled { message: said.message.clone(), part });
    }
    go_on(turn, draft);
}

/// An answer to a slot was put right in words ("I meant …").
pub(crate) fn corrected(turn: &mut Turn<'_>, draft: &DraftId, part: Part, text: &str) {
    let Some(mut draft) = turn.draft(draft) else { return };
    pour(&mut draft, part, text);
    let task = draft.task.clone();
    turn.say(MessageKind::Notification, Some(&task), &say::corrected(part));
    again(turn, draft);
}

/// Writes what an answer says into its parts.
fn pour(draft: &mut Draft, part: Part, text: &str) {
    let free = fill(&mut draft.parts, text);
    if !free.is_empty() {
        draft.write(part, &free);
    }
}

// ---- edits ----

/// *Edit* was pressed: channels with forms open one from the card's fields; elsewhere they are asked for one by one
/// (`spec 07 §3.3`).
pub(crate) fn ask_edit(turn: &mut Turn<'_>, card: &Card) -> Decision {
    let Some(draft) = turn.draft_of(card) else { return Decision::new(Verdict::Refused, Reason::StaleStep) };
    if !ask_field(turn, &card.id, &draft, None) {
        return Decision::new(Verdict::Refused, Reason::StaleStep);
    }
    Decision::new(Verdict::Asked, Reason::PressApplied)
}

/// Asks for the first field of a card, or for the one behind `after`. `false`: there is none.
fn ask_field(turn: &mut Turn<'_>, card: &CardId, draft: &Draft, after: Option<Part>) -> bool {
    let next = |part: &Part| Some(*part) > after && !draft.part(*part).is_empty();
    let Some(part) = Part::ALL.into_iter().find(next) else { return false };
    let question = say::edit_field(draft, part);
    let offers = [say::SKIP, say::CANCEL];
    let anchor = turn.say_offering(MessageKind::Question, Some(&draft.task), &question, &offers);
    let kind = PendingKind::WaitingStoryEdit { draft: draft.id.clone(), card: card.clone(), part };
    let asked = turn.event.actor.clone();
    turn.open_pending(kind, Some(Expected::Text), &anchor, Some(&draft.task), Some(&asked), None);
    true
}

/// An answer about one field: its new text, or none to leave it; the next field follows. Labelled lines change what they
/// name, and end the edit.
pub(crate) fn edit_by_text(turn: &mut Turn<'_>, card: &CardId, part: Part, text: Option<&str>) {
    let Some(card) = turn.card(card).filter(Card::open) else {
        turn.tell(say::STALE_STEP);
        return;
    };
    let Some(mut draft) = turn.draft_of(&card) else { return };
    let before = draft.parts.clone();
    let labelled = text.is_some_and(|text| fill(&mut draft.parts, text) != text.trim());
    if let Some(text) = text.filter(|_| !labelled) {
        draft.write(part, text);
    }
    if let Some(part) = draft.missing().first() {
        turn.tell(&say::form_needs(*part));
        return;
    }
    let (changed, id) = (draft.parts != before, card.id.clone());
    if changed {
        revise(turn, card, draft.clone());
    }
    if labelled && !changed {
        turn.tell(say::NOTHING_CHANGED);
    } else if !labelled && !ask_field(turn, &id, &draft, Some(part)) {
        turn.say(MessageKind::Notification, Some(&draft.task), say::LAST_FIELD);
    }
}

/// The edit by form. All of it or nothing.
pub(crate) fn edit_by_form(turn: &mut Turn<'_>, card: Card, values: &BTreeMap<String, String>) -> Decision {
    let Some(mut draft) = turn.draft_of(&card) else {
        return Decision::new(Verdict::Refused, Reason::StaleStep);
    };
    let before = draft.parts.clone();
    for (name, text) in values {
        match Part::from_word(name) {
            Some(part) => draft.write(part, text),
            None => return invalid(turn, &say::form_unknown(name)),
        }
    }
    if let Some(part) = draft.missing().first() {
        return invalid(turn, &say::form_needs(*part));
    }
    if draft.parts == before {
        return recheck(turn, &card, &draft).unwrap_or_else(|| invalid(turn, say::NOTHING_CHANGED));
    }
    turn.head
        .pendings
        .retain(|p| !matches!(&p.kind, PendingKind::WaitingStoryEdit { card: of, .. } if *of == card.id));
    revise(turn, card, draft);
    Decision::new(Verdict::Done, Reason::PressApplied)
}

/// Saving a preview unchanged asks the tracker again, when its dry run had failed: what was wrong may be mended on
/// the other side.
fn recheck(turn: &mut Turn<'_>, card: &Card, draft: &Draft) -> Option<Decision> {
    if !matches!(card.about, About::DraftPreview { checks: Checks::Failed { .. }, .. }) {
        return None;
    }
    let effect = turn.effect(dry_run(draft, &card.id), &[], None);
    let about = About::DraftPreview { draft: draft.id.clone(), checks: Checks::Running { effect } };
    turn.update(Card { about, ..card.clone() });
    Some(Decision::new(Verdict::Done, Reason::PressApplied))
}

fn invalid(turn: &mut Turn<'_>, text: &str) -> Decision {
    turn.tell(text);
    Decision::new(Verdict::Refused, Reason::FormInvalid)
}

/// The draft changed, so what would be approved changed: a new version, checked anew.
fn revise(turn: &mut Turn<'_>, card: Card, draft: Draft) {
    if let About::DraftPreview { checks: Checks::Running { effect }, .. } = &card.about {
        turn.cancel(effect);
    }
    turn.put(Record::Draft(draft.clone()));
    let body = dry_run(&draft, &card.id);
    let effect = turn.effect(body, &[], None);
    turn.revise(card, About::DraftPreview { draft: draft.id, checks: Checks::Running { effect } });
}

/// A message that started or filled a draft was edited: the draft is made again (`spec 02 §2`). `object` is what the
/// new text asks for. `false`: it went into none that is still open.
pub(crate) fn remake(turn: &mut Turn<'_>, before: &Message, text: &str, object: &str) -> bool {
    let found = turn.drafts().find(|draft| {
        let went_in = draft.filled.iter().any(|filled| filled.message == before.id);
        (draft.source == before.id || went_in) && open_draft(turn, &draft.id).is_some()
    });
    let Some(mut draft) = found else { return false };
    let old = draft.parts.clone();
    let part = draft.filled.iter().find(|filled| filled.message == before.id).map(|filled| filled.part);
    if let Some(part) = part {
        // What the message said before goes, what it says now comes.
        let mut said = BTreeMap::new();
        let free = fill(&mut said, &before.text);
        draft.parts.retain(|known, _| !said.contains_key(known) && (*known != part || free.is_empty()));
        pour(&mut draft, part, text);
    } else {
        let (item_type, parts) = extract(object, None, turn.policy.window.title_chars);
        // What was asked for and answered since stays; what the message itself says is replaced.
        draft.parts.extend(parts);
        draft.item_type = if item_type == ItemType::Task { draft.item_type } else { item_type };
    }
    if matches!(open_draft(turn, &draft.id), Some(Open::Preview(_))) {
        // A preview never loses what it must have.
        for part in draft.missing() {
            draft.write(part, old.get(&part).map_or("", String::as_str));
        }
    }
    again(turn, draft);
    true
}

/// Where an open draft is.
pub(crate) enum Open {
    /// On a card that waits for its decision.
    Preview(CardId),
    /// Something is still asked for.
    Asking(Part),
}

/// Where this draft is, when it can still be changed.
pub(crate) fn open_draft(turn: &Turn<'_>, id: &DraftId) -> Option<Open> {
    let shows = |card: &&Card| matches!(&card.about, About::DraftPreview { draft, .. } if draft == id);
    if let Some(card) = turn.open_cards().find(shows) {
        return Some(Open::Preview(card.id.clone()));
    }
    match &turn.conversational()?.kind {
        PendingKind::SlotRequest(Slot::Draft { draft, part }) if draft == id => Some(Open::Asking(*part)),
        _ => None,
    }
}

/// A draft that changed goes on from where it is: a new version of its card, or the question that comes next now.
fn again(turn: &mut Turn<'_>, draft: Draft) {
    match open_draft(turn, &draft.id) {
        Some(Open::Preview(card)) => {
            if let Some(card) = turn.card(&card) {
                revise(turn, card, draft);
            }
        }
        Some(Open::Asking(part)) if draft.missing().first() != Some(&part) => {
            turn.take_conversational();
            go_on(turn, draft);
        }
        Some(Open::Asking(_)) | None => turn.put(Record::Draft(draft)),
    }
}

// ---- approval and what follows ----

/// Approve, or *Create again* on an uncertain effect: consumed, then dry run, then create.
pub(crate) fn release(turn: &mut Turn<'_>, card: Card, action: Action) {
    let Some(draft) = turn.draft_of(&card) else { return };
    if let About::UncertainEffect { effect, .. } = &card.about {
        turn.cancel(effect);
    }
    let check = dry_run(&draft, &card.id);
    let checked = turn.effect(check, &[], None);
    let effect =
        turn.effect(create(&draft, &card.id), core::slice::from_ref(&checked), Some(released_by(&card)));
    decide(turn, card, action, Progress::Working { check: checked, effect });
}

/// The outcome of a dry run, a look-up or a create. Only of what the card still waits for: anything else was
/// superseded.
pub(crate) fn settled(turn: &mut Turn<'_>, card: &CardId, effect: &EffectId, outcome: &Outcome) -> Reason {
    let Some(card) = turn.card(card) else { return Reason::EffectSuperseded };
    if let Some((check, create)) = works_on(&card) {
        return match outcome {
            _ if effect != check && effect != create => Reason::EffectSuperseded,
            Outcome::Done { result: EffectResult::Issue { key, url } } => {
                created(turn, &card, effect, key, url.clone());
                Reason::EffectSettled
            }
            // The dry run inside approve passed; the create it releases is on its way.
            Outcome::Done { .. } => Reason::EffectSettled,
            Outcome::Uncertain { .. } if effect == create => uncertain(turn, &card, effect),
            Outcome::Failed { text, errors, .. } => failed(turn, &card, text, errors),
            Outcome::Uncertain { text } => failed(turn, &card, text, &[]),
        };
    }
    match (&card.about, outcome) {
        (About::DraftPreview { draft, checks: Checks::Running { effect: running } }, _)
            if running == effect && card.open() =>
        {
            let about = About::DraftPreview { draft: draft.clone(), checks: checks(turn, outcome) };
            turn.update(Card { about, ..card });
            Reason::EffectSettled
        }
        (About::UncertainEffect { .. }, _) if card.open() => looked_up(turn, card, outcome),
        (_, Outcome::Done { result: EffectResult::Issue { key, url } }) => {
            late(turn, &card, effect, key, url.clone())
        }
        _ => Reason::EffectSuperseded,
    }
}

fn checks(turn: &Turn<'_>, outcome: &Outcome) -> Checks {
    match outcome {
        Outcome::Done { .. } => Checks::Passed { at: turn.now() },
        Outcome::Failed { errors, .. } if !errors.is_empty() => Checks::Failed { errors: errors.clone() },
        Outcome::Failed { text, .. } => Checks::Failed { errors: alloc::vec![unanswered(text)] },
        Outcome::Uncertain { .. } => Checks::Failed { errors: alloc::vec![unanswered(say::CHECK_LOST)] },
    }
}

fn unanswered(text: &str) -> FieldError {
    FieldError { code: "check.project".into(), field: "project".into(), text: text.into() }
}

fn created(turn: &mut Turn<'_>, card: &Card, effect: &EffectId, key: &str, url: Option<String>) {
    if let Some(mut draft) = turn.draft_of(card) {
        draft.created = Some(Created { effect: effect.clone(), key: key.into(), url: url.clone() });
        turn.end_task(&draft.task, TaskStatus::Completed);
        turn.put(Record::Draft(draft));
    }
    let done = Progress::Created { key: key.into(), url };
    if let Some(receipt) = card.receipt() {
        result_on(turn, receipt, done.clone());
    }
    result_on(turn, &card.id, done);
}

/// The answer nobody expected any more: the far side did create it, and says so now. The question is over.
fn late(turn: &mut Turn<'_>, card: &Card, effect: &EffectId, key: &str, url: Option<String>) -> Reason {
    let CardStatus::Decided { result: Progress::Uncertain { card: asks }, .. } = &card.status else {
        return Reason::EffectSuperseded;
    };
    if let Some(asks) = turn.card(asks).filter(Card::open) {
        close(turn, asks, CardStatus::Withdrawn, Closing::Cancelled);
    }
    created(turn, card, effect, key, url);
    Reason::EffectSettled
}

/// Nothing was created: the card says why, and a new approval, linked by its draft, opens for editing. A
/// consumed one never becomes pending again (`spec 06 §6.1`).
fn failed(turn: &mut Turn<'_>, card: &Card, text: &str, errors: &[FieldError]) -> Reason {
    let over = Progress::Failed { text: text.into(), errors: errors.into() };
    if let Some(receipt) = card.receipt() {
        result_on(turn, receipt, over.clone());
    }
    result_on(turn, &card.id, over);
    if let Some(draft) = turn.draft_of(card) {
        let errors = if errors.is_empty() { alloc::vec![unanswered(text)] } else { errors.into() };
        show_preview(turn, &draft.id, &draft.by, Some(&errors));
    }
    Reason::EffectSettled
}

/// Nobody knows: a person is asked, and nothing is sent again by itself (`spec 06 §4.4`).
fn uncertain(turn: &mut Turn<'_>, card: &Card, effect: &EffectId) -> Reason {
    let Some(draft) = turn.draft_of(card) else { return Reason::EffectSuperseded };
    let parent = card.receipt().unwrap_or(&card.id).clone();
    let about = About::UncertainEffect {
        effect: effect.clone(),
        draft: draft.id,
        parent: parent.clone(),
        adopting: None,
    };
    let asks = turn.show(about, &draft.by, Some(&draft.task));
    turn.end_task(&draft.task, TaskStatus::Blocked);
    let unknown = Progress::Uncertain { card: asks };
    result_on(turn, &parent, unknown.clone());
    if parent != card.id {
        result_on(turn, &card.id, unknown);
    }
    Reason::EffectSettled
}

// ---- adoption ----

/// *It exists…* was pressed: the key comes by form.
pub(crate) fn ask_key(turn: &mut Turn<'_>) -> Decision {
    turn.tell(say::ADOPT_WHICH);
    Decision::new(Verdict::Asked, Reason::PressApplied)
}

/// Looks the named issue up before it is believed.
pub(crate) fn adopt(turn: &mut Turn<'_>, card: &Card, values: &BTreeMap<String, String>) -> Decision {
    let key = values.get("key").map_or("", |key| key.trim());
    let Some(draft) = turn.draft_of(card).filter(|_| !key.is_empty()) else {
        return invalid(turn, say::ADOPT_NEEDS_KEY);
    };
    let body = EffectBody::TrackerFind { target: draft.target, key: key.into(), card: card.id.clone() };
    turn.effect(body, &[], None);
    let mut card = card.clone();
    if let About::UncertainEffect { adopting, .. } = &mut card.about {
        *adopting = Some(turn.presser());
    }
    turn.put(Record::Card(card));
    turn.tell(&say::looking_for(key));
    Decision::new(Verdict::Done, Reason::PressApplied)
}

/// What the look-up found: adopted when project and title fit, else the question stays open.
fn looked_up(turn: &mut Turn<'_>, mut card: Card, outcome: &Outcome) -> Reason {
    let Some(draft) = turn.draft_of(&card) else { return Reason::EffectSuperseded };
    let About::UncertainEffect { effect, adopting, .. } = &mut card.about else {
        return Reason::EffectSuperseded;
    };
    let (effect, Some(by)) = (effect.clone(), adopting.take()) else { return Reason::EffectSuperseded };
    let refused = match outcome {
        Outcome::Done { result: EffectResult::Found { key, title, url } }
            if title == draft.part(Part::Title) =>
        {
            let (key, url) = (key.clone(), url.clone());
            let result = EffectResult::Issue { key: key.clone(), url: url.clone() };
            turn.adopt(&effect, Outcome::Done { result });
            let done = Progress::Created { key: key.clone(), url: url.clone() };
            decide_as(turn, card.clone(), Action::Adopt, by, done);
            created(turn, &card, &effect, &key, url);
            return Reason::EffectSettled;
        }
        Outcome::Done { result: EffectResult::Found { key, title, .. } } => say::other_title(key, title),
        Outcome::Failed { text, .. } | Outcome::Uncertain { text } => say::not_found(text),
        Outcome::Done { .. } => return Reason::EffectSuperseded,
    };
    turn.put(Record::Card(card));
    turn.say(MessageKind::Notification, Some(&draft.task), &refused);
    Reason::EffectSettled
}
