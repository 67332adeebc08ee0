//! Reads an agent's report on a task: its state, texts and artifacts (`docs/design/0037-models-and-tools.md`).

use serde_json::Value;
use throughline_engine::data::call::{CallOutcome, QuestionField, RemoteQuestion, RemoteTask};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{TaskEnd, ToolFault};
use throughline_language::Expected;

use crate::outcome::{MAX_RESULT, rejected};

/// The state of a task. Version 0.3 had other names for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Working,
    InputRequired,
    Over,
    Completed,
    Canceled,
}

fn state(word: &str) -> Option<State> {
    let word = word.trim_start_matches("TASK_STATE_").to_lowercase().replace('-', "_");
    Some(match word.as_str() {
        "submitted" | "working" => State::Working,
        "input_required" => State::InputRequired,
        "auth_required" | "rejected" | "failed" => State::Over,
        "completed" => State::Completed,
        "canceled" | "cancelled" => State::Canceled,
        _ => return None,
    })
}

/// Reads the answer to a message: a new task, or a text at once.
pub(super) fn answer(result: &Value, outward: bool) -> Attempt<CallOutcome> {
    match (&result["task"], &result["message"]) {
        (task @ Value::Object(_), _) => report(task, outward),
        (_, message @ Value::Object(_)) => within_limit(words(&message["parts"]), outward),
        // Version 0.3 has either as the answer itself.
        _ if result["status"].is_object() => report(result, outward),
        _ if result["parts"].is_array() => within_limit(words(&result["parts"]), outward),
        _ => Attempt::Unknown { why: ToolFault::NoTaskOrMessage.into() },
    }
}

/// Reads a task.
pub(super) fn report(task: &Value, outward: bool) -> Attempt<CallOutcome> {
    let unknown = |why: ToolFault| Attempt::Unknown { why: why.into() };
    let Some(remote) = task["id"].as_str().filter(|id| !id.is_empty()).map(str::to_owned) else {
        return unknown(ToolFault::TaskUnnamed);
    };
    let said = words(&task["status"]["message"]["parts"]);
    let Some(state) = task["status"]["state"].as_str().and_then(state) else {
        return unknown(ToolFault::TaskUnclear);
    };
    match state {
        State::Working => Attempt::Applied(CallOutcome::Underway(RemoteTask::at(remote, shorten(said)))),
        State::InputRequired => {
            let fields = vec![QuestionField { name: String::new(), expected: Expected::Text }];
            Attempt::Applied(CallOutcome::Asked(RemoteQuestion { remote, text: shorten(said), fields }))
        }
        State::Over => rejected(over(task, said)),
        State::Canceled => Attempt::Applied(CallOutcome::Stopped(shorten(said))),
        State::Completed => {
            let made = task["artifacts"].as_array().map(Vec::as_slice).unwrap_or_default();
            let made: Vec<String> = made.iter().map(|artifact| words(&artifact["parts"])).collect();
            let made: Vec<String> = made.into_iter().filter(|text| !text.is_empty()).collect();
            within_limit(if made.is_empty() { said } else { made.join("\n\n") }, outward)
        }
    }
}

/// The reason there is no result, by the agent or by its state.
fn over(task: &Value, said: String) -> ToolFault {
    let state =
        task["status"]["state"].as_str().unwrap_or_default().trim_start_matches("TASK_STATE_").to_lowercase();
    let how = match state.as_str() {
        "auth_required" | "auth-required" => TaskEnd::SignIn,
        "rejected" => TaskEnd::Refused,
        _ => TaskEnd::Failed,
    };
    if said.is_empty() { ToolFault::Ended { how } } else { ToolFault::EndedWith { how, why: shorten(said) } }
}

/// An agent's result, if it is not too long. Something that was changed at the agent is changed all the same.
fn within_limit(text: String, outward: bool) -> Attempt<CallOutcome> {
    match (text.len() <= MAX_RESULT, outward) {
        (true, _) => Attempt::Applied(CallOutcome::Said(text)),
        (false, true) => {
            Attempt::Applied(CallOutcome::Said("(its answer is longer than 256 KiB and is not shown)".into()))
        }
        (false, false) => rejected(ToolFault::AnswerLong),
    }
}

