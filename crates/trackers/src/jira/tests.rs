//! The adapter against the fake, as Jira Cloud and as Jira Data Center: the conformance suite, and what is Jira's own.

use std::time::Duration;

use throughline_engine::Language;
use throughline_engine::data::effect::{Attempt, IssueChange, IssueState};
use throughline_engine::data::fault::{Fault, TrackerFault};
use throughline_engine::data::ticket::{Item, ItemType, Part};
use throughline_fakes::jira as fake;

mod only_data_center;
pub(super) mod sites;

use sites::Sites;

use super::*;
use crate::Tracker;
use crate::conformance::{self, TENANT, applied, codes, errors, item, member, sound};

/// Expands to a module for each edition, with the conformance suite and these tests.
macro_rules! in_both_editions {
    ($($test:ident),* $(,)?) => {
        in_both_editions!(@module cloud Cloud; $($test),*);
        in_both_editions!(@module data_center DataCenter; $($test),*);
    };
    (@module $module:ident $edition:ident; $($test:ident),*) => {
        mod $module {
            use super::{Edition, Sites};

            crate::tracker_conformance!(Sites::new(Edition::$edition).await);

            $(
                #[tokio::test]
                async fn $test() {
                    super::$test(Edition::$edition).await;
                }
            )*
        }
    };
}

in_both_editions! {
    an_answer_that_proves_nothing_is_unknown,
    what_was_not_done_says_so,
    a_refused_connection_sent_nothing,
    a_lagging_search_finds_it_later,
    what_is_written_is_read_back,
    stories_are_put_under_their_epic_in_the_projects_way,
    a_field_that_became_required_is_named,
    the_dry_run_names_what_jira_would_refuse,
    a_state_is_reached_by_a_step_of_the_workflow,
    a_long_list_of_fields_is_read_to_its_end,
    writes_to_one_issue_keep_their_distance,
    a_change_whose_reads_were_lost_was_not_sent,
}

// row: JI1
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Prism, from npm: cargo xtask peers"]
async fn every_call_of_the_suite_is_as_published() {
    if Sites::behind_prism().await.is_none() {
        return;
    }
    crate::tracker_conformance!(in_turn Sites::behind_prism().await.unwrap()).await;
}

/// The text of a refusal.
fn refusal<T: std::fmt::Debug>(attempt: Attempt<T>) -> String {
    match attempt {
        Attempt::Rejected { text, .. } => text.text(Language::En),
        other => panic!("expected rejected, got {other:?}"),
    }
}

/// Each answer that proves nothing leaves one issue or none, and no second create is sent.
async fn an_answer_that_proves_nothing_is_unknown(edition: Edition) {
    for (fault, made) in [
        (fake::Fault::AppliedThenLost, 1),
        (fake::Fault::AppliedThenHtml(200), 1),
        (fake::Fault::AppliedThenHtml(502), 1),
        (fake::Fault::AppliedThenNoKey, 1),
        (fake::Fault::LostBefore, 0),
        (fake::Fault::LateApply, 0),
        (fake::Fault::Html(200), 0),
        (fake::Fault::Status(503, serde_json::json!({})), 0),
    ] {
        let sites = Sites::new(edition).await;
        sites.site.fault("POST", "/issue", fault.clone());
        let outcome = sites.create("fx_1", &sound("Once")).await;
        assert!(matches!(outcome, Attempt::Unknown { .. }), "{fault:?}: {outcome:?}");
        assert_eq!(sites.site.issues("DEMO").len(), made, "{fault:?}");
        sites.site.land_late();
        let found = applied(sites.tracker.seek(TENANT, "DEMO", &"fx_1".into()).await);
        assert_eq!(found.len(), sites.site.issues("DEMO").len(), "{fault:?}: it is found where it is");
        let creates = sites
            .site
            .calls()
            .into_iter()
            .filter(|call| call.method == "POST" && call.path.ends_with("/issue"));
        assert_eq!(creates.count(), 1, "{fault:?}");
    }
}

