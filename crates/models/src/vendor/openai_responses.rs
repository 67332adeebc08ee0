//! `POST {base}/responses`, with `store: false` so that nothing is stored there.

use serde_json::{Value, json};

use super::reply::{Reply, StopReason, error_word};
use super::request::{Features, Request};

pub(super) fn body(request: &Request<'_>, features: Features) -> Value {
    let mut body = json!({
        "model": request.model,
        "instructions": request.system,
        "input": request.user,
        "max_output_tokens": request.max_output,
        "store": false,
        "stream": true,
        "text": {"format": {"type": "json_schema", "name": request.name, "strict": true, "schema": request.schema}},
    });
    if features.temperature {
        body["temperature"] = json!(0);
    }
    body
}

/// Reads the events that matter: text as it comes, so that too much is noticed, and the whole reply at the end.
pub(super) fn read_event(value: &Value, reply: &mut Reply) {
    match value["type"].as_str().unwrap_or_default() {
        "response.output_text.delta" => reply.push_text(value["delta"].as_str().unwrap_or_default()),
        "response.refusal.delta" => reply.stop = Some(StopReason::Refused),
        "response.completed" | "response.incomplete" | "response.failed" => {
            read_document(&value["response"], reply);
            reply.done = true;
        }
        "error" => reply.error = Some(error_word(value)),
        _ => {}
    }
}

pub(super) fn read_document(value: &Value, reply: &mut Reply) {
    reply.add_usage(&value["usage"], "input_tokens", "output_tokens");
    if !value["error"].is_null() || value["status"] == "failed" {
        reply.error = Some(error_word(&value["error"]));
    }
    match value["incomplete_details"]["reason"].as_str() {
        Some("content_filter") => reply.stop = Some(StopReason::Filtered),
        Some(_) => reply.stop = Some(StopReason::Length),
        None if value["status"] == "incomplete" => reply.stop = Some(StopReason::Length),
        None => {}
    }
    let mut messages = 0;
    let mut text = String::new();
    for item in value["output"].as_array().into_iter().flatten() {
        match item["type"].as_str() {
            Some("message") => {
                messages += 1;
                for part in item["content"].as_array().into_iter().flatten() {
                    match part["type"].as_str() {
                        Some("refusal") => reply.stop = Some(StopReason::Refused),
                        _ => text.push_str(part["text"].as_str().unwrap_or_default()),
                    }
                }
            }
            Some("reasoning") | None => {}
            Some(_) => reply.unknown_tool = true,
        }
    }
    reply.several |= messages > 1;
    if messages > 0 {
        reply.text = text;
    }
}
