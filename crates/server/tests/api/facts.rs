//! Facts over HTTP: stated, listed and erased as in the conversation.

use serde_json::{Value, json};

use crate::support::*;

impl Server {
    async fn state(&self, key: &str, fact: &Value) -> Reply {
        self.post("/v1/facts").header("Idempotency-Key", key).json(fact).send().await
    }

    async fn known(&self, scope: &str, id: &str) -> Vec<Value> {
        let reply = self.get(&format!("/v1/facts?scope={scope}&id={id}")).send().await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()["items"].as_array().unwrap().clone()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn facts_are_stated_listed_and_taken_back() {
    let server = Server::demo().await;
    let turn = server.say("hello", "c1", "ana", "/maro help").await;
    let lane = turn["lane"].as_str().unwrap().to_owned();
    let fact = json!({
        "lane": lane, "type": "decision", "scope": "channel", "text": "use Postgres.", "subject": "the database",
        "actor": {"id": "ana"},
    });
    let first = server.state("s1", &fact).await;
    assert_eq!(
        (first.status, first.json()["reason"].as_str()),
        (200, Some("fact.added")),
        "{}",
        first.text()
    );
    // A repeated request gets the stored answer, and the fact under another key is not added twice.
    assert_eq!(server.state("s1", &fact).await.json(), first.json());
    assert_eq!(server.state("s2", &fact).await.json()["reason"], "fact.merged");
    let known = server.known("channel", &lane).await;
    assert_eq!(known.len(), 1, "{known:?}");
    let seen = &known[0];
    assert_eq!(
        (&seen["text"], &seen["subject"], &seen["confidence"]),
        (&json!("use Postgres."), &json!("database"), &json!(0.95))
    );
    assert_eq!(
        (&seen["author"], &seen["trust"], &seen["status"], &seen["sources"]),
        (&json!("ana"), &json!("member"), &json!("valid"), &json!(2))
    );
    let here = json!({"lane": lane, "type": "constraint", "text": "no data leaves the EU"});
    assert_eq!(server.state("s3", &here).await.json()["reason"], "fact.added");
    let of_thread = server.known("thread", &lane).await;
    assert_eq!(of_thread.len(), 1);
    // A fact of the channel knows its conversation; a fact of a thread needs the lane.
    for (fact, place) in [(seen, String::new()), (&of_thread[0], format!("?lane={lane}"))] {
        let id = fact["canonical_id"].as_str().unwrap();
        let gone = server.delete(&format!("/v1/facts/{id}{place}")).send().await;
        assert_eq!(
            (gone.status, gone.json()["reason"].as_str()),
            (200, Some("fact.erased")),
            "{}",
            gone.text()
        );
        assert_eq!(server.delete(&format!("/v1/facts/{id}{place}")).send().await.status, 404);
    }
    assert!(
        server.known("channel", &lane).await.is_empty() && server.known("thread", &lane).await.is_empty()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_fact_is_refused() {
    let server = Server::demo().await;
    let turn = server.say("hello", "c1", "ana", "/maro help").await;
    let lane = turn["lane"].as_str().unwrap().to_owned();
    for (key, fact, pointer) in [
        ("k1", json!({"lane": lane, "type": "rumour", "text": "x"}), "/type"),
        ("k2", json!({"lane": lane, "type": "decision", "scope": "tenant", "text": "x"}), "/scope"),
        ("k3", json!({"lane": lane, "type": "decision", "text": "  "}), "/text"),
    ] {
        let refused = server.state(key, &fact).await;
        assert_eq!(refused.status, 422, "{}", refused.text());
        assert!(refused.text().contains(pointer), "{}", refused.text());
    }
    let nowhere = json!({"lane": "ln_nothing", "type": "decision", "text": "x"});
    assert_eq!(server.state("k4", &nowhere).await.status, 404);
    assert_eq!(
        server
            .state("k5", &json!({"lane": lane, "type": "decision", "scope": "epic", "text": "x"}))
            .await
            .json()["reason"],
        "fact.no_place"
    );
    let keyless =
        server.post("/v1/facts").json(&json!({"lane": lane, "type": "decision", "text": "x"})).send().await;
    assert_eq!(keyless.status, 400);
}
