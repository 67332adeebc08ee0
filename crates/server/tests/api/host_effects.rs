//! Effects that the host performs.

use serde_json::{Value, json};

use crate::support::*;

async fn hosted() -> Server {
    Server::start(demo().flag("api.delivery_host", "reply, tracker.create", "--host")).await
}

impl Server {
    pub(crate) async fn report(&self, key: &str, effect: &str, body: &Value) -> Reply {
        self.post(&format!("/v1/effects/{effect}/result"))
            .header("Idempotency-Key", key)
            .json(body)
            .send()
            .await
    }
}

// row: HT6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn offered_until_reported_and_settled_once() {
    let server = hosted().await;
    let card = server.preview("c1").await;
    let turn = server.press("k1", "c1", "ana", &token(&card, "approve")).await;
    let find = |effects: &Value| {
        let effects = effects.as_array().unwrap();
        effects.iter().find(|effect| effect["class"] == "tracker.create").expect("an offer").clone()
    };
    let offer = find(&turn["effects"]);
    assert_eq!((&offer["delivery"], &offer["state"]), (&json!("host"), &json!("attempted")));
    assert_eq!(offer["item"]["fields"]["title"], "Write the manual");
    let id = offer["id"].as_str().unwrap();
    // Every way of reading it returns the same id and payload.
    let again = server.get(&format!("/v1/effects/{id}")).send().await.json();
    assert_eq!(again, offer);
    let list = server
        .get(&format!("/v1/effects?state=attempted&lane={}", turn["lane"].as_str().unwrap()))
        .send()
        .await
        .json();
    assert_eq!(find(&list["items"]), offer);
    assert!(
        server.get("/v1/tracker/issues").send().await.json()["items"].as_array().unwrap().is_empty(),
        "we made none"
    );

    let applied =
        json!({"outcome": "applied", "remote": {"key": "EXT-7", "url": "https://tracker.example/EXT-7"}});
    assert_eq!(
        server.report("r0", id, &json!({"outcome": "applied"})).await.json()["errors"][0]["pointer"],
        "/remote/key"
    );
    let first = server.report("r1", id, &applied).await;
    assert_eq!((first.status, &first.json()["settled"]), (200, &json!(true)));
    let replayed = server.report("r1", id, &applied).await;
    assert_eq!((replayed.text(), replayed.header("idempotency-replayed")), (first.text(), Some("true")));
    let second = server.report("r2", id, &applied).await;
    assert_eq!((second.status, &second.json()["settled"]), (200, &json!(false)));
    let other = server.report("r3", id, &json!({"outcome": "rejected", "error": "no"})).await;
    assert_eq!((other.status, other.problem().as_str()), (409, "TL-4202"));

    let lane = turn["lane"].as_str().unwrap();
    eventually("the card is the receipt", || async {
        let lane = server.get(&format!("/v1/lanes/{lane}")).send().await.json();
        card_of(&lane)["title"].as_str().unwrap().starts_with("Created EXT-7")
    })
    .await;
    let turns = server.get(&format!("/v1/lanes/{lane}/turns?limit=200")).send().await.json();
    let settled =
        turns["items"].as_array().unwrap().iter().filter(|turn| turn["event"] == "effect.settled").count();
    assert_eq!(settled, 3, "two dry runs and the create, once each: {turns:#}");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reply_is_the_hosts_to_send() {
    let server = hosted().await;
    let turn = server.say("k1", "c1", "ana", "/maro help").await;
    let reply =
        turn["effects"].as_array().unwrap().iter().find(|effect| effect["class"] == "reply").unwrap().clone();
    assert_eq!(reply["delivery"], "host");
    assert!(reply["text"].as_str().unwrap().contains("/maro help"));
    let id = reply["id"].as_str().unwrap();
    let done =
        server.report("r1", id, &json!({"outcome": "applied", "remote": {"id": "msg-1"}})).await.json();
    assert_eq!((&done["settled"], &done["effect"]["state"]), (&json!(true), &json!("done")));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_we_perform_is_not_the_hosts_to_report() {
    let server = Server::demo().await;
    let card = server.preview("c1").await;
    let turn = server.press("k1", "c1", "ana", &token(&card, "approve")).await;
    let id = turn["effects"][0]["id"].as_str().unwrap();
    let reply = server.report("r1", id, &json!({"outcome": "applied"})).await;
    assert_eq!((reply.status, reply.problem().as_str()), (409, "TL-4201"));
    assert_eq!(server.report("r2", "fx_nope", &json!({"outcome": "applied"})).await.problem(), "TL-2404");
    for wrong in
        [json!({}), json!({"outcome": "maybe"}), json!({"outcome": "applied", "remote": {"keys": 1}})]
    {
        assert_eq!(server.report("r3", id, &wrong).await.problem(), "TL-2006", "{wrong}");
    }
    server.stopped().await;
}

/// The card about an uncertain effect is answered through the API.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_uncertain_effect_is_resolved_by_a_person() {
    let server = hosted().await;
    let card = server.preview("c1").await;
    let turn = server.press("k1", "c1", "ana", &token(&card, "approve")).await;
    let created = |effects: &Value| {
        let effects = effects.as_array().unwrap();
        effects
            .iter()
            .find(|effect| effect["class"] == "tracker.create")
            .map(|effect| effect["id"].as_str().unwrap().to_owned())
    };
    let first = created(&turn["effects"]).expect("an offer");
    let resolve = |key: &str, effect: &str, body: Value| {
        server.post(&format!("/v1/effects/{effect}/resolve")).header("Idempotency-Key", key).json(&body)
    };
    let early = resolve("s0", &first, json!({"as": "create_again"})).send().await;
    assert_eq!((early.status, early.problem().as_str()), (409, "TL-4203"));

    server.report("r1", &first, &json!({"outcome": "unknown", "error": "the line went dead"})).await;
    eventually("it is uncertain", || async {
        server.get("/v1/effects?state=uncertain").send().await.json()["items"].as_array().unwrap().len() == 1
            && server.get("/v1/approvals").send().await.json()["items"].as_array().unwrap().len() == 1
    })
    .await;
    assert_eq!(
        resolve("s1", &first, json!({"as": "adopt"})).send().await.json()["errors"][0]["pointer"],
        "/remote_key"
    );
    let stranger = resolve("s2", &first, json!({"as": "create_again", "actor": {"id": "eve"}})).send().await;
    assert_eq!((stranger.status, stranger.problem().as_str()), (403, "TL-4108"));
    let again = resolve(
        "s3",
        &first,
        json!({"as": "create_again", "actor": {"id": "bob"}, "reason": "looked, it is not there"}),
    );
    let answer = again.send().await;
    assert_eq!((answer.status, &answer.json()["reason"]), (200, &json!("press.applied")));
    let second = created(&answer.json()["effects"]).expect("a new offer");
    assert_ne!(first, second, "a new effect, never the old one again");
    assert_eq!(server.get(&format!("/v1/effects/{first}")).send().await.json()["state"], "cancelled");
    assert_eq!(again.send().await.text(), answer.text());
    assert_eq!(resolve("s4", &first, json!({"as": "cancel"})).send().await.problem(), "TL-4203");
    server.stopped().await;
}

