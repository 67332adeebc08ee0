//! The HTTP server: checks who calls, plays faults, keeps the journal.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, LOCATION};
use axum::http::{HeaderMap, Method, Uri};
use axum::response::Response;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::answer::{Answer, Outcome};
use super::edition::{Edition, LIMITS};
use super::oauth::{self, CLOUD_ID};
use super::{Call, Fault, Shared, lock, routes, schema};
use crate::line::{Cut, Lines};

/// A call of the API.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) method: String,
    /// The path without what differs between sites: `/rest/api/3/…`, or `/rest/api/2/…` in Data Center.
    pub(super) path: String,
    /// The decoded segments of the path after that.
    pub(super) parts: Vec<String>,
    pub(super) query: Vec<(String, String)>,
    pub(super) body: Value,
}

impl Asked {
    pub(super) fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str())
    }

    /// Returns the values of a parameter, given as a list with commas or several times.
    pub(super) fn list(&self, name: &str) -> Vec<&str> {
        let given = self.query.iter().filter(|(one, _)| one == name);
        given
            .flat_map(|(_, value)| value.split(','))
            .map(str::trim)
            .filter(|value| !value.is_empty())
            .collect()
    }

    pub(super) fn has(&self, name: &str, value: &str) -> bool {
        self.list(name).contains(&value)
    }

    /// Returns the first result and the number of results that are wanted, or refuses more than `most` of them.
    pub(super) fn page(&self, usual: usize, most: usize) -> Result<(usize, usize), Answer> {
        let number = |name: &str, usual: usize| match self.query(name) {
            None => Ok(usual),
            Some(text) => text
                .parse()
                .map_err(|_| Answer::refused(400, &format!("Parameter '{name}' must be a number"))),
        };
        let (start, wanted) = (number("startAt", 0)?, number("maxResults", usual)?);
        if wanted > most {
            return Err(Answer::refused(
                400,
                &format!("Parameter 'maxResults' must not exceed the limit '{most}'"),
            ));
        }
        Ok((start, wanted))
    }
}

// ---- calls ----

pub(super) fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let router = Router::new().fallback(handle).with_state(shared);
    let service = router.into_make_service_with_connect_info::<Cut>();
    tokio::spawn(async move { axum::serve(Lines(listener), service).await });
}

/// A form in which a call is answered.
enum Reply {
    Json(Answer),
    Html(u16),
    /// 429, with the text of `Retry-After`.
    TooMany(Option<String>),
    Redirect(String),
    /// None: the connection is closed.
    Lost,
}

