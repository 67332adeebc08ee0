//! Webhooks of trackers: what happens to an issue there is on its receipt, and nothing that is not signed counts.

use serde_json::{Value, json};
use throughline_fakes::jira::{Edition, sign};
use throughline_server::finding::State;
use throughline_server::{Config, Sources, trackers};

use crate::support::{Server, TASK, eventually, token};
use crate::{asked, card, epic, github, has, in_both_editions, jira};

/// Secret of every webhook here.
const SECRET: &str = "a-secret-of-the-webhook";

in_both_editions! {
    what_happens_to_an_issue_in_jira_is_on_its_receipt,
    our_own_change_comes_back_once_and_changes_nothing_there,
    of_a_batch_each_item_says_how_its_issue_is,
}

/// A ticket in Jira, whose changes are delivered; returns its lane.
async fn delivered(site: &jira::Site, server: &Server, text: &str, key: &str) -> String {
    let url = format!("http://{}/jira/hooks/main", server.address);
    site.jira.webhook_to(&url, Some(SECRET)).await;
    let (lane, approve) = asked(server, "c1", text).await;
    server.press("yes", "c1", "bob", &approve).await;
    card(server, &lane, |card| card["step"] == "receipt" && card.to_string().contains(key)).await;
    lane
}

/// The receipt, once it says this.
async fn says(server: &Server, lane: &str, what: &str) -> String {
    card(server, lane, |card| card.to_string().contains(what)).await.to_string()
}

/// The number of turns of a lane.
async fn turns(server: &Server, lane: &str) -> usize {
    let page = server.get(&format!("/v1/lanes/{lane}/turns?limit=200")).send().await.json();
    page["items"].as_array().unwrap().len()
}

async fn what_happens_to_an_issue_in_jira_is_on_its_receipt(edition: Edition) {
    let site = jira::Site::new(edition).await;
    let server = Server::start(site.sources_with(SECRET)).await;
    let lane = delivered(&site, &server, TASK, "OPS-1").await;
    let title = site.titles("OPS").remove(0);
    let sent = site.jira.calls().len();

    site.jira.edit("OPS-1", |issue| issue.status = "Done".into());
    says(&server, &lane, "OPS-1 is now: closed").await;
    site.jira
        .edit("OPS-1", |issue| drop(issue.fields.insert("summary".into(), json!("Press the 5th button"))));
    says(&server, &lane, "OPS-1 is now: closed · Press the 5th button").await;
    site.jira.edit("OPS-1", |issue| {
        issue.status = "To Do".into();
        issue.fields.insert("summary".into(), json!(title));
    });
    // As it was created: there is nothing to say.
    card(&server, &lane, |card| card["step"] == "receipt" && !card.to_string().contains("is now")).await;
    site.jira.delete("OPS-1");
    says(&server, &lane, "OPS-1 was deleted in its tracker").await;

    // A delivery that comes again is one that was taken in; nothing was done in Jira because of any.
    let before = turns(&server, &lane).await;
    let taken = site.jira.deliveries().len();
    site.jira.redeliver();
    eventually("the delivery came again", || async { site.jira.deliveries().len() > taken }).await;
    assert!(site.jira.deliveries().iter().all(|status| *status == 200), "{:?}", site.jira.deliveries());
    assert_eq!(turns(&server, &lane).await, before);
    assert_eq!((site.jira.calls().len(), site.creates()), (sent, 1));
    server.stopped().await;
}

