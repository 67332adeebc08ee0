//! The embedded tracker: projects from the configuration, issues in documents, keys `DEMO-1`, `DEMO-2`, …
//!
//! A create is idempotent on its effect id. Key, issue, effect and indexes are written in one compare-and-swap, so that
//! creates which race never share a key and a crash leaves either all of an issue or nothing.
//!
//! `checks.rs` is the dry run, `schema.rs` what one field takes, `links.rs` which issues an item names, `issues.rs` how
//! issues are kept, `act.rs` what each call does when nothing goes wrong, `faults.rs` what can.

mod act;
mod checks;
mod config;
mod documents;
mod faults;
mod issues;
mod links;
mod schema;

pub use crate::shape::{MAX_BODY, MAX_LINE};
pub use config::{ChildLink, LocalConfig, May, ProjectConfig};
pub use documents::{Document, Documents, DocumentsError, MemoryDocuments};
pub use faults::{Call, Fault, FaultClock, Faults, Lag, Request, Scripted, Which};
pub use issues::{Comment, Found, StoredIssue};
pub use links::Link;
pub use schema::{FieldKind, FieldRule};

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use async_trait::async_trait;
use throughline_engine::effect::{Attempt, Guarantee, IssueChange};
use throughline_engine::tickets::Item;
use throughline_engine::{EffectId, Timestamp};

use crate::{Issue, Tracker};
use act::{rejected, unread};

/// The embedded tracker.
pub struct LocalTracker {
    config: RwLock<Arc<LocalConfig>>,
    documents: Arc<dyn Documents>,
    guarantee: Guarantee,
    faults: Option<Arc<Faults>>,
    /// Requests that are still under way ([`Fault::LateApply`]).
    late: Mutex<Vec<Late>>,
}

