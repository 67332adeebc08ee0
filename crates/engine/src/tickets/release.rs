//! The way from a preview to its receipt, for one item and for a batch: a dry run, the approval, a second dry
//! run, one create for each item, and the outcome of each.
//!
//! Design: docs/design/0009-one-way-from-preview-to-receipt.md and docs/design/0032-approvals.md.

use alloc::string::String;
use alloc::vec::Vec;

use crate::cards::decide::{decide, following, released_by};
use crate::data::action::Action;
use crate::data::batch::Batch;
use crate::data::card::{Card, CardStatus, CardSubject, Checks};
use crate::data::decision::Reason;
use crate::data::effect::EffectBody;
use crate::data::effect::outcome::{EffectResult, Outcome};
use crate::data::fault::{Fault, FieldFault};
use crate::data::field_error::FieldError;
use crate::data::id::{CardId, DraftId, EffectId, TaskId};
use crate::data::progress::{Progress, ReleasedItem};
use crate::data::task_status::TaskStatus;
use crate::data::ticket::{Created, Draft, Part};
use crate::memory::fact_intake as memory;
use crate::messages;
use crate::tickets::{adopt, batch, link, released};
use crate::turn::Turn;
use crate::turn::tracked_issues;
use throughline_messages as say;

// ---- the preview ----

/// Shows what would be created and starts a dry run. The dry run is skipped if `errors` already holds the
/// findings of an earlier one, or if items of the batch lack required parts.
pub(crate) fn preview(
    turn: &mut Turn<'_>,
    about: CardSubject,
    by: &str,
    errors: Option<Vec<FieldError>>,
) -> CardId {
    let task = task_of(turn, &about);
    let known = errors.or_else(|| Some(batch::edit::lacks(turn, &about)).filter(|lacks| !lacks.is_empty()));
    let failed = known.is_some();
    let checks = known.map_or_else(|| Checks::Due, |errors| Checks::Failed { errors });
    let id = turn.show(about.with_checks(checks), by, task.as_ref());
    if !failed && let Some(mut card) = turn.get::<Card>(&id).cloned() {
        let effect = ask(turn, &card);
        card.about = card.about.with_checks(Checks::Running { effect });
        turn.put(card);
    }
    id
}

/// The task that a card about this would serve.
fn task_of(turn: &Turn<'_>, about: &CardSubject) -> Option<TaskId> {
    match about {
        CardSubject::DraftPreview { draft, .. } => Some(turn.get::<Draft>(draft)?.task.clone()),
        CardSubject::BatchPreview { batch, .. } => Some(turn.get::<Batch>(batch)?.task.clone()),
        _ => None,
    }
}

/// Shows `about` as the next version of the card and starts a new dry run. The approval of the old version
/// can no longer be given.
pub(crate) fn revise(turn: &mut Turn<'_>, card: Card, about: CardSubject) {
    let about = rechecked(turn, &card, about);
    turn.revise(card, about);
}

/// Repeats the dry run for the current version of the card: the error may have been fixed in the tracker.
pub(crate) fn recheck(turn: &mut Turn<'_>, card: &Card) {
    let about = rechecked(turn, card, card.about.clone());
    turn.update(Card { about, ..card.clone() });
}

fn rechecked(turn: &mut Turn<'_>, card: &Card, about: CardSubject) -> CardSubject {
    if let Some(Checks::Running { effect }) = card.about.checks() {
        turn.cancel(effect);
    }
    let lacks = batch::edit::lacks(turn, &about);
    let checks = if lacks.is_empty() {
        Checks::Running { effect: ask(turn, &Card { about: about.clone(), ..card.clone() }) }
    } else {
        Checks::Failed { errors: lacks }
    };
    about.with_checks(checks)
}

/// Starts a dry run: asks the tracker whether it would accept every item on the card.
fn ask(turn: &mut Turn<'_>, card: &Card) -> EffectId {
    let drafts = turn.drafts_of(card);
    let items = crate::tickets::card::items(turn, card, &drafts);
    let (target, by) =
        drafts.first().map(|draft| (draft.target.clone(), draft.by.clone())).unwrap_or_default();
    turn.effect(EffectBody::TrackerCheck { target, items, by, card: card.id.clone() }, &[], None)
}

