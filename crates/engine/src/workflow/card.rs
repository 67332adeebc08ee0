//! Cards are projections (`spec 06 §5.6`): what a person sees is a pure function of the record, and nothing
//! else writes a card.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use super::{About, Action, Card, CardStatus, Checks, Progress, Step};
use crate::canon::{hex, jcs, sha256};
use crate::decisions;
use crate::effect::FieldError;
use crate::id::{BatchId, CardId, DraftId};
use crate::lane::{Record, RecordKey, RecordKind, Records};
use crate::policy::Policy;
use crate::review;
use crate::say::{self, card as words};
use crate::selection;
use crate::tickets::{Batch, Draft, Part, batch};
use crate::time::Timestamp;
use crate::work::{Call, Job};

/// What a channel renders.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CardModel {
    /// The card.
    pub id: CardId,
    /// Where it stands.
    pub step: Step,
    /// Its version.
    pub version: u32,
    /// The first 8 digits of the hash of what would run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// What it asks, or what became of it.
    pub title: String,
    /// Who asked, checks, until when: one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    /// What will happen, field by field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// The items of a batch, the epic first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<ItemModel>,
    /// What is wrong, item and field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// What may be pressed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buttons: Vec<Button>,
    /// A link to what came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// One item of a card that shows several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ItemModel {
    /// Its id: what its buttons are about.
    pub id: String,
    /// `Epic`, `Story 3`.
    pub label: String,
    /// Its title.
    pub title: String,
    /// How it stands: `needs detail`, `created AUTH-3`; empty when there is nothing to say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub state: String,
    /// What it holds, field by field: its edit form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// What is wrong with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// What may be pressed about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buttons: Vec<Button>,
    /// A link to what came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// One field of a card, and of its edit form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// The form field.
    pub name: String,
    /// Its label.
    pub label: String,
    /// What it holds.
    pub text: String,
}

/// One button.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Button {
    /// What it does.
    pub action: Action,
    /// What it says.
    pub label: String,
    /// The whole act in words, for those who do not see the card.
    pub name: String,
    /// For a toggle: whether it is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
    /// What a press sends. The engine has no keys: the edge fills it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// Where the records are that a card shows.
pub trait Known {
    /// The record of that kind and id.
    fn record(&self, kind: RecordKind, id: &str) -> Option<&Record>;

    /// The draft of that id.
    fn draft(&self, id: &DraftId) -> Option<&Draft> {
        match self.record(RecordKind::Draft, &id.0)? {
            Record::Draft(draft) => Some(draft),
            _ => None,
        }
    }

    /// The batch of that id.
    fn batch(&self, id: &BatchId) -> Option<&Batch> {
        match self.record(RecordKind::Batch, &id.0)? {
            Record::Batch(batch) => Some(batch),
            _ => None,
        }
    }
}

impl Known for Records {
    fn record(&self, kind: RecordKind, id: &str) -> Option<&Record> {
        self.find(kind, id)
    }
}

/// The records a card shows, as far as `known` says which: those of a batch are known with the batch.
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

/// What a person sees of a card.
#[must_use]
pub fn project(card: &Card, known: &dyn Known, now: Timestamp, policy: &Policy) -> CardModel {
    let draft = card.draft().and_then(|draft| known.draft(draft));
    let subject = || card.subject().and_then(|key| known.record(key.kind, &key.key));
    let mut model = blank(card);
    match &card.about {
        About::DraftPreview { checks, .. } => preview(&mut model, card, draft, checks, now, policy),
        About::BatchPreview { batch, .. } => batch::card::show(&mut model, card, batch, known, now, policy),
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
            selection::card::show(&mut model, card, set, (order, *displayed), asks);
        }
        About::Remembered => model.title = words::remembered(&card.status),
        About::ReviewActive { .. } | About::ReviewFrozen { .. } => {
            let review = if let Some(Record::Review(review)) = subject() { Some(review) } else { None };
            review::project(&mut model, card, review, policy);
        }
        About::DecisionPreview { .. } | About::DecisionUncertain { .. } => {
            let proposal =
                if let Some(Record::Proposal(proposal)) = subject() { Some(proposal) } else { None };
            decisions::project(&mut model, card, proposal, now, policy);
        }
    }
    if card.batch().is_none() && !matches!(card.about, About::Options { .. }) {
        model.buttons = card.actions().into_iter().map(|action| button(card, action, draft)).collect();
    }
    if let Some(Record::Proposal(proposal)) = subject() {
        let named = |button: &mut Button| button.name = decisions::name(button.action, card, proposal);
        model.buttons.iter_mut().for_each(named);
    }
    if card.review().is_some() {
        let named = |button: &mut Button| button.name = format!("{}: {}", button.label, model.title);
        model.buttons.iter_mut().for_each(named);
    }
    model
}

