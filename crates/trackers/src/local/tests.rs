//! The local tracker: the conformance suite, every check, every fault, and its storage.

use throughline_engine::Language;
use throughline_engine::Millis;
use throughline_engine::data::fault::{Fault::Said, FieldFault, TrackerFault};
use throughline_engine::data::ticket::{ItemType, Part};

use super::*;
use crate::conformance::{Subject, TENANT, applied, codes, errors, member, sound};

/// Documents that let other tasks run between any two of their calls, so that races happen.
struct YieldingDocuments(MemoryDocuments);

#[async_trait]
impl Documents for YieldingDocuments {
    async fn get(
        &self,
        tenant: &str,
        collection: &str,
        key: &str,
    ) -> Result<Option<Document>, DocumentsError> {
        let found = self.0.get(tenant, collection, key).await;
        tokio::task::yield_now().await;
        found
    }

    async fn list(
        &self,
        tenant: &str,
        collection: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Document>, DocumentsError> {
        self.0.list(tenant, collection, after, limit).await
    }

    async fn write(&self, tenant: &str, writes: Vec<(String, Document)>) -> Result<bool, DocumentsError> {
        tokio::task::yield_now().await;
        self.0.write(tenant, writes).await
    }
}

pub(super) struct Local {
    pub(super) tracker: Arc<LocalTracker>,
    pub(super) faults: Arc<Faults>,
}

impl Local {
    pub(super) fn new(config: LocalConfig) -> Self {
        let faults = Arc::new(Faults::new());
        let documents = Arc::new(YieldingDocuments(MemoryDocuments::new()));
        let tracker = Arc::new(LocalTracker::new(config, documents).with_faults(faults.clone()));
        Self { tracker, faults }
    }

    fn vendor(config: LocalConfig) -> Self {
        let faults = Arc::new(Faults::new());
        let documents = Arc::new(YieldingDocuments(MemoryDocuments::new()));
        let tracker = LocalTracker::new(config, documents).with_faults(faults.clone()).promising_nothing();
        Self { tracker: Arc::new(tracker), faults }
    }

    async fn create(&self, effect: &str, title: &str) -> Attempt<Issue> {
        self.tracker.create(TENANT, "DEMO", &effect.into(), &sound(title), None).await
    }
}

#[async_trait]
impl Subject for Local {
    fn tracker(&self) -> Arc<dyn Tracker> {
        self.tracker.clone()
    }

    fn project(&self) -> &str {
        "DEMO"
    }

    fn guarded(&self) -> (&str, &str) {
        ("GUARDED", "ana")
    }

    fn private(&self) -> (&str, &str) {
        ("PRIVATE", "ana")
    }

    async fn count(&self, tenant: &str) -> usize {
        self.tracker.issues(tenant, "DEMO", None, 1_000).await.unwrap().len()
    }

    async fn comments(&self, tenant: &str, key: &str) -> Vec<String> {
        let issue = self.tracker.issue(tenant, key).await.unwrap().unwrap();
        issue.comments.into_iter().map(|comment| comment.text).collect()
    }

    async fn links(&self, tenant: &str, key: &str) -> Vec<String> {
        let issue = self.tracker.issue(tenant, key).await.unwrap().unwrap();
        issue.links.into_iter().map(|link| link.key).collect()
    }

    fn lose_next_answer(&self) -> bool {
        self.faults.push(Call::Create, Fault::LostReply);
        true
    }
}

crate::tracker_conformance!(Local::new(open()));

mod vendor {
    //! The suite for a vendor without idempotence.
    use super::*;

