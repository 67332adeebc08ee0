//! The labels that types and texts name, looked up among those of a team and of its workspace. None is created.

use serde::Deserialize;
use serde_json::json;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{FieldFault, TrackerFault};
use throughline_engine::data::ticket::{Item, Part};

use super::config::LinearProject;
use super::issue::{Id, List, RawTeam, is_same, told};
use super::{LinearSite, form, queries};
use crate::common_checks::wrong;

/// A label, or a group of labels.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawLabel {
    id: String,
    name: String,
    is_group: bool,
    /// Its team; none if it is the workspace's.
    team: Option<Id>,
    /// Its group. An issue has one label of a group at most.
    parent: Option<Id>,
}

/// The labels of an issue to create.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Labels<'a> {
    /// The ids of those that there are.
    pub(super) ids: Vec<String>,
    /// The names of the others.
    pub(super) left: Vec<&'a str>,
}

impl LinearSite {
    /// The labels of an item. Inside, the fault of a type whose label is missing: without it, nobody would know the type
    /// again.
    pub(super) async fn labels<'a, T>(
        &self,
        settings: &'a LinearProject,
        team: &RawTeam,
        item: &'a Item,
    ) -> Result<Result<Labels<'a>, FieldFault>, Attempt<T>> {
        let (of_type, named) = (settings.type_label(item.item_type), form::labels(item).collect::<Vec<_>>());
        let known = self.known_labels(team, of_type.into_iter().chain(named.iter().copied())).await?;
        Ok(choose(of_type, &named, &known).map_err(|missing| {
            let fault = TrackerFault::NoValue { part: Part::Labels, value: missing, known: Vec::new() };
            wrong(item, "check.value", Part::Labels.as_str(), fault)
        }))
    }

    /// True if there is a label with this name.
    pub(super) async fn has_label<T>(&self, team: &RawTeam, name: &str) -> Result<bool, Attempt<T>> {
        let known = self.known_labels(team, [name].into_iter()).await?;
        Ok(choose(Some(name), &[], &known).is_ok())
    }

    /// The labels with these names, the team's before those of the workspace.
    async fn known_labels<T>(
        &self,
        team: &RawTeam,
        names: impl Iterator<Item = &str>,
    ) -> Result<Vec<RawLabel>, Attempt<T>> {
        let names: Vec<_> = names.map(|name| json!({"name": {"eqIgnoreCase": name}})).collect();
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let places = [json!({"team": {"null": true}}), json!({"team": {"id": {"eq": team.id}}})];
        let filter = json!({"and": [{"or": places}, {"or": names}]});
        let answer = self.client.ask(&queries::LABELS, json!({"filter": filter})).await.done()?;
        let mut known: List<RawLabel> = told(answer, "issueLabels")?;
        known.nodes.sort_by_key(|label| label.team.is_none());
        Ok(known.nodes)
    }
}

/// Chooses among known labels. Of a group, the first one that is named is taken, that of the type before others.
///
/// # Errors
/// There is no label of the type; the name of it.
fn choose<'a>(of_type: Option<&'a str>, named: &[&'a str], known: &[RawLabel]) -> Result<Labels<'a>, String> {
    let mut taken: Vec<&RawLabel> = Vec::new();
    let mut found = Labels::default();
    for name in of_type.into_iter().chain(named.iter().copied()) {
        let label = known.iter().find(|label| !label.is_group && is_same(&label.name, name));
        let Some(label) = label else {
            if of_type == Some(name) {
                return Err(name.to_owned());
            }
            found.left.push(name);
            continue;
        };
        let same_group = |one: &&RawLabel| one.parent.is_some() && one.parent == label.parent;
        if taken.iter().any(|one| one.id == label.id) {
            continue;
        }
        if taken.iter().any(same_group) {
            found.left.push(name);
            continue;
        }
        taken.push(label);
    }
    found.ids = taken.into_iter().map(|label| label.id.clone()).collect();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(id: &str, name: &str, group: Option<&str>) -> RawLabel {
        let parent = group.map(|id| Id { id: id.into() });
        RawLabel { id: id.into(), name: name.into(), is_group: false, team: None, parent }
    }

    #[test]
    fn labels_are_chosen_by_name() {
        let known = [
            label("1", "Bug", Some("kind")),
            label("2", "Feature", Some("kind")),
            label("3", "sso", None),
            RawLabel { is_group: true, ..label("kind", "Kind", None) },
        ];
        type Case =
            (Option<&'static str>, &'static [&'static str], &'static [&'static str], &'static [&'static str]);
        let table: [Case; 5] = [
            (Some("bug"), &["SSO", "bug", "web"], &["1", "3"], &["web"]),
            (Some("bug"), &["feature"], &["1"], &["feature"]),
            (None, &["feature", "bug"], &["2"], &["bug"]),
            (None, &["kind"], &[], &["kind"]),
            (None, &[], &[], &[]),
        ];
        for (of_type, named, ids, left) in table {
            let found = choose(of_type, named, &known).unwrap();
            assert_eq!(
                (found.ids, found.left),
                (ids.iter().map(|id| (*id).to_owned()).collect(), left.to_vec())
            );
        }
        assert_eq!(choose(Some("epic"), &["sso"], &known), Err("epic".into()));
        assert_eq!(choose(Some("kind"), &[], &known), Err("kind".into()), "a group is no label");
    }
}
