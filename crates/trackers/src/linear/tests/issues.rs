//! Issues: what stands in them, how they are found, changed and put under each other, and what the dry run knows of them.

use throughline_engine::Language;
use throughline_engine::data::effect::{Attempt, IssueChange, IssueState};
use throughline_engine::data::ticket::{ItemType, Part};
use throughline_fakes::linear as fake;

use super::{Sites, TEAM, refusal, with};
use crate::Tracker;
use crate::conformance::{TENANT, applied, codes, errors, item, member, sound};

/// Every part has its place, nobody is called by a mention, and labels that are not there stand in the text.
#[tokio::test]
async fn what_is_written_is_read_back() {
    let sites = Sites::new().await;
    applied(sites.create("fx_0", &sound("There")).await);
    let given = item(
        ItemType::Bug,
        &[
            (Part::Title, "Log in with SSO"),
            (Part::Steps, "Ask @eve or https://linear.app/acme/profiles/eve:\n\n- on the web\n- in `app`"),
            (Part::Labels, "SSO, web, theirs"),
            (Part::Priority, "high"),
            (Part::Assignee, "Bob Stone"),
            (Part::Dependencies, "after DEMO-1"),
            (Part::Evidence, "https://chat.example/c/1"),
        ],
    );
    applied(sites.check(std::slice::from_ref(&given)).await);
    let made = applied(sites.create("fx_1", &given).await);
    let issue = sites.issue(&made.key);
    assert_eq!((issue.labels.as_slice(), issue.priority), (&["Bug".to_owned(), "sso".into()][..], 2));
    assert_eq!(issue.assignee.as_deref(), Some("bob"));
    let gap = '\u{200b}';
    let steps =
        format!("Ask @{gap}eve or https://linear.app/acme/profiles/{gap}eve:\n\n- on the web\n- in `app`");
    assert!(issue.description.contains(&steps), "{}", issue.description);
    assert!(issue.description.contains("### Labels\n\nweb, theirs"), "{}", issue.description);
    let found = applied(sites.find(&made.key).await);
    assert_eq!((found.assignee.as_deref(), found.state), (Some("bob"), IssueState::Open));
    assert_eq!(found, made);
    let link = made.url.unwrap();
    for named in [" demo-2 ", link.as_str(), "https://linear.app/ACME/issue/DEMO-2"] {
        assert_eq!(applied(sites.find(named).await).key, "DEMO-2", "{named}");
    }
    for named in ["https://linear.app/globex/issue/DEMO-2/x", "https://evil.example/acme/issue/DEMO-2"] {
        assert_eq!(codes(sites.find(named).await), ["check.reference"], "{named}");
    }
}

/// A project whose team has another key is named by either.
#[tokio::test]
async fn a_team_may_have_another_key() {
    let sites = Sites::new().await;
    let by = Some("user:ana");
    let made = applied(sites.tracker.create(TENANT, "PRIV", &"fx_1".into(), &sound("Ours"), None).await);
    assert_eq!(made.key, "PRIV-1");
    for named in ["PRIV-1", "SEC-1", "https://linear.app/acme/issue/SEC-1/ours"] {
        assert_eq!(applied(sites.tracker.find(TENANT, "PRIV", by, named).await), made, "{named}");
    }
    let private = IssueChange::Link(made.key.clone());
    let open = applied(sites.create("fx_2", &sound("Open")).await);
    applied(sites.tracker.update(TENANT, "DEMO", by, &"fx_3".into(), &open.key, &private).await);
    assert_eq!(sites.issue(&open.key).relations, [("related".to_owned(), "SEC-1".to_owned())]);
}

/// An issue that was moved to another team, archived or thrown away is not there any more, in the same words as one that
/// never was. The create of it is found all the same.
#[tokio::test]
async fn what_has_gone_is_not_followed() {
    let sites = Sites::new().await;
    for (n, title) in ["Moved", "Archived", "Trashed"].iter().enumerate() {
        applied(sites.create(&format!("fx_{n}"), &sound(title)).await);
    }
    let stays = applied(sites.create("fx_3", &sound("Stays")).await).key;
    assert_eq!(sites.site.move_to("DEMO-1", "OTHER"), "OTHER-1");
    sites.site.archive("DEMO-2");
    sites.site.trash("DEMO-3");
    let writes = sites.writes();
    for key in ["DEMO-1", "DEMO-2", "DEMO-3"] {
        assert_eq!(codes(sites.find(key).await), ["check.reference"], "{key}");
        let change = || IssueChange::State(IssueState::Closed);
        let told = refusal(sites.update("fx_4", key, change()).await);
        let never = refusal(sites.update("fx_4", "DEMO-99", change()).await);
        assert_eq!(told, never.replace("DEMO-99", key));
        let linked = sites.update("fx_5", &stays, IssueChange::Link(key.into())).await;
        assert_eq!(codes(linked), ["check.reference"], "{key}");
        assert_eq!(codes(sites.check(&[member(ItemType::Story, "s", Some(key))]).await), ["check.parent"]);
        assert_eq!(codes(sites.check(&[with(Part::Dependencies, key)]).await), ["check.reference"]);
    }
    assert_eq!(sites.writes(), writes);
    let keys = |found: Vec<crate::Issue>| found.into_iter().map(|issue| issue.key).collect::<Vec<_>>();
    assert_eq!(keys(sites.seek("fx_2").await), ["DEMO-3"]);
    // Where it was moved is told only if everybody may see that.
    assert_eq!(sites.seek("fx_0").await, []);
    sites.site.move_to("DEMO-4", "SEC");
    assert_eq!(sites.seek("fx_3").await, []);
    sites.site.move_to("SEC-1", "GUARD");
    assert_eq!(keys(sites.seek("fx_3").await), ["GUARD-1"]);
}

