//! Requests and their answers: what each proves, when they go out, and what a look at a site tells.

use std::time::Duration;

use throughline_engine::Language;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::TrackerFault;
use throughline_engine::data::ticket::Part;
use throughline_fakes::github::{self as fake, FakeGithub};
use throughline_fakes::system_clock;
use throughline_net::Key;

use super::super::*;
use super::{REPOSITORY, Sites, with};
use crate::conformance::{TENANT, applied, codes, errors, sound};
use crate::{Limits, Tracker};

/// Each answer that proves nothing leaves one issue or none, and no second create is sent. The marker finds what is there.
#[tokio::test]
async fn an_answer_that_proves_nothing_is_unknown() {
    for (fault, made) in [
        (fake::Fault::AppliedThenLost, 1),
        (fake::Fault::AppliedThenHtml(200), 1),
        (fake::Fault::AppliedThenHtml(502), 1),
        (fake::Fault::AppliedThenEmpty, 1),
        (fake::Fault::LostBefore, 0),
        (fake::Fault::LateApply, 0),
        (fake::Fault::Html(200), 0),
        (fake::Fault::Html(403), 0),
        (fake::Fault::Html(404), 0),
        (fake::Fault::Status(500, serde_json::json!({"message": "Server Error"})), 0),
        (fake::Fault::Status(503, serde_json::json!({})), 0),
    ] {
        let sites = Sites::new().await;
        sites.site.fault("POST", "/issues", fault.clone());
        let outcome = sites.create("fx_1", &sound("Once")).await;
        assert!(matches!(outcome, Attempt::Unknown { .. }), "{fault:?}: {outcome:?}");
        assert_eq!(sites.site.issues(REPOSITORY).len(), made, "{fault:?}");
        sites.site.land_late();
        let found = sites.seek("fx_1").await;
        assert_eq!(found.len(), sites.site.issues(REPOSITORY).len(), "{fault:?}: it is found where it is");
        assert_eq!(sites.calls("POST", "/issues").len(), 1, "{fault:?}");
    }
}

/// Whatever was refused before anything was done is tried again later, at the time that GitHub names. Nothing is sent until
/// then, because GitHub counts all requests together.
#[tokio::test]
async fn a_limit_says_that_nothing_was_done() {
    let now = system_clock()() / 1_000;
    let retry_after = |text: &str| Some(text.to_owned());
    for (fault, least, most) in [
        (fake::Fault::TooMany { retry_after: retry_after("30") }, 30_000, 30_000),
        (fake::Fault::UsedUp { reset: now + 100 }, 90_000, 102_000),
        (fake::Fault::Secondary, 60_000, 60_000),
    ] {
        let sites = Sites::new().await;
        sites.site.fault("POST", "/issues", fault.clone());
        let outcome = sites.create("fx_1", &sound("Once")).await;
        let Attempt::NotApplied { why, hint: Some(hint) } = outcome else { panic!("{fault:?}: {outcome:?}") };
        assert_eq!(why, TrackerFault::SlowDown.into());
        assert!((least..=most).contains(&hint), "{fault:?}: {hint}");
        let before = sites.site.calls().len();
        let outcome = sites.find("DEMO-1").await;
        assert!(matches!(outcome, Attempt::NotApplied { hint: Some(1..), .. }), "{fault:?}: {outcome:?}");
        assert_eq!(sites.site.calls().len(), before, "{fault:?}");
        assert_eq!(sites.site.issues(REPOSITORY), [], "{fault:?}");
    }
    let sites = Sites::new().await;
    sites.site.fault("POST", "/issues", fake::Fault::TooMany { retry_after: None });
    let outcome = sites.create("fx_1", &sound("Once")).await;
    assert!(matches!(outcome, Attempt::NotApplied { hint: None, .. }), "{outcome:?}");
    applied(sites.create("fx_1", &sound("Once")).await);
}

