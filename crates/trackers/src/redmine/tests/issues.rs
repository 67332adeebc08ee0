//! Issues: what stands in them, how they are found, changed and put under each other, and what the dry run knows of them.

use serde_json::json;
use throughline_engine::Language;
use throughline_engine::data::effect::{Attempt, IssueChange, IssueState};
use throughline_engine::data::ticket::{Item, ItemType, Part};
use throughline_fakes::redmine::{Project, RealRedmine};

use super::{Markup, RedmineConfig, Sign, Sites, named};
use crate::Tracker;
use crate::conformance::{Subject, TENANT, applied, codes, errors, item, member, sound};

/// A project with a custom field that is required, and two that are not.
const FIELDS: Project<'_> = Project { fields: &["Component", "Found in", "Reviews"], ..Project::USUAL };

fn with(part: Part, text: &str) -> Item {
    let mut item = sound("With");
    item.fields.insert(part, text.into());
    item
}

/// The text of a refusal.
fn refusal<T: std::fmt::Debug>(attempt: Attempt<T>) -> String {
    match attempt {
        Attempt::Rejected { text, .. } => text.text(Language::En),
        other => panic!("expected rejected, got {other:?}"),
    }
}

/// Changes the settings of one project.
fn settings<'a>(config: &'a mut RedmineConfig, project: &str) -> &'a mut super::RedmineProject {
    config.projects.get_mut(project).unwrap()
}

/// Every part has its place, and nobody is called by a mention.
#[tokio::test]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn what_is_written_is_read_back() {
    let sites = Sites::with(&[("WEB", FIELDS)], |config| {
        let web = settings(config, "WEB");
        web.part_fields.insert(Part::Constraints, "Found in".into());
        web.values.insert("Component".into(), "Web".into());
    })
    .await;
    let given = item(
        ItemType::Bug,
        &[
            (Part::Title, "Log in with *SSO*"),
            (Part::Steps, "Ask @eve about {{include(Wiki)}}:\n\n* on the web\n* in @app@"),
            (Part::Constraints, "2.1 & later"),
            (Part::Labels, "sso, web"),
            (Part::Priority, "urgent"),
            (Part::Assignee, "@Bob"),
        ],
    );
    let by = Some("user:ana");
    applied(sites.tracker.check(TENANT, "WEB", by, std::slice::from_ref(&given)).await);
    let made = applied(sites.tracker.create(TENANT, "WEB", &"fx_1".into(), &given, None).await);
    let issue = sites.issue(&made.key).await;
    let told = ["tracker", "priority", "assigned_to", "author"].map(|field| issue[field]["name"].clone());
    assert_eq!(told, ["Bug", "Urgent", "bob", "throughline"]);
    let gap = '\u{200b}';
    assert_eq!(
        issue["description"].as_str().unwrap().replace("\r\n", "\n"),
        format!(
            "*Steps to reproduce*\n\nAsk @{gap}eve about {{{gap}{{include(Wiki)}}}}:\n\n* on the web\n* in @{gap}app@\n\n\
             *Labels*\n\nsso, web\n\n<!-- throughline-fx_1 -->"
        )
    );
    let fields = issue["custom_fields"].as_array().unwrap();
    let field = |name: &str| fields.iter().find(|field| field["name"] == name).unwrap()["value"].clone();
    assert_eq!(
        [field("Component"), field("Found in"), field("Reviews")],
        [json!("Web"), json!("2.1 & later"), json!(null)]
    );
    let found = applied(sites.tracker.find(TENANT, "WEB", None, &made.key).await);
    assert_eq!((found.assignee.as_deref(), found.state), (Some("bob"), IssueState::Open));
    assert_eq!(found, made);
    let number = made.key.rsplit('-').next().unwrap();
    let link = made.url.clone().unwrap();
    for named in [format!(" web-{number} "), format!("#{number}"), format!("{link}#note-1")] {
        assert_eq!(applied(sites.tracker.find(TENANT, "WEB", None, &named).await), made, "{named}");
    }
    for named in [format!("DEMO-{number}"), format!("#{number}"), link] {
        assert_eq!(codes(sites.find(&named).await), ["check.reference"], "{named}: of another project");
    }
}

