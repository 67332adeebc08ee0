//! The local tracker against the suite, every check it has, every fault, and its own storage.

use std::collections::BTreeMap;

use throughline_engine::tickets::{ItemType, Part};

use super::*;
use crate::conformance::{Subject, TENANT, applied, codes, item, sound};

/// Documents that let other tasks in between any two of their calls, so that races happen.
struct Yielding(MemoryDocuments);

#[async_trait]
impl Documents for Yielding {
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

struct Local {
    tracker: Arc<LocalTracker>,
    faults: Arc<Faults>,
}

impl Local {
    fn new(config: LocalConfig) -> Self {
        let faults = Arc::new(Faults::new());
        let documents = Arc::new(Yielding(MemoryDocuments::new()));
        let tracker = Arc::new(LocalTracker::new(config, documents).with_faults(faults.clone()));
        Self { tracker, faults }
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

    async fn count(&self, tenant: &str) -> usize {
        self.tracker.issues(tenant, "DEMO", None, 1_000).await.unwrap().len()
    }

    fn lose_next_answer(&self) -> bool {
        self.faults.push(Call::Create, Fault::LostReply);
        true
    }
}

crate::tracker_conformance!(Local::new(LocalConfig::default()));

fn strict() -> LocalConfig {
    let auth = ProjectConfig {
        name: "Log-in".into(),
        types: vec![ItemType::Bug, ItemType::Task],
        required: vec![Part::Title, Part::Acceptance],
        fields: vec![Part::Problem, Part::Labels, Part::Dependencies],
        create: vec!["user:ana".into()],
        archived: false,
    };
    let open = ProjectConfig { required: Vec::new(), ..ProjectConfig::default() };
    let old = ProjectConfig { archived: true, ..ProjectConfig::default() };
    LocalConfig {
        projects: BTreeMap::from([("AUTH".into(), auth), ("OLD".into(), old), ("OPEN".into(), open)]),
    }
}

/// What it is, project, person, item, and the codes and fields of what is wrong.
type Kind<'a> = (&'a str, &'a str, Option<&'a str>, Item, &'a [(&'a str, &'a str)]);

/// R-29 for what this tracker's model has: each kind by its code and field, and 0 creates sent.
#[tokio::test]
async fn the_dry_run_catches_every_kind_it_knows() {
    let local = Local::new(strict());
    let long = "x".repeat(256);
    let huge = "y".repeat(32_768);
    let with = |fields: &[(Part, &str)]| {
        let mut sound = item(ItemType::Bug, &[(Part::Title, "t"), (Part::Acceptance, "a")]);
        sound.fields.extend(fields.iter().map(|(part, text)| (*part, (*text).to_owned())));
        sound
    };
    let ana = Some("ana");
    #[rustfmt::skip]
    let table: Vec<Kind<'_>> = vec![
        ("sound", "AUTH", ana, with(&[]), &[]),
        ("project missing", "NOPE", ana, with(&[]), &[("check.project", "project")]),
        ("project archived", "OLD", ana, with(&[]), &[("check.project", "project")]),
        ("type not offered", "AUTH", ana, Item { item_type: ItemType::Epic, ..with(&[]) }, &[("check.type", "type")]),
        ("required missing", "AUTH", ana, item(ItemType::Bug, &[(Part::Title, "t")]), &[("check.required", "acceptance")]),
        ("required blank", "AUTH", ana, with(&[(Part::Acceptance, " \n ")]), &[("check.required", "acceptance")]),
        ("required title blank", "AUTH", ana, with(&[(Part::Title, " ")]), &[("check.required", "title")]),
        ("field not on the screen", "AUTH", ana, with(&[(Part::Risks, "r")]), &[("check.field", "risks")]),
        ("title blank", "OPEN", ana, with(&[(Part::Title, " ")]), &[("check.value", "title")]),
        ("title of two lines", "AUTH", ana, with(&[(Part::Title, "a\nb")]), &[("check.value", "title")]),
        ("title too long", "AUTH", ana, with(&[(Part::Title, &long)]), &[("check.value", "title")]),
        ("label with blank", "AUTH", ana, with(&[(Part::Labels, "sso, log in")]), &[("check.value", "labels")]),
        ("label too long", "AUTH", ana, with(&[(Part::Labels, &long)]), &[("check.value", "labels")]),
        ("may not create", "AUTH", Some("bob"), with(&[]), &[("check.permission", "project")]),
        ("nobody named", "AUTH", None, with(&[]), &[("check.permission", "project")]),
        ("text too long", "AUTH", ana, with(&[(Part::Problem, &huge)]), &[("check.adf", "body")]),
        ("control character", "AUTH", ana, with(&[(Part::Problem, "a\0b")]), &[("check.adf", "problem")]),
        ("missing reference", "AUTH", ana, with(&[(Part::Dependencies, "after AUTH-7, not XYZ-1")]), &[("check.reference", "dependencies")]),
        ("no title", "OPEN", ana, item(ItemType::Bug, &[]), &[("check.shape", "title")]),
        ("all at once", "AUTH", Some("bob"), item(ItemType::Epic, &[(Part::Title, "a\nb"), (Part::Steps, "s")]), &[
            ("check.type", "type"), ("check.required", "acceptance"), ("check.field", "steps"),
            ("check.value", "title"), ("check.permission", "project"),
        ]),
    ];
    for (what, project, by, item, expected) in table {
        let found: Vec<(String, String)> =
            match local.tracker.check(TENANT, project, by, std::slice::from_ref(&item)).await {
                Attempt::Applied(()) => Vec::new(),
                Attempt::Rejected { errors, .. } => errors.into_iter().map(|e| (e.code, e.field)).collect(),
                other => panic!("{what}: {other:?}"),
            };
        let found: Vec<(&str, &str)> = found.iter().map(|(c, f)| (c.as_str(), f.as_str())).collect();
        assert_eq!(found, expected, "{what}");
    }
    assert_eq!(local.faults.create_requests(), 0);
}

#[tokio::test]
async fn a_reference_to_an_issue_that_exists_passes() {
    let local = Local::new(LocalConfig::default());
    applied(local.create("fx_1", "First").await);
    let mut second = sound("Second");
    second.fields.insert(Part::Dependencies, "after (DEMO-1)".into());
    applied(local.tracker.check(TENANT, "DEMO", None, std::slice::from_ref(&second)).await);
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
    assert_eq!(keys(local.tracker.search(TENANT, "DEMO", "number 12", 9).await.unwrap()), ["DEMO-12"]);
    let read = local.tracker.issue(TENANT, "DEMO-3").await.unwrap().unwrap();
    assert_eq!((read.item, read.effect), (sound("Number 3"), "fx_3".into()));
    assert_eq!(local.tracker.issue(TENANT, "DEMO-13").await.unwrap(), None);
}

#[tokio::test]
async fn found_by_key_in_any_case_and_by_link() {
    let local = Local::new(LocalConfig::default());
    applied(local.create("fx_1", "Here").await);
    for named in ["DEMO-1", " demo-1 ", "/tracker/DEMO-1", "https://bot.example.org/tracker/DEMO-1/"] {
        assert_eq!(applied(local.tracker.find(TENANT, "DEMO", named).await).key, "DEMO-1", "{named}");
    }
    assert_eq!(codes(local.tracker.find(TENANT, "DEMO", "DEMO-2").await), ["check.reference"]);
}

#[tokio::test]
async fn every_fault_ends_as_the_protocol_says() {
    let text = |field: &str| FieldError {
        item: String::new(),
        code: "check.required".into(),
        field: field.into(),
        text: "Team is required".into(),
    };
    // Fault, what the caller is told, issues right after, issues once everything landed.
    let table: Vec<(Fault, &str, usize, usize)> = vec![
        (Fault::Pass, "applied", 1, 1),
        (Fault::Refused, "not applied", 0, 0),
        (Fault::RateLimited { retry_after: Some(7_000) }, "not applied after 7000", 0, 0),
        (Fault::ErrorBeforeApply, "unknown", 0, 0),
        (Fault::ErrorAfterApply, "unknown", 1, 1),
        (Fault::LostReply, "unknown", 1, 1),
        (Fault::LateApply, "unknown", 0, 1),
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
    local.faults.push(Call::Create, Fault::LateApply);
    local.create("fx_1", "Late").await;
    let retried = applied(local.create("fx_1", "Late").await);
    assert_eq!((retried.key.as_str(), local.count(TENANT).await), ("DEMO-1", 1));
    assert_eq!((local.faults.create_requests(), local.faults.count(Call::Check)), (2, 0));
}

/// Documents that cannot be reached, or that lose the answer to a write.
struct Broken(DocumentsError);

#[async_trait]
impl Documents for Broken {
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
    let tracker = |error| LocalTracker::new(LocalConfig::default(), Arc::new(Broken(error)));
    let create = |tracker: LocalTracker| async move {
        tracker.create(TENANT, "DEMO", &"fx_1".into(), &sound("t"), None).await
    };
    let Attempt::NotApplied { why, .. } = create(tracker(unavailable)).await else {
        panic!("nothing was written")
    };
    assert_eq!(why, "cannot read a document: disk full");
    assert!(matches!(create(tracker(unknown)).await, Attempt::Unknown { .. }));
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
