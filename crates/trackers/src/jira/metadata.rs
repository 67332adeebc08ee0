//! A project as Jira describes it: its types, and the fields of each with the values they take.

use serde::Deserialize;
use serde_json::Value;
use throughline_engine::data::effect::Attempt;

use super::client::{Client, encoded};
use super::field_kind::FieldKind;

/// Items of a page, as many as Jira gives at most.
const PAGE: usize = 200;
/// Pages that are read at most; no project has as many fields.
const PAGES: usize = 50;

/// A project.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct ProjectMeta {
    /// Its id.
    pub(super) id: String,
    /// Closed for new issues.
    #[serde(default)]
    pub(super) archived: bool,
}

/// A type that a project offers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TypeMeta {
    /// Its id.
    pub(super) id: String,
    /// Its name.
    pub(super) name: String,
    /// True for a sub-task.
    #[serde(default)]
    pub(super) subtask: bool,
    /// 1 for an epic, 0 for what it is made of. Data Center does not tell.
    #[serde(default)]
    pub(super) hierarchy_level: Option<i64>,
}

/// A field on the screen on which issues of a type are created.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FieldMeta {
    /// Its id: `summary`, `customfield_10011`.
    pub(super) id: String,
    /// Its name, in the language of our account.
    pub(super) name: String,
    /// True if it must have a value.
    pub(super) required: bool,
    /// True if Jira fills it by itself.
    pub(super) has_default: bool,
    /// The kind of its value.
    pub(super) kind: FieldKind,
    /// The values it takes; empty for any.
    pub(super) allowed: Vec<Allowed>,
}

/// A value that a field takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Allowed {
    /// Its id.
    pub(super) id: String,
    value: String,
    name: String,
    /// True if nobody can choose it any more.
    pub(super) disabled: bool,
    archived: bool,
    /// The values below it.
    pub(super) children: Vec<Allowed>,
}

impl Allowed {
    /// Its name for people.
    pub(super) fn name(&self) -> &str {
        if self.value.is_empty() { &self.name } else { &self.value }
    }

    /// True if it may be chosen.
    pub(super) fn is_open(&self) -> bool {
        !self.disabled && !self.archived
    }

    /// True if a person means it: by its name in any case, or by its id.
    pub(super) fn is(&self, text: &str) -> bool {
        self.name().to_lowercase() == text.to_lowercase() || self.id == text
    }
}

/// A field as Jira sends it. Cloud and Data Center differ in where the id is.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawField {
    #[serde(default)]
    field_id: Option<String>,
    #[serde(default)]
    key: Option<String>,
    name: String,
    #[serde(default)]
    required: bool,
    #[serde(default)]
    has_default_value: bool,
    #[serde(default)]
    schema: Value,
    #[serde(default)]
    allowed_values: Vec<Allowed>,
}

impl RawField {
    fn meta(self) -> Option<FieldMeta> {
        let id = self.field_id.or(self.key)?;
        let kind = FieldKind::of(&id, &self.schema);
        let (required, has_default) = (self.required, self.has_default_value);
        Some(FieldMeta { id, name: self.name, required, has_default, kind, allowed: self.allowed_values })
    }
}

impl Client {
    /// The project, or `None` where there is none that we may see.
    pub(super) async fn project<T>(&self, key: &str) -> Result<Option<ProjectMeta>, Attempt<T>> {
        let found = self.read(&format!("project/{}", encoded(key))).await.found()?;
        found.map(|body| read(body)).transpose()
    }

    /// The types that a project offers to us.
    pub(super) async fn types<T>(&self, project: &str) -> Result<Vec<TypeMeta>, Attempt<T>> {
        self.pages(&format!("issue/createmeta/{}/issuetypes", encoded(project)), "issueTypes").await
    }

    /// The fields of a type.
    pub(super) async fn fields<T>(&self, project: &str, kind: &str) -> Result<Vec<FieldMeta>, Attempt<T>> {
        let path = format!("issue/createmeta/{}/issuetypes/{}", encoded(project), encoded(kind));
        let raw: Vec<RawField> = self.pages(&path, "fields").await?;
        Ok(raw.into_iter().filter_map(RawField::meta).collect())
    }

    /// All items of a list that comes in pages, under `name` or, of Data Center, under `values`.
    async fn pages<I, T>(&self, path: &str, name: &str) -> Result<Vec<I>, Attempt<T>>
    where
        I: serde::de::DeserializeOwned,
    {
        let mut all = Vec::new();
        for _ in 0..PAGES {
            let at = all.len();
            let mut body = self.read(&format!("{path}?startAt={at}&maxResults={PAGE}")).await.done()?;
            let member = if body[name].is_array() { name } else { "values" };
            let page: Vec<I> = read(body[member].take())?;
            let total = body["total"].as_u64().and_then(|total| usize::try_from(total).ok());
            let last = page.is_empty() || body["isLast"] == true;
            all.extend(page);
            if last || total.is_some_and(|total| all.len() >= total) {
                break;
            }
        }
        Ok(all)
    }
}

/// Reads an answer of Jira.
///
/// # Errors
/// It has another form: what Jira says is not known.
pub(super) fn read<I: serde::de::DeserializeOwned, T>(body: Value) -> Result<I, Attempt<T>> {
    serde_json::from_value(body).map_err(|error| {
        tracing::warn!(%error, "an answer of Jira has an unknown form");
        let why = throughline_engine::data::fault::TrackerFault::Failed { status: 200 };
        Attempt::Unknown { why: why.into() }
    })
}
