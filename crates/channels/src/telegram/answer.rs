//! Interprets answers of the Bot API: whether a call was applied, refused or is unknown
//! (`docs/design/0031-effects-and-retries.md`). Pure.

use serde_json::Value;
use throughline_engine::Millis;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{Fault, SendingFault};
use throughline_net::{Response, TransportError};

/// The longest wait that is believed; a longer one is a mistake.
const LONGEST_HINT: Millis = 3_600_000;

/// The meaning of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The call was applied; its result.
    Applied(Value),
    /// The state was as asked for already: "message is not modified", "query is too old".
    Already,
    /// The message to edit is gone.
    Gone,
    /// Telegram cannot parse the text's formatting. Nothing was sent.
    Unparsable,
    /// The chat is a supergroup now, under this number. Nothing was sent.
    Moved(i64),
    /// The bot may not write there: blocked, removed, deactivated.
    Forbidden(String),
    /// Somebody else polls, or a webhook is set.
    Conflict(String),
    /// The token is refused.
    Unauthorized(String),
    /// Too many calls. Nothing was done.
    TooMany {
        /// The time to wait, if given.
        hint: Option<Millis>,
    },
    /// Refused for good.
    Rejected(String),
    /// The request was not sent.
    NotSent(String),
    /// It is not known whether the call was applied.
    Unknown(String),
}

/// Interprets a response, or the lack of one.
#[must_use]
pub fn classify(outcome: Result<Response, TransportError>) -> Answer {
    let response = match outcome {
        Ok(response) => response,
        Err(TransportError::NotSent(why)) => return Answer::NotSent(why),
        Err(TransportError::Lost(why)) => return Answer::Unknown(why),
    };
    let Ok(mut body) = serde_json::from_slice::<Value>(&response.body) else {
        return unreadable(response.status);
    };
    if body["ok"] == true && (200..300).contains(&response.status) {
        return Answer::Applied(body["result"].take());
    }
    let (true, Some(description)) = (body["ok"] == false, body["description"].as_str()) else {
        return unreadable(response.status);
    };
    let code =
        body["error_code"].as_u64().and_then(|code| u16::try_from(code).ok()).unwrap_or(response.status);
    let description = description.to_owned();
    let contains = |what: &str| description.to_lowercase().contains(what);
    match code {
        400 if contains("message is not modified") || contains("query is too old") => Answer::Already,
        400 if contains("message to edit not found") || contains("message_id_invalid") => Answer::Gone,
        400 if contains("message can't be edited") => Answer::Gone,
        400 if contains("can't parse entities") => Answer::Unparsable,
        400 => match body["parameters"]["migrate_to_chat_id"].as_i64() {
            Some(chat) => Answer::Moved(chat),
            None => Answer::Rejected(description),
        },
        401 => Answer::Unauthorized(description),
        403 => Answer::Forbidden(description),
        409 => Answer::Conflict(description),
        429 => {
            Answer::TooMany { hint: hint(&body["parameters"]["retry_after"], response.header("retry-after")) }
        }
        408 | 500.. => Answer::Unknown(description),
        _ => Answer::Rejected(description),
    }
}

/// Interprets a response that is not the Bot API's: a proxy's page, or half of one.
fn unreadable(status: u16) -> Answer {
    match status {
        429 => Answer::TooMany { hint: None },
        _ => Answer::Unknown(format!("an answer with status {status} that cannot be read")),
    }
}

/// The larger of the two valid waits, in whole seconds rounded up.
fn hint(parameter: &Value, header: Option<&str>) -> Option<Millis> {
    let header = header.and_then(|text| text.trim().parse::<f64>().ok());
    let seconds = [parameter.as_f64(), header].into_iter().flatten().filter(|seconds| *seconds > 0.0);
    let most = seconds.fold(0.0, f64::max).min(3_600.0).ceil();
    #[expect(clippy::cast_possible_truncation, reason = "between 0 and 3,600")]
    let wait = (most as Millis) * 1_000;
    (wait > 0).then_some(wait.min(LONGEST_HINT))
}

