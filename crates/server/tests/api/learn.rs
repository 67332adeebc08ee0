//! Lessons of a log: suggested, replayed, proposed, approved by somebody else, in force, and gone back from.

use std::sync::Arc;

use serde_json::{Value, json};
use throughline_server::Sources;
use throughline_store::{MemoryStore, Store, SystemClock};

use crate::support::*;

fn store() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new(Arc::new(SystemClock::default())))
}

/// A demo over that store in which Bob may approve changes of the policy.
async fn server(store: Arc<dyn Store>) -> Server {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("throughline.toml");
    let settings = "[[users]]\nid = \"bob\"\nroles = [\"lead\"]\n[[approvers]]\neffects = [\"host.act\"]\n\
        targets = [\"act:policy\"]\nallow = [\"role:lead\"]\n";
    std::fs::write(&file, settings).unwrap();
    Server::over(Sources { file: Some(file), ..demo() }, store).await
}

fn asked(conversation: &str) -> Value {
    json!({
        "lane": {"conversation": conversation}, "kind": "assistant.posted",
        "assistant": {"kind": "question", "text": "Shall I book it?", "expected": "boolean"},
    })
}

/// A conversation in which a phrase is not understood, asked again, and explained by the answer. Returns the turn of the phrase.
async fn misunderstood(server: &Server, conversation: &str, said: &str, meant: &str) -> Value {
    let key = |step: &str| format!("{conversation}-{step}");
    server.turn(&key("1"), &asked(conversation)).await;
    let turn = server.say(&key("2"), conversation, "ana", said).await;
    assert_eq!(turn["applied"], Value::Null, "{turn:#}");
    server.turn(&key("3"), &asked(conversation)).await;
    let answer = server.say(&key("4"), conversation, "ana", meant).await;
    assert_ne!(answer["applied"], Value::Null, "{answer:#}");
    turn
}

