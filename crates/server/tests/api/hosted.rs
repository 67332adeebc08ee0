//! Turns that are handed to a host's own agent.

use serde_json::{Value, json};
use throughline_server::Sources;

use crate::support::*;

/// The settings of a server that hands everything over but answers to questions and choices.
fn host() -> Sources {
    handing(demo())
}

fn handing(sources: Sources) -> Sources {
    let on = "[\"pending\", \"selection\"]";
    sources.flag("policy.fallback", "host", "--set").flag("policy.capabilities", on, "--set")
}

/// The turn that an answer offers to the host.
fn handed(turn: &Value) -> Value {
    let effects = turn["effects"].as_array().unwrap();
    let offer = effects.iter().find(|effect| effect["class"] == "turn.handover");
    offer.unwrap_or_else(|| panic!("nothing is handed over: {turn:#}")).clone()
}

impl Server {
    async fn last_message(&self, lane: &Value) -> Value {
        let lane = self.get(&format!("/v1/lanes/{}", lane.as_str().unwrap())).send().await.json();
        lane["messages"].as_array().unwrap().last().unwrap().clone()
    }

    async fn answer(&self, key: &str, effect: &Value, answer: Value) -> Reply {
        let body = json!({"outcome": "applied", "answer": answer});
        self.report(key, effect["id"].as_str().unwrap(), &body).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_is_handed_over_answered_and_explained() {
    let server = Server::start(host()).await;
    server.say("k0", "c1", "ana", "We are four people.").await;
    let turn = server.say("k1", "c1", "ana", "find us a hotel in Lisbon").await;
    assert_eq!((&turn["decision"], &turn["reason"]), (&json!("handed_over"), &json!("handover.begun")));
    assert_eq!(turn["messages"], json!([]), "the engine says nothing");
    let offer = handed(&turn);
    assert_eq!((&offer["delivery"], &offer["state"]), (&json!("host"), &json!("attempted")));
    assert_eq!((&offer["by"], &offer["text"]), (&json!("ana"), &json!("find us a hotel in Lisbon")));
    assert!(offer["context"].as_str().unwrap().contains("We are four people."), "{offer:#}");
    assert!(offer["deadline"].as_str().unwrap() > offer["created_at"].as_str().unwrap());

    let answer = json!({"assistant": {"kind": "answer", "text": "Two are free."}});
    let first = server.answer("r1", &offer, answer.clone()).await;
    assert_eq!((first.status, &first.json()["settled"]), (200, &json!(true)), "{}", first.text());
    eventually("it is said", || async {
        server.last_message(&turn["lane"]).await["text"] == "Two are free."
    })
    .await;
    let second = server.answer("r2", &offer, answer).await;
    assert_eq!((second.status, &second.json()["settled"]), (200, &json!(false)));
    let other = json!({"assistant": {"kind": "answer", "text": "Three are free."}});
    assert_eq!(server.answer("r3", &offer, other).await.problem(), "TL-4202");

    let why = server.get("/v1/turns/key:k1/why").header("Accept", "text/plain").send().await.text();
    assert!(why.contains("handover.begun") && why.contains("turn.handover"), "{why}");
    server.stopped().await;
}

/// A reply to the host's own id of a message means that message, even if something newer asks.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reply_to_the_hosts_own_id_is_a_reply_to_that_message() {
    let server = Server::start(host()).await;
    let asks = |text: &str, expected: &str, id: &str, of: &str| {
        json!({"lane": {"conversation": "c1"}, "kind": "assistant.posted", "assistant": {
            "kind": "question", "text": text, "expected": expected, "asked_of": of, "message_id": id}})
    };
    server.turn("k1", &asks("Which city?", "location", "h-1", "ana")).await;
    server.turn("k2", &asks("How many nights?", "number", "h-2", "bob")).await;
    let mut says = said("c1", "ana", "Swansea");
    says["reply_to"] = json!("h-1");
    let turn = server.turn("k3", &says).await;
    assert_eq!((&turn["reason"], &turn["applied"]["value"]), (&json!("pending.applied"), &json!("Swansea")));
    let focus = &turn["focus"];
    assert_eq!(focus["source"], "reply", "{turn:#}");
    server.stopped().await;
}

/// A handover's own question carries the host's id in the same way, and a reply to one that nobody knows chooses nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_in_an_answer_is_chosen_from() {
    let server = Server::start(host()).await;
    let turn = server.say("k1", "c1", "ana", "find us a hotel in Lisbon").await;
    let option = |id: &str, label: &str| json!({"id": id, "label": label, "exec_ref": id, "risk": "read"});
    let answer = json!({
        "assistant": {"kind": "answer", "text": "1 Casa Azul, 2 Lisbon Inn", "message_id": "h-7"},
        "shown": {"scope": "chat", "scope_instance": "c1", "user": "ana", "message_id": "h-7",
            "options": [option("a", "Casa Azul"), option("b", "Lisbon Inn")]},
    });
    let reply = server.answer("r1", &handed(&turn), answer).await;
    assert_eq!((reply.status, &reply.json()["settled"]), (200, &json!(true)), "{}", reply.text());
    let mut unknown = said("c1", "ana", "the second one");
    unknown["reply_to"] = json!("h-404");
    let nothing = server.turn("k2", &unknown).await;
    assert!(!nothing["effects"].as_array().unwrap().iter().any(|effect| effect["class"] == "option.execute"));
    let mut says = said("c1", "ana", "the second one");
    says["reply_to"] = json!("h-7");
    let turn = server.turn("k3", &says).await;
    let run = turn["effects"].as_array().unwrap().iter().find(|effect| effect["class"] == "option.execute");
    assert_eq!(run.unwrap_or_else(|| panic!("{turn:#}"))["exec_ref"], "b", "{turn:#}");
    server.stopped().await;
}

