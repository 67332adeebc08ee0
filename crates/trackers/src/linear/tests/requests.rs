//! Requests and their answers: what each proves, when they go out, and what a look at a workspace tells.

use serde_json::json;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::TrackerFault;
use throughline_engine::data::ticket::ItemType;
use throughline_fakes::linear::{self as fake, FakeLinear};
use throughline_fakes::system_clock;
use throughline_net::Key;

use super::super::*;
use super::{Sites, TEAM};
use crate::Tracker;
use crate::conformance::{TENANT, applied, codes, sound};

/// Each answer that proves nothing leaves one issue or none, and no second create is sent. The id finds what is there.
#[tokio::test]
async fn an_answer_that_proves_nothing_is_unknown() {
    let partly = json!({"data": {"issueCreate": {"success": true, "issue": null}}, "errors": [
        {"message": "no", "extensions": {"code": "FORBIDDEN"}}]});
    let without = json!({"data": {"issueCreate": {"success": true, "issue": null}}});
    let without_id = json!({"data": {"issueCreate": {"success": true, "issue": {"title": "Once"}}}});
    let failed = json!({"data": {"issueCreate": {"success": false, "issue": null}}});
    let internal = json!({"errors": [{"message": "?", "extensions": {"code": "INTERNAL_SERVER_ERROR"}}]});
    for (fault, made) in [
        (fake::Fault::AppliedThenLost, 1),
        (fake::Fault::AppliedThenHtml(200), 1),
        (fake::Fault::AppliedThenHtml(502), 1),
        (fake::Fault::AppliedThenStatus(200, without), 1),
        (fake::Fault::AppliedThenStatus(200, without_id), 1),
        (fake::Fault::AppliedThenStatus(200, partly), 1),
        (fake::Fault::AppliedThenStatus(200, internal.clone()), 1),
        (fake::Fault::LostBefore, 0),
        (fake::Fault::LateApply, 0),
        (fake::Fault::Html(200), 0),
        (fake::Fault::Html(400), 0),
        (fake::Fault::Html(403), 0),
        (fake::Fault::Status(200, failed), 0),
        (fake::Fault::Status(200, json!({})), 0),
        (fake::Fault::Status(500, internal), 0),
        (fake::Fault::Status(503, json!({})), 0),
    ] {
        let sites = Sites::new().await;
        sites.site.fault("issueCreate", fault.clone());
        let outcome = sites.create("fx_1", &sound("Once")).await;
        assert!(matches!(outcome, Attempt::Unknown { .. }), "{fault:?}: {outcome:?}");
        assert_eq!(sites.site.issues(TEAM).len(), made, "{fault:?}");
        sites.site.land_late();
        let found = sites.seek("fx_1").await;
        assert_eq!(found.len(), sites.site.issues(TEAM).len(), "{fault:?}: it is found where it is");
        assert_eq!(sites.calls("issueCreate").len(), 1, "{fault:?}");
    }
}

/// A create that arrives twice makes one issue, also if the first one lands late, and both are told of it.
#[tokio::test]
async fn a_create_that_arrives_twice_makes_one_issue() {
    let sites = Sites::new().await;
    let first = applied(sites.create("fx_1", &sound("Once")).await);
    assert_eq!(applied(sites.create("fx_1", &sound("Once")).await), first);
    assert_eq!(codes(sites.create("fx_1", &sound("Another")).await), ["check.shape"]);
    sites.site.fault("issueCreate", fake::Fault::LateApply);
    assert!(matches!(sites.create("fx_2", &sound("Late")).await, Attempt::Unknown { .. }));
    let second = applied(sites.create("fx_2", &sound("Late")).await);
    sites.site.land_late();
    assert_eq!(sites.seek("fx_2").await, [second]);
    assert_eq!(sites.site.issues(TEAM).len(), 2);
    // Where the one that is there cannot be read, it is there all the same.
    sites.site.fault("issue", fake::Fault::Html(502));
    let unread = sites.create("fx_1", &sound("Once")).await;
    assert!(matches!(unread, Attempt::Unknown { .. }), "{unread:?}");
    let forbidden = json!({"errors": [{"message": "no", "extensions": {"code": "FORBIDDEN"}}]});
    sites.site.fault("issue", fake::Fault::Status(200, forbidden));
    let unread = sites.create("fx_1", &sound("Once")).await;
    assert!(matches!(unread, Attempt::Unknown { .. }), "{unread:?}");
    let limited = fake::Fault::Limited { retry_after: None, reset: None };
    sites.site.fault("issue", limited);
    let unread = sites.create("fx_1", &sound("Once")).await;
    assert!(matches!(unread, Attempt::Unknown { .. }), "{unread:?}");
}

/// An id that another thing has, which we may not see, proves nothing.
#[tokio::test]
async fn an_id_whose_issue_is_hidden_proves_nothing() {
    let sites = Sites::new().await;
    applied(sites.create("fx_1", &sound("Once")).await);
    let mut key = "DEMO-1".to_owned();
    for team in ["SEC", "UNSEEN"] {
        key = sites.site.move_to(&key, team);
        let outcome = sites.create("fx_1", &sound("Once")).await;
        assert!(matches!(outcome, Attempt::Unknown { .. }), "{team}: {outcome:?}");
        assert_eq!(sites.seek("fx_1").await, [], "{team}");
    }
}

