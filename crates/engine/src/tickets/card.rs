//! The cards of one ticket: its preview, the receipt, and the question whether it was created.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::cards::{button, hash_of};
use crate::data::action::Action;
use crate::data::authors::Authored;
use crate::data::card::{Card, CardStatus, CardSubject, Checks};
use crate::data::card_model::{Button, CardModel, Field};
use crate::data::id::DraftId;
use crate::data::language::Language;
use crate::data::policy::Policy;
use crate::data::progress::Progress;
use crate::data::ticket::{Draft, Item, Part, Target};
use crate::data::time::Timestamp;
use crate::messages::{self, card as words};
use crate::tickets::{batch, gaps};
use crate::turn::Turn;
use crate::turn::capability::CardContext;
use throughline_messages as say;

/// Fills in the card.
pub(super) fn show(model: &mut CardModel, view: &CardContext<'_>) {
    let CardContext { card, known, now, policy } = *view;
    let draft = card.draft().and_then(|draft| known.get::<Draft>(draft));
    match &card.about {
        CardSubject::BatchPreview { batch, .. } => {
            return batch::card::show(model, card, batch, known, now, policy);
        }
        CardSubject::DraftPreview { checks, .. } => preview(model, card, draft, checks, now, policy),
        CardSubject::UncertainEffect { next_look, .. } => {
            model.title = messages::uncertain_title(
                view.language(),
                draft.map_or("", |d| d.part(Part::Title)),
                &card.status,
            );
            let look = next_look.filter(|_| card.is_open());
            model.facts.extend(look.map(|at| match at <= now {
                true => say::uncertain_looking(view.language()),
                false => say::uncertain_next_look(view.language(), at.display_at(now, view.language())),
            }));
        }
        _ => {}
    }
    let name = |action| match draft {
        Some(draft) => words::creates(view.language(), action, draft, card.version),
        None => action.label(view.language()),
    };
    let blocked = draft.and_then(|draft| not_yet(card, &policy.drafts.forbidding(draft)));
    let blocked = blocked.map(|why| Button {
        blocked: Some(why),
        ..button(view.language(), Action::Approve, name(Action::Approve))
    });
    let offered = card.actions().into_iter().map(|action| button(view.language(), action, name(action)));
    model.buttons = blocked.into_iter().chain(offered).collect();
}

/// Returns the reason why an open preview offers no Approve; `None` if it does, and for other cards. `forbidding` are the
/// parts it cannot be approved without.
pub(super) fn not_yet(card: &Card, forbidding: &[Part]) -> Option<String> {
    let checks = card.about.checks().filter(|_| card.is_open())?;
    if card.actions().contains(&Action::Approve) {
        return None;
    }
    if !forbidding.is_empty() {
        return Some(words::needs(card.language, forbidding));
    }
    words::not_yet(card.language, checks, card.to_confirm())
}

fn preview(
    model: &mut CardModel,
    card: &Card,
    draft: Option<&Draft>,
    checks: &Checks,
    now: Timestamp,
    policy: &Policy,
) {
    let Some(draft) = draft else {
        model.title = say::card_gone(card.language);
        return;
    };
    model.title = messages::preview_title(card.language, draft, &card.status, now);
    model.hash = Some(hash_of(&payload(&draft.target, &draft.item())));
    model.fields = if card.is_open() {
        gaps::fields(card.language, draft, &policy.drafts)
    } else {
        fields(card.language, draft)
    };
    let written = draft.authored("");
    if let CardStatus::Decided { result, .. } = &card.status {
        receipt(model, result);
        model.facts.extend(messages::change::reported(card.language, draft));
        model.facts.extend(words::written_by(card.language, &draft.by, &written));
        return;
    }
    if let Checks::Failed { errors } = checks {
        model.errors.clone_from(errors);
    }
    facts(model, card, checks, (&draft.by, &written), &draft.target.to_string(), now, policy);
    let forbidding = policy.drafts.forbidding(draft);
    model
        .facts
        .extend((card.is_open() && !forbidding.is_empty()).then(|| words::needs(card.language, &forbidding)));
    model.tell_size(say::card_size(card.language, draft.chars(), 1));
}

/// Fills in the lines of an open preview: who asked and wrote, the state of the dry run, who may approve and until when.
pub(super) fn facts(
    model: &mut CardModel,
    card: &Card,
    checks: &Checks,
    (by, written): (&str, &[Authored]),
    target: &str,
    now: Timestamp,
    policy: &Policy,
) {
    model.facts.push(words::asked_by(card.language, by, written));
    model.facts.push(words::checks(card.language, checks, now));
    model.tell_decision(
        words::may_approve(card.language, policy, "tracker.create", target),
        card.expires_at.map(|end| words::until(card.language, end, now)),
    );
}

fn receipt(model: &mut CardModel, result: &Progress) {
    match result {
        Progress::Created { url, .. } => model.link.clone_from(url),
        Progress::Failed { errors, .. } => model.errors.clone_from(errors),
        _ => {}
    }
}

/// Returns the filled parts of a draft.
pub(super) fn fields(language: Language, draft: &Draft) -> Vec<Field> {
    let written = Part::ALL.into_iter().filter(|part| !draft.part(*part).is_empty());
    written.map(|part| Field::new(part.as_str(), &part.label(language), draft.part(part))).collect()
}

/// Returns who wrote which part of these drafts. An item without a batch has no id.
pub(super) fn authored(card: &Card, drafts: &[Draft]) -> Vec<Authored> {
    let item = |draft: &Draft| if card.batch().is_some() { draft.id.0.clone() } else { String::new() };
    drafts.iter().flat_map(|draft| draft.authored(&item(draft))).collect()
}

/// Returns the items of these drafts as a tracker receives them: an item without a batch has no id, and an epic
/// that exists is named by its key.
pub(super) fn items(turn: &Turn<'_>, card: &Card, drafts: &[Draft]) -> Vec<Item> {
    let made = |epic: &DraftId| Some(turn.get::<Draft>(epic)?.created.as_ref()?.key.clone());
    let mut items = batch::card::items(drafts, made);
    if card.batch().is_none() {
        items.iter_mut().for_each(|item| item.id.clear());
    }
    items
}

/// Returns the payload of one item. Its canonical bytes are what is hashed, stored, approved and executed.
pub(super) fn payload(target: &Target, item: &Item) -> serde_json::Value {
    serde_json::json!({ "kind": "tracker.item", "target": target, "item": item })
}