struct Late {
    due: Timestamp,
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
        let config = RwLock::new(Arc::new(config));
        let guarantee = Guarantee::Idempotent;
        Self { config, documents, guarantee, faults: None, late: Mutex::default() }
    }

    /// The same, meeting these faults and writing this journal.
    #[must_use]
    pub fn with_faults(mut self, faults: Arc<Faults>) -> Self {
        self.faults = Some(faults);
        self
    }

    /// The same as a vendor that promises nothing about a create made twice: it makes two issues of it.
    #[must_use]
    pub fn promising_nothing(mut self) -> Self {
        self.guarantee = Guarantee::Nothing;
        self
    }

    /// What it is configured with.
    #[must_use]
    pub fn config(&self) -> Arc<LocalConfig> {
        self.config.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes what it is configured with: every call from now on goes by that. Nothing is kept of the old one, so a dry
    /// run is never older than this (`spec 06 §6.1`).
    pub fn reconfigure(&self, change: impl FnOnce(&mut LocalConfig)) {
        let mut config = self.config.write().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut config));
    }

    /// The issue of that key, whole.
    ///
    /// # Errors
    ///
    /// The documents cannot be read. So for all that follow.
    pub async fn issue(&self, tenant: &str, key: &str) -> Result<Option<StoredIssue>, DocumentsError> {
        issues::read(self.documents.as_ref(), tenant, key).await
    }

    /// Issues of a project, oldest first, those after the key `after`.
    ///
    /// # Errors
    ///
    /// As [`Self::issue`].
    pub async fn issues(
        &self,
        tenant: &str,
        project: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<StoredIssue>, DocumentsError> {
        issues::list(self.documents.as_ref(), tenant, project, after, limit).await
    }

    /// Issues of a project that hold every word of `words` in key, title or text, oldest first, those after the key
    /// `after`. Looks through 2,000 at a time, and says where to go on.
    ///
    /// # Errors
    ///
    /// As [`Self::issue`].
    pub async fn search(
        &self,
        tenant: &str,
        project: &str,
        words: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Found, DocumentsError> {
        issues::search(self.documents.as_ref(), tenant, project, words, after, limit).await
    }

    /// The stories of an epic, in the order of their keys.
    ///
    /// # Errors
    ///
    /// As [`Self::issue`].
    pub async fn stories(
        &self,
        tenant: &str,
        epic: &str,
        limit: u32,
    ) -> Result<Vec<StoredIssue>, DocumentsError> {
        issues::stories(self.documents.as_ref(), tenant, epic, limit).await
    }

    /// The issues that name this one in what they depend on, in the order of their keys.
    ///
    /// # Errors
    ///
    /// As [`Self::issue`].
    pub async fn naming(
        &self,
        tenant: &str,
        key: &str,
        limit: u32,
    ) -> Result<Vec<StoredIssue>, DocumentsError> {
        issues::naming(self.documents.as_ref(), tenant, key, limit).await
    }

    /// Lets every request of [`Fault::LateApply`] arrive now.
    pub async fn land_late(&self) {
        self.land(None).await;
    }

    /// Those that are due by then; `None` is all.
    async fn land(&self, by: Option<Timestamp>) {
        let arrived: Vec<Late> = {
            let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
            late.extract_if(.., |late| by.is_none_or(|by| late.due <= by)).collect()
        };
        for Late { tenant, project, effect, act, .. } in arrived {
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

    fn land_later(&self, due: Timestamp, tenant: &str, project: &str, effect: &EffectId, act: Act) {
        let late = Late { due, tenant: tenant.into(), project: project.into(), effect: effect.clone(), act };
        self.late.lock().unwrap_or_else(PoisonError::into_inner).push(late);
    }

    /// What goes wrong with this call. What only delays it, or happens before it, is over when this returns.
    async fn meet(&self, call: Call, tenant: &str, project: &str, about: &str, items: &[Item]) -> Fault {
        let Some(faults) = &self.faults else { return Fault::Pass };
        self.land(Some(faults.now())).await;
        let titles = items.iter().map(|item| item.title().to_owned()).collect();
        let (tenant, named, about) = (tenant.to_owned(), project.to_owned(), about.to_owned());
        match faults.meet(Request { call, tenant, project: named, about, titles, sent: true }) {
            Fault::Slow { span } => {
                faults.pass(span).await;
                Fault::Pass
            }
            Fault::Requires(part) => {
                self.reconfigure(|config| {
                    if let Some(project) = config.projects.get_mut(project) {
                        project.required.push(part);
                    }
                });
                Fault::Pass
            }
            fault => fault,
        }
    }

    /// Whether the effect has made its issue, or its request is still under way and will; and there is to be no other.
    async fn made_once(&self, tenant: &str, effect: &EffectId) -> bool {
        let made = issues::of_effect(self.documents.as_ref(), tenant, effect).await;
        let late = || self.late.lock().unwrap_or_else(PoisonError::into_inner);
        let comes = || late().iter().any(|late| late.tenant == tenant && late.effect == *effect);
        self.guarantee == Guarantee::Idempotent && (made.is_ok_and(|made| !made.is_empty()) || comes())
    }

    /// When a request that is late by so much arrives.
    fn due(&self, after: throughline_engine::Millis) -> Timestamp {
        let faults = self.faults.as_ref().filter(|faults| faults.timed());
        faults.map_or(Timestamp(0), |faults| faults.now().plus(after))
    }
}

#[async_trait]
impl Tracker for LocalTracker {
    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    async fn check(&self, tenant: &str, project: &str, by: Option<&str>, items: &[Item]) -> Attempt<()> {
        match self.meet(Call::Check, tenant, project, "", items).await {
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
        let of = std::slice::from_ref(item);
        let fault = self.meet(Call::Create, tenant, project, effect.as_str(), of).await;
        match fault {
            Fault::Pass => return self.apply(tenant, project, effect, item, parent).await,
            Fault::ParentIgnored => return self.apply(tenant, project, effect, item, None).await,
            Fault::LostReply | Fault::ErrorAfterApply => {
                let _ = self.apply(tenant, project, effect, item, parent).await;
            }
            // Whoever makes an issue once for an effect says so before it says no.
            Fault::Reject(_) if self.made_once(tenant, effect).await => {
                return self.apply(tenant, project, effect, item, parent).await;
            }
            Fault::LateApply { after } => {
                let act = Act::Create { item: item.clone(), parent: parent.map(str::to_owned) };
                self.land_later(self.due(after), tenant, project, effect, act);
            }
            _ => {}
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
        let fault = self.meet(Call::Update, tenant, project, effect.as_str(), &[]).await;
        match fault {
            Fault::Pass => return self.change(tenant, project, effect, key, change).await,
            Fault::ParentIgnored => return Attempt::Applied(()),
            Fault::LostReply | Fault::ErrorAfterApply => {
                let _ = self.change(tenant, project, effect, key, change).await;
            }
            Fault::LateApply { after } => {
                let act = Act::Update { key: key.into(), change: change.clone() };
                self.land_later(self.due(after), tenant, project, effect, act);
            }
            _ => {}
        }
        spoiled(&fault)
    }

    async fn seek(&self, tenant: &str, project: &str, marker: &EffectId) -> Attempt<Vec<Issue>> {
        match self.meet(Call::Seek, tenant, project, marker.as_str(), &[]).await {
            Fault::Pass => {}
            fault => return spoiled(&fault),
        }
        if self.faults.as_ref().is_some_and(|faults| !faults.sees(marker)) {
            return Attempt::Applied(Vec::new());
        }
        match issues::of_effect(self.documents.as_ref(), tenant, marker).await {
            Ok(found) => Attempt::Applied(found.iter().map(StoredIssue::view).collect()),
            Err(error) => unread(error),
        }
    }

    async fn find(&self, tenant: &str, project: &str, by: Option<&str>, key: &str) -> Attempt<Issue> {
        match self.meet(Call::Find, tenant, project, key, &[]).await {
            Fault::Pass => self.found(tenant, project, by, key).await,
            fault => spoiled(&fault),
        }
    }
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
        Fault::Reject(error) => rejected(vec![error.clone()]),
        _ => Attempt::Unknown { why: "the tracker did not answer in time".into() },
    }
}

#[cfg(test)]
mod dry_run;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod wrong;