    crate::tracker_conformance!(Local::vendor(open()));
}

/// `DEMO` takes anything from anybody, `GUARDED` from one person, and `PRIVATE` is visible to one.
pub(super) fn open() -> LocalConfig {
    let guarded = ProjectConfig { create: vec!["user:ana".into()], ..ProjectConfig::default() };
    let mut config = LocalConfig::default();
    config.projects.insert("GUARDED".into(), guarded);
    let private = ProjectConfig { browse: vec!["user:ana".into()], ..ProjectConfig::default() };
    config.projects.insert("PRIVATE".into(), private);
    config
}

#[tokio::test]
async fn a_reference_to_an_issue_that_exists_passes() {
    let local = Local::new(LocalConfig::default());
    applied(local.create("fx_1", "First").await);
    let mut second = sound("Second");
    second.fields.insert(Part::Dependencies, "after (DEMO-1)".into());
    applied(local.tracker.check(TENANT, "DEMO", None, std::slice::from_ref(&second)).await);
}

/// Naming an issue does not reveal to somebody who may not see it that it exists.
#[tokio::test]
async fn a_reference_to_what_may_not_be_seen_is_to_nothing() {
    let local = Local::new(open());
    applied(local.tracker.create(TENANT, "PRIVATE", &"fx_1".into(), &sound("First"), None).await);
    let mut second = sound("Second");
    second.fields.insert(Part::Dependencies, "after PRIVATE-1".into());
    let check = async |by| local.tracker.check(TENANT, "DEMO", by, std::slice::from_ref(&second)).await;
    applied(check(Some("ana")).await);
    for by in [None, Some("bob")] {
        let errors = errors(check(by).await);
        assert_eq!(
            (errors.len(), errors[0].text.text(Language::En).as_str()),
            (1, "There is no issue PRIVATE-1"),
            "{by:?}"
        );
    }
}

#[tokio::test]
async fn keys_count_up_and_issues_are_read_back_in_order() {
    let local = Local::new(LocalConfig::default());
    for n in 1..=12 {
        let made = applied(local.create(&format!("fx_{n}"), &format!("Number {n}")).await);
        assert_eq!(
            (made.key.as_str(), made.url.as_deref()),
            (&*format!("DEMO-{n}"), Some(&*format!("/tracker/DEMO-{n}")))
        );
    }
    let keys = |issues: Vec<StoredIssue>| issues.into_iter().map(|i| i.key).collect::<Vec<_>>();
    let page = local.tracker.issues(TENANT, "DEMO", Some("DEMO-9"), 2).await.unwrap();
    assert_eq!(keys(page), ["DEMO-10", "DEMO-11"], "by number, not by text");
    let found = local.tracker.search(TENANT, "DEMO", "number 12", None, 9).await.unwrap();
    assert_eq!((keys(found.issues), found.next), (vec!["DEMO-12".to_owned()], None));
    let found = local.tracker.search(TENANT, "DEMO", "NUMBER", Some("DEMO-2"), 2).await.unwrap();
    assert_eq!(
        (keys(found.issues), found.next.as_deref()),
        (vec!["DEMO-3".into(), "DEMO-4".into()], Some("DEMO-4"))
    );
    let read = local.tracker.issue(TENANT, "DEMO-3").await.unwrap().unwrap();
    assert_eq!((read.item, read.effect), (sound("Number 3"), "fx_3".into()));
    assert_eq!(local.tracker.issue(TENANT, "DEMO-13").await.unwrap(), None);
}

#[tokio::test]
async fn found_by_key_in_any_case_and_by_link() {
    let local = Local::new(LocalConfig::default());
    applied(local.create("fx_1", "Here").await);
    for named in ["DEMO-1", " demo-1 ", "/tracker/DEMO-1", "https://bot.example.org/tracker/DEMO-1/"] {
        assert_eq!(applied(local.tracker.find(TENANT, "DEMO", None, named).await).key, "DEMO-1", "{named}");
    }
    assert_eq!(codes(local.tracker.find(TENANT, "DEMO", None, "DEMO-2").await), ["check.reference"]);
}

#[tokio::test]
async fn every_fault_ends_as_the_protocol_says() {
    let text = |field: &str| FieldFault::new("check.required", field, Said("Team is required".into()));
    // Fault, outcome, issues right after, issues once everything landed.
    let table: Vec<(Fault, &str, usize, usize)> = vec![
        (Fault::Pass, "applied", 1, 1),
        (Fault::Refused, "not applied", 0, 0),
        (Fault::RateLimited { retry_after: Some(7_000) }, "not applied after 7000", 0, 0),
        (Fault::ErrorBeforeApply, "unknown", 0, 0),
        (Fault::ErrorAfterApply, "unknown", 1, 1),
        (Fault::LostReply, "unknown", 1, 1),
        (Fault::LateApply { after: 0 }, "unknown", 0, 1),
        (Fault::Slow { span: 20_000 }, "applied", 1, 1),
        (Fault::Reject(text("team")), "rejected team", 0, 0),
    ];
    for (fault, told, now, landed) in table {
        let local = Local::new(LocalConfig::default());
        local.faults.push(None, fault.clone());
        let attempt = local.create("fx_1", "Log in").await;
        let seen = match attempt {
            Attempt::Applied(_) => "applied".to_owned(),
            Attempt::NotApplied { hint: Some(hint), .. } => format!("not applied after {hint}"),
            Attempt::NotApplied { hint: None, .. } => "not applied".to_owned(),
            Attempt::Unknown { .. } => "unknown".to_owned(),
            Attempt::Rejected { errors, .. } => format!("rejected {}", errors[0].field),
        };
        assert_eq!(seen, told, "{fault:?}");
        assert_eq!(local.count(TENANT).await, now, "{fault:?}, right after");
        local.tracker.land_late().await;
        assert_eq!(local.count(TENANT).await, landed, "{fault:?}, landed");
        applied(local.create("fx_1", "Log in").await);
        assert_eq!(local.count(TENANT).await, 1, "{fault:?}, tried again");
    }
}

#[tokio::test]
async fn a_late_request_lands_before_the_next_call_and_its_retry_is_the_same_issue() {
    let local = Local::new(LocalConfig::default());
    local.faults.push(Call::Create, Fault::LateApply { after: 0 });
    local.create("fx_1", "LateRequest").await;
    let retried = applied(local.create("fx_1", "LateRequest").await);
    assert_eq!((retried.key.as_str(), local.count(TENANT).await), ("DEMO-1", 1));
    assert_eq!((local.faults.create_requests(), local.faults.count(Call::Check)), (2, 0));
}

/// Documents that cannot be reached, or that lose the answer to a write.
struct FailingDocuments(DocumentsError);

#[async_trait]
impl Documents for FailingDocuments {
    async fn get(&self, _: &str, _: &str, _: &str) -> Result<Option<Document>, DocumentsError> {
        match &self.0 {
            DocumentsError::Unknown { .. } => Ok(None),
            unavailable => Err(unavailable.clone()),
        }
    }

