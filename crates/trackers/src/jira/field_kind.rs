//! The kinds of Jira's fields, by their schema and never by their name, and a text as a value of each. Pure.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use throughline_engine::Timestamp;
use throughline_engine::data::fault::TrackerFault;
use throughline_engine::data::ticket::Part;

use super::config::Edition;
use super::metadata::{Allowed, FieldMeta};
use crate::common_checks::{MAX_BODY, several};

/// The kind of a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldKind {
    /// One line.
    Text,
    /// Paragraphs.
    Paragraphs,
    /// A number.
    Number,
    /// A day.
    Date,
    /// A day and a time.
    Moment,
    /// One of the values.
    Option,
    /// Any of the values.
    Options,
    /// One of the values, and one below it.
    Cascade,
    /// A person.
    Person,
    /// People.
    People,
    /// Words.
    Labels,
    /// The epic that an issue is under, by its key.
    EpicLink,
    /// The short name of an epic, on the boards of Data Center.
    EpicName,
    /// A sprint, by its number.
    Sprint,
    /// Something that is not written here: attachments, time tracking.
    Other,
}

/// The mistake in a text for a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mistake {
    /// No number.
    NotNumber,
    /// No day.
    NotDay,
    /// Several values where one belongs.
    NotOne(usize),
    /// A value that there is not; those there are.
    NoValue(String, Vec<String>),
    /// A value that nobody can choose any more.
    Closed(String),
    /// A person who is not known, or not the only one; the people who may be meant.
    Nobody(String, Vec<String>),
    /// A person who cannot be given an issue here.
    NotAssignable(String),
    /// A text that is too long, with its length as Jira counts it.
    Long(usize),
    /// A field that cannot be written here.
    NotWritable,
}

impl Mistake {
    /// The fault of a ticket's part.
    pub(super) fn of_part(self, part: Part, text: &str, project: &str) -> TrackerFault {
        match self {
            Self::NotNumber => TrackerFault::NotNumber { part, text: text.into() },
            Self::NotDay => TrackerFault::NotDay { part, text: text.into() },
            Self::NotOne(count) => TrackerFault::NotOne { count, part },
            Self::NoValue(value, known) => TrackerFault::NoValue { part, value, known },
            Self::Closed(value) => TrackerFault::NotOffered { part, value },
            Self::Nobody(value, known) => TrackerFault::Nobody { part, value, known },
            Self::NotAssignable(value) => TrackerFault::NotAssignable { part, value },
            Self::Long(length) => TrackerFault::TextLong { length, most: MAX_BODY },
            Self::NotWritable => TrackerFault::NoField { part, project: project.into() },
        }
    }
}

/// The people that texts name, by text: the id, or the mistake.
pub(super) type People = BTreeMap<String, Result<String, Mistake>>;

impl FieldKind {
    /// The kind by the schema of a field.
    pub(super) fn of(id: &str, schema: &Value) -> Self {
        let custom = schema["custom"].as_str().unwrap_or_default();
        match custom.rsplit_once(':').map_or("", |(_, kind)| kind) {
            "textarea" => return Self::Paragraphs,
            "cascadingselect" => return Self::Cascade,
            "gh-epic-link" => return Self::EpicLink,
            "gh-epic-label" => return Self::EpicName,
            "gh-sprint" => return Self::Sprint,
            _ => {}
        }
        let of_items = |items: &str| match items {
            "string" if id == "labels" || custom.ends_with(":labels") => Self::Labels,
            "option" | "component" | "version" | "priority" => Self::Options,
            "user" => Self::People,
            _ => Self::Other,
        };
        match schema["type"].as_str().unwrap_or_default() {
            "string" if matches!(id, "description" | "environment") => Self::Paragraphs,
            "string" => Self::Text,
            "doc" => Self::Paragraphs,
            "number" => Self::Number,
            "date" => Self::Date,
            "datetime" => Self::Moment,
            "option" | "priority" | "version" | "component" | "resolution" => Self::Option,
            "option-with-child" => Self::Cascade,
            "user" => Self::Person,
            "array" => of_items(schema["items"].as_str().unwrap_or_default()),
            _ => Self::Other,
        }
    }

    /// True if its values are people.
    pub(super) fn is_people(self) -> bool {
        matches!(self, Self::Person | Self::People)
    }
}

impl FieldMeta {
    /// True if the configuration means this field: by its id, or by its name in any case.
    pub(super) fn is(&self, named: &str) -> bool {
        self.id == named || self.name.to_lowercase() == named.to_lowercase()
    }

