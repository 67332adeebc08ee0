//! Webhooks of trackers: the sites that may deliver here, each with its secret.

use std::collections::BTreeMap;
use std::path::Path;

use throughline_net::Key;
use throughline_trackers::Report;
use throughline_trackers::github::{self, GithubProject};
use throughline_trackers::jira::{self, JiraProject};

use crate::config::Config;
use crate::start_error::StartError;

use super::secret;

/// A site that delivers.
pub(crate) struct Hook {
    /// The tenant whose issues are there.
    pub(crate) tenant: String,
    secret: Key,
    projects: Projects,
}

/// The projects of a site, which say how its deliveries are read.
enum Projects {
    Jira(BTreeMap<String, JiraProject>),
    Github(BTreeMap<String, GithubProject>),
}

/// Returns the sites that may deliver, by the name of their tracker: `jira.acme`.
///
/// # Errors
/// The file of a secret cannot be used.
pub(crate) fn open(config: &Config) -> Result<BTreeMap<String, Hook>, StartError> {
    let mut hooks = BTreeMap::new();
    for (name, site) in &config.jira {
        let projects = || Projects::Jira(site.projects.clone());
        hooks.extend(hook(name, &site.tenant, site.webhook_secret_file.as_deref(), projects)?);
    }
    for (name, site) in &config.github {
        let projects = || Projects::Github(site.projects.clone());
        hooks.extend(hook(name, &site.tenant, site.webhook_secret_file.as_deref(), projects)?);
    }
    Ok(hooks)
}

fn hook(
    name: &str,
    tenant: &str,
    file: Option<&Path>,
    projects: impl Fn() -> Projects,
) -> Result<Option<(String, Hook)>, StartError> {
    let Some(file) = file else { return Ok(None) };
    let secret = secret(name, file, "a secret")?;
    Ok(Some((name.to_owned(), Hook { tenant: tenant.to_owned(), secret, projects: projects() })))
}

impl Hook {
    /// Returns true if the site signed a delivery.
    pub(crate) fn signed(&self, body: &[u8], signature: &str) -> bool {
        self.secret.signed(body, signature)
    }

    /// The header with the signature.
    pub(crate) fn signature(&self) -> &'static str {
        match self.projects {
            Projects::Jira(_) => "x-hub-signature",
            Projects::Github(_) => "x-hub-signature-256",
        }
    }

    /// The header that identifies a delivery, also when it comes again.
    pub(crate) fn delivery(&self) -> &'static str {
        match self.projects {
            Projects::Jira(_) => "x-atlassian-webhook-identifier",
            Projects::Github(_) => "x-github-delivery",
        }
    }

    /// Reads a delivery; `event` is what GitHub says it is about.
    ///
    /// # Errors
    /// It is none of the site's; the text is for people.
    pub(crate) fn read(&self, event: &str, body: &[u8]) -> Result<Option<Report>, String> {
        match &self.projects {
            Projects::Jira(projects) => jira::report(body, projects),
            Projects::Github(projects) if event == "issues" => github::report(body, projects),
            Projects::Github(_) => Ok(None),
        }
    }
}
