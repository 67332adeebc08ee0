//! The HTTP server: checks who calls, plays faults, keeps the journal.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, Method, Uri};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::answer::Error;
use super::{Call, Fault, Shared, document, execute, lock};
use crate::line::{Cut, Lines};

/// The path of the API.
const PATH: &str = "/graphql";

/// A request.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    pub(super) query: String,
    pub(super) operation: Option<String>,
    pub(super) variables: Value,
}

impl Asked {
    fn read(bytes: &[u8]) -> Option<Self> {
        let body: Value = serde_json::from_slice(bytes).ok()?;
        Some(Self {
            query: body["query"].as_str()?.to_owned(),
            operation: body["operationName"].as_str().map(str::to_owned),
            variables: body["variables"].clone(),
        })
    }

    /// Returns the names of the fields at the top, by which faults and journals know a request.
    fn fields(&self) -> Vec<String> {
        let document = document::parse(&self.query).unwrap_or_default();
        let named = |one: &&document::Operation| self.operation.is_none() || one.name == self.operation;
        let operation = document.operations.iter().find(named);
        let selections = operation.map(|one| one.selections.as_slice()).unwrap_or_default();
        let field = |selection: &document::Selection| match selection {
            document::Selection::Field { name, .. } => Some(name.clone()),
            _ => None,
        };
        selections.iter().filter_map(field).collect()
    }
}

pub(super) fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let router = Router::new().fallback(handle).with_state(shared);
    let service = router.into_make_service_with_connect_info::<Cut>();
    tokio::spawn(async move { axum::serve(Lines(listener), service).await });
}

/// A form in which a request is answered.
enum Reply {
    Json(u16, Vec<(&'static str, String)>, Value),
    Html(u16),
    /// None: the connection is closed.
    Lost,
}

impl Reply {
    fn of(result: Result<Value, (Error, Option<String>)>) -> Self {
        match result {
            Ok(data) => Self::Json(200, Vec::new(), json!({"data": data})),
            Err((error, field)) => Self::Json(error.status, Vec::new(), error.body(field.as_deref())),
        }
    }

    fn refused(error: Error) -> Self {
        Self::of(Err((error, None)))
    }
}

async fn handle(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(cut): ConnectInfo<Cut>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response {
    if method != Method::POST || uri.path() != PATH {
        return answered(Reply::Html(404), &cut).2;
    }
    let Some(asked) = Asked::read(&bytes) else {
        return answered(Reply::refused(Error::invalid("POST body missing, invalid or empty.")), &cut).2;
    };
    let fields = asked.fields();
    let apply = || match refused(&shared, &headers) {
        Some(error) => Err((error, None)),
        None => execute::run(&mut shared.world(), &asked, shared.now()),
    };
    let reply = match shared.take_fault(&fields) {
        None => Reply::of(apply()),
        Some(fault) => faulty(&shared, &asked, fault, apply),
    };
    let (status, answer, response) = answered(reply, &cut);
    lock(&shared.journal).push(Call {
        at: shared.now(),
        fields,
        query: asked.query,
        operation: asked.operation,
        variables: asked.variables,
        status,
        answer,
    });
    response
}

/// Returns the refusal of a request by its headers. A personal key goes bare, a token of an app does not.
fn refused(shared: &Shared, headers: &HeaderMap) -> Option<Error> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !text(CONTENT_TYPE.as_str()).starts_with("application/json") {
        return Some(Error::invalid(
            "This operation has been blocked as a potential Cross-Site Request Forgery.",
        ));
    }
    let given = text(AUTHORIZATION.as_str());
    let token = lock(&shared.token);
    let expected = if token.starts_with("lin_api_") { token.clone() } else { format!("Bearer {token}") };
    (given != expected).then(Error::not_authenticated)
}

/// Plays a fault of a request.
fn faulty(
    shared: &Shared,
    asked: &Asked,
    fault: Fault,
    apply: impl FnOnce() -> Result<Value, (Error, Option<String>)>,
) -> Reply {
    match fault {
        Fault::Limited { retry_after, reset } => {
            let mut headers = Vec::new();
            headers.extend(retry_after.map(|text| ("retry-after", text)));
            if let Some(reset) = reset {
                headers.push(("x-ratelimit-requests-limit", "2500".to_owned()));
                headers.push(("x-ratelimit-requests-remaining", "0".to_owned()));
                headers.push(("x-ratelimit-requests-reset", reset.to_string()));
            }
            let error = Error::limited();
            Reply::Json(error.status, headers, error.body(None))
        }
        Fault::Status(status, body) => Reply::Json(status, Vec::new(), body),
        Fault::Html(status) => Reply::Html(status),
        Fault::LostBefore => Reply::Lost,
        Fault::AppliedThenLost => {
            drop(apply());
            Reply::Lost
        }
        Fault::AppliedThenHtml(status) => {
            drop(apply());
            Reply::Html(status)
        }
        Fault::AppliedThenStatus(status, body) => {
            drop(apply());
            Reply::Json(status, Vec::new(), body)
        }
        Fault::LateApply => {
            shared.world().late.push_back(asked.clone());
            Reply::Lost
        }
    }
}

/// Returns the status of an answer, its body where it is JSON, and itself.
fn answered(reply: Reply, cut: &Cut) -> (u16, Value, Response) {
    let mut response = Response::builder();
    let mut told = Value::Null;
    let (status, text) = match reply {
        Reply::Json(status, headers, body) => {
            response = response.header(CONTENT_TYPE, "application/json; charset=utf-8");
            for (name, value) in headers {
                response = response.header(name, value);
            }
            let text = body.to_string();
            told = body;
            (status, text)
        }
        Reply::Html(status) => {
            response = response.header(CONTENT_TYPE, "text/html");
            (status, "<!DOCTYPE html><html><body>Sorry!</body></html>".into())
        }
        Reply::Lost => {
            cut.cut();
            (0, String::new())
        }
    };
    let shown = if status == 0 { 200 } else { status };
    (status, told, response.status(shown).body(Body::from(text)).unwrap_or_default())
}