    /// A text as the value of this field.
    ///
    /// # Errors
    /// The field does not take it.
    pub(super) fn value(&self, text: &str, people: &People, edition: Edition) -> Result<Value, Mistake> {
        let text = text.trim();
        match self.kind {
            FieldKind::Text | FieldKind::EpicName => Ok(json!(text)),
            FieldKind::Paragraphs => match edition.too_long(text) {
                Some(length) => Err(Mistake::Long(length)),
                None => Ok(edition.text(text)),
            },
            FieldKind::Number => number(text),
            FieldKind::Date => day(text).map(|day| json!(day)),
            FieldKind::Moment => Ok(json!(moment(text)?)),
            FieldKind::Option => self.option(one(text, &self.allowed)?),
            FieldKind::Options => several(text).map(|one| self.option(one)).collect(),
            FieldKind::Cascade => cascade(text, &self.allowed),
            FieldKind::Person => person(one(text, &[])?, people, edition),
            FieldKind::People => several(text).map(|one| person(one, people, edition)).collect(),
            FieldKind::Labels => Ok(several(text).collect()),
            FieldKind::EpicLink => Ok(json!(text)),
            FieldKind::Sprint => text.parse::<u64>().map(|id| json!(id)).map_err(|_| Mistake::NotNumber),
            FieldKind::Other => Err(Mistake::NotWritable),
        }
    }

    fn option(&self, text: &str) -> Result<Value, Mistake> {
        choose(text, &self.allowed).map(|chosen| match chosen {
            Some(chosen) => json!({"id": chosen.id}),
            None => json!({"name": text}),
        })
    }
}

/// The value that a text names; `None` where any may be named.
fn choose<'a>(text: &str, allowed: &'a [Allowed]) -> Result<Option<&'a Allowed>, Mistake> {
    let open = || allowed.iter().filter(|one| one.is_open());
    if let Some(chosen) = open().find(|one| one.is(text)) {
        return Ok(Some(chosen));
    }
    if allowed.is_empty() {
        return Ok(None);
    }
    if allowed.iter().any(|one| one.is(text)) {
        return Err(Mistake::Closed(text.into()));
    }
    Err(Mistake::NoValue(text.into(), open().map(|one| one.name().to_owned()).collect()))
}

/// A text that is one value. A value may hold a comma itself.
fn one<'t>(text: &'t str, allowed: &[Allowed]) -> Result<&'t str, Mistake> {
    let count = several(text).count();
    if count > 1 && !allowed.iter().any(|one| one.is(text)) { Err(Mistake::NotOne(count)) } else { Ok(text) }
}

/// `Europe / Berlin`, or `Europe` alone.
fn cascade(text: &str, allowed: &[Allowed]) -> Result<Value, Mistake> {
    let (above, below) = match text.split_once(['/', '>']) {
        Some((above, below)) => (above.trim(), Some(below.trim())),
        None => (text, None),
    };
    let Some(above) = choose(above, allowed)? else { return Err(Mistake::NotWritable) };
    let child = below.map(|below| choose(below, &above.children)).transpose()?.flatten();
    match (child, below) {
        (Some(child), _) => Ok(json!({"id": above.id, "child": {"id": child.id}})),
        (None, None) => Ok(json!({"id": above.id})),
        (None, Some(below)) => Err(Mistake::NoValue(below.into(), Vec::new())),
    }
}

fn person(text: &str, people: &People, edition: Edition) -> Result<Value, Mistake> {
    let known = people.get(text).cloned();
    let id = known.unwrap_or_else(|| Err(Mistake::Nobody(text.into(), Vec::new())))?;
    Ok(json!({edition.person_id(): id}))
}

fn number(text: &str) -> Result<Value, Mistake> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    let whole = text.parse::<i64>().ok().map(|whole| json!(whole));
    whole.or_else(|| number.map(|number| json!(number))).ok_or(Mistake::NotNumber)
}

fn day(text: &str) -> Result<&str, Mistake> {
    let at = Timestamp::parse(&format!("{text}T00:00:00Z"));
    // A year of three digits or a day of one would be read too.
    let good = text.len() == 10 && at.is_some_and(|at| at.rfc3339().starts_with(text));
    good.then_some(text).ok_or(Mistake::NotDay)
}

