//! What every tracker must do. An implementation's tests hold one line:
//!
//! ```ignore
//! throughline_trackers::tracker_conformance!(fresh_subject());
//! ```
//!
//! where the expression makes a [`Subject`] with nothing in it.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use throughline_engine::EffectId;
use throughline_engine::effect::{Attempt, Guarantee};
use throughline_engine::tickets::{Item, ItemType, Part};

use crate::{Issue, Tracker};

/// A tracker under test, with a look behind the contract.
#[async_trait]
pub trait Subject: Send + Sync {
    /// The tracker. It has a project [`Subject::project`] that takes every type and requires a title.
    fn tracker(&self) -> Arc<dyn Tracker>;

    /// The key of that project.
    fn project(&self) -> &str;

    /// How many issues of a tenant that project really has.
    async fn count(&self, tenant: &str) -> usize;

    /// Loses the answer of the next create, which is applied. `false`: this subject cannot.
    fn lose_next_answer(&self) -> bool;
}

/// The tenant of the suite.
pub const TENANT: &str = "acme";

/// Tests of the whole suite for one tracker.
#[macro_export]
macro_rules! tracker_conformance {
    ($subject:expr) => {
        $crate::tracker_conformance!(@tests $subject;
            takes_a_sound_item_of_every_type, a_dry_run_creates_nothing, refuses_an_unknown_project,
            refuses_what_no_tracker_takes, takes_what_just_fits, what_is_created_is_found,
            finds_nothing_that_is_not_there, one_effect_makes_one_issue, a_lost_answer_makes_no_second_issue,
            a_rejected_create_leaves_nothing, keys_never_repeat_when_creates_race, tenants_never_mix);
    };
    (@tests $subject:expr; $($name:ident),* $(,)?) => {$(
        #[tokio::test]
        async fn $name() {
            $crate::conformance::$name(&$subject).await;
        }
    )*};
}

/// An item with these fields.
#[must_use]
pub fn item(item_type: ItemType, fields: &[(Part, &str)]) -> Item {
    Item::alone(item_type, fields.iter().map(|(part, text)| (*part, (*text).to_owned())).collect())
}

/// A sound item of that title.
#[must_use]
pub fn sound(title: &str) -> Item {
    item(
        ItemType::Task,
        &[(Part::Title, title), (Part::Problem, "It is slow"), (Part::Acceptance, "It is fast")],
    )
}

/// The value of an attempt that was applied.
///
/// # Panics
///
/// It was not.
#[track_caller]
pub fn applied<T: std::fmt::Debug>(attempt: Attempt<T>) -> T {
    match attempt {
        Attempt::Applied(value) => value,
        other => panic!("expected applied, got {other:?}"),
    }
}

/// The check codes of an attempt that was rejected.
///
/// # Panics
///
/// It was not.
#[track_caller]
pub fn codes<T: std::fmt::Debug>(attempt: Attempt<T>) -> Vec<String> {
    match attempt {
        Attempt::Rejected { text, errors } => {
            assert!(!text.is_empty(), "a refusal says why");
            assert!(errors.iter().all(|e| !e.text.is_empty()), "every error is in words: {errors:?}");
            errors.into_iter().map(|error| error.code).collect()
        }
        other => panic!("expected rejected, got {other:?}"),
    }
}

async fn create(subject: &dyn Subject, effect: &str, item: &Item) -> Attempt<Issue> {
    subject.tracker().create(TENANT, subject.project(), &effect.into(), item, None).await
}

/// Every type goes through, dry and real.
pub async fn takes_a_sound_item_of_every_type(subject: &dyn Subject) {
    for (n, item_type) in
        [ItemType::Bug, ItemType::Story, ItemType::Task, ItemType::Epic].into_iter().enumerate()
    {
        let item = Item { item_type, ..sound("Log in with SSO") };
        applied(subject.tracker().check(TENANT, subject.project(), None, std::slice::from_ref(&item)).await);
        applied(create(subject, &format!("fx_type{n}"), &item).await);
    }
    assert_eq!(subject.count(TENANT).await, 4);
}

/// However often it is asked.
pub async fn a_dry_run_creates_nothing(subject: &dyn Subject) {
    for _ in 0..3 {
        applied(
            subject
                .tracker()
                .check(TENANT, subject.project(), None, std::slice::from_ref(&sound("Dry")))
                .await,
        );
    }
    assert_eq!(subject.count(TENANT).await, 0);
}

/// By the dry run and by the create.
pub async fn refuses_an_unknown_project(subject: &dyn Subject) {
    let tracker = subject.tracker();
    assert_eq!(
        codes(tracker.check(TENANT, "NOWHERE", None, std::slice::from_ref(&sound("Lost"))).await),
        ["check.project"]
    );
    assert_eq!(
        codes(tracker.create(TENANT, "NOWHERE", &"fx_1".into(), &sound("Lost"), None).await),
        ["check.project"]
    );
}

/// Of R-29's kinds, those every tracker has in common.
pub async fn refuses_what_no_tracker_takes(subject: &dyn Subject) {
    let long = "x".repeat(256);
    let huge = "y".repeat(40_000);
    let table: [(&str, Item, &str); 8] = [
        ("no title", item(ItemType::Task, &[(Part::Problem, "p")]), "check.required"),
        ("empty title", item(ItemType::Task, &[(Part::Title, "")]), "check.required"),
        ("blank title", item(ItemType::Task, &[(Part::Title, " \t ")]), "check.required"),
        ("title of two lines", sound("one\ntwo"), "check.value"),
        ("title of 256 characters", sound(&long), "check.value"),
        (
            "label with a blank",
            item(ItemType::Task, &[(Part::Title, "t"), (Part::Labels, "log in")]),
            "check.value",
        ),
        ("label too long", item(ItemType::Task, &[(Part::Title, "t"), (Part::Labels, &long)]), "check.value"),
        ("text too long", item(ItemType::Task, &[(Part::Title, "t"), (Part::Problem, &huge)]), "check.adf"),
    ];
    for (what, item, code) in table {
        let attempt =
            subject.tracker().check(TENANT, subject.project(), None, std::slice::from_ref(&item)).await;
        let found = codes(attempt);
        assert!(found.iter().any(|c| c == code), "{what}: {found:?}");
    }
    assert_eq!(subject.count(TENANT).await, 0);
}

