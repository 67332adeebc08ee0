//! Search of issues and pull requests by words and qualifiers. What matches best is not weighed: the newest is first.

use serde_json::{Value, json};

use super::answer::{Answer, Outcome};
use super::state::{Issue, Repository, Role, World};
use super::wire::Asked;

/// The most characters of the words of a query.
const LONGEST: usize = 256;
/// The most results that pages lead to.
const MOST: usize = 1_000;

/// A query.
#[derive(Default)]
struct Query {
    words: Vec<String>,
    /// The places in which words are looked for; everywhere if empty.
    within: Vec<Text>,
    /// The repositories and owners, of which one has to fit.
    places: Vec<Place>,
    /// The other conditions, and whether each must hold.
    conditions: Vec<(Condition, bool)>,
}

/// A text of an issue.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    Title,
    Body,
    Comments,
}

/// A place in which issues are.
enum Place {
    Repository(String),
    Owner(String),
}

/// A condition that an issue fulfils or not.
enum Condition {
    Word(String),
    Place(Place),
    PullRequest,
    Closed,
    Locked,
    Labelled(Vec<String>),
    By(String),
    AssignedTo(String),
    WithoutLabels,
    WithoutAssignees,
    WithoutParent,
    /// Under the issue that is named so: `acme/web#7`.
    Under(String),
}

/// Finds the issues and pull requests that a query holds for.
pub(super) fn issues(world: &World, asked: &Asked) -> Outcome {
    let query = parse(asked.query("q").unwrap_or_default())?;
    check_places(world, &query)?;
    let readable = |issue: &&Issue| world.repository(&issue.repository).is_some_and(is_readable);
    let fits = |issue: &&Issue| query.holds(world, issue);
    let mut found: Vec<&Issue> = world.issues.iter().filter(readable).filter(fits).collect();
    sort(&mut found, asked)?;
    let total = found.len();
    let shown = found.into_iter().take(MOST).map(|issue| result(world, issue)).collect();
    let page = asked.page(&world.site, shown)?;
    let body = json!({
        "total_count": total, "incomplete_results": false, "items": page.body, "search_type": "lexical",
    });
    Ok(Answer { body: Some(body), ..page })
}

/// An issue among results. One without a text has no member for it, as published.
fn result(world: &World, issue: &Issue) -> Value {
    let mut shown = world.shown_issue(issue);
    shown["score"] = json!(1.0);
    if let Some(members) = shown.as_object_mut().filter(|members| members["body"].is_null()) {
        members.remove("body");
    }
    shown
}

fn is_readable(repository: &Repository) -> bool {
    repository.allows(Role::Read)
}

// ---- queries ----

/// Reads a query.
///
/// # Errors
/// It is empty or too long, or has a qualifier that the fake does not have, so that nobody relies on it.
fn parse(query: &str) -> Result<Query, Answer> {
    if query.trim().is_empty() {
        return Err(wrong("missing"));
    }
    let mut read = Query::default();
    for part in parts(query) {
        let (must, rest) = part.strip_prefix('-').map_or((true, &*part), |rest| (false, rest));
        match (qualified(rest), must) {
            (None, true) => read.words.push(word(rest)),
            (None, false) => read.conditions.push((Condition::Word(word(rest)), false)),
            (Some(("in", text)), true) => read.within.push(text_named(text)?),
            (Some(("repo", text)), true) => read.places.push(Place::Repository(text.into())),
            (Some(("org" | "user", text)), true) => read.places.push(Place::Owner(text.into())),
            (Some((qualifier, text)), must) => {
                let (condition, holds) = condition(qualifier, text)?;
                read.conditions.push((condition, holds == must));
            }
        }
    }
    if read.words.iter().map(|word| word.chars().count()).sum::<usize>() > LONGEST {
        return Err(unsearchable("The search is longer than 256 characters."));
    }
    Ok(read)
}