/// A story is put under its epic by the create itself, and can be put under another one.
#[tokio::test]
async fn a_story_is_a_sub_issue_of_its_epic() {
    let sites = Sites::new().await;
    let epics = [
        applied(sites.create("fx_1", &member(ItemType::Epic, "e1", None)).await).key,
        applied(sites.create("fx_2", &member(ItemType::Epic, "e2", None)).await).key,
    ];
    let (effect, story) = ("fx_3".into(), member(ItemType::Story, "s", Some("e1")));
    let made = applied(sites.tracker.create(TENANT, "DEMO", &effect, &story, Some(&epics[0])).await);
    assert_eq!((made.parent.as_ref(), sites.writes()), (Some(&epics[0]), 3));
    applied(sites.update("fx_4", &made.key, IssueChange::Parent(epics[0].clone())).await);
    assert_eq!(sites.writes(), 3, "it is there already");
    applied(sites.update("fx_5", &made.key, IssueChange::Parent(epics[1].clone())).await);
    assert_eq!(sites.issue(&made.key).parent.as_ref(), Some(&epics[1]));
    assert_eq!(
        codes(sites.update("fx_6", &epics[0], IssueChange::Parent(epics[1].clone())).await),
        ["check.parent"]
    );
}

/// A comment says what it says, calls nobody, and is made once, also if its answer was lost or comes late.
#[tokio::test]
async fn a_comment_is_made_once_whatever_is_answered() {
    let sites = Sites::new().await;
    let key = applied(sites.create("fx_1", &sound("Talked about")).await).key;
    let comment = || IssueChange::Comment("Thanks, @ana".into());
    for (n, fault) in
        [fake::Fault::AppliedThenLost, fake::Fault::AppliedThenHtml(502), fake::Fault::LateApply]
            .into_iter()
            .enumerate()
    {
        let effect = format!("fx_c{n}");
        sites.site.fault("commentCreate", fault.clone());
        let lost = sites.update(&effect, &key, comment()).await;
        assert!(matches!(lost, Attempt::Unknown { .. }), "{fault:?}: {lost:?}");
        sites.site.land_late();
        applied(sites.update(&effect, &key, comment()).await);
        assert_eq!(sites.issue(&key).comments, vec!["Thanks, @\u{200b}ana"; n + 1], "{fault:?}");
    }
    // If the issue cannot be read, nothing was sent.
    sites.site.fault("issue", fake::Fault::Html(502));
    let unread = sites.update("fx_4", &key, comment()).await;
    assert!(matches!(unread, Attempt::NotApplied { .. }), "{unread:?}");
}

/// Two issues that are linked by a person are not linked again, in whichever direction; a lost answer links none twice.
#[tokio::test]
async fn issues_are_linked_once() {
    let sites = Sites::new().await;
    for n in 1..=2 {
        applied(sites.create(&format!("fx_{n}"), &sound("One of two")).await);
    }
    let link = |key: &str| IssueChange::Link(key.into());
    sites.site.fault("issueRelationCreate", fake::Fault::AppliedThenLost);
    let lost = sites.update("fx_3", "DEMO-1", link("DEMO-2")).await;
    assert!(matches!(lost, Attempt::Unknown { .. }), "{lost:?}");
    applied(sites.update("fx_3", "DEMO-1", link("DEMO-2")).await);
    applied(sites.update("fx_4", "DEMO-2", link("DEMO-1")).await);
    assert_eq!(sites.calls("issueRelationCreate").len(), 1);
    assert_eq!((sites.issue("DEMO-1").relations.len(), sites.issue("DEMO-2").relations.len()), (1, 0));
    sites.site.fault("issue", fake::Fault::Html(502));
    let unread = sites.update("fx_5", "DEMO-1", link("DEMO-2")).await;
    assert!(matches!(unread, Attempt::NotApplied { .. }), "{unread:?}");
}

/// A link that a person made counts, of whatever type it is, also where many others come before it.
#[tokio::test]
async fn a_link_is_sought_page_by_page() {
    let sites = Sites::new().await;
    for n in 1..=4 {
        applied(sites.create(&format!("fx_{n}"), &sound("One of four")).await);
    }
    for _ in 0..150 {
        sites.site.relate("DEMO-1", "similar", "DEMO-2");
        sites.site.relate("DEMO-2", "similar", "DEMO-1");
    }
    sites.site.relate("DEMO-1", "blocks", "DEMO-3");
    sites.site.relate("DEMO-4", "duplicate", "DEMO-1");
    for (effect, other) in [("fx_5", "DEMO-3"), ("fx_6", "DEMO-4")] {
        applied(sites.update(effect, "DEMO-1", IssueChange::Link(other.into())).await);
    }
    assert_eq!((sites.calls("issueRelationCreate").len(), sites.issue("DEMO-1").relations.len()), (0, 151));
}