/// Converts the outcome of a preview's dry run into the checks the card shows.
fn checks(turn: &Turn<'_>, outcome: &Outcome) -> Checks {
    match outcome {
        Outcome::Done { .. } => Checks::Passed { at: turn.now() },
        Outcome::Failed { errors, .. } if !errors.is_empty() => {
            Checks::Failed { errors: messages::shown(turn.language(), errors) }
        }
        Outcome::Failed { text, .. } => Checks::Failed { errors: alloc::vec![unanswered(turn, text)] },
        Outcome::Uncertain { .. } => {
            let lost = say::uncertain_check_lost(turn.language());
            Checks::Failed { errors: alloc::vec![batch::edit::ours(turn, "check.project", "project", lost)] }
        }
    }
}

fn unanswered(turn: &Turn<'_>, fault: &Fault) -> FieldError {
    FieldFault::new("check.project", "project", fault.clone()).shown(turn.language())
}

// ---- approved ----

/// Carries out *Approve*, or *Create again* on an uncertain create: consumes the approval, starts a dry run
/// and one create for each item after it. The create of a story waits for the create of its epic.
pub(crate) fn release(turn: &mut Turn<'_>, card: Card, action: Action) {
    let drafts = turn.drafts_of(&card);
    if drafts.is_empty() {
        return;
    }
    let check = ask(turn, &card);
    let items = crate::tickets::card::items(turn, &card, &drafts);
    let mut under_way: Vec<ReleasedItem> = Vec::new();
    for (draft, item) in drafts.iter().zip(items) {
        let epic = draft.under.as_ref().and_then(|epic| under_way.iter().find(|item| item.draft == *epic));
        let made = epic.and_then(|epic| effect_of(&epic.progress)).cloned();
        let after: Vec<EffectId> = [check.clone()].into_iter().chain(made).collect();
        let body = released::create(&card.id, draft, item);
        let effect = turn.effect(body, &after, Some(released_by(&card)));
        under_way.push(ReleasedItem {
            draft: draft.id.clone(),
            progress: Progress::Working { check: check.clone(), effect },
        });
    }
    if let CardSubject::UncertainEffect { effect, .. } = &card.about {
        let (old, new) = (effect.clone(), effect_of(&under_way[0].progress).cloned());
        adopt::replaced(turn, &card, &old, new.as_ref());
    }
    let several = card.batch().is_some();
    let result =
        if several { Progress::Several { items: under_way } } else { under_way.swap_remove(0).progress };
    let receipt = receipt_of(&card);
    let at = card.draft().cloned();
    let id = card.id.clone();
    decide(turn, card, action, result.clone());
    if action == Action::CreateAgain {
        adopt::keep_looking(turn, &id);
    }
    if let (Some(receipt), Some(draft)) = (receipt, at) {
        put(turn, &receipt, &draft, result.clone());
        put_following(turn, &receipt, &draft, &result);
    }
}

/// Returns the create effect of an item that is in progress.
pub(super) fn effect_of(progress: &Progress) -> Option<&EffectId> {
    if let Progress::Working { effect, .. } = progress { Some(effect) } else { None }
}

/// Returns the receipt that an uncertain create belongs to; `None` for any other card.
pub(super) fn receipt_of(card: &Card) -> Option<CardId> {
    match &card.about {
        CardSubject::UncertainEffect { parent, .. } => Some(parent.clone()),
        _ => None,
    }
}

/// Writes the progress of items to the card and, for an uncertain create, to the receipt behind it.
pub(super) fn stand(turn: &mut Turn<'_>, card: &Card, now: Vec<(DraftId, Progress)>) {
    if let Some(receipt) = receipt_of(card) {
        put_all(turn, &receipt, now.clone());
        for (draft, now) in &now {
            put_following(turn, &receipt, draft, now);
        }
    }
    put_all(turn, &card.id, now);
}