async fn our_own_change_comes_back_once_and_changes_nothing_there(edition: Edition) {
    let site = jira::Site::new(edition).await;
    let server = Server::start(site.sources_with(SECRET)).await;
    let lane = delivered(&site, &server, TASK, "OPS-1").await;
    server.say("close", "c1", "ana", "close OPS-1").await;
    let shown = card(&server, &lane, |card| has(card, "approve")).await;
    server.press("run", "c1", "bob", &token(&shown, "approve")).await;
    eventually("the issue is closed", || async { site.jira.issue("OPS-1").unwrap().closed }).await;
    let told = || async {
        let page = server.get(&format!("/v1/lanes/{lane}/messages?limit=200")).send().await.json();
        let receipt = |item: &&Value| item["card"]["step"] == "receipt";
        let items = page["items"].as_array().unwrap().clone();
        items.iter().filter(receipt).any(|item| item.to_string().contains("OPS-1 is now: closed"))
    };
    eventually("the receipt says so", told).await;
    let transitions = site.jira.calls().iter().filter(|call| call.path.ends_with("/transitions")).count();
    // One reads the steps, one takes one.
    assert_eq!(transitions, 2);
    server.stopped().await;
}

async fn of_a_batch_each_item_says_how_its_issue_is(edition: Edition) {
    let site = jira::Site::new(edition).await;
    let server = Server::start(site.sources_with(SECRET)).await;
    let lane = delivered(&site, &server, &epic(2), "OPS-3").await;
    site.jira.edit("OPS-3", |issue| issue.status = "Done".into());
    let receipt = card(&server, &lane, |card| card.to_string().contains("OPS-3 is now")).await;
    let states: Vec<&str> =
        receipt["items"].as_array().unwrap().iter().map(|item| item["state"].as_str().unwrap()).collect();
    assert!(states[2].contains("OPS-3 is now") && !states[1].contains("is now"), "{states:?}");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_what_is_signed_and_about_an_issue_of_ours_counts() {
    let site = jira::Site::new(Edition::Cloud).await;
    let server = Server::start(site.sources_with(SECRET)).await;
    let lane = delivered(&site, &server, TASK, "OPS-1").await;
    let labels = site.jira.issue("OPS-1").unwrap().fields["labels"].clone();
    let before = turns(&server, &lane).await;
    let delivery = |key: &str| {
        let fields = json!({"summary": "Something else", "labels": labels});
        json!({"timestamp": 1, "webhookEvent": "jira:issue_updated", "issue": {"id": "1", "key": key, "fields": fields}})
            .to_string()
    };
    let post = |path: &str, body: &str, signature: Option<&str>| {
        let call =
            server.post(path).header("content-type", "application/json").bytes(body.as_bytes().to_vec());
        match signature {
            Some(signature) => call.header("x-hub-signature", signature),
            None => call,
        }
    };
    let hook = "/jira/hooks/main";
    let body = delivery("OPS-1");
    let (good, wrong) = (sign(SECRET, &body), sign("another", &body));
    for (path, signature, status, code) in [
        (hook, None, 401, "TL-5202"),
        (hook, Some(wrong.as_str()), 401, "TL-5202"),
        (hook, Some("sha256=zz"), 401, "TL-5202"),
        ("/jira/hooks/other", Some(good.as_str()), 404, "TL-2404"),
        ("/github/hooks/main", Some(good.as_str()), 404, "TL-2404"),
    ] {
        let reply = post(path, &body, signature).send().await;
        assert_eq!(
            (reply.status, reply.json()["code"].clone()),
            (status, json!(code)),
            "{path} {signature:?}"
        );
    }
    for text in ["", "{}", "[1", "<html></html>"] {
        let reply = post(hook, text, Some(&sign(SECRET, text))).send().await;
        assert_eq!(reply.status, 400, "{text}: {}", reply.text());
    }
    // A copy has the label of the issue that it was copied from; another project's is not ours to tell of.
    for key in ["OPS-2", "WEB-1", "OTHER-1"] {
        let text = delivery(key);
        let reply = post(hook, &text, Some(&sign(SECRET, &text))).send().await;
        assert_eq!(reply.status, 200, "{key}: {}", reply.text());
    }
    server.say("after", "c1", "ana", "hello").await;
    let receipt = card(&server, &lane, |card| card["step"] == "receipt").await;
    assert!(!receipt.to_string().contains("Something else"), "{receipt:#}");
    // The copies are on record as turns that changed nothing.
    assert!(turns(&server, &lane).await > before);
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_report_that_comes_late_changes_nothing() {
    let site = jira::Site::new(Edition::Cloud).await;
    let server = Server::start(site.sources_with(SECRET)).await;
    let lane = delivered(&site, &server, TASK, "OPS-1").await;
    let labels = site.jira.issue("OPS-1").unwrap().fields["labels"].clone();
    let send = async |at: i64, title: &str| {
        let fields = json!({"summary": title, "labels": labels});
        let issue = json!({"id": "1", "key": "OPS-1", "fields": fields});
        let text = json!({"timestamp": at, "webhookEvent": "jira:issue_updated", "issue": issue}).to_string();
        let call = server.post("/jira/hooks/main").header("x-hub-signature", &sign(SECRET, &text));
        assert_eq!(call.bytes(text.into_bytes()).send().await.status, 200);
    };
    send(2_000, "The second").await;
    says(&server, &lane, "The second").await;
    send(1_000, "The first").await;
    send(3_000, "The third").await;
    let receipt = says(&server, &lane, "The third").await;
    assert!(!receipt.contains("The first"), "{receipt}");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_happens_to_an_issue_in_github_is_on_its_receipt() {
    let site = github::Site::new().await;
    let server = Server::start(site.sources_with(SECRET)).await;
    let (lane, approve) = asked(&server, "c1", TASK).await;
    server.press("yes", "c1", "bob", &approve).await;
    card(&server, &lane, |card| card["step"] == "receipt" && card.to_string().contains("WEB-1")).await;
    let made = site.github.issues("acme/web").remove(0);
    let send = async |event: &str, action: &str, number: u64, state: &str| {
        let text = json!({
            "action": action, "repository": {"full_name": "acme/web"},
            "issue": {
                "id": made.id, "number": number, "title": made.title, "body": made.body, "state": state,
                "assignees": [{"login": "ana"}], "html_url": "", "updated_at": "2026-01-15T10:00:00Z",
            },
        });
        let text = text.to_string();
        let call = server.post("/github/hooks/main").header("x-github-event", event);
        let call = call.header("x-hub-signature-256", &sign(SECRET, &text));
        call.header("x-github-delivery", &format!("{event}-{action}-{number}"))
            .bytes(text.into_bytes())
            .send()
            .await
    };
    assert_eq!(send("ping", "closed", 1, "closed").await.status, 200);
    assert_eq!(send("issues", "closed", 2, "closed").await.status, 200);
    assert_eq!(send("issues", "closed", 1, "closed").await.status, 200);
    let receipt = says(&server, &lane, "WEB-1 is now").await;
    assert!(receipt.contains("WEB-1 is now: closed · assigned to ana"), "{receipt}");
    assert_eq!(send("issues", "deleted", 1, "closed").await.status, 200);
    says(&server, &lane, "WEB-1 was deleted in its tracker").await;
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn doctor_says_where_webhooks_go() {
    let site = jira::Site::new(Edition::Cloud).await;
    let told = async |sources: Sources| {
        let found = trackers::examine(&Config::load(&sources).unwrap(), None, None).await;
        let one = found.into_iter().find(|one| one.what == "tracker webhook").unwrap();
        (one.state, one.found)
    };
    let none = "jira.main has no webhook: a receipt stays as it was when its issue was created";
    assert_eq!(told(site.sources()).await, (State::Ok, none.to_owned()));
    let sources = site.sources_with(SECRET);
    let nowhere = "jira.main has the secret of a webhook, and `server.public_url` is not set";
    assert_eq!(told(sources.clone()).await, (State::Warning, nowhere.to_owned()));
    let file = sources.file.as_ref().unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    std::fs::write(file, format!("server.public_url = \"http://localhost:8080\"\n{text}")).unwrap();
    let there = "jira.main delivers to http://localhost:8080/jira/hooks/main";
    assert_eq!(told(sources).await, (State::Ok, there.to_owned()));
}
