//! Issues as documents: the issue, an index from effects to issues, one from epics to stories, one from issues to
//! those that name them, and a counter per project.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use throughline_engine::EffectId;
use throughline_engine::data::effect::IssueState;
use throughline_engine::data::ticket::Item;

use super::documents::{Document, Documents, DocumentsError};
use crate::Issue;
use crate::links::Link;

const EFFECTS: &str = "tracker.effects";
const COUNTERS: &str = "tracker.counters";

/// Attempts of a create to get its key before it gives up. Each lost attempt means that another create won, so only
/// this many concurrent creates exhaust it.
const TRIES: usize = 1_000;

/// The most documents that one page of a search reads.
const PAGE: u32 = 200;
/// The most pages one search reads: as much as a web page that people wait for can afford.
const PAGES: usize = 10;

/// An issue as the local tracker keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredIssue {
    /// `DEMO-1`.
    pub key: String,
    /// The text.
    pub item: Item,
    /// The effect that made it.
    pub effect: EffectId,
    /// The key of the epic it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The issues it links to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    /// Its state.
    #[serde(default, skip_serializing_if = "is_open")]
    pub state: IssueState,
    /// The person it is given to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// The comments, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Comment>,
}

fn is_open(state: &IssueState) -> bool {
    *state == IssueState::Open
}

/// A comment on an issue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comment {
    /// The effect that made it.
    pub effect: EffectId,
    /// The text.
    pub text: String,
}

/// A page of search results.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchPage {
    /// The issues, oldest first.
    pub issues: Vec<StoredIssue>,
    /// The key to continue after; `None` after the last page.
    pub next: Option<String>,
}

impl StoredIssue {
    /// The issue as the contract shows it.
    #[must_use]
    pub fn view(&self) -> Issue {
        Issue {
            url: Some(format!("/tracker/{}", self.key)),
            title: self.item.title().into(),
            key: self.key.clone(),
            parent: self.parent.clone(),
            state: self.state,
            assignee: self.assignee.clone(),
        }
    }
}

/// A new issue, before it has a key.
pub(super) struct NewIssue<'a> {
    pub(super) project: &'a str,
    pub(super) effect: &'a EffectId,
    pub(super) item: &'a Item,
    pub(super) parent: Option<&'a str>,
    pub(super) links: Vec<Link>,
    /// True if the effect creates one issue, however often it is asked for.
    pub(super) once: bool,
}

/// The result of a create.
pub(super) enum CreateResult {
    /// A new issue.
    New(StoredIssue),
    /// The issue this effect created before.
    Before(StoredIssue),
    /// Nothing was written: too many concurrent writes.
    Crowded,
}

/// The collection of a project's issues. Each project has one, so that a listing reads only its own.
fn collection(project: &str) -> String {
    format!("tracker.issues.{project}")
}

/// Returns true if the documents of a collection hold people's words. The others hold keys and counters.
#[must_use]
pub fn holds_words(collection: &str) -> bool {
    collection.starts_with("tracker.issues.")
}

/// The index of stories that were ever put under an epic. A story itself says if it still is.
fn children(epic: &str) -> String {
    format!("tracker.children.{epic}")
}

/// The index of issues that name this one.
fn referrers(key: &str) -> String {
    format!("tracker.named.{key}")
}

/// A number as a document key: documents sort as text, issues by number.
fn padded(number: u64) -> String {
    format!("{number:012}")
}

/// An issue key as a document key.
fn sorted(key: &str) -> String {
    let (project, number) = key.rsplit_once('-').unwrap_or_default();
    format!("{project}-{number:0>12}")
}

fn place(key: &str) -> Option<(String, String)> {
    let (project, number) = key.rsplit_once('-')?;
    let plain = !number.is_empty() && !number.starts_with('0') && number.bytes().all(|b| b.is_ascii_digit());
    let number = plain.then(|| number.parse().ok())??;
    Some((collection(project), padded(number)))
}

