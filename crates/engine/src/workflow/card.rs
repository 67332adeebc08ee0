//! Cards are projections (`spec 06 §5.6`): what a person sees is a pure function of the record, and nothing
//! else writes a card.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use super::{About, Action, Card, CardStatus, Checks, Progress, Step};
use crate::canon::{hex, jcs, sha256};
use crate::effect::FieldError;
use crate::id::CardId;
use crate::policy::Policy;
use crate::say;
use crate::tickets::{Draft, Part};
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

/// What a person sees of a card.
#[must_use]
pub fn project(card: &Card, draft: Option<&Draft>, now: Timestamp, policy: &Policy) -> CardModel {
    let mut model = CardModel {
        id: card.id.clone(),
        step: card.step(),
        version: card.version,
        hash: None,
        title: String::new(),
        facts: Vec::new(),
        fields: Vec::new(),
        errors: Vec::new(),
        buttons: Vec::new(),
        link: None,
    };
    match &card.about {
        About::DraftPreview { checks, .. } => preview(&mut model, card, draft, checks, now, policy),
        About::ScopeGate { excerpt, .. } => gate(&mut model, card, excerpt),
        About::UncertainEffect { .. } => {
            model.title = say::uncertain_title(draft.map_or("", |d| d.part(Part::Title)), &card.status);
        }
        About::CallPreview { call, .. } => {
            model.title = say::call_title(&call.job, &card.status, now);
            call_of(&mut model, card, call, now, policy);
        }
        About::UncertainCall { call, .. } => {
            model.title = say::uncertain_call_title(&call.job, &card.status);
            call_of(&mut model, card, call, now, policy);
        }
        About::Remembered => model.title = say::REMEMBERED_CARD.into(),
    }
    model.buttons = card.actions().into_iter().map(|action| button(card, action, draft)).collect();
    model
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
    model.facts.push(format!("asked by @{}", draft.by));
    match checks {
        Checks::Running { .. } => model.facts.push("checks running".into()),
        Checks::Passed { at } => model.facts.push(format!("checks passed {}", at.told(now))),
        Checks::Failed { errors } => {
            model.facts.push("checks failed: nothing has been created".into());
            model.errors.clone_from(errors);
        }
    }
    model.facts.push(say::may_approve(policy, "tracker.create", &draft.target.to_string()));
    if let Some(end) = card.expires_at {
        model.facts.push(format!("until {}", end.told(now)));
    }
    let chars: usize = model.fields.iter().map(|field| field.text.chars().count()).sum();
    model.facts.push(format!("1 item, {chars} characters"));
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
    model.facts.push(format!("asked by @{}", card.by));
    model.facts.push(say::may_approve(policy, call.job.class(), &call.job.target()));
    if let Some(end) = card.expires_at {
        model.facts.push(format!("until {}", end.told(now)));
    }
}

fn receipt(model: &mut CardModel, result: &Progress) {
    match result {
        Progress::Created { url, .. } => model.link.clone_from(url),
        Progress::Failed { errors, .. } => model.errors.clone_from(errors),
        Progress::None
        | Progress::Working { .. }
        | Progress::Done
        | Progress::Uncertain { .. }
        | Progress::Cancelled => {}
    }
}

fn gate(model: &mut CardModel, card: &Card, excerpt: &str) {
    model.facts.push(format!("“{excerpt}”"));
    model.title = match &card.status {
        CardStatus::Open => say::GATE_QUESTION.into(),
        CardStatus::Decided { action: Action::Dismiss, .. } => say::GATE_DISMISSED.into(),
        CardStatus::Decided { action, by, .. } => format!("{}, chosen by @{}", action.label(), by.name),
        CardStatus::Superseded { .. } => say::GATE_SUPERSEDED.into(),
        CardStatus::Expired => say::GATE_EXPIRED.into(),
        CardStatus::Withdrawn => say::CARD_GONE.into(),
    };
}

fn fields(draft: &Draft) -> Vec<Field> {
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
    let payload = jcs(&draft.payload());
    hex(&sha256(&[payload.as_bytes()])[..4])
}

fn button(card: &Card, action: Action, draft: Option<&Draft>) -> Button {
    let on = match (&card.about, action) {
        (About::ScopeGate { remember, .. }, Action::Remember) => Some(*remember),
        _ => None,
    };
    let name = match draft {
        Some(draft) => {
            let verb = action.label().trim_end_matches('…');
            format!(
                "{verb}: create 1 {} in {}, version {}",
                draft.item_type.word(),
                draft.target.project,
                card.version
            )
        }
        None => match card.call() {
            Some((call, _)) => format!("{}: {} {}", action.label(), call.job.class(), call.job.name()),
            None => action.label().into(),
        },
    };
    Button { action, label: action.label().into(), name, on, token: None }
}

impl CardModel {
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
        for field in &self.fields {
            text += &format!("\n{}: {}", field.label, field.text);
        }
        for error in &self.errors {
            text += &format!("\n✗ {} ({})", error.text, error.field);
        }
        if let Some(link) = &self.link {
            text += "\n";
            text += link;
        }
        text
    }
}