/// Writes the progress of an item to the questions about it that were answered with *Create again* before: the newest
/// attempt is theirs too.
pub(super) fn put_following(turn: &mut Turn<'_>, receipt: &CardId, draft: &DraftId, now: &Progress) {
    for asked in following(turn, receipt).iter().filter(|asked| asked.draft() == Some(draft)) {
        put(turn, &asked.id, draft, now.clone());
    }
}

/// Writes the progress of one item to a card.
pub(super) fn put(turn: &mut Turn<'_>, card: &CardId, draft: &DraftId, now: Progress) {
    put_all(turn, card, alloc::vec![(draft.clone(), now)]);
}

/// Writes the progress of several items to a card with a single update of what it shows.
pub(super) fn put_all(turn: &mut Turn<'_>, card: &CardId, now: Vec<(DraftId, Progress)>) {
    let Some(mut card) = turn.get::<Card>(card).cloned().filter(|_| !now.is_empty()) else { return };
    for (draft, now) in now {
        card.put(&draft, now);
    }
    turn.update(card);
}

// ---- outcomes ----

/// The role of an effect for the card that waits for it.
enum EffectRole {
    /// The dry run after the approval.
    Check,
    /// The create of this item.
    Create(DraftId),
    /// Reading or setting the link of this item to its epic.
    Link(DraftId),
}

fn role(card: &Card, effect: &EffectId) -> Option<EffectRole> {
    card.released().find_map(|(draft, progress)| match progress {
        Progress::Working { check, .. } if check == effect => Some(EffectRole::Check),
        Progress::Working { effect: create, .. } if create == effect => {
            Some(EffectRole::Create(draft.clone()))
        }
        Progress::Created { link: Some(link), .. } if link.effect() == Some(effect) => {
            Some(EffectRole::Link(draft.clone()))
        }
        _ => None,
    })
}

/// Applies the outcome of a dry run, look-up, search, create or link change to its card. An outcome the card
/// does not wait for is [`Reason::EffectSuperseded`].
pub(crate) fn settled(turn: &mut Turn<'_>, card: &CardId, effect: &EffectId, outcome: &Outcome) -> Reason {
    let Some(card) = turn.get::<Card>(card).cloned() else { return Reason::EffectSuperseded };
    match role(&card, effect) {
        Some(EffectRole::Check) => checked(turn, &card, effect, outcome),
        Some(EffectRole::Create(draft)) => create_settled(turn, &card, &draft, effect, outcome),
        Some(EffectRole::Link(draft)) => link::settled(turn, &card, &draft, outcome),
        None => elsewhere(turn, card, effect, outcome),
    }
}

/// Handles outcomes that no released item waits for: the dry run of a preview, the searches and look-ups of
/// an uncertain create, and a create that answers late.
fn elsewhere(turn: &mut Turn<'_>, card: Card, effect: &EffectId, outcome: &Outcome) -> Reason {
    if card.is_open()
        && matches!(card.about.checks(), Some(Checks::Running { effect: running }) if running == effect)
    {
        let about = card.about.clone().with_checks(checks(turn, outcome));
        turn.update(Card { about, ..card });
        return Reason::EffectSettled;
    }
    match (&card.about, outcome) {
        (CardSubject::UncertainEffect { .. }, Outcome::Done { result: EffectResult::Sought { issues } }) => {
            adopt::sought(turn, card.clone(), issues)
        }
        (CardSubject::UncertainEffect { .. }, _) if card.is_open() => {
            adopt::looked_up(turn, card, effect, outcome)
        }
        (_, Outcome::Done { result: EffectResult::Issue { key, url } }) => {
            late(turn, &card, effect, key, url.clone())
        }
        _ => Reason::EffectSuperseded,
    }
}

