//! Delivery of events, and reading their turns.

use serde_json::{Value, json};

use crate::support::*;

// row: HT1
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_is_answered_with_its_turn() {
    let server = Server::demo().await;
    let event = said("c1", "ana", TASK);
    let reply = server.event("k1", &event).header("Prefer", "wait=5").send().await;
    let turn = reply.json();
    assert_eq!((reply.status, reply.header("preference-applied")), (200, Some("wait=5")));
    assert_eq!(reply.header("throughline-turn"), turn["turn"].as_str());
    assert!(reply.header("throughline-request").is_some_and(|id| id.starts_with("rq_")));
    assert_eq!(
        (&turn["decision"], &turn["reason"], &turn["rung"]),
        (&json!("shown"), &json!("intent.rule"), &json!(9))
    );
    assert_eq!((&turn["intent"], &turn["model_calls"]), (&json!("ticket"), &json!(0)));
    assert_eq!(turn["pending"]["kind"], "waiting_approval");
    // The answer waited for the dry run: it includes that turn, and the button Approve.
    assert_eq!(turn["settled"][0]["reason"], "effect.settled");
    assert!(!token(&card_of(&turn), "approve").is_empty());
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_wait_it_is_durable_and_found_later() {
    let server = Server::demo().await;
    let reply = server
        .event("a key/with ?odd#".replace(' ', "_").as_str(), &said("c1", "ana", "/maro help"))
        .send()
        .await;
    assert_eq!((reply.status, &reply.json()["state"]), (202, &json!("received")));
    let href = reply.header("location").expect("a location").to_owned();
    assert_eq!(href, "/v1/turns/key:a_key%2Fwith_%3Fodd%23");
    eventually("the turn is there", || async { server.get(&href).send().await.status == 200 }).await;
    let turn = server.get(&href).send().await.json();
    assert_eq!(turn["reason"], "command.help");
    let same = server.get(&format!("/v1/turns/{}", turn["turn"].as_str().unwrap())).send().await.json();
    assert_eq!(same, turn);
    assert_eq!(turn["input"]["actor"], "ana");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn from_words_to_an_issue() {
    for server in Server::on_each_store().await {
        let card = server.preview("c1").await;
        assert_eq!(card["title"], "Create 1 task in DEMO?");
        let turn = server.press("k2", "c1", "bob", &token(&card, "approve")).await;
        assert_eq!(turn["reason"], "press.applied");
        assert_eq!(card_of(&turn)["step"], "receipt");
        assert!(card_of(&turn)["title"].as_str().unwrap().starts_with("Created DEMO-1"), "{turn:#}");

        let issues = server.get("/v1/tracker/issues").send().await.json();
        assert_eq!(issues["items"].as_array().unwrap().len(), 1);
        assert_eq!(issues["items"][0]["title"], "Write the manual");
        assert_eq!(server.get("/v1/tracker/issues/DEMO-1").send().await.json(), issues["items"][0]);
        assert_eq!(
            server.get("/v1/tracker/issues?q=manual%20knows").send().await.json()["items"],
            issues["items"]
        );
        assert_eq!(server.get("/v1/tracker/issues/DEMO-9").send().await.problem(), "TL-2404");
        assert_eq!(server.get("/v1/tracker/issues?project=NONE").send().await.problem(), "TL-2404");
        server.stopped().await;
    }
}

/// Two people press one button through two connections at the same moment.
// row: W9
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_people_press_and_there_is_one_issue() {
    for server in Server::on_each_store().await {
        for round in 0..10 {
            let conversation = format!("c{round}");
            let approve = token(&server.preview(&conversation).await, "approve");
            let (ana, bob) = (format!("ana-{round}"), format!("bob-{round}"));
            let (ana, bob) = tokio::join!(
                server.press(&ana, &conversation, "ana", &approve),
                server.press(&bob, &conversation, "bob", &approve),
            );
            let (winner, loser, who) =
                if ana["reason"] == "press.applied" { (&ana, &bob, "ana") } else { (&bob, &ana, "bob") };
            assert_eq!(
                (&winner["reason"], &loser["reason"]),
                (&json!("press.applied"), &json!("press.consumed"))
            );
            assert!(
                notice(loser).starts_with(&format!("Already approved by @{who} at ")),
                "{}",
                notice(loser)
            );
        }
        let issues = server.get("/v1/tracker/issues?limit=200").send().await.json();
        assert_eq!(issues["items"].as_array().unwrap().len(), 10);
        server.stopped().await;
    }
}

// row: HT10
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hosts_question_takes_its_answer() {
    let server = Server::demo().await;
    let asked = json!({"lane": {"conversation": "c42"}, "kind": "assistant.posted", "assistant":
        {"kind": "question", "task": "t_3", "text": "Weather for which city?", "expected": "location", "asked_of": "ana"}});
    let turn = server.turn("k1", &asked).await;
    assert_eq!(
        (&turn["reason"], &turn["pending"]["expected"]),
        (&json!("assistant.posted"), &json!("location"))
    );
    let turn = server.say("k2", "c42", "ana", "Swansea").await;
    assert_eq!((&turn["reason"], &turn["rung"]), (&json!("pending.applied"), &json!(6)));
    assert_eq!(
        (&turn["applied"]["type"], &turn["applied"]["value"]),
        (&json!("location"), &json!("Swansea"))
    );
    assert_eq!((&turn["pending"], &turn["focus"]["source"]), (&json!(null), &json!("lane.recency")));
    assert_eq!(turn["focus"]["task"], "t_3");
    server.stopped().await;
}

/// The reference, addressee and interruption of a text are in the turn's answer, in lists and in streams.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_tells_what_its_text_refers_to_and_interrupts() {
    let server = Server::demo().await;
    let said = server.say("k1", "c1", "ana", "The release notes are ready for everybody to read").await;
    assert_eq!(said["focus"]["reference"], json!({"need": "none", "words": []}));
    assert_eq!((&said["focus"]["thread"], &said["interrupt"]), (&json!(null), &json!(null)), "nobody else");
    let asked = server.say("k2", "c1", "bob", "ana: can you translate them again?").await;
    assert_eq!(asked["focus"]["reference"], json!({"need": "needs_anchor", "words": ["them", "again"]}));
    let first = server.get(&format!("/v1/lanes/{}", said["lane"].as_str().unwrap())).send().await.json();
    let by_ana = first["messages"].as_array().unwrap().iter().find(|message| message["by"] == "ana").unwrap();
    assert_eq!(asked["focus"]["thread"], by_ana["id"], "{first}");
    let stop = server.say("k3", "c1", "bob", "start over please").await;
    assert_eq!((&stop["interrupt"], &stop["rung"]), (&json!("start_over"), &json!(5)));

    let read = server.get(&format!("/v1/turns/{}", asked["turn"].as_str().unwrap())).send().await.json();
    assert_eq!(read["focus"], asked["focus"]);
    let all = server.get(&format!("/v1/lanes/{}/turns", said["lane"].as_str().unwrap())).send().await.json();
    let of = |turn: &Value| all["items"].as_array().unwrap().iter().find(|info| info["turn"] == turn["turn"]);
    let (asked_info, stop_info) = (of(&asked).unwrap(), of(&stop).unwrap());
    assert_eq!((&asked_info["focus"], &stop_info["interrupt"]), (&asked["focus"], &json!("start_over")));
    assert!(asked_info.get("interrupt").is_none());
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_press_is_answered_and_a_forged_one_does_nothing() {
    for server in Server::on_each_store().await {
        let card = server.preview("c1").await;
        let mut forged = token(&card, "approve").into_bytes();
        forged[3] = if forged[3] == b'A' { b'B' } else { b'A' };
        let turn = server.press("k1", "c1", "ana", &String::from_utf8(forged).unwrap()).await;
        assert_eq!(turn["reason"], "press.unknown");
        assert!(notice(&turn).starts_with("I don't know this button any more."), "{}", notice(&turn));
        let elsewhere = server.press("k2", "other", "ana", &token(&card, "approve")).await;
        assert_eq!(elsewhere["reason"], "press.unknown");
        assert!(server.get("/v1/tracker/issues").send().await.json()["items"].as_array().unwrap().is_empty());
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kinds_that_nobody_knows_or_that_only_we_make_are_refused() {
    let server = Server::demo().await;
    let event = |kind: &str| json!({"lane": {"conversation": "c"}, "kind": kind});
    for (key, kind) in [("k2", "message.sent"), ("k3", ""), ("k4", "effect.settled")] {
        let reply = server.event(key, &event(kind)).send().await;
        assert_eq!((reply.status, reply.problem().as_str()), (422, "TL-2006"), "{kind}");
        assert_eq!(reply.json()["errors"][0]["pointer"], "/kind");
    }
    let reply = server
        .event(
            "k5",
            &json!({"lane": {"conversation": "c", "channel": "fax"}, "actor": {"id": "ana"},
        "kind": "message.posted", "text": "hi"}),
        )
        .send()
        .await;
    assert_eq!(
        (reply.problem().as_str(), &reply.json()["errors"][0]["pointer"]),
        ("TL-2006", &json!("/lane/channel"))
    );
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn why_tells_every_rung_in_words_and_in_json() {
    let server = Server::demo().await;
    let turn = server.say("k1", "c1", "ana", "hmm, the thing with the login").await;
    let path = format!("/v1/turns/{}/why", turn["turn"].as_str().unwrap());
    let why = server.get(&path).send().await.json();
    assert_eq!((&why["reason"], &why["rung"]), (&turn["reason"], &turn["rung"]));
    assert!(
        why["passed"]
            .as_array()
            .unwrap()
            .iter()
            .all(|rung| rung["predicate"].as_str().is_some_and(|p| !p.is_empty()))
    );
    let reply = server.get(&path).header("Accept", "text/plain").send().await;
    assert_eq!(reply.header("content-type"), Some("text/plain; charset=utf-8"));
    let text = reply.text();
    assert!(text.contains("Rungs that did not decide:") && text.contains("Policy version: "), "{text}");
    assert_eq!(text.trim_end(), why["text"].as_str().unwrap());
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lanes_are_listed_page_by_page() {
    let server = Server::demo().await;
    for n in 0..5 {
        server.say(&format!("k{n}"), &format!("c{n}"), "ana", "/maro help").await;
    }
    let mut seen = Vec::new();
    let mut path = "/v1/lanes?limit=2".to_owned();
    loop {
        let page = server.get(&path).send().await.json();
        seen.extend(
            page["items"].as_array().unwrap().iter().map(|lane| lane["id"].as_str().unwrap().to_owned()),
        );
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/v1/lanes?limit=2&cursor={next}");
    }
    let mut sorted = seen.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!((seen.len(), &seen), (5, &sorted));

    let lane = server.get(&format!("/v1/lanes/{}", seen[0])).send().await.json();
    assert_eq!(
        (&lane["revision"], &lane["channel"], &lane["waiting"]),
        (&json!(1), &json!("api"), &json!(0))
    );
    let turns = server.get(&format!("/v1/lanes/{}/turns", seen[0])).send().await.json();
    assert_eq!(turns["items"][0]["reason"], "command.help");
    let messages = server.get(&format!("/v1/lanes/{}/messages", seen[0])).send().await.json();
    assert_eq!(messages["items"], lane["messages"]);
    let pending = server.get(&format!("/v1/lanes/{}/pending", seen[0])).send().await.json();
    assert_eq!(pending["items"], json!([]));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn history_pages_backwards_without_gaps() {
    for server in Server::on_each_store().await {
        let mut lane = String::new();
        for n in 0..25 {
            let turn = server.say(&format!("k{n}"), "c", "ana", &format!("/maro nonsense{n}")).await;
            lane = turn["lane"].as_str().unwrap().to_owned();
        }
        let mut revisions = Vec::new();
        let mut texts = Vec::new();
        let mut cursor = String::new();
        loop {
            let turns = server.get(&format!("/v1/lanes/{lane}/turns?limit=10{cursor}")).send().await.json();
            revisions.extend(
                turns["items"].as_array().unwrap().iter().map(|turn| turn["revision"].as_u64().unwrap()),
            );
            let page = server.get(&format!("/v1/lanes/{lane}/messages?limit=10{cursor}")).send().await.json();
            let mut of_page: Vec<String> = page["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|message| message["text"].as_str().unwrap().to_owned())
                .collect();
            of_page.append(&mut texts);
            texts = of_page;
            assert_eq!(page["next"], turns["next"]);
            let Some(next) = turns["next"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(revisions, (1..=25).rev().collect::<Vec<_>>());
        let asked: Vec<&String> = texts.iter().filter(|text| text.starts_with("/maro")).collect();
        assert_eq!(asked.len(), 25, "messages beyond the window are found too");
        assert!(asked[0].ends_with("nonsense0") && asked[24].ends_with("nonsense24"));
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recorded_lane_is_decided_again_the_same() {
    for server in Server::on_each_store().await {
        let card = server.preview("c1").await;
        let turn = server.press("k2", "c1", "bob", &token(&card, "approve")).await;
        let lane = turn["lane"].as_str().unwrap();
        let replays = server.post("/v1/replay").json(&json!({"lane": lane})).send().await.json();
        assert_eq!(
            (&replays["turns"], &replays["same"], &replays["differing"]),
            (&json!(5), &json!(5), &json!([]))
        );
        let one = server.post("/v1/replay").json(&json!({"turn": turn["turn"]})).send().await.json();
        assert_eq!((&one["turns"], &one["same"]), (&json!(1), &json!(1)));
        for wrong in [json!({}), json!({"lane": lane, "turn": "x"})] {
            assert_eq!(server.post("/v1/replay").json(&wrong).send().await.problem(), "TL-2006");
        }
        assert_eq!(
            server.post("/v1/replay").json(&json!({"lane": "ln_x"})).send().await.problem(),
            "TL-2404"
        );
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_process_says_how_it_is() {
    let server = Server::demo().await;
    assert_eq!(server.get("/livez").send().await.text(), "ok\n");
    assert_eq!(server.get("/readyz").send().await.json()["ready"], true);
    assert_eq!(server.get("/version").send().await.json()["name"], "throughline");
    server.say("k1", "c1", "ana", "/maro help").await;
    let metrics = server.get("/metrics").send().await.text();
    for name in [
        "throughline_turns_total",
        "throughline_ingress_requests_total",
        "throughline_build_info",
        "throughline_effects_uncertain",
    ] {
        assert!(metrics.contains(name), "{name}");
    }
    server.stopped().await;
}