#[tokio::test]
async fn refused_credentials_and_connections_send_nothing() {
    let sites = Sites::new().await;
    sites.site.rotate_token("another");
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

/// A refusal of a write is told by the part that it is about, also where GitHub has a code and no sentence for it.
#[tokio::test]
async fn a_refused_write_names_its_part() {
    let sites = Sites::new().await;
    let found = errors(sites.create("fx_1", &with(Part::Assignee, "zoe")).await);
    assert_eq!((found[0].code.as_str(), found[0].field.as_str()), ("check.value", "assignee"));
    sites.site.fault("GET", "/assignees/", fake::Fault::Status(204, serde_json::json!(null)));
    let found = errors(sites.create("fx_1", &with(Part::Assignee, "zoe")).await);
    assert_eq!((found[0].code.as_str(), found[0].field.as_str()), ("check.value", "assignee"));
    assert_eq!(found[0].text.text(Language::En), "the tracker does not take this value of assignees");
    for (project, code) in [("OLD", "check.permission"), ("MUTE", "check.gone"), ("GONE", "check.reference")]
    {
        let attempt = sites.tracker.create(TENANT, project, &"fx_1".into(), &sound("x"), None).await;
        assert_eq!(codes(attempt), [code], "{project}");
    }
    assert_eq!(sites.site.issues(REPOSITORY), []);
}

/// Writes keep their distance, and one that would wait for long is tried again later.
#[tokio::test]
async fn writes_keep_their_distance() {
    let between = Duration::from_millis(120);
    let sites = Sites::with(|config| config.limits.between_writes = between).await;
    let items = [sound("One"), sound("Two"), sound("Three")];
    let (one, two, three) = tokio::join!(
        sites.create("fx_1", &items[0]),
        sites.create("fx_2", &items[1]),
        sites.create("fx_3", &items[2])
    );
    for made in [one, two, three] {
        applied(made);
    }
    let written: Vec<i64> = sites.calls("POST", "/issues").iter().map(|call| call.at).collect();
    assert!(written.windows(2).all(|two| two[1] - two[0] >= 80), "{written:?}");
    let sites = Sites::with(|config| config.limits.between_writes = Duration::from_secs(60)).await;
    applied(sites.create("fx_1", &items[0]).await);
    let outcome = sites.create("fx_2", &items[1]).await;
    assert!(matches!(outcome, Attempt::NotApplied { hint: Some(50_000..), .. }), "{outcome:?}");
    assert_eq!(sites.site.issues(REPOSITORY).len(), 1);
}

/// A look at the site tells the state of each repository.
#[tokio::test]
async fn a_site_is_looked_over() {
    let sites = Sites::new().await;
    sites.site.change_repository("acme/guard", |repository| repository.role = Some(fake::Role::Read));
    sites.site.rename_repository("acme/priv", "acme/secret");
    let project = |key: &str| key.to_owned();
    let expected = [
        Sign::Account { login: FakeGithub::LOGIN.into() },
        Sign::Ready { project: project("DEMO") },
        Sign::NoProject { project: project("GONE") },
        Sign::OnlyReads { project: project("GUARD") },
        Sign::Ready { project: project("HID") },
        Sign::NoIssues { project: project("MUTE") },
        Sign::Archived { project: project("OLD") },
        Sign::Moved { project: project("PRIV") },
    ];
    assert_eq!(sites.tracker.examine().await[0], (TENANT.to_owned(), expected.into()));
    sites.site.rotate_token("another");
    assert_eq!(sites.tracker.examine().await[0].1, [Sign::Refused]);
}

#[test]
fn a_repository_has_to_be_named() {
    let config = |repository: &str| GithubConfig {
        base_url: "https://api.github.com".into(),
        allow_loopback: false,
        token: Key::parse("t").unwrap(),
        marker: true,
        limits: Limits::default(),
        projects: [(
            "WEB".to_owned(),
            GithubProject { repository: repository.into(), ..GithubProject::default() },
        )]
        .into(),
    };
    assert!(Github::new([(TENANT.to_owned(), config("acme/web"))]).is_ok());
    let wrong = Github::new([(TENANT.to_owned(), config("web"))]).err().unwrap();
    assert!(wrong.contains("WEB") && wrong.contains("owner/name"), "{wrong}");
}
