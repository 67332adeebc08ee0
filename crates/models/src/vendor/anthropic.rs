//! `POST {base}/v1/messages`: one forced tool whose input schema is ours, or the structured-output field.

use serde_json::{Value, json};

use super::{Reply, Request, Stop, Takes, error_word};

/// The one tool there is.
const TOOL: &str = "answer";

pub(super) fn body(request: &Request<'_>, takes: Takes) -> Value {
    let mut body = json!({
        "model": request.model,
        "max_tokens": request.max_output,
        "system": request.system,
        "messages": [{"role": "user", "content": request.user}],
        "stream": true,
    });
    if takes.native {
        body["output_config"] = json!({"format": {"type": "json_schema", "schema": request.schema}});
    } else {
        body["tools"] =
            json!([{"name": TOOL, "description": "Give the answer.", "input_schema": request.schema}]);
        body["tool_choice"] = json!({"type": "tool", "name": TOOL, "disable_parallel_tool_use": true});
    }
    if takes.temperature {
        body["temperature"] = json!(0);
    }
    body
}

pub(super) fn whole(value: &Value, reply: &mut Reply) {
    if value["type"] == "error" {
        reply.error = Some(error_word(&value["error"]));
    }
    reply.counts(&value["usage"], "input_tokens", "output_tokens");
    for (block, index) in value["content"].as_array().into_iter().flatten().zip(0..) {
        begins(index, block, reply);
        match block["type"].as_str() {
            Some("text") => reply.says(block["text"].as_str().unwrap_or_default()),
            Some("tool_use") if reply.tool_blocks.contains(&index) => {
                reply.tool_says(&block["input"].to_string())
            }
            _ => {}
        }
    }
    ends(&value["stop_reason"], reply);
}

pub(super) fn event(value: &Value, reply: &mut Reply) {
    match value["type"].as_str().unwrap_or_default() {
        "message_start" => {
            reply.counts(&value["message"]["usage"], "input_tokens", "output_tokens");
        }
        "content_block_start" => {
            let index = value["index"].as_u64().unwrap_or_default();
            begins(index, &value["content_block"], reply);
        }
        "content_block_delta" => {
            let index = value["index"].as_u64().unwrap_or_default();
            let delta = &value["delta"];
            match delta["type"].as_str() {
                Some("text_delta") => reply.says(delta["text"].as_str().unwrap_or_default()),
                Some("input_json_delta") if reply.tool_blocks.contains(&index) => {
                    reply.tool_says(delta["partial_json"].as_str().unwrap_or_default());
                }
                _ => {}
            }
        }
        "message_delta" => {
            reply.counts(&value["usage"], "input_tokens", "output_tokens");
            ends(&value["delta"]["stop_reason"], reply);
        }
        "message_stop" => reply.done = true,
        "error" => reply.error = Some(error_word(&value["error"])),
        _ => {}
    }
}

/// A block begins: words, a call of our tool, or of one that nobody offered.
fn begins(index: u64, block: &Value, reply: &mut Reply) {
    match block["type"].as_str() {
        Some("text") => reply.several |= !reply.text.is_empty(),
        Some("tool_use") if block["name"] == TOOL => {
            reply.several |= !reply.tool_blocks.is_empty();
            reply.tool_blocks.push(index);
        }
        Some("tool_use") => reply.foreign_tool = true,
        _ => {}
    }
}

fn ends(reason: &Value, reply: &mut Reply) {
    let Some(reason) = reason.as_str() else { return };
    reply.stop = Some(match reason {
        "max_tokens" | "model_context_window_exceeded" => Stop::Length,
        "refusal" => Stop::Refused,
        _ => Stop::Done,
    });
}
