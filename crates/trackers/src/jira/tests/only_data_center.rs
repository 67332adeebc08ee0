//! Wants of Jira Data Center that Jira Cloud does not have.

use serde_json::Value;
use throughline_engine::data::effect::IssueChange;
use throughline_engine::data::ticket::{ItemType, Part};
use throughline_fakes::jira::{FakeJira, live_markup};

use super::super::{ChildLink, Edition};
use super::sites::Sites;
use crate::Tracker;
use crate::common_checks::MAX_BODY;
use crate::conformance::{TENANT, applied, codes, errors, item, member, sound};

async fn sites() -> Sites {
    Sites::new(Edition::DataCenter).await
}

/// An epic has a short name of its own there, and its screen wants a reporter whom Jira does not name by itself.
#[tokio::test]
async fn an_epic_gets_its_name_and_every_issue_its_reporter() {
    let sites = sites().await;
    for (n, item_type) in [ItemType::Epic, ItemType::Task].into_iter().enumerate() {
        let item = member(item_type, "Ship by train", None);
        applied(sites.check(std::slice::from_ref(&item)).await);
        let made = applied(sites.create(&format!("fx_{n}"), &item).await);
        let fields = sites.site.issue(&made.key).unwrap().fields;
        let epic = item_type == ItemType::Epic;
        let name = fields.get("customfield_10102").and_then(Value::as_str);
        assert_eq!(name, epic.then_some("Ship by train"));
        assert_eq!(fields["reporter"]["accountId"], FakeJira::ACCOUNT);
    }
}

/// The settings may name another epic name and another reporter.
#[tokio::test]
async fn what_is_set_is_not_replaced() {
    let sites = Sites::with(Edition::DataCenter, |config| {
        let values = &mut config.projects.get_mut("DEMO").unwrap().values;
        values.insert("Epic Name".into(), "Trains".into());
        values.insert("Reporter".into(), "bob".into());
    })
    .await;
    let epic = member(ItemType::Epic, "Ship by train", None);
    applied(sites.check(std::slice::from_ref(&epic)).await);
    let made = applied(sites.create("fx_1", &epic).await);
    let fields = sites.site.issue(&made.key).unwrap().fields;
    assert_eq!(fields["customfield_10102"], "Trains");
    assert_eq!(fields["reporter"]["accountId"], "a-bob");
}

/// No setting says how stories are put under an epic: by the field that a project of Data Center has.
#[tokio::test]
async fn stories_are_linked_by_the_epic_link_unless_said_otherwise() {
    for (set, field) in [(None, "customfield_10100"), (Some(ChildLink::Subtask), "parent")] {
        let sites = Sites::with(Edition::DataCenter, |config| {
            config.projects.get_mut("DEMO").unwrap().child_link = set;
        })
        .await;
        let epic = member(ItemType::Epic, "e", None);
        let above = applied(sites.create("fx_1", &epic).await).key;
        let story = member(ItemType::Story, "s", Some("e"));
        applied(sites.check(&[epic, story.clone()]).await);
        let made = applied(sites.tracker.create(TENANT, "DEMO", &"fx_2".into(), &story, Some(&above)).await);
        assert!(sites.site.issue(&made.key).unwrap().fields.contains_key(field));
        let found = applied(sites.tracker.find(TENANT, "DEMO", None, &made.key).await);
        assert_eq!(found.parent, Some(above));
    }
}

#[tokio::test]
async fn no_text_of_a_person_is_markup() {
    let sites = sites().await;
    let text = "[~ana] {html} !x.png! [here|#top] \\\\server h1. no\n\n* [~bob]";
    let made = applied(
        sites.create("fx_1", &item(ItemType::Task, &[(Part::Title, "t"), (Part::Problem, text)])).await,
    );
    let comment = IssueChange::Comment(text.into());
    applied(sites.tracker.update(TENANT, "DEMO", None, &"fx_2".into(), &made.key, &comment).await);
    let issue = sites.site.issue(&made.key).unwrap();
    for written in [&issue.fields["description"], &issue.comments[0].body] {
        assert_eq!(live_markup(written.as_str().unwrap()), [""; 0], "{written}");
    }
    assert_eq!(issue.comments[0].text, text);
}

/// A text that fits may be too long once its markup is escaped: that is said before anything is sent.
#[tokio::test]
async fn a_text_counts_with_what_escapes_it() {
    let sites = sites().await;
    let text = "[".repeat(MAX_BODY / 2);
    let mut long = sound("Long");
    long.fields.insert(Part::Problem, text.clone());
    let found = errors(sites.check(std::slice::from_ref(&long)).await);
    let named: Vec<(&str, &str)> = found.iter().map(|fault| (&*fault.code, &*fault.field)).collect();
    assert_eq!(named, [("check.adf", "body")]);
    assert_eq!(codes(sites.create("fx_1", &long).await), ["check.adf"]);
    let key = applied(sites.create("fx_2", &sound("Short")).await).key;
    let comment = IssueChange::Comment("[".repeat(MAX_BODY));
    let refused = sites.tracker.update(TENANT, "DEMO", None, &"fx_3".into(), &key, &comment).await;
    assert_eq!(codes(refused), ["check.adf"]);
    let calls = sites.site.calls();
    assert_eq!(calls.iter().filter(|call| call.method == "POST").count(), 1);
}
