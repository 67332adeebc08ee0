//! Divides the answer to a request that creates several issues into the answers to its rows
//! (`docs/design/0061-jira.md`). Pure.

use serde::Deserialize;
use serde_json::Value;
use throughline_engine::data::fault::TrackerFault;

use super::answer::{Answer, Refusal};

/// Answer to a request that creates several issues.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct BulkAnswer {
    /// The issues that were created, in the order of their rows.
    issues: Vec<Value>,
    /// The rows that were not.
    pub(super) errors: Vec<RowError>,
}

/// Refusal of a row.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RowError {
    /// The status that the row would have by itself.
    #[serde(default = "usual")]
    status: u16,
    element_errors: Refusal,
    /// Position of the row, from 0; `None` for a refusal of the whole request.
    #[serde(default)]
    failed_element_number: Option<usize>,
}

fn usual() -> u16 {
    400
}

impl RowError {
    /// The answer that the row would have by itself.
    fn answer(mut self) -> Answer {
        let status = self.status;
        self.element_errors.status = status;
        match status {
            401 => Answer::Credentials,
            429 => Answer::TooMany { hint: None },
            400..500 if status != 408 => Answer::Refused(self.element_errors),
            _ => Answer::Unknown(TrackerFault::Failed { status }),
        }
    }
}

/// Divides an answer among this many rows. What it does not say of a row is unknown.
pub(super) fn divide(answer: Answer, rows: usize) -> Vec<Answer> {
    let (created, errors) = match answer {
        Answer::Done(body) => match serde_json::from_value(body) {
            Ok(BulkAnswer { issues, errors }) => (Some(issues), errors),
            Err(_) => return vec![Answer::Unknown(TrackerFault::Failed { status: 201 }); rows],
        },
        Answer::Refused(refusal) if !refusal.rows.is_empty() => (None, refusal.rows),
        other => return vec![other; rows],
    };
    let mut divided: Vec<Option<Answer>> = vec![None; rows];
    let mut of_no_row = None;
    for error in errors {
        match error.failed_element_number.and_then(|row| divided.get_mut(row)) {
            Some(row) => *row = Some(error.answer()),
            None => of_no_row = Some(error.answer()),
        }
    }
    let left = divided.iter().filter(|row| row.is_none()).count();
    let status = if created.is_some() { 201 } else { 400 };
    let mut rest = match (created, of_no_row) {
        (Some(issues), None) if issues.len() == left && ascend(&issues) => {
            issues.into_iter().map(Answer::Done).collect()
        }
        (None, Some(whole)) => vec![whole; left],
        _ => vec![Answer::Unknown(TrackerFault::Failed { status }); left],
    }
    .into_iter();
    divided.into_iter().filter_map(|row| row.or_else(|| rest.next())).collect()
}

/// True if the numbers of these issues' keys rise. Jira creates row by row, so an answer in another order than that of the rows
/// shows by them, and who would take it in order would give an effect the issue of another.
fn ascend(issues: &[Value]) -> bool {
    let number = |issue: &Value| issue["key"].as_str()?.rsplit_once('-')?.1.parse::<u64>().ok();
    let numbers: Vec<u64> = issues.iter().filter_map(number).collect();
    numbers.is_sorted_by(|one, next| one < next)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::answer::classify;
    use super::*;

    fn divided(status: u16, body: &Value, rows: usize) -> Vec<&'static str> {
        let response =
            throughline_net::Response { status, headers: Default::default(), body: body.to_string().into() };
        let answers = divide(classify(Ok(response), std::time::SystemTime::UNIX_EPOCH), rows);
        let told = |answer: &Answer| match answer {
            Answer::Done(_) => "created",
            Answer::Refused(_) => "refused",
            Answer::Unknown(_) => "unknown",
            Answer::NotSent | Answer::Credentials | Answer::TooMany { .. } => "not applied",
        };
        answers.iter().map(told).collect()
    }

    fn error(row: Option<usize>, status: u16) -> Value {
        let element = json!({"errorMessages": [], "errors": {"summary": "It is missing."}});
        json!({"status": status, "elementErrors": element, "failedElementNumber": row})
    }

    fn issues(numbers: &[u32]) -> Value {
        numbers.iter().map(|n| json!({"id": "1", "key": format!("OPS-{n}")})).collect()
    }

    #[test]
    fn each_row_has_the_answer_that_names_it() {
        let two = divided(201, &json!({"issues": issues(&[7, 9]), "errors": [error(Some(1), 400)]}), 3);
        assert_eq!(two, ["created", "refused", "created"]);
        let statuses =
            [403, 401, 429, 500, 408].map(|status| error(Some(usize::from(status == 403)), status));
        for (error, told) in
            statuses.into_iter().zip(["refused", "not applied", "not applied", "unknown", "unknown"])
        {
            let row = usize::from(told == "refused");
            let found = divided(201, &json!({"issues": issues(&[7]), "errors": [error]}), 2);
            assert_eq!((found[row], found[1 - row]), (told, "created"));
        }
        let none = json!({"issues": [], "errors": [error(Some(1), 400), error(Some(0), 400)]});
        assert_eq!(divided(400, &none, 2), ["refused", "refused"]);
    }

    #[test]
    fn what_is_said_of_no_row_is_said_of_all_that_are_left() {
        let whole = json!({"issues": [], "errors": [error(None, 400), error(Some(0), 403)]});
        assert_eq!(divided(400, &whole, 3), ["refused"; 3]);
        assert_eq!(divided(403, &json!({"errorMessages": ["No."], "errors": {}}), 2), ["refused"; 2]);
        assert_eq!(divided(429, &Value::Null, 2), ["not applied"; 2]);
    }

    #[test]
    fn an_answer_that_does_not_fit_its_rows_tells_nothing_of_them() {
        let errors = json!([error(Some(0), 400)]);
        for (status, body) in [
            (201, json!({})),
            (201, json!({"issues": issues(&[7]), "errors": errors})),
            (201, json!({"issues": issues(&[7, 8, 9]), "errors": errors})),
            (201, json!({"issues": issues(&[8, 7]), "errors": errors})),
            (201, json!({"issues": issues(&[7, 8]), "errors": [error(Some(0), 400), error(Some(3), 400)]})),
            (400, json!({"issues": [], "errors": errors})),
            (400, json!({"errors": []})),
            (502, json!({"issues": [], "errors": errors})),
        ] {
            let found = divided(status, &body, 3);
            assert_eq!(found[1..], ["unknown"; 2], "{status} {body}");
        }
    }
}