/// Applies the dry run after an approval. If it failed, nothing was created: the items are marked failed and
/// a new approval opens for editing. A consumed approval never becomes pending again.
fn checked(turn: &mut Turn<'_>, card: &Card, effect: &EffectId, outcome: &Outcome) -> Reason {
    let (text, errors): (&Fault, &[FieldFault]) = match outcome {
        Outcome::Done { .. } => return Reason::EffectSettled,
        Outcome::Failed { text, errors, .. } => (text, errors),
        Outcome::Uncertain { text } => (text, &[]),
    };
    let errors = &messages::shown(turn.language(), errors)[..];
    let waits = |progress: &Progress| matches!(progress, Progress::Working { check, .. } if check == effect);
    let over: Vec<DraftId> =
        card.released().filter(|(_, progress)| waits(progress)).map(|(draft, _)| draft.clone()).collect();
    let failed = |draft: &DraftId| {
        let own = errors.iter().filter(|error| error.item.is_empty() || error.item == draft.0);
        let text = text.text(turn.language());
        (draft.clone(), Progress::Failed { text, errors: own.cloned().collect(), again: None })
    };
    let stands = over.iter().map(failed).collect();
    stand(turn, card, stands);
    reopen(turn, card, &over, text, errors);
    Reason::EffectSettled
}

fn create_settled(
    turn: &mut Turn<'_>,
    card: &Card,
    draft: &DraftId,
    effect: &EffectId,
    outcome: &Outcome,
) -> Reason {
    match outcome {
        Outcome::Done { result: EffectResult::Issue { key, url } } => {
            created(turn, card, draft, effect, key, url.clone());
            Reason::EffectSettled
        }
        Outcome::Done { .. } => Reason::EffectSettled,
        Outcome::Uncertain { .. } => adopt::uncertain(turn, card, draft, effect),
        Outcome::Failed { text, errors, .. } => {
            let errors = messages::shown(turn.language(), errors);
            failed(turn, card, draft, text, &errors)
        }
    }
}

/// Records that the draft's issue exists, starts reading back its epic link, and updates card and receipt.
pub(super) fn created(
    turn: &mut Turn<'_>,
    card: &Card,
    draft: &DraftId,
    effect: &EffectId,
    key: &str,
    url: Option<String>,
) {
    let Some(mut draft) = turn.get::<Draft>(draft).cloned() else { return };
    draft.created =
        Some(Created { effect: effect.clone(), key: key.into(), url: url.clone(), reported: None });
    draft.before = None;
    memory::created(turn, &draft, key);
    tracked_issues::created(turn, &draft.target, key, draft.part(Part::Title), url.as_deref());
    turn.put(draft.clone());
    parent_known(turn, &draft.id);
    let receipt = receipt_of(card).unwrap_or_else(|| card.id.clone());
    let link = link::read_back(turn, &receipt, &draft, key);
    let done = Progress::Created { key: key.into(), url: url.clone(), link };
    let alone = Progress::Created { key: key.into(), url, link: None };
    put_following(turn, &receipt, &draft.id, &alone);
    if receipt != card.id {
        put(turn, &card.id, &draft.id, alone);
    }
    put(turn, &receipt, &draft.id, done);
    settle_up(turn, &receipt);
}

/// Shows the next version of every open preview that names this epic, which has its key now, by its draft: the key is part
/// of what is approved.
fn parent_known(turn: &mut Turn<'_>, epic: &DraftId) {
    let names = |card: &&Card| {
        let drafts = turn.drafts_of(card);
        let beside = drafts.iter().any(|draft| draft.id == *epic);
        card.is_approval() && !beside && drafts.iter().any(|draft| draft.under.as_ref() == Some(epic))
    };
    let open: Vec<Card> = turn.open_cards().filter(names).cloned().collect();
    for card in open {
        let about = card.about.clone();
        // What the tracker said was about an item without that epic.
        revise(turn, card, about);
    }
}

/// Records that a create failed. A single ticket gets a new approval at once; a batch shows the failure on
/// its receipt, and the stories of a failed epic are not tried.
fn failed(turn: &mut Turn<'_>, card: &Card, draft: &DraftId, text: &Fault, errors: &[FieldError]) -> Reason {
    let now = Progress::Failed { text: text.text(turn.language()), errors: errors.into(), again: None };
    stand(turn, card, alloc::vec![(draft.clone(), now)]);
    let receipt = receipt_of(card).unwrap_or_else(|| card.id.clone());
    match turn.get::<Card>(&receipt).cloned().filter(|receipt| receipt.batch().is_some()) {
        Some(receipt) => {
            without_epic(turn, &receipt, draft);
            settle_up(turn, &receipt.id);
        }
        None => reopen(turn, card, core::slice::from_ref(draft), text, errors),
    }
    Reason::EffectSettled
}

