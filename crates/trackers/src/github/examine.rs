//! Looks a GitHub over without creating anything: can we get in, and may we work in each repository?

use throughline_engine::data::effect::Attempt;

use super::answer::is_moved;
use super::config::GithubProject;
use super::{Github, GithubSite};
use crate::remote::{read, reason};

/// Something that was seen of a GitHub or of a project there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sign {
    /// The account that we are.
    Account {
        /// Its login.
        login: String,
    },
    /// The credentials are refused.
    Refused,
    /// No answer is as GitHub's.
    Silent {
        /// The outcome of the request.
        why: String,
    },
    /// A repository that there is not, or that the account may not see.
    NoProject {
        /// Key of the project.
        project: String,
    },
    /// A repository that has another name now.
    Moved {
        /// Key of the project.
        project: String,
    },
    /// A repository that is read-only.
    Archived {
        /// Key of the project.
        project: String,
    },
    /// A repository without issues.
    NoIssues {
        /// Key of the project.
        project: String,
    },
    /// A repository in which the account sets no labels, people and parents.
    OnlyReads {
        /// Key of the project.
        project: String,
    },
    /// A repository in which tickets can be created.
    Ready {
        /// Key of the project.
        project: String,
    },
}

impl Github {
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

impl GithubSite {
    async fn examine(&self, signs: &mut Vec<Sign>) -> Result<(), Attempt<()>> {
        // An app is nobody, and is refused.
        match self.client.read("user").await.done() {
            Ok(user) => {
                let login = user["login"].as_str().unwrap_or_default().to_owned();
                signs.push(Sign::Account { login });
            }
            Err(Attempt::Rejected { .. }) => {}
            Err(ended) => return Err(ended),
        }
        for (key, settings) in &self.config.projects {
            signs.push(self.examine_project(key, settings).await?);
        }
        Ok(())
    }

    async fn examine_project(&self, key: &str, settings: &GithubProject) -> Result<Sign, Attempt<()>> {
        let project = key.to_owned();
        let answer = self.client.read(&format!("repos/{}", settings.repository)).await;
        if is_moved(&answer) {
            return Ok(Sign::Moved { project });
        }
        let found = answer.found()?.map(read::<super::issue::RawRepository, ()>).transpose()?;
        Ok(match found {
            None => Sign::NoProject { project },
            Some(found) if found.archived => Sign::Archived { project },
            Some(found) if !found.has_issues => Sign::NoIssues { project },
            Some(found) if !found.may_sort() => Sign::OnlyReads { project },
            Some(_) => Sign::Ready { project },
        })
    }
}
