//! Decisions on approvals through the API, and the kill switch.

use std::sync::Arc;

use serde_json::{Value, json};
use throughline_engine::Timestamp;
use throughline_store::{ManualClock, MemoryStore};

use crate::support::*;

fn decision(version: u64, decision: &str, who: &str) -> Value {
    json!({"version": version, "decision": decision, "actor": {"id": who}})
}

impl Server {
    async fn decide(&self, key: &str, id: &str, body: &Value) -> Reply {
        self.post(&format!("/v1/approvals/{id}/decide"))
            .header("Idempotency-Key", key)
            .json(body)
            .send()
            .await
    }
}

fn id(card: &Value) -> String {
    card["id"].as_str().expect("a card has an id").to_owned()
}

// row: HT7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_old_version_and_a_person_without_a_rule() {
    for server in Server::on_each_store().await {
        let card = server.preview("c1").await;
        let edit = server.press("k1", "c1", "ana", &token(&card, "edit")).await;
        assert_eq!(edit["reason"], "press.applied");
        server.say("k2", "c1", "ana", "Title: Write the whole manual").await;
        let approval = server.get(&format!("/v1/approvals/{}", id(&card))).send().await.json();
        assert_eq!((&approval["version"], &approval["state"]), (&json!(2), &json!("pending")));

        let stale = server.decide("k3", &id(&card), &decision(1, "approve", "bob")).await;
        assert_eq!((stale.status, stale.problem().as_str()), (409, "TL-4104"));
        let problem = stale.json();
        assert_eq!(problem["title"], "This preview is outdated");
        assert_eq!(problem["current"], json!({"version": 2, "href": format!("/v1/approvals/{}", id(&card))}));

        let forbidden = server.decide("k4", &id(&card), &decision(2, "approve", "eve")).await;
        assert_eq!((forbidden.status, forbidden.problem().as_str()), (403, "TL-4108"));
        assert_eq!(
            forbidden.json()["detail"],
            "You may not approve this. Who may: anyone with the role approver"
        );

        let good = server.decide("k5", &id(&card), &decision(2, "approve", "bob")).await;
        assert_eq!((good.status, &good.json()["reason"]), (200, &json!("press.applied")));
        // A repeated request gets the stored answer, also if it was a refusal.
        let again = server.decide("k5", &id(&card), &decision(2, "approve", "bob")).await;
        assert_eq!((again.text(), again.header("idempotency-replayed")), (good.text(), Some("true")));
        let again = server.decide("k3", &id(&card), &decision(1, "approve", "bob")).await;
        assert_eq!(
            (again.status, again.text(), again.header("idempotency-replayed")),
            (409, stale.text(), Some("true"))
        );
        server.stopped().await;
    }
}

