//! Error answers: `application/problem+json` (RFC 9457), made from an error code.

use std::time::Duration;

use axum::http::header::{CONTENT_TYPE, HeaderName, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};
use throughline_channels::api;
use throughline_channels::direction::steadied;
use throughline_runtime::RuntimeError;
use throughline_store::{StoreError, StoredResponse};
use throughline_trackers::local::DocumentsError;

use crate::codes::{self, Code};
use crate::language;
use crate::rates::whole_seconds;
use crate::request::without_types;
pub(crate) use crate::wire::{Current, Pointed, ProblemDetails};

/// Media type of an error answer.
pub(crate) const PROBLEM_JSON: &str = "application/problem+json";

tokio::task_local! {
    /// Id of the request that is being answered.
    pub(crate) static REQUEST: String;
}

/// Error answer.
#[derive(Clone, Debug)]
pub(crate) struct Problem(Box<Parts>);

#[derive(Clone, Debug)]
struct Parts {
    code: &'static Code,
    body: ProblemDetails,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Problem {
    /// Makes a problem of that code; `detail` describes this occurrence, in English.
    pub(crate) fn new(code: &'static Code, detail: impl Into<String>) -> Self {
        let instance = REQUEST.try_with(|id| format!("urn:throughline:request:{id}")).unwrap_or_default();
        let body = ProblemDetails {
            kind: code.urn(),
            title: code.title_in(language::here()),
            status: code.status.unwrap_or(500),
            detail: steadied(detail.into()),
            instance,
            code: code.id(),
            name: code.name.into(),
            errors: Vec::new(),
            turn: None,
            current: None,
        };
        let problem = Self(Box::new(Parts { code, body, headers: Vec::new() }));
        match code.status {
            Some(503) => problem.retry_after(5),
            _ => problem,
        }
    }

    /// Makes a problem whose cause is for the log alone.
    pub(crate) fn logged(
        code: &'static Code,
        detail: impl Into<String>,
        cause: &dyn std::fmt::Display,
    ) -> Self {
        let problem = Self::new(code, format!("{}; the log has the cause", detail.into()));
        tracing::warn!(code = code.id(), instance = problem.0.body.instance, %cause, "a request failed");
        problem
    }

    /// Answers for something unknown, and equally for something of another tenant or person.
    pub(crate) fn not_found(what: &str) -> Self {
        Self::new(&codes::NOT_FOUND, format!("there is no {what} of that id here"))
    }

    /// Makes the problem of a request that comes too early: the next of this sender is taken after that time.
    pub(crate) fn too_fast(sender: &str, early: Duration) -> Self {
        let seconds = whole_seconds(early);
        metrics::counter!("throughline_requests_too_fast_total").increment(1);
        let text = format!("{sender} sends faster than is taken; this request was not looked at");
        Self::new(&codes::TOO_FAST, text).retry_after(seconds)
    }

    /// Makes a problem that points at errors in the request's body.
    pub(crate) fn schema(mut errors: Vec<Pointed>) -> Self {
        for error in &mut errors {
            error.text = without_types(&error.text);
        }
        let detail = match errors.as_slice() {
            [only] if only.pointer.is_empty() => only.text.clone(),
            [only] => format!("{}: {}", only.pointer, only.text),
            several => format!("{} things are wrong with the body; see errors", several.len()),
        };
        let mut problem = Self::new(&codes::SCHEMA, detail);
        problem.0.body.errors = errors;
        problem
    }

    /// Adds an error in the body.
    pub(crate) fn push_error(&mut self, pointed: Pointed) {
        self.0.body.errors.push(pointed);
    }

    /// Converts the errors that the API channel found.
    pub(crate) fn from_channel(problems: Vec<api::Problem>) -> Self {
        Self::schema(
            problems.into_iter().map(|found| Pointed { pointer: found.pointer, text: found.text }).collect(),
        )
    }

    pub(crate) fn retry_after(self, seconds: u32) -> Self {
        self.header(RETRY_AFTER, HeaderValue::from(seconds))
    }

    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.push((name, value));
        self
    }

