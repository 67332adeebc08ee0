//! Trackers over the network: from settings and token files to what the runtime calls; and `doctor tracker`.

pub(crate) mod hooks;
pub(crate) mod jira_apps;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use throughline_net::Key;
use throughline_trackers::github::{self, Github, GithubConfig};
use throughline_trackers::jira::{self, Credentials, Edition, Jira, JiraConfig};
use throughline_trackers::linear::{self, Linear, LinearConfig};
use throughline_trackers::redmine::{self, Redmine, RedmineConfig};
use throughline_trackers::{Limits, Tracker};

use crate::config::{Config, GithubSite, JiraAccount, JiraSite, LinearSite, RedmineSite};
use crate::finding::{Finding, State, finding};
use crate::instance::Instance;
use crate::start_error::StartError;
use jira_apps::JiraApp;

/// Seconds that a site's clock may differ from ours before that is worth a word.
const CLOCK: i64 = 60;

/// Opens the configured trackers, by name. No request is sent yet.
///
/// # Errors
/// A token file or an address cannot be used.
pub(crate) fn open(
    config: &Config,
    apps: &BTreeMap<String, JiraApp>,
) -> Result<BTreeMap<String, Arc<dyn Tracker>>, StartError> {
    let mut opened: BTreeMap<String, Arc<dyn Tracker>> = BTreeMap::new();
    for (name, site) in &config.jira {
        if let Some(jira) = open_jira(name, site, apps.get(name))? {
            opened.insert(name.clone(), Arc::new(jira));
        }
    }
    for (name, site) in &config.github {
        opened.insert(name.clone(), Arc::new(open_github(name, site)?));
    }
    for (name, site) in &config.linear {
        opened.insert(name.clone(), Arc::new(open_linear(name, site)?));
    }
    for (name, site) in &config.redmine {
        opened.insert(name.clone(), Arc::new(open_redmine(name, site)?));
    }
    Ok(opened)
}

fn cannot(name: &str) -> impl Fn(String) -> StartError {
    move |why| StartError::Tracker { name: name.to_owned(), why }
}

/// Reads the file of a secret: `what` is "a token".
fn secret(name: &str, file: &Path, what: &str) -> Result<Key, StartError> {
    let file_name = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|error| cannot(name)(format!("the file of {what}, {file_name}, cannot be read: {error}")))?;
    Key::parse(&text)
        .ok_or_else(|| cannot(name)(format!("{file_name} does not hold {what}, which is one word")))
}

/// Opens a site; nothing if it needs the grant of an app, and the store with it is not open here.
fn open_jira(name: &str, site: &JiraSite, app: Option<&JiraApp>) -> Result<Option<Jira>, StartError> {
    let credentials = match (&site.account, app) {
        (JiraAccount::Token { email, file }, _) => {
            let token = secret(name, file, "a token")?;
            match email {
                Some(email) => Credentials::ApiToken { email: email.clone(), token },
                None => Credentials::Bearer(token),
            }
        }
        (JiraAccount::App { .. }, Some(app)) => Credentials::OAuth(app.oauth.clone()),
        (JiraAccount::App { .. }, None) => return Ok(None),
    };
    let settings = JiraConfig {
        base_url: site.base_url.clone(),
        allow_loopback: site.allow_loopback,
        edition: site.edition,
        credentials,
        marker: site.marker,
        bulk: site.bulk,
        limits: Limits::default(),
        projects: site.projects.clone(),
    };
    Jira::new([(site.tenant.clone(), settings)]).map(Some).map_err(cannot(name))
}

fn open_github(name: &str, site: &GithubSite) -> Result<Github, StartError> {
    let settings = GithubConfig {
        base_url: site.base_url.clone(),
        allow_loopback: site.allow_loopback,
        token: secret(name, &site.token_file, "a token")?,
        marker: site.marker,
        limits: Limits::default(),
        projects: site.projects.clone(),
    };
    Github::new([(site.tenant.clone(), settings)]).map_err(cannot(name))
}

fn open_linear(name: &str, site: &LinearSite) -> Result<Linear, StartError> {
    let settings = LinearConfig {
        base_url: site.base_url.clone(),
        allow_loopback: site.allow_loopback,
        token: secret(name, &site.token_file, "a token")?,
        at_once: Limits::default().at_once,
        projects: site.projects.clone(),
    };
    Linear::new([(site.tenant.clone(), settings)]).map_err(cannot(name))
}

