//! Issue pages: an epic with stories, links and comments, a search, and the visibility of projects.

use std::collections::BTreeMap;

use throughline_engine::data::effect::{Attempt, IssueChange};
use throughline_engine::data::ticket::{Item, ItemType, Part};
use throughline_server::auth::Token;
use throughline_server::{Config, Instance, Sources, open};
use throughline_trackers::Tracker;

use crate::page::Page;
use crate::support::*;

async fn instance(sources: Sources) -> Instance {
    open(Config::load(&sources).expect("the test's configuration is right"))
        .await
        .expect("the instance opens")
}

fn item(item_type: ItemType, fields: &[(Part, &str)]) -> Item {
    Item::alone(item_type, fields.iter().map(|(part, text)| (*part, (*text).to_owned())).collect())
}

/// Creates an epic with two stories, one of which blocks the other and has a comment.
async fn filled(instance: &Instance, tenant: &str, project: &str) {
    let epic = item(ItemType::Epic, &[(Part::Title, "Single sign-on"), (Part::Problem, "Two passwords")]);
    let story =
        |title, names: &str| item(ItemType::Story, &[(Part::Title, title), (Part::Dependencies, names)]);
    let first = format!("{project}-1");
    let items = [
        (epic, None),
        (story("Log in", "the directory"), Some(first.as_str())),
        (story("Log out", &format!("is blocked by: {project}-2")), Some(first.as_str())),
    ];
    for (n, (item, parent)) in items.into_iter().enumerate() {
        let effect = format!("fx_{n}").as_str().into();
        let made = instance.tracker.create(tenant, project, &effect, &item, parent).await;
        assert!(matches!(made, Attempt::Applied(_)), "{made:?}");
    }
    let said = IssueChange::Comment("<b>Agreed</b> on Monday".into());
    let told = instance
        .tracker
        .update(tenant, project, Some("ana"), &"fx_said".into(), &format!("{project}-2"), &said)
        .await;
    assert_eq!(told, Attempt::Applied(()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_epic_and_its_stories_lead_to_each_other() {
    let instance = instance(demo()).await;
    let tenant = instance.config.tenant.clone();
    filled(&instance, &tenant, "DEMO").await;
    let server = Server::run(instance).await;
    for (base, named) in [("/console/issues", "Named by"), ("/tracker", "named by")] {
        let page = |key: &str| {
            let path = format!("{base}/{key}");
            let server = &server;
            async move { server.page(&path).await }
        };
        let epic = page("DEMO-1").await;
        epic.says("Single sign-on").says("Two passwords").says("DEMO-2 Log in").says("DEMO-3 Log out");
        epic.links_to(&format!("{base}/DEMO-2")).links_to(&format!("{base}/DEMO-3"));
        let first = page("DEMO-2").await;
        first.links_to(&format!("{base}/DEMO-1")).says("<b>Agreed</b> on Monday");
        first.says(named).links_to(&format!("{base}/DEMO-3"));
        page("DEMO-3").await.says("locked by").links_to(&format!("{base}/DEMO-2"));
    }
    let list = server.page("/console/issues").await;
    list.says("DEMO-3").links_to("/console/issues/DEMO-1");
    let found = server.page("/console/issues?q=log+OUT").await;
    found.says("With “log OUT”").says("Log out");
    assert!(!found.text().contains("Single sign-on"), "{}", found.text());
    server.page("/console/issues?q=%3Cb%3E").await.says("No issue has “<b>” in it");
    let api = server.get("/v1/tracker/issues/DEMO-3").send().await.json();
    assert_eq!(api["parent"], "DEMO-1");
    assert_eq!(api["links"], serde_json::json!([{"kind": "is blocked by", "key": "DEMO-2"}]));
    let comments = server.get("/v1/tracker/issues/DEMO-2").send().await.json()["comments"].clone();
    assert_eq!(comments, serde_json::json!([{"effect": "fx_said", "text": "<b>Agreed</b> on Monday"}]));
    let page = server.get("/v1/tracker/issues?q=log&limit=1").send().await.json();
    assert_eq!(page["items"][0]["key"], "DEMO-2");
    let next = page["next"].as_str().expect("there is more");
    let page = server.get(&format!("/v1/tracker/issues?q=log&limit=1&cursor={next}")).send().await.json();
    assert_eq!(page["items"][0]["key"], "DEMO-3");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_project_is_there_for_who_may_browse_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut tokens = BTreeMap::new();
    let mut text = "tenant = \"acme\"\n[policy]\nproject = { tracker = \"local\", project = \"OPEN\" }\n\
                    [projects.OPEN]\n[projects.INNER]\nbrowse = [\"user:ana\"]\n"
        .to_owned();
    for (n, who) in ["ana", "bob"].into_iter().enumerate() {
        let (token, sha256) = Token::mint(who, [n as u8; 24]);
        text += &format!(
            "[[tokens]]\nid = \"{who}\"\nsha256 = \"{sha256}\"\ntenant = \"acme\"\nscopes = [\"lanes:read\", \"effects:read\"]\nprincipal = \"{who}\"\n"
        );
        tokens.insert(who, token);
    }
    let file = folder.path().join("throughline.toml");
    std::fs::write(&file, text).unwrap();
    let sources = Sources { file: Some(file), ..Sources::default() }
        .flag("server.listen", "127.0.0.1:0", "--listen")
        .flag("store.url", "memory:", "--store");
    let instance = instance(sources).await;
    filled(&instance, "acme", "INNER").await;
    let naming = item(ItemType::Task, &[(Part::Title, "Outside"), (Part::Dependencies, "after INNER-1")]);
    let made = instance.tracker.create("acme", "OPEN", &"fx_open".into(), &naming, None).await;
    assert!(matches!(made, Attempt::Applied(_)), "{made:?}");
    let server = Server::run(instance).await;
    let table = [
        ("/console/issues?project=INNER", 404),
        ("/console/issues/INNER-1", 404),
        ("/v1/tracker/issues?project=INNER", 404),
        ("/v1/tracker/issues/INNER-1", 404),
        ("/console/issues/OPEN-1", 200),
        ("/v1/tracker/issues", 200),
    ];
    for (path, for_bob) in table {
        assert_eq!(server.get(path).token(&tokens["ana"]).send().await.status, 200, "{path}");
        assert_eq!(server.get(path).token(&tokens["bob"]).send().await.status, for_bob, "{path}");
    }
    let page = |path: &'static str| {
        let call = server.get(path).token(&tokens["bob"]);
        async move { Page::of(&call.send().await) }
    };
    let outside = page("/console/issues/OPEN-1").await;
    assert!(
        !outside.text().contains("Single sign-on"),
        "a link tells no title of what is kept: {}",
        outside.text()
    );
    assert_eq!(page("/console/issues").await.links("/console/issues?project=INNER"), Vec::<String>::new());
    server.stopped().await;
}
