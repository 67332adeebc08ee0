//! Idempotency-Keys: one outcome for each request, however often it is sent.

use std::time::Duration;

use serde_json::{Value, json};
use tempfile::tempdir;

use crate::store::Rigged;
use crate::support::*;

/// Tries every case of a repeated key in turn.
// row: HT2, E4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_names_one_request() {
    for server in Server::on_each_store().await {
        let event = said("c1", "ana", TASK);
        let first = server.event("key-1", &event).header("Prefer", "wait=5").send().await;
        assert_eq!((first.status, first.header("idempotency-replayed")), (200, None));

        // Same key and body, finished: the stored status and body.
        let again = server.event("key-1", &event).header("Prefer", "wait=5").send().await;
        assert_eq!((again.status, again.header("idempotency-replayed")), (200, Some("true")));
        assert_eq!(again.text(), first.text());
        assert_eq!(again.header("throughline-turn"), first.header("throughline-turn"));
        // Also after the state has changed, and with the members in another order.
        server.press("key-2", "c1", "ana", &token(&card_of(&first.json()), "approve")).await;
        let reordered =
            r#"{"text":TEXT,"kind":"message.posted","actor":{"id":"ana"},"lane":{"conversation":"c1"}}"#
                .replace("TEXT", &json!(TASK).to_string());
        let again = server
            .post("/v1/events")
            .header("Idempotency-Key", "key-1")
            .header("Content-Type", "application/json; charset=utf-8")
            .bytes(reordered.into_bytes())
            .send()
            .await;
        assert_eq!(again.text(), first.text());

        // Same key, other body: nothing runs.
        let other = server.event("key-1", &said("c1", "ana", "something else")).send().await;
        assert_eq!((other.status, other.problem().as_str()), (422, "TL-2203"));

        // A missing or invalid key.
        let call = server.post("/v1/events").json(&event);
        let long = "x".repeat(256);
        for wrong in [None, Some(""), Some("with blank"), Some("ümlaut"), Some(long.as_str())] {
            let call = wrong.map_or(call.clone(), |key| call.clone().header("Idempotency-Key", key));
            let reply = call.send().await;
            assert_eq!((reply.status, reply.problem().as_str()), (400, "TL-2201"), "{wrong:?}");
        }
        let twice = call.clone().header("Idempotency-Key", "a").header("Idempotency-Key", "b").send().await;
        assert_eq!(twice.problem(), "TL-2201");
        let longest =
            call.header("Idempotency-Key", &"y".repeat(255)).header("Prefer", "wait=5").send().await;
        assert_eq!(longest.status, 200);

        let lane = first.json()["lane"].as_str().unwrap().to_owned();
        let turns = server.get(&format!("/v1/lanes/{lane}/turns?limit=200")).send().await.json();
        let posted = turns["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|turn| turn["event"] == "message.posted")
            .count();
        assert_eq!(posted, 2, "each key once: {turns:#}");
        server.stopped().await;
    }
}

/// Of two concurrent requests, the second is told to retry, and then gets the first one's answer.
// row: E4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_second_of_two_at_once_is_told_to_ask_again() {
    let store = Rigged::new();
    let server = Server::over(demo(), store.clone()).await;
    store.answers_take(Duration::from_millis(700));
    let call = server.event("key-1", &said("c1", "ana", "/maro help")).header("Prefer", "wait=5");
    let (first, second) = tokio::join!(call.send(), async {
        tokio::time::sleep(Duration::from_millis(250)).await;
        call.send().await
    });
    assert_eq!(first.status, 200);
    assert_eq!((second.status, second.problem().as_str()), (409, "TL-2202"));
    assert_eq!(second.header("retry-after"), Some("1"));
    let other = server.event("key-1", &said("c1", "ana", "/maro status")).send().await;
    assert_eq!(other.problem(), "TL-2203");
    let third = call.send().await;
    assert_eq!((third.status, third.header("idempotency-replayed")), (200, Some("true")));
    assert_eq!(third.text(), first.text());
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_at_once_are_one_turn() {
    for server in Server::on_each_store().await {
        let call = server.event("key-1", &said("c1", "ana", "/maro help")).header("Prefer", "wait=5");
        let calls = (0..20).map(|_| {
            let call = call.clone();
            tokio::spawn(async move { call.send().await.status })
        });
        let mut statuses = Vec::new();
        for call in calls.collect::<Vec<_>>() {
            statuses.push(call.await.unwrap());
        }
        assert!(
            statuses.iter().all(|status| [200, 409].contains(status)) && statuses.contains(&200),
            "{statuses:?}"
        );
        let lane = call.send().await.json()["lane"].as_str().unwrap().to_owned();
        assert_eq!(server.get(&format!("/v1/lanes/{lane}")).send().await.json()["revision"], 1);
        server.stopped().await;
    }
}

/// An answer that is kept is given to everybody who asks again, however many at once: whoever repeats keeps nobody from it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_who_ask_again_at_once_are_answered() {
    for server in Server::on_each_store().await {
        let call = server.event("key-1", &said("c1", "ana", "/maro help")).header("Prefer", "wait=5");
        let first = call.send().await;
        let again = (0..20).map(|_| {
            let call = call.clone();
            tokio::spawn(async move { call.send().await })
        });
        for again in again.collect::<Vec<_>>() {
            let again = again.await.unwrap();
            assert_eq!((again.status, again.header("idempotency-replayed")), (200, Some("true")));
            assert_eq!(again.text(), first.text());
        }
        server.stopped().await;
    }
}

