//! Settings of `projects`, `jira` and `destinations`: which tracker a project is in, and how that is reached.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use throughline_engine::Policy;
use throughline_engine::data::policy::destination::Destination;
use throughline_trackers::jira::{Edition, JiraProject};
use throughline_trackers::local::ProjectConfig;
use toml::{Table, Value};

/// Name of the embedded tracker.
pub(super) const LOCAL: &str = "local";
/// Settings that only projects of the embedded tracker have: of others, the tracker itself says these.
const LOCAL_ONLY: [&str; 9] =
    ["name", "types", "disabled", "required", "required_for", "fields", "schema", "hierarchy", "archived"];
/// Settings that only projects of Jira have.
const JIRA_ONLY: [&str; 3] = ["type_names", "part_fields", "values"];

/// Jira site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JiraSite {
    /// Tenant whose tickets go there.
    pub tenant: String,
    /// Address.
    pub base_url: String,
    /// Address of the account, for an API token of Jira Cloud.
    pub email: Option<String>,
    /// File of the account's token.
    pub token_file: PathBuf,
    /// Edition that runs there.
    pub edition: Edition,
    /// True if created issues are labelled with the id of their effect.
    pub marker: bool,
    /// Allows an address on this machine.
    pub allow_loopback: bool,
    /// Projects by key.
    pub projects: BTreeMap<String, JiraProject>,
}

/// Project as written: its tracker, and settings that depend on which one that is.
#[derive(Deserialize)]
pub(super) struct RawProject {
    tracker: Option<String>,
    #[serde(flatten)]
    settings: Table,
}

#[derive(Deserialize)]
pub(super) struct RawJira {
    tenant: Option<String>,
    base_url: Option<String>,
    email: Option<String>,
    token_file: Option<PathBuf>,
    #[serde(default)]
    edition: Edition,
    #[serde(default = "yes")]
    marker: bool,
    #[serde(default)]
    allow_loopback: bool,
}

fn yes() -> bool {
    true
}

/// Result of checking the tables, with errors as pairs of setting and problem.
#[derive(Default)]
pub(super) struct Checked {
    pub(super) local: BTreeMap<String, ProjectConfig>,
    pub(super) jira: BTreeMap<String, JiraSite>,
    /// Settings that cannot work by themselves.
    pub(super) wrong: Vec<(String, String)>,
    /// Settings that do not fit together.
    pub(super) unfit: Vec<(String, String)>,
    /// Trackers of all projects, by key.
    trackers: BTreeMap<String, String>,
}

pub(super) fn checked(
    projects: BTreeMap<String, RawProject>,
    sites: BTreeMap<String, RawJira>,
    tenant: &str,
) -> Checked {
    let mut found = Checked::default();
    for (name, raw) in sites {
        match site(raw, tenant) {
            Ok(site) => drop(found.jira.insert(format!("jira.{name}"), site)),
            Err(why) => found.wrong.push((format!("jira.{name}"), format!("`jira.{name}` {why}"))),
        }
    }
    for (key, raw) in projects {
        found.project(key, raw);
    }
    found
}

fn site(raw: RawJira, tenant: &str) -> Result<JiraSite, &'static str> {
    let RawJira { base_url, email, token_file, edition, marker, allow_loopback, .. } = raw;
    if edition == Edition::Cloud && email.is_none() {
        return Err("needs `email`, the address of the account that the API token belongs to");
    }
    Ok(JiraSite {
        tenant: raw.tenant.unwrap_or_else(|| tenant.to_owned()),
        base_url: base_url.ok_or("needs `base_url`, the site's address")?,
        email,
        token_file: token_file.ok_or("needs `token_file`, the file of the account's token")?,
        edition,
        marker,
        allow_loopback,
        projects: BTreeMap::new(),
    })
}

impl Checked {
    fn project(&mut self, key: String, raw: RawProject) {
        let tracker = raw.tracker.unwrap_or_else(|| LOCAL.to_owned());
        let local = tracker == LOCAL;
        let (foreign, whose) =
            if local { (&JIRA_ONLY[..], "Jira") } else { (&LOCAL_ONLY[..], "the local tracker") };
        for setting in foreign.iter().filter(|setting| raw.settings.contains_key(**setting)) {
            let text = format!(
                "`projects.{key}.{setting}` is for projects of {whose}, and this one is in {tracker}"
            );
            self.unfit.push((format!("projects.{key}.{setting}"), text));
        }
        let read = if local {
            read(raw.settings).map(|project| drop(self.local.insert(key.clone(), project)))
        } else if let Some(site) = self.jira.get_mut(&tracker) {
            let settings = raw.settings.into_iter().filter(|(name, _)| !LOCAL_ONLY.contains(&name.as_str()));
            read(settings.collect()).map(|project| drop(site.projects.insert(key.clone(), project)))
        } else {
            let known = [LOCAL].into_iter().chain(self.jira.keys().map(String::as_str)).collect::<Vec<_>>();
            let text = format!(
                "`projects.{key}.tracker` is “{tracker}”; the trackers that are configured are: {}",
                known.join(", ")
            );
            self.unfit.push((format!("projects.{key}.tracker"), text));
            Ok(())
        };
        if let Err(why) = read {
            self.wrong.push((format!("projects.{key}"), format!("`projects.{key}`: {why}")));
        }
        self.trackers.insert(key, tracker);
    }

    /// Tells the policy which tracker each project is in.
    pub(super) fn set(&mut self, policy: &mut Policy, destinations: Vec<Destination>) {
        let usual = policy.project.project.clone();
        match self.trackers.get(&usual) {
            None => {
                let text = format!("tickets go to the project {usual}, which is not in `projects`");
                self.unfit.push(("policy.project.project".into(), text));
            }
            // The tracker need not be said twice.
            Some(tracker) if policy.project.tracker == LOCAL || policy.project.tracker == *tracker => {
                policy.project.tracker.clone_from(tracker);
            }
            Some(tracker) => {
                let text = format!(
                    "tickets go to {usual} in the tracker “{}”, and `projects.{usual}.tracker` is “{tracker}”",
                    policy.project.tracker
                );
                self.unfit.push(("policy.project.tracker".into(), text));
            }
        }
        for destination in &destinations {
            if !self.trackers.contains_key(&destination.project) {
                let project = &destination.project;
                let text = format!("`destinations` names the project {project}, which is not in `projects`");
                self.unfit.push(("destinations".into(), text));
            }
        }
        let elsewhere = self.trackers.iter().filter(|(_, tracker)| **tracker != policy.project.tracker);
        policy.trackers = elsewhere.map(|(key, tracker)| (key.clone(), tracker.clone())).collect();
        policy.destinations = destinations;
    }
}

fn read<T: serde::de::DeserializeOwned>(settings: Table) -> Result<T, String> {
    Value::Table(settings).try_into().map_err(|error: toml::de::Error| error.message().replace('\n', ", "))
}
