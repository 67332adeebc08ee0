//! Failures: a store without writes, a stopping instance, a database in use. Each is reported, and nothing is lost.

use std::time::Duration;

use serde_json::json;
use tempfile::tempdir;
use throughline_server::{Config, StartError, open};
use throughline_store::Counts;
use tokio::io::AsyncWriteExt;

use crate::store::Rigged;
use crate::support::*;

/// There is no 2xx without a commit, and the server resumes by itself when writes succeed again.
// row: E35
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_takes_no_writes_acknowledges_nothing() {
    let store = Rigged::new();
    let server = Server::over(demo(), store.clone()).await;
    let card = server.preview("c1").await;
    store.read_only(true);
    let event = server.event("k1", &said("c1", "ana", "/maro help")).header("Prefer", "wait=5");
    let press =
        server.event("k2", &pressed("c1", "bob", &token(&card, "approve"))).header("Prefer", "wait=5");
    let decide = server
        .post(&format!("/v1/approvals/{}/decide", card["id"].as_str().unwrap()))
        .header("Idempotency-Key", "k3")
        .json(&json!({"version": 1, "decision": "approve"}));
    let pause = server.put("/v1/pause").header("Idempotency-Key", "k4").json(&json!({"paused": false}));
    for call in [&event, &press, &decide, &pause, &server.get("/readyz")] {
        let reply = call.send().await;
        assert_eq!((reply.status, reply.problem().as_str()), (503, "TL-6201"));
        assert!(reply.header("retry-after").is_some());
    }
    // Reads still work.
    assert_eq!(server.get("/v1/lanes").send().await.status, 200);
    assert_eq!(server.get("/livez").send().await.status, 200);

    store.read_only(false);
    let reply = event.send().await;
    assert_eq!(
        (reply.status, reply.header("idempotency-replayed")),
        (200, None),
        "nothing had been recorded"
    );
    assert_eq!(press.send().await.json()["reason"], "press.applied");
    assert_eq!(server.get("/readyz").send().await.status, 200);
    server.stopped().await;
}

/// Whoever repeats a request whose conversation cannot be read is told so, and not for ever that it is being handled.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_that_waits_behind_damage_is_told_of_it() {
    let store = Rigged::new();
    let server = Server::over(demo(), store.clone()).await;
    store.damage(Some("waiting"));
    let call = server.event("k1", &said("c1", "ana", "/maro help"));
    assert_eq!(call.send().await.status, 202, "it is stored");
    let repeated = call.clone().header("Prefer", "wait=5");
    eventually("the damage is told", || async {
        let reply = repeated.send().await;
        (reply.status, reply.problem().as_str()) == (503, "TL-6203") && reply.header("retry-after").is_some()
    })
    .await;
    // It was not lost: when the conversation can be read, it goes on.
    store.damage(None);
    eventually("it has its turn", || async { repeated.send().await.status == 200 }).await;
    server.stopped().await;
}

/// An instance on which something is stuck is not ready, and says what to do.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_stuck_is_not_ready() {
    let store = Rigged::new();
    let server = Server::over(demo(), store.clone()).await;
    assert_eq!(server.get("/readyz").send().await.status, 200);
    let long = 11 * throughline_engine::Timestamp::MINUTE;
    let quiet = Counts::default();
    for (counts, code) in [
        (Counts { waiting: 2, oldest_waiting: long, ..quiet }, "TL-6204"),
        (Counts { far_effects: 1, ..quiet }, "TL-6205"),
        (Counts { failing_lanes: 3, ..quiet }, "TL-6206"),
    ] {
        store.count_as(counts);
        let reply = server.get("/readyz").send().await;
        assert_eq!((reply.status, reply.problem().as_str()), (503, code));
    }
    store.count_as(quiet);
    assert_eq!(server.get("/readyz").send().await.status, 200);
    server.stopped().await;
}

// row: HT8
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn running_answers_finish_and_new_ones_are_refused() {
    let mut server = Server::demo().await;
    // A request whose body has not arrived yet counts as running.
    let call = server.event("k1", &said("c1", "ana", "/maro help")).header("Prefer", "wait=5");
    let wire = call.wire();
    let (most, rest) = wire.split_at(wire.len() - 5);
    let mut running = call.connect().await;
    running.write_all(most).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.stop();
    eventually("it drains", || async { server.get("/readyz").send().await.status == 503 }).await;

    for refused in
        [server.get("/readyz"), server.event("k2", &said("c1", "ana", "hi")), server.get("/v1/lanes")]
    {
        let reply = refused.send().await;
        assert_eq!((reply.status, reply.problem().as_str()), (503, "TL-2009"));
        assert!(reply.header("retry-after").is_some());
    }
    assert_eq!(server.get("/livez").send().await.status, 200);
    running.write_all(rest).await.unwrap();
    let reply = Reply::read(&mut running).await;
    assert_eq!((reply.status, &reply.json()["reason"]), (200, &json!("command.help")));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_in_use_a_port_in_use_and_a_bad_key_do_not_start() {
    let folder = tempdir().unwrap();
    let server = Server::start(demo_in(folder.path())).await;
    let config = |sources| Config::load(&sources).unwrap();
    let error = open(config(demo_in(folder.path()))).await.err().expect("the database is in use");
    assert_eq!((error.code().id().as_str(), matches!(error, StartError::Store(_))), ("TL-6102", true));
    let taken = demo().flag("server.listen", server.address.to_string(), "--listen");
    let error = throughline_server::serve(config(taken), |_| {}, std::future::pending()).await.unwrap_err();
    assert_eq!(error.code().id(), "TL-1101");
    assert!(error.to_string().contains(&server.address.to_string()), "{error}");
    server.stopped().await;

    std::fs::write(folder.path().join("throughline.key"), b"too short").unwrap();
    let error = open(config(demo_in(folder.path()))).await.err().expect("the key is bad");
    assert_eq!(error.code().id(), "TL-1102");
    std::fs::write(folder.path().join("note.txt"), b"x").unwrap();
    let blocked = demo_in(&folder.path().join("note.txt"));
    let error = open(config(blocked)).await.err().expect("a file is in the way");
    assert_eq!(error.code().id(), "TL-6103");
}

/// An event that was accepted but not handled before the process ended is handled by the next process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_accepted_is_handled_after_a_restart() {
    let folder = tempdir().unwrap();
    let server = Server::start(demo_in(folder.path())).await;
    let mut hrefs = Vec::new();
    for n in 0..200 {
        let reply =
            server.event(&format!("k{n}"), &said(&format!("c{}", n % 7), "ana", "/maro help")).send().await;
        assert_eq!(reply.status, 202);
        hrefs.push(reply.header("location").unwrap().to_owned());
    }
    server.stopped().await;
    let server = Server::start(demo_in(folder.path())).await;
    for href in &hrefs {
        eventually("every accepted event has its turn", || async {
            server.get(href).send().await.status == 200
        })
        .await;
    }
    let lanes = server.get("/v1/lanes").send().await.json();
    let turns: u64 =
        lanes["items"].as_array().unwrap().iter().map(|lane| lane["revision"].as_u64().unwrap()).sum();
    assert_eq!(turns, 200, "each once");
    server.stopped().await;
}