/// A request that was refused because of a limit is tried again later, at the time that Linear names. Nothing is sent until
/// then, because Linear counts all requests together.
#[tokio::test]
async fn a_limit_says_that_nothing_was_done() {
    let now = system_clock()();
    let retry_after = || Some("30".to_owned());
    for (fault, least, most) in [
        (fake::Fault::Limited { retry_after: retry_after(), reset: None }, 30_000, 30_000),
        (fake::Fault::Limited { retry_after: retry_after(), reset: Some(now + 900_000) }, 30_000, 30_000),
        (fake::Fault::Limited { retry_after: None, reset: Some(now + 100_000) }, 90_000, 101_000),
        (fake::Fault::Limited { retry_after: None, reset: None }, 60_000, 60_000),
        (fake::Fault::Status(429, json!({})), 60_000, 60_000),
    ] {
        let sites = Sites::new().await;
        sites.site.fault("issueCreate", fault.clone());
        let outcome = sites.create("fx_1", &sound("Once")).await;
        let Attempt::NotApplied { why, hint: Some(hint) } = outcome else { panic!("{fault:?}: {outcome:?}") };
        assert_eq!(why, TrackerFault::SlowDown.into());
        assert!((least..=most).contains(&hint), "{fault:?}: {hint}");
        let before = sites.site.calls().len();
        let outcome = sites.find("DEMO-1").await;
        assert!(matches!(outcome, Attempt::NotApplied { hint: Some(1..), .. }), "{fault:?}: {outcome:?}");
        assert_eq!(sites.site.calls().len(), before, "{fault:?}");
        assert_eq!(sites.site.issues(TEAM), [], "{fault:?}");
    }
}

#[tokio::test]
async fn refused_credentials_and_connections_send_nothing() {
    let sites = Sites::new().await;
    sites.site.rotate_token("lin_api_another");
    let outcome = sites.create("fx_1", &sound("Once")).await;
    let Attempt::NotApplied { why, hint: None } = outcome else { panic!("{outcome:?}") };
    assert_eq!(why, TrackerFault::Credentials.into());
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let sites = Sites::with(|config| config.base_url = nobody.clone()).await;
    let outcome = sites.create("fx_1", &sound("Once")).await;
    let Attempt::NotApplied { why, hint: None } = outcome else { panic!("{outcome:?}") };
    assert_eq!(why, TrackerFault::Unreachable.into());
}

/// A token of an app is sent as such.
#[tokio::test]
async fn a_token_of_an_app_gets_in() {
    let token = "lin_oauth_EXAMPLE";
    let sites = Sites::with(|config| config.token = Key::parse(token).unwrap()).await;
    sites.site.rotate_token(token);
    applied(sites.create("fx_1", &sound("Once")).await);
}

/// Whatever fails before the create was no attempt, and nothing is written.
#[tokio::test]
async fn what_fails_before_the_create_is_no_attempt() {
    let story = Item {
        parent: Some("e".into()),
        ..super::with(throughline_engine::data::ticket::Part::Assignee, "bob")
    };
    for field in ["teams", "issueLabels", "users", "issue"] {
        let sites = Sites::new().await;
        let epic = Item { item_type: ItemType::Epic, ..sound("Epic") };
        let epic = applied(sites.create("fx_0", &epic).await).key;
        let item = Item { item_type: ItemType::Bug, ..story.clone() };
        sites.site.fault(field, fake::Fault::LostBefore);
        let outcome = sites.tracker.create(TENANT, "DEMO", &"fx_1".into(), &item, Some(&epic)).await;
        assert!(matches!(outcome, Attempt::NotApplied { .. }), "{field}: {outcome:?}");
        assert_eq!(sites.writes(), 1, "{field}");
    }
}

/// A look at the workspace tells the state of each team.
#[tokio::test]
async fn a_site_is_looked_over() {
    let sites = Sites::new().await;
    let project = |key: &str| key.to_owned();
    let none = |project: &str| Sign::NoProject { project: project.into(), team: project.into() };
    let expected = [
        Sign::Account { name: FakeLinear::NAME.into() },
        Sign::NoLabel { project: project("BARE"), kind: ItemType::Story, label: "story".into() },
        Sign::Ready { project: project("DEMO") },
        none("GONE"),
        Sign::Ready { project: project("GUARD") },
        Sign::Ready { project: project("HID") },
        Sign::Archived { project: project("OLD") },
        Sign::Ready { project: project("PRIV") },
        none("UNSEEN"),
    ];
    assert_eq!(sites.tracker.examine().await[0], (TENANT.to_owned(), expected.into()));
    sites.site.fault("viewer", fake::Fault::Html(200));
    let silent = &sites.tracker.examine().await[0].1;
    assert!(matches!(silent.as_slice(), [Sign::Silent { .. }]), "{silent:?}");
    sites.site.rotate_token("another");
    assert_eq!(sites.tracker.examine().await[0].1, [Sign::Refused]);
    assert_eq!(sites.writes(), 0);
}

#[test]
fn a_team_has_to_be_named() {
    let config = |key: &str, team: Option<&str>| LinearConfig {
        base_url: "https://api.linear.app".into(),
        allow_loopback: false,
        token: Key::parse("t").unwrap(),
        at_once: 1,
        projects: [(
            key.to_owned(),
            LinearProject { team: team.map(str::to_owned), ..LinearProject::default() },
        )]
        .into(),
    };
    for (key, team) in [("ENG", None), ("WEB-SITE", Some("WEB"))] {
        assert!(Linear::new([(TENANT.to_owned(), config(key, team))]).is_ok(), "{key}");
    }
    for (key, team) in [("WEB-SITE", None), ("WEB", Some("")), ("WEB", Some("a b"))] {
        let wrong = Linear::new([(TENANT.to_owned(), config(key, team))]).err().unwrap();
        assert!(wrong.contains(key) && wrong.contains("ENG-12"), "{wrong}");
    }
}
