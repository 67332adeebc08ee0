//! The card of a batch: a preview of all items, then the receipt item by item.

use crate::data::batch::Batch;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::cards::hash_of;
use crate::data::action::Action;
use crate::data::card::{Card, CardStatus, CardSubject, Checks};
use crate::data::card_model::{Button, CardModel, Field, ItemModel};
use crate::data::field_error::FieldError;
use crate::data::id::{BatchId, DraftId};
use crate::data::language::Language;
use crate::data::policy::Policy;
use crate::data::policy::drafts::DraftPolicy;
use crate::data::progress::Progress;
use crate::data::record_lookup::RecordLookup;
use crate::data::ticket::{Draft, Item, ItemType, Part, Target};
use crate::data::time::Timestamp;
use crate::messages;
use crate::tickets::card::{authored, facts, fields, not_yet};
use crate::tickets::gaps;
use throughline_messages as say;

/// The parts that the form for a new item asks for.
const NEW: [Part; 3] = [Part::Title, Part::Problem, Part::Acceptance];

/// Fills in the card of a batch.
pub(crate) fn show(
    model: &mut CardModel,
    card: &Card,
    batch: &BatchId,
    known: &dyn RecordLookup,
    now: Timestamp,
    policy: &Policy,
) {
    let (Some(batch), CardSubject::BatchPreview { checks, latches, .. }) =
        (known.get::<Batch>(batch), &card.about)
    else {
        model.title = say::card_gone(card.language);
        return;
    };
    let drafts: Vec<Draft> =
        batch.items.iter().filter_map(|draft| known.get::<Draft>(draft)).cloned().collect();
    let labels = labels(card.language, &drafts);
    let what = messages::batch::what(card.language, &drafts, &batch.target.project);
    let what = match &batch.part {
        Some(part) => say::batch_part(card.language, part.n, part.of, what),
        None => what,
    };
    model.title = messages::batch::title(card.language, &what, &batch.by, &card.status, now);
    let made = |epic: &DraftId| Some(known.get::<Draft>(epic)?.created.as_ref()?.key.clone());
    model.hash = Some(hash_of(&payload(&batch.target, &items(&drafts, made))));
    model.items = drafts
        .iter()
        .zip(&labels)
        .map(|(draft, label)| item(card, draft, label, &drafts, &labels, known, &policy.drafts))
        .collect();
    let chars: usize = drafts.iter().map(Draft::chars).sum();
    let written = authored(card, &drafts);
    if card.is_open() {
        facts(model, card, checks, (&batch.by, &written), &batch.target.to_string(), now, policy);
        model.tell_size(say::card_size(card.language, chars, drafts.len()));
        model.facts.extend(
            latches
                .blocking_action()
                .map(|first| messages::batch::confirm_first(card.language, first, drafts.len(), chars)),
        );
        if let Checks::Failed { errors } = checks {
            model.errors = errors.iter().filter(|error| error.item.is_empty()).cloned().collect();
        }
        model.fields =
            if card.actions().contains(&Action::AddStory) { new_fields(card.language) } else { Vec::new() };
    } else {
        model.facts.extend(messages::card::written_by(card.language, &batch.by, &written));
    }
    let own = card.actions().into_iter().filter(|action| !of_an_item(*action));
    let forbidding: Vec<Part> = drafts.iter().flat_map(|draft| policy.drafts.forbidding(draft)).collect();
    let lacks: Vec<Part> = Part::ALL.into_iter().filter(|part| forbidding.contains(part)).collect();
    let blocked = not_yet(card, &lacks)
        .map(|why| Button { blocked: Some(why), ..button(card, Action::Approve, &what, drafts.len()) });
    model.buttons =
        blocked.into_iter().chain(own.map(|action| button(card, action, &what, drafts.len()))).collect();
}

/// True if an action is about one item of a card.
fn of_an_item(action: Action) -> bool {
    matches!(action, Action::EditStory | Action::RemoveStory)
}

/// The items as an approval holds them. A story's parent is the epic of the same batch, else the issue that
/// the epic of an earlier part became (`made`). That stays so once the epic exists: a receipt shows the
/// hash of what was approved.
pub(crate) fn items(drafts: &[Draft], made: impl Fn(&DraftId) -> Option<String>) -> Vec<Item> {
    let beside = |epic: &DraftId| drafts.iter().any(|draft| draft.id == *epic);
    let parent = |draft: &Draft| {
        let epic = draft.under.as_ref()?;
        made(epic).filter(|_| !beside(epic)).or_else(|| Some(epic.0.clone()))
    };
    drafts
        .iter()
        .map(|draft| Item { id: draft.id.0.clone(), parent: parent(draft), ..draft.item() })
        .collect()
}

