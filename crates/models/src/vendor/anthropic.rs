//! `POST {base}/v1/messages`: one forced tool with the answer's schema as its input, or the structured-output field.

use serde_json::{Value, json};

use super::reply::{Reply, StopReason, error_word};
use super::request::{Features, Request};

/// The name of the one tool that is offered.
const TOOL: &str = "answer";

pub(super) fn body(request: &Request<'_>, features: Features) -> Value {
    let mut body = json!({
        "model": request.model,
        "max_tokens": request.max_output,
        "system": request.system,
        "messages": [{"role": "user", "content": request.user}],
        "stream": true,
    });
    if features.native {
        body["output_config"] = json!({"format": {"type": "json_schema", "schema": request.schema}});
    } else {
        body["tools"] =
            json!([{"name": TOOL, "description": "Give the answer.", "input_schema": request.schema}]);
        body["tool_choice"] = json!({"type": "tool", "name": TOOL, "disable_parallel_tool_use": true});
    }
    if features.temperature {
        body["temperature"] = json!(0);
    }
    body
}

pub(super) fn read_document(value: &Value, reply: &mut Reply) {
    if value["type"] == "error" {
        reply.error = Some(error_word(&value["error"]));
    }
    reply.add_usage(&value["usage"], "input_tokens", "output_tokens");
    for (block, index) in value["content"].as_array().into_iter().flatten().zip(0..) {
        block_started(index, block, reply);
        match block["type"].as_str() {
            Some("text") => reply.push_text(block["text"].as_str().unwrap_or_default()),
            Some("tool_use") if reply.tool_blocks.contains(&index) => {
                reply.push_tool_input(&block["input"].to_string())
            }
            _ => {}
        }
    }
    read_stop_reason(&value["stop_reason"], reply);
}

pub(super) fn read_event(value: &Value, reply: &mut Reply) {
    match value["type"].as_str().unwrap_or_default() {
        "message_start" => {
            reply.add_usage(&value["message"]["usage"], "input_tokens", "output_tokens");
        }
        "content_block_start" => {
            let index = value["index"].as_u64().unwrap_or_default();
            block_started(index, &value["content_block"], reply);
        }
        "content_block_delta" => {
            let index = value["index"].as_u64().unwrap_or_default();
            let delta = &value["delta"];
            match delta["type"].as_str() {
                Some("text_delta") => reply.push_text(delta["text"].as_str().unwrap_or_default()),
                Some("input_json_delta") if reply.tool_blocks.contains(&index) => {
                    reply.push_tool_input(delta["partial_json"].as_str().unwrap_or_default());
                }
                _ => {}
            }
        }
        "message_delta" => {
            reply.add_usage(&value["usage"], "input_tokens", "output_tokens");
            read_stop_reason(&value["delta"]["stop_reason"], reply);
        }
        "message_stop" => reply.done = true,
        "error" => reply.error = Some(error_word(&value["error"])),
        _ => {}
    }
}

/// A block begins: text, a call of the offered tool, or of one that was not offered.
fn block_started(index: u64, block: &Value, reply: &mut Reply) {
    match block["type"].as_str() {
        Some("text") => reply.several |= !reply.text.is_empty(),
        Some("tool_use") if block["name"] == TOOL => {
            reply.several |= !reply.tool_blocks.is_empty();
            reply.tool_blocks.push(index);
        }
        Some("tool_use") => reply.unknown_tool = true,
        _ => {}
    }
}

fn read_stop_reason(reason: &Value, reply: &mut Reply) {
    let Some(reason) = reason.as_str() else { return };
    reply.stop = Some(match reason {
        "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
        "refusal" => StopReason::Refused,
        _ => StopReason::Done,
    });
}
