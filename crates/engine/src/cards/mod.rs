//! Cards as people see them. A card is a projection: a pure function of its records, the time and policy.
//! Nothing else writes one (`docs/design/0017-steps-and-card-versions.md`).

pub(crate) mod batch;
pub(crate) mod decide;
pub(crate) mod options;
pub(crate) mod proposal;
pub(crate) mod review;
pub(crate) mod show;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::data::action::Action;
use crate::data::canon::{hex, jcs, sha256};
use crate::data::card::{About, Card, CardStatus, Checks};
use crate::data::card_model::{Button, CardModel, Field};
use crate::data::known::Known;
use crate::data::policy::Policy;
use crate::data::progress::Progress;
use crate::data::record::Record;
use crate::data::record_key::{RecordKey, RecordKind};
use crate::data::ticket::{Draft, Part};
use crate::data::time::Timestamp;
use crate::data::work::{Call, Job};
use crate::say::{self, card as words};

/// The keys of the records a card shows. The drafts of a batch are among them once `known` has the batch.
#[must_use]
pub fn shows(card: &Card, known: &dyn Known) -> Vec<RecordKey> {
    let key = |kind, id: &str| RecordKey { kind, key: id.into() };
    let mut keys: Vec<RecordKey> = card.subject().into_iter().collect();
    if let About::Options { set, .. } = &card.about {
        keys.push(key(RecordKind::OptionSet, &set.0));
    }
    let Some(batch) = card.batch() else { return keys };
    keys.push(key(RecordKind::Batch, &batch.0));
    let drafts = known.batch(batch).into_iter().flat_map(|batch| &batch.items);
    keys.extend(drafts.map(|draft| key(RecordKind::Draft, &draft.0)));
    let epics = known.batch(batch).into_iter().flat_map(|batch| &batch.items);
    let epics = epics.filter_map(|draft| known.draft(draft)?.under.as_ref());
    keys.extend(epics.map(|draft| key(RecordKind::Draft, &draft.0)));
    keys.sort();
    keys.dedup();
    keys
}

/// Returns what a person sees of a card at `now`. Records that `known` does not have show as gone.
#[must_use]
pub fn project(card: &Card, known: &dyn Known, now: Timestamp, policy: &Policy) -> CardModel {
    let draft = card.draft().and_then(|draft| known.draft(draft));
    let subject = || card.subject().and_then(|key| known.record(key.kind, &key.key));
    let mut model = blank(card);
    match &card.about {
        About::DraftPreview { checks, .. } => preview(&mut model, card, draft, checks, now, policy),
        About::BatchPreview { batch, .. } => batch::show(&mut model, card, batch, known, now, policy),
        About::ScopeGate { excerpt, .. } => gate(&mut model, card, excerpt),
        About::UncertainEffect { next_look, .. } => {
            model.title = say::uncertain_title(draft.map_or("", |d| d.part(Part::Title)), &card.status);
            if let Some(at) = next_look.filter(|_| card.open()) {
                model.facts.push(words::next_look(at, now));
            }
        }
        About::CallPreview { call, .. } => {
            model.title = say::call_title(&call.job, &card.status, now);
            call_of(&mut model, card, call, now, policy);
        }
        About::UncertainCall { call, .. } => {
            model.title = say::uncertain_call_title(&call.job, &card.status);
            call_of(&mut model, card, call, now, policy);
        }
        About::Options { set, exec_rev, order, displayed, asks } => {
            let set = if let Some(Record::OptionSet(set)) = known.record(RecordKind::OptionSet, &set.0) {
                Some(set).filter(|set| set.exec_rev == *exec_rev)
            } else {
                None
            };
            options::show(&mut model, card, set, (order, *displayed), asks);
        }
        About::Remembered => model.title = words::remembered(&card.status),
        About::ReviewActive { .. } | About::ReviewFrozen { .. } => {
            let review = if let Some(Record::Review(review)) = subject() { Some(review) } else { None };
            review::project(&mut model, card, review, policy);
        }
        About::DecisionPreview { .. } | About::DecisionUncertain { .. } => {
            let proposal =
                if let Some(Record::Proposal(proposal)) = subject() { Some(proposal) } else { None };
            proposal::project(&mut model, card, proposal, now, policy);
        }
    }
    if card.batch().is_none() && !matches!(card.about, About::Options { .. }) {
        model.buttons = card.actions().into_iter().map(|action| button(card, action, draft)).collect();
    }
    if let Some(Record::Proposal(proposal)) = subject() {
        let named = |button: &mut Button| button.name = proposal::name(button.action, card, proposal);
        model.buttons.iter_mut().for_each(named);
    }
    if card.review().is_some() {
        let named = |button: &mut Button| button.name = format!("{}: {}", button.label, model.title);
        model.buttons.iter_mut().for_each(named);
    }
    model
}