/// Cancels the creates of an epic's stories because the epic was not created.
pub(super) fn without_epic(turn: &mut Turn<'_>, receipt: &Card, epic: &DraftId) {
    let waits =
        |draft: &DraftId| turn.get::<Draft>(draft).is_some_and(|draft| draft.under.as_ref() == Some(epic));
    let stories: Vec<(DraftId, EffectId)> = receipt
        .released()
        .filter(|(draft, _)| waits(draft))
        .filter_map(|(draft, progress)| Some((draft.clone(), effect_of(progress)?.clone())))
        .collect();
    for (_, effect) in &stories {
        turn.cancel(effect);
    }
    let not_tried = Progress::NotTried { why: say::link_no_epic(turn.language()), again: None };
    put_all(turn, &receipt.id, stories.into_iter().map(|(draft, _)| (draft, not_tried.clone())).collect());
}

/// Opens a new approval for exactly these drafts, showing why they failed.
fn reopen(turn: &mut Turn<'_>, card: &Card, drafts: &[DraftId], text: &Fault, errors: &[FieldError]) {
    let errors = if errors.is_empty() { alloc::vec![unanswered(turn, text)] } else { errors.to_vec() };
    let receipt = receipt_of(card)
        .and_then(|receipt| turn.get::<Card>(&receipt).cloned())
        .unwrap_or_else(|| card.clone());
    if receipt.batch().is_some() {
        batch::drafting::again(turn, &receipt, drafts, Some(errors));
    } else if let Some(draft) = drafts.first().and_then(|draft| turn.get::<Draft>(draft).cloned()) {
        let about =
            CardSubject::DraftPreview { draft: draft.id, checks: Checks::Failed { errors: Vec::new() } };
        let errors = errors.into_iter().map(|error| FieldError { item: String::new(), ..error });
        preview(turn, about, &draft.by, Some(errors.collect()));
    }
}

/// Handles a create that reports success after its outcome was declared uncertain: the card that asked about
/// it is withdrawn and the item is created.
fn late(turn: &mut Turn<'_>, card: &Card, effect: &EffectId, key: &str, url: Option<String>) -> Reason {
    let asks = card.released().find_map(|(draft, progress)| {
        let Progress::Uncertain { card } = progress else { return None };
        let asks = turn.get::<Card>(card).cloned()?;
        let about = matches!(&asks.about, CardSubject::UncertainEffect { effect: of, .. } if of == effect);
        about.then(|| (draft.clone(), asks))
    });
    let Some((draft, asks)) = asks else { return Reason::EffectSuperseded };
    adopt::question_over(turn, asks);
    created(turn, card, &draft, effect, key, url);
    Reason::EffectSettled
}

/// Once every item of a receipt is finished, opens the next part of a split batch. If there is none and all
/// items were created, completes the task.
pub(crate) fn settle_up(turn: &mut Turn<'_>, receipt: &CardId) {
    let Some(card) = turn.get::<Card>(receipt).cloned() else { return };
    let CardStatus::Decided { result, .. } = &card.status else { return };
    if !result.is_final() {
        return;
    }
    let whole = card.released().all(|(_, progress)| progress.key().is_some());
    let more = batch::drafting::open_next(turn, &card);
    if let Some(task) = turn.task_of(&card).filter(|_| whole && !more) {
        turn.end_task(&task, TaskStatus::Completed);
    }
}

/// Returns the titles of drafts, empty where a draft has none.
pub(crate) fn titles(drafts: &[Draft]) -> Vec<&str> {
    drafts.iter().map(|draft| draft.part(crate::data::ticket::Part::Title)).collect()
}