impl Answer {
    /// The outcome of an attempt, where the caller has no better reaction.
    #[must_use]
    pub fn attempt(self) -> Attempt<Value> {
        let rejected = |text: Fault| Attempt::Rejected { text, errors: Vec::new() };
        match self {
            Self::Applied(result) => Attempt::Applied(result),
            Self::Already => Attempt::Applied(Value::Null),
            Self::Gone => rejected(SendingFault::Gone.into()),
            Self::Unparsable => rejected(SendingFault::MarksUnread { channel: "Telegram".into() }.into()),
            Self::Moved(_) => rejected(SendingFault::Moved.into()),
            Self::Forbidden(why) | Self::Rejected(why) => rejected(Fault::Said(why)),
            Self::Conflict(why) | Self::Unauthorized(why) | Self::NotSent(why) => {
                Attempt::NotApplied { why: Fault::Said(why), hint: None }
            }
            Self::TooMany { hint } => {
                Attempt::NotApplied { why: SendingFault::Slower { channel: "Telegram".into() }.into(), hint }
            }
            Self::Unknown(why) => Attempt::Unknown { why: Fault::Said(why) },
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(status: u16, body: &Value) -> Answer {
        classify(Ok(Response { status, body: body.to_string().into_bytes(), ..Response::default() }))
    }

    fn error(code: u16, description: &str) -> Answer {
        answer(code, &json!({"ok": false, "error_code": code, "description": description}))
    }

    #[test]
    fn each_answer_proves_what_it_proves() {
        assert_eq!(answer(200, &json!({"ok": true, "result": 7})), Answer::Applied(json!(7)));
        let same = "Bad Request: message is not modified: specified new message content and reply markup are exactly \
                    the same as a current content and reply markup of the message";
        assert_eq!(error(400, same), Answer::Already);
        let late = "Bad Request: query is too old and response timeout expired or query ID is invalid";
        assert_eq!(error(400, late), Answer::Already);
        assert_eq!(error(400, "Bad Request: message to edit not found"), Answer::Gone);
        let marks = "Bad Request: can't parse entities: Unsupported start tag \"x\" at byte offset 0";
        assert_eq!(error(400, marks), Answer::Unparsable);
        assert!(matches!(error(400, "Bad Request: chat not found"), Answer::Rejected(_)));
        assert!(matches!(error(403, "Forbidden: bot was blocked by the user"), Answer::Forbidden(_)));
        assert!(matches!(error(401, "Unauthorized"), Answer::Unauthorized(_)));
        assert!(matches!(error(502, "Bad Gateway"), Answer::Unknown(_)));
        let moved = json!({"ok": false, "error_code": 400, "parameters": {"migrate_to_chat_id": -1007},
            "description": "Bad Request: group chat was upgraded to a supergroup chat"});
        assert_eq!(answer(400, &moved), Answer::Moved(-1007));
    }

    /// Not a number, zero or negative means no hint; a fraction is rounded up.
    #[test]
    fn the_larger_valid_hint_counts() {
        let hint = |parameter: Value, header: Option<&str>| super::hint(&parameter, header);
        assert_eq!(hint(json!(7), None), Some(7_000));
        assert_eq!(hint(json!(7), Some("30")), Some(30_000));
        assert_eq!(hint(Value::Null, Some("1.5")), Some(2_000));
        for nothing in ["0", "-1", "abc", ""] {
            assert_eq!(hint(Value::Null, Some(nothing)), None, "{nothing:?}");
        }
        assert_eq!(hint(json!(999_999), None), Some(3_600_000));
    }

    #[test]
    fn what_nobody_can_read_is_unknown() {
        for (status, body) in
            [(200, "<html>"), (200, "{}"), (502, "bad gateway"), (200, "{\"ok\":tr"), (400, "[]")]
        {
            let response = Response { status, body: body.into(), ..Response::default() };
            assert!(matches!(classify(Ok(response)), Answer::Unknown(_)), "{status} {body}");
        }
        assert!(matches!(
            classify(Err(TransportError::Lost("reset".into()))).attempt(),
            Attempt::Unknown { .. }
        ));
        assert!(matches!(
            classify(Err(TransportError::NotSent("refused".into()))).attempt(),
            Attempt::NotApplied { .. }
        ));
    }
}
