//! Outgoing webhooks: what an endpoint receives, in which order, and what becomes of what it refuses.

use serde_json::{Value, json};
use throughline_engine::Timestamp;
use throughline_server::Sources;
use throughline_server::auth::Token;

use crate::endpoint::{Endpoint, Received, World, ok};
use crate::support::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_receives_what_the_stream_tells() {
    let endpoint = Endpoint::start(ok).await;
    let world = World::start(&endpoint, "").await;
    for (n, conversation) in ["c1", "c2", "c1", "c3", "c2", "c1"].into_iter().enumerate() {
        world.server.say(&format!("k{n}"), conversation, "ana", "/maro status").await;
    }
    let told = world.events("").await;
    let received = endpoint.has(told.len()).await;
    assert_eq!(received.len(), told.len());
    for conversation in ["c1", "c2", "c3"] {
        let of = |event: &&Value| event["place"]["conversation"] == conversation;
        let expected: Vec<&str> = told.iter().filter(of).map(|event| event["id"].as_str().unwrap()).collect();
        let got: Vec<&str> = received
            .iter()
            .filter(|request| request.conversation() == conversation)
            .map(Received::id)
            .collect();
        assert_eq!(got, expected, "in their order");
    }
    for request in &received {
        assert_eq!(request.body["id"], request.id());
        assert!(!request.id().contains('.'));
        assert_eq!(request.header("content-type"), "application/json");
        assert_eq!(request.header("webhook-timestamp"), "1768471200");
        assert!(request.header("webhook-signature").starts_with("v1,"));
        let event = told.iter().find(|event| event["id"] == request.body["id"]).unwrap();
        assert_eq!(
            (&event["type"], &event["lane"], &event["turn"]),
            (&request.body["type"], &request.body["lane"], &request.body["turn"])
        );
    }
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_that_fails_waits_alone_and_goes_on_in_order() {
    let endpoint = Endpoint::start(|request| match request.conversation() {
        "c1" => Some("503 Service Unavailable".into()),
        _ => ok(request),
    })
    .await;
    let world = World::start(&endpoint, ", kinds = [\"turn\"]").await;
    for (n, conversation) in ["c1", "c2", "c1", "c2", "c1", "c2"].into_iter().enumerate() {
        world.server.say(&format!("k{n}"), conversation, "ana", "/maro status").await;
    }
    eventually("the other conversation is told", || async {
        endpoint.all().iter().filter(|request| request.conversation() == "c2").count() == 3
    })
    .await;
    eventually("one waits", || async { world.standing().await["waiting"] == 1 }).await;
    let standing = world.standing().await;
    assert_eq!(standing["failure"], "it answered 503");
    let failed: Vec<String> = endpoint
        .all()
        .iter()
        .filter(|request| request.conversation() == "c1")
        .map(|request| request.id().to_owned())
        .collect();
    assert_eq!(failed.len(), 1, "nothing goes behind what failed: {failed:?}");
    endpoint.forget();
    endpoint.answers(ok);
    world.clock.advance(10_000);
    let told = endpoint.has(3).await;
    assert_eq!(told[0].id(), failed[0], "it is the same event");
    let expected: Vec<Value> = world.events("&kinds=turn").await;
    let expected: Vec<&str> = expected
        .iter()
        .filter(|event| event["place"]["conversation"] == "c1")
        .map(|event| event["id"].as_str().unwrap())
        .collect();
    assert_eq!(told.iter().map(Received::id).collect::<Vec<_>>(), expected);
    eventually("none waits", || async { world.standing().await["waiting"] == 0 }).await;
    world.server.say("k9", "c1", "ana", "/maro status").await;
    assert_eq!(endpoint.has(4).await[3].conversation(), "c1", "and it is told as it happens");
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_that_is_refused_again_and_again_is_given_up_shown_and_sent_by_hand() {
    let endpoint = Endpoint::start(|request| match request.body["type"].as_str() {
        Some("turn") => Some("500 Internal Server Error".into()),
        _ => ok(request),
    })
    .await;
    let world = World::start(&endpoint, ", kinds = [\"turn\", \"pending\"]").await;
    let turn = world.server.say("k0", "c1", "ana", "/maro status").await;
    for attempt in 1..=10 {
        endpoint.has(attempt).await;
        eventually("the failure is noted", || async {
            let standing = world.standing().await;
            let next = standing["next_attempt"].as_str().map(str::to_owned);
            attempt == 10 || next.is_some_and(|next| next > rfc3339(&world))
        })
        .await;
        if attempt < 10 {
            assert_eq!(world.dead().await.len(), 0, "at attempt {attempt}");
            world.clock.advance(27 * Timestamp::HOUR);
        }
    }
    eventually("it is given up", || async { world.dead().await.len() == 1 }).await;
    let received = endpoint.has(11).await;
    let ids: std::collections::BTreeSet<&str> = received[..10].iter().map(Received::id).collect();
    assert_eq!(ids.len(), 1, "each attempt has the same id");
    assert_eq!(received[10].body["type"], "pending", "and the conversation goes on behind it");
    let dead = world.dead().await[0].clone();
    assert_eq!((&dead["id"], &dead["type"]), (&json!(received[0].id()), &json!("turn")));
    assert_eq!((&dead["lane"], &dead["turn"], &dead["attempts"]), (&turn["lane"], &turn["turn"], &json!(10)));
    assert_eq!(dead["why"], "it answered 500");

    let id = dead["id"].as_str().unwrap();
    let refused = world.act("r1", &format!("dead/{id}/redeliver")).await.json();
    assert_eq!((&refused["delivered"], &refused["why"]), (&json!(false), &json!("it answered 500")));
    assert_eq!(world.dead().await.len(), 1);
    endpoint.answers(ok);
    let taken = world.act("r2", &format!("dead/{id}/redeliver")).await.json();
    assert_eq!((&taken["delivered"], &taken["id"]), (&json!(true), &json!(id)));
    assert_eq!(world.dead().await.len(), 0);
    assert_eq!(world.act("r3", &format!("dead/{id}/discard")).await.problem(), "TL-2404");
    assert_eq!(audited(&world).await, [("webhook.redelivered".to_owned(), Some(id.to_owned()))]);
    world.server.stopped().await;
}

/// Returns the acts on webhooks in the audit log, each with its event, if it is about one.
async fn audited(world: &World) -> Vec<(String, Option<String>)> {
    use throughline_store::Audit as _;
    let rows = world.store.audit("demo", 0, 1_000).await.unwrap();
    let rows = rows.iter().map(|(_, row)| serde_json::from_str::<Value>(row).unwrap());
    let text = |value: &Value| value.as_str().map(str::to_owned);
    rows.filter_map(|row| Some((text(&row["what"])?, text(&row["event"]))))
        .filter(|(what, _)| what.starts_with("webhook."))
        .collect()
}

fn rfc3339(world: &World) -> String {
    use throughline_store::Store as _;
    world.store.now().rfc3339()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_that_is_gone_is_left_alone_until_it_is_enabled() {
    let endpoint = Endpoint::start(|_| Some("410 Gone".into())).await;
    let world = World::start(&endpoint, ", kinds = [\"turn\"]").await;
    world.server.say("k0", "c1", "ana", "/maro status").await;
    eventually("it is disabled", || async { world.standing().await["state"] == "disabled" }).await;
    assert_eq!(world.standing().await["why"], "it answered 410");
    endpoint.forget();
    endpoint.answers(ok);
    world.server.say("k1", "c1", "ana", "/maro status").await;
    let world = world.again().await;
    assert_eq!(world.standing().await["state"], "disabled", "a start does not change it");
    let enabled = world.act("e1", "enable").await.json();
    assert_eq!(enabled["state"], "running");
    assert_eq!(audited(&world).await, [("webhook.enabled".to_owned(), None)]);
    let told = endpoint.has(2).await;
    assert_eq!(told.len(), 2, "nothing is missing");
    world.server.stopped().await;
}

/// The endpoint got an event and its sender ended before that was noted: the event comes again under the same id, and what
/// follows comes after it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_whose_answer_nobody_heard_comes_again() {
    let endpoint = Endpoint::start(|_| None).await;
    let world = World::start(&endpoint, ", kinds = [\"turn\"]").await;
    world.server.say("k0", "c1", "ana", "/maro status").await;
    world.server.say("k1", "c1", "ana", "/maro help").await;
    let first = endpoint.has(1).await[0].id().to_owned();
    let world = {
        endpoint.answers(ok);
        world.again().await
    };
    let told = endpoint.has(3).await;
    let ids: Vec<&str> = told[1..].iter().map(Received::id).collect();
    let expected = world.events("&kinds=turn").await;
    let expected: Vec<&str> = expected.iter().map(|event| event["id"].as_str().unwrap()).collect();
    assert_eq!((ids[0], ids), (first.as_str(), expected));
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redirect_is_no_delivery_and_is_not_followed() {
    let elsewhere = Endpoint::start(ok).await;
    let target = elsewhere.url.clone();
    let endpoint =
        Endpoint::start(move |_| Some(format!("307 Temporary Redirect\r\nLocation: {target}"))).await;
    let world = World::start(&endpoint, "").await;
    let tested = world.act("t1", "test").await.json();
    assert_eq!(tested["delivered"], false);
    assert!(tested["why"].as_str().unwrap().contains("redirects are not followed"), "{tested}");
    assert_eq!(endpoint.all()[0].body["type"], "test");
    assert_eq!(endpoint.all()[0].id(), tested["id"]);
    endpoint.answers(ok);
    assert_eq!(world.act("t2", "test").await.json()["delivered"], true);
    assert_eq!(elsewhere.all().len(), 0);
    world.server.stopped().await;
}

/// A webhook is shown to operators of its tenant, and to nobody else; its secret to nobody at all.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_webhook_is_its_tenants_and_its_operators() {
    let endpoint = Endpoint::start(ok).await;
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
    let mut text = format!(
        "tenant = \"acme\"\n[[webhooks]]\nname = \"agent\"\nurl = \"{}\"\nsecret_files = [\"{}\"]\nallow_loopback = true\n",
        endpoint.url,
        secret.display()
    );
    let mut byte = 0;
    let [admin, plain, other] = [("acme", "\"admin\""), ("acme", "\"lanes:read\""), ("other", "\"admin\"")]
        .map(|(tenant, scope)| {
            byte += 1;
            let (token, hash) = Token::mint(&format!("t{byte}"), [byte; 24]);
            text.push_str(&format!(
                "[[tokens]]\nid = \"t{byte}\"\nsha256 = \"{hash}\"\ntenant = \"{tenant}\"\nscopes = [{scope}]\nprincipal = \"ana\"\n"
            ));
            token
        });
    let file = folder.path().join("throughline.toml");
    std::fs::write(&file, text).unwrap();
    let sources = Sources { file: Some(file), ..Sources::default() }
        .flag("server.listen", "127.0.0.1:0", "--listen")
        .flag("store.url", "memory:", "--store");
    let server = Server::start(sources).await;
    let list = server.get("/v1/webhooks");
    let shown = list.clone().token(&admin).send().await;
    assert_eq!(shown.json()["items"][0]["name"], "agent");
    assert!(!shown.text().contains("whsec_"));
    assert_eq!(list.clone().token(&other).send().await.json()["items"], json!([]));
    assert_eq!(list.token(&plain).send().await.problem(), "TL-2103");
    for path in ["test", "enable", "dead/1-0/redeliver", "dead/1-0/discard"] {
        let call = server.post(&format!("/v1/webhooks/agent/{path}")).header("Idempotency-Key", path);
        assert_eq!(call.clone().token(&plain).send().await.problem(), "TL-2103", "{path}");
        assert_eq!(call.token(&other).send().await.problem(), "TL-2404", "{path}");
        let without = server.post(&format!("/v1/webhooks/agent/{path}")).token(&admin).send().await;
        assert_eq!(without.problem(), "TL-2201", "{path}");
    }
    assert_eq!(endpoint.all().len(), 0);
    server.stopped().await;
}