/// A text is shown without its mark, and calls nobody, includes nothing and loads nothing, in the markup that Redmine has.
#[tokio::test]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn a_text_is_shown_and_does_nothing() {
    let fitting = match RealRedmine::named().text.as_str() {
        "textile" => &[Markup::Any, Markup::Textile][..],
        // The older kind of Markdown shows comments.
        "markdown" => &[Markup::Markdown],
        "common_mark" => &[Markup::Any, Markup::Markdown],
        other => panic!("{other} is no markup of Redmine's"),
    };
    for markup in fitting {
        let sites = Sites::with(&[], |config| config.markup = *markup).await;
        let text = "Ask @bob about {{macro_list}} and !http://pictures.example/p.png! today";
        let made = applied(sites.create("fx_shown", &with(Part::Problem, text)).await);
        let shown = sites.redmine.shown(sites.identifier("DEMO")).await;
        assert!(
            shown.contains(">Problem<") && shown.contains("Ask @\u{200b}bob about {\u{200b}{macro_list}}"),
            "{shown}"
        );
        for hidden in ["fx_shown", "throughline-", "user-mention", "hello_world", "<img"] {
            assert!(!shown.contains(hidden), "{markup:?} shows {hidden}: {shown}");
        }
        assert_eq!(sites.seek("fx_shown").await, std::slice::from_ref(&made), "{markup:?}");
        for _ in 0..2 {
            applied(sites.update("fx_said", &made.key, IssueChange::Comment("Hello".into())).await);
        }
        let said = sites.issue(&made.key).await["journals"].to_string();
        assert_eq!(said.matches("Hello").count(), 1, "{markup:?}: {said}");
        // By itself the text would do all that.
        let number = made.key.rsplit('-').next().unwrap().parse().unwrap();
        sites.redmine.change(number, &json!({"description": text})).await;
        let shown = sites.redmine.shown(sites.identifier("DEMO")).await;
        assert!(shown.contains("user-mention") && shown.contains("hello_world"), "{shown}");
        assert_eq!(shown.contains("<img"), sites.redmine.text == "textile", "{shown}");
    }
}

/// Labels go to a field that takes several values, and to one that takes one.
#[tokio::test]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn labels_go_to_a_list() {
    let sites = Sites::with(&[("WEB", Project { fields: &["Tags"], ..Project::USUAL })], |config| {
        settings(config, "WEB").part_fields.insert(Part::Labels, "Tags".into());
    })
    .await;
    for (n, (labels, expected)) in
        [("sso, web", json!(["sso", "web"])), ("ops", json!(["ops"]))].into_iter().enumerate()
    {
        let (effect, item) = (format!("fx_{n}"), with(Part::Labels, labels));
        let made = applied(sites.tracker.create(TENANT, "WEB", &effect.as_str().into(), &item, None).await);
        let issue = sites.issue(&made.key).await;
        assert_eq!(issue["custom_fields"][0]["value"], expected, "{labels}");
    }
    let outcome =
        sites.tracker.create(TENANT, "WEB", &"fx_9".into(), &with(Part::Labels, "sso, jam"), None).await;
    let [fault] = &errors(outcome)[..] else { panic!("one fault") };
    assert_eq!((fault.code.as_str(), fault.field.as_str()), ("check.value", "labels"));
}

/// A required field that nothing fills is refused by Redmine, with its name, and by the part that fills it.
#[tokio::test]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn a_field_that_is_refused_is_named() {
    let sites = Sites::with(&[("BARE", FIELDS), ("WEB", FIELDS)], |config| {
        let web = settings(config, "WEB");
        web.part_fields.insert(Part::Risks, "component".into());
        web.part_fields.insert(Part::Questions, "Reviews".into());
    })
    .await;
    let create = async |project: &str, item: &Item| {
        sites.tracker.create(TENANT, project, &"fx_1".into(), item, None).await
    };
    let [fault] = &errors(create("BARE", &sound("Bare")).await)[..] else { panic!("one fault") };
    assert_eq!((fault.code.as_str(), fault.field.as_str()), ("check.value", "Component"));
    assert_eq!(fault.text.text(Language::En), "Component cannot be blank");
    let mut item = with(Part::Risks, "Kitchen");
    item.fields.insert(Part::Questions, "many".into());
    let told: Vec<_> = errors(create("WEB", &item).await).into_iter().map(|fault| fault.field).collect();
    assert_eq!(told, ["risks", "questions"]);
    for project in ["BARE", "WEB"] {
        assert_eq!(sites.redmine.issues(sites.identifier(project)).await, [json!(null); 0], "{project}");
    }
    item.fields.insert(Part::Risks, "Ops".into());
    item.fields.insert(Part::Questions, "3".into());
    applied(create("WEB", &item).await);
}