/// A card model without any content.
pub(crate) fn blank(card: &Card) -> CardModel {
    CardModel {
        id: card.id.clone(),
        step: card.step(),
        version: card.version,
        hash: None,
        title: String::new(),
        facts: Vec::new(),
        fields: Vec::new(),
        items: Vec::new(),
        errors: Vec::new(),
        buttons: Vec::new(),
        link: None,
    }
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
        model.title = say::CARD_GONE.into();
        return;
    };
    model.title = say::preview_title(draft, &card.status, now);
    model.hash = Some(short_hash(draft));
    model.fields = fields(draft);
    if let CardStatus::Decided { result, .. } = &card.status {
        receipt(model, result);
        return;
    }
    if let Checks::Failed { errors } = checks {
        model.errors.clone_from(errors);
    }
    model.facts = facts(card, checks, &draft.by, &draft.target.to_string(), now, policy);
    model.facts.push(words::size(1, draft.chars()));
}

/// The lines of an open preview: who asked, the state of the dry run, who may approve and until when.
pub(crate) fn facts(
    card: &Card,
    checks: &Checks,
    by: &str,
    target: &str,
    now: Timestamp,
    policy: &Policy,
) -> Vec<String> {
    let until = card.expires_at.map(|end| words::until(end, now));
    let who = words::may_approve(policy, "tracker.create", target);
    [words::asked_by(by), words::checks(checks, now), who].into_iter().chain(until).collect()
}

/// Fills in everything that a call would send, and to whom.
fn call_of(model: &mut CardModel, card: &Card, call: &Call, now: Timestamp, policy: &Policy) {
    model.hash = Some(hex(&sha256(&[jcs(call).as_bytes()])[..4]));
    let field = |name: &str, text: &str| Field { name: name.into(), label: name.into(), text: text.into() };
    model.fields.push(field("task", &call.text));
    if let Job::Tool { args, .. } = &call.job {
        model.fields.extend(args.iter().map(|(name, text)| field(name, text)));
    }
    if !card.open() {
        return;
    }
    model.facts.push(words::asked_by(&card.by));
    model.facts.push(words::may_approve(policy, call.job.class(), &call.job.target()));
    model.facts.extend(card.expires_at.map(|end| words::until(end, now)));
}

pub(crate) fn receipt(model: &mut CardModel, result: &Progress) {
    match result {
        Progress::Created { url, .. } => model.link.clone_from(url),
        Progress::Failed { errors, .. } => model.errors.clone_from(errors),
        _ => {}
    }
}

fn gate(model: &mut CardModel, card: &Card, excerpt: &str) {
    model.facts.push(format!("“{excerpt}”"));
    model.title = match &card.status {
        CardStatus::Open => say::GATE_QUESTION.into(),
        CardStatus::Decided { action: Action::Dismiss, .. } => say::GATE_DISMISSED.into(),
        CardStatus::Decided { action, by, .. } => words::chosen(*action, &by.name),
        CardStatus::Superseded { .. } => say::GATE_SUPERSEDED.into(),
        CardStatus::Expired => say::GATE_EXPIRED.into(),
        CardStatus::Withdrawn => say::CARD_GONE.into(),
    };
}

/// The filled parts of a draft.
pub(crate) fn fields(draft: &Draft) -> Vec<Field> {
    let written = Part::ALL.into_iter().filter(|part| !draft.part(*part).is_empty());
    written
        .map(|part| Field {
            name: part.word().into(),
            label: part.label().into(),
            text: draft.part(part).into(),
        })
        .collect()
}

/// The first 8 digits of the hash of a draft's payload.
fn short_hash(draft: &Draft) -> String {
    hash_of(&payload(&draft.target, &draft.item()))
}

/// The first 8 digits of a payload's hash.
pub(crate) fn hash_of(payload: &serde_json::Value) -> String {
    hex(&sha256(&[jcs(payload).as_bytes()])[..4])
}

/// The payload of one item. Its canonical bytes are what is hashed, stored, approved and executed.
pub(crate) fn payload(
    target: &crate::data::ticket::Target,
    item: &crate::data::ticket::Item,
) -> serde_json::Value {
    serde_json::json!({ "kind": "tracker.item", "target": target, "item": item })
}

/// The payload of a batch.
pub(crate) fn payload_of_batch(
    target: &crate::data::ticket::Target,
    items: &[crate::data::ticket::Item],
) -> serde_json::Value {
    serde_json::json!({ "kind": "tracker.batch", "target": target, "items": items })
}

fn button(card: &Card, action: Action, draft: Option<&Draft>) -> Button {
    let on = match (&card.about, action) {
        (About::ScopeGate { remember, .. }, Action::Remember) => Some(*remember),
        _ => None,
    };
    let name = match draft {
        Some(draft) => words::creates(action, draft, card.version),
        None => match card.call() {
            Some((call, _)) => words::calls(action, &call.job),
            None => action.label().into(),
        },
    };
    Button { action, label: action.label().into(), name, on, token: None }
}
