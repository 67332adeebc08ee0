//! Negative controls: trackers with one defect each, and the test of the suite that must find it.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};

use throughline_engine::data::ticket::ItemType;

use super::tests::{Local, open};
use super::*;
use crate::conformance::{self, Subject, member};

/// A defect of a tracker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Defect {
    CreatesInTheDryRun,
    ChecksOnlyTheFirst,
    ForgetsWhichItem,
    TakesACircle,
    TakesAnybody,
    ShowsAnybody,
    ChangesForAnybody,
    LinksForAnybody,
    IgnoresTheParent,
    ForgetsTheParent,
    TakesAnyParent,
    CommentsTwice,
    KeepsItsState,
    MakesTwo,
    FindsNoMarker,
    MixesTenants,
    SaysLostIsRejected,
}

struct DefectiveTracker {
    defect: Defect,
    inner: Local,
    calls: AtomicUsize,
}

#[async_trait]
impl Tracker for DefectiveTracker {
    fn guarantee(&self) -> Guarantee {
        Guarantee::Idempotent
    }

    async fn check(&self, tenant: &str, project: &str, by: Option<&str>, items: &[Item]) -> Attempt<()> {
        let tracker = &self.inner.tracker;
        match self.defect {
            Defect::CreatesInTheDryRun => {
                for item in items {
                    let effect = EffectId(format!("dry_{}", self.calls.fetch_add(1, Ordering::SeqCst)));
                    let _ = tracker.create(tenant, project, &effect, item, None).await;
                }
            }
            Defect::ChecksOnlyTheFirst => {
                return tracker.check(tenant, project, by, &items[..1.min(items.len())]).await;
            }
            Defect::TakesACircle if items.len() > 1 => return Attempt::Applied(()),
            Defect::TakesAnybody => return tracker.check(tenant, project, Some("ana"), items).await,
            _ => {}
        }
        match tracker.check(tenant, project, by, items).await {
            Attempt::Rejected { text, mut errors } if self.defect == Defect::ForgetsWhichItem => {
                errors.iter_mut().for_each(|error| error.item.clear());
                Attempt::Rejected { text, errors }
            }
            attempt => attempt,
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
        let effect = match self.defect {
            Defect::MakesTwo => EffectId(format!("{effect}_{}", self.calls.fetch_add(1, Ordering::SeqCst))),
            _ => effect.clone(),
        };
        let parent = parent.filter(|_| self.defect != Defect::IgnoresTheParent);
        let tenant = if self.defect == Defect::MixesTenants { conformance::TENANT } else { tenant };
        match self.inner.tracker.create(tenant, project, &effect, item, parent).await {
            Attempt::Unknown { why } if self.defect == Defect::SaysLostIsRejected => {
                Attempt::Rejected { text: why, errors: Vec::new() }
            }
            attempt => attempt,
        }
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
        let n = self.calls.fetch_add(1, Ordering::SeqCst);
        let by = if self.defect == Defect::ChangesForAnybody { Some("ana") } else { by };
        match (self.defect, change) {
            (Defect::LinksForAnybody, IssueChange::Link(_)) => {
                return self.inner.tracker.update(tenant, project, Some("ana"), effect, key, change).await;
            }
            (Defect::TakesAnyParent, IssueChange::Parent(_)) => return Attempt::Applied(()),
            (Defect::KeepsItsState, IssueChange::State(_)) => return Attempt::Applied(()),
            (Defect::CommentsTwice, IssueChange::Comment(_)) => {
                let again = EffectId(format!("{effect}_{n}"));
                return self.inner.tracker.update(tenant, project, by, &again, key, change).await;
            }
            _ => {}
        }
        self.inner.tracker.update(tenant, project, by, effect, key, change).await
    }

    async fn seek(&self, tenant: &str, project: &str, marker: &EffectId) -> Attempt<Vec<Issue>> {
        match self.defect {
            Defect::FindsNoMarker => Attempt::Applied(Vec::new()),
            Defect::MixesTenants => self.inner.tracker.seek(conformance::TENANT, project, marker).await,
            _ => self.inner.tracker.seek(tenant, project, marker).await,
        }
    }

    async fn find(&self, tenant: &str, project: &str, by: Option<&str>, key: &str) -> Attempt<Issue> {
        let by = if self.defect == Defect::ShowsAnybody { Some("ana") } else { by };
        let found = self.inner.tracker.find(tenant, project, by, key).await;
        if self.defect == Defect::ForgetsTheParent {
            return found.map(|issue| Issue { parent: None, ..issue });
        }
        found
    }
}

struct DefectiveSubject(Arc<DefectiveTracker>);

#[async_trait]
impl Subject for DefectiveSubject {
    fn tracker(&self) -> Arc<dyn Tracker> {
        self.0.clone()
    }

