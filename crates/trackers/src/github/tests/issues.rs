//! Issues: what stands in them, how they are found, changed and put under each other, and what the dry run knows of them.

use throughline_engine::Language;
use throughline_engine::data::effect::{Attempt, IssueChange, IssueState};
use throughline_engine::data::fault::TrackerFault;
use throughline_engine::data::ticket::{ItemType, Part};
use throughline_fakes::github as fake;

use super::{REPOSITORY, Sites, refusal, with};
use crate::Tracker;
use crate::conformance::{TENANT, applied, codes, errors, item, member, sound};

/// Every part has its place, nobody is called by a mention, and the marker is the last line.
#[tokio::test]
async fn what_is_written_is_read_back() {
    let sites = Sites::new().await;
    applied(sites.create("fx_0", &sound("There")).await);
    let given = item(
        ItemType::Bug,
        &[
            (Part::Title, "Log in with SSO"),
            (Part::Steps, "Ask @eve, see #12:\n\n- on the web\n- in `app`"),
            (Part::Labels, "sso, web"),
            (Part::Priority, "High"),
            (Part::Assignee, "@Bob"),
            (Part::Dependencies, "after DEMO-1"),
            (Part::Evidence, "https://chat.example/c/1"),
        ],
    );
    applied(sites.check(std::slice::from_ref(&given)).await);
    let made = applied(sites.create("fx_1", &given).await);
    let issue = sites.issue(TENANT, &made.key).unwrap();
    assert_eq!(issue.labels, ["bug", "priority: high", "sso", "web"]);
    assert_eq!(issue.assignees, ["bob"]);
    let gap = '\u{200b}';
    let steps = format!("Ask @{gap}eve, see #12:\n\n- on the web\n- in `app`");
    assert!(issue.body.contains(&steps), "{}", issue.body);
    assert!(issue.body.ends_with("\n\n<!-- throughline-fx_1 -->"), "{}", issue.body);
    let found = applied(sites.find(&made.key).await);
    assert_eq!((found.assignee.as_deref(), found.state), (Some("bob"), IssueState::Open));
    assert_eq!(found, made);
    for named in ["acme/demo#2", "Acme/Demo#2", made.url.unwrap().as_str()] {
        assert_eq!(applied(sites.find(named).await).key, "DEMO-2", "{named}");
    }
    assert!(matches!(sites.find("acme/priv#2").await, Attempt::Rejected { .. }));
}

/// Nothing marks an issue where that is switched off, and so nothing is sought.
#[tokio::test]
async fn a_marker_can_be_left_out() {
    let sites = Sites::with(|config| config.marker = false).await;
    let made = applied(sites.create("fx_1", &sound("Plain")).await);
    assert!(!sites.issue(TENANT, &made.key).unwrap().body.contains("throughline"));
    assert_eq!(sites.seek("fx_1").await, []);
}

/// An issue that many newer ones follow is found on a later page, a text that looks like a marker is none, and neither is
/// that of a pull request.
#[tokio::test]
async fn a_marker_is_sought_page_by_page() {
    let sites = Sites::new().await;
    applied(sites.create("fx_1", &sound("First")).await);
    let marker = "<!-- throughline-fx_1 -->";
    applied(sites.create("fx_2", &with(Part::Problem, marker)).await);
    for n in 0..120 {
        sites.site.pull_request(REPOSITORY, &format!("Change {n}"), marker);
    }
    let found = sites.seek("fx_1").await;
    assert_eq!(found.iter().map(|issue| issue.key.as_str()).collect::<Vec<_>>(), ["DEMO-1"]);
    assert!(sites.calls("GET", "/issues").len() > 1);
}

