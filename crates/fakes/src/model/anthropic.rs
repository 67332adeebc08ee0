//! `POST /v1/messages`, as Anthropic documents it.

use axum::http::HeaderMap;
use serde_json::{Value, json};

use super::chat::bearer;
use super::schema::require;
use super::serve::named;
use super::{Answer, Behaviour, Wire, parts};

#[derive(Default)]
pub(super) struct Anthropic;

impl Wire for Anthropic {
    fn check(&self, body: &Value) -> Vec<String> {
        let mut wrong = Vec::new();
        require(
            &mut wrong,
            body["model"].as_str().is_some_and(|model| !model.is_empty()),
            "model: Field required",
        );
        require(&mut wrong, body["max_tokens"].as_u64().is_some_and(|n| n > 0), "max_tokens: Field required");
        require(
            &mut wrong,
            body["system"].is_string() || body["system"].is_null(),
            "system: Input should be a string",
        );
        let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        require(
            &mut wrong,
            messages.first().is_some_and(|first| first["role"] == "user"),
            "messages: first is no user's",
        );
        let empty = messages
            .iter()
            .any(|message| message["content"].as_str().is_none_or(|text| text.trim().is_empty()));
        require(&mut wrong, !empty, "messages: text content blocks must be non-empty");
        let known = [
            "model",
            "max_tokens",
            "system",
            "messages",
            "stream",
            "temperature",
            "tools",
            "tool_choice",
            "output_config",
        ];
        for name in body.as_object().into_iter().flat_map(|members| members.keys()) {
            require(
                &mut wrong,
                known.contains(&name.as_str()),
                &format!("{name}: Extra inputs are not permitted"),
            );
        }
        let forced = &body["tool_choice"]["name"];
        if !body["tool_choice"].is_null() {
            let offered = body["tools"]
                .as_array()
                .is_some_and(|tools| tools.iter().any(|tool| tool["name"] == *forced));
            require(&mut wrong, offered, "tool_choice: the tool is not in tools");
        }
        for tool in body["tools"].as_array().into_iter().flatten() {
            require(
                &mut wrong,
                tool["input_schema"]["type"] == "object",
                "tools.input_schema.type: should be object",
            );
        }
        wrong
    }

    fn key(&self, headers: &HeaderMap) -> Option<String> {
        // The version header is required. Newer clients of Anthropic send the key as a bearer token.
        headers.get("anthropic-version").filter(|version| version.len() == "2023-06-01".len())?;
        let own = headers.get("x-api-key").and_then(|key| key.to_str().ok()).map(Into::into);
        own.or_else(|| bearer(headers))
    }

    fn question(&self, body: &Value) -> (Value, String) {
        let schema = match &body["tools"][0]["input_schema"] {
            Value::Null => body["output_config"]["format"]["schema"].clone(),
            schema => schema.clone(),
        };
        let words =
            body["messages"].as_array().and_then(|all| all.last()).map(|last| last["content"].clone());
        (schema, words.and_then(|words| words.as_str().map(Into::into)).unwrap_or_default())
    }