/// Redmine would take another tracker for one that a project lacks, so that is found before.
#[tokio::test]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn a_type_without_a_tracker_is_refused() {
    let few = Project { trackers: &["Bug", "Epic"], ..Project::USUAL };
    let sites = Sites::with(&[("FEW", few)], |config| {
        settings(config, "DEMO").type_names.insert(ItemType::Story, "No such tracker".into());
        settings(config, "FEW").type_names.insert(ItemType::Task, "bug".into());
    })
    .await;
    let story = Item { item_type: ItemType::Story, ..sound("A story") };
    for project in ["DEMO", "FEW"] {
        let outcome = sites.tracker.check(TENANT, project, None, std::slice::from_ref(&story)).await;
        assert_eq!(codes(outcome), ["check.type"], "{project}");
        let outcome = sites.tracker.create(TENANT, project, &"fx_1".into(), &story, None).await;
        assert_eq!(codes(outcome), ["check.type"], "{project}");
        assert_eq!(sites.redmine.issues(sites.identifier(project)).await, [json!(null); 0]);
    }
    applied(sites.tracker.create(TENANT, "FEW", &"fx_2".into(), &sound("A task"), None).await);
}

/// The dry run knows values, people and what the account may do.
#[tokio::test]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn the_dry_run_knows_what_redmine_would_refuse() {
    let reads = Project { role: Some("Only reads"), ..Project::USUAL };
    let unseen = Project { role: None, ..Project::USUAL };
    let sites = Sites::with(&[("READS", reads), ("UNSEEN", unseen), ("OLD", Project::USUAL)], |config| {
        config.projects.insert("GONE".into(), named("gone-for-ever"));
        config.projects.insert("HID".into(), super::RedmineProject { hidden: true, ..named("hid") });
    })
    .await;
    sites.redmine.close(sites.identifier("OLD")).await;
    for (part, text, says) in [
        (Part::Priority, "high, low", "2"),
        (Part::Priority, "Blocker", "Urgent"),
        (Part::Assignee, "zoe", "bob"),
        (Part::Assignee, "robot", "robot"),
        (Part::Dependencies, "after DEMO-999999", "DEMO-999999"),
    ] {
        let outcome = sites.check(&[with(part, text)]).await;
        let found = errors(outcome.clone());
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(found[0].field, part.as_str(), "{text}");
        assert!(refusal(outcome).contains(says), "{text}: {found:?}");
    }
    let check = async |project: &str| codes(sites.tracker.check(TENANT, project, None, &[sound("t")]).await);
    for project in ["UNSEEN", "OLD", "GONE", "HID"] {
        assert_eq!(check(project).await, ["check.project"], "{project}");
    }
    assert_eq!(check("READS").await, ["check.permission"]);
    let outcome = sites.tracker.create(TENANT, "READS", &"fx_1".into(), &sound("t"), None).await;
    assert!(matches!(outcome, Attempt::Rejected { .. }), "{outcome:?}");
    for project in ["READS", "OLD", "UNSEEN"] {
        assert_eq!(sites.redmine.issues(sites.identifier(project)).await, [json!(null); 0], "{project}");
    }
    assert_eq!(sites.count(TENANT).await, 0);
}

/// An issue that was moved to another project, deleted, or made private is not there, in the same words as one that never was.
#[tokio::test]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn what_has_gone_is_not_followed() {
    let sites = Sites::new().await;
    let mut keys = Vec::new();
    for (n, title) in ["Moved", "Private", "Deleted", "Stays"].iter().enumerate() {
        keys.push(applied(sites.create(&format!("fx_{n}"), &sound(title)).await).key);
    }
    let number = |key: &str| key.rsplit('-').next().unwrap().parse::<u64>().unwrap();
    let guard = sites.redmine.project_id(sites.identifier("GUARD")).await;
    sites.redmine.change(number(&keys[0]), &json!({"project_id": guard})).await;
    sites.redmine.change(number(&keys[1]), &json!({"is_private": true})).await;
    sites.redmine.delete(number(&keys[2])).await;
    let stays = keys.pop().unwrap();
    for key in &keys {
        assert_eq!(codes(sites.find(key).await), ["check.reference"], "{key}");
        let change = || IssueChange::State(IssueState::Closed);
        let told = refusal(sites.update("fx_4", key, change()).await);
        let never = refusal(sites.update("fx_4", "DEMO-999999", change()).await);
        assert_eq!(told, never.replace("DEMO-999999", key));
        let linked = sites.update("fx_5", &stays, IssueChange::Link(key.clone())).await;
        assert_eq!(codes(linked), ["check.reference"], "{key}");
        assert_eq!(codes(sites.check(&[member(ItemType::Story, "s", Some(key))]).await), ["check.parent"]);
        assert_eq!(codes(sites.check(&[with(Part::Dependencies, key)]).await), ["check.reference"]);
    }
    assert_eq!(sites.seek("fx_0").await, [], "it is of another project");
    let found = sites.seek("fx_1").await;
    assert_eq!(found.iter().map(|issue| &issue.key).collect::<Vec<_>>(), [&keys[1]], "it was created");
    assert_eq!(sites.seek("fx_2").await, []);
}