/// The limits themselves are inside.
pub async fn takes_what_just_fits(subject: &dyn Subject) {
    let line = "é".repeat(255);
    let item = item(ItemType::Task, &[(Part::Title, &line), (Part::Labels, &format!("sso, {line}"))]);
    applied(subject.tracker().check(TENANT, subject.project(), None, std::slice::from_ref(&item)).await);
}

/// Under its key, with its title, in this project.
pub async fn what_is_created_is_found(subject: &dyn Subject) {
    let made = applied(create(subject, "fx_1", &sound("Log in with SSO")).await);
    assert!(made.key.starts_with(&format!("{}-", subject.project())), "{}", made.key);
    let found = applied(subject.tracker().find(TENANT, subject.project(), &made.key).await);
    assert_eq!(found, made);
    assert_eq!(found.title, "Log in with SSO");
    let link = made.url.expect("an issue has a link");
    assert_eq!(
        applied(subject.tracker().find(TENANT, subject.project(), &link).await).key,
        made.key,
        "by its link"
    );
}

/// A missing key, another project's, and what is no key at all.
pub async fn finds_nothing_that_is_not_there(subject: &dyn Subject) {
    applied(create(subject, "fx_1", &sound("Only one")).await);
    let missing = format!("{}-999", subject.project());
    for key in
        [missing.as_str(), "NOWHERE-1", "", "-", "DEMO", "DEMO-", "DEMO-01", "DEMO-1x", "💥", "a/b/c", "-1"]
    {
        let attempt = subject.tracker().find(TENANT, subject.project(), key).await;
        assert!(matches!(attempt, Attempt::Rejected { .. }), "{key}: {attempt:?}");
    }
}

/// A tracker that promises it must keep it; another text under the same id is no reason to make a second one.
pub async fn one_effect_makes_one_issue(subject: &dyn Subject) {
    if subject.tracker().guarantee() != Guarantee::Idempotent {
        return;
    }
    let first = applied(create(subject, "fx_1", &sound("Once")).await);
    let second = applied(create(subject, "fx_1", &sound("Once")).await);
    assert_eq!(first, second);
    assert!(matches!(create(subject, "fx_1", &sound("Twice")).await, Attempt::Rejected { .. }));
    assert_eq!(subject.count(TENANT).await, 1);
}

/// Unknown is said as unknown; trying again is only allowed, and then harmless, where it is promised.
pub async fn a_lost_answer_makes_no_second_issue(subject: &dyn Subject) {
    if !subject.lose_next_answer() {
        return;
    }
    let lost = create(subject, "fx_1", &sound("Lost answer")).await;
    assert!(matches!(lost, Attempt::Unknown { .. }), "{lost:?}");
    assert_eq!(subject.count(TENANT).await, 1, "it was applied");
    if subject.tracker().guarantee() == Guarantee::Idempotent {
        applied(create(subject, "fx_1", &sound("Lost answer")).await);
        assert_eq!(subject.count(TENANT).await, 1);
    }
}

/// Neither an issue nor a gap in the keys that a later create would meet.
pub async fn a_rejected_create_leaves_nothing(subject: &dyn Subject) {
    codes(create(subject, "fx_1", &sound("one\ntwo")).await);
    assert_eq!(subject.count(TENANT).await, 0);
    applied(create(subject, "fx_1", &sound("One line")).await);
    assert_eq!(subject.count(TENANT).await, 1, "the same effect, mended, goes through");
}

/// Every rival gets its own key; rivals with one effect id get one issue.
pub async fn keys_never_repeat_when_creates_race(subject: &dyn Subject) {
    const RIVALS: usize = 24;
    let mut tasks = Vec::new();
    for n in 0..RIVALS {
        let (tracker, project) = (subject.tracker(), subject.project().to_owned());
        let effect = EffectId(format!("fx_{}", n / 2));
        let item = sound(&format!("Number {}", n / 2));
        tasks.push(tokio::spawn(async move { tracker.create(TENANT, &project, &effect, &item, None).await }));
    }
    let mut keys = BTreeSet::new();
    for task in tasks {
        keys.insert(applied(task.await.expect("a create does not panic")).key);
    }
    if subject.tracker().guarantee() == Guarantee::Idempotent {
        assert_eq!((keys.len(), subject.count(TENANT).await), (RIVALS / 2, RIVALS / 2));
    }
}

/// One tenant's issues, keys and effects are nothing to another's.
pub async fn tenants_never_mix(subject: &dyn Subject) {
    let made = applied(create(subject, "fx_1", &sound("Ours")).await);
    let theirs = subject.tracker().find("globex", subject.project(), &made.key).await;
    assert!(matches!(theirs, Attempt::Rejected { .. }), "{theirs:?}");
    applied(
        subject.tracker().create("globex", subject.project(), &"fx_1".into(), &sound("Theirs"), None).await,
    );
    assert_eq!((subject.count(TENANT).await, subject.count("globex").await), (1, 1));
}