/// A card that shows nothing yet.
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

/// Who asked, how the dry run stands, who may approve and until when.
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

/// Everything that would go out, and to whom.
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

fn receipt(model: &mut CardModel, result: &Progress) {
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

/// What is written of a draft, part by part.
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

/// The first 8 digits of the hash of what would run.
fn short_hash(draft: &Draft) -> String {
    hash_of(&payload(&draft.target, &draft.item()))
}

/// The first 8 digits of the hash of a payload.
pub(crate) fn hash_of(payload: &serde_json::Value) -> String {
    hex(&sha256(&[jcs(payload).as_bytes()])[..4])
}

/// What is approved of one item: its canonical bytes are hashed, stored and run (`spec 06 §5.1`).
pub(crate) fn payload(target: &crate::tickets::Target, item: &crate::tickets::Item) -> serde_json::Value {
    serde_json::json!({ "kind": "tracker.item", "target": target, "item": item })
}

/// The same of several.
pub(crate) fn payload_of_batch(
    target: &crate::tickets::Target,
    items: &[crate::tickets::Item],
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

impl ItemModel {
    /// What is written of it below its title: the title stands beside its label, and what is empty is only its form's.
    pub fn details(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| !field.text.is_empty() && field.name != Part::Title.word())
    }

    /// The same as far as a message shows it: what became of an item is a line on the receipt (`spec 07 §1`), and what it
    /// says is in the issue then.
    pub fn shown(&self, card: &CardModel) -> impl Iterator<Item = &Field> {
        let receipt = card.step == Step::Receipt;
        self.details().filter(move |_| !receipt)
    }

    /// What is wrong with it beside what its state already says is missing: those fields stand empty in its form.
    pub fn wrong(&self) -> impl Iterator<Item = &FieldError> {
        let missing =
            |error: &FieldError| self.fields.iter().any(|f| f.text.is_empty() && f.name == error.field);
        self.errors.iter().filter(move |error| !missing(error))
    }
}

impl CardModel {
    /// What it holds that people wrote, and nothing else: not who may approve, where it goes, or how it stands. All that a
    /// model is shown of a card (`spec 03 §1`: never the workflow state).
    #[must_use]
    pub fn contents(&self) -> String {
        let mut lines = Vec::new();
        let line = |field: &Field| format!("{}: {}", field.label, field.text);
        lines.extend(self.fields.iter().filter(|field| !field.text.is_empty()).map(line));
        for item in &self.items {
            lines.push(format!("{}: {}", item.label, item.title));
            lines.extend(item.details().map(line));
        }
        lines.join("\n")
    }

    /// The card as plain text: what the lane remembers of it, and what a channel without cards shows.
    #[must_use]
    pub fn as_text(&self) -> String {
        let mut text = self.title.clone();
        if let Some(hash) = &self.hash {
            text += &format!(" (v{} · {hash})", self.version);
        }
        for (i, fact) in self.facts.iter().enumerate() {
            text += if i == 0 { "\n" } else { " · " };
            text += fact;
        }
        for field in self.fields.iter().filter(|field| !field.text.is_empty()) {
            text += &format!("\n{}: {}", field.label, field.text);
        }
        for item in &self.items {
            text += &format!("\n{}: {}", item.label, item.title);
            if !item.state.is_empty() {
                text += &format!(" · {}", item.state);
            }
            if let Some(link) = &item.link {
                text += &format!(" → {link}");
            }
            for field in item.details() {
                text += &format!("\n  {}: {}", field.label, field.text);
            }
            for error in item.wrong() {
                text += &format!("\n  ✗ {}", error.told());
            }
        }
        for error in &self.errors {
            text += &format!("\n✗ {}", error.told());
        }
        if let Some(link) = &self.link {
            text += "\n";
            text += link;
        }
        text
    }
}