/// One event under two keys is recognised by the host's own id of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_with_an_id_of_its_own_is_handled_once() {
    for server in Server::on_each_store().await {
        let mut event = said("c1", "ana", "/maro help");
        event["event_id"] = json!("evt-1");
        let first = server.event("key-1", &event).header("Prefer", "wait=5").send().await;
        let again = server.event("key-2", &event).header("Prefer", "wait=5").send().await;
        assert_eq!((again.status, again.header("idempotency-replayed")), (200, Some("true")));
        assert_eq!(again.text(), first.text());
        server.stopped().await;
    }
}

/// The host's id names one event: another body, another person's or another conversation's is refused, and runs nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_id_of_an_event_is_not_used_for_another() {
    for server in Server::on_each_store().await {
        let send = |key: &'static str, event: Value| {
            let call = server.event(key, &event).header("Prefer", "wait=5");
            async move { call.send().await }
        };
        let event = |conversation: &str, who: &str, text: &str| {
            let mut event = said(conversation, who, text);
            event["event_id"] = json!("evt-1");
            event
        };
        let first = send("key-1", event("c1", "ana", "/maro help")).await;
        assert_eq!(first.status, 200);
        for (key, other) in [
            ("key-2", event("c1", "ana", "/maro status")),
            ("key-3", event("c1", "bob", "/maro help")),
            ("key-4", event("c2", "ana", "/maro help")),
        ] {
            let refused = send(key, other).await;
            assert_eq!((refused.status, refused.problem().as_str()), (422, "TL-2206"), "{key}");
        }
        // The first one's own key says that of the key, and the event itself is still answered as before.
        let reused = send("key-1", event("c1", "ana", "/maro status")).await;
        assert_eq!((reused.status, reused.problem().as_str()), (422, "TL-2203"));
        for key in ["key-1", "key-2", "key-5"] {
            let again = send(key, event("c1", "ana", "/maro help")).await;
            assert_eq!((again.status, again.header("idempotency-replayed")), (200, Some("true")), "{key}");
            assert_eq!(again.text(), first.text(), "{key}");
        }
        let lane = first.json()["lane"].as_str().unwrap().to_owned();
        assert_eq!(server.get(&format!("/v1/lanes/{lane}")).send().await.json()["revision"], 1);
        server.stopped().await;
    }
}

/// Of two different events under one id that arrive together, one runs and the other is refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_events_under_one_id_at_once_one_runs() {
    for server in Server::on_each_store().await {
        let calls = (0..12).map(|n| {
            let mut event = said("c1", "ana", if n % 2 == 0 { "/maro help" } else { "/maro status" });
            event["event_id"] = json!("evt-1");
            let call = server.event(&format!("key-{n}"), &event).header("Prefer", "wait=5");
            tokio::spawn(async move { (n % 2, call.send().await) })
        });
        let mut answers = Vec::new();
        for call in calls.collect::<Vec<_>>() {
            answers.push(call.await.unwrap());
        }
        let (won, _) = answers.iter().find(|(_, answer)| answer.status == 200).expect("one ran");
        for (which, answer) in &answers {
            let expected: &[u16] = if which == won { &[200, 409] } else { &[422] };
            assert!(expected.contains(&answer.status), "{} {}", answer.status, answer.text());
        }
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_did_not_wait_gets_the_same_202_again() {
    let server = Server::demo().await;
    let call = server.event("key-1", &said("c1", "ana", "/maro help"));
    let first = call.send().await;
    let again = call.send().await;
    assert_eq!((first.status, again.status), (202, 202));
    assert_eq!((again.text(), again.header("location")), (first.text(), first.header("location")));
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    let href = first.header("location").unwrap().to_owned();
    eventually("the turn is there", || async { server.get(&href).send().await.status == 200 }).await;
    // A request that waits gets the turn.
    let waited = call.clone().header("Prefer", "wait=5").send().await;
    assert_eq!((waited.status, &waited.json()["reason"]), (200, &json!("command.help")));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_and_answers_survive_a_restart() {
    let folder = tempdir().unwrap();
    let event = said("c1", "ana", TASK);
    let server = Server::start(demo_in(folder.path())).await;
    let first = server.event("key-1", &event).header("Prefer", "wait=5").send().await;
    let card = card_of(&first.json());
    server.stopped().await;

    let server = Server::start(demo_in(folder.path())).await;
    let again = server.event("key-1", &event).header("Prefer", "wait=5").send().await;
    assert_eq!((again.status, again.text()), (200, first.text()));
    // A card from before the restart has the same buttons and can be pressed.
    let lane = first.json()["lane"].as_str().unwrap().to_owned();
    let shown = server.get(&format!("/v1/lanes/{lane}/messages")).send().await.json();
    assert!(shown["items"].as_array().unwrap().iter().any(|message| message["card"] == card), "{shown:#}");
    let turn = server.press("key-2", "c1", "bob", &token(&card, "approve")).await;
    assert_eq!(turn["reason"], "press.applied");
    server.stopped().await;
}