/// A request that was refused before anything was done may be sent again, at the time that Jira names.
async fn what_was_not_done_says_so(edition: Edition) {
    let sites = Sites::new(edition).await;
    applied(sites.check(&[sound("Warm")]).await);
    sites.site.fault("POST", "/issue", fake::Fault::TooMany { retry_after: Some("30".into()) });
    let outcome = sites.create("fx_1", &sound("Once")).await;
    let Attempt::NotApplied { why, hint: Some(30_000) } = outcome else { panic!("{outcome:?}") };
    assert_eq!(why, TrackerFault::SlowDown.into());
    // Nothing is sent while Jira waits, and only what it refused waits.
    let before = sites.site.calls().len();
    let outcome = sites.create("fx_2", &sound("Two")).await;
    assert!(matches!(outcome, Attempt::NotApplied { hint: Some(1..=30_000), .. }), "{outcome:?}");
    assert_eq!(sites.site.calls().len(), before);
    assert!(applied(sites.tracker.seek(TENANT, "DEMO", &"fx_1".into()).await).is_empty());
    sites.site.rotate_token("another");
    let outcome = sites.tracker.find(TENANT, "DEMO", None, "DEMO-1").await;
    let Attempt::NotApplied { why, .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!(why, TrackerFault::Credentials.into());
}

async fn a_refused_connection_sent_nothing(edition: Edition) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let sites = Sites::with(edition, |config| config.base_url = nobody.clone()).await;
    let outcome = sites.create("fx_1", &sound("Once")).await;
    let Attempt::NotApplied { why, hint: None } = outcome else { panic!("{outcome:?}") };
    assert_eq!(why, TrackerFault::Unreachable.into());
}

/// A search lags behind, so nothing found proves nothing.
async fn a_lagging_search_finds_it_later(edition: Edition) {
    let sites = Sites::new(edition).await;
    sites.site.index_lag(i64::MAX / 2);
    let made = applied(sites.create("fx_1", &sound("Marked")).await);
    assert!(applied(sites.tracker.seek(TENANT, "DEMO", &"fx_1".into()).await).is_empty());
    sites.site.index_lag(0);
    assert_eq!(applied(sites.tracker.seek(TENANT, "DEMO", &"fx_1".into()).await), [made]);
}

/// Every part goes to its field, and what is read back is what was written.
async fn what_is_written_is_read_back(edition: Edition) {
    let sites = Sites::with(edition, |config| {
        let project = config.projects.get_mut("DEMO").unwrap();
        project.values.insert("Story Points".into(), "3".into());
    })
    .await;
    applied(sites.create("fx_0", &sound("There")).await);
    let given = item(
        ItemType::Story,
        &[
            (Part::Title, "Log in with SSO"),
            (Part::Problem, "Nobody **can**:\n\n- on the web\n- in `app`"),
            (Part::Labels, "sso, web"),
            (Part::Priority, "high"),
            (Part::Assignee, "@bob"),
            (Part::Dependencies, "after DEMO-1"),
            (Part::Evidence, "https://chat.example/c/1\nhttps://chat.example/files/1 plan b.pdf"),
        ],
    );
    applied(sites.check(std::slice::from_ref(&given)).await);
    let made = applied(sites.create("fx_1", &given).await);
    let issue = sites.site.issue(&made.key).unwrap();
    assert_eq!(issue.fields["labels"], serde_json::json!(["sso", "throughline-fx_1", "web"]));
    assert_eq!(issue.fields["assignee"]["accountId"], "a-bob");
    assert_eq!(issue.properties["throughline.effect"], serde_json::json!({"id": "fx_1"}));
    let points: Vec<_> = issue.fields.values().filter(|value| **value == serde_json::json!(3)).collect();
    assert_eq!(points.len(), 1, "{:?}", issue.fields);
    let description = &issue.fields["description"];
    let (text, written) = match edition {
        Edition::Cloud => {
            (adf::text(description), "### Problem\n\nNobody **can**:\n\n- on the web\n- in `app`")
        }
        Edition::DataCenter => {
            let text = description.as_str().unwrap_or_default().to_owned();
            (text, "h3. Problem\n\nNobody *can*:\n\n* on the web\n* in {{app}}")
        }
    };
    assert!(text.contains(written), "{text}");
    assert_eq!(sites.site.issue("DEMO-1").unwrap().links.len() + issue.links.len(), 1, "it is blocked by it");
    // A file is called by its name, and the conversation is one.
    let links: Vec<_> =
        issue.remote_links.iter().map(|link| (&link["object"]["title"], &link["object"]["url"])).collect();
    let [conversation, file] = links[..] else { panic!("{links:?}") };
    assert_eq!(
        (conversation.0, conversation.1),
        (&"Conversation".into(), &"https://chat.example/c/1".into())
    );
    assert_eq!((file.0, file.1), (&"plan b.pdf".into(), &"https://chat.example/files/1".into()));
    let found = applied(sites.tracker.find(TENANT, "DEMO", None, &made.key).await);
    assert_eq!((found.assignee.as_deref(), found.state), (Some("bob"), IssueState::Open));
}

