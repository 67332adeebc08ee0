//! `POST {base}/responses`: nothing is stored there (`store: false`).

use serde_json::{Value, json};

use super::{Reply, Request, Stop, Takes, error_word};

pub(super) fn body(request: &Request<'_>, takes: Takes) -> Value {
    let mut body = json!({
        "model": request.model,
        "instructions": request.system,
        "input": request.user,
        "max_output_tokens": request.max_output,
        "store": false,
        "stream": true,
        "text": {"format": {"type": "json_schema", "name": request.name, "strict": true, "schema": request.schema}},
    });
    if takes.temperature {
        body["temperature"] = json!(0);
    }
    body
}

/// The events that matter: words as they come, so that too many are noticed, and the reply as a whole at the end.
pub(super) fn event(value: &Value, reply: &mut Reply) {
    match value["type"].as_str().unwrap_or_default() {
        "response.output_text.delta" => reply.says(value["delta"].as_str().unwrap_or_default()),
        "response.refusal.delta" => reply.stop = Some(Stop::Refused),
        "response.completed" | "response.incomplete" | "response.failed" => {
            whole(&value["response"], reply);
            reply.done = true;
        }
        "error" => reply.error = Some(error_word(value)),
        _ => {}
    }
}

pub(super) fn whole(value: &Value, reply: &mut Reply) {
    reply.counts(&value["usage"], "input_tokens", "output_tokens");
    if !value["error"].is_null() || value["status"] == "failed" {
        reply.error = Some(error_word(&value["error"]));
    }
    match value["incomplete_details"]["reason"].as_str() {
        Some("content_filter") => reply.stop = Some(Stop::Filtered),
        Some(_) => reply.stop = Some(Stop::Length),
        None if value["status"] == "incomplete" => reply.stop = Some(Stop::Length),
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
                        Some("refusal") => reply.stop = Some(Stop::Refused),
                        _ => text.push_str(part["text"].as_str().unwrap_or_default()),
                    }
                }
            }
            Some("reasoning") | None => {}
            Some(_) => reply.foreign_tool = true,
        }
    }
    reply.several |= messages > 1;
    if messages > 0 {
        reply.text = text;
    }
}