    async fn list(&self, _: &str, _: &str, _: Option<&str>, _: u32) -> Result<Vec<Document>, DocumentsError> {
        Err(self.0.clone())
    }

    async fn write(&self, _: &str, _: Vec<(String, Document)>) -> Result<bool, DocumentsError> {
        Err(self.0.clone())
    }
}

#[tokio::test]
async fn a_broken_store_is_told_for_what_it_is() {
    let unavailable = DocumentsError::Unavailable { act: "read a document", why: "disk full".into() };
    let unknown = DocumentsError::Unknown { why: "connection lost".into() };
    let tracker = |error| LocalTracker::new(LocalConfig::default(), Arc::new(FailingDocuments(error)));
    let create = |tracker: LocalTracker| async move {
        tracker.create(TENANT, "DEMO", &"fx_1".into(), &sound("t"), None).await
    };
    let Attempt::NotApplied { why, .. } = create(tracker(unavailable)).await else {
        panic!("nothing was written")
    };
    let kept = TrackerFault::Storage { why: "cannot read a document: disk full".into() };
    assert_eq!(why, kept.into());
    let Attempt::Unknown { why: lost } = create(tracker(unknown)).await else { panic!("it may be written") };
    // The store's words are for who operates it, in English; people are told in their language.
    for told in [&why, &lost].map(|why| why.text(Language::De)) {
        assert!(told.contains("Tracker") && !told.contains("disk") && !told.contains("connection"), "{told}");
    }
}

/// Documents that always lose the race.
struct Crowded;

#[async_trait]
impl Documents for Crowded {
    async fn get(&self, _: &str, _: &str, _: &str) -> Result<Option<Document>, DocumentsError> {
        Ok(None)
    }

    async fn list(&self, _: &str, _: &str, _: Option<&str>, _: u32) -> Result<Vec<Document>, DocumentsError> {
        Ok(Vec::new())
    }

