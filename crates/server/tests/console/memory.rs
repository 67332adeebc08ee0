//! Memory of a lane on its page: tasks, facts and summary, and the context of an agent.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use throughline_engine::Timestamp;
use throughline_fakes::model::{Behaviour, FakeModel};
use throughline_server::Sources;
use throughline_server::auth::Token;
use throughline_store::{ManualClock, MemoryStore};

use crate::page::Page;
use crate::store::Rigged;
use crate::support::*;

fn report(task: &str, status: &str, more: &Value) -> Value {
    let mut report = json!({"task_id": task, "status": status});
    report.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"lane": {"conversation": "c1"}, "kind": "task.reported", "report": report})
}

async fn reported(server: &Server, task: &str, status: &str, more: &Value) -> Value {
    let key = format!("{task}-{status}-{}", more.as_object().unwrap().len());
    server.turn(&key, &report(task, status, more)).await
}

fn lane_of(turn: &Value) -> String {
    turn["lane"].as_str().expect("a lane").to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_lane_says_what_there_could_be() {
    let server = Server::demo().await;
    let lane = lane_of(&server.say("k1", "c1", "ana", "/maro help").await);
    let page = server.page(&format!("/console/lanes/{lane}")).await;
    page.after("id=\"tasks\"").says("No task yet.").says("task.reported");
    page.after("id=\"facts\"").says("Nothing is known yet. “Remember that …”").says("POST /v1/facts");
    page.after("id=\"summary\"").says("None yet:").says("With more than 30 the oldest are condensed.");
    let told = server.page(&format!("/console/lanes/{lane}/context")).await;
    told.says("\"recent_history\": []").says("Left out nothing");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_stand_under_what_became_of_them() {
    let server = Server::demo().await;
    for (task, intent) in [
        ("seed", "Seed the data"),
        ("key", "Rotate the key"),
        ("docs", "Write docs"),
        ("lint", "Lint"),
        ("old", "Port it"),
    ] {
        reported(&server, task, "running", &json!({"intent": intent})).await;
    }
    reported(&server, "key", "blocked", &json!({"reason": "Waiting for the vault"})).await;
    reported(&server, "docs", "completed", &json!({"result": "Twelve pages. And more."})).await;
    reported(&server, "lint", "failed", &json!({"reason": "No such rule"})).await;
    let lane = lane_of(&reported(&server, "old", "cancelled", &json!({})).await);
    let path = format!("/console/lanes/{lane}");
    let page = server.page(&path).await.after("id=\"tasks\"");
    page.says("Blocked blocked Rotate the key Waiting for the vault just now · reported by a host · key");
    page.says("Under way running Seed the data just now");
    page.says("Over cancelled Port it").says("failed Lint No such rule");
    page.says("completed Write docs Twelve pages. just now");
    // The task resumes: it has no blocker, and was begun once.
    reported(&server, "key", "running", &json!({})).await;
    let page = server.page(&path).await.after("id=\"tasks\"");
    page.says("Nothing is blocked. Under way running Rotate the key just now");
    // A task that was restarted shows it.
    reported(&server, "docs", "queued", &json!({})).await;
    server.page(&path).await.says("queued Write docs just now · reported by a host · attempt 2 · docs");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn facts_and_the_summary_say_whose_word_they_are_and_what_stands_against_them() {
    let clock = Arc::new(ManualClock::at(Timestamp::parse("2026-01-15T10:00:00Z").unwrap()));
    let sources = demo()
        .flag("policy.facts.trusted_authors", "[\"user:ana\"]", "--trust")
        .flag("policy.summary.trigger", "5", "--trigger")
        .flag("policy.summary.keep", "2", "--keep");
    let server = Server::over(sources, Arc::new(MemoryStore::new(clock.clone()))).await;
    let mut lane = lane_of(&server.say("k0", "c1", "ana", "Remember that the vault is sealed").await);
    for (n, (who, kind, text, reason)) in [
        ("ana", "decision", "use MySQL", "fact.added"),
        ("ana", "decision", "use Postgres", "fact.superseded"),
        ("gus", "assumption", "use SQLite", "fact.disputed"),
    ]
    .into_iter()
    .enumerate()
    {
        let fact =
            json!({"lane": lane, "type": kind, "text": text, "subject": "database", "actor": {"id": who}});
        let key = format!("f{n}");
        let stated = server.post("/v1/facts").header("Idempotency-Key", &key).json(&fact).send().await;
        let also = stated.json()["also"].clone();
        assert!(also.as_array().unwrap().contains(&json!(reason)), "{}", stated.text());
        clock.advance(Timestamp::HOUR);
    }
    for (n, text) in ["Remember for this channel that releases must be signed", "Remember that Bob is away"]
        .into_iter()
        .enumerate()
    {
        lane = lane_of(&server.say(&format!("m{n}"), "c1", "ana", text).await);
        clock.advance(Timestamp::HOUR);
    }
    let page = server.page(&format!("/console/lanes/{lane}")).await;
    let facts = page.after("id=\"facts\"");
    facts.says("disputed untrusted use SQLite Stands against “use Postgres” f1-");
    facts.says("assumption of this thread on database · @gus 3 h ago · confidence 0.50 · f1-");
    facts.says(
        "valid use Postgres decision of this thread on database · @ana 4 h ago · confidence 0.95 · f1-",
    );
    facts.says("valid releases must be signed constraint of this channel · @ana 2 h ago · confidence 0.95");
    facts.says("1 superseded superseded use MySQL Gave way to “use Postgres” f1-");
    let summary = page.after("id=\"summary\"");
    summary.says(
        "Single lines that were picked without a model: 2026-01-15 ana: Remember that the vault is sealed",
    );
    summary
        .says(
            "Covers the first 5 messages, up to “Noted for this thread as an assumption: use SQLite” 3 h ago",
        )
        .says("Still raw the 4 after them");
    page.links_to(&format!("/console/lanes/{lane}/context"));
    page.says(&format!("throughline context {lane}")).says(&format!("GET /v1/facts?scope=thread&id={lane}"));

    // The page equals the API's answer, and reading either does not count as a use of a fact.
    let told = server.page(&format!("/console/lanes/{lane}/context")).await;
    let api = server.get(&format!("/v1/lanes/{lane}/context")).send().await.json();
    let bare = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    told.says(&bare(api["prompt"].as_str().unwrap()));
    told.says(api["context_fingerprint"].as_str().unwrap());
    told.says("\"text\": \"use Postgres\"").says(&format!("throughline context {lane}"));
    assert!(!told.text().contains("use SQLite\", \"confidence"), "{}", told.text());
    for scope in ["thread", "channel"] {
        let known = server.get(&format!("/v1/facts?scope={scope}&id={lane}")).send().await.json();
        let used = |fact: &Value| fact.get("last_used_at").is_some();
        assert!(!known["items"].as_array().unwrap().iter().any(used), "{known:#}");
    }
    server.stopped().await;
}

/// Polls a page until it contains the words.
async fn until(server: &Server, path: &str, words: &str) -> Page {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let page = server.page(path).await;
        if page.text().contains(words) {
            return page;
        }
        assert!(Instant::now() < deadline, "no {words:?} in {}", page.text());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Covers a requested summary, a refused one, an accepted one, and one that was dropped because a message it covered
/// was deleted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_summary_says_how_it_came_and_what_became_of_it() {
    let model = FakeModel::start().await.unwrap();
    let base = model.url("v1");
    let sources = [
        ("models.default.kind", "openai-chat"),
        ("models.default.base_url", &base),
        ("models.default.model", "small-1"),
        ("models.default.allow_loopback", "true"),
        ("policy.summary.trigger", "5"),
        ("policy.summary.keep", "2"),
        ("policy.summary.retry_messages", "2"),
    ];
    let sources = sources.iter().fold(demo(), |sources, (key, value)| sources.flag(key, *value, "--set"));
    let server = Server::start(sources).await;
    let say = async |n: usize| {
        let mut body = said("c1", "ana", &format!("Remember that shelf {n} is full"));
        body["message_id"] = json!(format!("h{n}"));
        lane_of(&server.turn(&format!("k{n}"), &body).await)
    };
    let answer = |text: &str| model.script(Behaviour::Say(json!({"text": text, "facts": []}).to_string()));
    answer("AUTH-99 is done");
    say(0).await;
    say(1).await;
    let path = format!("/console/lanes/{}", say(2).await);
    let page = until(&server, &path, "Failed 1 of 3 tries").await;
    page.says(
        "Covers nothing yet Still raw all 6 messages Failed 1 of 3 tries; the next is after more messages",
    );
    answer("The first shelves are full.");
    say(3).await;
    let page = until(&server, &path, "The first shelves are full.").await;
    page.after("id=\"summary\"")
        .says("Covers the first 6 messages, up to “")
        .says("Still raw the 2 after them Version 1");
    model.script(Behaviour::Hang);
    let gone = json!({"lane": {"conversation": "c1"}, "actor": {"id": "ana"}, "kind": "message.deleted", "message_id": "h0"});
    // Do not wait for its turn, since that would wait for the model.
    assert_eq!(server.event("gone", &gone).send().await.status, 202);
    let page = until(&server, &path, "Nothing is told").await.after("id=\"summary\"");
    page.says("Nothing is told of the older messages: words among them were taken back")
        .says("Next one asked fx_");
    assert!(!page.links("/console/effects/fx_").is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_who_was_erased_no_name_is_left_and_no_fact() {
    let server = Server::demo().await;
    let lane = lane_of(&server.say("k1", "c1", "ana", "Create a ticket for the kestrelgate bug").await);
    server.say("k2", "c1", "ana", "Remember that plumwater is warm").await;
    server.say("k3", "c1", "bob", "Remember that marmotworth is cold").await;
    let path = format!("/console/lanes/{lane}");
    let page = server.page(&path).await;
    page.after("id=\"tasks\"").says("for @ana");
    page.after("id=\"facts\"").says("plumwater is warm").says("marmotworth is cold");
    assert_eq!(server.delete("/v1/subjects/ana").send().await.status, 200);
    for path in [path.clone(), format!("{path}/context")] {
        let page = server.page(&path).await;
        assert!(!page.html.contains("kestrelgate") && !page.html.contains("plumwater"), "{}", page.html);
        page.says("marmotworth is cold");
    }
    server.page(&path).await.after("id=\"tasks\"").says("[erased]").says("for somebody who was erased");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn facts_of_an_epic_name_it() {
    let server = Server::demo().await;
    let lane =
        lane_of(&server.say("k1", "c1", "ana", "Create epic Auth with 2 stories: login, logout").await);
    let fact = json!({"lane": lane, "type": "constraint", "scope": "epic", "text": "no data leaves the EU"});
    let stated = server.post("/v1/facts").header("Idempotency-Key", "f1").json(&fact).send().await;
    assert_eq!(stated.json()["reason"], "fact.added", "{}", stated.text());
    let page = server.page(&format!("/console/lanes/{lane}")).await.after("id=\"facts\"");
    page.says("valid no data leaves the EU constraint of the epic draft:");
    server.stopped().await;
}

/// A person whom the API refuses the context sees no facts; the tasks belong to the lane and are shown.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn facts_are_for_who_may_read_what_prompts_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let (looks, first) = Token::mint("looks", [1; 24]);
    let (reads, second) = Token::mint("reads", [2; 24]);
    let (other, third) = Token::mint("other", [3; 24]);
    let token = |id: &str, sha256: &str, tenant: &str, scopes: &str| {
        format!(
            "[[tokens]]\nid = \"{id}\"\nsha256 = \"{sha256}\"\ntenant = \"{tenant}\"\nscopes = [{scopes}]\nprincipal = \"ana\"\n"
        )
    };
    let text = [
        token("looks", &first, "acme", "\"events:write\", \"tasks:report\", \"lanes:read\""),
        token("reads", &second, "acme", "\"lanes:read\", \"context:read\""),
        token("other", &third, "other", "\"lanes:read\", \"context:read\""),
    ];
    let file = folder.path().join("throughline.toml");
    std::fs::write(&file, format!("tenant = \"acme\"\n{}", text.concat())).unwrap();
    let sources = Sources { file: Some(file), ..Sources::default() }
        .flag("server.listen", "127.0.0.1:0", "--listen")
        .flag("store.url", "memory:", "--store");
    let server = Server::start(sources).await;
    let call = |key: &str, body: &Value| server.event(key, body).token(&looks).header("Prefer", "wait=10");
    call("k1", &said("c1", "ana", "Remember that harrowmint is kept cold")).send().await;
    let turn =
        call("k2", &report("t1", "blocked", &json!({"intent": "Fetch the ospreyloom"}))).send().await.json();
    let path = format!("/console/lanes/{}", lane_of(&turn));

    let page = Page::of(&server.get(&path).token(&looks).send().await);
    page.says("Fetch the ospreyloom It was not said by what.");
    for hidden in ["id=\"facts\"", "id=\"summary\"", "/context", "/v1/facts"] {
        assert!(!page.html.contains(hidden), "{hidden} in {}", page.html);
    }
    let refused = Page::of(&server.get(&format!("{path}/context")).token(&looks).send().await);
    assert_eq!(refused.status, 403);
    refused.says("TL-2103");
    let page = Page::of(&server.get(&path).token(&reads).send().await);
    page.after("id=\"facts\"").says("harrowmint is kept cold");
    let told = Page::of(&server.get(&format!("{path}/context")).token(&reads).send().await);
    told.says("harrowmint is kept cold").says("\"task_id\": \"t1\"");
    for path in [path.clone(), format!("{path}/context")] {
        assert_eq!(Page::of(&server.get(&path).token(&other).send().await).status, 404, "another tenant's");
    }
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_known_is_text_whatever_it_says() {
    const BAD: &str = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}</pre>";
    const BAD_ID: &str = "\"'><script>alert(1)</script><svg/onload=alert(2)></pre>";
    let server = Server::demo().await;
    let lane = lane_of(&server.say("k1", "c1", BAD_ID, "/maro help").await);
    for (status, scope) in [("blocked", "thread"), ("completed", "channel")] {
        let says = json!({"intent": BAD, "reason": BAD, "result": BAD});
        server.turn(status, &report(&format!("{status}{BAD_ID}"), status, &says)).await;
        let fact = json!({"lane": lane, "type": "decision", "scope": scope, "text": BAD, "subject": "x<b>", "actor": {"id": BAD_ID}});
        let stated = server.post("/v1/facts").header("Idempotency-Key", scope).json(&fact).send().await;
        assert_eq!(stated.json()["reason"], "fact.added", "{}", stated.text());
    }
    for path in [format!("/console/lanes/{lane}"), format!("/console/lanes/{lane}/context")] {
        let page = server.page(&path).await;
        for live in ["<script>alert", "<img src", "<svg", "'><", "<b>", "alert(2)&gt;49", "</pre></pre>"] {
            assert!(!page.html.contains(live), "{path}: {live} in {}", page.html);
        }
        page.says("alert(1)");
    }
    server.stopped().await;
}

/// A page shows a bounded number of facts and counts the rest.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn much_is_folded_and_counted() {
    let store = Rigged::new();
    let server = Server::over(demo(), store.clone()).await;
    let mut lane = String::new();
    for n in 0..56 {
        lane = lane_of(
            &reported(&server, &format!("t{n}"), "completed", &json!({"intent": format!("Step {n}.")})).await,
        );
        let fact = json!({"lane": lane, "type": "constraint", "scope": "channel", "text": format!("rule {n} holds")});
        let stated =
            server.post("/v1/facts").header("Idempotency-Key", &format!("f{n}")).json(&fact).send().await;
        assert_eq!(stated.json()["reason"], "fact.added", "{}", stated.text());
    }
    let before = store.reads();
    let page = server.page(&format!("/console/lanes/{lane}")).await;
    let reads = store.reads() - before;
    assert!(reads <= 120, "{reads}");
    let (tasks, facts) = (page.after("id=\"tasks\""), page.after("id=\"facts\""));
    tasks.says("45 more over").says("Step 55.");
    facts
        .says("40 more facts")
        .says("rule 55 holds")
        .says(&format!("6 more are at GET /v1/facts?scope=channel&id={lane}"));
    assert_eq!(facts.html.matches("<li id=\"f1-").count(), 50);
    server.stopped().await;
}
