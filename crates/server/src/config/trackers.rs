//! Settings of `projects`, `jira`, `github`, `linear`, `redmine` and `destinations`: which tracker a project is in, and how
//! that is reached.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use throughline_engine::Policy;
use throughline_engine::data::policy::destination::Destination;
use throughline_trackers::github::GithubProject;
use throughline_trackers::jira::{Edition, JiraProject};
use throughline_trackers::linear::LinearProject;
use throughline_trackers::local::ProjectConfig;
use throughline_trackers::redmine::{Markup, RedmineProject};
use toml::{Table, Value};

/// Name of the embedded tracker.
pub(super) const LOCAL: &str = "local";
/// Settings that projects of every tracker have.
const EVERYWHERE: [&str; 5] = ["browse", "create", "edit", "link", "hidden"];
/// Settings of projects of the embedded tracker; of others, the tracker itself says these.
const OF_LOCAL: [&str; 11] = [
    "name",
    "types",
    "disabled",
    "required",
    "required_for",
    "fields",
    "schema",
    "links",
    "child_link",
    "hierarchy",
    "archived",
];
/// Settings of projects of Jira.
const OF_JIRA: [&str; 4] = ["type_names", "part_fields", "values", "child_link"];
/// Settings of projects of GitHub.
const OF_GITHUB: [&str; 2] = ["repository", "type_labels"];
/// Settings of projects of Linear.
const OF_LINEAR: [&str; 2] = ["team", "type_labels"];
/// Settings of projects of Redmine.
const OF_REDMINE: [&str; 4] = ["identifier", "type_names", "part_fields", "values"];

/// Jira site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JiraSite {
    /// Tenant whose tickets go there.
    pub tenant: String,
    /// Address.
    pub base_url: String,
    /// Account that we use there.
    pub account: JiraAccount,
    /// File of the secret with which its webhooks are signed. Without one it cannot deliver.
    pub webhook_secret_file: Option<PathBuf>,
    /// Edition that runs there.
    pub edition: Edition,
    /// True if created issues are labelled with the id of their effect.
    pub marker: bool,
    /// True if one request may create several issues that are approved together.
    pub bulk: bool,
    /// Allows an address on this machine.
    pub allow_loopback: bool,
    /// Projects by key.
    pub projects: BTreeMap<String, JiraProject>,
}

/// Account that we use in a Jira.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JiraAccount {
    /// One with a token.
    Token {
        /// Address of the account, for an API token of Jira Cloud.
        email: Option<String>,
        /// File of the token.
        file: PathBuf,
    },
    /// That of a person who grants it to an app of Jira Cloud.
    App {
        /// Client id of the app.
        client_id: String,
        /// File of the client secret.
        client_secret_file: PathBuf,
        /// Address of the authorization server.
        auth_url: String,
        /// Address of the gateway to sites.
        api_url: String,
    },
}

impl JiraAccount {
    /// Returns the file of its secret.
    pub(super) fn secret_file(&self) -> &PathBuf {
        match self {
            Self::Token { file, .. } => file,
            Self::App { client_secret_file, .. } => client_secret_file,
        }
    }
}

/// GitHub, or a GitHub Enterprise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GithubSite {
    /// Tenant whose tickets go there.
    pub tenant: String,
    /// Address of its API.
    pub base_url: String,
    /// File of the account's token.
    pub token_file: PathBuf,
    /// File of the secret with which its webhooks are signed. Without one it cannot deliver.
    pub webhook_secret_file: Option<PathBuf>,
    /// True if created issues hold the id of their effect.
    pub marker: bool,
    /// Allows an address on this machine.
    pub allow_loopback: bool,
    /// Projects by key.
    pub projects: BTreeMap<String, GithubProject>,
}

/// Workspace of Linear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearSite {
    /// Tenant whose tickets go there.
    pub tenant: String,
    /// Address of its API.
    pub base_url: String,
    /// File of the account's key.
    pub token_file: PathBuf,
    /// Allows an address on this machine.
    pub allow_loopback: bool,
    /// Projects by key.
    pub projects: BTreeMap<String, LinearProject>,
}

/// Redmine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedmineSite {
    /// Tenant whose tickets go there.
    pub tenant: String,
    /// Address.
    pub base_url: String,
    /// File of the account's API key.
    pub token_file: PathBuf,
    /// Markup of texts there.
    pub markup: Markup,
    /// True if created issues hold the id of their effect.
    pub marker: bool,
    /// Allows an address on this machine.
    pub allow_loopback: bool,
    /// Projects by key.
    pub projects: BTreeMap<String, RedmineProject>,
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
    client_id: Option<String>,
    client_secret_file: Option<PathBuf>,
    auth_url: Option<String>,
    api_url: Option<String>,
    webhook_secret_file: Option<PathBuf>,
    #[serde(default)]
    edition: Edition,
    #[serde(default = "yes")]
    marker: bool,
    #[serde(default)]
    bulk: bool,
    #[serde(default)]
    allow_loopback: bool,
}

