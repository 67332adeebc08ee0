//! Interprets answers of Linear: whether a request was applied, refused or is unknown
//! (`docs/design/0031-effects-and-retries.md`). Pure.

use std::time::SystemTime;

use serde::Deserialize;
use serde_json::Value;
use throughline_engine::Millis;
use throughline_engine::data::fault::{Fault, FieldFault, TrackerFault};
use throughline_net::{Response, TransportError, retry_after, retry_after_at};

use crate::remote::{self, Refused};

/// The time to wait for the end of a limit that Linear gives no time for.
const USUAL_WAIT: Millis = 60_000;

/// The meaning of an answer of Linear.
pub(super) type Answer = remote::Answer<Refusal>;

/// A refusal in Linear's words.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Refusal {
    errors: Vec<Error>,
}

/// One thing that is wrong.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Error {
    message: String,
    extensions: Extensions,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Extensions {
    code: String,
    #[serde(rename = "type")]
    kind: String,
    user_error: bool,
    user_presentable_message: String,
    /// Objects with a `property`.
    validation_errors: Vec<Value>,
}

/// The body of an answer.
#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    data: Value,
    errors: Option<Vec<Error>>,
}

/// The sense of an error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sense {
    Credentials,
    Limit,
    Refused,
    Unknown,
}

impl Error {
    /// The sense of its code. Linear has two names for each, and says both.
    fn sense(&self) -> Sense {
        let Extensions { code, kind, user_error, .. } = &self.extensions;
        let named =
            |name: &str| [code, kind].iter().any(|text| text.to_uppercase().replace(' ', "_") == name);
        if named("RATELIMITED") {
            Sense::Limit
        } else if named("AUTHENTICATION_ERROR") || named("UNAUTHENTICATED") {
            Sense::Credentials
        } else if *user_error || REFUSALS.iter().any(|name| named(name)) {
            Sense::Refused
        } else {
            Sense::Unknown
        }
    }
}

/// The codes that prove that nothing was done.
const REFUSALS: [&str; 9] = [
    "INPUT_ERROR",
    "INVALID_INPUT",
    "USER_ERROR",
    "FORBIDDEN",
    "FEATURE_NOT_ACCESSIBLE",
    "USAGE_LIMIT_EXCEEDED",
    "GRAPHQL_ERROR",
    "GRAPHQL_VALIDATION_FAILED",
    "GRAPHQL_PARSE_FAILED",
];

/// Interprets a response, or the lack of one. `now` is for waits that end at a given time.
pub(super) fn classify(outcome: Result<Response, TransportError>, now: SystemTime) -> Answer {
    let response = match outcome {
        Ok(response) => response,
        Err(TransportError::NotSent(_)) => return Answer::NotSent,
        Err(TransportError::Lost(_)) => return Answer::Unknown(TrackerFault::Silent),
    };
    let status = response.status;
    let unknown = Answer::Unknown(TrackerFault::Failed { status });
    match status {
        401 => return Answer::Credentials,
        429 => return Answer::TooMany { hint: Some(hint(&response, now)) },
        // A time-out says nothing of what Linear did, whatever comes with it.
        408 => return unknown,
        200 | 400..=499 => {}
        _ => return unknown,
    }
    // Nor does a page of a proxy.
    let Ok(Body { data, errors }) = serde_json::from_slice::<Body>(&response.body) else { return unknown };
    match errors {
        None if status == 200 && data.is_object() => Answer::Done(data),
        None => unknown,
        Some(errors) => refused(errors, &data, &response, now).unwrap_or(unknown),
    }
}

/// The meaning of errors, unless they prove nothing.
fn refused(errors: Vec<Error>, data: &Value, response: &Response, now: SystemTime) -> Option<Answer> {
    // A thing that was asked for and is told was done, and what went wrong came after.
    let done = data.as_object().is_some_and(|told| told.values().any(|one| !one.is_null()));
    let all = |sense: Sense| !done && !errors.is_empty() && errors.iter().all(|error| error.sense() == sense);
    if all(Sense::Limit) {
        return Some(Answer::TooMany { hint: Some(hint(response, now)) });
    }
    if all(Sense::Credentials) {
        return Some(Answer::Credentials);
    }
    all(Sense::Refused).then_some(Answer::Refused(Refusal { errors }))
}

