//! The people that texts name, looked up among the members of a project.

use serde::Deserialize;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::TrackerFault;
use throughline_engine::data::ticket::Part;

use super::RedmineSite;
use super::config::RedmineProject;
use super::issue::Named;
use crate::remote::people::{bare, only};
use crate::remote::read;

/// Names of people that a mistake lists at most.
const LISTED: usize = 5;
/// Members of a page, as many as Redmine gives at most.
const PAGE: usize = 100;
/// Pages of members that are looked through.
const PAGES: usize = 5;

/// A member of a project: a person, or a group of them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Member {
    user: Option<Named>,
    #[serde(default)]
    roles: Vec<Named>,
}

impl RedmineSite {
    /// Looks up the member that a text means, by the name that Redmine shows, or the only one that a part of a name fits.
    ///
    /// # Errors
    /// Redmine does not tell. Inside, nobody is meant, or somebody whom no issue can be given to.
    pub(super) async fn person<T>(
        &self,
        project: &str,
        settings: &RedmineProject,
        text: &str,
    ) -> Result<Result<u64, TrackerFault>, Attempt<T>> {
        let name = text.trim().trim_start_matches('@');
        let members = self.members(project, settings).await?;
        let (person, roles) = match choose(name, &members) {
            Ok(member) => member,
            Err(fault) => return Ok(Err(fault)),
        };
        for role in roles {
            // A role that is not told is Redmine's to judge.
            if self.role(role.id).await?.is_none_or(|role| role.assignable) {
                return Ok(Ok(person.id));
            }
        }
        Ok(Err(TrackerFault::NotAssignable { part: Part::Assignee, value: name.into() }))
    }

    async fn members<T>(&self, project: &str, settings: &RedmineProject) -> Result<Vec<Member>, Attempt<T>> {
        let mut members: Vec<Member> = Vec::new();
        for page in 0..PAGES {
            let path = format!("projects/{}/memberships.json", settings.identifier(project));
            let path = format!("{path}?limit={PAGE}&offset={}", page * PAGE);
            let Some(mut body) = self.client.read(&path).await.found()? else { break };
            let found: Vec<Member> = read(body["memberships"].take())?;
            let last = found.len() < PAGE;
            members.extend(found);
            if last {
                break;
            }
        }
        Ok(members)
    }
}

/// The person whom a name means, with their roles.
fn choose<'a>(name: &str, members: &'a [Member]) -> Result<(&'a Named, &'a [Named]), TrackerFault> {
    let people: Vec<(&Named, &[Named])> =
        members.iter().filter_map(|member| Some((member.user.as_ref()?, &*member.roles))).collect();
    let wanted = bare(name);
    let word =
        |text: &str| text.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| word == wanted);
    let exact = only(&people, |(person, _)| bare(&person.name) == wanted);
    exact.or_else(|| only(&people, |(person, _)| word(&person.name))).copied().ok_or_else(|| {
        let known = people.iter().take(LISTED).map(|(person, _)| person.name.clone()).collect();
        TrackerFault::Nobody { part: Part::Assignee, value: name.into(), known }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_means_one_person_or_nobody() {
        let member = |id: u64, name: &str| json!({"user": {"id": id, "name": name}, "roles": [{"id": 4, "name": "D"}]});
        let members: Vec<Member> = serde_json::from_value(json!([
            member(1, "Ana Maria Sousa"), member(2, "Ana Silva"), member(3, "bob.stone"),
            {"group": {"id": 4, "name": "Testers"}, "roles": []},
        ]))
        .unwrap();
        for (name, expected) in [
            ("ana silva", Some(2)),
            ("Silva", Some(2)),
            ("sousa", Some(1)),
            ("Bob Stone", Some(3)),
            ("bob", Some(3)),
            ("ana", None),
            ("testers", None),
            ("zoe", None),
            ("", None),
        ] {
            assert_eq!(choose(name, &members).ok().map(|(person, _)| person.id), expected, "{name}");
        }
        let TrackerFault::Nobody { known, .. } = choose("zoe", &members).unwrap_err() else {
            panic!("nobody")
        };
        assert_eq!(known, ["Ana Maria Sousa", "Ana Silva", "bob.stone"]);
    }
}
