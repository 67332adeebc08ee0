//! Card as a channel renders it.

use crate::data::action::{Action, CardStep};
use crate::data::field_error::FieldError;
use crate::data::host_act::HostRequest;
use crate::data::id::CardId;
use crate::data::ticket::Part;
use crate::data::time::Timestamp;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Content of a card for rendering.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CardModel {
    /// Card.
    pub id: CardId,
    /// Step.
    pub step: CardStep,
    /// Version.
    pub version: u32,
    /// First 8 digits of the hash of the payload to approve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Question, or result.
    pub title: String,
    /// Short lines: requester, checks, expiry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    /// Fields of the payload.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// Items of a batch, each epic before its stories.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<ItemModel>,
    /// Faults, by item and field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// Buttons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buttons: Vec<Button>,
    /// Link to the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Host's request that it is about, with its state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<HostRequest>,
    /// Kinds of the facts, for a page that sets them apart.
    #[serde(skip)]
    pub outline: Outline,
}

/// Kinds of a card's facts, by their text, and the moments that sentences of the card end with. It is known where the card
/// is projected and never stored: two cards that differ in it alone are the same card.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// Facts about the decision: who may take it, until when.
    pub decision: Vec<String>,
    /// Facts for those who look closer: the size.
    pub details: Vec<String>,
    /// Moments, each as sentences end with it and as it is.
    pub moments: Vec<(String, Timestamp)>,
}

impl PartialEq for Outline {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// One item of a card that shows several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ItemModel {
    /// Id, named by the presses of its buttons.
    pub id: String,
    /// Label: `Epic`, `Story 3`.
    pub label: String,
    /// Title.
    pub title: String,
    /// State: `needs detail`, `created AUTH-3`; empty if there is nothing to report.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub state: String,
    /// Fields of the item and of its edit form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// Faults of this item.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// Buttons of this item.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buttons: Vec<Button>,
    /// Link to the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// Field of a card and of its edit form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Name in the form.
    pub name: String,
    /// Label.
    pub label: String,
    /// Value; empty for a gap.
    pub text: String,
    /// Remark on it: that it is a gap, who left it open, who else wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Field {
    /// Creates a field without a note.
    #[must_use]
    pub fn new(name: &str, label: &str, text: impl Into<String>) -> Self {
        Self { name: name.into(), label: label.into(), text: text.into(), note: None }
    }

    /// True if a card shows it: it has a text, or is a gap that people are to see.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        !self.text.is_empty() || self.note.is_some()
    }

    /// Returns the value with its note behind it; for a gap, the note alone.
    #[must_use]
    pub fn shown_text(&self) -> Cow<'_, str> {
        match &self.note {
            None => Cow::Borrowed(&self.text),
            Some(note) if self.text.is_empty() => Cow::Owned(format!("({note})")),
            Some(note) => Cow::Owned(format!("{} ({note})", self.text)),
        }
    }
}

/// Button.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Button {
    /// Action.
    pub action: Action,
    /// Text on the button.
    pub label: String,
    /// Description of the whole action, for screen readers.
    pub name: String,
    /// State of a toggle; `None` for other buttons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
    /// Reason why it cannot be pressed now; `None` for a button that can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<String>,
    /// Token that a press sends. `None` for a blocked button, and until the runtime signs it: the engine has no keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

impl ItemModel {
    /// Returns the fields to show below the title: those that are not empty, without the title itself.
    pub fn details(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| !field.text.is_empty() && field.name != Part::Title.as_str())
    }

    /// Returns the fields to show in a message. A receipt shows none of them, because the issue holds them.
    pub fn shown(&self, card: &CardModel) -> impl Iterator<Item = &Field> {
        let receipt = card.step == CardStep::Receipt;
        self.details().filter(move |_| !receipt)
    }

    /// Returns the errors to list. An empty field is left out, because the item's state already says that it
    /// is missing.
    pub fn listed_errors(&self) -> impl Iterator<Item = &FieldError> {
        let missing =
            |error: &FieldError| self.fields.iter().any(|f| f.text.is_empty() && f.name == error.field);
        self.errors.iter().filter(move |error| !missing(error))
    }
}

impl CardModel {
    /// Adds the facts about the decision: who may take it, and until when.
    pub(crate) fn tell_decision(&mut self, who: String, until: Option<String>) {
        self.outline.decision = core::iter::once(who).chain(until).collect();
        self.facts.extend(self.outline.decision.iter().cloned());
    }

    /// Adds the size of what would be released.
    pub(crate) fn tell_size(&mut self, size: String) {
        self.outline.details.push(size.clone());
        self.facts.push(size);
    }

    /// Returns what people wrote in the card, without approvers, targets and state. A model is shown nothing
    /// else of a card (`docs/design/0016-intent-and-scope-gate.md`).
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

    /// Returns the card as plain text, as the lane stores it and as channels without cards show it.
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
        for field in self.fields.iter().filter(|field| field.is_shown()) {
            text += &format!("\n{}: {}", field.label, field.shown_text());
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
            for error in item.listed_errors() {
                text += &format!("\n  ✗ {}", error.display_text());
            }
        }
        for error in &self.errors {
            text += &format!("\n✗ {}", error.display_text());
        }
        if let Some(link) = &self.link {
            text += "\n";
            text += link;
        }
        text
    }
}
