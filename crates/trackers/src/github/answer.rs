//! Interprets answers of GitHub: whether a request was applied, refused or is unknown
//! (`docs/design/0031-effects-and-retries.md`). Pure.

use std::time::SystemTime;

use serde::Deserialize;
use serde_json::Value;
use throughline_engine::Millis;
use throughline_engine::data::fault::{Fault, FieldFault, FieldRefusal, TrackerFault};
use throughline_net::{Response, TransportError, retry_after, retry_after_at};

use crate::remote::{self, Refused};

/// The time to wait for the end of a limit that GitHub gives no time for.
const USUAL_WAIT: Millis = 60_000;

/// The meaning of an answer of GitHub.
pub(super) type Answer = remote::Answer<Refusal>;

/// A refusal in GitHub's words.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Refusal {
    /// The status.
    #[serde(skip)]
    pub(super) status: u16,
    message: String,
    /// Objects with `field`, `code` and `message`, or texts; a text by itself, too.
    #[serde(default)]
    errors: Value,
    /// The address that something has moved to.
    #[serde(default)]
    url: String,
}

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
        200..=299 if response.body.is_empty() => Answer::Done(Value::Null),
        200..=299 => serde_json::from_slice(&response.body).map_or(unknown, Answer::Done),
        401 => Answer::Credentials,
        429 => Answer::TooMany { hint: hint(&response, now) },
        // A page of a proxy says nothing of what GitHub did, and neither does a time-out.
        301 | 307 | 308 | 400..=499 if status != 408 => {
            match serde_json::from_slice::<Refusal>(&response.body) {
                Ok(refusal) if status == 403 && is_limit(&response, &refusal) => {
                    Answer::TooMany { hint: hint(&response, now).or(Some(USUAL_WAIT)) }
                }
                Ok(refusal) => Answer::Refused(Refusal { status, ..refusal }),
                Err(_) => unknown,
            }
        }
        _ => unknown,
    }
}

/// True if a refusal with status 403 is one of a limit, of the hour or of writes in a short time.
fn is_limit(response: &Response, refusal: &Refusal) -> bool {
    let said = refusal.message.to_lowercase();
    response.header("retry-after").is_some() || used_up(response) || said.contains("rate limit")
}

fn used_up(response: &Response) -> bool {
    response.header("x-ratelimit-remaining") == Some("0")
}

/// The time to wait: as asked for, else until the requests of the hour are given anew.
fn hint(response: &Response, now: SystemTime) -> Option<Millis> {
    if let Some(text) = response.header("retry-after") {
        return retry_after_at(text, now);
    }
    let reset: u64 = response.header("x-ratelimit-reset").filter(|_| used_up(response))?.parse().ok()?;
    let since = now.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    // A second more, because both clocks count whole ones.
    let left = (reset + 1).saturating_sub(since.as_secs());
    retry_after(&left.to_string())
}

/// True if what was asked for is somewhere else now.
pub(super) fn is_moved(answer: &Answer) -> bool {
    matches!(answer, Answer::Refused(Refusal { status: 301 | 307 | 308, .. }))
}

impl Refused for Refusal {
    fn is_absence(&self) -> bool {
        matches!(self.status, 404 | 410)
    }

    /// One fault for each error, or one about the whole. GitHub names fields as people do.
    fn faults(self, _: &dyn Fn(&str) -> String) -> Vec<FieldFault> {
        let (whole, about) = match self.status {
            301 | 307 | 308 => ("check.project", "project"),
            403 | 451 => ("check.permission", "project"),
            404 => ("check.reference", "issue"),
            409 => ("check.conflict", "issue"),
            410 => ("check.gone", "issue"),
            413 => ("check.size", "issue"),
            _ => ("check.value", "issue"),
        };
        let errors = match self.errors {
            Value::Array(errors) => errors,
            Value::Null => Vec::new(),
            other => vec![other],
        };
        if errors.is_empty() {
            let moved = matches!(self.status, 301 | 307 | 308) && !self.url.is_empty();
            let fault = if moved {
                TrackerFault::Elsewhere { address: self.url }.into()
            } else {
                Fault::Said(self.message)
            };
            return vec![FieldFault::new(whole, about, fault)];
        }
        let one = |error: &Value| {
            FieldFault::new(whole, field(error).unwrap_or(about), fault(error, &self.message))
        };
        errors.iter().map(one).collect()
    }
}

/// The part of a ticket that an error is about, or GitHub's name of the field.
fn field(error: &Value) -> Option<&str> {
    match (error["resource"].as_str(), error["field"].as_str()?) {
        (Some("Label"), _) => Some("labels"),
        (_, "assignees" | "assignee") => Some("assignee"),
        (_, field) => Some(field),
    }
}

