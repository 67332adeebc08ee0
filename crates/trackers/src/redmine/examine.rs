//! Looks a Redmine over without creating anything: can we get in, and does each project take what would be sent to it?

use throughline_engine::data::effect::Attempt;
use throughline_engine::data::ticket::ItemType;

use super::config::RedmineProject;
use super::metadata::{Account, TYPES, WANTED};
use super::{Redmine, RedmineSite};
use crate::remote::reason;

/// Something that was seen of a Redmine or of a project there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sign {
    /// The account that we are.
    Account {
        /// Its login.
        login: String,
    },
    /// The key is refused.
    Refused,
    /// REST is switched off.
    Off,
    /// No answer is as Redmine's.
    Silent {
        /// The outcome of the request.
        why: String,
    },
    /// A project that there is not, or that the account may not see.
    NoProject {
        /// Key of the project.
        project: String,
        /// Identifier there.
        identifier: String,
    },
    /// A project that is closed.
    Closed {
        /// Key of the project.
        project: String,
    },
    /// A project without issues.
    NoIssues {
        /// Key of the project.
        project: String,
    },
    /// Things that the account may not do.
    Lacks {
        /// Key of the project.
        project: String,
        /// Permissions, by their names in Redmine.
        permissions: Vec<&'static str>,
    },
    /// A type whose tracker the project does not have.
    NoTracker {
        /// Key of the project.
        project: String,
        /// Type.
        kind: ItemType,
        /// Name of the tracker.
        tracker: String,
    },
    /// A custom field that the project does not have.
    NoField {
        /// Key of the project.
        project: String,
        /// Name of the field.
        field: String,
    },
    /// A project in which tickets can be created.
    Ready {
        /// Key of the project.
        project: String,
    },
}

impl Redmine {
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
    match ended {
        // Redmine refuses everything where REST is switched off.
        Attempt::Rejected { .. } => Sign::Off,
        other => match reason(other) {
            Some(why) => Sign::Silent { why },
            None => Sign::Refused,
        },
    }
}

impl RedmineSite {
    async fn examine(&self, signs: &mut Vec<Sign>) -> Result<(), Attempt<()>> {
        let account: Account = self.account().await?;
        signs.push(Sign::Account { login: account.login.clone() });
        for (key, settings) in &self.config.projects {
            signs.extend(self.examine_project(&account, key, settings).await?);
        }
        Ok(())
    }

    async fn examine_project(
        &self,
        account: &Account,
        key: &str,
        settings: &RedmineProject,
    ) -> Result<Vec<Sign>, Attempt<()>> {
        let project = || key.to_owned();
        let found = match self.project(key, settings).await? {
            None => {
                let (project, identifier) = (project(), settings.identifier(key));
                return Ok(vec![Sign::NoProject { project, identifier }]);
            }
            Some(found) if found.is_closed() => return Ok(vec![Sign::Closed { project: project() }]),
            Some(found) if !found.has_issues() => return Ok(vec![Sign::NoIssues { project: project() }]),
            Some(found) => found,
        };
        let mut signs = Vec::new();
        let rights = self.rights(account, &found).await?;
        let permissions: Vec<_> = WANTED.into_iter().filter(|name| rights.lacks(name)).collect();
        if !permissions.is_empty() {
            signs.push(Sign::Lacks { project: project(), permissions });
        }
        let named = settings.part_fields.values().chain(settings.values.keys());
        for field in named.filter(|named| found.field(named).is_none()) {
            signs.push(Sign::NoField { project: project(), field: field.clone() });
        }
        if signs.is_empty() {
            signs.push(Sign::Ready { project: project() });
        }
        // A project need not have every type.
        for kind in TYPES.into_iter().filter(|kind| found.tracker(settings, *kind).is_none()) {
            let tracker = settings.type_name(kind).to_owned();
            signs.push(Sign::NoTracker { project: project(), kind, tracker });
        }
        Ok(signs)
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use throughline_net::{Response, TransportError};

    use super::super::answer::classify;
    use super::*;

    #[test]
    fn an_account_that_is_not_told_says_why() {
        let told = |outcome| sign(classify(outcome, SystemTime::UNIX_EPOCH).done::<()>().unwrap_err());
        let bare = |status: u16| {
            let headers = [("content-type".parse().unwrap(), "application/json".parse().unwrap())];
            Ok(Response { status, headers: headers.into_iter().collect(), body: Vec::new() })
        };
        // As Redmine 5.0 answers whatever is asked while REST is off.
        assert_eq!(told(bare(403)), Sign::Off);
        assert_eq!(told(bare(401)), Sign::Refused);
        for silent in [bare(502), Err(TransportError::NotSent("refused".into()))] {
            assert!(matches!(told(silent.clone()), Sign::Silent { .. }), "{silent:?}");
        }
    }
}