/// The one who is meant is found behind many whose names are like theirs.
#[tokio::test]
async fn a_person_is_sought_page_by_page() {
    let sites = Sites::new().await;
    for n in 0..150 {
        sites.site.person(fake::Person::new(&format!("ines.{n}"), &format!("Ines {n}")));
    }
    sites.site.person(fake::Person::new("ines", "Ines Last"));
    let made = applied(sites.create("fx_1", &with(Part::Assignee, "Ines")).await);
    assert_eq!((made.assignee.as_deref(), sites.calls("users").len()), (Some("ines"), 2));
    let many = refusal(sites.check(&[with(Part::Assignee, "Ines L")]).await);
    assert!(many.contains("ines.0"), "{many}");
}

/// A state is chosen by its type, not by its name, and an issue that is closed already is not written to.
#[tokio::test]
async fn a_state_is_chosen_by_its_type() {
    let sites = Sites::new().await;
    let key = applied(sites.create("fx_1", &sound("Changed")).await).key;
    for (effect, wanted, state, writes) in [
        ("fx_2", IssueState::Open, "backlog", 1),
        ("fx_3", IssueState::Closed, "completed", 2),
        ("fx_4", IssueState::Closed, "completed", 2),
        ("fx_5", IssueState::Open, "backlog", 3),
    ] {
        applied(sites.update(effect, &key, IssueChange::State(wanted)).await);
        assert_eq!((sites.issue(&key).state.as_str(), sites.writes()), (state, writes), "{effect}");
    }
    sites.site.fault("team", fake::Fault::LostBefore);
    let unread = sites.update("fx_6", &key, IssueChange::State(IssueState::Closed)).await;
    assert!(matches!(unread, Attempt::NotApplied { .. }), "{unread:?}");
}

/// The mistakes of the dry run that only Linear can know, by code and field; nothing is written.
#[tokio::test]
async fn the_dry_run_names_what_linear_would_refuse() {
    let sites = Sites::new().await;
    let story = member(ItemType::Story, "s", None);
    for (project, item, code, field) in [
        ("OLD", sound("x"), "check.project", "project"),
        ("GONE", sound("x"), "check.project", "project"),
        ("UNSEEN", sound("x"), "check.project", "project"),
        ("HID", sound("x"), "check.project", "project"),
        ("NOPE", sound("x"), "check.project", "project"),
        ("BARE", story, "check.value", "labels"),
        ("DEMO", with(Part::Priority, "P1"), "check.value", "priority"),
        ("DEMO", with(Part::Assignee, "zoe"), "check.value", "assignee"),
        ("DEMO", with(Part::Assignee, "robot"), "check.value", "assignee"),
        ("DEMO", with(Part::Assignee, "gus"), "check.value", "assignee"),
        ("DEMO", with(Part::Dependencies, "DEMO-99"), "check.reference", "dependencies"),
        ("DEMO", with(Part::Title, "a\nb"), "check.value", "title"),
    ] {
        let by = Some("user:ana");
        let found = errors(sites.tracker.check(TENANT, project, by, std::slice::from_ref(&item)).await);
        let named = found.iter().map(|error| (error.code.as_str(), error.field.as_str())).collect::<Vec<_>>();
        assert_eq!(named, [(code, field)], "{project} {item:?}");
        // The create finds it too, but for what it does not look at.
        if field != "dependencies" {
            let made = sites.tracker.create(TENANT, project, &"fx_1".into(), &item, None).await;
            assert_eq!(codes(made), [code], "{project} {item:?}");
        }
    }
    let robot = refusal(sites.check(&[with(Part::Assignee, "robot")]).await);
    assert!(robot.contains("robot"), "{robot}");
    assert_eq!((sites.writes(), sites.site.issues(TEAM).len()), (0, 0));
}

/// A refusal of a write is told in Linear's words, by the part that it is about.
#[tokio::test]
async fn a_refused_write_names_its_part() {
    let sites = Sites::new().await;
    let why = "The label 'Bug' is in the same group as 'Epic'.";
    let refusal = serde_json::json!({"data": null, "errors": [{
        "message": "labelIds not exclusive child labels", "path": ["issueCreate"],
        "extensions": {"code": "INPUT_ERROR", "userError": true, "userPresentableMessage": why},
    }]});
    for status in [200, 400] {
        sites.site.fault("issueCreate", fake::Fault::Status(status, refusal.clone()));
        let found = errors(sites.create("fx_1", &sound("x")).await);
        assert_eq!((found[0].code.as_str(), found[0].field.as_str()), ("check.value", "labels"));
        assert_eq!(found[0].text.text(Language::En), why);
    }
    assert_eq!(sites.site.issues(TEAM), []);
}
