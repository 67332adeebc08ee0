//! Interprets answers of Redmine: whether a request was applied, refused or is unknown
//! (`docs/design/0031-effects-and-retries.md`). Pure.

use std::time::SystemTime;

use serde::Deserialize;
use serde_json::Value;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{Fault, FieldFault, ProjectAct, TrackerFault};
use throughline_net::{Response, TransportError, retry_after_at};

use super::ACCOUNT;
use crate::project::rejected;
use crate::remote::{self, Refused};

/// The meaning of an answer of Redmine.
pub(super) type Answer = remote::Answer<Refusal>;

/// A refusal, in Redmine's words if it has any.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Refusal {
    /// The status.
    #[serde(skip)]
    status: u16,
    /// Sentences that begin with the name of a field.
    errors: Vec<String>,
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
        429 => {
            let hint = response.header("retry-after").and_then(|text| retry_after_at(text, now));
            Answer::TooMany { hint }
        }
        403 | 404 if is_bare(&response) => Answer::Refused(Refusal { status, errors: Vec::new() }),
        // A page of a proxy says nothing of what Redmine did.
        403 | 404 | 422 => match serde_json::from_slice::<Refusal>(&response.body) {
            Ok(refusal) => Answer::Refused(Refusal { status, ..refusal }),
            Err(_) => unknown,
        },
        _ => unknown,
    }
}

/// True if an answer is as Redmine refuses without words: empty, of the type that was asked for.
fn is_bare(response: &Response) -> bool {
    let told = response.header("content-type").unwrap_or_default();
    response.body.is_empty() && told.starts_with("application/json")
}

impl Answer {
    /// The body of the answer to a write, or the outcome of the attempt. Redmine has no words where our account may not do
    /// that.
    ///
    /// # Errors
    /// It was not done, as far as is known.
    pub(super) fn written<T>(
        self,
        act: ProjectAct,
        project: &str,
        name: &dyn Fn(&str) -> String,
    ) -> Result<Value, Attempt<T>> {
        match self {
            Self::Refused(Refusal { status: 403, .. }) => Err(rejected(vec![not_ours(act, project)])),
            other => other.named(name),
        }
    }
}

/// The fault of an act that our account may not do.
pub(super) fn not_ours(act: ProjectAct, project: &str) -> FieldFault {
    let (by, project) = (ACCOUNT.into(), project.into());
    let fault = TrackerFault::NotPermitted { act, by, project, allowed: Vec::new() };
    FieldFault::new("check.permission", "project", fault)
}

impl Refused for Refusal {
    fn is_absence(&self) -> bool {
        matches!(self.status, 403 | 404)
    }

    /// One fault for each sentence, or one about the whole.
    fn faults(self, name: &dyn Fn(&str) -> String) -> Vec<FieldFault> {
        let code = match self.status {
            403 => "check.permission",
            404 => "check.reference",
            _ => "check.value",
        };
        if self.errors.is_empty() {
            let fault = TrackerFault::Failed { status: self.status };
            return vec![FieldFault::new(code, "issue", fault)];
        }
        let one = |text: String| FieldFault::new(code, &name(&text), Fault::Said(text));
        self.errors.into_iter().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use throughline_engine::Language;

    use super::*;

    const JSON: &[(&str, &str)] = &[("content-type", "application/json")];
    const PAGE: &[(&str, &str)] = &[("content-type", "text/html")];

    fn answer(status: u16, body: &str, headers: &[(&'static str, &'static str)]) -> Answer {
        let headers =
            headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
        classify(Ok(Response { status, headers, body: body.into() }), now)
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
        let table = [
            (201, r#"{"issue":{"id":1}}"#, JSON, "applied"),
            (201, r#"{"issue":{"id"#, JSON, "unknown"),
            (204, "", &[], "applied"),
            (200, "<html>Log in</html>", PAGE, "unknown"),
            (302, "", &[], "unknown"),
            (400, "", PAGE, "unknown"),
            (400, r#"{"errors":["no"]}"#, JSON, "unknown"),
            (401, "", JSON, "not applied"),
            (403, "", JSON, "rejected"),
            (403, "", &[], "unknown"),
            (403, "<html>Blocked</html>", PAGE, "unknown"),
            (404, "", JSON, "rejected"),
            (404, "<html>No such host</html>", PAGE, "unknown"),
            (408, "", JSON, "unknown"),
            (409, "", JSON, "unknown"),
            (422, r#"{"errors":["Subject cannot be blank"]}"#, JSON, "rejected"),
            (422, "<html>Rejected</html>", PAGE, "unknown"),
            (429, "", PAGE, "not applied"),
            (500, r#"{"status":500,"error":"Internal Server Error"}"#, JSON, "unknown"),
            (502, "<html>Bad gateway</html>", PAGE, "unknown"),
            (503, "", JSON, "unknown"),
        ];
        for (status, body, headers, expected) in table {
            assert_eq!(outcome(answer(status, body, headers)), expected, "{status} {body}");
        }
        let lost = |error| outcome(classify(Err(error), SystemTime::UNIX_EPOCH));
        assert_eq!(lost(TransportError::NotSent("refused".into())), "not applied");
        assert_eq!(lost(TransportError::Lost("reset".into())), "unknown");
    }

    #[test]
    fn a_proxy_says_how_long_to_wait() {
        assert_eq!(answer(429, "", &[("retry-after", "30")]), Answer::TooMany { hint: Some(30_000) });
        assert_eq!(answer(429, "", &[]), Answer::TooMany { hint: None });
    }

    #[test]
    fn a_refusal_names_its_fields() {
        let found = |answer: Answer| {
            let name = |text: &str| text.split(' ').next().unwrap_or_default().to_lowercase();
            let outcome = answer.written::<()>(ProjectAct::Create, "WEB", &name);
            let Err(Attempt::Rejected { errors, .. }) = outcome else { panic!("{outcome:?}") };
            let told = errors.into_iter();
            told.map(|fault| [fault.code, fault.field, fault.text.text(Language::En)]).collect::<Vec<_>>()
        };
        let refused = r#"{"errors":["Component cannot be blank","Subject cannot be blank"]}"#;
        let expected = [
            ["check.value", "component", "Component cannot be blank"],
            ["check.value", "subject", "Subject cannot be blank"],
        ];
        assert_eq!(found(answer(422, refused, JSON)), expected);
        let [fault] = &found(answer(403, "", JSON))[..] else { panic!("one fault") };
        assert_eq!((&*fault[0], &*fault[1]), ("check.permission", "project"));
        assert!(fault[2].contains("WEB") && fault[2].contains(ACCOUNT), "{fault:?}");
        let [fault] = &found(answer(404, "", JSON))[..] else { panic!("one fault") };
        assert_eq!((&*fault[0], &*fault[1]), ("check.reference", "issue"));
    }
}
