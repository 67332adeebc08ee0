//! A ticket's parts as the fields of an issue, for one type of one project. Pure.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use throughline_engine::Language;
use throughline_engine::data::fault::{FieldFault, TrackerFault};
use throughline_engine::data::ticket::{Item, Part};

use super::config::{Edition, JiraProject};
use super::field_kind::{FieldKind, Mistake, People};
use super::metadata::FieldMeta;
use crate::common_checks::{MAX_BODY, several, wrong};

/// Fields that follow from what is created, and where.
const GIVEN: [&str; 3] = ["project", "issuetype", "parent"];

/// The screen on which issues of one type are created in one project.
pub(super) struct Screen<'a> {
    /// The project's key.
    pub(super) project: &'a str,
    /// Its settings.
    pub(super) settings: &'a JiraProject,
    /// The fields there are.
    pub(super) fields: &'a [FieldMeta],
    /// Edition that runs there.
    pub(super) edition: Edition,
    /// The id of our account, where the screen wants a reporter.
    pub(super) reporter: Option<&'a str>,
}

/// The place of a part on a screen.
enum Place<'a> {
    /// A field of its own.
    Field(&'a FieldMeta),
    /// A section of the description.
    Description,
    /// A field of its own that the screen lacks.
    Missing,
}

impl<'a> Screen<'a> {
    fn field(&self, id: &str) -> Option<&'a FieldMeta> {
        self.fields.iter().find(|field| field.id == id)
    }

    fn place(&self, part: Part) -> Place<'a> {
        let set = self.settings.part_fields.get(&part);
        let found = match (set, part) {
            (Some(named), _) => self.fields.iter().find(|field| field.is(named)),
            (None, Part::Title) => self.field("summary"),
            (None, Part::Labels) => self.field("labels"),
            (None, Part::Priority) => self.field("priority"),
            (None, Part::Assignee) => self.field("assignee"),
            (None, _) if self.field("description").is_some() => return Place::Description,
            (None, _) => None,
        };
        found.map_or(Place::Missing, Place::Field)
    }

    /// The texts that name people, each once.
    pub(super) fn people(&self, item: &Item) -> BTreeSet<String> {
        let of = |field: &FieldMeta, text: &str| -> Vec<String> {
            let named: Vec<String> = several(text).map(str::to_owned).collect();
            if field.kind.is_people() { named } else { Vec::new() }
        };
        let parts = item.fields.iter().filter_map(|(part, text)| match self.place(*part) {
            Place::Field(field) => Some(of(field, text)),
            _ => None,
        });
        parts.chain(self.set().map(|(field, text)| of(field, text))).flatten().collect()
    }

    /// The fields with a value that is set for the project.
    fn set(&self) -> impl Iterator<Item = (&'a FieldMeta, &'a str)> {
        let found = |named: &str| self.fields.iter().find(|field| field.is(named));
        self.settings.values.iter().filter_map(move |(named, text)| Some((found(named)?, text.as_str())))
    }

    /// The fields of an issue from this item.
    ///
    /// # Errors
    /// Every mistake in it.
    pub(super) fn fill(&self, item: &Item, people: &People) -> Result<Map<String, Value>, Vec<FieldFault>> {
        let mut filled = Map::new();
        let mut faults = Vec::new();
        let mut description = Vec::new();
        // A field with a mistake is written all the same.
        let mut written = BTreeSet::from(GIVEN);
        for (field, text) in self.set() {
            written.insert(&field.id);
            match field.value(text, people, self.edition) {
                Ok(value) => drop(filled.insert(field.id.clone(), value)),
                Err(_) => {
                    let (name, project) = (field.name.clone(), self.project.into());
                    let fault = TrackerFault::SetValue { field: name.clone(), project, value: text.into() };
                    faults.push(wrong(item, "check.value", &name, fault));
                }
            }
        }
        for (part, text) in item.fields.iter().filter(|(_, text)| !text.trim().is_empty()) {
            match self.place(*part) {
                Place::Field(field) => {
                    written.insert(&field.id);
                    match field.value(text, people, self.edition) {
                        Ok(value) => drop(filled.insert(field.id.clone(), value)),
                        Err(mistake) => {
                            let long = matches!(mistake, Mistake::Long(_));
                            let code = if long { "check.adf" } else { "check.value" };
                            let fault = mistake.of_part(*part, text.trim(), self.project);
                            faults.push(wrong(item, code, part.as_str(), fault));
                        }
                    }
                }
                Place::Description => description.push(section(*part, text)),
                // No person wrote them, so nobody could leave them out.
                Place::Missing if *part == Part::Evidence => {}
                Place::Missing => {
                    let fault = TrackerFault::NoField { part: *part, project: self.project.into() };
                    faults.push(wrong(item, "check.field", part.as_str(), fault));
                }
            }
        }
        if !description.is_empty() {
            written.insert("description");
            let text = description.join("\n\n");
            match self.edition.too_long(&text) {
                None => drop(filled.insert("description".into(), self.edition.text(&text))),
                Some(length) => {
                    let fault = TrackerFault::TextLong { length, most: MAX_BODY };
                    faults.push(wrong(item, "check.adf", "body", fault));
                }
            }
        }
        for (id, value) in self.of_itself(item) {
            if written.insert(id) {
                filled.insert(id.to_owned(), value);
            }
        }
        let open = |field: &&FieldMeta| field.required && !field.has_default && !written.contains(&*field.id);
        faults.extend(self.fields.iter().filter(open).map(|field| self.missing(item, field)));
        if faults.is_empty() { Ok(filled) } else { Err(faults) }
    }

    /// The fields that have a value where nobody writes one: the short name of an epic, and the reporter that we are.
    fn of_itself(&self, item: &Item) -> Vec<(&'a str, Value)> {
        let title = item.title().trim();
        let epic_name = self.fields.iter().find(|field| field.kind == FieldKind::EpicName);
        let epic_name = epic_name.filter(|_| !title.is_empty()).map(|field| (&*field.id, json!(title)));
        let reporter = self.reporter.map(|id| ("reporter", json!({self.edition.person_id(): id})));
        epic_name.into_iter().chain(reporter).collect()
    }

    /// The fault of a required field that nothing fills.
    fn missing(&self, item: &Item, field: &FieldMeta) -> FieldFault {
        match self.part_of(field) {
            Some(part) => wrong(item, "check.required", part.as_str(), TrackerFault::Required { part }),
            None => {
                let (field, project) = (field.name.clone(), self.project.into());
                let name = field.clone();
                wrong(item, "check.required", &name, TrackerFault::FieldMissing { field, project })
            }
        }
    }

    /// The part that fills a field; of the description, the one that says most.
    fn part_of(&self, field: &FieldMeta) -> Option<Part> {
        let fills = |part: &Part| matches!(self.place(*part), Place::Field(own) if own.id == field.id);
        let own = Part::ALL.into_iter().find(fills);
        own.or_else(|| (field.id == "description").then_some(Part::Problem))
    }

    /// A field of Jira's as people know it: by the part that fills it, else by its name.
    pub(super) fn name(&self, id: &str) -> String {
        let Some(field) = self.field(id) else { return id.to_owned() };
        self.part_of(field).map_or_else(|| field.name.clone(), |part| part.as_str().to_owned())
    }
}

