//! Issues: creating, reading, listing and changing them.

use serde_json::{Map, Value, json};

use super::FakeGithub;
use super::answer::{Answer, Outcome};
use super::body::{members, not_supplied, text, texts};
use super::state::{Issue, Role, World};
use super::wire::Asked;

/// The longest title, in characters.
const TITLE: usize = 256;
/// The longest text, in characters.
pub(super) const BODY: usize = 65_536;
/// The longest name of a label, in characters.
const LABEL: usize = 50;
/// The most people an issue can be assigned to.
const ASSIGNEES: usize = 10;

impl World {
    /// Returns the place of an issue, or the refusal: it was transferred or deleted, or there is none.
    pub(super) fn place(&self, asked: &Asked, repository: &str, number: &str) -> Result<usize, Answer> {
        let number: u64 = number.parse().map_err(|_| Answer::not_found())?;
        if let Some(at) = self.at(repository, number) {
            return Ok(at);
        }
        let was = |one: &&super::state::Former| {
            one.repository.eq_ignore_ascii_case(repository) && one.number == number
        };
        let Some(former) = self.former.iter().find(was) else { return Err(Answer::not_found()) };
        let now = former.now.and_then(|id| self.by_issue_id(id)).map(|at| &self.issues[at]);
        Err(match now {
            Some(now) => {
                let id = self.repository_id(&now.repository);
                Answer::moved(
                    asked.method == "GET",
                    format!("{}/repositories/{id}/issues/{}", self.site, now.number),
                )
            }
            None => Answer::refused(410, "This issue was deleted"),
        })
    }

    /// Refuses texts and labels that are too long.
    fn check_lengths(
        title: Option<&str>,
        body: Option<&str>,
        labels: Option<&[String]>,
    ) -> Result<(), Answer> {
        if let Some(title) = title {
            if title.trim().is_empty() {
                let error = json!([{"resource": "Issue", "code": "missing_field", "field": "title"}]);
                return Err(Answer::invalid(&error));
            }
            if title.chars().count() > TITLE {
                return Err(Answer::too_long("Issue", "title", TITLE));
            }
        }
        if body.is_some_and(|body| body.chars().count() > BODY) {
            return Err(Answer::too_long("Issue", "body", BODY));
        }
        Self::check_labels(labels.unwrap_or_default())
    }

    /// Refuses names of labels that are empty or too long.
    pub(super) fn check_labels(labels: &[String]) -> Result<(), Answer> {
        if labels.iter().any(|label| label.chars().count() > LABEL) {
            return Err(Answer::too_long("Label", "name", LABEL));
        }
        if labels.iter().any(|label| label.trim().is_empty()) {
            let error = json!([{"resource": "Label", "code": "missing_field", "field": "name"}]);
            return Err(Answer::invalid(&error));
        }
        Ok(())
    }

    /// Returns the logins as they are spelled, or refuses one to whom nothing can be assigned.
    pub(super) fn assignees(&self, repository: &str, named: &[String]) -> Result<Vec<String>, Answer> {
        let known = self.repository(repository).map(|one| self.assignable(one)).unwrap_or_default();
        let mut found = Vec::new();
        for login in named.iter().take(ASSIGNEES) {
            match known.iter().find(|one| one.eq_ignore_ascii_case(login)) {
                Some(one) => found.push((*one).to_owned()),
                None => {
                    let error = json!([{"value": login, "resource": "Issue", "field": "assignees", "code": "invalid"}]);
                    return Err(Answer::invalid(&error));
                }
            }
        }
        Ok(found)
    }

    /// Returns the labels as the repository spells them. New ones are added to it.
    pub(super) fn label(&mut self, repository: &str, named: Vec<String>) -> Vec<String> {
        let Some(repository) = self.repository_mut(repository) else { return named };
        let mut found: Vec<String> = Vec::new();
        for name in named {
            let known = repository.labels.iter().find(|one| one.eq_ignore_ascii_case(&name)).cloned();
            let name = known.unwrap_or_else(|| {
                repository.labels.push(name.clone());
                name
            });
            if !found.contains(&name) {
                found.push(name);
            }
        }
        found
    }
}

/// Returns the people that a body names, in either form.
fn people(members: &Map<String, Value>) -> Result<Option<Vec<String>>, Answer> {
    Ok(match text(members, "assignee")? {
        Some(one) => Some(vec![one]),
        None => texts(members, "assignees")?,
    })
}

/// Refuses milestones and types, of which the fake has none.
fn nothing_unknown(members: &Map<String, Value>) -> Result<(), Answer> {
    let given = |name: &&&str| members.get(**name).is_some_and(|value| !value.is_null());
    match ["milestone", "type"].iter().find(given) {
        Some(field) => {
            let value = &members[*field];
            let error = json!([{"value": value, "resource": "Issue", "field": field, "code": "invalid"}]);
            Err(Answer::invalid(&error))
        }
        None => Ok(()),
    }
}

/// Creates an issue. Labels and people are left out silently if the account may not set them.
pub(super) fn create(world: &mut World, asked: &Asked, repository: &str, now: i64) -> Outcome {
    let permitted = ["title", "body", "labels", "assignees", "assignee", "milestone", "type"];
    let members = members(&asked.body, &permitted)?;
    let title = text(members, "title")?.ok_or_else(|| not_supplied("title"))?;
    let body = text(members, "body")?.unwrap_or_default();
    let (labels, assignees) = (texts(members, "labels")?, people(members)?);
    nothing_unknown(members)?;
    World::check_lengths(Some(&title), Some(&body), labels.as_deref())?;
    let assignees = world.assignees(repository, &assignees.unwrap_or_default())?;
    let sorts = world.repository(repository).is_some_and(|one| one.allows(Role::Triage));
    let labels = if sorts { world.label(repository, labels.unwrap_or_default()) } else { Vec::new() };
    let issue = Issue {
        id: world.next_id(),
        number: world.next_number(repository),
        repository: world.repository(repository).map_or(repository, |one| &one.name).to_owned(),
        title: title.trim().to_owned(),
        body,
        labels,
        assignees: if sorts { assignees } else { Vec::new() },
        author: FakeGithub::LOGIN.into(),
        created: now,
        updated: now,
        ..Issue::default()
    };
    let shown = world.shown_issue(&issue);
    world.issues.push(issue);
    Ok(Answer::json(201, shown))
}