/// The time to wait: as asked for, else until what is used up is given anew.
fn hint(response: &Response, now: SystemTime) -> Millis {
    if let Some(asked) = response.header("retry-after").and_then(|text| retry_after_at(text, now)) {
        return asked;
    }
    let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
    let left = |what: &str| {
        let used_up = response.header(&format!("x-ratelimit-{what}-remaining")) == Some("0");
        let reset = response.header(&format!("x-ratelimit-{what}-reset")).filter(|_| used_up)?;
        // Counted in milliseconds.
        let seconds = reset.parse::<u128>().ok()?.saturating_sub(since).div_ceil(1_000);
        retry_after(&seconds.to_string())
    };
    ["requests", "endpoint-requests", "complexity"].into_iter().filter_map(left).max().unwrap_or(USUAL_WAIT)
}

impl Refusal {
    /// True if something with the id that was sent is there already.
    pub(super) fn is_conflict(&self) -> bool {
        self.errors.iter().any(|error| error.message.to_lowercase().starts_with("conflict on insert"))
    }
}

impl Refused for Refusal {
    fn is_absence(&self) -> bool {
        self.errors.iter().all(|error| error.message.to_lowercase().starts_with("entity not found"))
    }

    /// One fault for each error, with the part of the ticket that it is about.
    fn faults(self, _: &dyn Fn(&str) -> String) -> Vec<FieldFault> {
        self.errors.into_iter().map(fault).collect()
    }
}

/// The fault of an error, in the words that Linear has for people if it has any.
fn fault(error: Error) -> FieldFault {
    let field = part(&error);
    let forbidden = error.extensions.code.eq_ignore_ascii_case("FORBIDDEN");
    let (code, about) = match field {
        Some(field) => ("check.value", field),
        None if forbidden => ("check.permission", "project"),
        None => ("check.value", "issue"),
    };
    let presentable = error.extensions.user_presentable_message;
    let text = if presentable.is_empty() { error.message } else { presentable };
    FieldFault::new(code, about, Fault::Said(text))
}

