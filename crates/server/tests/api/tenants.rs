//! Tokens and scopes, and the separation of tenants.

use serde_json::{Value, json};
use tempfile::TempDir;
use throughline_server::Sources;
use throughline_server::auth::Token;

use crate::support::*;

/// Tokens of two tenants, one that may only write, and one of another user.
struct Tokens {
    acme: String,
    other: String,
    narrow: String,
    bobs: String,
    _folder: TempDir,
}

async fn server() -> (Server, Tokens) {
    let folder = tempfile::tempdir().unwrap();
    let all = "\"events:write\",\"effects:report\",\"lanes:read\",\"approvals:read\",\"approvals:decide\",\"effects:read\",\"act_as\",\"admin\"";
    let mut text = "tenant = \"acme\"\n[[approvers]]\neffects = [\"tracker.*\"]\ntargets = [\"local:*\"]\nallow = [\"user:ana\"]\nself_approve = true\n".to_owned();
    let mut token_of = |principal: &str, id: &str, tenant: &str, scopes: &str, byte: u8| {
        let (token, hash) = Token::mint(id, [byte; 24]);
        text.push_str(&format!(
            "[[tokens]]\nid = \"{id}\"\nsha256 = \"{hash}\"\ntenant = \"{tenant}\"\nscopes = [{scopes}]\nprincipal = \"{principal}\"\n"
        ));
        token
    };
    let acme = token_of("ana", "acme", "acme", all, 1);
    let other = token_of("ana", "other", "other", all, 2);
    let narrow = token_of("ana", "narrow", "acme", "\"events:write\"", 3);
    let bobs = token_of("bob", "bobs", "acme", "\"events:write\"", 4);
    let file = folder.path().join("throughline.toml");
    std::fs::write(&file, text).unwrap();
    let sources = Sources { file: Some(file), ..Sources::default() }
        .flag("server.listen", "127.0.0.1:0", "--listen")
        .flag("store.url", "memory:", "--store");
    (Server::start(sources).await, Tokens { acme, other, narrow, bobs, _folder: folder })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_is_needed_and_a_wrong_one_is_refused() {
    let (server, tokens) = server().await;
    let event = server.event("k", &said("c", "ana", "/maro help"));
    let mut wrong = tokens.acme.clone();
    wrong.pop();
    for (header, code) in [
        (None, "TL-2101"),
        (Some("Bearer ".to_owned()), "TL-2102"),
        (Some(format!("Bearer {wrong}")), "TL-2102"),
        (Some(format!("Basic {}", tokens.acme)), "TL-2102"),
        (Some(tokens.acme.clone()), "TL-2102"),
        (Some("Bearer tlk_acme_".into()), "TL-2102"),
    ] {
        let call =
            header.as_ref().map_or(event.clone(), |header| event.clone().header("Authorization", header));
        let reply = call.send().await;
        assert_eq!((reply.status, reply.problem().as_str()), (401, code), "{header:?}");
        assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
        assert!(!reply.text().contains(&wrong), "no secret comes back");
    }
    assert_eq!(event.clone().token(&tokens.acme).send().await.status, 202);
    assert_eq!(server.get("/livez").send().await.status, 200);
    server.stopped().await;
}

/// An event that leaves its actor to the token is of that token's user, so another user's is another event.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_id_of_an_event_is_not_two_users() {
    let (server, tokens) = server().await;
    let event = json!({
        "event_id": "evt-1", "kind": "message.posted", "text": "/maro help", "lane": {"conversation": "c"},
    });
    let call = |token: &str| server.event("k", &event).header("Prefer", "wait=5").token(token);
    let first = call(&tokens.acme).send().await;
    let same_user = call(&tokens.narrow).send().await;
    let other_user = call(&tokens.bobs).send().await;
    assert_eq!((first.status, same_user.status), (200, 200));
    assert_eq!(same_user.text(), first.text());
    assert_eq!((other_user.status, other_user.problem().as_str()), (422, "TL-2206"));
    assert_eq!(call(&tokens.other).send().await.status, 200, "another tenant's events have ids of their own");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_does_what_its_scopes_say() {
    let (server, tokens) = server().await;
    let own = json!({"lane": {"conversation": "c"}, "kind": "message.posted", "text": "/maro help"});
    assert_eq!(server.event("k1", &own).token(&tokens.narrow).send().await.status, 202);
    assert_eq!(server.event("k2", &said("c", "ana", "hi")).token(&tokens.narrow).send().await.status, 202);
    let acting = server.event("k3", &said("c", "bob", "hi")).token(&tokens.narrow).send().await;
    assert_eq!((acting.status, acting.problem().as_str()), (403, "TL-2104"));
    for path in [
        "/v1/lanes",
        "/v1/lanes/ln_x",
        "/v1/turns/tn_x",
        "/v1/turns/tn_x/why",
        "/v1/approvals",
        "/v1/approvals/ap_x",
        "/v1/effects",
        "/v1/effects/fx_x",
        "/v1/pause",
        "/v1/tracker/issues",
        "/v1/lanes/ln_x/stream",
    ] {
        let reply = server.get(path).token(&tokens.narrow).send().await;
        assert_eq!((reply.status, reply.problem().as_str()), (403, "TL-2103"), "{path}");
    }
    for (call, body) in [
        (server.post("/v1/approvals/ap_x/decide"), json!({"version": 1, "decision": "approve"})),
        (server.post("/v1/replay"), json!({"lane": "ln_x"})),
        (server.put("/v1/pause"), json!({"paused": false})),
        (server.post("/v1/effects/fx_x/result"), json!({"outcome": "applied"})),
        (
            server.post("/v1/events"),
            json!({"lane": {"conversation": "c"}, "kind": "assistant.posted",
                "assistant": {"kind": "answer", "text": "I am the bot"}}),
        ),
        (
            server.post("/v1/events"),
            json!({"lane": {"conversation": "c"}, "kind": "task.reported",
                "report": {"task_id": "t", "status": "running"}}),
        ),
    ] {
        let reply = call.token(&tokens.narrow).header("Idempotency-Key", "k").json(&body).send().await;
        assert_eq!(reply.problem(), "TL-2103", "{body}");
    }
    server.stopped().await;
}

// row: HT3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_tenants_ids_are_not_there() {
    let (server, tokens) = server().await;
    let event = server.event("k1", &said("c", "ana", TASK)).header("Prefer", "wait=5").token(&tokens.acme);
    let turn = event.send().await.json();
    let card = card_of(&turn);
    let (lane, id, approval) =
        (turn["lane"].as_str().unwrap(), turn["turn"].as_str().unwrap(), card["id"].as_str().unwrap());
    let performed = |one: &&Value| one["delivery"] != "commit";
    let effect = turn["effects"].as_array().unwrap().iter().find(performed).unwrap()["id"].as_str().unwrap();
    let made_up = [
        "ln_atpfhd2dnan4hnneg4slqvhi",
        "tn_atpfhd2dnan4hnneg4slqvhi_1",
        "ap_01",
        "fx_65emfyihdqmez2f6x5fvmpxn",
    ];
    let shape = |reply: &Reply| -> Value {
        assert_eq!((reply.status, reply.problem().as_str()), (404, "TL-2404"));
        let mut problem = reply.json();
        problem["instance"] = Value::Null;
        problem
    };
    for (path, foreign, missing) in [
        ("/v1/lanes/{}", lane, made_up[0]),
        ("/v1/lanes/{}/pending", lane, made_up[0]),
        ("/v1/lanes/{}/turns", lane, made_up[0]),
        ("/v1/lanes/{}/messages", lane, made_up[0]),
        ("/v1/lanes/{}/stream", lane, made_up[0]),
        ("/v1/turns/{}", id, made_up[1]),
        ("/v1/turns/{}/why", id, made_up[1]),
        ("/v1/turns/key:{}", "k1", "k9"),
        ("/v1/approvals/{}", approval, made_up[2]),
        ("/v1/effects/{}", effect, made_up[3]),
        ("/v1/effects?lane={}", lane, made_up[0]),
    ] {
        let get = |id: &str| server.get(&path.replace("{}", id));
        if !path.ends_with("/stream") {
            assert_eq!(get(foreign).token(&tokens.acme).send().await.status, 200, "{path}");
        }
        let (foreign, missing) =
            (get(foreign).token(&tokens.other).send().await, get(missing).token(&tokens.other).send().await);
        assert_eq!(shape(&foreign), shape(&missing), "{path}");
    }
    for (path, foreign, missing, body) in [
        ("/v1/approvals/{}/decide", approval, made_up[2], json!({"version": 1, "decision": "approve"})),
        ("/v1/effects/{}/result", effect, made_up[3], json!({"outcome": "applied"})),
    ] {
        let post = |id: &str| server.post(&path.replace("{}", id)).header("Idempotency-Key", "k").json(&body);
        let (foreign, missing) = (
            post(foreign).token(&tokens.other).send().await,
            post(missing).token(&tokens.other).send().await,
        );
        assert_eq!(shape(&foreign), shape(&missing), "{path}");
    }
    let replay = |body: Value| server.post("/v1/replay").json(&body).token(&tokens.other);
    assert_eq!(
        shape(&replay(json!({"lane": lane})).send().await),
        shape(&replay(json!({"lane": "ln_x"})).send().await)
    );

    // Under the other token this conversation is another lane, in which the button is unknown.
    let press = server.event("k1", &pressed("c", "ana", &token(&card, "approve"))).header("Prefer", "wait=5");
    let pressed = press.token(&tokens.other).send().await.json();
    assert_eq!(pressed["reason"], "press.unknown");
    assert_ne!(pressed["lane"], lane);
    for path in ["/v1/approvals?state=all", "/v1/effects?state=planned", "/v1/tracker/issues"] {
        assert_eq!(server.get(path).token(&tokens.other).send().await.json()["items"], json!([]), "{path}");
    }
    assert_eq!(
        server.get("/v1/lanes").token(&tokens.other).send().await.json()["items"].as_array().unwrap().len(),
        1
    );
    server.stopped().await;
}
