//! The conformance suite of [`Tracker`]. An implementation's tests hold one line:
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
use throughline_engine::Language;
use throughline_engine::data::effect::{Attempt, IssueChange, IssueState};
use throughline_engine::data::fault::{Fault, FieldFault};
use throughline_engine::data::ticket::{Item, ItemType, Part};
use throughline_engine::retry::Guarantee;

use crate::{Issue, Tracker};

/// A tracker under test, with access behind the contract.
#[async_trait]
pub trait Subject: Send + Sync {
    /// The tracker. It has a project [`Subject::project`] that takes every type and requires a title.
    fn tracker(&self) -> Arc<dyn Tracker>;

    /// The key of that project.
    fn project(&self) -> &str;

    /// A project in which only this person may create.
    fn guarded(&self) -> (&str, &str);

    /// A project that only this person may see.
    fn private(&self) -> (&str, &str);

    /// The number of issues of a tenant that the project really has.
    async fn count(&self, tenant: &str) -> usize;

    /// The comments on an issue, oldest first.
    async fn comments(&self, tenant: &str, key: &str) -> Vec<String>;

    /// The keys of the issues that an issue is linked to.
    async fn links(&self, tenant: &str, key: &str) -> Vec<String>;

    /// Loses the answer of the next create, which is applied. Returns false if this subject cannot.
    fn lose_next_answer(&self) -> bool;
}

/// The tenant of the suite.
pub const TENANT: &str = "acme";

