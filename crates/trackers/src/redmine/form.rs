//! A ticket's parts as an issue: subject, tracker, custom fields and a text with a section for each other part. Pure.

use serde_json::{Map, Value, json};
use throughline_engine::data::fault::{FieldFault, TrackerFault};
use throughline_engine::data::ticket::{Item, Part};

use super::config::{Markup, RedmineProject};
use super::issue::Named;
use super::metadata::RawProject;
use super::text::{heading, inert};
use crate::common_checks::{several, wrong};
use crate::remote;
use crate::remote::form::values;

/// Names that Redmine has for fields, in the language of our account, with ours.
const FIELDS: [(&str, &str); 7] = [
    ("Subject", "title"),
    ("Assignee", "assignee"),
    ("Priority", "priority"),
    ("Parent task", "parent"),
    ("Tracker", "type"),
    ("Description", "body"),
    ("Project", "project"),
];

/// The form on which issues of a project are written.
pub(super) struct Form<'a> {
    pub(super) project: &'a str,
    pub(super) settings: &'a RedmineProject,
    pub(super) found: &'a RawProject,
    pub(super) markup: Markup,
}

/// The place of a part.
enum Place<'a> {
    /// A custom field.
    Field(&'a Named),
    /// A custom field that the project does not have.
    Missing,
    /// A field that every issue has.
    Core,
    /// A section of the text.
    Text,
}

/// The mistakes of an item by itself.
pub(super) fn faults(item: &Item) -> Vec<FieldFault> {
    remote::form::faults(item, &[(Part::Priority, 1), (Part::Assignee, 1)])
}

