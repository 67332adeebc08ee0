//! `POST /v1/responses`, as `OpenAI` documents it.

use axum::http::HeaderMap;
use serde_json::{Value, json};

use super::chat::bearer;
use super::schema::{published, require, strict};
use super::serve::{named, openai_error};
use super::{Answer, Behaviour, Wire, parts};

#[derive(Default)]
pub(super) struct Responses;

impl Wire for Responses {
    fn check(&self, body: &Value) -> Vec<String> {
        let mut wrong = published("CreateResponse", body);
        require(
            &mut wrong,
            body["model"].as_str().is_some_and(|model| !model.is_empty()),
            "you must provide a model",
        );
        require(
            &mut wrong,
            body["input"].as_str().is_some_and(|input| !input.is_empty()),
            "there is no input",
        );
        // This is our rule, not the vendor's: messages must not be stored at the vendor.
        require(&mut wrong, body["store"] == false, "the response would be stored");
        let format = &body["text"]["format"];
        if format["type"] == "json_schema" {
            wrong.extend(strict(&format["name"], &format["schema"]));
            require(&mut wrong, format["strict"] == true, "the schema is not strict");
        }
        wrong
    }

    fn key(&self, headers: &HeaderMap) -> Option<String> {
        bearer(headers)
    }

    fn question(&self, body: &Value) -> (Value, String) {
        (body["text"]["format"]["schema"].clone(), body["input"].as_str().unwrap_or_default().into())
    }

    fn answer(&self, body: &Value, behaviour: &Behaviour, streamed: bool) -> Answer {
        let message = |n: u8, part: Value| json!({"id": format!("msg_{n}"), "type": "message", "role": "assistant", "status": "completed", "content": [part]});
        let text =
            |text: &str| json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []});
        let (said, output) = match behaviour {
            Behaviour::Say(said)
            | Behaviour::SayUncounted(said)
            | Behaviour::SayCounted(said, _)
            | Behaviour::Length(said) => (said.as_str(), vec![message(1, text(said))]),
            Behaviour::Two(said) => (said.as_str(), vec![message(1, text(said)), message(2, text(said))]),
            Behaviour::Refuse(said) => ("", vec![message(1, json!({"type": "refusal", "refusal": said}))]),
            Behaviour::CallTool(tool) => (
                "",
                vec![json!({"type": "function_call", "id": "fc_1", "call_id": "call_1",
                "name": tool, "arguments": "{}", "status": "completed"})],
            ),
            _ => ("", Vec::new()),
        };
        let (status, why) = match behaviour {
            Behaviour::Length(_) => ("incomplete", json!({"reason": "max_output_tokens"})),
            Behaviour::Filter => ("incomplete", json!({"reason": "content_filter"})),
            Behaviour::Fail => ("failed", Value::Null),
            _ => ("completed", Value::Null),
        };
        let counted = !matches!(behaviour, Behaviour::SayUncounted(_));
        let model = if counted { body["model"].clone() } else { json!("something-else-2") };
        let mut whole = json!({"id": "resp_1", "object": "response", "created_at": 1_700_000_000, "status": status,
            "error": null, "incomplete_details": why, "instructions": body["instructions"], "model": model,
            "output": output, "parallel_tool_calls": true, "store": false, "temperature": 0, "tool_choice": "auto",
            "tools": [], "top_p": 1, "metadata": {}});
        if counted {
            whole["usage"] = json!({"input_tokens": 120, "output_tokens": behaviour.output(), "total_tokens": behaviour.output().saturating_add(120),
                "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}});
        }
        if matches!(behaviour, Behaviour::Fail) {
            whole["error"] = json!({"code": "server_error", "message": "the server had an error"});
        }
        if !streamed {
            return Answer::Document(whole.to_string());
        }
        let mut events = self.partial_answer(body, said);
        if !said.is_empty() {
            let (done, part) = (message(1, text(said)), text(said));
            for mut event in [
                json!({"type": "response.output_text.done", "text": said, "logprobs": []}),
                json!({"type": "response.content_part.done", "part": part}),
                json!({"type": "response.output_item.done", "item": done}),
            ] {
                place(&mut event);
                events.push(named(&event));
            }
        }
        let end = json!({"type": format!("response.{status}"), "sequence_number": 99, "response": whole});
        events.push(named(&end));
        Answer::Events(events)
    }

    fn partial_answer(&self, body: &Value, text: &str) -> Vec<String> {
        let begun = json!({"id": "resp_1", "object": "response", "created_at": 1_700_000_000, "status": "in_progress",
            "model": body["model"], "output": [], "parallel_tool_calls": true, "tool_choice": "auto", "tools": []});
        let mut events = vec![json!({"type": "response.created", "response": begun})];
        if !text.is_empty() {
            let item = json!({"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []});
            events.push(json!({"type": "response.output_item.added", "item": item}));
            let part = json!({"type": "output_text", "text": "", "annotations": [], "logprobs": []});
            events.push(json!({"type": "response.content_part.added", "part": part}));
        }
        let delta = |part| json!({"type": "response.output_text.delta", "delta": part, "logprobs": []});
        events.extend(parts(text).into_iter().map(delta));
        events.iter_mut().for_each(place);
        events.iter().map(named).collect()
    }

    fn error(&self, status: u16, text: &str) -> Value {
        openai_error(status, text)
    }
}

/// Adds the indexes and ids of the only message to an event.
fn place(event: &mut Value) {
    event["sequence_number"] = json!(1);
    event["output_index"] = json!(0);
    event["content_index"] = json!(0);
    event["item_id"] = json!("msg_1");
}
