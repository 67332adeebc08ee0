//! The embedded tracker: projects from the configuration, issues in documents, keys `DEMO-1`, `DEMO-2`, …
//!
//! A create is idempotent on its effect id. Key, issue and effect are written in one compare-and-swap, so that
//! creates which race never share a key and a crash leaves either all of an issue or nothing.

mod checks;
mod config;
mod documents;
mod faults;
mod issues;

pub use checks::{MAX_BODY, MAX_LINE};
pub use config::{LocalConfig, ProjectConfig};
pub use documents::{Document, Documents, DocumentsError, MemoryDocuments};
pub use faults::{Call, Fault, Faults, Request, Scripted};
pub use issues::{Comment, StoredIssue};

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use throughline_engine::EffectId;
use throughline_engine::effect::{Attempt, FieldError, Guarantee, IssueChange};
use throughline_engine::tickets::Item;

use crate::{Issue, Tracker};
use issues::{Changed, Made};

/// The embedded tracker.
pub struct LocalTracker {
    config: LocalConfig,
    documents: Arc<dyn Documents>,
    faults: Option<Arc<Faults>>,
    /// Creates whose request is still under way ([`Fault::LateApply`]).
    late: Mutex<Vec<Late>>,
}

struct Late {
    tenant: String,
    project: String,
    effect: EffectId,
    act: Act,
}

/// What a late request does when it arrives.
#[derive(Clone)]
enum Act {
    Create { item: Item, parent: Option<String> },
    Update { key: String, change: IssueChange },
}

impl LocalTracker {
    /// The tracker over its documents.
    #[must_use]
    pub fn new(config: LocalConfig, documents: Arc<dyn Documents>) -> Self {
        Self { config, documents, faults: None, late: Mutex::default() }
    }

    /// The same, meeting these faults and writing this journal.
    #[must_use]
    pub fn with_faults(mut self, faults: Arc<Faults>) -> Self {
        self.faults = Some(faults);
        self
    }

    /// What it is configured with.
    #[must_use]
    pub fn config(&self) -> &LocalConfig {
        &self.config
    }

    /// The issue of that key, whole.
    ///
    /// # Errors
    ///
    /// The documents cannot be read.
    pub async fn issue(&self, tenant: &str, key: &str) -> Result<Option<StoredIssue>, DocumentsError> {
        issues::read(self.documents.as_ref(), tenant, key).await
    }