/// The part of a ticket that an error is about: Linear says the name of the field in a list, or as the first word.
fn part(error: &Error) -> Option<&'static str> {
    let property = error.extensions.validation_errors.iter().find_map(|one| one["property"].as_str());
    match property.or_else(|| error.message.split_whitespace().next())? {
        "title" => Some("title"),
        "description" => Some("body"),
        "labelIds" => Some("labels"),
        "assigneeId" => Some("assignee"),
        "priority" => Some("priority"),
        "parentId" => Some("parent"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;
    use throughline_engine::Language;
    use throughline_engine::data::effect::Attempt;

    use super::*;

    fn answer(status: u16, body: &str, headers: &[(&'static str, &'static str)]) -> Answer {
        let headers =
            headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
        classify(Ok(Response { status, headers, body: body.into() }), now)
    }

    fn error(code: &str) -> Value {
        json!({"message": "no", "extensions": {"code": code}})
    }

    /// The answers to a write, and the meaning of each.
    #[test]
    fn an_answer_proves_what_it_says_and_no_more() {
        let outcome = |answer: Answer| match answer.done::<()>() {
            Ok(_) => "applied",
            Err(Attempt::Rejected { .. }) => "rejected",
            Err(Attempt::NotApplied { .. }) => "not applied",
            Err(Attempt::Unknown { .. }) => "unknown",
            Err(Attempt::Applied(())) => unreachable!(),
        };
        let done = json!({"issueCreate": {"success": true}});
        let none = json!({"issueCreate": null});
        let user = json!({"message": "no", "extensions": {"type": "strange", "userError": true}});
        let typed = json!({"message": "no", "extensions": {"type": "invalid input"}});
        let bare = json!({"message": "no"});
        let table = [
            (200, json!({"data": done}), "applied"),
            (200, json!({"data": null}), "unknown"),
            (200, json!({}), "unknown"),
            (200, json!([]), "unknown"),
            (200, json!({"errors": [error("INPUT_ERROR")], "data": null}), "rejected"),
            (200, json!({"errors": [error("INPUT_ERROR")], "data": none}), "rejected"),
            (200, json!({"errors": [error("INPUT_ERROR")], "data": done}), "unknown"),
            (200, json!({"errors": [user]}), "rejected"),
            (200, json!({"errors": [typed, error("FORBIDDEN")]}), "rejected"),
            (200, json!({"errors": [typed, error("INTERNAL_SERVER_ERROR")]}), "unknown"),
            (200, json!({"errors": [bare]}), "unknown"),
            (200, json!({"errors": []}), "unknown"),
            (200, json!({"errors": [error("LOCK_TIMEOUT")]}), "unknown"),
            (200, json!({"errors": [error("AUTHENTICATION_ERROR")]}), "not applied"),
            (200, json!({"errors": [error("RATELIMITED")]}), "not applied"),
            (400, json!({"errors": [error("INPUT_ERROR")]}), "rejected"),
            (400, json!({"errors": [error("GRAPHQL_VALIDATION_FAILED")]}), "rejected"),
            (400, json!({"errors": [error("RATELIMITED")]}), "not applied"),
            (400, json!({"errors": [error("RATELIMITED"), error("INPUT_ERROR")]}), "unknown"),
            (400, json!({"data": done}), "unknown"),
            (401, json!({"errors": [bare]}), "not applied"),
            (403, json!({"errors": [error("FORBIDDEN")]}), "rejected"),
            (404, json!({}), "unknown"),
            (408, json!({"errors": [error("INPUT_ERROR")]}), "unknown"),
            (429, json!({}), "not applied"),
            (500, json!({"errors": [error("INTERNAL_SERVER_ERROR")]}), "unknown"),
            (502, json!({"errors": [error("INPUT_ERROR")]}), "unknown"),
            (301, json!({"data": done}), "unknown"),
        ];
        for (status, body, expected) in table {
            assert_eq!(outcome(answer(status, &body.to_string(), &[])), expected, "{status} {body}");
        }
        for status in [200, 400, 403, 502] {
            assert_eq!(outcome(answer(status, "<html>Sorry</html>", &[])), "unknown", "{status}");
        }
        let lost = |error| outcome(classify(Err(error), SystemTime::UNIX_EPOCH));
        assert_eq!(lost(TransportError::NotSent("refused".into())), "not applied");
        assert_eq!(lost(TransportError::Lost("reset".into())), "unknown");
    }

    #[test]
    fn every_form_of_a_limit_is_read() {
        let limited = json!({"errors": [error("RATELIMITED")]}).to_string();
        let (none, some) = (("x-ratelimit-requests-remaining", "0"), ("x-ratelimit-requests-remaining", "9"));
        let reset = ("x-ratelimit-requests-reset", "1060500");
        let complex =
            [("x-ratelimit-complexity-remaining", "0"), ("x-ratelimit-complexity-reset", "1090000")];
        for (status, headers, hint) in [
            (400, &[("retry-after", "30"), none, reset][..], 30_000),
            (429, &[("retry-after", "30")], 30_000),
            (400, &[none, reset], 61_000),
            (400, &[some, reset], 60_000),
            (400, &complex, 90_000),
            (400, &[none, reset, complex[0], complex[1]], 90_000),
            (400, &[none, ("x-ratelimit-requests-reset", "99999999999")], 3_600_000),
            (400, &[none, ("x-ratelimit-requests-reset", "soon")], 60_000),
            (400, &[none, ("x-ratelimit-requests-reset", "5")], 60_000),
            (200, &[], 60_000),
        ] {
            assert_eq!(
                answer(status, &limited, headers),
                Answer::TooMany { hint: Some(hint) },
                "{status} {headers:?}"
            );
        }
    }

    #[test]
    fn a_refusal_is_told_in_the_words_for_people() {
        let refusal = |body: Value| match answer(200, &body.to_string(), &[]) {
            Answer::Refused(refusal) => refusal,
            other => panic!("{body}: {other:?}"),
        };
        let body = json!({"errors": [
            {"message": "labelIds not exclusive child labels", "extensions": {"code": "INPUT_ERROR",
                "userPresentableMessage": "Only one label of a group can be applied."}},
            {"message": "Argument Validation Error", "extensions": {"code": "INVALID_INPUT",
                "validationErrors": [{"property": "title", "constraints": {}}]}},
            {"message": "You may not", "extensions": {"code": "FORBIDDEN"}},
            {"message": "It is full", "extensions": {"type": "usage limit exceeded"}},
        ]});
        let faults = refusal(body).faults(&str::to_owned).into_iter();
        let found: Vec<_> =
            faults.map(|fault| [fault.code, fault.field, fault.text.text(Language::En)]).collect();
        let expected = [
            ["check.value", "labels", "Only one label of a group can be applied."],
            ["check.value", "title", "Argument Validation Error"],
            ["check.permission", "project", "You may not"],
            ["check.value", "issue", "It is full"],
        ];
        assert_eq!(found, expected);
        let of = |message: &str| {
            refusal(json!({"errors": [{"message": message, "extensions": {"code": "INPUT_ERROR"}}]}))
        };
        assert!(of("Entity not found: Issue").is_absence() && !of("Entity not found: Issue").is_conflict());
        assert!(of("conflict on insert of Issue").is_conflict() && !of("no").is_absence());
    }
}
