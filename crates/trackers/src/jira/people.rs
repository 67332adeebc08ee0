//! The people that texts name, looked up among those who can be given an issue of a project.

use std::collections::BTreeSet;

use throughline_engine::data::effect::Attempt;

use super::client::{Client, encoded};
use super::config::Edition;
use super::field_kind::{Mistake, People};
use super::issue::Person;
use super::metadata::read;

/// Names of people that a mistake lists at most.
const LISTED: usize = 5;

/// Looks up each text.
///
/// # Errors
/// Jira does not tell.
pub(super) async fn look_up<T>(
    client: &Client,
    edition: Edition,
    project: &str,
    texts: BTreeSet<String>,
) -> Result<People, Attempt<T>> {
    let mut found = People::new();
    for text in texts {
        let name = text.trim_start_matches('@');
        let (query, project) = (edition.person_query(), encoded(project));
        let path =
            format!("user/assignable/search?project={project}&{query}={}&maxResults=50", encoded(name));
        let people: Vec<Person> = read(client.read(&path).await.done()?)?;
        found.insert(text.clone(), choose(name, &people, edition));
    }
    Ok(found)
}

/// The one whom a name means: by id, address or full name; else the only one whom the search found by a part of it.
fn choose(name: &str, people: &[Person], edition: Edition) -> Result<String, Mistake> {
    let name = name.to_lowercase();
    let exact = |person: &&Person| {
        let address = person.email_address.to_lowercase();
        person.id(edition).to_lowercase() == name
            || person.display_name.to_lowercase() == name
            || address == name
            || address.split_once('@').is_some_and(|(local, _)| local == name)
    };
    let part = |person: &&Person| {
        let shown = person.display_name.to_lowercase();
        shown.split(|c: char| !c.is_alphanumeric()).any(|word| word == name)
    };
    let only = |fits: &dyn Fn(&&Person) -> bool| {
        let mut fitting = people.iter().filter(fits);
        fitting.next().filter(|_| fitting.next().is_none())
    };
    match only(&exact).or_else(|| only(&part)) {
        Some(person) if person.active == Some(false) => {
            Err(Mistake::NotAssignable(person.display_name.clone()))
        }
        Some(person) => Ok(person.id(edition).to_owned()),
        None => {
            let known = people.iter().take(LISTED).map(|person| person.display_name.clone()).collect();
            Err(Mistake::Nobody(name, known))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_means_one_person_or_nobody() {
        let person = |id: &str, name: &str, address: &str, active: bool| json!({"accountId": id, "displayName": name, "emailAddress": address, "active": active});
        let people: Vec<Person> = serde_json::from_value(json!([
            person("1", "Ana Maria", "ana@acme.example", true),
            person("2", "Ana", "a.silva@acme.example", true),
            person("3", "Bob Stone", "", true),
            person("4", "Bob Old", "", false),
            person("5", "Eve Left", "", false),
        ]))
        .unwrap();
        let known = || {
            vec!["Ana Maria".into(), "Ana".into(), "Bob Stone".into(), "Bob Old".into(), "Eve Left".into()]
        };
        for (name, expected) in [
            ("ana maria", Ok("1".to_owned())),
            ("a.silva", Ok("2".into())),
            ("5", Err(Mistake::NotAssignable("Eve Left".into()))),
            ("stone", Ok("3".into())),
            ("eve", Err(Mistake::NotAssignable("Eve Left".into()))),
            ("bob", Err(Mistake::Nobody("bob".into(), known()))),
            ("zoe", Err(Mistake::Nobody("zoe".into(), known()))),
        ] {
            assert_eq!(choose(name, &people, Edition::Cloud), expected, "{name}");
        }
    }
}