    async fn write(&self, _: &str, _: Vec<(String, Document)>) -> Result<bool, DocumentsError> {
        Ok(false)
    }
}

#[tokio::test]
async fn a_create_that_always_loses_gives_up_and_says_nothing_was_applied() {
    let tracker = LocalTracker::new(LocalConfig::default(), Arc::new(Crowded));
    let attempt = tracker.create(TENANT, "DEMO", &"fx_1".into(), &sound("t"), None).await;
    assert!(matches!(attempt, Attempt::NotApplied { .. }), "{attempt:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_hundred_creates_on_threads_take_a_hundred_keys() {
    let local = Local::new(LocalConfig::default());
    let tasks: Vec<_> = (0..100)
        .map(|n| {
            let tracker = local.tracker.clone();
            tokio::spawn(async move {
                applied(tracker.create(TENANT, "DEMO", &EffectId(format!("fx_{n}")), &sound("t"), None).await)
                    .key
            })
        })
        .collect();
    let mut keys = std::collections::BTreeSet::new();
    for task in tasks {
        keys.insert(task.await.unwrap());
    }
    assert_eq!((keys.len(), local.count(TENANT).await), (100, 100));
}

/// The stories of an epic, the issues that name one, and comments are kept in order.
#[tokio::test]
async fn epics_know_their_stories_and_issues_who_names_them() {
    let local = Local::new(LocalConfig::default());
    let key = |n: usize| format!("DEMO-{n}");
    let create = |n: usize, item: Item, under: Option<&'static str>| {
        let tracker = local.tracker.clone();
        async move { applied(tracker.create(TENANT, "DEMO", &EffectId(format!("fx_{n}")), &item, under).await) }
    };
    create(1, member(ItemType::Epic, "First", None), None).await;
    create(2, member(ItemType::Epic, "Second", None), None).await;
    for n in 3..=11 {
        create(n, member(ItemType::Story, "A story", Some("First")), Some("DEMO-1")).await;
    }
    let mut names = member(ItemType::Task, "Names two", None);
    names.fields.insert(Part::Dependencies, "blocks: DEMO-3\nafter DEMO-3 and DEMO-4".into());
    create(12, names, None).await;
    let keys = |issues: Vec<StoredIssue>| issues.into_iter().map(|i| i.key).collect::<Vec<_>>();
    let tracker = &local.tracker;
    assert_eq!(
        keys(tracker.stories(TENANT, "DEMO-1", 99).await.unwrap()),
        (3..=11).map(key).collect::<Vec<_>>()
    );
    assert_eq!(
        keys(tracker.referencing(TENANT, "DEMO-3", 99).await.unwrap()),
        ["DEMO-12"],
        "once, however often"
    );
    let made = tracker.issue(TENANT, "DEMO-12").await.unwrap().unwrap();
    let links: Vec<_> = made.links.iter().map(|l| (l.kind.as_str(), l.key.as_str())).collect();
    assert_eq!(links, [("blocks", "DEMO-3"), ("depends on", "DEMO-3"), ("depends on", "DEMO-4")]);

    let change = IssueChange::Parent("DEMO-2".into());
    applied(tracker.update(TENANT, "DEMO", None, &"fx_13".into(), "DEMO-4", &change).await);
    assert_eq!(tracker.stories(TENANT, "DEMO-1", 99).await.unwrap().len(), 8, "it moved");
    assert_eq!(keys(tracker.stories(TENANT, "DEMO-2", 99).await.unwrap()), ["DEMO-4"]);
}

/// A project's required fields are read anew at every dry run, and by the create.
#[tokio::test]
async fn a_field_that_becomes_required_is_found_by_the_next_dry_run() {
    let local = Local::new(LocalConfig::default());
    let check = || async { local.tracker.check(TENANT, "DEMO", None, &[sound("Log in")]).await };
    applied(check().await);
    local.tracker.reconfigure(|config| {
        config.projects.get_mut("DEMO").unwrap().required.push(Part::Risks);
    });
    assert_eq!(codes(check().await), ["check.required"]);
    assert_eq!(codes(local.create("fx_1", "Log in").await), ["check.required"]);
    assert_eq!(local.count(TENANT).await, 0);
}

/// A clock that advances when it is told to.
#[derive(Default)]
struct ManualClock(std::sync::atomic::AtomicI64);

#[async_trait]
impl FaultClock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(std::sync::atomic::Ordering::SeqCst))
    }

    async fn pass(&self, span: Millis) {
        self.0.fetch_add(span, std::sync::atomic::Ordering::SeqCst);
    }
}

