//! The people that texts name, looked up among those who can be given an issue of a repository.

use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::TrackerFault;
use throughline_engine::data::ticket::Part;

use super::client::{Client, encoded};
use super::config::GithubProject;
use super::issue::Person;
use crate::remote::people::{bare, only};

/// Names of people that a mistake lists at most.
const LISTED: usize = 5;
/// Pages of people that are looked through.
const PAGES: usize = 3;

/// Looks up the login that a text means: that of somebody, or the only one that a part of it fits.
///
/// # Errors
/// GitHub does not tell. Inside, nobody is meant.
pub(super) async fn look_up<T>(
    client: &Client,
    settings: &GithubProject,
    text: &str,
) -> Result<Result<String, TrackerFault>, Attempt<T>> {
    let name = text.trim().trim_start_matches('@');
    let path = format!("repos/{}/assignees", settings.repository);
    if is_login(name) && client.read(&format!("{path}/{}", encoded(name))).await.found()?.is_some() {
        return Ok(Ok(name.to_owned()));
    }
    let mut people: Vec<Person> = Vec::new();
    let all = |more: Vec<Person>| {
        people.extend(more);
        false
    };
    client.pages(&path, PAGES, all).await?;
    Ok(choose(name, &people))
}

fn is_login(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

/// The one whom a name means: by the login, however it is spelled; else the only one with the name as a part of it.
fn choose(name: &str, people: &[Person]) -> Result<String, TrackerFault> {
    let wanted = bare(name);
    let exact = |person: &Person| bare(&person.login) == wanted;
    let part = |person: &Person| person.login.to_lowercase().split(['-', '_']).any(|word| word == wanted);
    match only(people, exact).or_else(|| only(people, part)) {
        Some(person) => Ok(person.login.clone()),
        None => {
            let known = people.iter().take(LISTED).map(|person| person.login.clone()).collect();
            Err(TrackerFault::Nobody { part: Part::Assignee, value: name.into(), known })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_one_person_or_nobody() {
        let person = |login: &str| Person { login: login.into() };
        let people = ["ana-maria", "ana-silva", "BobStone", "eve"].map(person);
        for (name, expected) in [
            ("Ana Maria", Some("ana-maria")),
            ("silva", Some("ana-silva")),
            ("bob stone", Some("BobStone")),
            ("bob", None),
            ("ana", None),
            ("zoe", None),
            ("", None),
        ] {
            assert_eq!(choose(name, &people).ok().as_deref(), expected, "{name}");
        }
    }
}
