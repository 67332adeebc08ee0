//! Conversations of a test: messages, and the state of the lane.

use serde_json::{Value, json};

use crate::peers::until;
use crate::support::{Server, said};

/// Id of the conversation.
pub(crate) const C: &str = "c1";

/// Reads the lane.
pub(crate) async fn lane(server: &Server, turn: &Value) -> Value {
    let lane = turn["lane"].as_str().unwrap();
    server.get(&format!("/v1/lanes/{lane}")).send().await.json()
}

/// Returns the texts of a lane, oldest first.
pub(crate) fn texts(lane: &Value) -> Vec<String> {
    let messages = lane["messages"].as_array().unwrap();
    messages.iter().filter_map(|message| message["text"].as_str()).map(str::to_owned).collect()
}

/// Waits for a message with those words; returns it.
pub(crate) async fn hears(server: &Server, turn: &Value, words: &str) -> Value {
    let found = |lane: &Value| {
        let messages = lane["messages"].as_array().unwrap();
        messages
            .iter()
            .rev()
            .find(|message| message["text"].as_str().is_some_and(|text| text.contains(words)))
            .cloned()
    };
    until(&format!("“{words}” is said"), || async { found(&lane(server, turn).await).is_some() }).await;
    found(&lane(server, turn).await).unwrap()
}

/// Posts a message of Ana's, for a task if one is named.
pub(crate) async fn says(server: &Server, key: &str, text: &str, task: Option<&str>) -> Value {
    let mut body = said(C, "ana", text);
    if let Some(task) = task {
        body["task"] = json!(task);
    }
    server.turn(key, &body).await
}

/// Posts a message of the host's own agent.
pub(crate) async fn answers(server: &Server, key: &str, text: &str, task: &str) -> Value {
    let body = json!({"lane": {"conversation": C}, "kind": "assistant.posted",
        "assistant": {"kind": "answer", "task": task, "text": text}});
    server.turn(key, &body).await
}

/// Returns the kinds of the pending questions.
pub(crate) async fn pendings(server: &Server, turn: &Value) -> Vec<String> {
    let lane = turn["lane"].as_str().unwrap();
    let open = server.get(&format!("/v1/lanes/{lane}/pending")).send().await.json();
    let open = open["items"].as_array().unwrap().iter();
    open.filter_map(|pending| pending["kind"].as_str()).map(str::to_owned).collect()
}
