//! Text that people and probes read: nothing turns its direction, and nothing of our insides is in it.

use serde_json::{Value, json};

use crate::support::*;

/// Characters that turn the direction of a text.
const TURNS: &str =
    "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_is_read_turns_its_direction() {
    let server = Server::demo().await;
    let lane = json!({"channel": "web", "conversation": "you:1"});
    let text = format!(
        "Create a task for the {TURNS}manual\nTitle: Write the {TURNS}exe.txt\nProblem: No{TURNS}body knows\n\
         Acceptance criteria: There {TURNS}is a manual"
    );
    let said = json!({"lane": lane, "actor": {"id": "you"}, "kind": "message.posted", "text": text});
    let turn = server.turn("k1", &said).await;
    let id = turn["lane"].as_str().unwrap();
    let approval = card_of(&turn)["id"].as_str().unwrap().to_owned();
    let turned = |text: &str| text.contains(|c| TURNS.contains(c));
    assert!(card_of(&turn).to_string().contains("exe.txt") && !turned(&turn["messages"].to_string()));
    let effects = without_payloads(turn["effects"].clone());
    assert!(!turned(&effects.to_string()), "{effects}");
    let page = server.get("/").send().await;
    let cookie = page.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    for path in [
        "/?c=you:1".to_owned(),
        "/workspace?c=you:1".into(),
        format!("/console/lanes/{id}"),
        format!("/console/approvals/{approval}"),
        "/console/approvals".into(),
        format!("/console/turns/{}", turn["turn"].as_str().unwrap()),
        format!("/v1/lanes/{id}/messages"),
        format!("/v1/lanes/{id}/events"),
        "/v1/approvals".into(),
    ] {
        let reply = server.get(&path).header("Cookie", &cookie).send().await;
        assert_eq!(reply.status, 200, "{path} {}", reply.text());
        let shown = match reply.json_items() {
            // Payloads are what is executed, and are hashed: they are data, not shown text.
            Some(items) => without_payloads(items).to_string(),
            None => reply.text(),
        };
        assert!(!turned(&shown), "{path}: {shown}");
    }
    server.stopped().await;
}

/// Returns the value without approvals' payloads and without the items of effects on trackers.
fn without_payloads(mut value: Value) -> Value {
    match &mut value {
        Value::Array(items) => items.iter_mut().for_each(|item| *item = without_payloads(item.take())),
        Value::Object(object) => {
            object.remove("payload");
            if object.get("class").and_then(Value::as_str).is_some_and(|class| class.starts_with("tracker."))
            {
                object.remove("items");
            }
            object.values_mut().for_each(|member| *member = without_payloads(member.take()));
        }
        _ => {}
    }
    value
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_type_and_no_path_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(demo_in(folder.path())).await;
    let ready = server.get("/readyz").send().await;
    assert_eq!(ready.json(), json!({"ready": true, "store": "sqlite"}));
    let wrong = [json!(3), json!([]), json!("x"), json!(null), json!({"x": {}}), json!([[1]])];
    let path = folder.path().display().to_string();
    for (route, members) in [
        (
            "/v1/events",
            vec!["lane", "actor", "kind", "text", "press", "assistant", "report", "shown", "form"],
        ),
        ("/v1/approvals/ap_x/decide", vec!["version", "decision", "actor"]),
        ("/v1/facts", vec!["lane", "type", "actor"]),
        ("/v1/replay", vec!["lane", "turn"]),
        ("/v1/context/render", vec!["lane", "messages", "facts", "policy"]),
        ("/v1/effects/fx_x/result", vec!["outcome", "remote", "snapshot"]),
        ("/v1/sign-in-links", vec!["user"]),
    ] {
        for member in members {
            for value in &wrong {
                let mut body = json!({"lane": {"conversation": "c"}, "kind": "message.posted", "text": "hi"});
                body[member] = value.clone();
                let reply = server.post(route).header("Idempotency-Key", "k").json(&body).send().await;
                let text = reply.text();
                for inside in ["struct ", "enum ", "throughline_", "::", path.as_str(), ".rs"] {
                    assert!(!text.contains(inside), "{route} {body}: {inside:?} is in {text}");
                }
            }
        }
    }
    server.stopped().await;
}

/// Tokens of buttons are in no file: neither in stored answers nor in the events of presses.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_token_of_a_button_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(demo_in(folder.path())).await;
    let first = server.event("k1", &said("c1", "ana", TASK)).header("Prefer", "wait=10").send().await;
    let card = card_of(&first.json());
    let mut tokens: Vec<String> = ["approve", "edit", "cancel"]
        .iter()
        .filter(|action| {
            card["buttons"].as_array().unwrap().iter().any(|button| button["action"] == **action)
        })
        .map(|action| token(&card, action))
        .collect();
    let again = server.event("k1", &said("c1", "ana", TASK)).header("Prefer", "wait=10").send().await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.text(), first.text(), "the stored answer comes back with its tokens");
    let approved = server.press("k2", "c1", "ana", &token(&card, "approve")).await;
    assert_eq!(approved["reason"], "press.applied", "{approved}");
    let stored = format!("sha256:{}", "0".repeat(64));
    tokens.push(stored.clone());
    let forged = server.press("k3", "c1", "ana", &stored).await;
    assert_eq!(forged["reason"], "press.unknown");
    server.stopped().await;
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        for token in &tokens {
            let found = bytes.windows(token.len()).any(|window| window == token.as_bytes());
            assert!(!found, "{token} is in {}", path.display());
        }
    }
}