    /// Names the turn that refused.
    pub(crate) fn with_turn(mut self, turn: &str) -> Self {
        self.0.body.turn = Some(turn.into());
        self
    }

    pub(crate) fn with_current(mut self, version: u32, href: String) -> Self {
        self.0.body.current = Some(Current { version, href });
        self
    }

    /// Adds its headers to an answer that tells of it, such as the time to try again.
    pub(crate) fn add_headers(&self, response: &mut Response) {
        response.headers_mut().extend(self.0.headers.iter().cloned());
    }

    pub(crate) fn code(&self) -> &'static Code {
        self.0.code
    }

    /// Returns the title, in the language of the request.
    pub(crate) fn title(&self) -> &str {
        &self.0.body.title
    }

    /// Returns the description of this occurrence.
    pub(crate) fn detail(&self) -> &str {
        &self.0.body.detail
    }

    pub(crate) fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.0.body.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// Returns the answer in its stored form.
    pub(crate) fn stored(&self) -> StoredResponse {
        StoredResponse { status: self.0.body.status, body: self.body() }
    }

    fn body(&self) -> String {
        serde_json::to_string(&self.0.body).unwrap_or_else(|_| Value::Object(Map::new()).to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        if self.status().is_server_error() {
            let ProblemDetails { code, detail, instance, .. } = &self.0.body;
            tracing::warn!(code, instance, "{detail}");
        }
        let mut response = (self.status(), self.body()).into_response();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        self.add_headers(&mut response);
        response
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        Self::from(&error)
    }
}

impl From<&StoreError> for Problem {
    fn from(error: &StoreError) -> Self {
        let code = match codes::store_error(error) {
            // A code without a status of its own is answered as an unavailable store.
            code if code.status.is_none() => &codes::STORE_UNAVAILABLE,
            code => code,
        };
        Self::logged(code, told(error), error)
    }
}

/// Returns the error for people and probes: the act that failed, without paths and messages of libraries.
fn told(error: &StoreError) -> String {
    match error {
        StoreError::ReadOnly { act, .. } | StoreError::Replica { act, .. } => {
            format!("cannot {act}: the store takes no writes")
        }
        StoreError::InUse { .. } => "another process is using the store".into(),
        StoreError::Open { .. } | StoreError::HardLinked { .. } => "the store cannot be used".into(),
        StoreError::TakenOver { act } => format!("cannot {act}: another process has taken the store over"),
        StoreError::Moved { act, .. } => format!("cannot {act}: the store was moved or replaced"),
        StoreError::Refused { act, .. } | StoreError::Backend { act, .. } => format!("cannot {act}"),
        StoreError::Damaged { act, .. } => format!("cannot {act}: the store is damaged"),
        StoreError::Unknown { act, .. } => format!("the outcome of {act} is unknown"),
    }
}

impl From<RuntimeError> for Problem {
    fn from(stop: RuntimeError) -> Self {
        Self::from(&stop)
    }
}

impl From<&RuntimeError> for Problem {
    fn from(stop: &RuntimeError) -> Self {
        match stop {
            RuntimeError::Store(error) => error.into(),
            RuntimeError::Crash(crash) => Self::new(&codes::INTERNAL, crash.to_string()),
            RuntimeError::Unreadable { what, .. } => {
                Self::logged(&codes::UNREADABLE, format!("cannot read {what}"), stop)
            }
        }
    }
}

impl From<throughline_runtime::Crash> for Problem {
    fn from(crash: throughline_runtime::Crash) -> Self {
        RuntimeError::from(crash).into()
    }
}

impl From<getrandom::Error> for Problem {
    fn from(error: getrandom::Error) -> Self {
        Self::new(&codes::INTERNAL, format!("the system gives no random bytes: {error}"))
    }
}

impl From<DocumentsError> for Problem {
    fn from(error: DocumentsError) -> Self {
        Self::logged(&codes::STORE_UNAVAILABLE, "the store did not answer", &error)
    }
}