/// An approval decided through the API turns the card into its receipt, and the old button answers with that.
// row: E24
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn decided_through_the_api_the_old_button_answers() {
    for server in Server::on_each_store().await {
        let card = server.preview("c1").await;
        let list = server.get("/v1/approvals").send().await.json();
        let approval = &list["items"][0];
        assert_eq!((&approval["id"], &approval["card"]), (&card["id"], &card));
        assert!(approval["payload_sha256"].as_str().unwrap().starts_with(card["hash"].as_str().unwrap()));
        assert_eq!(
            (&approval["targets"], &approval["requested_by"]),
            (&json!(["local:DEMO"]), &json!("ana"))
        );

        let decided = server.decide("k1", &id(&card), &decision(1, "approve", "ana")).await.json();
        assert_eq!(card_of(&decided)["step"], "receipt");
        let old = server.press("k2", "c1", "bob", &token(&card, "approve")).await;
        assert_eq!(old["reason"], "press.consumed");
        assert!(
            notice(&old).starts_with("Already approved by @ana at ") && notice(&old).ends_with("→ DEMO-1"),
            "{}",
            notice(&old)
        );
        let late = server.decide("k3", &id(&card), &decision(1, "reject", "bob")).await;
        assert_eq!((late.status, late.problem().as_str()), (409, "TL-4102"));
        assert_eq!(late.json()["detail"], notice(&old));

        assert_eq!(server.get("/v1/approvals").send().await.json()["items"], json!([]));
        let all = server.get("/v1/approvals?state=all").send().await.json();
        assert_eq!(
            (&all["items"][0]["state"], &all["items"][0]["decided"]["by"]),
            (&json!("approved"), &json!("ana"))
        );
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_decisions_at_once_and_one_counts() {
    for server in Server::on_each_store().await {
        for round in 0..10 {
            let card = id(&server.preview(&format!("c{round}")).await);
            let (yes, no) = (format!("yes-{round}"), format!("no-{round}"));
            let (approve, reject) = (decision(1, "approve", "ana"), decision(1, "reject", "bob"));
            let (yes, no) =
                tokio::join!(server.decide(&yes, &card, &approve), server.decide(&no, &card, &reject));
            let mut statuses = [yes.status, no.status];
            statuses.sort();
            assert_eq!(statuses, [200, 409]);
        }
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_decided_is_told() {
    let server = Server::demo().await;
    let card = id(&server.preview("c1").await);
    assert_eq!(server.decide("k1", "ap_nope", &decision(1, "approve", "ana")).await.problem(), "TL-2404");
    for wrong in [
        json!({}),
        json!({"version": 1}),
        json!({"version": -1, "decision": "approve"}),
        json!([]),
        json!({"version": 1, "decision": "edit"}),
    ] {
        assert_eq!(server.decide("k2", &card, &wrong).await.problem(), "TL-2006", "{wrong}");
    }
    let cancel = server.decide("k3", &card, &decision(1, "cancel", "ana")).await;
    assert_eq!((cancel.status, cancel.problem().as_str()), (409, "TL-4105"));
    let rejected = server.decide("k4", &card, &decision(1, "reject", "ana")).await;
    assert_eq!(rejected.status, 200);
    assert_eq!(server.get(&format!("/v1/approvals/{card}")).send().await.json()["state"], "rejected");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_approval_expires() {
    let clock = Arc::new(ManualClock::at(Timestamp::parse("2026-01-15T10:00:00Z").unwrap()));
    let server = Server::over(demo(), Arc::new(MemoryStore::new(clock.clone()))).await;
    let card = id(&server.preview("c1").await);
    clock.advance(15 * Timestamp::DAY);
    let late = server.decide("k1", &card, &decision(1, "approve", "ana")).await;
    assert_eq!((late.status, late.problem().as_str()), (410, "TL-4106"));
    assert!(
        late.json()["detail"].as_str().unwrap().starts_with("This request expired at "),
        "{}",
        late.text()
    );
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_tenant_releases_nothing() {
    for server in Server::on_each_store().await {
        let card = id(&server.preview("c1").await);
        let put = |key: &str, body: Value| server.put("/v1/pause").header("Idempotency-Key", key).json(&body);
        assert_eq!(server.get("/v1/pause").send().await.json(), json!({"paused": false}));
        assert_eq!(put("p0", json!({"paused": true})).send().await.problem(), "TL-2006");
        let paused =
            put("p1", json!({"paused": true, "reason": "the tracker is being moved"})).send().await.json();
        assert_eq!(
            (&paused["paused"], &paused["by"], &paused["level"]),
            (&json!(true), &json!("you"), &json!("outward"))
        );

        let held = server.decide("k1", &card, &decision(1, "approve", "ana")).await;
        assert_eq!((held.status, held.problem().as_str()), (423, "TL-4109"));
        assert!(
            held.json()["detail"].as_str().unwrap().starts_with("Sending is paused by @you since "),
            "{}",
            held.text()
        );
        assert_eq!(
            server.say("k2", "c2", "ana", "/maro help").await["reason"],
            "command.help",
            "replies go on"
        );

        let resume = put("p2", json!({"paused": false}));
        assert_eq!(resume.send().await.json(), json!({"paused": false}));
        assert_eq!(resume.send().await.header("idempotency-replayed"), Some("true"));
        assert_eq!(put("p2", json!({"paused": true, "reason": "x"})).send().await.problem(), "TL-2203");
        assert_eq!(server.decide("k3", &card, &decision(1, "approve", "ana")).await.status, 200);
        server.stopped().await;
    }
}