#[derive(Deserialize)]
pub(super) struct RawGithub {
    tenant: Option<String>,
    base_url: Option<String>,
    token_file: Option<PathBuf>,
    webhook_secret_file: Option<PathBuf>,
    #[serde(default = "yes")]
    marker: bool,
    #[serde(default)]
    allow_loopback: bool,
}

#[derive(Deserialize)]
pub(super) struct RawLinear {
    tenant: Option<String>,
    base_url: Option<String>,
    token_file: Option<PathBuf>,
    #[serde(default)]
    allow_loopback: bool,
}

#[derive(Deserialize)]
pub(super) struct RawRedmine {
    tenant: Option<String>,
    base_url: Option<String>,
    token_file: Option<PathBuf>,
    #[serde(default)]
    markup: Markup,
    #[serde(default = "yes")]
    marker: bool,
    #[serde(default)]
    allow_loopback: bool,
}

/// Tables as written in the file.
pub(super) struct RawTrackers {
    pub(super) projects: BTreeMap<String, RawProject>,
    pub(super) jira: BTreeMap<String, RawJira>,
    pub(super) github: BTreeMap<String, RawGithub>,
    pub(super) linear: BTreeMap<String, RawLinear>,
    pub(super) redmine: BTreeMap<String, RawRedmine>,
}

fn yes() -> bool {
    true
}

/// Result of checking the tables, with errors as pairs of setting and problem.
#[derive(Default)]
pub(super) struct Checked {
    pub(super) local: BTreeMap<String, ProjectConfig>,
    pub(super) jira: BTreeMap<String, JiraSite>,
    pub(super) github: BTreeMap<String, GithubSite>,
    pub(super) linear: BTreeMap<String, LinearSite>,
    pub(super) redmine: BTreeMap<String, RedmineSite>,
    /// Settings that cannot work by themselves.
    pub(super) wrong: Vec<(String, String)>,
    /// Settings that do not fit together.
    pub(super) unfit: Vec<(String, String)>,
    /// Trackers of all projects, by key.
    trackers: BTreeMap<String, String>,
}

pub(super) fn checked(raw: RawTrackers, tenant: &str) -> Checked {
    let mut found = Checked::default();
    let wrong = |name: &str, why: &str| (name.to_owned(), format!("`{name}` {why}"));
    for (name, raw) in raw.jira {
        let name = format!("jira.{name}");
        match site(raw, tenant) {
            Ok(site) => drop(found.jira.insert(name, site)),
            Err(why) => found.wrong.push(wrong(&name, why)),
        }
    }
    for (name, raw) in raw.github {
        let name = format!("github.{name}");
        match github(raw, tenant) {
            Ok(site) => drop(found.github.insert(name, site)),
            Err(why) => found.wrong.push(wrong(&name, why)),
        }
    }
    for (name, raw) in raw.linear {
        let name = format!("linear.{name}");
        match linear(raw, tenant) {
            Ok(site) => drop(found.linear.insert(name, site)),
            Err(why) => found.wrong.push(wrong(&name, why)),
        }
    }
    for (name, raw) in raw.redmine {
        let name = format!("redmine.{name}");
        match redmine(raw, tenant) {
            Ok(site) => drop(found.redmine.insert(name, site)),
            Err(why) => found.wrong.push(wrong(&name, why)),
        }
    }
    for (key, raw) in raw.projects {
        found.project(key, raw);
    }
    found
}

fn github(raw: RawGithub, tenant: &str) -> Result<GithubSite, &'static str> {
    Ok(GithubSite {
        tenant: raw.tenant.unwrap_or_else(|| tenant.to_owned()),
        base_url: raw.base_url.unwrap_or_else(|| "https://api.github.com".to_owned()),
        token_file: raw.token_file.ok_or("needs `token_file`, the file of the account's token")?,
        webhook_secret_file: raw.webhook_secret_file,
        marker: raw.marker,
        allow_loopback: raw.allow_loopback,
        projects: BTreeMap::new(),
    })
}

fn linear(raw: RawLinear, tenant: &str) -> Result<LinearSite, &'static str> {
    Ok(LinearSite {
        tenant: raw.tenant.unwrap_or_else(|| tenant.to_owned()),
        base_url: raw.base_url.unwrap_or_else(|| "https://api.linear.app".to_owned()),
        token_file: raw.token_file.ok_or("needs `token_file`, the file of the account's key")?,
        allow_loopback: raw.allow_loopback,
        projects: BTreeMap::new(),
    })
}

fn redmine(raw: RawRedmine, tenant: &str) -> Result<RedmineSite, &'static str> {
    Ok(RedmineSite {
        tenant: raw.tenant.unwrap_or_else(|| tenant.to_owned()),
        base_url: raw.base_url.ok_or("needs `base_url`, the address of the Redmine")?,
        token_file: raw.token_file.ok_or("needs `token_file`, the file of the account's API key")?,
        markup: raw.markup,
        marker: raw.marker,
        allow_loopback: raw.allow_loopback,
        projects: BTreeMap::new(),
    })
}