fn new_fields(language: Language) -> Vec<Field> {
    let empty = |part: Part| Field::new(part.as_str(), &part.label(language), "");
    NEW.into_iter().map(empty).collect()
}

/// One label per item: `Epic`, `Story 1`, `Story 2`. Stories are always numbered, a single epic never is.
pub(crate) fn labels(language: Language, drafts: &[Draft]) -> Vec<String> {
    let of_type = |wanted: ItemType| drafts.iter().filter(|draft| draft.item_type == wanted).count();
    let mut seen: Vec<ItemType> = Vec::new();
    let mut label = |draft: &Draft| {
        let kind = draft.item_type;
        seen.push(kind);
        let n = seen.iter().filter(|one| **one == kind).count();
        let name = say::item_type(language, kind.as_str());
        if kind == ItemType::Epic && of_type(kind) == 1 { name } else { format!("{name} {n}") }
    };
    drafts.iter().map(&mut label).collect()
}

/// The label of one item; `None` if it is the only one.
pub(crate) fn label(language: Language, drafts: &[Draft], id: &DraftId) -> Option<String> {
    let at = drafts.iter().position(|draft| draft.id == *id).filter(|_| drafts.len() > 1)?;
    labels(language, drafts).get(at).cloned()
}

fn item(
    card: &Card,
    draft: &Draft,
    label: &str,
    all: &[Draft],
    labels: &[String],
    known: &dyn RecordLookup,
    policy: &DraftPolicy,
) -> ItemModel {
    let progress = card.released().find(|(of, _)| **of == draft.id).map(|(_, progress)| progress);
    let errors: Vec<FieldError> = match (progress, card.about.checks()) {
        (Some(Progress::Failed { errors, .. }), _) => errors.clone(),
        (None, Some(Checks::Failed { errors })) => {
            errors.iter().filter(|error| error.item == draft.id.0).cloned().collect()
        }
        _ => Vec::new(),
    };
    let epic = draft.under.as_ref().and_then(|epic| {
        let here = all.iter().position(|draft| draft.id == *epic).map(|at| labels[at].clone());
        let made = known.get::<Draft>(epic).and_then(|epic| Some(epic.created.as_ref()?.key.clone()));
        made.or(here)
    });
    let state = match progress {
        Some(progress) => {
            let stands = messages::batch::stands(card.language, progress, epic.as_deref());
            let reported = messages::change::reported(card.language, draft);
            [stands].into_iter().chain(reported).collect::<Vec<_>>().join(" · ")
        }
        None => messages::batch::waits(card.language, draft, epic.as_deref()),
    };
    let buttons = if card.is_open() { item_buttons(card, draft, label) } else { Vec::new() };
    let link = match progress {
        Some(Progress::Created { url, .. }) => url.clone(),
        _ => None,
    };
    let title = draft.part(Part::Title);
    ItemModel {
        id: draft.id.0.clone(),
        label: label.into(),
        title: if title.is_empty() { say::batch_no_title(card.language) } else { title.into() },
        state,
        fields: form(draft, card, policy),
        errors,
        buttons,
        link,
    }
}

/// The fields of an item. While the card is open they are its edit form, so missing parts are in it as
/// empty fields.
fn form(draft: &Draft, card: &Card, policy: &DraftPolicy) -> Vec<Field> {
    if card.is_open() { gaps::fields(card.language, draft, policy) } else { fields(card.language, draft) }
}

fn item_buttons(card: &Card, draft: &Draft, label: &str) -> Vec<Button> {
    let own = card.actions().into_iter().filter(|action| of_an_item(*action));
    let name = |action: Action| {
        let button = action.label(card.language);
        let (verb, item) =
            (messages::card::verb(&button), messages::batch::in_sentence(card.language, label));
        say::batch_button_item(card.language, item, draft.part(Part::Title), verb, card.version)
    };
    own.map(|action| crate::cards::button(card.language, action, name(action))).collect()
}

fn button(card: &Card, action: Action, what: &str, count: usize) -> Button {
    let label = match action {
        Action::ConfirmQuantity => say::batch_confirm_label(card.language, count),
        _ => action.label(card.language),
    };
    let verb = messages::card::verb(&label);
    let name = match &card.status {
        CardStatus::Open => say::card_button_creates(card.language, verb, card.version, what),
        _ => format!("{verb}: {what}"),
    };
    Button { label, ..crate::cards::button(card.language, action, name) }
}

/// Returns the payload of a batch. Its canonical bytes are what is hashed, stored, approved and executed.
pub(crate) fn payload(target: &Target, items: &[Item]) -> serde_json::Value {
    serde_json::json!({ "kind": "tracker.batch", "target": target, "items": items })
}