    fn project(&self) -> &str {
        self.0.inner.project()
    }

    fn guarded(&self) -> (&str, &str) {
        self.0.inner.guarded()
    }

    fn private(&self) -> (&str, &str) {
        self.0.inner.private()
    }

    async fn count(&self, tenant: &str) -> usize {
        self.0.inner.count(tenant).await
    }

    async fn comments(&self, tenant: &str, key: &str) -> Vec<String> {
        self.0.inner.comments(tenant, key).await
    }

    async fn links(&self, tenant: &str, key: &str) -> Vec<String> {
        self.0.inner.links(tenant, key).await
    }

    fn lose_next_answer(&self) -> bool {
        self.0.inner.lose_next_answer()
    }
}

type Test = fn(DefectiveSubject) -> Pin<Box<dyn Future<Output = ()> + Send>>;

macro_rules! tests {
    ($($defect:ident: $test:ident),* $(,)?) => {
        [$((Defect::$defect, stringify!($test), (|s| Box::pin(async move { conformance::$test(&s).await })) as Test)),*]
    };
}

#[tokio::test]
async fn the_suite_finds_every_defect() {
    let table = tests![
        CreatesInTheDryRun: a_dry_run_creates_nothing,
        ChecksOnlyTheFirst: checks_a_whole_batch_at_once,
        ForgetsWhichItem: checks_a_whole_batch_at_once,
        TakesACircle: refuses_a_batch_that_does_not_hang_together,
        TakesAnybody: only_who_may_creates,
        ShowsAnybody: only_who_may_sees,
        ChangesForAnybody: only_who_may_see_changes,
        LinksForAnybody: only_who_may_see_changes,
        IgnoresTheParent: a_story_is_read_back_under_its_epic,
        ForgetsTheParent: a_parent_is_set_once_however_often,
        TakesAnyParent: changes_nothing_that_is_not_there,
        CommentsTwice: a_comment_is_made_once,
        KeepsItsState: what_is_set_is_set_once,
        MakesTwo: one_effect_makes_one_issue,
        FindsNoMarker: a_marker_finds_what_it_marks,
        MixesTenants: tenants_never_mix,
        SaysLostIsRejected: a_lost_answer_makes_no_second_issue,
    ];
    for (defect, name, test) in table {
        let tracker = DefectiveTracker { defect, inner: Local::new(open()), calls: AtomicUsize::new(0) };
        let ended = tokio::spawn(test(DefectiveSubject(Arc::new(tracker)))).await;
        assert!(ended.is_err_and(|error| error.is_panic()), "{name} passed a tracker that {defect:?}");
    }
}

/// The tests that find a defect pass where there is none: the same wrapper around a correct tracker.
#[tokio::test]
async fn a_wrapper_without_a_defect_passes() {
    // This defect shows only where an answer is lost.
    let right = || {
        let tracker = DefectiveTracker {
            defect: Defect::SaysLostIsRejected,
            inner: Local::new(open()),
            calls: AtomicUsize::new(0),
        };
        DefectiveSubject(Arc::new(tracker))
    };
    conformance::a_dry_run_creates_nothing(&right()).await;
    conformance::checks_a_whole_batch_at_once(&right()).await;
    conformance::only_who_may_creates(&right()).await;
    conformance::only_who_may_see_changes(&right()).await;
    conformance::a_parent_is_set_once_however_often(&right()).await;
    conformance::a_comment_is_made_once(&right()).await;
    conformance::what_is_set_is_set_once(&right()).await;
    conformance::one_effect_makes_one_issue(&right()).await;
    conformance::tenants_never_mix(&right()).await;
    let epic = member(ItemType::Epic, "e", None);
    assert!(matches!(right().tracker().check("t", "DEMO", None, &[epic]).await, Attempt::Applied(())));
}