fn open_redmine(name: &str, site: &RedmineSite) -> Result<Redmine, StartError> {
    let settings = RedmineConfig {
        base_url: site.base_url.clone(),
        allow_loopback: site.allow_loopback,
        key: secret(name, &site.token_file, "a key")?,
        markup: site.markup,
        marker: site.marker,
        at_once: Limits::default().at_once,
        projects: site.projects.clone(),
    };
    Redmine::new([(site.tenant.clone(), settings)]).map_err(cannot(name))
}

/// Looks over every configured tracker, of one tenant if it is given. Returns nothing if none is over the network.
///
/// The grants of apps are in the store of the instance.
pub async fn examine(config: &Config, instance: Option<&Instance>, tenant: Option<&str>) -> Vec<Finding> {
    let mut found = Vec::new();
    let public_url = config.server.public_url.as_deref();
    let of = |its: &str| tenant.is_none_or(|tenant| tenant == its);
    for (name, site) in config.jira.iter().filter(|(_, site)| of(&site.tenant)) {
        found.extend(local(name, site.allow_loopback));
        found.push(webhook(name, site.webhook_secret_file.is_some(), public_url));
        match open_jira(name, site, instance.and_then(|instance| instance.jira_apps.get(name))) {
            Ok(Some(jira)) => {
                let signs = jira.examine().await.into_iter().flat_map(|(_, signs)| signs);
                found.extend(signs.map(|sign| of_jira(name, site, sign)));
            }
            Ok(None) => {
                let text = "works with what somebody granted its app; /console/trackers of the server says how it is";
                found.push(fine(name, text));
            }
            Err(error) => found.push(unusable(name, &error)),
        }
    }
    for (name, site) in config.github.iter().filter(|(_, site)| of(&site.tenant)) {
        found.extend(local(name, site.allow_loopback));
        found.push(webhook(name, site.webhook_secret_file.is_some(), public_url));
        match open_github(name, site) {
            Ok(github) => {
                let signs = github.examine().await.into_iter().flat_map(|(_, signs)| signs);
                found.extend(signs.map(|sign| of_github(name, &site.base_url, sign)));
            }
            Err(error) => found.push(unusable(name, &error)),
        }
    }
    for (name, site) in config.linear.iter().filter(|(_, site)| of(&site.tenant)) {
        found.extend(local(name, site.allow_loopback));
        match open_linear(name, site) {
            Ok(linear) => {
                let signs = linear.examine().await.into_iter().flat_map(|(_, signs)| signs);
                found.extend(signs.map(|sign| of_linear(name, &site.base_url, sign)));
            }
            Err(error) => found.push(unusable(name, &error)),
        }
    }
    for (name, site) in config.redmine.iter().filter(|(_, site)| of(&site.tenant)) {
        found.extend(local(name, site.allow_loopback));
        match open_redmine(name, site) {
            Ok(redmine) => {
                let signs = redmine.examine().await.into_iter().flat_map(|(_, signs)| signs);
                found.extend(signs.map(|sign| of_redmine(name, &site.base_url, sign)));
            }
            Err(error) => found.push(unusable(name, &error)),
        }
    }
    found
}

fn local(name: &str, allowed: bool) -> Option<Finding> {
    let fix = "remove allow_loopback outside of tests, unless it does run on this machine";
    let text = format!("{name} may be on this machine");
    allowed.then(|| finding("tracker address", State::Warning, text, Some(fix)))
}

/// Says where a tracker delivers what happens to issues, if it may.
fn webhook(name: &str, may: bool, public_url: Option<&str>) -> Finding {
    let (state, text, fix) = match (may, public_url) {
        (false, _) => {
            let text = format!("{name} has no webhook: a receipt stays as it was when its issue was created");
            (
                State::Ok,
                text,
                Some(
                    "set `webhook_secret_file`, and make a webhook there; the tracker's page has the clicks",
                ),
            )
        }
        (true, None) => {
            let text = format!("{name} has the secret of a webhook, and `server.public_url` is not set");
            (
                State::Warning,
                text,
                Some("set `server.public_url` to the address at which the tracker reaches this machine"),
            )
        }
        (true, Some(url)) => {
            let path = name.replacen('.', "/hooks/", 1);
            (State::Ok, format!("{name} delivers to {}/{path}", url.trim_end_matches('/')), None)
        }
    };
    finding("tracker webhook", state, text, fix)
}

