//! What a reply comes to, by what it is made of; the wire itself is tried in `tests/http.rs`.

use serde_json::json;

use super::*;

fn said(kind: Kind, content_type: &str, body: &str) -> Verdict {
    let mut reading = Reading::new(kind, content_type);
    for chunk in body.as_bytes().chunks(7) {
        if !reading.more(chunk) {
            return Reading::too_long();
        }
    }
    reading.end()
}

#[test]
fn a_line_may_come_in_pieces_and_end_in_any_way() {
    let body = "event: x\r\ndata:{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Grü\"}}]}\r\n\r\n: ping\n\n\
        data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ße\"},\"finish_reason\":\"stop\"}]}";
    let verdict = said(Kind::OpenAiChat, "text/event-stream", body);
    assert_eq!(verdict, Verdict::Said { text: "Grüße".into(), usage: None });
}

#[test]
fn words_beyond_the_limit_are_not_waited_for() {
    let part = "x".repeat(4_096);
    let event = format!("data: {}\n", json!({"choices": [{"index": 0, "delta": {"content": part}}]}));
    let mut reading = Reading::new(Kind::OpenAiChat, "text/event-stream");
    let taken = (0..100).take_while(|_| reading.more(event.as_bytes())).count();
    assert_eq!(taken, 64, "256 KiB and no more");
    let mut document = Reading::new(Kind::Anthropic, "application/json");
    assert!(document.more(&vec![b' '; 4 * 1024 * 1024]) && !document.more(b" "));
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
        assert!(matches!(said(Kind::OpenAiChat, content_type, body), Verdict::Unknown(_)), "{body}");
    }
}

#[test]
fn an_endpoint_is_asked_for_less_until_there_is_nothing_less() {
    let full = Takes::everything(false);
    let chat = |takes: Takes, words: &str| takes.without(words, Kind::OpenAiChat);
    let object =
        chat(full, "Invalid parameter: 'response_format' of type 'json_schema' is not supported").unwrap();
    let plain = chat(object, "response_format.type must be text").unwrap();
    assert_eq!((object.form, plain.form), (Form::Object, Form::Plain));
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