/// Returns an issue or a pull request.
pub(super) fn get(world: &World, asked: &Asked, repository: &str, number: &str) -> Outcome {
    let at = world.place(asked, repository, number)?;
    Ok(Answer::ok(world.shown_issue(&world.issues[at])))
}

/// Lists the issues and pull requests of a repository.
pub(super) fn list(world: &World, asked: &Asked, repository: &str) -> Outcome {
    let choice = |name: &str, usual: &'static str, known: &[&str]| {
        let chosen = asked.query(name).unwrap_or(usual);
        let unknown = || Answer::invalid(&json!([{"resource": "Issue", "field": name, "code": "invalid"}]));
        known.contains(&chosen).then(|| chosen.to_owned()).ok_or_else(unknown)
    };
    let state = choice("state", "open", &["open", "closed", "all"])?;
    let sort = choice("sort", "created", &["created", "updated", "comments"])?;
    let direction = choice("direction", "desc", &["asc", "desc"])?;
    let wanted = |issue: &&Issue| {
        issue.repository.eq_ignore_ascii_case(repository)
            && (state == "all" || issue.closed == (state == "closed"))
            && is_of(asked, issue)
    };
    let mut found: Vec<&Issue> = world.issues.iter().filter(wanted).collect();
    match sort.as_str() {
        "updated" => found.sort_by_key(|issue| (issue.updated, issue.id)),
        "comments" => found.sort_by_key(|issue| (issue.comments.len(), issue.id)),
        _ => found.sort_by_key(|issue| (issue.created, issue.id)),
    }
    if direction == "desc" {
        found.reverse();
    }
    let shown: Vec<Value> = found.into_iter().map(|issue| world.shown_issue(issue)).collect();
    asked.page(&world.site, shown)
}

/// Tells if an issue has the labels, the person and the author that a list is asked for.
fn is_of(asked: &Asked, issue: &Issue) -> bool {
    let has = |login: &str| issue.assignees.iter().any(|one| one.eq_ignore_ascii_case(login));
    let labelled = |name: &str| issue.labels.iter().any(|one| one.eq_ignore_ascii_case(name.trim()));
    let labels = asked.query("labels").is_none_or(|names| names.split(',').all(labelled));
    let author = asked.query("creator").is_none_or(|login| issue.author.eq_ignore_ascii_case(login));
    let person = match asked.query("assignee") {
        None => true,
        Some("none") => issue.assignees.is_empty(),
        Some("*") => !issue.assignees.is_empty(),
        Some(login) => has(login),
    };
    labels && author && person
}

/// Changes an issue.
pub(super) fn edit(world: &mut World, asked: &Asked, repository: &str, number: &str, now: i64) -> Outcome {
    let at = world.place(asked, repository, number)?;
    let permitted =
        ["title", "body", "state", "state_reason", "labels", "assignees", "assignee", "milestone", "type"];
    let members = members(&asked.body, &permitted)?;
    let (title, body) = (text(members, "title")?, text(members, "body")?);
    let (state, reason) = (text(members, "state")?, text(members, "state_reason")?);
    let (labels, assignees) = (texts(members, "labels")?, people(members)?);
    nothing_unknown(members)?;
    World::check_lengths(title.as_deref(), body.as_deref(), labels.as_deref())?;
    let invalid =
        |field: &str| Answer::invalid(&json!([{"resource": "Issue", "field": field, "code": "invalid"}]));
    if state.as_deref().is_some_and(|state| !["open", "closed"].contains(&state)) {
        return Err(invalid("state"));
    }
    let reasons = ["completed", "not_planned", "duplicate", "reopened"];
    if reason.as_deref().is_some_and(|reason| !reasons.contains(&reason)) {
        return Err(invalid("state_reason"));
    }
    let sorts = world.repository(repository).is_some_and(|one| one.allows(Role::Triage));
    if !sorts && world.issues[at].author != FakeGithub::LOGIN {
        return Err(Answer::refused(403, "Must have admin rights to Repository."));
    }
    let assignees = assignees.map(|named| world.assignees(repository, &named)).transpose()?.filter(|_| sorts);
    let labels = labels.filter(|_| sorts).map(|named| world.label(repository, named));
    let issue = &mut world.issues[at];
    issue.updated = now;
    issue.title = title.unwrap_or_else(|| issue.title.clone());
    issue.body = body.unwrap_or_else(|| issue.body.clone());
    issue.labels = labels.unwrap_or_else(|| issue.labels.clone());
    issue.assignees = assignees.unwrap_or_else(|| issue.assignees.clone());
    if let Some(closed) = state.map(|state| state == "closed").filter(|closed| *closed != issue.closed) {
        let usual = if closed { "completed" } else { "reopened" };
        issue.closed = closed;
        issue.closed_at = closed.then_some(now);
        issue.state_reason = Some(reason.unwrap_or_else(|| usual.into()));
    }
    Ok(Answer::ok(world.shown_issue(&world.issues[at])))
}
