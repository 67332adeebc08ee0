//! `POST {base}/chat/completions`: the wire that most servers speak.

use serde_json::{Value, json};

use super::{Form, Reply, Request, Stop, Takes, error_word};

pub(super) fn body(request: &Request<'_>, takes: Takes) -> Value {
    let limit = if takes.max_tokens { "max_tokens" } else { "max_completion_tokens" };
    let mut body = json!({
        "model": request.model,
        "messages": [
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.user},
        ],
        limit: request.max_output,
        "stream": true,
    });
    match takes.form {
        Form::Schema => {
            body["response_format"] = json!({"type": "json_schema", "json_schema":
                {"name": request.name, "strict": true, "schema": request.schema}});
        }
        Form::Object => body["response_format"] = json!({"type": "json_object"}),
        Form::Plain => {}
    }
    if takes.temperature {
        body["temperature"] = json!(0);
    }
    if takes.usage {
        body["stream_options"] = json!({"include_usage": true});
    }
    body
}

/// A reply, or a chunk of one: they differ in where the words are.
pub(super) fn read(value: &Value, words: &str, reply: &mut Reply) {
    if !value["error"].is_null() {
        reply.error = Some(error_word(&value["error"]));
    }
    reply.counts(&value["usage"], "prompt_tokens", "completion_tokens");
    let choices = value["choices"].as_array().map(Vec::as_slice).unwrap_or_default();
    reply.several |= choices.len() > 1;
    for choice in choices {
        reply.several |= choice["index"].as_u64().is_some_and(|index| index > 0);
        let said = &choice[words];
        match &said["content"] {
            Value::String(text) => reply.says(text),
            Value::Array(parts) => {
                parts.iter().filter_map(|part| part["text"].as_str()).for_each(|t| reply.says(t))
            }
            _ => {}
        }
        let called = said["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty());
        reply.foreign_tool |= called || said["function_call"].is_object();
        let refused = said["refusal"].as_str().is_some_and(|text| !text.is_empty());
        if refused {
            reply.stop = Some(Stop::Refused);
        } else if let Some(reason) = choice["finish_reason"].as_str()
            && reply.stop.is_none()
        {
            reply.stop = Some(stop(reason));
        }
    }
}

fn stop(reason: &str) -> Stop {
    match reason {
        "length" => Stop::Length,
        "content_filter" => Stop::Filtered,
        "tool_calls" | "function_call" => Stop::Tool,
        _ => Stop::Done,
    }
}
