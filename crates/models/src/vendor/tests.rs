//! The outcome of replies by their content; the wire formats are tried over HTTP in `tests/http`.

use serde_json::json;

use super::reply::error_word;
use super::request::JsonMode;
use super::*;

fn read(kind: Kind, content_type: &str, body: &str) -> CallOutcome {
    let mut reader = ReplyReader::new(kind, content_type);
    for chunk in body.as_bytes().chunks(7) {
        if !reader.push(chunk) {
            return ReplyReader::too_long();
        }
    }
    reader.finish()
}

#[test]
fn a_line_may_come_in_pieces_and_end_in_any_way() {
    let body = "event: x\r\ndata:{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Grü\"}}]}\r\n\r\n: ping\n\n\
        data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ße\"},\"finish_reason\":\"stop\"}]}";
    let outcome = read(Kind::OpenAiChat, "text/event-stream", body);
    assert_eq!(outcome, CallOutcome::Answered { text: "Grüße".into(), usage: None });
}

#[test]
fn words_beyond_the_limit_are_not_waited_for() {
    let part = "x".repeat(4_096);
    let event = format!("data: {}\n", json!({"choices": [{"index": 0, "delta": {"content": part}}]}));
    let mut reader = ReplyReader::new(Kind::OpenAiChat, "text/event-stream");
    let taken = (0..100).take_while(|_| reader.push(event.as_bytes())).count();
    assert_eq!(taken, 64, "256 KiB and no more");
    let mut document = ReplyReader::new(Kind::Anthropic, "application/json");
    assert!(document.push(&vec![b' '; 4 * 1024 * 1024]) && !document.push(b" "));
}

#[test]
fn what_is_no_reply_is_not_understood() {
    for (content_type, body) in [
        ("application/json", "<html>"),
        ("application/json", "[]"),
        ("", "null"),
        ("text/event-stream", "data: {\"choices\":\n\n"),
        ("text/event-stream", ""),
        ("text/event-stream", "data: {}\n\n"),
    ] {
        assert!(matches!(read(Kind::OpenAiChat, content_type, body), CallOutcome::Unknown(_)), "{body}");
    }
}

#[test]
fn an_endpoint_is_asked_for_less_until_there_is_nothing_less() {
    let full = Features::everything(false);
    let chat = |features: Features, words: &str| features.without(words, Kind::OpenAiChat);
    let object =
        chat(full, "Invalid parameter: 'response_format' of type 'json_schema' is not supported").unwrap();
    let plain = chat(object, "response_format.type must be text").unwrap();
    assert_eq!((object.json_mode, plain.json_mode), (JsonMode::Object, JsonMode::Plain));
    assert_eq!(chat(plain, "response_format is unknown"), None);
    assert!(!chat(full, "Unsupported value: 'temperature' does not support 0").unwrap().temperature);
    assert!(!chat(full, "Use 'max_completion_tokens' instead.").unwrap().max_tokens);
    assert!(!chat(full, "unknown field: stream_options").unwrap().usage);
    assert_eq!(chat(full, "maximum context length is 4096 tokens"), None, "too long stays too long");
    assert_eq!(full.without("json_schema is not supported", Kind::Anthropic), None);
}

#[test]
fn an_error_is_named_by_a_word_and_never_by_a_sentence() {
    assert_eq!(
        error_word(&json!({"type": "overloaded_error", "message": "secret prompt"})),
        "overloaded_error"
    );
    assert_eq!(error_word(&json!({"type": "the prompt was: hello", "message": "x"})), "an error");
    assert_eq!(error_word(&json!("secret")), "an error");
}