/// A section of the description.
fn section(part: Part, text: &str) -> String {
    format!("### {}\n\n{}", part.label(Language::En), text.trim())
}

/// Adds a label to the fields, if the screen has labels.
pub(super) fn label(fields: &mut Map<String, Value>, screen: &Screen<'_>, label: String) {
    if screen.field("labels").is_none() {
        return;
    }
    let labels = fields.entry("labels").or_insert_with(|| json!([]));
    if let Some(labels) = labels.as_array_mut() {
        labels.push(label.into());
    }
}

#[cfg(test)]
mod tests {
    use throughline_engine::data::ticket::ItemType;

    use super::*;

    fn field(id: &str, required: bool, kind: FieldKind) -> FieldMeta {
        let (id, name) = (id.to_owned(), format!("The {id}"));
        FieldMeta { id, name, required, has_default: false, kind, allowed: Vec::new() }
    }

    fn item(parts: &[(Part, &str)]) -> Item {
        Item::alone(ItemType::Task, parts.iter().map(|(part, text)| (*part, (*text).to_owned())).collect())
    }

    #[test]
    fn each_part_goes_to_its_field_and_the_rest_to_the_description() {
        let fields = [
            field("summary", true, FieldKind::Text),
            field("description", false, FieldKind::Paragraphs),
            field("labels", false, FieldKind::Labels),
            field("customfield_1", true, FieldKind::Text),
            field("customfield_2", true, FieldKind::Number),
        ];
        let settings = JiraProject {
            part_fields: [(Part::Risks, "the customfield_1".to_owned())].into(),
            values: [("customfield_2".to_owned(), "3".to_owned())].into(),
            ..JiraProject::default()
        };
        let screen = Screen {
            project: "OPS",
            settings: &settings,
            fields: &fields,
            edition: Edition::DataCenter,
            reporter: None,
        };
        let given = item(&[
            (Part::Title, "Log in"),
            (Part::Problem, "Nobody can"),
            (Part::Labels, "sso, web"),
            (Part::Risks, "Some"),
            (Part::Solution, "Mend it"),
        ]);
        let mut filled = screen.fill(&given, &People::new()).unwrap();
        label(&mut filled, &screen, "throughline-fx_1".into());
        assert_eq!(
            Value::Object(filled),
            json!({
                "summary": "Log in",
                "description": "h3. Problem\n\nNobody can\n\nh3. Proposed solution\n\nMend it",
                "labels": ["sso", "web", "throughline-fx_1"],
                "customfield_1": "Some",
                "customfield_2": 3,
            })
        );
        assert_eq!(screen.name("customfield_1"), "risks");
        assert_eq!(screen.name("customfield_2"), "The customfield_2");
    }

    #[test]
    fn every_mistake_is_named_at_once() {
        let fields = [
            field("summary", true, FieldKind::Text),
            field("customfield_1", true, FieldKind::Number),
            field("customfield_2", true, FieldKind::Text),
            field("customfield_3", true, FieldKind::Number),
        ];
        let settings = JiraProject {
            part_fields: [(Part::Risks, "customfield_1".to_owned())].into(),
            values: [("customfield_3".to_owned(), "x".to_owned())].into(),
            ..JiraProject::default()
        };
        let screen = Screen {
            project: "OPS",
            settings: &settings,
            fields: &fields,
            edition: Edition::Cloud,
            reporter: None,
        };
        let given = item(&[(Part::Problem, "p"), (Part::Risks, "many"), (Part::Assignee, "ana")]);
        let faults = screen.fill(&given, &People::new()).unwrap_err();
        let found: BTreeSet<(&str, &str)> =
            faults.iter().map(|fault| (fault.code.as_str(), fault.field.as_str())).collect();
        let expected = [
            ("check.field", "assignee"),
            ("check.field", "problem"),
            ("check.required", "The customfield_2"),
            ("check.required", "title"),
            ("check.value", "The customfield_3"),
            ("check.value", "risks"),
        ];
        assert_eq!(found, BTreeSet::from(expected));
    }
}