fn site(raw: RawJira, tenant: &str) -> Result<JiraSite, &'static str> {
    let account = account(&raw);
    if raw.bulk && !raw.marker {
        return Err(
            "cannot have `bulk` without `marker`: after a lost answer nobody could find up to 50 issues",
        );
    }
    Ok(JiraSite {
        tenant: raw.tenant.unwrap_or_else(|| tenant.to_owned()),
        base_url: raw.base_url.ok_or("needs `base_url`, the site's address")?,
        account: account?,
        webhook_secret_file: raw.webhook_secret_file,
        edition: raw.edition,
        marker: raw.marker,
        bulk: raw.bulk,
        allow_loopback: raw.allow_loopback,
        projects: BTreeMap::new(),
    })
}

fn account(raw: &RawJira) -> Result<JiraAccount, &'static str> {
    let RawJira { email, token_file, client_id, client_secret_file, auth_url, api_url, edition, .. } = raw;
    let or = |url: &Option<String>, usual: &str| url.clone().unwrap_or_else(|| usual.to_owned());
    match (token_file, client_id, client_secret_file) {
        (Some(_), None, None) if *edition == Edition::Cloud && email.is_none() => {
            Err("needs `email`, the address of the account that the API token belongs to")
        }
        (Some(_), None, None) if *edition == Edition::DataCenter && email.is_some() => Err(
            "has `email`, which is for Jira Cloud; a personal access token of Data Center is enough by itself",
        ),
        (Some(file), None, None) => Ok(JiraAccount::Token { email: email.clone(), file: file.clone() }),
        (None, Some(_), Some(_)) if *edition == Edition::DataCenter => Err(
            "has an app, which is for Jira Cloud; Data Center takes `token_file`, a personal access token",
        ),
        (None, Some(client_id), Some(client_secret_file)) => Ok(JiraAccount::App {
            client_id: client_id.clone(),
            client_secret_file: client_secret_file.clone(),
            auth_url: or(auth_url, "https://auth.atlassian.com"),
            api_url: or(api_url, "https://api.atlassian.com"),
        }),
        (None, None, None) if *edition == Edition::DataCenter => {
            Err("needs `token_file`, the file of the account's personal access token")
        }
        (None, None, None) => Err(
            "needs `email` and `token_file`, an account and the file of its API token, or `client_id` and \
             `client_secret_file` of an app",
        ),
        (Some(_), _, _) => Err("has both `token_file` and an app; one of them is the account"),
        (None, _, _) => Err("needs both `client_id` and `client_secret_file` of its app"),
    }
}

impl Checked {
    fn project(&mut self, key: String, raw: RawProject) {
        let tracker = raw.tracker.unwrap_or_else(|| LOCAL.to_owned());
        let settings = self.of_tracker(&key, &tracker, raw.settings);
        let read = if tracker == LOCAL {
            read(settings).map(|project| drop(self.local.insert(key.clone(), project)))
        } else if let Some(site) = self.jira.get_mut(&tracker) {
            read(settings).map(|project| drop(site.projects.insert(key.clone(), project)))
        } else if let Some(site) = self.github.get_mut(&tracker) {
            read(settings).map(|project| drop(site.projects.insert(key.clone(), project)))
        } else if let Some(site) = self.linear.get_mut(&tracker) {
            read(settings).map(|project| drop(site.projects.insert(key.clone(), project)))
        } else if let Some(site) = self.redmine.get_mut(&tracker) {
            read(settings).map(|project| drop(site.projects.insert(key.clone(), project)))
        } else {
            let known = self.jira.keys().chain(self.github.keys()).chain(self.linear.keys());
            let known = known.chain(self.redmine.keys()).map(String::as_str);
            let known: Vec<&str> = [LOCAL].into_iter().chain(known).collect();
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

    /// The settings that projects of this tracker have; the others are told as errors.
    fn of_tracker(&mut self, key: &str, tracker: &str, settings: Table) -> Table {
        let own: &[&str] = match tracker.split('.').next() {
            Some("jira") => &OF_JIRA,
            Some("github") => &OF_GITHUB,
            Some("linear") => &OF_LINEAR,
            Some("redmine") => &OF_REDMINE,
            _ => &OF_LOCAL,
        };
        let fits = |name: &str| own.contains(&name) || EVERYWHERE.contains(&name);
        let (fitting, foreign): (Vec<_>, Vec<_>) = settings.into_iter().partition(|(name, _)| fits(name));
        for (name, _) in foreign {
            let text = format!("`projects.{key}.{name}` is no setting of projects in {tracker}");
            self.unfit.push((format!("projects.{key}.{name}"), text));
        }
        fitting.into_iter().collect()
    }

    /// Tells of apps to whose page nobody comes back.
    pub(super) fn come_back_to(&mut self, public_url: Option<&str>) {
        let apps = self.jira.iter().filter(|(_, site)| matches!(site.account, JiraAccount::App { .. }));
        let lost = apps.filter(|_| public_url.is_none()).map(|(name, _)| {
            let text = format!(
                "people come back from Jira to `server.public_url`, which is not set; it is needed with `{name}.client_id`"
            );
            (format!("{name}.client_id"), text)
        });
        self.unfit.extend(lost);
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
