//! Acts that a host asks leave for: over HTTP and as tools of the MCP server.

use serde_json::{Value, json};
use throughline_server::Sources;

use crate::support::*;

/// A demo in which Bob may approve acts, and nobody their own.
async fn server() -> Server {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("throughline.toml");
    let settings = "[[users]]\nid = \"bob\"\nroles = [\"lead\"]\n[[approvers]]\neffects = [\"host.act\"]\n\
        targets = [\"act:*\"]\nallow = [\"role:lead\"]\n";
    std::fs::write(&file, settings).unwrap();
    Server::start(Sources { file: Some(file), ..demo() }).await
}

fn request(id: &str, amount: u32) -> Value {
    json!({
        "lane": {"conversation": "c1"}, "actor": {"id": "ana"}, "kind": "approval.requested",
        "approval": {
            "request_id": id, "title": format!("Pay {amount} EUR"), "target": "payments",
            "payload": {"to": "ACME", "amount": amount}, "lines": ["for hosting"],
        },
    })
}

/// The act that an answer offers to the host.
fn act(turn: &Value) -> Value {
    let effects = turn["effects"].as_array().unwrap();
    let act = effects.iter().find(|effect| effect["class"] == "host.act");
    act.unwrap_or_else(|| panic!("no act is offered: {turn:#}")).clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_asks_is_handed_what_was_approved_and_reports() {
    let server = server().await;
    let asked = server.turn("k1", &request("r1", 120)).await;
    assert_eq!(
        (&asked["decision"], &asked["reason"]),
        (&json!("shown"), &json!("approval.needed")),
        "{asked:#}"
    );
    let card = card_of(&asked);
    assert_eq!(card["title"], "Pay 120 EUR?");
    assert_eq!(card["request"], json!({"id": "r1", "state": "pending"}));
    let fields: Vec<&Value> = card["fields"].as_array().unwrap().iter().map(|field| &field["text"]).collect();
    assert_eq!(fields, ["payments", "for hosting", r#"{"amount":120,"to":"ACME"}"#]);
    let approval = server.get(&format!("/v1/approvals/{}", card["id"].as_str().unwrap())).send().await.json();
    assert_eq!(
        (&approval["effects"], &approval["targets"]),
        (&json!(["host.act"]), &json!(["act:payments"]))
    );

    let approved = server.turn("k2", &pressed("c1", "bob", &token(&card, "approve"))).await;
    let offer = act(&approved);
    assert_eq!((&offer["delivery"], &offer["state"]), (&json!("host"), &json!("attempted")));
    assert_eq!((&offer["request_id"], &offer["payload"]), (&json!("r1"), &approval["payload"]["payload"]));
    assert_eq!(offer["payload_sha256"].as_str().unwrap().len(), 64);
    let report = json!({"outcome": "applied", "remote": {"text": "paid"}});
    assert_eq!(server.report("k3", offer["id"].as_str().unwrap(), &report).await.status, 200);
    let lane = format!("/v1/lanes/{}/messages", asked["lane"].as_str().unwrap());
    eventually("the conversation is told", || async {
        let messages = server.get(&lane).send().await.json();
        messages["items"].as_array().unwrap().iter().any(|one| one["text"] == "Pay 120 EUR:\n> paid")
    })
    .await;
    let again = server.turn("k4", &request("r1", 120)).await;
    assert_eq!((&again["decision"], &again["reason"]), (&json!("recorded"), &json!("request.known")));
    assert_eq!(card_of(&again)["request"]["state"], "done");
    let other = server.turn("k5", &request("r1", 121)).await;
    assert_eq!((&other["decision"], &other["reason"]), (&json!("refused"), &json!("request.over")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_stream_tells_a_host_what_became_of_its_request() {
    let server = server().await;
    let asked = server.turn("k1", &request("r1", 120)).await;
    let revised = server.turn("k2", &request("r1", 121)).await;
    assert_eq!((&revised["decision"], &revised["reason"]), (&json!("shown"), &json!("request.revised")));
    let old = server.turn("k3", &pressed("c1", "bob", &token(&card_of(&asked), "approve"))).await;
    assert_eq!((&old["decision"], &old["reason"]), (&json!("refused"), &json!("stale.version")));
    let rejected = server.turn("k4", &pressed("c1", "bob", &token(&card_of(&revised), "reject"))).await;
    assert_eq!(rejected["reason"], "press.applied");
    let told = server
        .get(&format!("/v1/lanes/{}/events?after=0", asked["lane"].as_str().unwrap()))
        .send()
        .await
        .json();
    let mut cards = told["items"].as_array().unwrap().iter().filter(|event| event["event"] == "card");
    let newest = cards.next_back().unwrap_or_else(|| panic!("no card in {told:#}"));
    assert_eq!(newest["data"]["card"]["request"], json!({"id": "r1", "state": "rejected"}));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_with_a_request_is_named() {
    let server = server().await;
    let mut wrong = request("r 1", 120);
    wrong["approval"]["title"] = json!("two\nlines");
    wrong["approval"]["payload"] = json!({"id": 12_345_678_901_234_567_u64, "n": 1});
    wrong["approval"]["lines"] = json!(["", "\u{202e}"]);
    wrong["approval"]["expires"] = json!("tomorrow");
    let refused = server.event("k1", &wrong).send().await;
    assert_eq!(refused.status, 422);
    let refused = refused.json();
    let places: Vec<&str> =
        refused["errors"].as_array().unwrap().iter().map(|one| one["pointer"].as_str().unwrap()).collect();
    for place in ["request_id", "title", "payload/id", "lines/0", "lines/1", "expires"] {
        assert!(places.contains(&format!("/approval/{place}").as_str()), "{place} is not in {refused:#}");
    }
    let mut long = request("r1", 1);
    long["approval"]["payload"] = json!({"x": "x".repeat(9_000)});
    assert_eq!(server.event("k2", &long).send().await.status, 422);
    let mut none = request("r1", 1);
    none["approval"] = Value::Null;
    assert_eq!(server.event("k3", &none).send().await.status, 422);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_does_all_of_it_with_tools() {
    let server = server().await;
    let called = async |name: &str, arguments: Value| -> Value {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
        let accept = "application/json, text/event-stream";
        let answer = server.post("/mcp").header("Accept", accept).json(&call).send().await.json();
        assert_eq!(answer["result"]["isError"], false, "{answer:#}");
        answer["result"]["structuredContent"].clone()
    };
    let lane = json!({"conversation": "c1"});
    let asked = called(
        "request_approval",
        json!({"lane": lane, "actor": {"id": "ana"}, "request_id": "r1", "title": "Pay 5 EUR", "target": "payments",
            "payload": {"amount": 5}}),
    )
    .await;
    let card = card_of(&asked);
    let waits = called("get_approval", json!({"approval": card["id"]})).await;
    assert_eq!((&waits["state"], &waits["card"]["request"]["state"]), (&json!("pending"), &json!("pending")));
    let decided = server.turn("k1", &pressed("c1", "bob", &token(&card, "approve"))).await;
    assert_eq!(decided["reason"], "press.applied");
    let open = called("list_effects", json!({"state": "attempted"})).await;
    let offer = &open["items"][0];
    assert_eq!((&offer["class"], &offer["payload"]), (&json!("host.act"), &json!(r#"{"amount":5}"#)));
    let settled =
        called("report_effect", json!({"effect": offer["id"], "outcome": "rejected", "error": "no money"}))
            .await;
    assert_eq!(settled["settled"], true);
    eventually("the card says so", || async {
        called("get_approval", json!({"approval": card["id"]})).await["card"]["request"]["state"] == "failed"
    })
    .await;
}
