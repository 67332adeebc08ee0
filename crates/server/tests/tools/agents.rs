//! A2A agent of the protocol's kit, with a real tool beside it.

use std::net::TcpListener;

use serde_json::json;

use crate::conversation::{C, answers, hears, lane, pendings, says};
use crate::peers::{Peers, pin, until};
use crate::support::Server;

const WEATHER: &str = "tools.weather = { server = \"kit\", tool = \"get_weather\", risk = \"read\", args = { city = \"text\" } }";

/// Makes a weather look-up fail in every attempt, so that a retry is offered.
async fn offered(peers: &Peers, server: &Server) -> String {
    peers.tell("down", "");
    says(server, "k1", "draft the partner update email", Some("email")).await;
    let turn = says(server, "k2", "run weather Swansea", Some("weather")).await;
    let offer = hears(server, &turn, "weather did not answer. Shall I try it again?").await;
    peers.forget("down");
    assert!(peers.noted("calls").len() > 1, "its process was started again: {:?}", peers.noted("calls"));
    assert!(pendings(server, &turn).await.contains(&"tool_retry_offer".to_owned()));
    answers(server, "k3", "Here is a first outline.", "email").await;
    offer["id"].as_str().unwrap().to_owned()
}

// row: T1
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs peers from registries: cargo xtask peers"]
async fn do_that_hands_over_the_newest_task_and_clears_the_retry_of_the_older() {
    let peers = Peers::new().kit().set(WEATHER).agent("jsonrpc").await;
    let server = peers.pinned().await;
    offered(&peers, &server).await;
    let turn = says(&server, "k4", "do that via sub-agent", None).await;
    assert_eq!(turn["reason"], "delegation.started", "{turn:#}");
    assert_eq!(turn["also"], json!(["pending.mismatch"]), "{turn:#}");
    assert_eq!(turn["focus"]["task"], "email");
    hears(&server, &turn, "writer:\n> Written: draft the partner update email").await;
    assert!(!pendings(&server, &turn).await.contains(&"tool_retry_offer".to_owned()));
    let calls = peers.noted("calls").len();
    let turn = says(&server, "k5", "yeah go for it", None).await;
    assert_ne!(turn["reason"], "pending.applied");
    assert_eq!(peers.noted("calls").len(), calls);
    server.stopped().await;
}

// row: T2
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs peers from registries: cargo xtask peers"]
async fn as_a_reply_to_the_older_message_do_that_hands_over_the_older_task() {
    let peers = Peers::new().kit().set(WEATHER).agent("rest").await;
    let server = peers.pinned().await;
    let offer = offered(&peers, &server).await;
    let body = json!({"lane": {"conversation": C}, "actor": {"id": "ana"}, "kind": "message.posted",
        "text": "do that via sub-agent", "reply_to": offer});
    let turn = server.turn("k4", &body).await;
    assert_eq!(
        (&turn["reason"], &turn["focus"]["task"]),
        (&json!("delegation.started"), &json!("weather")),
        "{turn:#}"
    );
    hears(&server, &turn, "writer:\n> Written: run weather Swansea").await;
    server.stopped().await;
}

/// The agent's progress goes on over a restart of ours, and it is asked once.
// row: T12
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs peers from registries: cargo xtask peers"]
async fn progress_of_a_sub_agent_never_becomes_the_anchor() {
    for binding in ["jsonrpc", "rest"] {
        let peers = Peers::new().agent(binding).await;
        let server = peers.pinned().await;
        says(&server, "k1", "@writer write the handbook slowly", None).await;
        let answer = answers(&server, "k2", "Dear partners, all is well.", "email").await;
        hears(&server, &answer, "writer goes on:\n> 1 of 2 is done").await;
        let turn = says(&server, "k3", "make it shorter", None).await;
        assert_eq!(turn["focus"]["task"], "email", "{turn:#}");
        let effects = server.get("/v1/effects?state=planned").send().await.json();
        let underway =
            effects["items"].as_array().unwrap().iter().find(|effect| effect["class"] == "agent.delegate");
        let remote = underway.expect("it goes on")["outcome"]["remote"].as_str().unwrap().to_owned();
        assert!(peers.noted("messages")[0].starts_with(&remote));
        server.stopped().await;

        let server = peers.server().await;
        peers.tell("go", "");
        hears(&server, &turn, "writer:\n> Written: write the handbook slowly").await;
        assert_eq!(
            peers.noted("messages").len(),
            1,
            "one message, however often we started: {:?}",
            peers.noted("messages")
        );
        server.stopped().await;
    }
}

