//! Trackers over the network: from settings and token files to what the runtime calls; and `doctor tracker`.

use std::collections::BTreeMap;
use std::sync::Arc;

use throughline_net::Key;
use throughline_trackers::Tracker;
use throughline_trackers::jira::{Credentials, Jira, JiraConfig, Limits, Sign};

use crate::config::{Config, JiraSite};
use crate::finding::{Finding, State, finding};
use crate::start_error::StartError;

/// Seconds that a site's clock may differ from ours before that is worth a word.
const CLOCK: i64 = 60;

/// Opens the configured trackers, by name. No request is sent yet.
///
/// # Errors
/// A token file or an address cannot be used.
pub(crate) fn open(config: &Config) -> Result<BTreeMap<String, Arc<dyn Tracker>>, StartError> {
    let opened = config.jira.iter().map(|(name, site)| {
        let jira: Arc<dyn Tracker> = Arc::new(jira(name, site)?);
        Ok((name.clone(), jira))
    });
    opened.collect()
}

fn jira(name: &str, site: &JiraSite) -> Result<Jira, StartError> {
    let cannot = |why: String| StartError::Tracker { name: name.to_owned(), why };
    let file = &site.token_file;
    let text = std::fs::read_to_string(file)
        .map_err(|error| cannot(format!("the token file {} cannot be read: {error}", file.display())))?;
    let token = Key::parse(&text)
        .ok_or_else(|| cannot(format!("{} does not hold a token, which is one word", file.display())))?;
    let credentials = match &site.email {
        Some(email) => Credentials::ApiToken { email: email.clone(), token },
        None => Credentials::Bearer(token),
    };
    let settings = JiraConfig {
        base_url: site.base_url.clone(),
        allow_loopback: site.allow_loopback,
        edition: site.edition,
        credentials,
        marker: site.marker,
        limits: Limits::default(),
        projects: site.projects.clone(),
    };
    Jira::new([(site.tenant.clone(), settings)]).map_err(cannot)
}

/// Looks over every configured tracker. Returns nothing if none is over the network.
pub async fn examine(config: &Config) -> Vec<Finding> {
    let mut found = Vec::new();
    for (name, site) in &config.jira {
        if site.allow_loopback {
            let fix = "remove allow_loopback outside of tests, unless Jira does run on this machine";
            found.push(finding(
                "tracker address",
                State::Warning,
                format!("{name} may be on this machine"),
                Some(fix),
            ));
        }
        match jira(name, site) {
            Ok(jira) => {
                let signs = jira.examine().await.into_iter().flat_map(|(_, signs)| signs);
                found.extend(signs.map(|sign| told(name, &site.base_url, sign)));
            }
            Err(error) => {
                let fix = format!("correct jira.{name} in the configuration");
                found.push(finding("tracker", State::Broken, error.to_string(), Some(&fix)));
            }
        }
    }
    found
}

/// What a sign means, and what to do about it.
fn told(name: &str, url: &str, sign: Sign) -> Finding {
    let broken =
        |text: String, fix: String| finding("tracker", State::Broken, format!("{name}: {text}"), Some(&fix));
    let fine = |text: String| finding("tracker", State::Ok, format!("{name}: {text}"), None);
    match sign {
        Sign::Account { name: account } => fine(format!("{url} knows us as {account}")),
        Sign::Clock { ahead_s } if ahead_s.abs() <= CLOCK => fine("its clock agrees with ours".into()),
        Sign::Clock { ahead_s } => {
            let fix = "set this machine's clock by NTP";
            let text = format!("{name}: its clock is {ahead_s} s ahead of ours");
            finding("tracker", State::Warning, text, Some(fix))
        }
        Sign::Refused => {
            let fix = "make a new API token for the account in `email`, and put it into the token file";
            broken(format!("{url} refuses the token"), fix.into())
        }
        Sign::Silent { why } => {
            let fix = "check `base_url`: open it with /rest/api/2/serverInfo behind it in a browser";
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