/// Redmine lists the issues of subprojects with those of a project. Here a project's issues are its own.
#[tokio::test]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn a_subproject_has_its_own_issues() {
    let sites = Sites::new().await;
    sites.redmine.put_under(sites.identifier("PRIV"), sites.identifier("DEMO")).await;
    let made = applied(sites.tracker.create(TENANT, "PRIV", &"fx_1".into(), &sound("Private"), None).await);
    assert_eq!(sites.count(TENANT).await, 1, "as Redmine lists them");
    let number = made.key.rsplit('-').next().unwrap();
    for named in [format!("DEMO-{number}"), format!("#{number}"), made.url.clone().unwrap()] {
        assert_eq!(codes(sites.find(&named).await), ["check.reference"], "{named}");
    }
    assert_eq!(sites.seek("fx_1").await, []);
    let by = Some("user:ana");
    assert_eq!(applied(sites.tracker.find(TENANT, "PRIV", by, &made.key).await), made);
}

/// A story is put under its epic by the create itself.
#[tokio::test]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn a_story_is_a_subtask_of_its_epic() {
    let sites = Sites::new().await;
    let epic = applied(sites.create("fx_1", &member(ItemType::Epic, "e1", None)).await).key;
    let (effect, story) = ("fx_2".into(), member(ItemType::Story, "s", Some("e1")));
    let made = applied(sites.tracker.create(TENANT, "DEMO", &effect, &story, Some(&epic)).await);
    assert_eq!(made.parent.as_deref(), Some(epic.as_str()));
    assert_eq!(sites.issue(&made.key).await["parent"]["id"].to_string(), epic.rsplit('-').next().unwrap());
    assert_eq!(sites.cutter.count("PUT", ".json"), 0, "by the create itself");
    assert_eq!(sites.seek("fx_2").await, [made]);
}

/// A change that Redmine leaves out is no change, and one that its workflow does not know is told.
#[tokio::test]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn a_change_that_is_left_out_is_told() {
    let sites =
        Sites::with(&[("READS", Project { role: Some("Only reads"), ..Project::USUAL })], |_| {}).await;
    let identifier = sites.identifier("READS").to_owned();
    let project = sites.redmine.project_id(&identifier).await;
    let made = applied(sites.create("fx_1", &sound("Ours")).await);
    let number: u64 = made.key.rsplit('-').next().unwrap().parse().unwrap();
    sites.redmine.change(number, &json!({"project_id": project})).await;
    let key = format!("READS-{number}");
    let found = applied(sites.tracker.find(TENANT, "READS", None, &key).await);
    assert_eq!(found.title, "Ours");
    for (change, code) in [
        (IssueChange::Comment("Hello".into()), "check.permission"),
        (IssueChange::Assignee("bob".into()), "check.permission"),
        (IssueChange::State(IssueState::Closed), "check.value"),
    ] {
        let outcome = sites.tracker.update(TENANT, "READS", None, &"fx_2".into(), &key, &change).await;
        assert_eq!(codes(outcome), [code], "{change:?}");
    }
    let issue = sites.issue(&key).await;
    assert!(!issue["journals"].to_string().contains("Hello") && issue["assigned_to"].is_null(), "{issue}");
}

/// A look at the Redmine tells the state of each project.
#[tokio::test]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn a_site_is_looked_over() {
    let reads = Project { role: Some("Only reads"), ..Project::USUAL };
    let few = Project { trackers: &["Bug", "Feature", "Task"], ..FIELDS };
    let sites = Sites::with(&[("READS", reads), ("FEW", few), ("OLD", Project::USUAL)], |config| {
        config.projects.insert("GONE".into(), named("gone-for-ever"));
        let few = settings(config, "FEW");
        few.values = [("Component".to_owned(), "Web".to_owned()), ("Team".to_owned(), "x".to_owned())].into();
    })
    .await;
    sites.redmine.close(sites.identifier("OLD")).await;
    let of = |key: &str| key.to_owned();
    let permissions =
        vec!["add_issues", "edit_issues", "add_issue_notes", "manage_subtasks", "manage_issue_relations"];
    let expected = [
        Sign::Account { login: "throughline".into() },
        Sign::Ready { project: of("DEMO") },
        Sign::NoField { project: of("FEW"), field: "Team".into() },
        Sign::NoTracker { project: of("FEW"), kind: ItemType::Epic, tracker: "Epic".into() },
        Sign::NoProject { project: of("GONE"), identifier: "gone-for-ever".into() },
        Sign::Ready { project: of("GUARD") },
        Sign::Closed { project: of("OLD") },
        Sign::Ready { project: of("PRIV") },
        Sign::Lacks { project: of("READS"), permissions },
    ];
    let found = sites.tracker.examine().await;
    assert_eq!(found[0], (TENANT.to_owned(), expected.into()));
    assert_eq!(found[1].1.len(), 2);
    assert_eq!(sites.cutter.count("POST", ""), 0);
}
