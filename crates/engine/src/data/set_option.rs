//! One option of a list.

use crate::data::call::Risk;
use crate::data::field::{Fields, name_problem};
use crate::data::policy::limits;
use crate::text::clean::label;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation as _;

/// The role of an option in its list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OptionRole {
    /// One of several.
    #[default]
    Normal,
    /// Leaves the list.
    Exit,
    /// Rejects all of them.
    NoneOfThese,
}

impl OptionRole {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    fn is_normal(&self) -> bool {
        *self == Self::Normal
    }
}

/// Further details of an option. They distinguish two similar options, and never select one by themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Metadata {
    /// Location.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Type of thing.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Rank by recent use, 0 the most recent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recency_rank: Option<u32>,
}

impl Metadata {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Fills in missing details from `newer`.
    pub(crate) fn fill(&mut self, newer: &Self) {
        self.path = self.path.take().or_else(|| newer.path.clone());
        self.kind = self.kind.take().or_else(|| newer.kind.clone());
        self.owner = self.owner.take().or_else(|| newer.owner.clone());
        self.recency_rank = self.recency_rank.or(newer.recency_rank);
    }
}

/// One option of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetOption {
    /// Its id in the list, 1 to 128 characters.
    pub id: String,
    /// Label, 1 to 200 graphemes and at most 1,600 bytes.
    pub label: String,
    /// A second line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sublabel: Option<String>,
    /// A short mark shown beside it: "D".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub badge: Option<String>,
    /// Other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Further details.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// Properties that words may compare: a price, a rating, a day.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub fields: Fields,
    /// Role in the list.
    #[serde(default, skip_serializing_if = "OptionRole::is_normal")]
    pub role: OptionRole,
    /// True if it may be executed twice without asking.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub repeatable: bool,
    /// Opaque reference that the host runs when it is chosen, fixed at registration. Without one a text
    /// cannot choose the option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exec_ref: Option<String>,
    /// Risk of running it, as the host declares it. A choice is no approval: an option that changes something
    /// waits for one.
    #[serde(default = "reads", skip_serializing_if = "is_read")]
    pub risk: Risk,
}

impl SetOption {
    /// Creates an option that only reads, with an id and a label: nothing else names it, and it runs nothing until it has a
    /// reference.
    #[must_use]
    pub fn named(id: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            label: label.into(),
            sublabel: None,
            badge: None,
            aliases: Vec::new(),
            metadata: Metadata::default(),
            fields: Fields::new(),
            role: OptionRole::Normal,
            repeatable: true,
            exec_ref: None,
            risk: Risk::Read,
        }
    }

    /// Returns it with the reference that the host runs.
    #[must_use]
    pub fn running(self, exec_ref: impl Into<String>) -> Self {
        Self { exec_ref: Some(exec_ref.into()), ..self }
    }
}

pub(crate) fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
pub(crate) fn is_yes(repeatable: &bool) -> bool {
    *repeatable
}

pub(crate) fn reads() -> Risk {
    Risk::Read
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
pub(crate) fn is_read(risk: &Risk) -> bool {
    *risk == Risk::Read
}

impl SetOption {
    /// True if it is one of several, and no way out.
    #[must_use]
    pub fn is_normal(&self) -> bool {
        self.role == OptionRole::Normal
    }

    /// Returns the option with every text that people see as one line of what can be seen.
    pub(crate) fn in_lines(&self) -> Self {
        Self {
            label: label(&self.label),
            sublabel: self.sublabel.as_deref().map(label),
            badge: self.badge.as_deref().map(label),
            aliases: self.aliases.iter().map(|alias| label(alias)).collect(),
            fields: self.fields.iter().map(|(name, value)| (label(name), value.in_lines())).collect(),
            ..self.clone()
        }
    }

    pub(crate) fn is_valid(&self) -> bool {
        let id = (1..=limits::OPTION_ID).contains(&self.id.chars().count());
        let short = |text: &String| {
            text.len() <= limits::OPTION_LABEL_BYTES
                && text.graphemes(true).nth(limits::OPTION_LABEL).is_none()
        };
        let names = self.aliases.iter().chain(&self.sublabel).chain(&self.badge).chain(&self.exec_ref);
        let label = !self.label.trim().is_empty() && short(&self.label);
        let fields = self.fields.len() <= limits::OPTION_FIELDS
            && self
                .fields
                .iter()
                .all(|(name, value)| name_problem(name).is_none() && value.problem().is_none());
        id && label && fields && self.aliases.len() <= limits::OPTION_ALIASES && names.into_iter().all(short)
    }
}

/// Options as a set: bit `i` is option `i` of the base order. A list has at most 50.
pub(crate) type OptionMask = u64;