/// Cuts an interim text.
fn shorten(text: String) -> String {
    const CHARS: usize = 4_000;
    if text.len() <= CHARS { text } else { text.chars().take(CHARS).collect() }
}

/// The text of parts; a part that is not text is named.
fn words(parts: &Value) -> String {
    let part = |part: &Value| match part {
        part if part["text"].is_string() => part["text"].as_str().map(str::to_owned),
        part if !part["data"].is_null() => Some(part["data"].to_string()),
        part => Some(format!(
            "[file {}]",
            part["filename"].as_str().or(part["file"]["name"].as_str()).unwrap_or("without a name")
        )),
    };
    let parts: Vec<String> = parts.as_array().into_iter().flatten().filter_map(part).collect();
    parts.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn task(state: &str, said: &str) -> Value {
        json!({"id": "t1", "contextId": "c", "status": {"state": state, "message": {"parts": [{"text": said}]}},
               "artifacts": [{"name": "out", "parts": [{"text": "made"}, {"data": {"n": 1}}, {"raw": "AA==", "filename": "a.bin"}]}]})
    }

    #[test]
    fn every_state_of_the_table_under_both_names() {
        for (new, old) in [
            ("TASK_STATE_SUBMITTED", "submitted"),
            ("TASK_STATE_WORKING", "working"),
            ("TASK_STATE_INPUT_REQUIRED", "input-required"),
            ("TASK_STATE_AUTH_REQUIRED", "auth-required"),
            ("TASK_STATE_REJECTED", "rejected"),
            ("TASK_STATE_FAILED", "failed"),
            ("TASK_STATE_COMPLETED", "completed"),
            ("TASK_STATE_CANCELED", "canceled"),
        ] {
            assert_eq!(report(&task(new, "x"), false), report(&task(old, "x"), false), "{new}");
        }
        let of = |state| report(&task(state, "half done"), false);
        let underway = RemoteTask::at("t1", "half done");
        assert_eq!(of("working"), Attempt::Applied(CallOutcome::Underway(underway)));
        assert!(
            matches!(of("input-required"), Attempt::Applied(CallOutcome::Asked(asked)) if asked.text == "half done" && asked.remote == "t1")
        );
        assert_eq!(
            of("completed"),
            Attempt::Applied(CallOutcome::Said("made\n{\"n\":1}\n[file a.bin]".into()))
        );
        assert_eq!(of("canceled"), Attempt::Applied(CallOutcome::Stopped("half done".into())));
        assert_eq!(
            of("failed"),
            rejected(ToolFault::EndedWith { how: TaskEnd::Failed, why: "half done".into() })
        );
        assert_eq!(
            of("auth-required"),
            rejected(ToolFault::EndedWith { how: TaskEnd::SignIn, why: "half done".into() })
        );
        assert!(matches!(of("TASK_STATE_UNSPECIFIED"), Attempt::Unknown { .. }));
    }

    #[test]
    fn what_is_no_answer_is_unknown_and_what_is_too_long_is_not_taken() {
        for odd in [
            json!(null),
            json!({}),
            json!({"task": {"status": {"state": "working"}}}),
            json!([1]),
            json!("x"),
        ] {
            assert!(matches!(answer(&odd, false), Attempt::Unknown { .. }), "{odd}");
        }
        let long = json!({"message": {"parts": [{"text": "x".repeat(MAX_RESULT + 1)}]}});
        assert!(matches!(answer(&long, false), Attempt::Rejected { .. }));
        assert!(
            matches!(answer(&long, true), Attempt::Applied(CallOutcome::Said(text)) if text.contains("256 KiB"))
        );
        let said = json!({"message": {"parts": [{"kind": "text", "text": "hello"}]}});
        assert_eq!(answer(&said, false), Attempt::Applied(CallOutcome::Said("hello".into())));
    }
}
