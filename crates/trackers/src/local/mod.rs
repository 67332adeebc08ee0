//! The embedded tracker: projects from the configuration, issues in documents, keys `DEMO-1`, `DEMO-2`, …
//!
//! A create is idempotent on its effect id. Key, issue and indexes are written in one compare-and-swap, so that
//! concurrent creates never share a key and a crash leaves either all of an issue or nothing.
//!
//! `checks.rs` is the dry run, `schema.rs` the rules of single fields, `issues.rs` the storage of issues,
//! `operations.rs` each operation, `faults.rs` scripted faults.

mod checks;
mod config;
mod documents;
mod faults;
mod issues;
mod operations;
mod outcome;
mod schema;

pub use crate::common_checks::{MAX_BODY, MAX_LINE};
pub use crate::links::Link;
pub use crate::project::{ChildLink, Permission};
pub use config::{LocalConfig, ProjectConfig};
pub use documents::{Document, Documents, DocumentsError, MemoryDocuments};
pub use faults::{Call, Fault, FaultClock, Faults, ItemMatch, Lag, Request, ScriptedFault};
pub use issues::{Comment, SearchPage, StoredIssue, holds_words};
pub use schema::{FieldKind, FieldRule};

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use async_trait::async_trait;
use throughline_engine::data::effect::{Attempt, IssueChange};
use throughline_engine::data::fault::TrackerFault;
use throughline_engine::data::ticket::Item;
use throughline_engine::retry::Guarantee;
use throughline_engine::{EffectId, Timestamp};

use crate::project::rejected;
use crate::{Issue, Tracker};
use outcome::read_failed;

/// The embedded tracker.
pub struct LocalTracker {
    config: RwLock<Arc<LocalConfig>>,
    documents: Arc<dyn Documents>,
    guarantee: Guarantee,
    faults: Option<Arc<Faults>>,
    /// Requests that arrive later ([`Fault::LateApply`]).
    late: Mutex<Vec<LateRequest>>,
}

struct LateRequest {
    due: Timestamp,
    tenant: String,
    project: String,
    effect: EffectId,
    act: LateAct,
}

/// The act of a late request.
#[derive(Clone)]
enum LateAct {
    Create { item: Item, parent: Option<String> },
    Update { by: Option<String>, key: String, change: IssueChange },
}

impl LocalTracker {
    /// Creates the tracker over its documents.
    #[must_use]
    pub fn new(config: LocalConfig, documents: Arc<dyn Documents>) -> Self {
        let config = RwLock::new(Arc::new(config));
        let guarantee = Guarantee::Idempotent;
        Self { config, documents, guarantee, faults: None, late: Mutex::default() }
    }

    /// Uses these faults and their journal.
    #[must_use]
    pub fn with_faults(mut self, faults: Arc<Faults>) -> Self {
        self.faults = Some(faults);
        self
    }

    /// Behaves like a vendor without idempotence: a create made twice makes two issues.
    #[must_use]
    pub fn promising_nothing(mut self) -> Self {
        self.guarantee = Guarantee::Nothing;
        self
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> Arc<LocalConfig> {
        self.config.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes the configuration for every call from now on. Nothing of the old one is cached, so a dry run is never
    /// older than the configuration.
    pub fn reconfigure(&self, change: impl FnOnce(&mut LocalConfig)) {
        let mut config = self.config.write().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut config));
    }

    /// The stored issue with that key.
    ///
    /// # Errors
    ///
    /// The documents cannot be read.
    pub async fn issue(&self, tenant: &str, key: &str) -> Result<Option<StoredIssue>, DocumentsError> {
        issues::read(self.documents.as_ref(), tenant, key).await
    }

    /// Issues of a project, oldest first, after the key `after`.
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