/// Bad answers are refused with the place of every fault, and the handover stays open.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_answer_is_refused_and_nothing_is_lost() {
    let server = Server::start(host()).await;
    let turn = server.say("k1", "c1", "ana", "find us a hotel in Lisbon").await;
    let offer = handed(&turn);
    for (n, (answer, place)) in [
        (json!({"assistant": {"kind": "shout", "text": "hi"}}), "/answer/assistant/kind"),
        (json!({"assistant": {"kind": "answer", "text": ""}}), "/answer/assistant/text"),
        (json!({"assistant": {"kind": "question", "text": "?", "expected": "colour"}}), "/answer/assistant/expected"),
        (json!({"shown": {"scope": "chat", "scope_instance": "c1", "options": []}}), "/answer/shown/options"),
        (json!({"shown": {"scope": "moon", "scope_instance": "c1", "options": [{"id": "a", "label": "A"}]}}),
            "/answer/shown/scope"),
    ].into_iter().enumerate() {
        let reply = server.answer(&format!("r{n}"), &offer, answer).await;
        assert_eq!((reply.status, &reply.json()["errors"][0]["pointer"]), (422, &json!(place)), "{}", reply.text());
    }
    assert_eq!(server.answer("r8", &offer, json!({"text": "hi"})).await.problem(), "TL-2006");
    assert_eq!(server.answer("r9", &offer, json!({})).await.json()["settled"], true, "nothing is to be said");
    server.stopped().await;
}

/// The engine's words are the host's to post and to report, where the host speaks.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_engine_says_is_the_hosts_to_post() {
    let server = Server::start(demo().flag("policy.replies", "host", "--set")).await;
    let turn = server.say("k1", "c1", "ana", "What do you think about microservices?").await;
    let effects = turn["effects"].as_array().unwrap();
    let card = effects.iter().find(|effect| effect["class"] == "card.post").expect("the gate");
    assert_eq!((&card["delivery"], &card["state"]), (&json!("host"), &json!("attempted")));
    let done = server
        .report("r1", card["id"].as_str().unwrap(), &json!({"outcome": "applied", "remote": {"id": "h-1"}}))
        .await;
    assert_eq!((&done.json()["settled"], &done.json()["effect"]["state"]), (&json!(true), &json!("done")));
    server.stopped().await;
}

/// A "stop" takes a turn back: its effect is cancelled, and an answer to it is refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_stopped_takes_no_answer() {
    for server in Server::on_each_store_with(handing).await {
        let turn = server.say("k1", "c1", "ana", "find us a hotel in Lisbon").await;
        let offer = handed(&turn);
        let stop = server.say("k2", "c1", "ana", "stop").await;
        assert_eq!(stop["reason"], "interrupt.stop");
        let now = server.get(&format!("/v1/effects/{}", offer["id"].as_str().unwrap())).send().await.json();
        assert_eq!(now["state"], "cancelled");
        let late =
            server.answer("r1", &offer, json!({"assistant": {"kind": "answer", "text": "Two."}})).await;
        assert_eq!((late.status, late.problem().as_str()), (409, "TL-4202"));
        server.stopped().await;
    }
}

/// A host that does not answer in time loses the turn, and the person is told.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_that_is_late_is_told_of() {
    let server = Server::start(host().flag("policy.handover_ms", "1000", "--set")).await;
    let turn = server.say("k1", "c1", "ana", "find us a hotel in Lisbon").await;
    let offer = handed(&turn);
    eventually("the person is told", || async {
        let last = server.last_message(&turn["lane"]).await;
        last["role"] == "assistant" && last["text"].as_str().unwrap().starts_with("I have no answer")
    })
    .await;
    let late = server.answer("r1", &offer, json!({"assistant": {"kind": "answer", "text": "Two."}})).await;
    assert_eq!((late.status, late.problem().as_str()), (409, "TL-4202"));
    server.stopped().await;
}

#[test]
fn a_division_that_cannot_be_is_refused() {
    use throughline_server::Config;
    let refused = |sources: Sources| Config::load(&sources).unwrap_err().to_string();
    let gate = refused(demo().flag("policy.capabilities", "[\"selection\"]", "--set"));
    assert!(gate.contains("policy.capabilities") && gate.contains("`fallback` to host"), "{gate}");
    let silent = refused(demo().flag("policy.replies", "none", "--set"));
    assert!(silent.contains("policy.replies"), "{silent}");
    let unknown = refused(demo().flag("policy.capabilities", "[\"tickts\"]", "--set"));
    assert!(unknown.contains("tickets"), "the nearest word is named: {unknown}");
}
