//! Long poll: the events of the stream, in the same order with the same ids.

use std::time::Duration;

use serde_json::Value;

use crate::support::*;

fn places(told: &Value) -> Vec<(Option<String>, String)> {
    let items = told["items"].as_array().expect("items");
    let place =
        |item: &Value| (item["id"].as_str().map(str::to_owned), item["event"].as_str().unwrap().to_owned());
    items.iter().map(place).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_poll_goes_on_behind_any_event() {
    for server in Server::on_each_store().await {
        let card = server.preview("c1").await;
        let turn = server.press("k1", "c1", "bob", &token(&card, "approve")).await;
        let path = format!("/v1/lanes/{}/events", turn["lane"].as_str().unwrap());
        let poll = async |query: &str| server.get(&format!("{path}{query}")).send().await.json();
        let all = places(&poll("").await);
        let names: Vec<&str> = all.iter().map(|(_, name)| name.as_str()).collect();
        for name in ["turn", "message", "card", "effect", "pending", "status"] {
            assert!(names.contains(&name), "{names:?}");
        }
        let (durable, status): (Vec<_>, Vec<_>) = all.into_iter().partition(|(id, _)| id.is_some());
        assert_eq!(status, [(None, "status".to_owned())], "how it is has no place in what happened");
        for (cut, (id, _)) in durable.iter().enumerate() {
            let rest = places(&poll(&format!("?after={}", id.as_ref().unwrap())).await);
            assert_eq!(rest[..rest.len() - 1], durable[cut + 1..], "behind {id:?}");
        }
        let by_header = server.get(&path).header("Last-Event-ID", "1.0").send().await.json();
        assert_eq!(places(&by_header)[0].0.as_deref(), Some("1.1"));
        let ahead = poll("?after=999").await;
        assert_eq!(ahead["items"][0]["event"], "reset");
        assert_eq!(server.get(&format!("{path}?after=x")).send().await.problem(), "TL-2007");
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_poll_waits_for_what_happens_next() {
    let server = Server::demo().await;
    let turn = server.say("k1", "c1", "ana", "/maro help").await;
    let path = format!("/v1/lanes/{}/events", turn["lane"].as_str().unwrap());
    let polling = server.get(&format!("{path}?after=1&wait=30"));
    let waiting = tokio::spawn(async move { polling.send().await.json() });
    server.say("k2", "c1", "ana", "/maro status").await;
    let told = waiting.await.unwrap();
    assert_eq!(told["items"][0]["id"], "2.0", "{told}");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_poll_ends_when_the_instance_stops() {
    let mut server = Server::demo().await;
    let turn = server.say("k1", "c1", "ana", "/maro help").await;
    let polling = server.get(&format!("/v1/lanes/{}/events?after=1&wait=30", turn["lane"].as_str().unwrap()));
    let mut socket = polling.connect().await;
    tokio::io::AsyncWriteExt::write_all(&mut socket, &polling.wire()).await.unwrap();
    server.stop();
    // If the server stops before it has read the request, the connection just ends.
    let mut bytes = Vec::new();
    let reading = tokio::io::AsyncReadExt::read_to_end(&mut socket, &mut bytes);
    let _ =
        tokio::time::timeout(Duration::from_secs(20), reading).await.expect("an end before the poll's own");
    if !bytes.is_empty() {
        let reply = Reply::parse(&bytes);
        let nothing = || places(&reply.json()).iter().all(|(id, _)| id.is_none());
        assert!(reply.status == 503 || nothing(), "{}", reply.text());
    }
    server.stopped().await;
}
