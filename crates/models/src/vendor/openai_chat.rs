//! `POST {base}/chat/completions`: the format that most servers speak.

use serde_json::{Value, json};

use super::reply::{Reply, StopReason, error_word};
use super::request::{Features, JsonMode, Request};

pub(super) fn body(request: &Request<'_>, features: Features) -> Value {
    let limit = if features.max_tokens { "max_tokens" } else { "max_completion_tokens" };
    let mut body = json!({
        "model": request.model,
        "messages": [
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.user},
        ],
        limit: request.max_output,
        "stream": true,
    });
    match features.json_mode {
        JsonMode::Schema => {
            body["response_format"] = json!({"type": "json_schema", "json_schema":
                {"name": request.name, "strict": true, "schema": request.schema}});
        }
        JsonMode::Object => body["response_format"] = json!({"type": "json_object"}),
        JsonMode::Plain => {}
    }
    if features.temperature {
        body["temperature"] = json!(0);
    }
    if features.usage {
        body["stream_options"] = json!({"include_usage": true});
    }
    body
}

/// Reads a reply or a chunk of one, which differ in the member that holds the text.
pub(super) fn read(value: &Value, words: &str, reply: &mut Reply) {
    if !value["error"].is_null() {
        reply.error = Some(error_word(&value["error"]));
    }
    reply.add_usage(&value["usage"], "prompt_tokens", "completion_tokens");
    let choices = value["choices"].as_array().map(Vec::as_slice).unwrap_or_default();
    reply.several |= choices.len() > 1;
    for choice in choices {
        reply.several |= choice["index"].as_u64().is_some_and(|index| index > 0);
        let said = &choice[words];
        match &said["content"] {
            Value::String(text) => reply.push_text(text),
            Value::Array(parts) => {
                parts.iter().filter_map(|part| part["text"].as_str()).for_each(|t| reply.push_text(t))
            }
            _ => {}
        }
        let called = said["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty());
        reply.unknown_tool |= called || said["function_call"].is_object();
        let refused = said["refusal"].as_str().is_some_and(|text| !text.is_empty());
        if refused {
            reply.stop = Some(StopReason::Refused);
        } else if let Some(reason) = choice["finish_reason"].as_str()
            && reply.stop.is_none()
        {
            reply.stop = Some(stop_reason(reason));
        }
    }
}

fn stop_reason(reason: &str) -> StopReason {
    match reason {
        "length" => StopReason::Length,
        "content_filter" => StopReason::Filtered,
        "tool_calls" | "function_call" => StopReason::Tool,
        _ => StopReason::Done,
    }
}