/// Team-managed and company-managed projects, and one with epic links: the right field for each, and read back as it was.
async fn stories_are_put_under_their_epic_in_the_projects_way(edition: Edition) {
    let usual = sites::of_fake(edition).project("DEMO");
    let of_cloud = [(fake::Project::team("DEMO"), ChildLink::Parent), (usual.clone(), ChildLink::Parent)];
    let of_cloud = of_cloud.into_iter().filter(|_| edition == Edition::Cloud);
    let of_both = [(usual.clone(), ChildLink::EpicLink)];
    for (project, way) in of_cloud.chain(of_both) {
        let sites = Sites::with(edition, |config| {
            config.projects.get_mut("DEMO").unwrap().child_link = Some(way);
        })
        .await;
        sites.site.project(project.clone());
        let epic = member(ItemType::Epic, "e", None);
        let story = member(ItemType::Story, "s", Some("e"));
        applied(sites.check(&[epic.clone(), story.clone()]).await);
        let above = applied(sites.create("fx_1", &epic).await).key;
        let tracker = &sites.tracker;
        let made = applied(tracker.create(TENANT, "DEMO", &"fx_2".into(), &story, Some(&above)).await);
        let found = applied(tracker.find(TENANT, "DEMO", None, &made.key).await);
        assert_eq!(found.parent, Some(above.clone()), "{way:?} {}", project.team_managed);
        // Ignored by a create, it is set by itself.
        sites.site.ignore_parent_on_create(true);
        if way == ChildLink::Parent {
            let made = applied(tracker.create(TENANT, "DEMO", &"fx_3".into(), &story, Some(&above)).await);
            let found = applied(tracker.find(TENANT, "DEMO", None, &made.key).await);
            assert_eq!(found.parent, None, "{way:?}");
            let change = IssueChange::Parent(above.clone());
            applied(tracker.update(TENANT, "DEMO", None, &"fx_4".into(), &made.key, &change).await);
            let found = applied(tracker.find(TENANT, "DEMO", None, &made.key).await);
            assert_eq!(found.parent, Some(above));
        }
    }
}

