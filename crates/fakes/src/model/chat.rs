//! `POST /v1/chat/completions`, as `OpenAI` documents it.

use axum::http::HeaderMap;
use serde_json::{Value, json};

use super::schema::{published, require, strict};
use super::serve::{data, openai_error};
use super::{Answer, Behaviour, Wire, parts};

#[derive(Default)]
pub(super) struct Chat;

/// Returns the key of `Authorization: Bearer`.
pub(super) fn bearer(headers: &HeaderMap) -> Option<String> {
    let value = headers.get("authorization")?.to_str().ok()?;
    value.strip_prefix("Bearer ").map(Into::into)
}

impl Wire for Chat {
    fn check(&self, body: &Value) -> Vec<String> {
        let mut wrong = published("CreateChatCompletionRequest", body);
        require(
            &mut wrong,
            body["model"].as_str().is_some_and(|model| !model.is_empty()),
            "you must provide a model",
        );
        require(
            &mut wrong,
            body["messages"].as_array().is_some_and(|all| !all.is_empty()),
            "messages is too short",
        );
        require(
            &mut wrong,
            body["max_tokens"].is_null() || body["max_completion_tokens"].is_null(),
            "one limit only",
        );
        require(
            &mut wrong,
            body["stream_options"].is_null() || body["stream"] == true,
            "stream_options without stream",
        );
        let format = &body["response_format"];
        if format["type"] == "json_schema" {
            wrong.extend(strict(&format["json_schema"]["name"], &format["json_schema"]["schema"]));
            require(&mut wrong, format["json_schema"]["strict"] == true, "the schema is not strict");
        }
        if format["type"] == "json_object" {
            let words = body["messages"].to_string().to_lowercase();
            require(
                &mut wrong,
                words.contains("json"),
                "'messages' must contain the word 'json' in some form",
            );
        }
        wrong
    }

    fn key(&self, headers: &HeaderMap) -> Option<String> {
        bearer(headers)
    }

    fn question(&self, body: &Value) -> (Value, String) {
        let words =
            body["messages"].as_array().and_then(|all| all.last()).map(|last| last["content"].clone());
        let words = words.and_then(|words| words.as_str().map(Into::into)).unwrap_or_default();
        (body["response_format"]["json_schema"]["schema"].clone(), words)
    }

    fn answer(&self, body: &Value, behaviour: &Behaviour, streamed: bool) -> Answer {
        let (text, refusal, reason) = match behaviour {
            Behaviour::Refuse(text) => ("", Some(text.as_str()), "stop"),
            Behaviour::Filter => ("", None, "content_filter"),
            Behaviour::Length(text) => (text.as_str(), None, "length"),
            Behaviour::CallTool(_) => ("", None, "tool_calls"),
            Behaviour::Say(text)
            | Behaviour::SayUncounted(text)
            | Behaviour::SayCounted(text, _)
            | Behaviour::Two(text) => (text.as_str(), None, "stop"),
            _ => ("", None, "stop"),
        };
        let counted = !matches!(behaviour, Behaviour::SayUncounted(_));
        let model = if counted { body["model"].clone() } else { json!("something-else-2") };
        let call = |tool: &str| json!([{"index": 0, "id": "call_1", "type": "function", "function": {"name": tool, "arguments": "{}"}}]);
        let tool = if let Behaviour::CallTool(tool) = behaviour { Some(call(tool)) } else { None };
        let usage = json!({"prompt_tokens": 120, "completion_tokens": behaviour.output(),
            "total_tokens": behaviour.output().saturating_add(120)});
        if !streamed {
            let message =
                json!({"role": "assistant", "content": text, "refusal": refusal, "tool_calls": tool});
            let mut message = message;
            if tool.is_none() {
                message.as_object_mut().map(|members| members.remove("tool_calls"));
            }
            let choice = |index: u8| json!({"index": index, "message": message, "finish_reason": reason, "logprobs": null});
            let choices = if matches!(behaviour, Behaviour::Two(_)) {
                vec![choice(0), choice(1)]
            } else {
                vec![choice(0)]
            };
            let mut whole = json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000,
                "model": model, "choices": choices});
            if counted {
                whole["usage"] = usage;
            }
            if matches!(behaviour, Behaviour::Fail) {
                whole = openai_error(500, "the server had an error");
            }
            return Answer::Document(whole.to_string());
        }
        let mut events = self.partial_answer(body, text);
        if matches!(behaviour, Behaviour::Two(_)) {
            events.push(chunk(&model, &json!({"content": text}), 1, None));
        }
        if let Some(refusal) = refusal {
            events.push(chunk(&model, &json!({"refusal": refusal}), 0, None));
        }
        if let Some(tool) = tool {
            events.push(chunk(&model, &json!({"tool_calls": tool}), 0, None));
        }
        if matches!(behaviour, Behaviour::Fail) {
            events.push(data(&openai_error(500, "the server had an error")));
            return Answer::Events(events);
        }
        events.push(chunk(&model, &json!({}), 0, Some(reason)));
        if counted && body["stream_options"]["include_usage"] == true {
            events.push(data(
                &json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000,
                "model": model, "choices": [], "usage": usage}),
            ));
        }
        events.push("data: [DONE]\n\n".into());
        Answer::Events(events)
    }

    fn partial_answer(&self, body: &Value, text: &str) -> Vec<String> {
        let model = &body["model"];
        let first = chunk(model, &json!({"role": "assistant", "content": ""}), 0, None);
        let words = parts(text).into_iter().map(|part| chunk(model, &json!({"content": part}), 0, None));
        std::iter::once(first).chain(words).collect()
    }

    fn error(&self, status: u16, text: &str) -> Value {
        openai_error(status, text)
    }
}

fn chunk(model: &Value, delta: &Value, index: u8, reason: Option<&str>) -> String {
    data(
        &json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": model,
        "choices": [{"index": index, "delta": delta, "finish_reason": reason, "logprobs": null}]}),
    )
}