/// The fault of an error: GitHub's sentence if it has one, else what its code means for the field. `message` is its sentence about
/// the whole.
fn fault(error: &Value, message: &str) -> Fault {
    if let Some(text) = error.as_str().or_else(|| error["message"].as_str()) {
        return Fault::Said(text.to_owned());
    }
    let Some(field) = error["field"].as_str() else { return Fault::Said(message.to_owned()) };
    let why = match error["code"].as_str() {
        Some("missing") => FieldRefusal::Absent,
        Some("missing_field") => FieldRefusal::Required,
        Some("already_exists") => FieldRefusal::Taken,
        _ => FieldRefusal::Invalid,
    };
    TrackerFault::FieldRefused { field: field.to_owned(), why }.into()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use throughline_engine::Language;
    use throughline_engine::data::effect::Attempt;

    use super::*;

    fn answer(status: u16, body: &str, headers: &[(&'static str, &'static str)]) -> Answer {
        let headers =
            headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
        classify(Ok(Response { status, headers, body: body.into() }), now)
    }

    const SORRY: &str = r#"{"message": "Not Found", "documentation_url": "", "status": "404"}"#;

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
        let table = [
            (201, r#"{"number": 1}"#, "applied"),
            (204, "", "applied"),
            (200, "<html>Log in</html>", "unknown"),
            (301, SORRY, "rejected"),
            (301, "", "unknown"),
            (302, SORRY, "unknown"),
            (304, "", "unknown"),
            (307, SORRY, "rejected"),
            (308, SORRY, "rejected"),
            (400, SORRY, "rejected"),
            (400, "<html>Bad gateway</html>", "unknown"),
            (400, "{}", "unknown"),
            (401, "", "not applied"),
            (403, SORRY, "rejected"),
            (403, "<html>Blocked</html>", "unknown"),
            (404, SORRY, "rejected"),
            (408, SORRY, "unknown"),
            (410, SORRY, "rejected"),
            (422, SORRY, "rejected"),
            (429, "", "not applied"),
            (451, SORRY, "rejected"),
            (500, SORRY, "unknown"),
            (502, "<html>Unicorn!</html>", "unknown"),
            (503, SORRY, "unknown"),
        ];
        for (status, body, expected) in table {
            assert_eq!(outcome(answer(status, body, &[])), expected, "{status} {body}");
        }
        let lost = |error| outcome(classify(Err(error), SystemTime::UNIX_EPOCH));
        assert_eq!(lost(TransportError::NotSent("refused".into())), "not applied");
        assert_eq!(lost(TransportError::Lost("reset".into())), "unknown");
    }

    #[test]
    fn every_form_of_a_limit_is_read() {
        let secondary = r#"{"message": "You have exceeded a secondary rate limit."}"#;
        let (used_up, reset) = (("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1060"));
        for (status, body, headers, hint) in [
            (429, "", &[("retry-after", "30")][..], Some(30_000)),
            (429, SORRY, &[], None),
            (429, SORRY, &[used_up, reset], Some(61_000)),
            (403, SORRY, &[("retry-after", "30"), used_up, reset], Some(30_000)),
            (403, SORRY, &[used_up, reset], Some(61_000)),
            (403, SORRY, &[used_up, ("x-ratelimit-reset", "999999999")], Some(3_600_000)),
            (403, SORRY, &[used_up, ("x-ratelimit-reset", "soon")], Some(60_000)),
            (403, secondary, &[("x-ratelimit-remaining", "4000"), reset], Some(60_000)),
        ] {
            assert_eq!(
                answer(status, body, headers),
                Answer::TooMany { hint },
                "{status} {body} {headers:?}"
            );
        }
        let plain = answer(403, SORRY, &[("x-ratelimit-remaining", "4000"), reset]);
        assert!(matches!(plain, Answer::Refused(_)), "{plain:?}");
    }

    #[test]
    fn a_refusal_names_its_fields() {
        let told = |status: u16, body: &str, language: Language| {
            let Answer::Refused(refusal) = answer(status, body, &[]) else { panic!("{body}") };
            let faults = refusal.faults(&str::to_owned).into_iter();
            faults.map(|fault| [fault.code, fault.field, fault.text.text(language)]).collect::<Vec<_>>()
        };
        let found = |status: u16, body: &str| told(status, body, Language::En);
        let body = r#"{"message": "Validation Failed", "errors": [
            {"value": "zoe", "resource": "Issue", "field": "assignees", "code": "invalid"},
            {"resource": "Issue", "field": "title", "code": "missing_field"},
            {"resource": "Issue", "field": "milestone", "code": "missing"},
            {"resource": "Label", "field": "name", "code": "already_exists"},
            {"resource": "Label", "field": "name", "code": "custom", "message": "name is too long"},
            "It is full", {"code": "custom"}]}"#;
        let expected = [
            ["check.value", "assignee", "the tracker does not take this value of assignees"],
            ["check.value", "title", "the tracker requires title"],
            ["check.value", "milestone", "the tracker has nothing that milestone names"],
            ["check.value", "labels", "the tracker has something with this value of name already"],
            ["check.value", "labels", "name is too long"],
            ["check.value", "issue", "It is full"],
            ["check.value", "issue", "Validation Failed"],
        ];
        assert_eq!(found(422, body), expected);
        let moved = r#"{"message": "Moved Permanently", "url": "https://api.github.com/repositories/7"}"#;
        let [[code, about, text]] = &found(301, moved)[..] else { panic!("one fault") };
        assert_eq!((&**code, &**about), ("check.project", "project"));
        assert!(text.starts_with("It has moved to https://api.github.com/repositories/7"), "{text}");
        let plain = r#"{"message": "Moved Permanently"}"#;
        assert_eq!(found(301, plain), [["check.project", "project", "Moved Permanently"]]);
        let text = r#"{"message": "Validation Failed", "errors": "It is full"}"#;
        assert_eq!(found(422, text), [["check.value", "issue", "It is full"]]);
        assert_eq!(found(410, r#"{"message": "Gone"}"#), [["check.gone", "issue", "Gone"]]);
        // Only what GitHub said stays in its language.
        let (german, english) = (told(422, body, Language::De), found(422, body));
        for (german, english) in german.iter().zip(&english) {
            let said = ["name is too long", "It is full", "Validation Failed"].contains(&english[2].as_str());
            assert_eq!(german[2] == english[2], said, "{german:?}");
        }
    }
}