fn timed(lag: Lag) -> (Local, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::default());
    let faults = Arc::new(Faults::new().with_clock(clock.clone()).with_lag(lag));
    let tracker = LocalTracker::new(LocalConfig::default(), Arc::new(MemoryDocuments::new()));
    (Local { tracker: Arc::new(tracker.with_faults(faults.clone())), faults }, clock)
}

#[tokio::test]
async fn a_search_lags_and_a_look_by_key_does_not() {
    let seen = |local: &Local| {
        let tracker = local.tracker.clone();
        async move { applied(tracker.seek(TENANT, "DEMO", &"fx_1".into()).await).len() }
    };
    let (local, clock) = timed(Lag::For(60_000));
    applied(local.create("fx_1", "Indexed later").await);
    clock.pass(59_999).await;
    assert_eq!(seen(&local).await, 0);
    applied(local.tracker.find(TENANT, "DEMO", None, "DEMO-1").await);
    clock.pass(1).await;
    assert_eq!(seen(&local).await, 1);

    let (local, _) = timed(Lag::Searches(2));
    applied(local.create("fx_1", "Indexed later").await);
    assert_eq!([seen(&local).await, seen(&local).await, seen(&local).await], [0, 0, 1]);
}

#[tokio::test]
async fn what_is_late_comes_at_its_time_and_what_is_slow_takes_it() {
    let (local, clock) = timed(Lag::None);
    local.faults.push(Call::Create, Fault::LateApply { after: 60_000 });
    local.create("fx_1", "LateRequest").await;
    let look = || async { local.tracker.find(TENANT, "DEMO", None, "DEMO-1").await };
    assert_eq!(codes(look().await), ["check.reference"]);
    clock.pass(60_000).await;
    assert_eq!(applied(look().await).title, "LateRequest");
    local.faults.push(Call::Create, Fault::Slow { span: 20_000 });
    applied(local.create("fx_2", "Slow").await);
    assert_eq!(clock.now(), Timestamp(80_000));
}

/// A vendor without idempotence makes two issues of one create, and a search finds both, the older one first.
#[tokio::test]
async fn a_create_made_twice_is_two_issues_where_nothing_is_promised() {
    let local = Local::vendor(LocalConfig::default());
    for _ in 0..2 {
        applied(local.create("fx_1", "Doubled").await);
    }
    let found = applied(local.tracker.seek(TENANT, "DEMO", &"fx_1".into()).await);
    assert_eq!(found.iter().map(|issue| issue.key.as_str()).collect::<Vec<_>>(), ["DEMO-1", "DEMO-2"]);
}

#[tokio::test]
async fn a_parent_that_is_ignored_is_seen_by_reading_back_and_set_afterwards() {
    let local = Local::new(LocalConfig::default());
    let tracker = &local.tracker;
    applied(tracker.create(TENANT, "DEMO", &"fx_1".into(), &member(ItemType::Epic, "e", None), None).await);
    let story = member(ItemType::Story, "s", Some("e"));
    local.faults.push(Call::Create, Fault::ParentIgnored);
    local.faults.push(Call::Update, Fault::ParentIgnored);
    let made = applied(tracker.create(TENANT, "DEMO", &"fx_2".into(), &story, Some("DEMO-1")).await);
    let parent = || async { applied(tracker.find(TENANT, "DEMO", None, &made.key).await).parent };
    let set = || async {
        let change = IssueChange::Parent("DEMO-1".into());
        applied(tracker.update(TENANT, "DEMO", None, &"fx_3".into(), &made.key, &change).await);
    };
    assert_eq!(parent().await, None);
    set().await;
    assert_eq!(parent().await, None, "ignored again");
    set().await;
    assert_eq!(parent().await.as_deref(), Some("DEMO-1"));
}

#[tokio::test]
async fn the_fourth_of_six_fails_for_good_and_the_others_do_not() {
    let local = Local::new(LocalConfig::default());
    let fault = Fault::Reject(FieldFault::new("check.value", "labels", Said("No".into())));
    local.faults.script(ScriptedFault { on: Some(Call::Create), item: Some(ItemMatch::Nth(4)), fault });
    for n in 1..=6 {
        let attempt = local.create(&format!("fx_{n}"), &format!("Number {n}")).await;
        if n == 4 {
            assert_eq!(errors(attempt)[0].field, "labels");
        } else {
            applied(attempt);
        }
    }
    assert_eq!((local.count(TENANT).await, local.faults.create_requests()), (5, 6));
}
