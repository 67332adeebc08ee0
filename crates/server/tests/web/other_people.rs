//! Conversations of other people: each is answered like one that does not exist.

use serde_json::{Value, json};

use crate::browser::*;
use crate::support::*;

fn shape(reply: &Reply) -> Value {
    assert_eq!((reply.status, reply.problem().as_str()), (404, "TL-2404"));
    let mut problem = reply.json();
    problem["instance"] = Value::Null;
    problem
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn somebody_elses_conversation_is_not_there() {
    let office = Office::new();
    let server = office.serve().await;
    let (ana, bob) = (office.signed_in(&server, "ana").await, office.signed_in(&server, "bob").await);
    let hers = ana.visit("/").await;
    let hers = ana.say(&hers, TASK).await;
    let (lane, conversation) = (hers.data("data-lane"), hers.data("data-conversation"));
    let (turn, token) = (hers.data("data-turn"), hers.token("approve"));
    let his = bob.visit("/").await;
    let csrf = his.field("csrf");

    for (path, own, missing) in [
        ("/v1/lanes/{}", lane.as_str(), "ln_atpfhd2dnan4hnneg4slqvhi"),
        ("/v1/lanes/{}/pending", &lane, "ln_x"),
        ("/v1/lanes/{}/turns", &lane, "ln_x"),
        ("/v1/lanes/{}/messages", &lane, "ln_x"),
        ("/v1/lanes/{}/stream", &lane, "ln_x"),
        ("/v1/lanes/{}/events", &lane, "ln_x"),
        ("/v1/turns/{}", &turn, "tn_x"),
        ("/v1/turns/{}/why", &turn, "tn_x"),
    ] {
        let at = |id: &str| server.get(&path.replace("{}", id));
        if !path.ends_with("/stream") {
            assert_eq!(ana.send(at(own)).await.status, 200, "{path}");
        }
        let (foreign, missing) = (bob.send(at(own)).await, bob.send(at(missing)).await);
        assert_eq!(shape(&foreign), shape(&missing), "{path}");
    }
    for (path, own, missing) in [
        ("/?c={}", conversation.replace(':', "%3A"), "ana%3A0".to_owned()),
        ("/turns/{}", turn.clone(), "tn_x".into()),
        ("/edit?c={}&token=x", conversation.clone(), "ana:0".into()),
    ] {
        let at = |id: &str| path.replace("{}", id);
        let (foreign, missing) = (bob.visit(&at(&own)).await, bob.visit(&at(&missing)).await);
        assert_eq!((foreign.reply.status, foreign.reply.text()), (404, missing.reply.text()), "{path}");
    }
    let post = |conversation: &str, body: Value| {
        let mut body = body;
        body["lane"] = json!({"channel": "web", "conversation": conversation});
        server.event("k", &body).header("X-CSRF-Token", &csrf)
    };
    for body in [
        json!({"kind": "message.posted", "text": "hi"}),
        json!({"kind": "card.pressed", "press": {"token": token}}),
    ] {
        let (foreign, missing) =
            (bob.send(post(&conversation, body.clone())).await, bob.send(post("ana:0", body.clone())).await);
        assert_eq!(shape(&foreign), shape(&missing), "{body}");
    }
    let pressed = bob.submit(&his, "/press", &[("c", &conversation), ("token", &token)]).await;
    assert_eq!(pressed.reply.status, 404);
    assert!(ana.visit(&hers.address).await.html().contains("data-action=\"approve\""), "nothing came of it");
    let lanes = bob.get("/v1/lanes").await.json();
    assert_eq!(lanes["items"], json!([]));
    let own = ana.get("/v1/lanes").await.json();
    assert_eq!(
        (own["items"][0]["id"].as_str(), own["items"].as_array().unwrap().len()),
        (Some(lane.as_str()), 1)
    );
    assert!(!bob.visit("/").await.html().contains("Create a task for the manual"));
    server.stopped().await;
}

/// A page acts as a host only of its own person's conversations.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_are_shown_only_in_ones_own_conversation() {
    let office = Office::new();
    let server = office.serve().await;
    let (ana, bob) = (office.signed_in(&server, "ana").await, office.signed_in(&server, "bob").await);
    let hers = ana.say(&ana.visit("/workspace").await, TASK).await;
    assert!(hers.address.starts_with("/workspace?c="), "{}", hers.address);
    let lane = hers.data("data-lane");
    let his = bob.visit("/workspace").await;
    let csrf = his.field("csrf");
    let shown = |user: &str| json!({"scope": "widget", "scope_instance": "recent", "user": user, "options": [{"id": "a", "label": "A"}]});
    let show = |key: &str, conversation: &str, user: &str| {
        let lane = json!({"channel": "web", "conversation": conversation});
        let event = json!({"lane": lane, "kind": "options.shown", "shown": shown(user)});
        bob.send(server.event(key, &event).header("X-CSRF-Token", &csrf))
    };
    let own = show("k1", &his.data("data-conversation"), "bob").await;
    assert!(own.status < 300, "{}", own.text());
    let speaks_for_ana = show("k2", &his.data("data-conversation"), "ana").await;
    assert_eq!((speaks_for_ana.status, speaks_for_ana.problem().as_str()), (403, "TL-2104"));
    shape(&show("k3", &hers.data("data-conversation"), "bob").await);
    let there = server.post(&format!("/v1/lanes/{lane}/option-sets")).header("Idempotency-Key", "k4");
    shape(&bob.send(there.json(&shown("bob")).header("X-CSRF-Token", &csrf)).await);
    let close = format!("/v1/lanes/{lane}/option-sets/os1-d5b915833bcc4cc03a700709ecd43be7");
    let closes = Call::new(server.address, "DELETE", &close).header("X-CSRF-Token", &csrf);
    shape(&bob.send(closes).await);
    server.stopped().await;
}

