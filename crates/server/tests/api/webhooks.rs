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

/// Waits until an endpoint was told of an approval in that state at that version. What says the same may come twice.
async fn told(endpoint: &Endpoint, card: &Value, state: &str, version: u64) -> Value {
    let of = |request: Received| {
        let data = request.body["data"].clone();
        (data["id"] == card["id"] && data["state"] == state && data["version"] == version).then_some(data)
    };
    let found = || endpoint.all().into_iter().find_map(of);
    eventually(&format!("{state} at version {version} is told"), || async { found().is_some() }).await;
    found().expect("it was there")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_approval_is_told_when_it_waits_and_when_it_waits_no_more() {
    let endpoint = Endpoint::start(ok).await;
    let world = World::start(&endpoint, ", kinds = [\"approval\"]").await;
    let card = world.server.preview("c1").await;
    let waits = endpoint.has(1).await[0].body.clone();
    assert_eq!((&waits["type"], &waits["place"]["conversation"]), (&json!("approval"), &json!("c1")));
    let data = &waits["data"];
    let url = format!("http://{}/console/approvals/{}", world.server.address, card["id"].as_str().unwrap());
    assert_eq!(
        *data,
        json!({
            "id": card["id"], "version": 1, "state": "pending", "title": card["title"], "about": ["Write the manual"],
            "requested_by": "ana", "created_at": "2026-01-15T10:00:00.000Z", "expires_at": "2026-01-29T10:00:00.000Z",
            "effects": ["tracker.create"], "targets": ["local:DEMO"],
            "rules": [{"allow": ["role:approver"], "self_approve": true}], "deciders": ["ana", "bob", "you"], "url": url,
        })
    );

    world.clock.advance(1_000);
    let form = json!({"lane": {"conversation": "c1"}, "actor": {"id": "ana"}, "kind": "form.submitted",
        "form": {"token": token(&card, "edit"), "values": {"title": "Write the whole manual"}}});
    world.server.turn("edit", &form).await;
    let revised = told(&endpoint, &card, "pending", 2).await;
    assert_eq!(revised["about"], json!(["Write the whole manual"]));
    assert_eq!(revised["created_at"], "2026-01-15T10:00:01.000Z");

    world.clock.advance(1_000);
    let id = card["id"].as_str().unwrap();
    let decide = json!({"version": 2, "decision": "approve", "actor": {"id": "bob"}});
    let call = world.server.post(&format!("/v1/approvals/{id}/decide"));
    assert_eq!(call.header("Idempotency-Key", "d1").json(&decide).send().await.status, 200);
    let approved = told(&endpoint, &card, "approved", 2).await;
    assert_eq!((&approved["decided"]["by"], &approved["rules"]), (&json!("bob"), &json!([])));
    assert_eq!(approved["deciders"], json!([]), "nobody has to be told any more");

    world.clock.advance(1_000);
    let card = world.server.preview("c2").await;
    told(&endpoint, &card, "pending", 1).await;
    world.clock.advance(15 * Timestamp::DAY);
    let expired = told(&endpoint, &card, "expired", 1).await;
    assert_eq!((&expired["decided"], &expired["deciders"]), (&Value::Null, &json!([])));
    let stream = world.events("&kinds=approval").await;
    assert_eq!(stream.last().unwrap()["data"]["state"], "expired");
    world.server.stopped().await;
}

/// Whoever may read conversations and no approvals is told none, and is refused if they ask for them by name.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn approvals_on_the_stream_are_for_those_who_may_read_them() {
    let folder = tempfile::tempdir().unwrap();
    let scopes = [
        "\"lanes:read_all\", \"lanes:read\"",
        "\"lanes:read_all\", \"lanes:read\", \"approvals:read\", \"events:write\"",
    ];
    let mut text = String::from("tenant = \"acme\"\n");
    let [reads, sees] = [0, 1].map(|n| {
        let (token, hash) = Token::mint(&format!("t{n}"), [u8::try_from(n).unwrap(); 24]);
        text.push_str(&format!(
            "[[tokens]]\nid = \"t{n}\"\nsha256 = \"{hash}\"\nscopes = [{}]\nprincipal = \"ana\"\n",
            scopes[n]
        ));
        token
    });
    let file = folder.path().join("throughline.toml");
    std::fs::write(&file, text).unwrap();
    let sources = Sources { file: Some(file), ..Sources::default() }
        .flag("server.listen", "127.0.0.1:0", "--listen")
        .flag("store.url", "memory:", "--store");
    let server = Server::start(sources).await;
    let asked =
        server.event("k1", &said("c1", "ana", TASK)).header("Prefer", "wait=10").token(&sees).send().await;
    assert_eq!(asked.status, 200, "{}", asked.text());
    let kinds = |told: Reply| {
        let told = told.json();
        let items = told["items"].as_array().expect("items").clone();
        items.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let all = server.get("/v1/events?after=0&limit=200");
    assert!(kinds(all.clone().token(&sees).send().await).contains(&"approval".to_owned()));
    let without = kinds(all.token(&reads).send().await);
    assert!(without.contains(&"card".to_owned()) && !without.contains(&"approval".to_owned()), "{without:?}");
    let named = server.get("/v1/events?after=0&kinds=approval");
    assert_eq!(kinds(named.clone().token(&sees).send().await), ["approval"]);
    assert_eq!(named.token(&reads).send().await.problem(), "TL-2103");
    server.stopped().await;
}