    /// Issues of a project that hold every word of `words` in key, title or text, oldest first, after the key
    /// `after`. Looks through at most 2,000 issues and returns the key to continue after.
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
    ) -> Result<SearchPage, DocumentsError> {
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

    /// The issues that name this one as a dependency, in the order of their keys.
    ///
    /// # Errors
    ///
    /// As [`Self::issue`].
    pub async fn referencing(
        &self,
        tenant: &str,
        key: &str,
        limit: u32,
    ) -> Result<Vec<StoredIssue>, DocumentsError> {
        issues::referencing(self.documents.as_ref(), tenant, key, limit).await
    }

    /// Lets every request of [`Fault::LateApply`] arrive now.
    pub async fn land_late(&self) {
        self.land(None).await;
    }

    /// Lets the late requests arrive that are due; all of them without a time.
    async fn land(&self, by: Option<Timestamp>) {
        let arrived: Vec<LateRequest> = {
            let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
            late.extract_if(.., |late| by.is_none_or(|by| late.due <= by)).collect()
        };
        for LateRequest { tenant, project, effect, act, .. } in arrived {
            // Nobody waits for the answer any more.
            match act {
                LateAct::Create { item, parent } => {
                    let _ = self.apply(&tenant, &project, &effect, &item, parent.as_deref()).await;
                }
                LateAct::Update { by, key, change } => {
                    let _ = self.change(&tenant, &project, by.as_deref(), &effect, &key, &change).await;
                }
            }
        }
    }

    fn land_later(&self, due: Timestamp, tenant: &str, project: &str, effect: &EffectId, act: LateAct) {
        let late =
            LateRequest { due, tenant: tenant.into(), project: project.into(), effect: effect.clone(), act };
        self.late.lock().unwrap_or_else(PoisonError::into_inner).push(late);
    }

    /// Takes the fault of this call. One that only delays the call, or happens before it, is over when this returns.
    async fn next_fault(
        &self,
        call: Call,
        tenant: &str,
        project: &str,
        about: &str,
        items: &[Item],
    ) -> Fault {
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

    /// True if the effect has created its issue, or a late request will, and the tracker is idempotent.
    async fn created_once(&self, tenant: &str, effect: &EffectId) -> bool {
        let made = issues::created_by(self.documents.as_ref(), tenant, effect).await;
        let late = || self.late.lock().unwrap_or_else(PoisonError::into_inner);
        let comes = || late().iter().any(|late| late.tenant == tenant && late.effect == *effect);
        self.guarantee == Guarantee::Idempotent && (made.is_ok_and(|made| !made.is_empty()) || comes())
    }

    /// The time a late request arrives.
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
        match self.next_fault(Call::Check, tenant, project, "", items).await {
            Fault::Pass => self.check_items(tenant, project, by, items).await,
            fault => fault_outcome(&fault),
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
        let fault = self.next_fault(Call::Create, tenant, project, effect.as_str(), of).await;
        match fault {
            Fault::Pass => return self.apply(tenant, project, effect, item, parent).await,
            Fault::ParentIgnored => return self.apply(tenant, project, effect, item, None).await,
            Fault::LostReply | Fault::ErrorAfterApply => {
                let _ = self.apply(tenant, project, effect, item, parent).await;
            }
            // An idempotent tracker answers with the issue that exists before it refuses.
            Fault::Reject(_) if self.created_once(tenant, effect).await => {
                return self.apply(tenant, project, effect, item, parent).await;
            }
            Fault::LateApply { after } => {
                let act = LateAct::Create { item: item.clone(), parent: parent.map(str::to_owned) };
                self.land_later(self.due(after), tenant, project, effect, act);
            }
            _ => {}
        }
        fault_outcome(&fault)
    }

    async fn update(
        &self,
        tenant: &str,
        project: &str,
        by: Option<&str>,
        effect: &EffectId,
        key: &str,
        change: &IssueChange,
    ) -> Attempt<()> {
        let fault = self.next_fault(Call::Update, tenant, project, effect.as_str(), &[]).await;
        match fault {
            Fault::Pass => return self.change(tenant, project, by, effect, key, change).await,
            Fault::ParentIgnored => return Attempt::Applied(()),
            Fault::LostReply | Fault::ErrorAfterApply => {
                let _ = self.change(tenant, project, by, effect, key, change).await;
            }
            Fault::LateApply { after } => {
                let by = by.map(str::to_owned);
                let act = LateAct::Update { by, key: key.into(), change: change.clone() };
                self.land_later(self.due(after), tenant, project, effect, act);
            }
            _ => {}
        }
        fault_outcome(&fault)
    }

    async fn seek(&self, tenant: &str, project: &str, marker: &EffectId) -> Attempt<Vec<Issue>> {
        match self.next_fault(Call::Seek, tenant, project, marker.as_str(), &[]).await {
            Fault::Pass => {}
            fault => return fault_outcome(&fault),
        }
        if self.faults.as_ref().is_some_and(|faults| !faults.sees(marker)) {
            return Attempt::Applied(Vec::new());
        }
        match issues::created_by(self.documents.as_ref(), tenant, marker).await {
            Ok(found) => Attempt::Applied(found.iter().map(StoredIssue::view).collect()),
            Err(error) => read_failed(error),
        }
    }

    async fn find(&self, tenant: &str, project: &str, by: Option<&str>, key: &str) -> Attempt<Issue> {
        match self.next_fault(Call::Find, tenant, project, key, &[]).await {
            Fault::Pass => self.find_issue(tenant, project, by, key).await,
            fault => fault_outcome(&fault),
        }
    }
}

/// The outcome of a scripted fault.
fn fault_outcome<T>(fault: &Fault) -> Attempt<T> {
    match fault {
        Fault::Refused => Attempt::NotApplied { why: TrackerFault::Unreachable.into(), hint: None },
        Fault::RateLimited { retry_after } => {
            Attempt::NotApplied { why: TrackerFault::SlowDown.into(), hint: *retry_after }
        }
        Fault::ErrorBeforeApply | Fault::ErrorAfterApply => {
            Attempt::Unknown { why: TrackerFault::Failed { status: 503 }.into() }
        }
        Fault::Reject(error) => rejected(vec![error.clone()]),
        _ => Attempt::Unknown { why: TrackerFault::Silent.into() },
    }
}

#[cfg(test)]
mod dry_run;
#[cfg(test)]
mod negative_controls;
#[cfg(test)]
mod tests;