/// The button of a decision is there for whoever may take it, on pages and in what they hear.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_may_not_approve_is_shown_no_button_for_it() {
    let office = Office::new();
    let server = office.serve().await;
    for (person, may) in [("ana", true), ("bob", false)] {
        let browser = office.signed_in(&server, person).await;
        let page = browser.say(&browser.visit("/").await, TASK).await;
        let heard = browser.get(&format!("/v1/lanes/{}/events", page.data("data-lane"))).await.json();
        let cards = heard["items"].as_array().unwrap().iter().filter(|item| item["event"] == "card");
        let buttons = cards.flat_map(|item| item["data"]["card"]["buttons"].as_array().unwrap());
        let actions: Vec<&str> = buttons.map(|button| button["action"].as_str().unwrap()).collect();
        for (action, shown) in [("approve", may), ("edit", true), ("reject", true)] {
            let there = page.html().contains(&format!("data-action=\"{action}\""));
            assert_eq!((there, actions.contains(&action)), (shown, shown), "{person}: {action}, {actions:?}");
        }
        assert!(page.html().contains("may approve"), "{person} is told who may");
    }
    server.stopped().await;
}

/// A button of another lane is unknown here.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_button_taken_elsewhere_does_nothing() {
    let office = Office::new();
    let server = office.serve().await;
    let (ana, bob) = (office.signed_in(&server, "ana").await, office.signed_in(&server, "bob").await);
    let his = bob.visit("/").await;
    let his = bob.say(&his, TASK).await;
    let token = his.token("reject");
    let hers = ana.visit("/").await;
    let pressed = ana.submit(&hers, "/press", &[("token", &token)]).await;
    assert!(pressed.html().contains("I don&#x27;t know this button any more."), "{}", pressed.html());
    assert!(bob.visit(&his.address).await.html().contains("data-action=\"reject\""));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_speaks_for_nobody_else() {
    let office = Office::new();
    let server = office.serve().await;
    let bob = office.signed_in(&server, "bob").await;
    let page = bob.visit("/").await;
    let (conversation, csrf) = (page.data("data-conversation"), page.field("csrf"));
    let lane = json!({"channel": "web", "conversation": conversation});
    for (body, code) in [
        (
            json!({"kind": "assistant.posted", "assistant": {"kind": "answer", "text": "I am the bot"}}),
            "TL-2103",
        ),
        (json!({"kind": "message.edited", "message_id": "x", "text": "y"}), "TL-2103"),
        (json!({"kind": "message.posted", "text": "hi", "actor": {"id": "ana"}}), "TL-2104"),
    ] {
        let mut event = body.clone();
        event["lane"] = lane.clone();
        let reply = bob.send(server.event("k", &event).header("X-CSRF-Token", &csrf)).await;
        assert_eq!((reply.status, reply.problem().as_str()), (403, code), "{body}");
    }
    for (path, code) in [
        ("/v1/approvals", "TL-2103"),
        ("/v1/effects", "TL-2103"),
        ("/v1/pause", "TL-2103"),
        ("/v1/tracker/issues", "TL-2103"),
    ] {
        assert_eq!(bob.get(path).await.problem(), code, "{path}");
    }
    let metrics = bob.call(server.get("/metrics").header("X-Forwarded-For", "10.0.0.1")).send().await;
    assert_eq!(metrics.problem(), "TL-2101", "a cookie is no token");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn roles_open_what_they_say() {
    let office = Office::new();
    let server = office.serve().await;
    let ana = office.signed_in(&server, "ana").await;
    let hers = ana.visit("/").await;
    let hers = ana.say(&hers, "hello").await;
    assert!(hers.html().contains("href=\"/console\""), "an approver has something to do there");
    let olga = office.signed_in(&server, "olga").await;
    assert_eq!(olga.visit(&hers.address).await.texts()[0], "hello", "an operator reads all lanes");
    assert_eq!(olga.get("/v1/effects").await.status, 200);
    let vic = office.signed_in(&server, "vic").await;
    let page = vic.visit("/").await;
    assert!(!page.html().contains("<textarea"), "a viewer writes nothing");
    assert!(!page.html().contains("/console"), "and has nothing to do at the console");
    let fields =
        [("csrf", page.field("csrf")), ("c", page.field("c")), ("key", "k".into()), ("text", "hi".into())];
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let refused = vic.post("/say", &fields).await;
    assert_eq!(refused.status, 403);
    assert!(refused.text().contains("TL-2103"));
    server.stopped().await;
}