/// A field that became required between the preview and the create: the dry run names it, and a create is refused with the
/// text of its field.
async fn a_field_that_became_required_is_named(edition: Edition) {
    let sites = Sites::new(edition).await;
    applied(sites.check(&[sound("Before")]).await);
    sites.site.change_project("DEMO", |project| {
        for kind in &mut project.types {
            for field in kind.fields.iter_mut().filter(|field| field.name == "Story Points") {
                field.required = true;
            }
        }
    });
    let found = errors(sites.create("fx_1", &sound("After")).await);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].field, "Story Points");
    assert!(matches!(&found[0].text, Fault::Said(text) if text.contains("required")), "{found:?}");
    let found = errors(sites.check(&[sound("After")]).await);
    assert_eq!((found[0].code.as_str(), found[0].field.as_str()), ("check.required", "Story Points"));
    assert!(sites.site.issues("DEMO").is_empty());
}

/// The mistakes of the dry run that only Jira can know, by code and field; no create is sent.
async fn the_dry_run_names_what_jira_would_refuse(edition: Edition) {
    let sites = Sites::new(edition).await;
    let with = |part: Part, text: &str| {
        let mut item = sound("Wrong");
        item.fields.insert(part, text.into());
        item
    };
    for (project, item, code, field) in [
        ("OLD", sound("x"), "check.project", "project"),
        ("GONE", sound("x"), "check.project", "project"),
        ("HID", sound("x"), "check.project", "project"),
        ("NOPE", sound("x"), "check.project", "project"),
        ("DEMO", with(Part::Priority, "immense"), "check.value", "priority"),
        ("DEMO", with(Part::Priority, "high, low"), "check.value", "priority"),
        ("DEMO", with(Part::Assignee, "zoe"), "check.value", "assignee"),
        ("DEMO", with(Part::Assignee, "otto"), "check.value", "assignee"),
        ("DEMO", with(Part::Dependencies, "DEMO-99"), "check.reference", "dependencies"),
        ("DEMO", with(Part::Title, "a\nb"), "check.value", "title"),
    ] {
        let found =
            errors(sites.tracker.check(TENANT, project, Some("user:ana"), std::slice::from_ref(&item)).await);
        let named = found.iter().map(|error| (error.code.as_str(), error.field.as_str())).collect::<Vec<_>>();
        assert_eq!(named, [(code, field)], "{project} {item:?}");
    }
    for (permission, items) in [
        ("CREATE_ISSUES", vec![sound("x")]),
        ("EDIT_ISSUES", vec![member(ItemType::Epic, "e", None), member(ItemType::Story, "s", Some("e"))]),
    ] {
        sites.site.change_project("DEMO", |project| assert!(project.permissions.remove(permission)));
        assert_eq!(codes(sites.check(&items).await), ["check.permission"], "{permission}");
        sites.site.change_project("DEMO", |project| assert!(project.permissions.insert(permission.into())));
    }
    // Who may not see a project is told that there is none.
    sites.site.change_project("DEMO", |project| assert!(project.permissions.remove("BROWSE_PROJECTS")));
    assert_eq!(codes(sites.check(&[sound("x")]).await), ["check.project"]);
    sites
        .site
        .change_project("DEMO", |project| assert!(project.permissions.insert("BROWSE_PROJECTS".into())));
    sites.site.change_project("DEMO", |project| project.types.retain(|kind| kind.name != "Bug"));
    let bug = Item { item_type: ItemType::Bug, ..sound("x") };
    assert_eq!(codes(sites.check(&[bug]).await), ["check.type"]);
    assert!(sites.site.calls().iter().all(|call| call.method == "GET"));
}

/// A workflow is followed, and where it leads nowhere that is said.
async fn a_state_is_reached_by_a_step_of_the_workflow(edition: Edition) {
    let sites = Sites::new(edition).await;
    let key = applied(sites.create("fx_1", &sound("Worked on")).await).key;
    let set = async |state: IssueState| {
        sites.tracker.update(TENANT, "DEMO", None, &"fx_2".into(), &key, &IssueChange::State(state)).await
    };
    applied(set(IssueState::Closed).await);
    assert!(sites.site.issue(&key).unwrap().closed);
    let answer = serde_json::json!({"expand": "transitions", "transitions": []});
    sites.site.fault("GET", "/transitions", fake::Fault::Status(200, answer));
    let told = refusal(set(IssueState::Open).await);
    assert_eq!(told, format!("{key} cannot be opened again from where it is in its workflow"));
    applied(set(IssueState::Open).await);
    assert!(!sites.site.issue(&key).unwrap().closed);
}

