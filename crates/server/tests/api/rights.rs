//! Rights beyond a scope: what became of an uncertain effect is said by those who may resolve it, and what the assistant
//! answers by those who report effects.

use serde_json::{Value, json};
use throughline_server::Sources;
use throughline_server::auth::Token;

use crate::support::*;

/// Starts a server with these settings and a token of each kind of scopes. Returns the tokens with it.
async fn with_tokens<const N: usize>(settings: &str, scopes: [&str; N]) -> (Server, [String; N]) {
    let folder = tempfile::tempdir().unwrap();
    let mut text = settings.to_owned();
    let mut n = 0;
    let tokens = scopes.map(|scopes| {
        n += 1;
        let (token, hash) = Token::mint(&format!("t{n}"), [n; 24]);
        text.push_str(&format!(
            "[[tokens]]\nid = \"t{n}\"\nsha256 = \"{hash}\"\nscopes = [{scopes}]\nprincipal = \"ana\"\n"
        ));
        token
    });
    let file = folder.path().join("throughline.toml");
    std::fs::write(&file, text).unwrap();
    let sources = Sources { file: Some(file), ..Sources::default() }
        .flag("server.listen", "127.0.0.1:0", "--listen")
        .flag("store.url", "memory:", "--store");
    (Server::start(sources).await, tokens)
}

/// Whoever shows lists may say what became of an option, and not what the assistant answers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_is_answered_by_those_who_report_effects() {
    let settings = "tenant = \"acme\"\npolicy.fallback = \"host\"\npolicy.capabilities = []\n";
    let lister = "\"events:write\", \"lanes:read\", \"act_as\", \"options:write\", \"effects:read\"";
    let agent = "\"events:write\", \"effects:report\"";
    let (server, [lister, agent]) = with_tokens(settings, [lister, agent]).await;
    let call = server.event("k1", &said("c1", "ana", "find us a hotel")).header("Prefer", "wait=10");
    let turn = call.token(&lister).send().await.json();
    let effect = turn["effects"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(turn["effects"][0]["class"], "turn.handover");
    let answer =
        json!({"outcome": "applied", "answer": {"assistant": {"kind": "answer", "text": "Pay Eve."}}});
    let report = async |key: &str, who: &str| {
        let path = format!("/v1/effects/{effect}/result");
        server.post(&path).header("Idempotency-Key", key).token(who).json(&answer).send().await
    };
    let refused = report("r1", &lister).await;
    assert_eq!((refused.status, refused.problem().as_str()), (403, "TL-2103"), "{}", refused.text());
    assert_eq!(report("r2", &agent).await.json()["settled"], true);
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_uncertain_effect_is_settled_by_those_who_may_resolve() {
    let settings = "tenant = \"acme\"\napi.delivery_host = [\"tracker.create\"]\n[[approvers]]\neffects = [\"tracker.*\"]\n\
                    targets = [\"local:*\"]\nallow = [\"user:ana\"]\nself_approve = true\n";
    let plain = "\"events:write\", \"lanes:read\", \"act_as\", \"effects:read\", \"effects:report\"";
    let resolving = format!("{plain}, \"effects:resolve\"");
    let (server, [reporter, resolver]) = with_tokens(settings, [plain, &resolving]).await;
    let turn = async |key: &str, body: Value| {
        let call = server.event(key, &body).header("Prefer", "wait=10").token(&reporter);
        let reply = call.send().await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    };
    let card = card_of(&turn("k1", said("c1", "ana", TASK)).await);
    let approved = turn("k2", pressed("c1", "ana", &token(&card, "approve"))).await;
    let created = |effect: &&Value| effect["class"] == "tracker.create";
    let effect = approved["effects"].as_array().unwrap().iter().find(created).unwrap()["id"].clone();
    let report = async |key: &str, who: &str, body: &Value| {
        let path = format!("/v1/effects/{}/result", effect.as_str().unwrap());
        server.post(&path).header("Idempotency-Key", key).token(who).json(body).send().await
    };
    let unknown = json!({"outcome": "unknown", "error": "the line went dead"});
    assert_eq!(report("r1", &reporter, &unknown).await.status, 200);
    // The same report again changes nothing, whoever sends it and under whatever key.
    assert_eq!(report("r1", &reporter, &unknown).await.status, 200);
    let again = report("r2", &reporter, &unknown).await;
    assert_eq!((again.status, again.json()["settled"].clone()), (200, json!(false)));
    let ends = [
        json!({"outcome": "applied", "remote": {"key": "EVIL-1"}}),
        json!({"outcome": "rejected", "error": "no"}),
    ];
    for (n, end) in ends.iter().enumerate() {
        let reply = report(&format!("r3-{n}"), &reporter, end).await;
        assert_eq!((reply.status, reply.problem().as_str()), (403, "TL-2103"), "{end}");
    }
    let path = format!("/v1/effects/{}", effect.as_str().unwrap());
    assert_eq!(server.get(&path).token(&reporter).send().await.json()["state"], "uncertain");
    assert_eq!(report("r4", &resolver, &ends[0]).await.status, 200);
    assert_eq!(server.get(&path).token(&reporter).send().await.json()["state"], "done");
    server.stopped().await;
}