/// For a sub-agent without a client here, the host reports the work, and its result ends the task.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_is_handed_to_the_hosts_own_agent() {
    let sources = demo().flag("api.delivery_host", "agent.delegate", "--host");
    let server = Server::start(sources.flag("agents", "{ writer = { risk = \"read\" } }", "--set")).await;
    let turn = server.say("k1", "c1", "ana", "@writer draft the partner update").await;
    assert_eq!(turn["reason"], "delegation.started", "{turn:#}");
    let find = |effects: &Value| {
        let effects = effects.as_array().unwrap();
        effects.iter().find(|effect| effect["class"] == "agent.delegate").expect("an offer").clone()
    };
    let offer = find(&turn["effects"]);
    assert_eq!((&offer["delivery"], &offer["state"]), (&json!("host"), &json!("attempted")));
    assert_eq!((&offer["name"], &offer["text"]), (&json!("writer"), &json!("draft the partner update")));
    let (id, lane) = (offer["id"].as_str().unwrap(), turn["lane"].as_str().unwrap());
    let empty = server.report("r0", id, &json!({"outcome": "applied"})).await.json();
    assert_eq!(empty["errors"][0]["pointer"], "/remote/text");

    let report = json!({"lane": {"conversation": "c1"}, "kind": "task.reported",
        "report": {"task_id": offer["task"], "status": "blocked", "reason": "Waiting for the figures"}});
    let told = server.post("/v1/events?wait=5").header("Idempotency-Key", "k2").json(&report).send().await;
    assert!(told.status < 300, "{}", told.text());
    let task = |lane: Value| lane["tasks"][0].clone();
    eventually("the task is blocked", || async {
        let task = task(server.get(&format!("/v1/lanes/{lane}")).send().await.json());
        task["status"] == "blocked" && task["reason"] == "Waiting for the figures" && task["with"] == "writer"
    })
    .await;

    let applied = json!({"outcome": "applied", "remote": {"text": "Dear partners, all is well."}});
    assert_eq!(server.report("r1", id, &applied).await.json()["settled"], true);
    eventually("the task is done and its answer said", || async {
        let lane = server.get(&format!("/v1/lanes/{lane}")).send().await.json();
        let said = lane["messages"].as_array().unwrap().last().unwrap().clone();
        task(lane)["status"] == "completed" && said["text"] == "writer:\n> Dear partners, all is well."
    })
    .await;
    server.stopped().await;
}