fn unusable(name: &str, error: &StartError) -> Finding {
    finding(
        "tracker",
        State::Broken,
        error.to_string(),
        Some(&format!("correct {name} in the configuration")),
    )
}

fn broken(name: &str, text: &str, fix: &str) -> Finding {
    finding("tracker", State::Broken, format!("{name}: {text}"), Some(fix))
}

fn fine(name: &str, text: &str) -> Finding {
    finding("tracker", State::Ok, format!("{name}: {text}"), None)
}

/// Words a sign of GitHub, with the remedy.
fn of_github(name: &str, url: &str, sign: github::Sign) -> Finding {
    use github::Sign;
    let broken = |text: String, fix: String| broken(name, &text, &fix);
    match sign {
        Sign::Account { login } => fine(name, &format!("{url} knows us as {login}")),
        Sign::Refused => broken(
            format!("{url} refuses the token"),
            "make a new token for the account, and put it into the token file".into(),
        ),
        Sign::Silent { why } => broken(
            format!("{url} does not answer as GitHub does: {why}"),
            "check `base_url`: that of a GitHub Enterprise ends in /api/v3".into(),
        ),
        Sign::NoProject { project } => broken(
            format!("there is no repository for {project} that the account may see"),
            format!("check projects.{project}.repository, or give the token access to it"),
        ),
        Sign::Moved { project } => broken(
            format!("the repository of {project} has another name now"),
            format!("write the new name into projects.{project}.repository"),
        ),
        Sign::Archived { project } => broken(
            format!("the repository of {project} is archived"),
            "restore it on GitHub, or remove the project".into(),
        ),
        Sign::NoIssues { project } => broken(
            format!("the repository of {project} has no issues"),
            "switch them on: Settings, General, Features, Issues".into(),
        ),
        Sign::OnlyReads { project } => broken(
            format!("the account may only read in {project}: GitHub would drop labels, people and parents"),
            format!(
                "give the account the role Triage in the repository of {project}, or the token Issues: read and write"
            ),
        ),
        Sign::Ready { project } => fine(name, &format!("{project} takes tickets")),
    }
}

/// Words a sign of Linear, with the remedy.
fn of_linear(name: &str, url: &str, sign: linear::Sign) -> Finding {
    use linear::Sign;
    let broken = |text: String, fix: String| broken(name, &text, &fix);
    match sign {
        Sign::Account { name: account } => fine(name, &format!("{url} knows us as {account}")),
        Sign::Refused => broken(
            format!("{url} refuses the key"),
            "make a new API key for the account, and put it into the token file".into(),
        ),
        Sign::Silent { why } => broken(
            format!("{url} does not answer as Linear does: {why}"),
            "leave `base_url` out, unless there is something between us and Linear".into(),
        ),
        Sign::NoProject { project, team } => broken(
            format!("there is no team {team} for {project} that the account may see"),
            format!("check projects.{project}.team, or add the account to the team"),
        ),
        Sign::Archived { project } => broken(
            format!("the team of {project} takes no issues any more"),
            "restore it in Linear, or remove the project".into(),
        ),
        Sign::NoLabel { project, kind, label } => broken(
            format!("{project} has no label “{label}”, so a {} would be refused", kind.as_str()),
            format!(
                "make the label in Linear, or name another one in projects.{project}.type_labels.{}",
                kind.as_str()
            ),
        ),
        Sign::Ready { project } => fine(name, &format!("{project} takes tickets")),
    }
}