/// Splits a query at blanks that are not between quotation marks, which stay.
fn parts(query: &str) -> Vec<String> {
    let (mut parts, mut quoted) = (vec![String::new()], false);
    for letter in query.chars() {
        quoted ^= letter == '"';
        match parts.last_mut() {
            Some(part) if quoted || !letter.is_whitespace() => part.push(letter),
            _ => parts.push(String::new()),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Returns a qualifier and what is behind its colon.
fn qualified(part: &str) -> Option<(&str, &str)> {
    let (name, text) = part.split_once(':')?;
    let named = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    (named && !text.is_empty()).then(|| (name, text.trim_matches('"')))
}

fn word(part: &str) -> String {
    part.trim_matches('"').to_lowercase()
}

fn text_named(text: &str) -> Result<Text, Answer> {
    match text {
        "title" => Ok(Text::Title),
        "body" => Ok(Text::Body),
        "comments" => Ok(Text::Comments),
        _ => Err(wrong("invalid")),
    }
}

/// Returns the condition of a qualifier, and whether it holds where the qualifier fits.
fn condition(qualifier: &str, text: &str) -> Result<(Condition, bool), Answer> {
    let own = text.to_owned();
    Ok(match (qualifier, text) {
        ("repo", _) => (Condition::Place(Place::Repository(own)), true),
        ("org" | "user", _) => (Condition::Place(Place::Owner(own)), true),
        ("is" | "type", "issue") => (Condition::PullRequest, false),
        ("is" | "type", "pr") => (Condition::PullRequest, true),
        ("is" | "state", "open") => (Condition::Closed, false),
        ("is" | "state", "closed") => (Condition::Closed, true),
        ("is", "locked") => (Condition::Locked, true),
        ("label", _) => (labelled(text), true),
        ("author", _) => (Condition::By(own), true),
        ("assignee", _) => (Condition::AssignedTo(own), true),
        ("no", "label") => (Condition::WithoutLabels, true),
        ("no", "assignee") => (Condition::WithoutAssignees, true),
        ("no", "parent-issue") => (Condition::WithoutParent, true),
        ("parent-issue", _) => (Condition::Under(own), true),
        _ => return Err(wrong("invalid")),
    })
}

fn labelled(text: &str) -> Condition {
    Condition::Labelled(text.split(',').map(|name| name.trim_matches('"').to_owned()).collect())
}

/// Refuses a search in places that there are not, or that the account may not read: it tells no more of them.
fn check_places(world: &World, query: &Query) -> Result<(), Answer> {
    let there = |place: &Place| {
        world.repositories.iter().filter(|one| is_readable(one)).any(|one| place.holds(&one.name))
    };
    if query.places.is_empty() || query.places.iter().any(there) {
        return Ok(());
    }
    Err(unsearchable(
        "The listed users and repositories cannot be searched either because the resources do not exist or you do not have \
         permission to view them.",
    ))
}

fn wrong(code: &str) -> Answer {
    Answer::invalid(&json!([{"resource": "Search", "field": "q", "code": code}]))
}

fn unsearchable(why: &str) -> Answer {
    Answer::invalid(&json!([{"resource": "Search", "field": "q", "code": "invalid", "message": why}]))
}

// ---- what holds ----

impl Query {
    fn holds(&self, world: &World, issue: &Issue) -> bool {
        let said = |word: &String| contains(issue, word, &self.within);
        (self.places.is_empty() || self.places.iter().any(|place| place.holds(&issue.repository)))
            && self.words.iter().all(said)
            && self.conditions.iter().all(|(condition, must)| condition.holds(world, issue) == *must)
    }
}

impl Place {
    fn holds(&self, repository: &str) -> bool {
        let owner = repository.split('/').next().unwrap_or_default();
        match self {
            Self::Repository(name) => repository.eq_ignore_ascii_case(name),
            Self::Owner(name) => owner.eq_ignore_ascii_case(name),
        }
    }
}

impl Condition {
    fn holds(&self, world: &World, issue: &Issue) -> bool {
        let among = |all: &[String], one: &String| all.iter().any(|own| own.eq_ignore_ascii_case(one));
        match self {
            Self::Word(word) => contains(issue, word, &[]),
            Self::Place(place) => place.holds(&issue.repository),
            Self::PullRequest => issue.pull_request,
            Self::Closed => issue.closed,
            Self::Locked => issue.locked,
            Self::Labelled(names) => names.iter().any(|name| among(&issue.labels, name)),
            Self::By(login) => issue.author.eq_ignore_ascii_case(login),
            Self::AssignedTo(login) => among(&issue.assignees, login),
            Self::WithoutLabels => issue.labels.is_empty(),
            Self::WithoutAssignees => issue.assignees.is_empty(),
            Self::WithoutParent => issue.parent.is_none(),
            Self::Under(name) => parent(world, issue).is_some_and(|above| above.eq_ignore_ascii_case(name)),
        }
    }
}

/// True if a word in lower case is in one of these texts; in any if none is given.
fn contains(issue: &Issue, word: &str, within: &[Text]) -> bool {
    let read = |text: Text| within.is_empty() || within.contains(&text);
    let said = |text: &String| text.to_lowercase().contains(word);
    (read(Text::Title) && said(&issue.title))
        || (read(Text::Body) && said(&issue.body))
        || (read(Text::Comments) && issue.comments.iter().any(|comment| said(&comment.body)))
}

/// The issue above one, as a query names it.
fn parent(world: &World, issue: &Issue) -> Option<String> {
    let above = &world.issues[world.by_issue_id(issue.parent?)?];
    Some(format!("{}#{}", above.repository, above.number))
}

/// Orders what was found.
fn sort(found: &mut [&Issue], asked: &Asked) -> Result<(), Answer> {
    let invalid =
        |field: &str| Answer::invalid(&json!([{"resource": "Search", "field": field, "code": "invalid"}]));
    match asked.query("sort").unwrap_or("created") {
        "created" => found.sort_by_key(|issue| (issue.created, issue.id)),
        "updated" => found.sort_by_key(|issue| (issue.updated, issue.id)),
        "comments" => found.sort_by_key(|issue| (issue.comments.len(), issue.id)),
        _ => return Err(invalid("sort")),
    }
    match asked.query("order").unwrap_or("desc") {
        "asc" => Ok(()),
        "desc" => {
            found.reverse();
            Ok(())
        }
        _ => Err(invalid("order")),
    }
}
