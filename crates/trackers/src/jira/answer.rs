//! Interprets answers of Jira: whether a request was applied, refused or is unknown
//! (`docs/design/0031-effects-and-retries.md`). Pure.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use throughline_engine::data::fault::{Fault, FieldFault, TrackerFault};
use throughline_net::{Response, TransportError};

use super::bulk_answer::{BulkAnswer, RowError};
use crate::remote::{self, Refused};

/// The meaning of an answer of Jira.
pub(super) type Answer = remote::Answer<Refusal>;

/// A refusal in Jira's words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Refusal {
    /// The status.
    #[serde(skip)]
    pub(super) status: u16,
    error_messages: Vec<String>,
    /// By field id.
    errors: BTreeMap<String, String>,
    /// By row, where several issues were to be created.
    #[serde(skip)]
    pub(super) rows: Vec<RowError>,
}

impl Refusal {
    /// Reads a refusal: of one request, or of every row of one that was to create several issues.
    fn read(status: u16, body: &[u8]) -> Option<Self> {
        let whole = serde_json::from_slice::<Self>(body).ok();
        let rows = || {
            Some(Self { rows: serde_json::from_slice::<BulkAnswer>(body).ok()?.errors, ..Self::default() })
        };
        whole.or_else(rows).map(|refusal| Self { status, ..refusal })
    }
}

/// An answer in which what is said of the field of an epic link is said of the parent, which people know.
pub(super) fn of_parent(answer: Answer, epic_link: Option<&str>) -> Answer {
    let Answer::Refused(mut refusal) = answer else { return answer };
    if let Some(text) = epic_link.and_then(|field| refusal.errors.remove(field)) {
        refusal.errors.insert("parent".into(), text);
    }
    Answer::Refused(refusal)
}

/// Interprets a response, or the lack of one. `now` is for a `Retry-After` that is a date.
pub(super) fn classify(outcome: Result<Response, TransportError>, now: std::time::SystemTime) -> Answer {
    let response = match outcome {
        Ok(response) => response,
        Err(TransportError::NotSent(_)) => return Answer::NotSent,
        Err(TransportError::Lost(_)) => return Answer::Unknown(TrackerFault::Silent),
    };
    let status = response.status;
    let unknown = Answer::Unknown(TrackerFault::Failed { status });
    match status {
        401 => Answer::Credentials,
        429 => {
            let hint = response.header("retry-after");
            Answer::TooMany { hint: hint.and_then(|text| throughline_net::retry_after_at(text, now)) }
        }
        200..300 if response.body.is_empty() => Answer::Done(Value::Null),
        200..300 => serde_json::from_slice(&response.body).map_or(unknown, Answer::Done),
        // A page of a proxy says nothing of what Jira did, and neither does a time-out.
        400..500 if status != 408 => Refusal::read(status, &response.body).map_or(unknown, Answer::Refused),
        _ => unknown,
    }
}

impl Refused for Refusal {
    fn is_absence(&self) -> bool {
        matches!(self.status, 403 | 404 | 410)
    }

    /// One fault for each field, and one for each sentence about the whole.
    fn faults(self, name: &dyn Fn(&str) -> String) -> Vec<FieldFault> {
        let whole = match self.status {
            403 => "check.permission",
            404 => "check.reference",
            409 => "check.conflict",
            410 => "check.gone",
            413 => "check.size",
            _ => "check.value",
        };
        let of_field = |field: &str| match field {
            "project" => "check.project",
            "issuetype" => "check.type",
            "parent" | "parentId" => "check.parent",
            _ => whole,
        };
        let mut found: Vec<FieldFault> = self
            .errors
            .into_iter()
            .map(|(field, text)| FieldFault::new(of_field(&field), &name(&field), said(text)))
            .collect();
        found.extend(self.error_messages.into_iter().map(|text| FieldFault::new(whole, "issue", said(text))));
        if found.is_empty() {
            found.push(FieldFault::new(whole, "issue", TrackerFault::Failed { status: self.status }));
        }
        found
    }
}