fn damaged(what: &str, error: &serde_json::Error) -> DocumentsError {
    DocumentsError::Unavailable {
        act: "read an issue",
        why: format!("{what} is not what the tracker wrote: {error}"),
    }
}

fn decode(document: &Document) -> Result<StoredIssue, DocumentsError> {
    serde_json::from_str(&document.body).map_err(|error| damaged(&document.key, &error))
}

pub(super) async fn read(
    documents: &dyn Documents,
    tenant: &str,
    key: &str,
) -> Result<Option<StoredIssue>, DocumentsError> {
    let Some((collection, number)) = place(key) else { return Ok(None) };
    documents.get(tenant, &collection, &number).await?.as_ref().map(decode).transpose()
}

async fn read_all(
    documents: &dyn Documents,
    tenant: &str,
    keys: Vec<String>,
) -> Result<Vec<StoredIssue>, DocumentsError> {
    let mut found = Vec::new();
    for key in keys {
        found.extend(read(documents, tenant, &key).await?);
    }
    Ok(found)
}

/// The issues an effect created, oldest first.
pub(super) async fn created_by(
    documents: &dyn Documents,
    tenant: &str,
    effect: &EffectId,
) -> Result<Vec<StoredIssue>, DocumentsError> {
    let entry = documents.get(tenant, EFFECTS, effect.as_str()).await?;
    let keys = entry.map(|entry| entry.body.split(' ').map(str::to_owned).collect());
    read_all(documents, tenant, keys.unwrap_or_default()).await
}

/// The stories of an epic, oldest first.
pub(super) async fn stories(
    documents: &dyn Documents,
    tenant: &str,
    epic: &str,
    limit: u32,
) -> Result<Vec<StoredIssue>, DocumentsError> {
    let entries = documents.list(tenant, &children(epic), None, limit).await?;
    let mut found =
        read_all(documents, tenant, entries.into_iter().map(|entry| entry.body).collect()).await?;
    found.retain(|story| story.parent.as_deref() == Some(epic));
    Ok(found)
}

/// The issues that name this one, oldest first.
pub(super) async fn referencing(
    documents: &dyn Documents,
    tenant: &str,
    key: &str,
    limit: u32,
) -> Result<Vec<StoredIssue>, DocumentsError> {
    let entries = documents.list(tenant, &referrers(key), None, limit).await?;
    read_all(documents, tenant, entries.into_iter().map(|entry| entry.body).collect()).await
}

pub(super) async fn list(
    documents: &dyn Documents,
    tenant: &str,
    project: &str,
    after: Option<&str>,
    limit: u32,
) -> Result<Vec<StoredIssue>, DocumentsError> {
    let after = after.and_then(place).map(|(_, number)| number);
    let page = documents.list(tenant, &collection(project), after.as_deref(), limit).await?;
    page.iter().map(decode).collect()
}

pub(super) async fn search(
    documents: &dyn Documents,
    tenant: &str,
    project: &str,
    words: &str,
    after: Option<&str>,
    limit: u32,
) -> Result<SearchPage, DocumentsError> {
    let wanted: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let (mut issues, mut after) = (Vec::new(), after.map(str::to_owned));
    // Without words every issue matches, and one more tells if there is another page.
    let size = if wanted.is_empty() { limit.saturating_add(1) } else { PAGE };
    for _ in 0..PAGES {
        let page = list(documents, tenant, project, after.as_deref(), size).await?;
        let whole = page.len() == size as usize;
        for issue in page {
            if issues.len() == limit as usize {
                return Ok(SearchPage { issues, next: after });
            }
            after = Some(issue.key.clone());
            let text = format!("{} {} {}", issue.key, issue.item.title(), issue.item.body()).to_lowercase();
            if wanted.iter().all(|word| text.contains(word)) {
                issues.push(issue);
            }
        }
        if !whole {
            return Ok(SearchPage { issues, next: None });
        }
    }
    Ok(SearchPage { issues, next: after })
}