async fn handle(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(cut): ConnectInfo<Cut>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response {
    let path = uri.path().to_owned();
    let asked = asked(shared.edition, method.as_str(), &uri, &bytes);
    let fault = shared.take_fault(&asked.method, &path);
    if let Some(Fault::Slow(delay)) = &fault {
        let reply = perform(&shared, &asked, &path, &headers, &bytes);
        tokio::time::sleep(*delay).await;
        return respond(&shared, &asked, &path, reply, &cut);
    }
    let apply = || perform(&shared, &asked, &path, &headers, &bytes);
    let reply = match fault {
        None | Some(Fault::Slow(_)) => apply(),
        Some(Fault::TooMany { retry_after }) => Reply::TooMany(retry_after),
        Some(Fault::Status(status, body)) => Reply::Json(Answer::json(status, body)),
        Some(Fault::Html(status)) => Reply::Html(status),
        Some(Fault::LostBefore) => Reply::Lost,
        Some(Fault::AppliedThenLost) => {
            drop(apply());
            Reply::Lost
        }
        Some(Fault::AppliedThenHtml(status)) => {
            drop(apply());
            Reply::Html(status)
        }
        Some(Fault::AppliedThenNoKey) => match apply() {
            Reply::Json(answer) => Reply::Json(routes::without_key(answer)),
            other => other,
        },
        Some(Fault::LateApply) => {
            shared.world().late.push(asked.clone());
            Reply::Lost
        }
    };
    respond(&shared, &asked, &path, reply, &cut)
}

fn asked(edition: Edition, method: &str, uri: &Uri, bytes: &[u8]) -> Asked {
    let (path, query) = (uri.path(), uri.query().unwrap_or_default());
    let gateway = format!("/ex/jira/{CLOUD_ID}");
    let path = path.strip_prefix(&gateway).filter(|_| edition == Edition::Cloud).unwrap_or(path);
    let below =
        path.strip_prefix(edition.root()).and_then(|below| below.strip_prefix('/')).unwrap_or_default();
    let parts = below.split('/').filter(|part| !part.is_empty());
    Asked {
        method: method.into(),
        path: path.into(),
        parts: parts.map(|part| percent_decode_str(part).decode_utf8_lossy().into_owned()).collect(),
        query: form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
        body: serde_json::from_slice(bytes).unwrap_or_default(),
    }
}

fn perform(shared: &Shared, asked: &Asked, path: &str, headers: &HeaderMap, bytes: &[u8]) -> Reply {
    let now = shared.now();
    let (edition, cloud) = (shared.edition, shared.edition == Edition::Cloud);
    match (asked.method.as_str(), path) {
        ("POST", "/oauth/token") if cloud => return outcome(lock(&shared.oauth).token(&asked.body, now)),
        ("GET", "/authorize") if cloud => {
            return match lock(&shared.oauth).authorize(&asked.query) {
                Ok(to) => Reply::Redirect(to),
                Err(refusal) => Reply::Json(refusal),
            };
        }
        _ => {}
    }
    let resources = cloud && path == "/oauth/token/accessible-resources";
    if !resources && asked.parts.is_empty() {
        return no_path(shared, path);
    }
    if !authorized(shared, headers, resources || path.starts_with("/ex/jira/")) {
        let bearer = resources || path.starts_with("/ex/jira/");
        let own = || json!({"code": 401, "message": "Unauthorized"});
        let body = if bearer { own() } else { edition.unauthorized() };
        return Reply::Json(Answer::json(401, body));
    }
    if resources {
        return Reply::Json(Answer::ok(oauth::resources(&shared.site)));
    }
    if let Some(refusal) = unreadable(asked, headers, bytes) {
        return Reply::Json(refusal);
    }
    let mut world = shared.world();
    let done = routes::call(&mut world, asked, now);
    shared.publish(&mut world);
    done.map_or_else(
        || no_path(shared, path),
        |done| outcome(done.map_err(|refusal| edition.worded(refusal))),
    )
}

fn no_path(shared: &Shared, path: &str) -> Reply {
    let url = format!("{}{path}", shared.site);
    shared.edition.no_path(&url).map_or(Reply::Html(404), Reply::Json)
}

fn outcome(outcome: Outcome) -> Reply {
    Reply::Json(outcome.unwrap_or_else(|refusal| refusal))
}

/// Returns the refusal of a body that is not JSON.
fn unreadable(asked: &Asked, headers: &HeaderMap, bytes: &[u8]) -> Option<Answer> {
    let sends = matches!(asked.method.as_str(), "POST" | "PUT") || !bytes.is_empty();
    if !sends {
        return None;
    }
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.starts_with("application/json") {
        return Some(Answer::json(
            415,
            json!({"message": "HTTP 415 Unsupported Media Type", "status-code": 415}),
        ));
    }
    serde_json::from_slice::<Value>(bytes).is_err().then(Answer::bad_payload)
}

/// Returns true if a call has the proof of the service account, or the access token of an app.
fn authorized(shared: &Shared, headers: &HeaderMap, bearer: bool) -> bool {
    if bearer {
        let given = headers.get(AUTHORIZATION).and_then(|given| given.to_str().ok()).unwrap_or_default();
        let token = given.strip_prefix("Bearer ").unwrap_or_default();
        return lock(&shared.oauth).accepts(token, shared.now());
    }
    shared.edition.authorized(headers, &lock(&shared.token))
}

fn respond(shared: &Shared, asked: &Asked, path: &str, reply: Reply, cut: &Cut) -> Response {
    let mut response = Response::builder();
    let limited = shared.edition == Edition::DataCenter && matches!(reply, Reply::Json(_));
    for (name, value) in LIMITS.iter().filter(|_| limited) {
        response = response.header(*name, *value);
    }
    let (status, text) = match &reply {
        Reply::Json(Answer { status, body: None }) => (*status, String::new()),
        Reply::Json(Answer { status, body: Some(body) }) => {
            response = response.header(CONTENT_TYPE, "application/json;charset=UTF-8");
            (*status, body.to_string())
        }
        Reply::Html(status) => {
            response = response.header(CONTENT_TYPE, "text/html;charset=UTF-8");
            (
                *status,
                "<!DOCTYPE html><html><head><title>Oops, you've found a dead link.</title></head></html>"
                    .into(),
            )
        }
        Reply::TooMany(after) => {
            response = response.header(CONTENT_TYPE, "application/json;charset=UTF-8");
            response =
                response.header("RateLimit-Reason", "jira-burst-based").header("X-RateLimit-Remaining", "0");
            if let Some(after) = after {
                response = response.header("Retry-After", after);
            }
            (429, json!({"errorMessages": ["Rate limit exceeded."], "errors": {}}).to_string())
        }
        Reply::Redirect(to) => {
            response = response.header(LOCATION, to);
            (302, String::new())
        }
        Reply::Lost => {
            cut.cut();
            (0, String::new())
        }
    };
    let violations = match &reply {
        Reply::Json(answer) if shared.edition == Edition::Cloud => schema::violations(asked, answer),
        _ => Vec::new(),
    };
    shared.journal(Call {
        at: shared.now(),
        method: asked.method.clone(),
        path: path.to_owned(),
        query: asked.query.clone(),
        body: asked.body.clone(),
        status,
        violations,
    });
    response = response.status(if status == 0 { 200 } else { status });
    response.body(Body::from(text)).unwrap_or_default()
}