impl<'a> Form<'a> {
    fn place(&self, part: Part) -> Place<'a> {
        match (self.settings.part_fields.get(&part), part) {
            (Some(named), _) => self.found.field(named).map_or(Place::Missing, Place::Field),
            (None, Part::Title | Part::Priority | Part::Assignee) => Place::Core,
            (None, _) => Place::Text,
        }
    }

    /// The person that an item is given to, unless a custom field says that.
    pub(super) fn person<'i>(&self, item: &'i Item) -> Option<&'i str> {
        self.core(item, Part::Assignee)
    }

    /// The priority of an item, unless a custom field says that.
    pub(super) fn priority<'i>(&self, item: &'i Item) -> Option<&'i str> {
        self.core(item, Part::Priority)
    }

    fn core<'i>(&self, item: &'i Item, part: Part) -> Option<&'i str> {
        values(item, part).next().filter(|_| matches!(self.place(part), Place::Core))
    }

    /// The issue of an item, without its priority, people and parent.
    ///
    /// # Errors
    /// Every field and tracker that the project does not have.
    pub(super) fn fill(&self, item: &Item) -> Result<Map<String, Value>, Vec<FieldFault>> {
        let mut faults = Vec::new();
        let tracker = self.found.tracker(self.settings, item.item_type);
        if tracker.is_none() {
            let (kind, project) = (item.item_type, self.project.into());
            let fault = TrackerFault::NoType { kind, project, offered: self.found.offered(self.settings) };
            faults.push(wrong(item, "check.type", "type", fault));
        }
        let fields = self.custom_fields(item, &mut faults);
        let Some(tracker) = tracker.filter(|_| faults.is_empty()) else { return Err(faults) };
        let issue = [
            ("project_id", self.found.id.into()),
            ("tracker_id", tracker.id.into()),
            ("subject", item.title().trim().into()),
            ("description", self.description(item).into()),
            ("custom_fields", fields.into()),
        ];
        Ok(issue.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// The custom fields with their values, those of the item before those that are set for the project.
    fn custom_fields(&self, item: &Item, faults: &mut Vec<FieldFault>) -> Vec<Value> {
        let mut filled: Vec<(u64, Value)> = Vec::new();
        for (part, text) in item.fields.iter().filter(|(_, text)| !text.trim().is_empty()) {
            match self.place(*part) {
                Place::Field(field) => filled.push((field.id, value(*part, text))),
                // No person wrote them, so nobody could leave them out.
                Place::Missing if *part == Part::Evidence => {}
                Place::Missing => {
                    let fault = TrackerFault::NoField { part: *part, project: self.project.into() };
                    faults.push(wrong(item, "check.field", part.as_str(), fault));
                }
                Place::Core | Place::Text => {}
            }
        }
        for (named, value) in &self.settings.values {
            match self.found.field(named) {
                Some(field) if filled.iter().any(|(id, _)| *id == field.id) => {}
                Some(field) => filled.push((field.id, value.as_str().into())),
                None => {
                    let (field, project) = (named.clone(), self.project.into());
                    let fault = TrackerFault::SetValue { field, project, value: value.clone() };
                    faults.push(wrong(item, "check.value", named, fault));
                }
            }
        }
        filled.into_iter().map(|(id, value)| json!({"id": id, "value": value})).collect()
    }

    /// The text of an item.
    fn description(&self, item: &Item) -> String {
        let told = |part: Part, text: &str| match self.place(part) {
            Place::Text if part == Part::Labels => Some(several(text).collect::<Vec<_>>().join(", ")),
            Place::Text => Some(text.trim().to_owned()),
            Place::Field(_) | Place::Missing | Place::Core => None,
        };
        let text = remote::form::sections(item, told, |name| heading(self.markup, name));
        inert(self.markup, &text)
    }

    /// The field that a sentence of Redmine's begins with: by the part that fills it, else by its name.
    pub(super) fn name(&self, text: &str) -> String {
        if let Some(field) = self.found.field_of(text) {
            let is_it = |named: &&String| field.is(named);
            let part = self.settings.part_fields.iter().find(|(_, named)| is_it(named));
            return part.map_or_else(|| field.name.clone(), |(part, _)| part.as_str().to_owned());
        }
        core_name(text).to_owned()
    }
}

/// The value of a custom field. Labels are several where the field takes several; Redmine does not tell which ones do.
fn value(part: Part, text: &str) -> Value {
    let labels: Vec<&str> = several(text).collect();
    match part {
        Part::Labels if labels.len() > 1 => labels.into(),
        _ => text.trim().into(),
    }
}

/// The field of every issue that a sentence of Redmine's begins with, or the issue.
pub(super) fn core_name(text: &str) -> &'static str {
    let known = FIELDS.iter().find(|(name, _)| text.starts_with(name));
    known.map_or("issue", |(_, ours)| ours)
}

#[cfg(test)]
mod tests {
    use throughline_engine::data::ticket::ItemType;

    use super::*;

    fn found() -> RawProject {
        serde_json::from_value(json!({
            "id": 7, "status": 1, "trackers": [{"id": 1, "name": "Bug"}, {"id": 2, "name": "Feature"}],
            "issue_custom_fields": [{"id": 1, "name": "Component"}, {"id": 2, "name": "Found in"}],
            "enabled_modules": [{"id": 1, "name": "issue_tracking"}],
        }))
        .unwrap()
    }

    fn settings() -> RedmineProject {
        RedmineProject {
            part_fields: [(Part::Constraints, "found in".to_owned())].into(),
            values: [("Component".to_owned(), "Web".to_owned()), ("2".to_owned(), "unknown".to_owned())]
                .into(),
            ..RedmineProject::default()
        }
    }

    fn item(item_type: ItemType, parts: &[(Part, &str)]) -> Item {
        Item::alone(item_type, parts.iter().map(|(part, text)| (*part, (*text).to_owned())).collect())
    }

