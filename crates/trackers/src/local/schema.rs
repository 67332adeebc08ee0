//! The rules of single fields: the kind of value and the values allowed (`check.value`).

use serde::{Deserialize, Serialize};
use throughline_engine::Timestamp;
use throughline_engine::data::fault::TrackerFault;
use throughline_engine::data::ticket::Part;

use crate::common_checks::several;

/// The rule of one field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FieldRule {
    /// The kind of value.
    pub kind: FieldKind,
    /// The values of `option`, `options` and `user`; empty for any.
    pub values: Vec<String>,
    /// The values that cannot be chosen any more: a switched off option, a person who cannot be assigned.
    pub closed: Vec<String>,
}

/// The kind of value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// Any text.
    #[default]
    Text,
    /// A number: `3`, `-0.5`.
    Number,
    /// A day: `2026-01-15`.
    Date,
    /// One of the values.
    Option,
    /// Any of the values, one a line or with commas between.
    Options,
    /// One of the people.
    User,
}

impl FieldKind {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Text, Self::Number, Self::Date, Self::Option, Self::Options, Self::User];

    /// Its name in the configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "number",
            Self::Date => "date",
            Self::Option => "option",
            Self::Options => "options",
            Self::User => "user",
        }
    }
}

impl FieldRule {
    /// Creates a rule with these values.
    #[must_use]
    pub fn of(kind: FieldKind, values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { kind, values: values.into_iter().map(Into::into).collect(), closed: Vec::new() }
    }

    /// The mistake in the text of this part. An empty text is no mistake: required fields are another check.
    #[must_use]
    pub fn wrong(&self, part: Part, text: &str) -> Option<TrackerFault> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        match self.kind {
            FieldKind::Text => None,
            FieldKind::Number => {
                let number = text.parse::<f64>().is_ok_and(f64::is_finite);
                (!number).then(|| TrackerFault::NotNumber { part, text: text.into() })
            }
            FieldKind::Date => {
                let at = Timestamp::parse(&format!("{text}T00:00:00Z"));
                // A year of three digits or a day of one would be read too.
                let day = text.len() == 10 && at.is_some_and(|at| at.rfc3339().starts_with(text));
                (!day).then(|| TrackerFault::NotDay { part, text: text.into() })
            }
            FieldKind::Options => several(text).find_map(|one| self.misses(part, one)),
            FieldKind::Option | FieldKind::User => {
                let values: Vec<&str> = several(text).collect();
                // A value may contain a comma itself.
                if values.len() > 1 && !has(&self.values, text) {
                    return Some(TrackerFault::NotOne { count: values.len(), part });
                }
                self.misses(part, text)
            }
        }
    }

    /// The reason this value cannot be chosen.
    fn misses(&self, part: Part, value: &str) -> Option<TrackerFault> {
        let user = self.kind == FieldKind::User;
        let value = if user { value.trim_start_matches('@') } else { value };
        if has(&self.closed, value) {
            let value = value.into();
            return Some(match user {
                true => TrackerFault::NotAssignable { part, value },
                false => TrackerFault::NotOffered { part, value },
            });
        }
        if self.values.is_empty() || has(&self.values, value) {
            return None;
        }
        let known = self.values.iter().filter(|one| !has(&self.closed, one)).cloned().collect();
        let value = value.into();
        Some(match user {
            true => TrackerFault::Nobody { part, value, known },
            false => TrackerFault::NoValue { part, value, known },
        })
    }
}

/// Compares without case, as trackers do.
fn has(values: &[String], value: &str) -> bool {
    values.iter().any(|one| one.to_lowercase() == value.to_lowercase())
}

#[cfg(test)]
mod tests {
    use throughline_engine::Language;
    use throughline_engine::data::fault::Fault;

    use super::*;

    #[test]
    fn every_kind_takes_what_it_is_and_nothing_else() {
        let closed = |rule: FieldRule| FieldRule { closed: vec!["old".into()], ..rule };
        let options = closed(FieldRule::of(FieldKind::Options, ["web", "app", "old"]));
        let option = closed(FieldRule::of(FieldKind::Option, ["low", "high", "now, or never", "old"]));
        let user = closed(FieldRule::of(FieldKind::User, ["ana", "bob", "old"]));
        let any = |kind| FieldRule { kind, ..FieldRule::default() };
        let table = [
            (any(FieldKind::Text), "anything, at all", None),
            (any(FieldKind::Number), "3", None),
            (any(FieldKind::Number), "-0.5", None),
            (any(FieldKind::Number), "3 days", Some("Risks is a number, not “3 days”")),
            (any(FieldKind::Number), "inf", Some("Risks is a number, not “inf”")),
            (any(FieldKind::Date), "2028-02-29", None),
            (any(FieldKind::Date), "2027-02-29", Some("Risks is a day like 2026-01-15, not “2027-02-29”")),
            (any(FieldKind::Date), "tomorrow", Some("Risks is a day like 2026-01-15, not “tomorrow”")),
            (any(FieldKind::Option), "whatever", None),
            (option.clone(), "HIGH", None),
            (option.clone(), "now, or never", None),
            (option.clone(), "  ", None),
            (option.clone(), "mid", Some("Risks: there is no “mid”; there is: low, high, now, or never")),
            (option.clone(), "low, high", Some("Risks takes one value, not 2")),
            (option, "Old", Some("Risks: “Old” is not offered any more")),
            (options.clone(), "web\napp", None),
            (options.clone(), "web, tv", Some("Risks: there is no “tv”; there is: web, app")),
            (options, "web, old", Some("Risks: “old” is not offered any more")),
            (user.clone(), "@ana", None),
            (user.clone(), "eve", Some("Risks: nobody is called “eve”; there is: ana, bob")),
            (user, "old", Some("Risks: “old” cannot be assigned")),
        ];
        for (rule, text, expected) in table {
            assert_eq!(
                rule.wrong(Part::Risks, text).map(|fault| Fault::from(fault).text(Language::En)).as_deref(),
                expected,
                "{:?} {text}",
                rule.kind
            );
        }
    }

    #[test]
    fn kinds_are_called_as_the_file_says() {
        for kind in FieldKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }
}
