//! Context of prompts over HTTP.

use serde_json::{Value, json};
use throughline_server::Sources;
use throughline_server::auth::Token;

use crate::support::*;

/// Starts a server with two tenants; returns their tokens, and one that may read lanes but no context.
async fn server() -> (Server, [String; 3]) {
    let folder = tempfile::tempdir().unwrap();
    let scopes = r#"["events:write", "tasks:report", "lanes:read", "lanes:read_all", "context:read"]"#;
    let mut text = String::from("tenant = \"acme\"\n");
    let tokens =
        [("acme", "acme", scopes), ("other", "other", scopes), ("narrow", "acme", r#"["lanes:read"]"#)];
    let tokens = tokens.map(|(id, tenant, scopes)| {
        let (token, hash) = Token::mint(id, [id.len() as u8; 24]);
        text += &format!(
            "[[tokens]]\nid = \"{id}\"\nsha256 = \"{hash}\"\ntenant = \"{tenant}\"\nscopes = {scopes}\nprincipal = \"ana\"\n"
        );
        token
    });
    let file = folder.path().join("throughline.toml");
    std::fs::write(&file, text).unwrap();
    let sources = Sources { file: Some(file), ..Sources::default() }
        .flag("server.listen", "127.0.0.1:0", "--listen")
        .flag("policy.context.project.id", "acme-web", "--set")
        .flag("store.url", "memory:", "--store");
    (Server::start(sources).await, tokens)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lane_tells_its_tasks_to_who_may_know_them() {
    let (server, [acme, other, narrow]) = server().await;
    let report = |id: &str, status: &str| {
        json!({"lane": {"conversation": "c1"}, "kind": "task.reported",
            "report": {"task_id": id, "status": status, "at": "2026-01-15T10:00:00Z", "reason": "It waits"}})
    };
    let mut lane = String::new();
    for (key, body) in [("k1", report("login", "blocked")), ("k2", report("schema", "completed"))] {
        let call = server.post("/v1/events?wait=5").header("Idempotency-Key", key).token(&acme);
        let turn = call.header("Prefer", "wait=10").json(&body).send().await.json();
        lane = turn["lane"].as_str().unwrap().to_owned();
    }
    let path = format!("/v1/lanes/{lane}/context");
    let told = server.get(&path).token(&acme).send().await;
    assert_eq!((told.status, told.header("content-type")), (200, Some("application/json")));
    let value = told.json();
    let prompt = value["prompt"].as_str().unwrap();
    assert!(prompt.contains("{ \"id\": \"acme-web\", \"goal\": null }"), "{prompt}");
    assert!(prompt.contains("{ \"task_id\": \"login\", \"reason\": \"It waits\""), "{prompt}");
    assert!(prompt.contains("\"result\": \"Completed.\""), "{prompt}");
    let plain = server.get(&format!("{path}?format=markdown&max_tokens=6000")).token(&acme).send().await;
    assert_eq!(plain.text(), prompt);
    assert_eq!(plain.header("content-type"), Some("text/markdown; charset=utf-8"));
    assert_eq!(
        server.get(&path).token(&other).send().await.status,
        404,
        "another tenant's lane is not there"
    );
    let refused = server.get(&path).token(&narrow).send().await;
    assert_eq!((refused.status, refused.problem().as_str()), (403, "TL-2103"));
    let bounds = server.get(&format!("{path}?max_tokens=5999")).token(&acme).send().await;
    assert_eq!((bounds.status, bounds.problem().as_str()), (422, "TL-2006"), "{}", bounds.text());
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_supervisors_state_is_rendered_and_not_kept() {
    let (server, [acme, _, narrow]) = server().await;
    let render = |body: Value| server.post("/v1/context/render").token(&acme).json(&body);
    let state = json!({
        "completed_tasks": [{"task_id": "t1", "intent": "Create Schema"}, {"task_id": 7}],
        "blocked_tasks": [], "queue": {"exhausted": true},
    });
    let told = render(json!({"state": state, "history": 3, "max_tokens": 6000})).send().await.json();
    assert!(told["prompt"].as_str().unwrap().contains("{ \"id\": \"default\", \"goal\": null }"), "{told}");
    assert_eq!(told["warnings"], json!([{"code": "context.entry_skipped", "pointer": "/completed_tasks/1"}]));
    let task = json!({"task_id": "t1", "intent": "Again", "instructions": "Do it"});
    let told = render(json!({"state": state, "task": task})).send().await.json();
    assert_eq!(
        told["prompt"].as_str().unwrap().matches("\"t1\"").count(),
        1,
        "not in its own history: {told}"
    );
    // The maximum size of a document, which is larger than that of other bodies.
    let large = json!({"state": {"audit": "x".repeat(2_000_000)}});
    assert_eq!(render(large).send().await.status, 200);
    for (body, code) in [
        (json!({"state": {"completed_tasks": {}}}), "TL-1301"),
        (json!({"state": []}), "TL-1301"),
        (json!({"state": {}, "task": {"intent": "x"}}), "TL-1301"),
        (json!({"state": {}, "history": 6}), "TL-2006"),
        (json!({"state": {}, "max_tokens": 10}), "TL-2006"),
        (json!({"task": {"task_id": "t"}}), "TL-2006"),
        (json!({"state": {}, "stats": {}}), "TL-2006"),
        (json!({"state": {}, "task": {"task_id": "t", "instructions": "a".repeat(80_000)}}), "TL-1302"),
    ] {
        let refused = render(body).send().await;
        assert_eq!((refused.status, refused.problem().as_str()), (422, code), "{}", refused.text());
    }
    let refused = server.post("/v1/context/render").token(&narrow).json(&json!({"state": {}})).send().await;
    assert_eq!(refused.status, 403);
    let lanes = server.get("/v1/lanes").token(&acme).send().await.json();
    assert_eq!(lanes["items"], json!([]), "nothing was stored");
    server.stopped().await;
}
