//! Interprets answers of the Web API: whether a call was applied, refused or is unknown
//! (`docs/design/0031-effects-and-retries.md`). Pure.

use serde_json::Value;
use throughline_engine::Millis;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{Fault, SendingFault};
use throughline_net::{Response, TransportError};

/// The meaning of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The call was applied; the whole answer.
    Applied(Value),
    /// The state was as asked for already.
    Already,
    /// The message to change is gone, or can be changed no more.
    Gone,
    /// The message is not written piece by piece any more: its time is over, or somebody stopped it.
    NotStreaming,
    /// The blocks are too long or not as Slack wants them. Nothing was sent.
    Blocks(String),
    /// The trigger was used or is older than three seconds.
    TriggerOver,
    /// The app may not write there: it was removed, the channel is archived or not known to it.
    Closed(String),
    /// The token lacks a scope.
    MissingScope {
        /// The scope.
        needed: String,
    },
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
    /// The message that was looked for is not there, or not yet.
    Absent,
    /// The message that was looked for may be there: not everything can be read, for this reason.
    Unreadable(String),
}

/// The meaning of an error, given its words.
type Meaning = fn(String) -> Answer;

/// The meanings of errors of the Web API. One that is not listed is a refusal.
const ERRORS: [(&str, Meaning); 46] = [
    ("already_reacted", |_| Answer::Already),
    ("no_reaction", |_| Answer::Already),
    ("message_not_found", |_| Answer::Gone),
    ("cant_update_message", |_| Answer::Gone),
    ("edit_window_closed", |_| Answer::Gone),
    ("update_failed", |_| Answer::Gone),
    ("message_not_in_streaming_state", |_| Answer::NotStreaming),
    ("stopped_by_user", |_| Answer::NotStreaming),
    ("msg_blocks_too_long", Answer::Blocks),
    ("msg_too_long", Answer::Blocks),
    ("invalid_blocks", Answer::Blocks),
    ("invalid_blocks_format", Answer::Blocks),
    ("expired_trigger_id", |_| Answer::TriggerOver),
    ("exchanged_trigger_id", |_| Answer::TriggerOver),
    ("invalid_trigger_id", |_| Answer::TriggerOver),
    ("trigger_exchanged", |_| Answer::TriggerOver),
    ("trigger_expired", |_| Answer::TriggerOver),
    ("channel_not_found", Answer::Closed),
    ("not_in_channel", Answer::Closed),
    ("is_archived", Answer::Closed),
    ("is_inactive", Answer::Closed),
    ("restricted_action", Answer::Closed),
    ("restricted_action_thread_locked", Answer::Closed),
    ("restricted_action_read_only_channel", Answer::Closed),
    ("user_not_in_channel", Answer::Closed),
    ("messages_tab_disabled", Answer::Closed),
    ("cannot_dm_bot", Answer::Closed),
    ("not_authed", Answer::Unauthorized),
    ("invalid_auth", Answer::Unauthorized),
    ("account_inactive", Answer::Unauthorized),
    ("token_revoked", Answer::Unauthorized),
    ("token_expired", Answer::Unauthorized),
    ("no_permission", Answer::Unauthorized),
    ("org_login_required", Answer::Unauthorized),
    ("team_access_not_granted", Answer::Unauthorized),
    ("two_factor_setup_required", Answer::Unauthorized),
    ("ratelimited", |_| Answer::TooMany { hint: None }),
    ("rate_limited", |_| Answer::TooMany { hint: None }),
    ("message_limit_exceeded", |_| Answer::TooMany { hint: None }),
    ("accesslimited", |_| Answer::TooMany { hint: None }),
    ("internal_error", Answer::Unknown),
    ("fatal_error", Answer::Unknown),
    ("service_unavailable", Answer::Unknown),
    ("request_timeout", Answer::Unknown),
    ("team_added_to_org", Answer::Unknown),
    ("external_channel_migrating", Answer::Unknown),
];

/// Interprets a response, or the lack of one.
#[must_use]
pub fn classify(outcome: Result<Response, TransportError>) -> Answer {
    let response = match outcome {
        Ok(response) => response,
        Err(TransportError::NotSent(why)) => return Answer::NotSent(why),
        Err(TransportError::Lost(why)) => return Answer::Unknown(why),
    };
    let hint = response.header("retry-after").and_then(throughline_net::retry_after);
    if response.status == 429 {
        return Answer::TooMany { hint };
    }
    let Ok(body) = serde_json::from_slice::<Value>(&response.body) else {
        return Answer::Unknown(format!("an answer with status {} that cannot be read", response.status));
    };
    if body["ok"] == true && (200..300).contains(&response.status) {
        return Answer::Applied(body);
    }
    let (true, Some(error)) = (body["ok"] == false, body["error"].as_str()) else {
        return Answer::Unknown(format!("an answer with status {} that cannot be read", response.status));
    };
    match error {
        "missing_scope" => {
            Answer::MissingScope { needed: body["needed"].as_str().unwrap_or("an unnamed scope").into() }
        }
        "ratelimited" | "rate_limited" => Answer::TooMany { hint },
        error => match ERRORS.iter().find(|(name, _)| *name == error) {
            Some((_, means)) => means(explained(error, &body)),
            None => Answer::Rejected(explained(error, &body)),
        },
    }
}

