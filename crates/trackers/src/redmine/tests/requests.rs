//! Requests and answers: what was lost, what was never sent, and who may not get in.

use throughline_engine::data::effect::{Attempt, IssueChange, IssueState};
use throughline_engine::data::fault::TrackerFault;
use throughline_engine::data::ticket::{Item, ItemType, Part};
use throughline_fakes::cutter::Fate;
use throughline_net::Key;

use super::{CREATE, Sign, Sites};
use crate::Tracker;
use crate::conformance::{Subject, TENANT, applied, sound};

/// Whatever becomes of a create, it is sent once, its outcome is unknown, and what is there is found by its mark.
#[tokio::test]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn a_create_whose_answer_is_lost_is_found() {
    let sites = Sites::new().await;
    let mut there = 0;
    for (n, (fate, made)) in [
        (Fate::Never, 0),
        (Fate::NeverPage, 0),
        (Fate::Lost, 1),
        (Fate::Page, 1),
        (Fate::Torn, 1),
        (Fate::Late, 0),
    ]
    .into_iter()
    .enumerate()
    {
        let effect = format!("fx_fate{n}");
        sites.cutter.fate("POST", CREATE, fate);
        let outcome = sites.create(&effect, &sound("Once")).await;
        assert!(matches!(outcome, Attempt::Unknown { .. }), "{fate:?}: {outcome:?}");
        there += made;
        assert_eq!(
            (sites.count(TENANT).await, sites.cutter.count("POST", CREATE)),
            (there, n + 1),
            "{fate:?}"
        );
        assert_eq!(sites.seek(&effect).await.len(), made, "{fate:?}");
        let late = sites.cutter.land().await.unwrap();
        assert_eq!(late, if fate == Fate::Late { vec![201] } else { vec![] }, "{fate:?}");
        there += late.len();
        assert_eq!(sites.seek(&effect).await.len(), made + late.len(), "{fate:?}");
    }
    assert_eq!(sites.count(TENANT).await, there);
}

/// A change whose answer is lost can be made again, and is there once.
#[tokio::test]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn a_change_that_is_made_again_is_there_once() {
    let sites = Sites::new().await;
    let key = applied(sites.create("fx_1", &sound("Changed")).await).key;
    let other = applied(sites.create("fx_2", &sound("Another")).await).key;
    for (n, (method, path, change)) in [
        ("PUT", ".json", IssueChange::Comment("Hello".into())),
        ("PUT", ".json", IssueChange::State(IssueState::Closed)),
        ("PUT", ".json", IssueChange::Assignee("bob".into())),
        ("POST", "/relations.json", IssueChange::Link(other.clone())),
    ]
    .into_iter()
    .enumerate()
    {
        let effect = format!("fx_change{n}");
        sites.cutter.fate(method, path, Fate::Lost);
        let outcome = sites.update(&effect, &key, change.clone()).await;
        assert!(matches!(outcome, Attempt::Unknown { .. }), "{change:?}: {outcome:?}");
        applied(sites.update(&effect, &key, change.clone()).await);
    }
    assert_eq!(sites.comments(TENANT, &key).await, ["Hello"]);
    assert_eq!(sites.links(TENANT, &key).await, [other]);
    let found = applied(sites.find(&key).await);
    assert_eq!((found.state, found.assignee.as_deref()), (IssueState::Closed, Some("bob")));
}

/// Whatever fails before the create was no attempt, and nothing is written.
#[tokio::test]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn what_fails_before_the_create_is_no_attempt() {
    let sites = Sites::new().await;
    let epic = applied(sites.create("fx_0", &Item { item_type: ItemType::Epic, ..sound("Epic") }).await).key;
    let mut item = Item { item_type: ItemType::Story, parent: Some("e".into()), ..sound("Story") };
    item.fields.insert(Part::Assignee, "bob".into());
    item.fields.insert(Part::Priority, "High".into());
    for (n, path) in [
        format!("/projects/{}.json", sites.identifier("DEMO")),
        "/issues.json".into(),
        "/memberships.json".into(),
        "/issue_priorities.json".into(),
    ]
    .iter()
    .enumerate()
    {
        sites.cutter.fate("GET", path, Fate::Lost);
        let effect = format!("fx_{}", n + 1).as_str().into();
        let outcome = sites.tracker.create(TENANT, "DEMO", &effect, &item, Some(&epic)).await;
        assert!(matches!(outcome, Attempt::NotApplied { .. }), "{path}: {outcome:?}");
        assert_eq!((sites.count(TENANT).await, sites.cutter.count("POST", CREATE)), (1, 1), "{path}");
    }
}

#[tokio::test]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn a_key_that_is_refused_and_a_redmine_that_is_not_there_send_nothing() {
    let sites = Sites::with(&[], |config| config.key = Key::parse("nobodys-key").unwrap()).await;
    let outcome = sites.create("fx_1", &sound("Once")).await;
    let Attempt::NotApplied { why, hint: None } = outcome else { panic!("{outcome:?}") };
    assert_eq!(why, TrackerFault::Credentials.into());
    assert_eq!(sites.tracker.examine().await[0].1, [Sign::Refused]);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let sites = Sites::with(&[], |config| config.base_url.clone_from(&nobody)).await;
    let outcome = sites.create("fx_1", &sound("Once")).await;
    let Attempt::NotApplied { why, hint: None } = outcome else { panic!("{outcome:?}") };
    assert_eq!(why, TrackerFault::Unreachable.into());
    let signs = &sites.tracker.examine().await[0].1;
    assert!(matches!(signs.as_slice(), [Sign::Silent { .. }]), "{signs:?}");
}

/// Without marks nothing is found, and so nothing is taken for ours.
#[tokio::test]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn without_marks_nothing_is_found() {
    let sites = Sites::with(&[], |config| config.marker = false).await;
    let made = applied(sites.create("fx_1", &sound("Unmarked")).await);
    assert!(!sites.issue(&made.key).await.to_string().contains("fx_1"));
    assert_eq!(sites.seek("fx_1").await, []);
}