/// Takes the project's next key and writes issue, indexes and counter at once.
pub(super) async fn create(
    documents: &dyn Documents,
    tenant: &str,
    new: &NewIssue<'_>,
) -> Result<CreateResult, DocumentsError> {
    let NewIssue { project, effect, .. } = *new;
    for _ in 0..TRIES {
        // Read inside the loop: the create that won may have been the same effect's.
        let marked = documents.get(tenant, EFFECTS, effect.as_str()).await?;
        if let Some(marked) = marked.as_ref().filter(|_| new.once)
            && let Some(made) = read(documents, tenant, &marked.body).await?
        {
            return Ok(CreateResult::Before(made));
        }
        let counter = documents.get(tenant, COUNTERS, project).await?;
        let (version, last) = match &counter {
            Some(document) => {
                let last = document.body.parse::<u64>().map_err(|error| DocumentsError::Unavailable {
                    act: "read the key counter",
                    why: format!("{project}: {error}"),
                })?;
                (document.version, last)
            }
            None => (0, 0),
        };
        let number = last + 1;
        let issue = StoredIssue {
            key: format!("{project}-{number}"),
            item: new.item.clone(),
            effect: effect.clone(),
            parent: new.parent.map(str::to_owned),
            links: new.links.clone(),
            state: IssueState::Open,
            assignee: None,
            comments: Vec::new(),
        };
        let body = serde_json::to_string(&issue).map_err(|error| damaged(&issue.key, &error))?;
        let (marks, keys) = match marked {
            Some(marked) => (marked.version, format!("{} {}", marked.body, issue.key)),
            None => (0, issue.key.clone()),
        };
        let document = |key: &str, version, body| Document { key: key.into(), version, body };
        let mut writes = vec![
            (COUNTERS.into(), document(project, version, number.to_string())),
            (collection(project), document(&padded(number), 0, body)),
            (EFFECTS.into(), document(effect.as_str(), marks, keys)),
        ];
        let named: BTreeSet<&str> = new.links.iter().map(|l| l.key.as_str()).collect();
        let indexes = new.parent.map(children).into_iter().chain(named.into_iter().map(referrers));
        writes.extend(indexes.map(|index| (index, document(&sorted(&issue.key), 0, issue.key.clone()))));
        if documents.write(tenant, writes).await? {
            return Ok(CreateResult::New(issue));
        }
    }
    Ok(CreateResult::Crowded)
}

/// The result of a change.
pub(super) enum ChangeResult {
    /// The change is written, now or before.
    Written,
    /// There is no such issue.
    NoSuch,
    /// Nothing was written: too many concurrent writes.
    Crowded,
}

/// Changes an issue by compare-and-swap.
pub(super) async fn change(
    documents: &dyn Documents,
    tenant: &str,
    key: &str,
    change: impl Fn(&mut StoredIssue),
) -> Result<ChangeResult, DocumentsError> {
    let Some((collection, number)) = place(key) else { return Ok(ChangeResult::NoSuch) };
    for _ in 0..TRIES {
        let Some(document) = documents.get(tenant, &collection, &number).await? else {
            return Ok(ChangeResult::NoSuch);
        };
        let before = decode(&document)?;
        let mut issue = before.clone();
        change(&mut issue);
        if issue == before {
            return Ok(ChangeResult::Written);
        }
        let body = serde_json::to_string(&issue).map_err(|error| damaged(key, &error))?;
        let mut writes = vec![(collection.clone(), Document { body, ..document })];
        let under = issue.parent.iter().filter(|_| issue.parent != before.parent).map(|epic| children(epic));
        let linked = issue.links.iter().filter(|link| !before.links.contains(link));
        for index in under.chain(linked.map(|link| referrers(&link.key))) {
            let key = sorted(&issue.key);
            let known = documents.get(tenant, &index, &key).await?;
            let version = known.map_or(0, |known| known.version);
            writes.push((index, Document { key, version, body: issue.key.clone() }));
        }
        if documents.write(tenant, writes).await? {
            return Ok(ChangeResult::Written);
        }
    }
    Ok(ChangeResult::Crowded)
}