/// Words a sign of Redmine, with the remedy.
fn of_redmine(name: &str, url: &str, sign: redmine::Sign) -> Finding {
    use redmine::Sign;
    let broken = |text: String, fix: String| broken(name, &text, &fix);
    match sign {
        Sign::Account { login } => fine(name, &format!("{url} knows us as {login}")),
        Sign::Refused => broken(
            format!("{url} refuses the key"),
            "show the account's API access key there, and put it into the token file".into(),
        ),
        Sign::Off => broken(
            format!("{url} takes no requests by REST"),
            "Administration, Settings, API: Enable REST web service".into(),
        ),
        Sign::Silent { why } => broken(
            format!("{url} does not answer as Redmine does: {why}"),
            "check `base_url`: open it with /users/current.json behind it in a browser".into(),
        ),
        Sign::NoProject { project, identifier } => broken(
            format!("there is no project {identifier} for {project} that the account may see"),
            format!("check projects.{project}.identifier, or make the account a member of the project"),
        ),
        Sign::Closed { project } => broken(
            format!("the project of {project} is closed"),
            "reopen it in Redmine, or remove it here".into(),
        ),
        Sign::NoIssues { project } => broken(
            format!("the project of {project} has no issues"),
            "Settings of the project there, Project, Modules: Issue tracking".into(),
        ),
        Sign::Lacks { project, permissions } => broken(
            format!("the account lacks permissions in {project}: {}", permissions.join(", ")),
            "Administration, Roles and permissions: give them to the role that it has in the project".into(),
        ),
        Sign::NoTracker { project, kind, tracker } => {
            let text = format!(
                "{name}: {project} has no tracker “{tracker}”, so no {} can be created",
                kind.as_str()
            );
            let fix = format!(
                "add it to the project, or name another one in projects.{project}.type_names.{}",
                kind.as_str()
            );
            finding("tracker", State::Warning, text, Some(&fix))
        }
        Sign::NoField { project, field } => broken(
            format!("{project} has no custom field “{field}”"),
            format!(
                "add it to the project, or correct projects.{project}.part_fields and projects.{project}.values"
            ),
        ),
        Sign::Ready { project } => fine(name, &format!("{project} takes tickets")),
    }
}

/// Words a sign of Jira, with the remedy.
fn of_jira(name: &str, site: &JiraSite, sign: jira::Sign) -> Finding {
    use jira::Sign;
    let url = &site.base_url;
    let broken = |text: String, fix: String| broken(name, &text, &fix);
    let fine = |text: String| fine(name, &text);
    match sign {
        Sign::Account { name: account } => fine(format!("{url} knows us as {account}")),
        Sign::Clock { ahead_s } if ahead_s.abs() <= CLOCK => fine("its clock agrees with ours".into()),
        Sign::Clock { ahead_s } => {
            let fix = "set this machine's clock by NTP";
            let text = format!("{name}: its clock is {ahead_s} s ahead of ours");
            finding("tracker", State::Warning, text, Some(fix))
        }
        Sign::Refused => match site.account {
            JiraAccount::Token { .. } => {
                let token = match site.edition {
                    Edition::Cloud => "make a new API token for the account in `email`",
                    Edition::DataCenter => "signed in as its account, make a new personal access token",
                };
                broken(format!("{url} refuses the token"), format!("{token}, and put it into the token file"))
            }
            JiraAccount::App { .. } => {
                let fix = "as an administrator, open /console/trackers of the server and connect it";
                broken(format!("nobody connected the app to {url}, or it is taken no more"), fix.into())
            }
        },
        Sign::Silent { why } => {
            let fix = "check `base_url` and `edition`: open the address with /rest/api/2/serverInfo behind it in a browser; \
                       its `deploymentType` is Cloud, or Server for Data Center";
            broken(format!("{url} does not answer as Jira does: {why}"), fix.into())
        }
        Sign::NoProject { project } => {
            let fix = format!("check the key, or add the account to the people of {project}");
            broken(format!("there is no project {project} that the account may see"), fix)
        }
        Sign::Archived { project } => {
            let fix = format!("restore {project} in Jira, or remove it from `projects`");
            broken(format!("{project} is archived"), fix)
        }
        Sign::Lacks { project, permission } => {
            let fix = format!("give the account's role in {project} the permission {permission}");
            broken(format!("the account lacks {permission} in {project}"), fix)
        }
        Sign::NoType { project, kind } => {
            let text = format!("{name}: {project} has no type “{}”", kind.as_str());
            let fix = format!(
                "name the type that it is called there in projects.{project}.type_names; without one such tickets are refused"
            );
            finding("tracker", State::Warning, text, Some(&fix))
        }
        Sign::Unfilled { project, kind, field } => {
            let fix = format!(
                "set projects.{project}.values.\"{field}\", name the part that fills it in projects.{project}.part_fields, or give it a default in Jira"
            );
            broken(format!("a {} in {project} requires “{field}”, which nothing fills", kind.as_str()), fix)
        }
        Sign::Ready { project, kinds } => {
            let kinds: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
            fine(format!("{project} takes {}", kinds.join(", ")))
        }
    }
}