/// Expands to the tests of the whole suite for one tracker. With `in_turn` before the expression it is one future that runs
/// them all, each with a subject of its own.
#[macro_export]
macro_rules! tracker_conformance {
    (in_turn $subject:expr) => { $crate::tracker_conformance!(@all in_turn $subject) };
    ($subject:expr) => { $crate::tracker_conformance!(@all tests $subject); };
    (@all $how:ident $subject:expr) => {
        $crate::tracker_conformance! { @$how $subject;
            takes_a_sound_item_of_every_type, a_dry_run_creates_nothing, refuses_an_unknown_project,
            refuses_what_no_tracker_takes, takes_what_just_fits, what_is_created_is_found,
            finds_nothing_that_is_not_there, one_effect_makes_one_issue, a_lost_answer_makes_no_second_issue,
            a_rejected_create_leaves_nothing, keys_never_repeat_when_creates_race, tenants_never_mix,
            checks_a_whole_batch_at_once, refuses_a_batch_that_does_not_hang_together,
            checks_what_is_above_what, only_who_may_creates, only_who_may_sees, only_who_may_see_changes,
            a_story_is_read_back_under_its_epic,
            a_parent_is_set_once_however_often, changes_nothing_that_is_not_there, a_comment_is_made_once,
            what_is_set_is_set_once, a_marker_finds_what_it_marks }
    };
    (@in_turn $subject:expr; $($name:ident),* $(,)?) => {
        async { $($crate::conformance::$name(&$subject).await;)* }
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

/// A valid item with that title.
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
/// The attempt has another outcome.
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
/// The attempt has another outcome.
#[track_caller]
pub fn codes<T: std::fmt::Debug>(attempt: Attempt<T>) -> Vec<String> {
    errors(attempt).into_iter().map(|error| error.code).collect()
}

/// The errors of an attempt that was rejected.
///
/// # Panics
///
/// The attempt has another outcome.
#[track_caller]
pub fn errors<T: std::fmt::Debug>(attempt: Attempt<T>) -> Vec<FieldFault> {
    match attempt {
        Attempt::Rejected { text, errors } => {
            let says = |text: &Fault| !text.text(Language::En).is_empty();
            assert!(says(&text), "a refusal says why");
            assert!(errors.iter().all(|e| says(&e.text)), "every error is in words: {errors:?}");
            errors
        }
        other => panic!("expected rejected, got {other:?}"),
    }
}

/// A valid item of a batch: its id is its title, and it is under `parent` if there is one.
#[must_use]
pub fn member(item_type: ItemType, id: &str, parent: Option<&str>) -> Item {
    Item { id: id.into(), parent: parent.map(str::to_owned), item_type, ..sound(id) }
}

/// An epic with two stories.
fn batch() -> [Item; 3] {
    let story = |id: &str| member(ItemType::Story, id, Some("epic"));
    [member(ItemType::Epic, "epic", None), story("s1"), story("s2")]
}

async fn check(subject: &dyn Subject, items: &[Item]) -> Attempt<()> {
    subject.tracker().check(TENANT, subject.project(), None, items).await
}

async fn update(subject: &dyn Subject, effect: &str, key: &str, change: &IssueChange) -> Attempt<()> {
    subject.tracker().update(TENANT, subject.project(), None, &effect.into(), key, change).await
}

async fn parent(subject: &dyn Subject, key: &str) -> Option<String> {
    applied(subject.tracker().find(TENANT, subject.project(), None, key).await).parent
}

async fn create(subject: &dyn Subject, effect: &str, item: &Item) -> Attempt<Issue> {
    subject.tracker().create(TENANT, subject.project(), &effect.into(), item, None).await
}

/// Every type passes the dry run and the create.
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

/// A dry run creates nothing, however often it is made.
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

/// The dry run and the create refuse an unknown project.
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

/// Refuses the mistakes that no tracker accepts, whatever its configuration.
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

/// The longest valid title and labels are accepted.
pub async fn takes_what_just_fits(subject: &dyn Subject) {
    let line = "é".repeat(255);
    let item = item(ItemType::Task, &[(Part::Title, &line), (Part::Labels, &format!("sso, {line}"))]);
    applied(subject.tracker().check(TENANT, subject.project(), None, std::slice::from_ref(&item)).await);
}

/// A created issue is found by its key and by its link, with its title.
pub async fn what_is_created_is_found(subject: &dyn Subject) {
    let made = applied(create(subject, "fx_1", &sound("Log in with SSO")).await);
    assert!(made.key.starts_with(&format!("{}-", subject.project())), "{}", made.key);
    let found = applied(subject.tracker().find(TENANT, subject.project(), None, &made.key).await);
    assert_eq!(found, made);
    assert_eq!(found.title, "Log in with SSO");
    let link = made.url.expect("an issue has a link");
    assert_eq!(
        applied(subject.tracker().find(TENANT, subject.project(), None, &link).await).key,
        made.key,
        "by its link"
    );
}

/// A missing key, another project's key and text that is not a key find nothing.
pub async fn finds_nothing_that_is_not_there(subject: &dyn Subject) {
    applied(create(subject, "fx_1", &sound("Only one")).await);
    let missing = format!("{}-999", subject.project());
    for key in
        [missing.as_str(), "NOWHERE-1", "", "-", "DEMO", "DEMO-", "DEMO-01", "DEMO-1x", "💥", "a/b/c", "-1"]
    {
        let attempt = subject.tracker().find(TENANT, subject.project(), None, key).await;
        assert!(matches!(attempt, Attempt::Rejected { .. }), "{key}: {attempt:?}");
    }
}

/// A tracker that promises idempotence creates one issue for one effect, also if another text comes with it.
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

/// A lost answer is reported as unknown. Another attempt is harmless where idempotence is promised.
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

/// A refused create leaves neither an issue nor a gap in the keys.
pub async fn a_rejected_create_leaves_nothing(subject: &dyn Subject) {
    codes(create(subject, "fx_1", &sound("one\ntwo")).await);
    assert_eq!(subject.count(TENANT).await, 0);
    applied(create(subject, "fx_1", &sound("One line")).await);
    assert_eq!(subject.count(TENANT).await, 1, "the same effect, mended, goes through");
}

/// Concurrent creates get keys of their own; those with one effect id get one issue.
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

/// One tenant's issues, keys and effects are unknown to another.
pub async fn tenants_never_mix(subject: &dyn Subject) {
    let made = applied(create(subject, "fx_1", &sound("Ours")).await);
    let theirs = subject.tracker().find("globex", subject.project(), None, &made.key).await;
    assert!(matches!(theirs, Attempt::Rejected { .. }), "{theirs:?}");
    applied(
        subject.tracker().create("globex", subject.project(), &"fx_1".into(), &sound("Theirs"), None).await,
    );
    assert_eq!((subject.count(TENANT).await, subject.count("globex").await), (1, 1));
}

/// An error names its item, and other items are not affected.
pub async fn checks_a_whole_batch_at_once(subject: &dyn Subject) {
    applied(check(subject, &batch()).await);
    let mut bad = batch();
    bad[1].fields.insert(Part::Title, "one\ntwo".into());
    bad[2].fields.remove(&Part::Title);
    let found = errors(check(subject, &bad).await);
    let named: BTreeSet<(&str, &str)> = found.iter().map(|e| (e.item.as_str(), e.code.as_str())).collect();
    assert_eq!(named, BTreeSet::from([("s1", "check.value"), ("s2", "check.required")]));
    assert_eq!(subject.count(TENANT).await, 0);
}

/// Refuses an empty batch, repeated ids, a story before its epic, and a cycle.
pub async fn refuses_a_batch_that_does_not_hang_together(subject: &dyn Subject) {
    let epic = |id| member(ItemType::Epic, id, None);
    let story = |id, under| member(ItemType::Story, id, Some(under));
    let table: [(&str, Vec<Item>); 5] = [
        ("nothing", vec![]),
        ("two epics share an id", vec![epic("e"), epic("e")]),
        ("a story before its epic", vec![story("s", "e"), epic("e")]),
        ("a circle", vec![story("a", "b"), story("b", "a")]),
        ("under itself", vec![epic("e"), story("s", "s")]),
    ];
    for (what, items) in table {
        let found = codes(check(subject, &items).await);
        assert!(found.iter().any(|code| code == "check.shape"), "{what}: {found:?}");
    }
    assert_eq!(subject.count(TENANT).await, 0);
}

/// A parent, in the batch or outside, must exist, be an epic, and be in the same project.
pub async fn checks_what_is_above_what(subject: &dyn Subject) {
    let make = |item_type, effect: &'static str| async move {
        applied(create(subject, effect, &Item { item_type, ..sound("There") }).await).key
    };
    let (epic, task) = (make(ItemType::Epic, "fx_1").await, make(ItemType::Task, "fx_2").await);
    let missing = format!("{}-999", subject.project());
    let story = |under: &str| member(ItemType::Story, "s", Some(under));
    applied(check(subject, &[story(&epic)]).await);
    let table: [(&str, Vec<Item>); 6] = [
        ("no such item", vec![story("nowhere")]),
        ("no such issue", vec![story(&missing)]),
        ("another project", vec![story("NOWHERE-1")]),
        ("under a task", vec![story(&task)]),
        ("under a task of the batch", vec![member(ItemType::Task, "t", None), story("t")]),
        ("an epic under an epic", vec![member(ItemType::Epic, "e", Some(&epic))]),
    ];
    for (what, items) in table {
        let found = errors(check(subject, &items).await);
        let last = &items[items.len() - 1].id;
        assert!(found.iter().any(|e| e.code == "check.parent" && e.item == *last), "{what}: {found:?}");
    }
    let under = |key: &str| {
        let (tracker, key) = (subject.tracker(), key.to_owned());
        async move {
            let item = sound("Under it");
            tracker.create(TENANT, subject.project(), &"fx_3".into(), &item, Some(&key)).await
        }
    };
    assert_eq!(codes(under(&missing).await), ["check.parent"], "a create finds it too");
    assert_eq!(subject.count(TENANT).await, 2);
}

/// Another person is refused, and so is a check without a person.
pub async fn only_who_may_creates(subject: &dyn Subject) {
    let (project, who) = subject.guarded();
    let item = [sound("Guarded")];
    for by in [Some("somebody-else"), None] {
        let attempt = subject.tracker().check(TENANT, project, by, &item).await;
        assert_eq!(codes(attempt), ["check.permission"], "{by:?}");
    }
    applied(subject.tracker().check(TENANT, project, Some(who), &item).await);
}

/// Others do not learn which issues exist: not by key, and not by naming one as a parent.
pub async fn only_who_may_sees(subject: &dyn Subject) {
    let (tracker, (project, who)) = (subject.tracker(), subject.private());
    let epic = Item { item_type: ItemType::Epic, ..sound("Nobody's business") };
    let made = applied(tracker.create(TENANT, project, &"fx_1".into(), &epic, None).await);
    let missing = format!("{project}-999");
    for by in [None, Some("somebody-else"), Some("")] {
        let mut told = Vec::new();
        for key in [&made.key, &missing] {
            let attempt = tracker.find(TENANT, project, by, key).await;
            let Attempt::Rejected { text, .. } = attempt else { panic!("{by:?} {key}: {attempt:?}") };
            told.push(text.text(Language::En).replace(key.as_str(), "KEY"));
            let under = member(ItemType::Story, "story", Some(key));
            let attempt = tracker.check(TENANT, subject.project(), by, &[under]).await;
            let Attempt::Rejected { text, .. } = attempt else { panic!("{by:?} {key}: {attempt:?}") };
            told.push(text.text(Language::En).replace(key.as_str(), "KEY"));
        }
        assert_eq!(told[..2], told[2..], "{by:?}");
    }
    assert_eq!(applied(tracker.find(TENANT, project, Some(who), &made.key).await).key, made.key);
}

/// Others change no issue of a project that they may not see, and link none to it; they are told that there is none.
pub async fn only_who_may_see_changes(subject: &dyn Subject) {
    let (tracker, (project, who)) = (subject.tracker(), subject.private());
    let made = applied(tracker.create(TENANT, project, &"fx_1".into(), &sound("Private"), None).await).key;
    let open = applied(create(subject, "fx_2", &sound("Public")).await).key;
    let missing = format!("{project}-999");
    let try_it = async |by: Option<&str>, project: &str, key: &str, change: &IssueChange| {
        tracker.update(TENANT, project, by, &"fx_3".into(), key, change).await
    };
    let refusal = async |by: Option<&str>, project: &str, key: &str, change: &IssueChange| {
        let attempt = try_it(by, project, key, change).await;
        let Attempt::Rejected { text, .. } = attempt else { panic!("{by:?} {key} {change:?}: {attempt:?}") };
        text.text(Language::En)
    };
    let changes = [
        IssueChange::State(IssueState::Closed),
        IssueChange::Comment("Hello".into()),
        IssueChange::Assignee("eve".into()),
        IssueChange::Link(open.clone()),
    ];
    for by in [None, Some("somebody-else"), Some("")] {
        for change in &changes {
            let told = refusal(by, project, &made, change).await.replace(&made, "KEY");
            assert_eq!(told, refusal(by, project, &missing, change).await.replace(&missing, "KEY"), "{by:?}");
        }
        let link = |key: &str| IssueChange::Link(key.into());
        let told = refusal(by, subject.project(), &open, &link(&made)).await.replace(&made, "KEY");
        let gone = refusal(by, subject.project(), &open, &link(&missing)).await.replace(&missing, "KEY");
        assert_eq!(told, gone, "{by:?}");
    }
    let now = applied(tracker.find(TENANT, project, Some(who), &made).await);
    assert_eq!((now.state, now.assignee), (IssueState::Open, None));
    assert!(
        subject.comments(TENANT, &made).await.is_empty() && subject.links(TENANT, &open).await.is_empty()
    );
    for change in &changes {
        applied(try_it(Some(who), project, &made, change).await);
    }
    applied(try_it(Some(who), subject.project(), &open, &IssueChange::Link(made.clone())).await);
}

/// A story is read back with its epic's key; an issue created alone has no parent.
pub async fn a_story_is_read_back_under_its_epic(subject: &dyn Subject) {
    let [epic, story, _] = batch();
    let made = applied(create(subject, "fx_1", &epic).await);
    let (tracker, effect) = (subject.tracker(), EffectId::from("fx_2"));
    let under = applied(tracker.create(TENANT, subject.project(), &effect, &story, Some(&made.key)).await);
    assert_eq!(under.parent.as_deref(), Some(made.key.as_str()));
    assert_eq!(parent(subject, &under.key).await, Some(made.key.clone()), "read back");
    assert_eq!(parent(subject, &made.key).await, None);
}

/// Setting a parent is idempotent: by the same effect, by another, and back.
pub async fn a_parent_is_set_once_however_often(subject: &dyn Subject) {
    let mut keys = Vec::new();
    for (n, item_type) in [ItemType::Epic, ItemType::Epic, ItemType::Story].into_iter().enumerate() {
        let item = Item { item_type, ..sound("An issue") };
        keys.push(applied(create(subject, &format!("fx_{n}"), &item).await).key);
    }
    for (effect, epic) in [("fx_a", 0), ("fx_a", 0), ("fx_b", 0), ("fx_c", 1), ("fx_d", 0)] {
        let change = IssueChange::Parent(keys[epic].clone());
        applied(update(subject, effect, &keys[2], &change).await);
        assert_eq!(parent(subject, &keys[2]).await, Some(keys[epic].clone()));
    }
    assert_eq!(subject.count(TENANT).await, 3);
}

/// Refuses changes to a missing issue, and parents that are missing or not epics.
pub async fn changes_nothing_that_is_not_there(subject: &dyn Subject) {
    let task = applied(create(subject, "fx_1", &sound("A task")).await).key;
    let missing = format!("{}-999", subject.project());
    let under = |key: &str| IssueChange::Parent(key.into());
    let table = [
        ("a missing issue", missing.as_str(), IssueChange::Comment("Hello".into())),
        ("another project's", "NOWHERE-1", IssueChange::Comment("Hello".into())),
        ("under a missing epic", task.as_str(), under(&missing)),
        ("under itself, a task", task.as_str(), under(&task)),
        ("a link to a missing issue", task.as_str(), IssueChange::Link(missing.clone())),
        ("a link to itself", task.as_str(), IssueChange::Link(task.clone())),
        ("a missing issue closed", missing.as_str(), IssueChange::State(IssueState::Closed)),
    ];
    for (what, key, change) in table {
        let attempt = update(subject, "fx_2", key, &change).await;
        assert!(matches!(attempt, Attempt::Rejected { .. }), "{what}: {attempt:?}");
    }
    assert_eq!(parent(subject, &task).await, None);
    assert!(subject.comments(TENANT, &task).await.is_empty());
}

/// A comment is made once for one effect; two effects may make the same comment.
pub async fn a_comment_is_made_once(subject: &dyn Subject) {
    let key = applied(create(subject, "fx_1", &sound("Talked about")).await).key;
    for (effect, text) in [("fx_2", "First"), ("fx_2", "First"), ("fx_3", "First"), ("fx_4", "Last")] {
        applied(update(subject, effect, &key, &IssueChange::Comment(text.into())).await);
    }
    assert_eq!(subject.comments(TENANT, &key).await, ["First", "First", "Last"]);
}

/// State, assignee and links are what was set last, however often it is set.
pub async fn what_is_set_is_set_once(subject: &dyn Subject) {
    let key = applied(create(subject, "fx_1", &sound("Changed")).await).key;
    let other = applied(create(subject, "fx_2", &sound("Another")).await).key;
    let now = async || applied(subject.tracker().find(TENANT, subject.project(), None, &key).await);
    assert_eq!((now().await.state, now().await.assignee), (IssueState::Open, None));
    for (effect, state) in
        [("fx_3", IssueState::Closed), ("fx_3", IssueState::Closed), ("fx_4", IssueState::Open)]
    {
        applied(update(subject, effect, &key, &IssueChange::State(state)).await);
        assert_eq!(now().await.state, state);
    }
    for name in ["bob", "bob", "eve"] {
        applied(update(subject, "fx_5", &key, &IssueChange::Assignee(name.into())).await);
        assert_eq!(now().await.assignee.as_deref(), Some(name));
    }
    for effect in ["fx_6", "fx_6", "fx_7"] {
        applied(update(subject, effect, &key, &IssueChange::Link(other.clone())).await);
        assert_eq!(subject.links(TENANT, &key).await, [other.as_str()]);
    }
}

/// The issue an effect created is found by the effect's id, also when its answer was lost; nothing else is found.
pub async fn a_marker_finds_what_it_marks(subject: &dyn Subject) {
    let tracker = subject.tracker();
    let seek = |tenant: &'static str, effect: &str| {
        let (tracker, effect) = (tracker.clone(), EffectId(effect.into()));
        async move { applied(tracker.seek(tenant, subject.project(), &effect).await) }
    };
    assert!(seek(TENANT, "fx_1").await.is_empty());
    let made = applied(create(subject, "fx_1", &sound("Marked")).await);
    assert_eq!(seek(TENANT, "fx_1").await, [made]);
    assert!(seek(TENANT, "fx_2").await.is_empty());
    assert!(seek("globex", "fx_1").await.is_empty(), "of another tenant");
    if subject.lose_next_answer() {
        assert!(matches!(create(subject, "fx_2", &sound("Unheard")).await, Attempt::Unknown { .. }));
        let found = seek(TENANT, "fx_2").await;
        assert_eq!(found.iter().map(|issue| issue.title.as_str()).collect::<Vec<_>>(), ["Unheard"]);
    }
}