    #[test]
    fn each_part_has_its_place() {
        let (found, settings) = (found(), settings());
        let form = Form { project: "WEB", settings: &settings, found: &found, markup: Markup::Any };
        let given = item(
            ItemType::Bug,
            &[
                (Part::Title, " Log in "),
                (Part::Problem, "Nobody can, says @ana"),
                (Part::Constraints, "1.2"),
                (Part::Labels, "sso\nweb"),
                (Part::Priority, "High"),
                (Part::Assignee, "bob"),
                (Part::Risks, "  "),
            ],
        );
        assert_eq!(faults(&given), []);
        assert_eq!((form.priority(&given), form.person(&given)), (Some("High"), Some("bob")));
        assert_eq!(
            Value::Object(form.fill(&given).unwrap()),
            json!({
                "project_id": 7, "tracker_id": 1, "subject": "Log in",
                "description": "*Problem*\n\nNobody can, says @\u{200b}ana\n\n*Labels*\n\nsso, web",
                "custom_fields": [{"id": 2, "value": "1.2"}, {"id": 1, "value": "Web"}],
            })
        );
    }

    #[test]
    fn labels_are_several_values_of_a_field() {
        let (found, mut settings) = (found(), settings());
        settings.part_fields.insert(Part::Labels, "Component".into());
        let form = Form { project: "WEB", settings: &settings, found: &found, markup: Markup::Any };
        for (labels, expected) in [("sso, web", json!(["sso", "web"])), (" sso ", json!("sso"))] {
            let issue =
                form.fill(&item(ItemType::Bug, &[(Part::Title, "t"), (Part::Labels, labels)])).unwrap();
            assert_eq!(issue["custom_fields"][0], json!({"id": 1, "value": expected}));
            assert_eq!(issue["description"], "");
        }
    }

    #[test]
    fn a_heading_is_in_the_markup_that_is_set() {
        let (found, settings) = (found(), settings());
        let given = item(ItemType::Bug, &[(Part::Title, "t"), (Part::Problem, "p")]);
        for (markup, expected) in [
            (Markup::Any, "*Problem*\n\np"),
            (Markup::Textile, "h3. Problem\n\np"),
            (Markup::Markdown, "### Problem\n\np"),
        ] {
            let form = Form { project: "WEB", settings: &settings, found: &found, markup };
            assert_eq!(form.fill(&given).unwrap()["description"], expected);
        }
    }

    #[test]
    fn every_mistake_is_named_at_once() {
        let found = found();
        let settings = RedmineProject {
            part_fields: [(Part::Risks, "Risk notes".to_owned()), (Part::Evidence, "Proof".to_owned())]
                .into(),
            values: [("Team".to_owned(), "Payments".to_owned())].into(),
            ..RedmineProject::default()
        };
        let form = Form { project: "WEB", settings: &settings, found: &found, markup: Markup::Any };
        let given = item(
            ItemType::Epic,
            &[(Part::Title, "t"), (Part::Risks, "many"), (Part::Evidence, "https://chat.example/1")],
        );
        let faults = form.fill(&given).unwrap_err();
        let told: Vec<_> = faults.iter().map(|fault| (fault.code.as_str(), fault.field.as_str())).collect();
        assert_eq!(told, [("check.type", "type"), ("check.field", "risks"), ("check.value", "Team")]);
        let crowded = item(
            ItemType::Bug,
            &[(Part::Title, " "), (Part::Priority, "high, low"), (Part::Assignee, "ana, bob")],
        );
        let told: Vec<_> = super::faults(&crowded).into_iter().map(|fault| fault.field).collect();
        assert_eq!(told, ["title", "priority", "assignee"]);
    }

    #[test]
    fn a_refusal_is_about_the_part_that_fills_a_field() {
        let (found, settings) = (found(), settings());
        let form = Form { project: "WEB", settings: &settings, found: &found, markup: Markup::Any };
        for (text, expected) in [
            ("Found in is too long (maximum is 9 characters)", "constraints"),
            ("Component is not included in the list", "Component"),
            ("Subject cannot be blank", "title"),
            ("Parent task is invalid", "parent"),
            ("Assignee is invalid", "assignee"),
            ("Zuweisung ist nicht erlaubt", "issue"),
        ] {
            assert_eq!(form.name(text), expected, "{text}");
        }
    }
}