    fn answer(&self, body: &Value, behaviour: &Behaviour, streamed: bool) -> Answer {
        let reason = match behaviour {
            Behaviour::Refuse(_) | Behaviour::Filter => "refusal",
            Behaviour::Length(_) => "max_tokens",
            _ if forced(body) => "tool_use",
            _ => "end_turn",
        };
        let counted = !matches!(behaviour, Behaviour::SayUncounted(_));
        let model = if counted { body["model"].clone() } else { json!("something-else-2") };
        let blocks = blocks(body, behaviour);
        if !streamed {
            if matches!(behaviour, Behaviour::Fail) {
                return Answer::Document(self.error(529, "Overloaded").to_string());
            }
            let content: Vec<Value> = blocks.iter().map(Block::whole).collect();
            let mut whole = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": model,
                "content": content, "stop_reason": reason, "stop_sequence": null});
            if counted {
                whole["usage"] = json!({"input_tokens": 120, "output_tokens": behaviour.output()});
            }
            return Answer::Document(whole.to_string());
        }
        let usage =
            |n: u64| if counted { json!({"input_tokens": 120, "output_tokens": n}) } else { Value::Null };
        let mut events = vec![start(&model, &usage(1))];
        events.push(named(&json!({"type": "ping"})));
        for (block, index) in blocks.iter().zip(0..) {
            events.extend(block.events(index, true));
        }
        if matches!(behaviour, Behaviour::Fail) {
            events.push(named(&self.error(529, "Overloaded")));
            return Answer::Events(events);
        }
        events.push(named(&json!({"type": "message_delta", "usage": usage(behaviour.output()),
            "delta": {"stop_reason": reason, "stop_sequence": null}})));
        events.push(named(&json!({"type": "message_stop"})));
        Answer::Events(events)
    }

    fn partial_answer(&self, body: &Value, text: &str) -> Vec<String> {
        let block = said(body, text);
        let first = start(&body["model"], &json!({"input_tokens": 120, "output_tokens": 1}));
        std::iter::once(first).chain(block.events(0, false)).collect()
    }

    fn error(&self, status: u16, text: &str) -> Value {
        let kind = match status {
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            429 => "rate_limit_error",
            400..500 => "invalid_request_error",
            529 => "overloaded_error",
            _ => "api_error",
        };
        json!({"type": "error", "error": {"type": kind, "message": text}, "request_id": "req_1"})
    }
}

/// A content block of an answer.
enum Block {
    Text(String),
    Tool { name: String, input: String },
}

fn forced(body: &Value) -> bool {
    body["tool_choice"]["type"] == "tool"
}

/// Puts a text where the request wants it: into a forced tool call, or into a text block.
fn said(body: &Value, text: &str) -> Block {
    if forced(body) {
        Block::Tool {
            name: body["tool_choice"]["name"].as_str().unwrap_or_default().into(),
            input: text.into(),
        }
    } else {
        Block::Text(text.into())
    }
}

fn blocks(body: &Value, behaviour: &Behaviour) -> Vec<Block> {
    match behaviour {
        Behaviour::Say(text)
        | Behaviour::SayUncounted(text)
        | Behaviour::SayCounted(text, _)
        | Behaviour::Length(text) => {
            vec![said(body, text)]
        }
        Behaviour::Two(text) => vec![said(body, text), said(body, text)],
        Behaviour::CallTool(tool) => vec![Block::Tool { name: tool.clone(), input: "{}".into() }],
        Behaviour::Refuse(text) => vec![Block::Text(text.clone())],
        _ => Vec::new(),
    }
}

impl Block {
    fn whole(&self) -> Value {
        match self {
            Self::Text(text) => json!({"type": "text", "text": text}),
            Self::Tool { name, input } => {
                // A document cannot contain invalid JSON here. A real model's input is always an object.
                let input: Value =
                    serde_json::from_str(input).unwrap_or_else(|_| json!({"unparsable": input}));
                json!({"type": "tool_use", "id": "toolu_1", "name": name, "input": input})
            }
        }
    }

    fn events(&self, index: u8, over: bool) -> Vec<String> {
        let (begun, kind, field, text) = match self {
            Self::Text(text) => (json!({"type": "text", "text": ""}), "text_delta", "text", text),
            Self::Tool { name, input } => {
                let begun = json!({"type": "tool_use", "id": "toolu_1", "name": name, "input": {}});
                (begun, "input_json_delta", "partial_json", input)
            }
        };
        let mut events =
            vec![named(&json!({"type": "content_block_start", "index": index, "content_block": begun}))];
        events.extend(parts(text).into_iter().map(|part| {
            named(
                &json!({"type": "content_block_delta", "index": index, "delta": {"type": kind, field: part}}),
            )
        }));
        if over {
            events.push(named(&json!({"type": "content_block_stop", "index": index})));
        }
        events
    }
}

fn start(model: &Value, usage: &Value) -> String {
    named(&json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant",
        "model": model, "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage}}))
}