/// A moment as Jira writes it; a day alone is its beginning.
fn moment(text: &str) -> Result<String, Mistake> {
    if day(text).is_ok() {
        return Ok(format!("{text}T00:00:00.000+0000"));
    }
    let at = Timestamp::parse(text).ok_or(Mistake::NotDay)?.rfc3339();
    let (seconds, _) = at.split_at_checked(19).ok_or(Mistake::NotDay)?;
    Ok(format!("{seconds}.000+0000"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(schema: Value, allowed: Value) -> FieldMeta {
        let kind = FieldKind::of("customfield_1", &schema);
        let allowed = serde_json::from_value(allowed).unwrap();
        let (id, name) = ("customfield_1".into(), "Field".into());
        FieldMeta { id, name, required: false, has_default: false, kind, allowed }
    }

    fn custom(of: &str, kind: &str, items: &str) -> Value {
        let custom = format!("com.atlassian.jira.plugin.system.customfieldtypes:{kind}");
        json!({"type": of, "items": items, "custom": custom})
    }

    #[test]
    fn every_kind_takes_what_it_is_and_nothing_else() {
        let none = json!([]);
        let teams = json!([{"id": "1", "value": "Web"}, {"id": "2", "value": "App, all"},
            {"id": "3", "value": "Old", "disabled": true}]);
        let places = json!([{"id": "1", "value": "Europe", "children": [{"id": "2", "value": "Berlin"}]}]);
        let parts = json!([{"id": "7", "name": "Search"}, {"id": "8", "name": "Login"}]);
        let select = || field(custom("option", "select", ""), teams.clone());
        let multi = || field(custom("array", "multiselect", "option"), teams.clone());
        let cascade = || field(custom("option-with-child", "cascadingselect", ""), places.clone());
        let known = |known: &[&str]| known.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let people: People = BTreeMap::from([("ana".into(), Ok("a-1".into()))]);
        let table = [
            (field(custom("string", "textfield", ""), none.clone()), " x ", Ok(json!("x"))),
            (field(custom("number", "float", ""), none.clone()), "3", Ok(json!(3))),
            (field(custom("number", "float", ""), none.clone()), "-0.5", Ok(json!(-0.5))),
            (field(custom("number", "float", ""), none.clone()), "three", Err(Mistake::NotNumber)),
            (field(custom("date", "datepicker", ""), none.clone()), "2028-02-29", Ok(json!("2028-02-29"))),
            (field(custom("date", "datepicker", ""), none.clone()), "2027-02-29", Err(Mistake::NotDay)),
            (
                field(custom("datetime", "datetime", ""), none.clone()),
                "2026-01-15",
                Ok(json!("2026-01-15T00:00:00.000+0000")),
            ),
            (
                field(custom("datetime", "datetime", ""), none.clone()),
                "2026-01-15T10:00:00Z",
                Ok(json!("2026-01-15T10:00:00.000+0000")),
            ),
            (select(), "web", Ok(json!({"id": "1"}))),
            (select(), "App, all", Ok(json!({"id": "2"}))),
            (select(), "web, app", Err(Mistake::NotOne(2))),
            (select(), "Old", Err(Mistake::Closed("Old".into()))),
            (select(), "New", Err(Mistake::NoValue("New".into(), known(&["Web", "App, all"])))),
            (multi(), "web\nWEB", Ok(json!([{"id": "1"}, {"id": "1"}]))),
            (multi(), "web, New", Err(Mistake::NoValue("New".into(), known(&["Web", "App, all"])))),
            (cascade(), "Europe / Berlin", Ok(json!({"id": "1", "child": {"id": "2"}}))),
            (cascade(), "europe", Ok(json!({"id": "1"}))),
            (cascade(), "Europe / Paris", Err(Mistake::NoValue("Paris".into(), known(&["Berlin"])))),
            (
                field(json!({"type": "array", "items": "component"}), parts),
                "search, 8",
                Ok(json!([{"id": "7"}, {"id": "8"}])),
            ),
            (field(custom("user", "userpicker", ""), none.clone()), "ana", Ok(json!({"accountId": "a-1"}))),
            (
                field(custom("user", "userpicker", ""), none.clone()),
                "eve",
                Err(Mistake::Nobody("eve".into(), Vec::new())),
            ),
            (field(custom("array", "labels", "string"), none.clone()), "a, b", Ok(json!(["a", "b"]))),
            (
                field(
                    json!({"type": "any", "custom": "com.pyxis.greenhopper.jira:gh-epic-link"}),
                    none.clone(),
                ),
                "OPS-1",
                Ok(json!("OPS-1")),
            ),
            (
                field(
                    json!({"type": "array", "items": "json", "custom": "com.pyxis.greenhopper.jira:gh-sprint"}),
                    none.clone(),
                ),
                "12",
                Ok(json!(12)),
            ),
            (field(json!({"type": "timetracking"}), none), "2h", Err(Mistake::NotWritable)),
        ];
        for (field, text, expected) in table {
            assert_eq!(field.value(text, &people, Edition::Cloud), expected, "{:?} {text}", field.kind);
        }
    }

    #[test]
    fn story_points_are_a_number_under_any_name() {
        for custom in [
            "com.atlassian.jira.plugin.system.customfieldtypes:float",
            "com.pyxis.greenhopper.jira:jsw-story-points",
        ] {
            assert_eq!(
                FieldKind::of("customfield_9", &json!({"type": "number", "custom": custom})),
                FieldKind::Number
            );
        }
        assert_eq!(FieldKind::of("labels", &json!({"type": "array", "items": "string"})), FieldKind::Labels);
        assert_eq!(FieldKind::of("description", &json!({"type": "string"})), FieldKind::Paragraphs);
    }
}