fn said(text: String) -> Fault {
    Fault::Said(text)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use throughline_engine::Language;
    use throughline_engine::data::effect::Attempt;

    use super::*;

    fn answer(status: u16, body: &str, headers: &[(&'static str, &'static str)]) -> Answer {
        let headers =
            headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        classify(Ok(Response { status, headers, body: body.into() }), SystemTime::UNIX_EPOCH)
    }

    /// The answers to a write, and what each means.
    #[test]
    fn an_answer_proves_what_it_says_and_no_more() {
        let outcome = |answer: Answer| match answer.done::<()>() {
            Ok(_) => "applied",
            Err(Attempt::Rejected { .. }) => "rejected",
            Err(Attempt::NotApplied { .. }) => "not applied",
            Err(Attempt::Unknown { .. }) => "unknown",
            Err(Attempt::Applied(())) => unreachable!(),
        };
        let sorry = r#"{"errorMessages": ["No."], "errors": {}}"#;
        let table = [
            (201, r#"{"key": "OPS-1"}"#, "applied"),
            (204, "", "applied"),
            (201, "", "applied"),
            (200, "<html>Log in</html>", "unknown"),
            (302, "", "unknown"),
            (400, sorry, "rejected"),
            (400, "<html>Bad gateway</html>", "unknown"),
            (401, "Client must be authenticated", "not applied"),
            (403, sorry, "rejected"),
            (404, sorry, "rejected"),
            (408, sorry, "unknown"),
            (409, sorry, "rejected"),
            (410, sorry, "rejected"),
            (413, sorry, "rejected"),
            (422, sorry, "rejected"),
            (429, "", "not applied"),
            (500, sorry, "unknown"),
            (502, "", "unknown"),
            (503, "{}", "unknown"),
        ];
        for (status, body, expected) in table {
            assert_eq!(outcome(answer(status, body, &[])), expected, "{status} {body}");
        }
        let lost = |error| outcome(classify(Err(error), SystemTime::UNIX_EPOCH));
        assert_eq!(lost(TransportError::NotSent("refused".into())), "not applied");
        assert_eq!(lost(TransportError::Lost("reset".into())), "unknown");
    }

    #[test]
    fn every_form_of_a_wait_is_read() {
        let later = SystemTime::UNIX_EPOCH + Duration::from_secs(90);
        assert_eq!(throughline_net::retry_after_at("Thu, 01 Jan 1970 00:03:00 GMT", later), Some(90_000));
        for (text, hint) in [
            ("30", Some(30_000)),
            ("1.5", Some(2_000)),
            ("Thu, 01 Jan 1970 00:01:30 GMT", Some(90_000)),
            ("Thu, 01 Jan 1970 00:00:00 GMT", None),
            ("0", None),
            ("soon", None),
            ("999999", Some(3_600_000)),
        ] {
            assert_eq!(answer(429, "", &[("retry-after", text)]), Answer::TooMany { hint }, "{text}");
        }
    }

    #[test]
    fn a_refusal_names_its_fields() {
        let body = r#"{"errorMessages": ["It is closed."], "errors": {
            "customfield_7": "Team is required.", "parent": "No such epic.", "issuetype": "No such type."}}"#;
        let Answer::Refused(refusal) = answer(400, body, &[]) else { panic!() };
        let named = |field: &str| if field == "customfield_7" { "Team".into() } else { field.into() };
        let found: Vec<(String, String, String)> = refusal
            .faults(&named)
            .into_iter()
            .map(|fault| (fault.code, fault.field, fault.text.text(Language::En)))
            .collect();
        let expected = [
            ("check.value", "Team", "Team is required."),
            ("check.type", "issuetype", "No such type."),
            ("check.parent", "parent", "No such epic."),
            ("check.value", "issue", "It is closed."),
        ];
        assert_eq!(found, expected.map(|(code, field, text)| (code.into(), field.into(), text.into())));
    }
}