    /// Issues of a project, oldest first, those after the key `after`.
    ///
    /// # Errors
    ///
    /// The documents cannot be read.
    pub async fn issues(
        &self,
        tenant: &str,
        project: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<StoredIssue>, DocumentsError> {
        issues::list(self.documents.as_ref(), tenant, project, after, limit).await
    }

    /// Issues of a project that hold every word of `words` in title, text or labels, oldest first.
    ///
    /// # Errors
    ///
    /// The documents cannot be read.
    pub async fn search(
        &self,
        tenant: &str,
        project: &str,
        words: &str,
        limit: u32,
    ) -> Result<Vec<StoredIssue>, DocumentsError> {
        issues::search(self.documents.as_ref(), tenant, project, words, limit).await
    }

    /// Lets the requests of [`Fault::LateApply`] arrive now.
    pub async fn land_late(&self) {
        let late = std::mem::take(&mut *self.late.lock().unwrap_or_else(PoisonError::into_inner));
        for Late { tenant, project, effect, act } in late {
            // Nobody waits for the answer any more, so there is nobody to tell it.
            match act {
                Act::Create { item, parent } => {
                    let _ = self.apply(&tenant, &project, &effect, &item, parent.as_deref()).await;
                }
                Act::Update { key, change } => {
                    let _ = self.change(&tenant, &project, &effect, &key, &change).await;
                }
            }
        }
    }

    fn land_later(&self, tenant: &str, project: &str, effect: &EffectId, act: Act) {
        let late = Late { tenant: tenant.into(), project: project.into(), effect: effect.clone(), act };
        self.late.lock().unwrap_or_else(PoisonError::into_inner).push(late);
    }

    async fn meet(&self, call: Call, tenant: &str, project: &str, about: &str) -> Fault {
        self.land_late().await;
        self.faults.as_ref().map_or(Fault::Pass, |faults| faults.meet(call, tenant, project, about))
    }

    /// Everything wrong with an item, its references looked up.
    async fn problems(
        &self,
        tenant: &str,
        project: &str,
        item: &Item,
    ) -> Result<Vec<FieldError>, DocumentsError> {
        let mut found = checks::problems(&self.config, project, item);
        for key in checks::references(&self.config, item) {
            if self.issue(tenant, &key).await?.is_none() {
                found.push(checks::problem(
                    "check.reference",
                    "dependencies",
                    format!("There is no issue {key}"),
                ));
            }
        }
        Ok(found)
    }

    async fn apply(
        &self,
        tenant: &str,
        project: &str,
        effect: &EffectId,
        item: &Item,
        parent: Option<&str>,
    ) -> Attempt<Issue> {
        match issues::of_effect(self.documents.as_ref(), tenant, effect).await {
            Ok(Some(made)) => return again(made, effect, item),
            Ok(None) => {}
            Err(error) => return unread(error),
        }
        match self.problems(tenant, project, item).await {
            Ok(errors) if errors.is_empty() => {}
            Ok(errors) => return rejected(errors),
            Err(error) => return unread(error),
        }
        match issues::create(self.documents.as_ref(), tenant, project, effect, item, parent).await {
            Ok(Made::New(issue)) => Attempt::Applied(issue.view()),
            Ok(Made::Before(issue)) => again(issue, effect, item),
            Ok(Made::Crowded) => Attempt::NotApplied {
                why: format!("too many issues are being created in {project} at once"),
                hint: None,
            },
            Err(error @ DocumentsError::Unknown { .. }) => Attempt::Unknown { why: error.to_string() },
            Err(error @ DocumentsError::Unavailable { .. }) => unread(error),
        }
    }

    async fn checked(&self, tenant: &str, project: &str, by: Option<&str>, items: &[Item]) -> Attempt<()> {
        let mut errors = Vec::new();
        for item in items {
            match self.problems(tenant, project, item).await {
                Ok(found) => errors
                    .extend(found.into_iter().map(|error| FieldError { item: item.id.clone(), ..error })),
                Err(error) => return unread(error),
            }
        }
        errors.extend(checks::permission(&self.config, project, by));
        if errors.is_empty() { Attempt::Applied(()) } else { rejected(errors) }
    }

    async fn change(
        &self,
        tenant: &str,
        project: &str,
        effect: &EffectId,
        key: &str,
        change: &IssueChange,
    ) -> Attempt<()> {
        let apply = |issue: &mut StoredIssue| match change {
            IssueChange::Parent(epic) => issue.parent = Some(epic.clone()),
            IssueChange::Comment(_) if issue.comments.iter().any(|said| said.effect == *effect) => {}
            IssueChange::Comment(text) => {
                issue.comments.push(Comment { effect: effect.clone(), text: text.clone() });
            }
        };
        let no_such = |key: &str| {
            rejected(vec![checks::problem(
                "check.reference",
                "key",
                format!("There is no issue {key} in {project}"),
            )])
        };
        if let IssueChange::Parent(epic) = change {
            match self.issue(tenant, epic).await {
                Ok(Some(_)) => {}
                Ok(None) => return no_such(epic),
                Err(error) => return unread(error),
            }
        }
        match issues::change(self.documents.as_ref(), tenant, key, apply).await {
            Ok(Changed::Written) => Attempt::Applied(()),
            Ok(Changed::NoSuch) => no_such(key),
            Ok(Changed::Crowded) => {
                Attempt::NotApplied { why: format!("{key} is being changed by too many at once"), hint: None }
            }
            Err(error @ DocumentsError::Unknown { .. }) => Attempt::Unknown { why: error.to_string() },
            Err(error @ DocumentsError::Unavailable { .. }) => unread(error),
        }
    }

    async fn found(&self, tenant: &str, project: &str, named: &str) -> Attempt<Issue> {
        // A key, or a link that ends in one.
        let last = named.trim().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let none = |text: String| rejected(vec![checks::problem("check.reference", "key", text)]);
        let number = last.rsplit_once('-').filter(|(of, _)| of.eq_ignore_ascii_case(project));
        let Some((_, number)) = number else {
            return none(format!("“{}” is no key of {project}; give one like {project}-1", named.trim()));
        };
        let key = format!("{project}-{number}");
        match self.issue(tenant, &key).await {
            Ok(Some(issue)) => Attempt::Applied(issue.view()),
            Ok(None) => none(format!("There is no issue {key}")),
            Err(error) => unread(error),
        }
    }
}

#[async_trait]
impl Tracker for LocalTracker {
    fn guarantee(&self) -> Guarantee {
        Guarantee::Idempotent
    }

