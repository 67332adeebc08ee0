//! Looks a site over without creating anything: can we get in, may we work there, and would a ticket be taken?

use std::time::UNIX_EPOCH;

use throughline_engine::Timestamp;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::ticket::{Item, ItemType, Part};

use super::client::{encoded, now};
use super::config::JiraProject;
use super::dry_run::TYPES;
use super::field_kind::People;
use super::form::Screen;
use super::{Jira, JiraSite};
use crate::remote::reason;

/// Permissions that the work of this crate takes, as Jira names them.
const PERMISSIONS: [&str; 7] = [
    "BROWSE_PROJECTS",
    "CREATE_ISSUES",
    "EDIT_ISSUES",
    "LINK_ISSUES",
    "ASSIGN_ISSUES",
    "TRANSITION_ISSUES",
    "ADD_COMMENTS",
];

/// Something that was seen of a site or of a project there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sign {
    /// The account that we are.
    Account {
        /// Its name.
        name: String,
    },
    /// The difference of the site's clock from ours, in seconds.
    Clock {
        /// Positive if the site's is ahead.
        ahead_s: i64,
    },
    /// The site refuses the credentials.
    Refused,
    /// The site does not answer as Jira does.
    Silent {
        /// The outcome of the request.
        why: String,
    },
    /// A project that there is not, or that the account may not see.
    NoProject {
        /// Key.
        project: String,
    },
    /// A project that is closed.
    Archived {
        /// Key.
        project: String,
    },
    /// A permission that the account lacks.
    Lacks {
        /// Key of the project.
        project: String,
        /// Jira's name of the permission.
        permission: &'static str,
    },
    /// A type that a project does not offer.
    NoType {
        /// Key of the project.
        project: String,
        /// Type.
        kind: ItemType,
    },
    /// A field that a type requires, that has no default, and that no part and no setting fills.
    Unfilled {
        /// Key of the project.
        project: String,
        /// Type.
        kind: ItemType,
        /// Name of the field.
        field: String,
    },
    /// A project in which tickets can be created.
    Ready {
        /// Key.
        project: String,
        /// Types that it takes.
        kinds: Vec<ItemType>,
    },
}

impl Jira {
    /// Looks over every site, by tenant.
    pub async fn examine(&self) -> Vec<(String, Vec<Sign>)> {
        let mut found = Vec::new();
        for (tenant, site) in self.iter() {
            let mut signs = Vec::new();
            if let Err(ended) = site.examine(&mut signs).await {
                signs.push(sign(ended));
            }
            found.push((tenant.clone(), signs));
        }
        found
    }
}

fn sign(ended: Attempt<()>) -> Sign {
    match reason(ended) {
        Some(why) => Sign::Silent { why },
        None => Sign::Refused,
    }
}

impl JiraSite {
    async fn examine(&self, signs: &mut Vec<Sign>) -> Result<(), Attempt<()>> {
        let myself = self.client.read("myself").await.done()?;
        let name = myself["displayName"].as_str().unwrap_or(self.config.account());
        signs.push(Sign::Account { name: name.to_owned() });
        let server = self.client.read("serverInfo").await.done()?;
        signs.extend(server["serverTime"].as_str().and_then(ahead).map(|ahead_s| Sign::Clock { ahead_s }));
        for (key, settings) in &self.config.projects {
            self.examine_project(key, settings, signs).await?;
        }
        Ok(())
    }

    async fn examine_project(
        &self,
        key: &str,
        settings: &JiraProject,
        signs: &mut Vec<Sign>,
    ) -> Result<(), Attempt<()>> {
        let project = || key.to_owned();
        match self.client.project(key).await? {
            None => {
                signs.push(Sign::NoProject { project: project() });
                return Ok(());
            }
            Some(meta) if meta.archived => {
                signs.push(Sign::Archived { project: project() });
                return Ok(());
            }
            Some(_) => {}
        }
        let names = PERMISSIONS.join(",");
        let path = format!("mypermissions?projectKey={}&permissions={}", encoded(key), encoded(&names));
        let told = self.client.read(&path).await.done()?;
        let lacks = |name: &&&str| told["permissions"][**name]["havePermission"] != true;
        let lacking = PERMISSIONS.iter().filter(lacks);
        signs.extend(lacking.map(|permission| Sign::Lacks { project: project(), permission }));
        let mut kinds = Vec::new();
        for kind in TYPES {
            let Some(created) = self.created(key, kind, false).await? else {
                signs.push(Sign::NoType { project: project(), kind });
                continue;
            };
            let screen = self.screen(key, settings, &created);
            let unfilled = unfilled(&screen, kind);
            if unfilled.is_empty() {
                kinds.push(kind);
            }
            signs.extend(unfilled.into_iter().map(|field| Sign::Unfilled {
                project: project(),
                kind,
                field,
            }));
        }
        if !kinds.is_empty() {
            signs.push(Sign::Ready { project: project(), kinds });
        }
        Ok(())
    }
}

/// The required fields that a ticket with every part of its type would leave empty.
fn unfilled(screen: &Screen<'_>, kind: ItemType) -> Vec<String> {
    let parts = Part::ALL.into_iter().filter(|part| !part.is_value());
    let ticket = Item::alone(kind, parts.map(|part| (part, "x".to_owned())).collect());
    let faults = screen.fill(&ticket, &People::new()).err().unwrap_or_default();
    let required = faults.into_iter().filter(|fault| fault.code == "check.required");
    required.map(|fault| fault.field).filter(|field| Part::parse(field).is_none()).collect()
}

/// The seconds that a moment of the site, `2026-01-15T11:00:00.000+0100`, is ahead of now.
fn ahead(moment: &str) -> Option<i64> {
    let (time, rest) = moment.split_at_checked(19)?;
    let (sign, offset) = rest.split_at_checked(rest.find(['+', '-'])?)?.1.split_at_checked(1)?;
    let (hours, minutes) = offset.split_at_checked(2)?;
    let east =
        3_600 * hours.parse::<i64>().ok()? + 60 * minutes.trim_start_matches(':').parse::<i64>().ok()?;
    let there = Timestamp::parse(&format!("{time}Z"))?.0 / 1_000 - if sign == "-" { -east } else { east };
    let here = now().duration_since(UNIX_EPOCH).ok()?;
    Some(there - i64::try_from(here.as_secs()).ok()?)
}