#[tokio::test]
async fn a_pull_request_is_no_issue() {
    let sites = Sites::new().await;
    let number = sites.site.pull_request(REPOSITORY, "A change", "");
    let key = format!("DEMO-{number}");
    assert_eq!(codes(sites.find(&key).await), ["check.reference"]);
    assert_eq!(
        codes(sites.update("fx_1", &key, IssueChange::Comment("Hello".into())).await),
        ["check.reference"]
    );
    let made = applied(sites.create("fx_2", &sound("An issue")).await);
    assert_eq!(
        codes(sites.update("fx_3", &made.key, IssueChange::Link(key.clone())).await),
        ["check.reference"]
    );
    assert_eq!(codes(sites.check(&[member(ItemType::Story, "s", Some(&key))]).await), ["check.parent"]);
}

/// An issue that was moved to another repository, or deleted, is not there any more. A repository that was renamed says so.
#[tokio::test]
async fn what_has_moved_is_not_followed() {
    let sites = Sites::new().await;
    let keys = [
        applied(sites.create("fx_1", &sound("Moved")).await).key,
        applied(sites.create("fx_2", &sound("Deleted")).await).key,
    ];
    sites.site.transfer(REPOSITORY, 1, "acme/priv");
    sites.site.delete(REPOSITORY, 2);
    for key in &keys {
        assert_eq!(codes(sites.find(key).await), ["check.reference"], "{key}");
        let told = refusal(sites.update("fx_3", key, IssueChange::State(IssueState::Closed)).await);
        assert_eq!(
            told,
            refusal(sites.update("fx_3", "DEMO-99", IssueChange::State(IssueState::Closed)).await)
                .replace("DEMO-99", key)
        );
    }
    assert!(sites.calls("PATCH", "").is_empty());
    applied(sites.create("fx_4", &sound("Stays")).await);
    sites.site.rename_repository(REPOSITORY, "acme/shop");
    for attempt in [
        sites.check(&[sound("x")]).await,
        sites.find("DEMO-3").await.map(drop),
        sites.create("fx_5", &sound("x")).await.map(drop),
        sites.update("fx_6", "DEMO-3", IssueChange::Comment("x".into())).await,
    ] {
        let found = errors(attempt);
        assert_eq!((found[0].code.as_str(), found.len()), ("check.project", 1));
        assert!(found[0].text.text(Language::En).starts_with("It has moved to"), "{found:?}");
    }
    assert_eq!(sites.site.issues("acme/shop").len(), 1);
}

/// A comment says what it says, calls nobody, and is made once, also if its answer was lost.
#[tokio::test]
async fn a_comment_is_looked_for_before_it_is_made() {
    let sites = Sites::new().await;
    let key = applied(sites.create("fx_1", &sound("Talked about")).await).key;
    sites.site.fault("POST", "/comments", fake::Fault::AppliedThenLost);
    let comment = || IssueChange::Comment("Thanks, @ana".into());
    let lost = sites.update("fx_2", &key, comment()).await;
    assert!(matches!(lost, Attempt::Unknown { .. }), "{lost:?}");
    applied(sites.update("fx_2", &key, comment()).await);
    let comments = sites.issue(TENANT, &key).unwrap().comments;
    assert_eq!(comments.len(), 1);
    assert_eq!(comments[0].body, "Thanks, @\u{200b}ana\n\n<!-- throughline-fx_2 -->");
    // If the comments cannot be read, nothing was sent.
    sites.site.fault("GET", "/comments", fake::Fault::Html(502));
    let unread = sites.update("fx_3", &key, comment()).await;
    assert!(matches!(unread, Attempt::NotApplied { .. }), "{unread:?}");
}