    async fn check(&self, tenant: &str, project: &str, by: Option<&str>, items: &[Item]) -> Attempt<()> {
        match self.meet(Call::Check, tenant, project, "").await {
            Fault::Pass => self.checked(tenant, project, by, items).await,
            fault => spoiled(&fault),
        }
    }

    async fn create(
        &self,
        tenant: &str,
        project: &str,
        effect: &EffectId,
        item: &Item,
        parent: Option<&str>,
    ) -> Attempt<Issue> {
        let fault = self.meet(Call::Create, tenant, project, effect.as_str()).await;
        match fault {
            Fault::Pass => return self.apply(tenant, project, effect, item, parent).await,
            Fault::ParentIgnored => return self.apply(tenant, project, effect, item, None).await,
            Fault::LostReply | Fault::ErrorAfterApply => {
                let _ = self.apply(tenant, project, effect, item, parent).await;
            }
            Fault::LateApply => {
                let act = Act::Create { item: item.clone(), parent: parent.map(str::to_owned) };
                self.land_later(tenant, project, effect, act);
            }
            Fault::Refused | Fault::RateLimited { .. } | Fault::ErrorBeforeApply | Fault::Reject(_) => {}
        }
        spoiled(&fault)
    }

    async fn update(
        &self,
        tenant: &str,
        project: &str,
        effect: &EffectId,
        key: &str,
        change: &IssueChange,
    ) -> Attempt<()> {
        let fault = self.meet(Call::Update, tenant, project, effect.as_str()).await;
        match fault {
            Fault::Pass => return self.change(tenant, project, effect, key, change).await,
            Fault::ParentIgnored => return Attempt::Applied(()),
            Fault::LostReply | Fault::ErrorAfterApply => {
                let _ = self.change(tenant, project, effect, key, change).await;
            }
            Fault::LateApply => {
                let act = Act::Update { key: key.into(), change: change.clone() };
                self.land_later(tenant, project, effect, act);
            }
            Fault::Refused | Fault::RateLimited { .. } | Fault::ErrorBeforeApply | Fault::Reject(_) => {}
        }
        spoiled(&fault)
    }

    async fn seek(&self, tenant: &str, project: &str, marker: &EffectId) -> Attempt<Vec<Issue>> {
        match self.meet(Call::Seek, tenant, project, marker.as_str()).await {
            Fault::Pass => match issues::of_effect(self.documents.as_ref(), tenant, marker).await {
                Ok(found) => Attempt::Applied(found.iter().map(StoredIssue::view).collect()),
                Err(error) => unread(error),
            },
            fault => spoiled(&fault),
        }
    }

    async fn find(&self, tenant: &str, project: &str, key: &str) -> Attempt<Issue> {
        match self.meet(Call::Find, tenant, project, key).await {
            Fault::Pass => self.found(tenant, project, key).await,
            fault => spoiled(&fault),
        }
    }
}

/// The effect made an issue before. The same item: that issue is the answer. Another one is refused, so that
/// nobody is told that a text exists as an issue which does not.
fn again(made: StoredIssue, effect: &EffectId, item: &Item) -> Attempt<Issue> {
    if made.item == *item {
        return Attempt::Applied(made.view());
    }
    let text = format!("{effect} made {} from another text; nothing was created", made.key);
    rejected(vec![checks::problem("check.shape", "effect", text)])
}

fn rejected<T>(errors: Vec<FieldError>) -> Attempt<T> {
    let text = errors.iter().map(|error| error.text.as_str()).collect::<Vec<_>>().join("; ");
    Attempt::Rejected { text, errors }
}

/// A read that failed: nothing of the request was carried out.
fn unread<T>(error: DocumentsError) -> Attempt<T> {
    Attempt::NotApplied { why: error.to_string(), hint: None }
}

/// What the caller sees of a scripted fault.
fn spoiled<T>(fault: &Fault) -> Attempt<T> {
    match fault {
        Fault::Refused => {
            Attempt::NotApplied { why: "the tracker refused the connection".into(), hint: None }
        }
        Fault::RateLimited { retry_after } => {
            Attempt::NotApplied { why: "the tracker asks us to slow down (429)".into(), hint: *retry_after }
        }
        Fault::ErrorBeforeApply | Fault::ErrorAfterApply => {
            Attempt::Unknown { why: "the tracker answered 503".into() }
        }
        Fault::Pass | Fault::ParentIgnored | Fault::LostReply | Fault::LateApply => {
            Attempt::Unknown { why: "the tracker did not answer in time".into() }
        }
        Fault::Reject(error) => rejected(vec![error.clone()]),
    }
}

#[cfg(test)]
mod tests;