/// If the host does not know whether its agent acted, an approver decides, and the effect is not offered again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_uncertain_hand_over_is_resolved_by_a_person() {
    let rule =
        "[{ effects = [\"agent.*\"], targets = [\"agent:*\"], allow = [\"user:ana\"], self_approve = true }]";
    let sources = demo()
        .flag("api.delivery_host", "agent.delegate", "--host")
        .flag("agents", "{ writer = { risk = \"write\" } }", "--set")
        .flag("approvers", rule, "--set");
    let server = Server::start(sources).await;
    let turn = server.say("k1", "c1", "ana", "@writer publish the notes").await;
    let turn = server.press("k2", "c1", "ana", &token(&card_of(&turn), "approve")).await;
    let offer = |turn: &Value| {
        let effects = turn["effects"].as_array().unwrap();
        let offer = effects.iter().find(|effect| effect["class"] == "agent.delegate").expect("an offer");
        offer["id"].as_str().unwrap().to_owned()
    };
    let first = offer(&turn);
    server.report("r1", &first, &json!({"outcome": "unknown", "error": "the line went dead"})).await;
    // The outcome is stored before the turn that asks about it, so poll for the card.
    let waiting = format!("/v1/lanes/{}/pending", turn["lane"].as_str().unwrap());
    let asked = || async { server.get(&waiting).send().await.json()["items"] != json!([]) };
    eventually("somebody is asked", asked).await;
    let resolve = |key: &str, effect: &str, how: &str| {
        let path = format!("/v1/effects/{effect}/resolve");
        let call = server.post(&path).header("Idempotency-Key", key);
        let call = call.json(&json!({"as": how, "actor": {"id": "ana"}}));
        async move { call.send().await }
    };
    let again = resolve("s1", &first, "create_again").await;
    assert_eq!((again.status, &again.json()["reason"]), (200, &json!("press.applied")), "{}", again.text());
    let second = offer(&again.json());
    assert_ne!(first, second);
    server.report("r2", &second, &json!({"outcome": "unknown", "error": "dead again"})).await;
    eventually("somebody is asked again", asked).await;
    assert_eq!(server.get(&format!("/v1/effects/{second}")).send().await.json()["state"], "uncertain");
    let done = resolve("s2", &second, "adopt").await;
    assert_eq!((done.status, &done.json()["reason"]), (200, &json!("press.applied")), "no key is asked for");
    assert_eq!(server.get(&format!("/v1/effects/{second}")).send().await.json()["state"], "done");
    server.stopped().await;
}