// row: TO3
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs peers from registries: cargo xtask peers"]
async fn an_answer_goes_on_with_the_same_task() {
    for binding in ["jsonrpc", "rest"] {
        let peers = Peers::new().agent(binding).await;
        let server = peers.pinned().await;
        let turn = says(&server, "k1", "@writer invite the partners", None).await;
        hears(&server, &turn, "writer asks:\n> Which city?").await;
        let task = lane(&server, &turn).await["tasks"][0].clone();
        assert_eq!(
            (&task["status"], &task["reason"]),
            (&json!("blocked"), &json!("Which city?")),
            "{task:#}"
        );
        let turn = says(&server, "k2", "Swansea", None).await;
        assert_eq!(turn["reason"], "pending.applied");
        hears(&server, &turn, "writer:\n> Dear partners of Swansea.").await;
        assert_eq!(lane(&server, &turn).await["tasks"][0]["status"], "completed");
        let noted = peers.noted("messages");
        let words: Vec<Vec<&str>> = noted.iter().map(|line| line.splitn(3, ' ').collect()).collect();
        assert_eq!(words.len(), 2, "{noted:?}");
        assert_eq!(words[0][0], words[1][0], "one task over there");
        assert!(words[0][1].starts_with("fx_") && words[0][1] != words[1][1], "each message is an effect");
        assert_eq!((words[0][2], words[1][2]), ("invite the partners", "Swansea"));
        server.stopped().await;
    }
}

/// "Stop" reaches the agent, while it works and while it waits for an answer; its refusal to stop is reported.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs peers from registries: cargo xtask peers"]
async fn stop_cancels_over_there_and_a_refusal_is_said() {
    let peers = Peers::new().agent("jsonrpc").await;
    let server = peers.pinned().await;
    let cancelled = || peers.noted("messages").iter().filter(|line| line.ends_with(" cancelled")).count();
    let turn = says(&server, "k1", "@writer write it slowly", None).await;
    hears(&server, &turn, "1 of 2 is done").await;
    let turn = says(&server, "k2", "stop", None).await;
    assert_eq!(turn["reason"], "interrupt.stop");
    assert_eq!(lane(&server, &turn).await["tasks"][0]["status"], "cancelled");
    until("it is cancelled over there", || async { cancelled() == 1 }).await;
    let turn = says(&server, "k3", "@writer refuse this", None).await;
    hears(&server, &turn, "writer did not do it: it does not take this: That is not my trade.").await;
    server.stopped().await;
}

/// An agent whose card changed is off until it is pinned again.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs peers from registries: cargo xtask peers"]
async fn an_agent_with_another_card_is_off() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let setting = format!(
        "agents.writer = {{ url = \"http://127.0.0.1:{port}\", allow_loopback = true, risk = \"read\" }}"
    );
    let mut peers = Peers::new().set(&setting).agent_at("jsonrpc", port).await;
    let server = peers.pinned().await;
    let turn = says(&server, "k1", "@writer write this", None).await;
    hears(&server, &turn, "Written: write this").await;
    peers.end_last().await;
    peers.tell("about", "Writes letters, and sends them.");
    let peers = peers.agent_at("jsonrpc", port).await;
    let turn = says(&server, "k2", "@writer write that", None).await;
    hears(&server, &turn, "TL-5301").await;
    assert_eq!(peers.noted("messages").len(), 1, "it was handed nothing");
    assert_eq!(pin(&server, "p2").await.json()["pinned"], json!(["agent:writer"]));
    let turn = says(&server, "k3", "@writer write more", None).await;
    hears(&server, &turn, "Written: write more").await;
    server.stopped().await;
}
