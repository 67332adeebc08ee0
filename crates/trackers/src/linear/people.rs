//! The people that texts name, looked up in the workspace.

use serde::Deserialize;
use serde_json::json;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::TrackerFault;
use throughline_engine::data::ticket::Part;

use super::issue::{List, told};
use super::{LinearSite, queries};
use crate::remote::people::{bare, only};

/// Names of people that a mistake lists at most.
const LISTED: usize = 5;
/// Pages of people that are looked through.
const PAGES: usize = 3;

/// A person.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Person {
    pub(super) id: String,
    name: String,
    display_name: String,
    email: String,
    is_assignable: bool,
}

impl LinearSite {
    /// Looks up the person that a text means: by name, display name or address, or the only one that a part of a name fits.
    ///
    /// # Errors
    /// Linear does not tell. Inside, nobody is meant, or somebody who takes no issues.
    pub(super) async fn person<T>(&self, text: &str) -> Result<Result<String, TrackerFault>, Attempt<T>> {
        let name = text.trim().trim_start_matches('@');
        // Names have spaces where display names have dots, so what they share is the first word.
        let Some(word) = name.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()) else {
            return Ok(choose(name, &[]));
        };
        let has = json!({"containsIgnoreCase": word});
        let fits =
            [json!({"name": has}), json!({"displayName": has}), json!({"email": {"eqIgnoreCase": name}})];
        let filter = json!({"active": {"eq": true}, "or": fits});
        let (mut people, mut after): (Vec<Person>, _) = (Vec::new(), None);
        for _ in 0..PAGES {
            let variables = json!({"filter": filter, "after": after});
            let answer = self.client.ask(&queries::USERS, variables).await.done()?;
            let page: List<Person> = told(answer, "users")?;
            people.extend(page.nodes);
            after = page.page_info.next();
            if after.is_none() {
                break;
            }
        }
        Ok(choose(name, &people))
    }
}

/// The id of the one whom a name means.
fn choose(name: &str, people: &[Person]) -> Result<String, TrackerFault> {
    let wanted = bare(name);
    let exact = |person: &Person| bare(&person.display_name) == wanted;
    let address = |person: &Person| person.email.eq_ignore_ascii_case(name);
    let full = |person: &Person| bare(&person.name) == wanted;
    let part = |person: &Person| {
        let words = format!("{} {}", person.name, person.display_name).to_lowercase();
        words.split(|c: char| !c.is_alphanumeric()).any(|word| word == wanted)
    };
    let only = |fits: &dyn Fn(&Person) -> bool| only(people, fits);
    let value = || name.to_owned();
    match only(&exact).or_else(|| only(&address)).or_else(|| only(&full)).or_else(|| only(&part)) {
        Some(person) if person.is_assignable => Ok(person.id.clone()),
        Some(_) => Err(TrackerFault::NotAssignable { part: Part::Assignee, value: value() }),
        None => {
            let known = people.iter().take(LISTED).map(|person| person.display_name.clone()).collect();
            Err(TrackerFault::Nobody { part: Part::Assignee, value: value(), known })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_one_person_or_nobody() {
        let person = |display: &str, name: &str| Person {
            id: display.into(),
            name: name.into(),
            display_name: display.into(),
            email: format!("{display}@acme.example"),
            is_assignable: display != "robot",
        };
        let people = [
            person("ana.maria", "Ana Maria Sousa"),
            person("ana.silva", "Ana Silva"),
            person("bob", "Robert Stone"),
            person("robot", "Robot"),
        ];
        for (name, expected) in [
            ("Ana Maria", Some("ana.maria")),
            ("ana silva", Some("ana.silva")),
            ("ANA.SILVA@acme.example", Some("ana.silva")),
            ("silva", Some("ana.silva")),
            ("Robert Stone", Some("bob")),
            ("stone", Some("bob")),
            ("ana", None),
            ("robot", None),
            ("zoe", None),
            ("", None),
        ] {
            assert_eq!(choose(name, &people).ok().as_deref(), expected, "{name}");
        }
        let robot = choose("robot", &people).unwrap_err();
        assert!(matches!(robot, TrackerFault::NotAssignable { .. }), "{robot:?}");
    }
}