/// If nobody performs a sub-agent, the person is told, and the hand-over is not retried.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_host_or_a_client_a_hand_over_fails_and_says_so() {
    let server = Server::start(demo().flag("agents", "{ writer = { risk = \"read\" } }", "--set")).await;
    let turn = server.say("k1", "c1", "ana", "@writer draft the partner update").await;
    let lane = turn["lane"].as_str().unwrap();
    eventually("it is said", || async {
        let lane = server.get(&format!("/v1/lanes/{lane}")).send().await.json();
        let said = lane["messages"].as_array().unwrap().last().unwrap()["text"].as_str().unwrap().to_owned();
        lane["tasks"][0]["status"] == "failed" && said.contains("no client for agent:writer")
    })
    .await;
    server.stopped().await;
}

/// Returns the effects of a class that a poll of the lane tells from a place on.
async fn polled(server: &Server, lane: &str, after: &str, class: &str) -> Vec<Value> {
    let events = server.get(&format!("/v1/lanes/{lane}/events?after={after}")).send().await.json();
    let told = events["items"].as_array().unwrap().iter().filter(|event| event["event"] == "effect");
    told.map(|event| event["data"].clone()).filter(|effect| effect["class"] == class).collect()
}

/// An effect that somebody changed in the database is offered to no host, whatever way it asks, and no report of it counts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_altered_effect_is_offered_to_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let sources = || demo_in(folder.path()).flag("api.delivery_host", "tracker.create", "--host");
    let server = Server::start(sources()).await;
    let card = server.preview("c1").await;
    let turn = server.press("k1", "c1", "ana", &token(&card, "approve")).await;
    let lane = turn["lane"].as_str().unwrap();
    let offers = turn["effects"].as_array().unwrap();
    let offer = offers.iter().find(|effect| effect["class"] == "tracker.create").expect("an offer");
    let id = offer["id"].as_str().unwrap();
    let revision = server.get(&format!("/v1/lanes/{lane}")).send().await.json()["revision"].to_string();
    for after in ["0", &revision] {
        assert_eq!(polled(&server, lane, after, "tracker.create").await, std::slice::from_ref(offer));
    }
    server.stopped().await;

    let alter = "UPDATE outbox SET payload = replace(payload, 'manual', 'novel') WHERE outward = 1";
    assert_eq!(throughline_store::tamper(&folder.path().join("throughline.db"), alter).unwrap(), 1);
    let server = Server::start(sources()).await;
    for after in ["0", &revision] {
        assert!(polled(&server, lane, after, "tracker.create").await.is_empty(), "after {after}");
    }
    let one = server.get(&format!("/v1/effects/{id}")).send().await.json();
    let list = server.get("/v1/effects?state=attempted").send().await.json();
    let listed = list["items"].as_array().unwrap().iter().find(|effect| effect["id"] == id).unwrap();
    for shown in [&one, listed] {
        assert_eq!((&shown["state"], shown.get("item")), (&json!("attempted"), None), "no content: {shown}");
    }
    let applied = json!({"outcome": "applied", "remote": {"key": "EXT-7"}});
    let refused = server.report("r1", id, &applied).await;
    assert_eq!((refused.status, refused.problem().as_str()), (409, "TL-4107"), "{}", refused.text());
    server.stopped().await;
}

/// Parts that an approval leaves out until they are known are there wherever a host reads the effect.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_post_is_complete_wherever_it_is_read() {
    let server = Server::start(demo().flag("api.delivery_host", "post.channel", "--host")).await;
    let asked = "Record the decision: we use Postgres because we know it.";
    let turn = server.say("k0", "c1", "ana", asked).await;
    let turn = server.press("k1", "c1", "ana", &token(&card_of(&turn), "approve")).await;
    let lane = turn["lane"].as_str().unwrap();
    let answered =
        turn["effects"].as_array().unwrap().iter().find(|effect| effect["class"] == "post.channel");
    let answered = answered.expect("an offer");
    assert!(answered["text"].as_str().unwrap().contains("Decided by"), "{answered}");
    let id = answered["id"].as_str().unwrap();
    assert_eq!(&server.get(&format!("/v1/effects/{id}")).send().await.json(), answered);
    assert_eq!(polled(&server, lane, "0", "post.channel").await, std::slice::from_ref(answered));
    server.stopped().await;
}
