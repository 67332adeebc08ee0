//! Looks a Linear over without creating anything: can we get in, and is each team there, with its labels?

use serde_json::json;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::ticket::ItemType;

use super::config::LinearProject;
use super::{Linear, LinearSite, queries};
use crate::remote::reason;

/// Something that was seen of a Linear or of a project there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sign {
    /// The account that we are.
    Account {
        /// Its display name.
        name: String,
    },
    /// The credentials are refused.
    Refused,
    /// No answer is as Linear's.
    Silent {
        /// The outcome of the request.
        why: String,
    },
    /// A team that there is not, or that the account may not see.
    NoProject {
        /// Key of the project.
        project: String,
        /// Key of the team.
        team: String,
    },
    /// A team that takes no issues any more.
    Archived {
        /// Key of the project.
        project: String,
    },
    /// A type whose label is missing.
    NoLabel {
        /// Key of the project.
        project: String,
        /// Type.
        kind: ItemType,
        /// Name of the label.
        label: String,
    },
    /// A team in which tickets can be created.
    Ready {
        /// Key of the project.
        project: String,
    },
}

impl Linear {
    /// Looks over every workspace, by tenant.
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

impl LinearSite {
    async fn examine(&self, signs: &mut Vec<Sign>) -> Result<(), Attempt<()>> {
        let answer = self.client.ask(&queries::VIEWER, json!({})).await.done()?;
        let name = answer["viewer"]["displayName"].as_str().unwrap_or_default().to_owned();
        signs.push(Sign::Account { name });
        for (key, settings) in &self.config.projects {
            self.examine_project(key, settings, signs).await?;
        }
        Ok(())
    }

    async fn examine_project(
        &self,
        key: &str,
        settings: &LinearProject,
        signs: &mut Vec<Sign>,
    ) -> Result<(), Attempt<()>> {
        let project = key.to_owned();
        let team = match self.team(key, settings).await? {
            None => {
                signs.push(Sign::NoProject { project, team: settings.team(key).into() });
                return Ok(());
            }
            Some(team) if team.is_closed() => {
                signs.push(Sign::Archived { project });
                return Ok(());
            }
            Some(team) => team,
        };
        let mut lacks = false;
        for kind in [ItemType::Epic, ItemType::Story, ItemType::Task, ItemType::Bug] {
            let Some(label) = settings.type_label(kind) else { continue };
            if !self.has_label(&team, label).await? {
                lacks = true;
                signs.push(Sign::NoLabel { project: project.clone(), kind, label: label.into() });
            }
        }
        if !lacks {
            signs.push(Sign::Ready { project });
        }
        Ok(())
    }
}
