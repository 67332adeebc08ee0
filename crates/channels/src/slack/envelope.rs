//! Reads the frames of Socket Mode and makes their acknowledgements. Pure and total.

use serde_json::{Value, json};

use super::inbound::Delivery;

/// A frame, as far as it counts.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    /// The socket is ready.
    Hello {
        /// The app's id, if it is told.
        app: Option<String>,
    },
    /// The socket will be closed: another one has to be opened.
    Disconnect {
        /// `warning`, `refresh_requested`, `link_disabled`, …
        reason: String,
    },
    /// A delivery, to be acknowledged by its id.
    Envelope {
        /// The id.
        id: String,
        /// The way it would have come over HTTP; `None` for a kind that is not known.
        delivery: Option<Delivery>,
        /// The payload.
        payload: Value,
        /// True if an answer may be part of the acknowledgement.
        answers: bool,
    },
    /// Anything else: it is left alone.
    Other,
}

/// Reads a text frame.
#[must_use]
pub fn read(text: &str) -> Frame {
    let Ok(mut frame) = serde_json::from_str::<Value>(text) else { return Frame::Other };
    let kind = frame["type"].as_str().unwrap_or_default().to_owned();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match kind.as_str() {
        "hello" => Frame::Hello { app: frame["connection_info"]["app_id"].as_str().map(str::to_owned) },
        "disconnect" => Frame::Disconnect { reason: text(&frame["reason"]) },
        _ => match text(&frame["envelope_id"]) {
            id if id.is_empty() => Frame::Other,
            id => Frame::Envelope {
                id,
                delivery: delivery(&kind),
                answers: frame["accepts_response_payload"] == true,
                payload: frame["payload"].take(),
            },
        },
    }
}

fn delivery(kind: &str) -> Option<Delivery> {
    match kind {
        "events_api" => Some(Delivery::Event),
        "interactive" => Some(Delivery::Interaction),
        "slash_commands" => Some(Delivery::Command),
        _ => None,
    }
}

/// The acknowledgement of an envelope, with the answer that it takes.
#[must_use]
pub fn acknowledgement(id: &str, answer: Option<&Value>) -> String {
    match answer {
        Some(payload) => json!({"envelope_id": id, "payload": payload}).to_string(),
        None => json!({"envelope_id": id}).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_and_nothing_fails() {
        assert_eq!(
            read(r#"{"type":"hello","num_connections":1,"connection_info":{"app_id":"A1"}}"#),
            Frame::Hello { app: Some("A1".into()) }
        );
        let refresh = read(r#"{"type":"disconnect","reason":"refresh_requested","debug_info":{}}"#);
        assert_eq!(refresh, Frame::Disconnect { reason: "refresh_requested".into() });
        let text = r#"{"envelope_id":"e1","type":"slash_commands","accepts_response_payload":true,"payload":{"a":1}}"#;
        let Frame::Envelope { id, delivery, payload, answers } = read(text) else { panic!() };
        assert_eq!((id.as_str(), delivery, answers), ("e1", Some(Delivery::Command), true));
        assert_eq!(payload, json!({"a": 1}));
        let text = r#"{"envelope_id":"e1","type":"holiday","payload":{}}"#;
        assert!(matches!(read(text), Frame::Envelope { delivery: None, .. }));
        for text in ["", "Ping from applink", "[]", "7", "{}", r#"{"type":"events_api"}"#] {
            assert_eq!(read(text), Frame::Other, "{text}");
        }
    }

    #[test]
    fn an_acknowledgement_names_its_envelope() {
        assert_eq!(acknowledgement("e1", None), r#"{"envelope_id":"e1"}"#);
        let answer = json!({"response_action": "clear"});
        let said: Value = serde_json::from_str(&acknowledgement("e1", Some(&answer))).unwrap();
        assert_eq!(said, json!({"envelope_id": "e1", "payload": answer}));
    }
}