async fn suggestion(server: &Server) -> Value {
    let reply = server.get("/v1/learn").send().await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

async fn propose(server: &Server, key: &str, body: &Value) -> Value {
    let call = server.post("/v1/learn").header("Idempotency-Key", key).header("Prefer", "wait=10").json(body);
    let reply = call.send().await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    card_of(&reply.json())
}

async fn approve(server: &Server, key: &str, card: &Value) -> Value {
    let lane = json!({"channel": "policy", "conversation": "lexicon"});
    let press = json!({"lane": lane, "actor": {"id": "bob"}, "kind": "card.pressed", "press": {"token": token(card, "approve")}});
    server.turn(key, &press).await
}

async fn in_force(server: &Server) -> u64 {
    let versions = server.get("/v1/learn/versions").send().await.json();
    versions["items"][0]["version"].as_u64().unwrap_or(0)
}

/// Says the phrase in answer to a question in a new conversation, and returns what was taken.
async fn said_anew(server: &Server, conversation: &str, text: &str) -> (Value, Value) {
    server.turn(&format!("{conversation}-1"), &asked(conversation)).await;
    let turn = server.say(&format!("{conversation}-2"), conversation, "cleo", text).await;
    (turn["applied"]["value"].clone(), turn["also"].clone())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_phrase_is_learned_when_somebody_approves_it_and_unlearned_likewise() {
    let store = store();
    let server = server(store.clone()).await;
    let mut first = Value::Null;
    for n in 0..2 {
        first = misunderstood(&server, &format!("c{n}"), "Roger dodger!", "yes").await;
    }
    assert_eq!(suggestion(&server).await["lessons"], json!([]), "twice may be one person's slip");
    misunderstood(&server, "c2", "roger dodger", "yes").await;
    // One phrase that meant a yes and a no.
    for (n, meant) in ["yes", "no", "yes", "no"].iter().enumerate() {
        misunderstood(&server, &format!("d{n}"), "tuppence", meant).await;
    }
    let found = suggestion(&server).await;
    let lessons = found["lessons"].as_array().unwrap();
    assert_eq!(lessons.len(), 1, "{found:#}");
    assert_eq!((&lessons[0]["said"], &lessons[0]["means"]), (&json!("roger dodger"), &json!("yes")));
    assert_eq!((lessons[0]["turns"].as_array().unwrap().len(), &lessons[0]["people"]), (3, &json!(1)));
    assert_eq!(found["differences"], json!(["+ roger dodger = yes"]));
    let replay = &found["replay"];
    assert_eq!(
        (&replay["better"], &replay["worse"], &replay["unknown"]),
        (&json!(3), &json!(0), &json!(0)),
        "{replay:#}"
    );
    assert_eq!(replay["changed"][0]["after"]["reason"], "pending.applied");

    let card = propose(&server, "p1", &json!({"learned": found["learned"]})).await;
    let (taken, _) = said_anew(&server, "e1", "roger dodger").await;
    assert_eq!(taken, Value::Null, "a proposal changes nothing");
    let alone = json!({"lane": {"channel": "policy", "conversation": "lexicon"}, "actor": {"id": "ana"}, "kind": "card.pressed", "press": {"token": token(&card, "approve")}});
    assert_eq!(server.turn("a0", &alone).await["decision"], "refused", "Ana is no approver");
    let approved = approve(&server, "a1", &card).await;
    assert_eq!(approved["reason"], "press.applied", "{approved:#}");
    eventually("version 1 is in force", || async { in_force(&server).await == 1 }).await;
    let (taken, also) = said_anew(&server, "e2", "Roger Dodger, and thanks").await;
    assert_eq!(
        (&taken, also.as_array().unwrap().contains(&json!("lexicon.read"))),
        (&json!(true), true),
        "{also}"
    );
    assert_eq!(
        said_anew(&server, "e3", "no roger dodger").await.0,
        json!(false),
        "it begins with something else"
    );

    let lane = json!({"lane": first["lane"]});
    let again = server.post("/v1/replay").header("Idempotency-Key", "r1").json(&lane).send().await.json();
    assert_eq!(again["differing"], json!([]), "turns from before are decided as they were: {again:#}");
    assert_eq!(suggestion(&server).await["differences"], json!([]), "it is known now");

    server.stopped().await;
    let server = self::server(store).await;
    assert_eq!(said_anew(&server, "e4", "roger dodger").await.0, json!(true), "also after a start");
    let back = propose(&server, "p2", &json!({"version": 0})).await;
    approve(&server, "a2", &back).await;
    eventually("version 2 is in force", || async { in_force(&server).await == 2 }).await;
    assert_eq!(said_anew(&server, "e5", "roger dodger").await.0, Value::Null);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_proposals_from_one_version_only_the_first_that_is_approved_counts() {
    let server = server(store()).await;
    let entry = |said: &str| json!({"learned": {"lexicon": [{"said": said, "means": "yes"}]}});
    let one = propose(&server, "p1", &entry("jo mei")).await;
    let other = propose(&server, "p2", &entry("eh kloar")).await;
    approve(&server, "a1", &one).await;
    eventually("version 1 is in force", || async { in_force(&server).await == 1 }).await;
    let second = approve(&server, "a2", &other).await;
    assert_eq!(second["reason"], "press.applied");
    let approval = format!("/v1/approvals/{}", other["id"].as_str().unwrap());
    let effects = format!("/v1/effects?lane={}", second["lane"].as_str().unwrap());
    let failed = || async {
        let all = server.get(&effects).send().await.json();
        all["items"].as_array().is_some_and(|all| all.iter().any(|one| one["state"] == "failed"))
    };
    eventually("the second has failed", failed).await;
    assert_eq!(server.get(&approval).send().await.status, 200);
    assert_eq!(in_force(&server).await, 1);
    assert_eq!(said_anew(&server, "e1", "jo mei").await.0, json!(true));
    assert_eq!(said_anew(&server, "e2", "eh kloar").await.0, Value::Null);
}

/// An act of a host in the lane of proposals would be performed by this process without the checks of a proposal.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_but_presses_comes_into_the_lane_of_proposals() {
    let server = server(store()).await;
    let lane = json!({"channel": "policy", "conversation": "lexicon"});
    let act = json!({"request_id": "r1", "title": "x", "target": "policy", "payload": {"replaces": 0}});
    for (key, body) in [
        ("k1", json!({"lane": lane, "kind": "approval.requested", "approval": act})),
        ("k2", json!({"lane": lane, "kind": "message.posted", "text": "help"})),
        ("k3", json!({"lane": lane, "kind": "command", "text": "status"})),
        (
            "k4",
            json!({"lane": lane, "kind": "assistant.posted", "assistant": {"kind": "answer", "text": "x"}}),
        ),
    ] {
        let reply = server.event(key, &body).send().await;
        assert!(reply.status == 422 && reply.text().contains("POST /v1/learn"), "{body}: {}", reply.text());
    }
    assert_eq!(server.get("/v1/approvals").send().await.json()["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_learned_is_refused_before_anybody_is_asked() {
    let server = server(store()).await;
    let entry = |said: &str, means: &str| json!({"learned": {"lexicon": [{"said": said, "means": means}]}});
    let many: Vec<Value> = (0..300).map(|n| json!({"said": format!("w{n}"), "means": "yes"})).collect();
    for (body, told) in [
        (entry("+1", "yes"), "signs other than"),
        (entry("jo", "?"), "means nothing"),
        (json!({"learned": {"lexicon": many}}), "entries"),
        (json!({"learned": {"judge": {"yes": 0, "no": 1, "end": 1}}}), "margin"),
        (json!({"learned": {"min_confidence": 0}}), "percentage"),
        (json!({"learned": {}}), "nothing would change"),
        (json!({"version": 7}), "no version 7"),
        (json!({}), "one of them"),
        (json!({"learned": {}, "version": 0}), "one of them"),
        (json!({"learned": {"phrases": []}}), "phrases"),
    ] {
        let reply = server.post("/v1/learn").header("Idempotency-Key", "k").json(&body).send().await;
        assert!((400..500).contains(&reply.status), "{body}: {}", reply.text());
        assert!(reply.text().contains(told), "{body}: {}", reply.text());
    }
    assert_eq!(server.get("/v1/approvals").send().await.json()["items"], json!([]));
}