/// A story whose second request failed is there all the same, without a parent, and is put under its epic later.
#[tokio::test]
async fn a_story_that_was_not_put_under_its_epic_is_mended() {
    let sites = Sites::new().await;
    let epic = applied(sites.create("fx_1", &member(ItemType::Epic, "e", None)).await).key;
    let story = member(ItemType::Story, "s", Some("e"));
    for (n, fault) in [
        fake::Fault::Status(
            422,
            serde_json::json!({"message": "An error occurred while adding the sub-issue."}),
        ),
        fake::Fault::Html(502),
        fake::Fault::LostBefore,
    ]
    .into_iter()
    .enumerate()
    {
        sites.site.fault("POST", "/sub_issues", fault.clone());
        let made = applied(sites.create_under(&format!("fx_s{n}"), &story, &epic).await);
        assert_eq!(made.parent, None, "{fault:?}");
        assert_eq!(applied(sites.find(&made.key).await), made, "{fault:?}");
        applied(sites.update("fx_p", &made.key, IssueChange::Parent(epic.clone())).await);
        assert_eq!(applied(sites.find(&made.key).await).parent, Some(epic.clone()), "{fault:?}");
    }
    let counted = sites.site.issues(REPOSITORY).len();
    assert_eq!(counted, 4, "and none is made twice");
    // A GitHub without sub-issues refuses them.
    sites.site.change_repository(REPOSITORY, |repository| repository.sub_issues = false);
    let made = applied(sites.create_under("fx_s9", &story, &epic).await);
    let refused = sites.update("fx_p9", &made.key, IssueChange::Parent(epic)).await;
    assert_eq!(codes(refused), ["check.parent"]);
}

/// The mistakes of the dry run that only GitHub can know, by code and field; no create is sent.
#[tokio::test]
async fn the_dry_run_names_what_github_would_refuse() {
    let sites = Sites::new().await;
    for (project, item, code, field) in [
        ("OLD", sound("x"), "check.project", "project"),
        ("MUTE", sound("x"), "check.project", "project"),
        ("GONE", sound("x"), "check.project", "project"),
        ("HID", sound("x"), "check.project", "project"),
        ("NOPE", sound("x"), "check.project", "project"),
        ("DEMO", with(Part::Priority, "high, low"), "check.value", "priority"),
        ("DEMO", with(Part::Assignee, "zoe"), "check.value", "assignee"),
        ("DEMO", with(Part::Dependencies, "DEMO-99"), "check.reference", "dependencies"),
        ("DEMO", with(Part::Title, "a\nb"), "check.value", "title"),
    ] {
        let found =
            errors(sites.tracker.check(TENANT, project, Some("user:ana"), std::slice::from_ref(&item)).await);
        let named = found.iter().map(|error| (error.code.as_str(), error.field.as_str())).collect::<Vec<_>>();
        assert_eq!(named, [(code, field)], "{project} {item:?}");
    }
    let off = errors(sites.tracker.check(TENANT, "MUTE", Some("user:ana"), &[sound("x")]).await);
    assert_eq!(off[0].text, TrackerFault::IssuesOff { project: "MUTE".into() }.into());
    sites.site.change_repository(REPOSITORY, |repository| repository.role = Some(fake::Role::Read));
    applied(sites.check(&[sound("x")]).await);
    for item in [with(Part::Labels, "sso"), with(Part::Assignee, "bob"), member(ItemType::Epic, "e", None)] {
        assert_eq!(codes(sites.check(std::slice::from_ref(&item)).await), ["check.permission"], "{item:?}");
    }
    sites.site.change_repository(REPOSITORY, |repository| repository.role = None);
    assert_eq!(codes(sites.check(&[sound("x")]).await), ["check.project"]);
    assert!(sites.site.calls().iter().all(|call| call.method == "GET"));
}

/// A person whom GitHub leaves out without a word is told.
#[tokio::test]
async fn an_assignee_that_is_left_out_is_told() {
    let sites = Sites::new().await;
    let key = applied(sites.create("fx_1", &sound("Whose?")).await).key;
    sites.site.change_repository(REPOSITORY, |repository| repository.role = Some(fake::Role::Read));
    assert_eq!(
        codes(sites.update("fx_2", &key, IssueChange::Assignee("bob".into())).await),
        ["check.permission"]
    );
}