async fn a_long_list_of_fields_is_read_to_its_end(edition: Edition) {
    let sites = Sites::new(edition).await;
    sites.site.change_project("DEMO", |project| {
        let task = project.types.iter_mut().find(|kind| kind.name == "Task").unwrap();
        let fields = (0..450).map(|n| fake::Field {
            id: format!("customfield_2{n:04}"),
            name: format!("Field {n}"),
            required: n == 449,
            has_default: false,
            schema: serde_json::json!({
                "type": "string", "custom": "com.atlassian.jira.plugin.system.customfieldtypes:textfield",
                "customId": 20_000 + n,
            }),
            allowed: Vec::new(),
        });
        task.fields.extend(fields);
    });
    let found = errors(sites.check(&[sound("Long")]).await);
    assert_eq!(found.iter().map(|error| error.field.as_str()).collect::<Vec<_>>(), ["Field 449"]);
}

async fn writes_to_one_issue_keep_their_distance(edition: Edition) {
    let between = Duration::from_millis(120);
    let sites = Sites::with(edition, |config| config.limits.between_writes = between).await;
    let key = applied(sites.create("fx_1", &sound("Written to")).await).key;
    let comment = async |n: u32| {
        let change = IssueChange::Comment(format!("Comment {n}"));
        applied(
            sites
                .tracker
                .update(TENANT, "DEMO", None, &format!("fx_{n}").as_str().into(), &key, &change)
                .await,
        );
    };
    tokio::join!(comment(2), comment(3), comment(4));
    let written: Vec<i64> = sites
        .site
        .calls()
        .into_iter()
        .filter(|call| call.method == "POST" && call.path.ends_with("/comment"))
        .map(|call| call.at)
        .collect();
    assert_eq!(written.len(), 3);
    assert!(written.windows(2).all(|two| two[1] - two[0] >= 80), "{written:?}");
    assert_eq!(conformance::Subject::comments(&sites, TENANT, &key).await.len(), 3);
}

/// Whatever a change reads before it: where that was lost, nothing was sent that changes anything, and it is tried again.
async fn a_change_whose_reads_were_lost_was_not_sent(edition: Edition) {
    let sites = Sites::new(edition).await;
    let key = applied(sites.create("fx_1", &sound("One")).await).key;
    let other = applied(sites.create("fx_2", &sound("Two")).await).key;
    let encoded = |key: &str| format!("/issue/{}", client::encoded(key));
    for (change, reads) in [
        (IssueChange::Parent(other.clone()), vec![encoded(&key), encoded(&other)]),
        (IssueChange::Comment("Hello".into()), vec![encoded(&key), format!("/issue/{key}/comment")]),
        (IssueChange::State(IssueState::Closed), vec![encoded(&key), format!("/issue/{key}/transitions")]),
        (IssueChange::Assignee("bob".into()), vec![encoded(&key), "/user/assignable".into()]),
        (IssueChange::Link(other.clone()), vec![encoded(&key), encoded(&other), "/issueLinkType".into()]),
    ] {
        for read in reads {
            for fault in [fake::Fault::LostBefore, fake::Fault::Html(502)] {
                sites.site.fault("GET", &read, fault);
                let outcome = sites.tracker.update(TENANT, "DEMO", None, &"fx_3".into(), &key, &change).await;
                assert!(matches!(outcome, Attempt::NotApplied { .. }), "{change:?}, {read}: {outcome:?}");
            }
        }
    }
    let writes =
        sites.site.calls().into_iter().filter(|call| call.method != "GET" && call.path.contains(&key));
    assert_eq!(writes.count(), 0);
}
