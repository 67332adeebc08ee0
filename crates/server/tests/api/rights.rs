//! Rights beyond a scope: what became of an uncertain effect is said by those who may resolve it.

use serde_json::{Value, json};
use throughline_server::Sources;
use throughline_server::auth::Token;

use crate::support::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_uncertain_effect_is_settled_by_those_who_may_resolve() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "tenant = \"acme\"\napi.delivery_host = [\"tracker.create\"]\n[[approvers]]\neffects = [\"tracker.*\"]\n\
                    targets = [\"local:*\"]\nallow = [\"user:ana\"]\nself_approve = true\n"
        .to_owned();
    let mut token_of = |id: &str, scopes: &str, byte: u8| {
        let (token, hash) = Token::mint(id, [byte; 24]);
        text.push_str(&format!(
            "[[tokens]]\nid = \"{id}\"\nsha256 = \"{hash}\"\nscopes = [{scopes}]\nprincipal = \"ana\"\n"
        ));
        token
    };
    let plain = "\"events:write\", \"lanes:read\", \"act_as\", \"effects:read\", \"effects:report\"";
    let reporter = token_of("reporter", plain, 1);
    let resolver = token_of("resolver", &format!("{plain}, \"effects:resolve\""), 2);
    let file = folder.path().join("throughline.toml");
    std::fs::write(&file, text).unwrap();
    let sources = Sources { file: Some(file), ..Sources::default() }
        .flag("server.listen", "127.0.0.1:0", "--listen")
        .flag("store.url", "memory:", "--store");
    let server = Server::start(sources).await;
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