/// The error with what Slack says about it.
fn explained(error: &str, body: &Value) -> String {
    let more = body["response_metadata"]["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let more: Vec<&str> = more.iter().filter_map(Value::as_str).take(3).collect();
    if more.is_empty() { error.to_owned() } else { format!("{error}: {}", more.join("; ")) }
}

impl Answer {
    /// The outcome of an attempt, where the caller has no better reaction.
    #[must_use]
    pub fn attempt(self) -> Attempt<Value> {
        let rejected = |text: Fault| Attempt::Rejected { text, errors: Vec::new() };
        match self {
            Self::Applied(answer) => Attempt::Applied(answer),
            Self::Already => Attempt::Applied(Value::Null),
            Self::Gone => rejected(SendingFault::Gone.into()),
            Self::NotStreaming => rejected(SendingFault::Complete.into()),
            Self::TriggerOver => rejected(SendingFault::TooLate.into()),
            Self::MissingScope { needed } => {
                rejected(SendingFault::RightMissing { channel: "Slack".into(), right: needed }.into())
            }
            Self::Closed(why) => rejected(SendingFault::NotLet { channel: "Slack".into(), why }.into()),
            Self::Blocks(why) | Self::Rejected(why) => rejected(Fault::Said(why)),
            Self::Unauthorized(why) | Self::NotSent(why) => {
                Attempt::NotApplied { why: Fault::Said(why), hint: None }
            }
            Self::TooMany { hint } => {
                Attempt::NotApplied { why: SendingFault::Slower { channel: "Slack".into() }.into(), hint }
            }
            Self::Unknown(why) => Attempt::Unknown { why: Fault::Said(why) },
            Self::Absent => {
                Attempt::Unknown { why: SendingFault::NotThere { channel: "Slack".into() }.into() }
            }
            Self::Unreadable(why) => {
                Attempt::Unknown { why: SendingFault::NotReadable { channel: "Slack".into(), why }.into() }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};
    use serde_json::json;

    use super::*;

    fn answer(status: u16, body: &Value) -> Answer {
        classify(Ok(Response { status, body: body.to_string().into_bytes(), ..Response::default() }))
    }

    fn error(name: &str) -> Answer {
        answer(200, &json!({"ok": false, "error": name}))
    }

    #[test]
    fn each_answer_proves_what_it_proves() {
        assert!(matches!(answer(200, &json!({"ok": true, "ts": "1.2"})), Answer::Applied(_)));
        assert_eq!(error("already_reacted"), Answer::Already);
        assert_eq!(error("message_not_found"), Answer::Gone);
        assert_eq!(error("expired_trigger_id"), Answer::TriggerOver);
        assert!(matches!(error("channel_not_found"), Answer::Closed(_)));
        assert!(matches!(error("token_revoked"), Answer::Unauthorized(_)));
        assert!(matches!(error("fatal_error"), Answer::Unknown(_)));
        assert!(matches!(error("something_new"), Answer::Rejected(_)));
        let scope = json!({"ok": false, "error": "missing_scope", "needed": "chat:write", "provided": "x"});
        assert_eq!(answer(200, &scope), Answer::MissingScope { needed: "chat:write".into() });
        let blocks = json!({"ok": false, "error": "invalid_blocks", "response_metadata": {"messages":
            ["[ERROR] must be less than 76 characters [json-pointer:/blocks/0/text]"]}});
        assert!(matches!(answer(200, &blocks), Answer::Blocks(why) if why.contains("less than 76")));
    }

    #[test]
    fn the_errors_are_each_listed_once() {
        let mut names: Vec<&str> = ERRORS.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ERRORS.len());
    }

    #[test]
    fn a_wait_is_in_the_header() {
        let body = json!({"ok": false, "error": "ratelimited"}).to_string().into_bytes();
        let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static("30"))]);
        let response = Response { status: 429, headers, body };
        assert_eq!(classify(Ok(response)), Answer::TooMany { hint: Some(30_000) });
    }

    #[test]
    fn what_nobody_can_read_is_unknown() {
        for (status, body) in
            [(200, "<html>"), (200, "{}"), (502, "bad gateway"), (200, "{\"ok\":tr"), (400, "[]"), (500, "")]
        {
            let response = Response { status, body: body.into(), ..Response::default() };
            assert!(matches!(classify(Ok(response)), Answer::Unknown(_)), "{status} {body}");
        }
        let lost = classify(Err(TransportError::Lost("reset".into())));
        assert!(matches!(lost.attempt(), Attempt::Unknown { .. }));
        let refused = classify(Err(TransportError::NotSent("refused".into())));
        assert!(matches!(refused.attempt(), Attempt::NotApplied { .. }));
    }
}
