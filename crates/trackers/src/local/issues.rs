//! Issues as documents: the issue, the index from effect to issue, and the counter of the project's keys.

use serde::{Deserialize, Serialize};
use throughline_engine::EffectId;
use throughline_engine::tickets::Item;

use super::documents::{Document, Documents, DocumentsError};
use crate::Issue;

const EFFECTS: &str = "tracker.effects";
const COUNTERS: &str = "tracker.counters";

/// How often a create tries to get its key before it says that it is crowded. Each lost try means that another
/// create won, so only that many rivals at once exhaust it.
const TRIES: usize = 1_000;

/// Most documents one page of a search reads.
const PAGE: u32 = 200;

/// An issue as the local tracker keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredIssue {
    /// `DEMO-1`.
    pub key: String,
    /// What it says.
    pub item: Item,
    /// The effect that made it.
    pub effect: EffectId,
    /// The key of the epic it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// What was said about it since, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Comment>,
}

/// A comment on an issue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comment {
    /// The effect that made it.
    pub effect: EffectId,
    /// What it says.
    pub text: String,
}

impl StoredIssue {
    /// What the contract tells of it.
    #[must_use]
    pub fn view(&self) -> Issue {
        Issue {
            url: Some(format!("/tracker/{}", self.key)),
            title: self.item.title().into(),
            key: self.key.clone(),
            parent: self.parent.clone(),
        }
    }
}

/// How a create ended.
pub(super) enum Made {
    /// There is a new issue.
    New(StoredIssue),
    /// This effect had made one before.
    Before(StoredIssue),
    /// Nothing was written: too many rivals.
    Crowded,
}

/// The collection of a project's issues: one each, so that a listing reads nobody else's.
fn collection(project: &str) -> String {
    format!("tracker.issues.{project}")
}

/// A number as a document key: documents sort as text, issues by number.
fn padded(number: u64) -> String {
    format!("{number:012}")
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

pub(super) async fn of_effect(
    documents: &dyn Documents,
    tenant: &str,
    effect: &EffectId,
) -> Result<Option<StoredIssue>, DocumentsError> {
    match documents.get(tenant, EFFECTS, effect.as_str()).await? {
        Some(entry) => read(documents, tenant, &entry.body).await,
        None => Ok(None),
    }
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
    limit: u32,
) -> Result<Vec<StoredIssue>, DocumentsError> {
    let wanted: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let (mut found, mut after) = (Vec::new(), None::<String>);
    while found.len() < limit as usize {
        let page = list(documents, tenant, project, after.as_deref(), PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.key.clone());
        found.extend(page.into_iter().filter(|issue| {
            let text = format!("{} {} {}", issue.key, issue.item.title(), issue.item.body()).to_lowercase();
            wanted.iter().all(|word| text.contains(word))
        }));
    }
    found.truncate(limit as usize);
    Ok(found)
}

/// Takes the project's next key and writes issue, effect and counter at once.
pub(super) async fn create(
    documents: &dyn Documents,
    tenant: &str,
    project: &str,
    effect: &EffectId,
    item: &Item,
    parent: Option<&str>,
) -> Result<Made, DocumentsError> {
    for _ in 0..TRIES {
        // Read inside the loop: the create that won may have been this very effect.
        if let Some(made) = of_effect(documents, tenant, effect).await? {
            return Ok(Made::Before(made));
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
            item: item.clone(),
            effect: effect.clone(),
            parent: parent.map(str::to_owned),
            comments: Vec::new(),
        };
        let body = serde_json::to_string(&issue).map_err(|error| damaged(&issue.key, &error))?;
        let document = |key: &str, version, body| Document { key: key.into(), version, body };
        let writes = vec![
            (COUNTERS.into(), document(project, version, number.to_string())),
            (collection(project), document(&padded(number), 0, body)),
            (EFFECTS.into(), document(effect.as_str(), 0, issue.key.clone())),
        ];
        if documents.write(tenant, writes).await? {
            return Ok(Made::New(issue));
        }
    }
    Ok(Made::Crowded)
}

/// How a change ended.
pub(super) enum Changed {
    /// It is written, now or before.
    Written,
    /// There is no such issue.
    NoSuch,
    /// Nothing was written: too many rivals.
    Crowded,
}

/// Changes an issue by compare-and-swap.
pub(super) async fn change(
    documents: &dyn Documents,
    tenant: &str,
    key: &str,
    change: impl Fn(&mut StoredIssue),
) -> Result<Changed, DocumentsError> {
    let Some((collection, number)) = place(key) else { return Ok(Changed::NoSuch) };
    for _ in 0..TRIES {
        let Some(document) = documents.get(tenant, &collection, &number).await? else {
            return Ok(Changed::NoSuch);
        };
        let before = decode(&document)?;
        let mut issue = before.clone();
        change(&mut issue);
        if issue == before {
            return Ok(Changed::Written);
        }
        let body = serde_json::to_string(&issue).map_err(|error| damaged(key, &error))?;
        let written = Document { body, ..document };
        if documents.write(tenant, vec![(collection.clone(), written)]).await? {
            return Ok(Changed::Written);
        }
    }
    Ok(Changed::Crowded)
}
