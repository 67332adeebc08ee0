//! The HTTP server: checks who calls, plays faults, keeps the journal.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, USER_AGENT};
use axum::http::{HeaderMap, Method, Uri};
use axum::response::Response;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::answer::{Answer, Outcome};
use super::{Call, Fault, Shared, lock, routes, schema};
use crate::line::{Cut, Lines};

/// The version of the API that is spoken.
const VERSION: &str = "2022-11-28";
/// The results of a page, if the call does not say.
const PAGE: usize = 30;
/// The most results of a page.
const LONGEST_PAGE: usize = 100;

/// A call of the API.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) method: String,
    pub(super) path: String,
    /// The decoded segments of the path.
    pub(super) parts: Vec<String>,
    pub(super) query: Vec<(String, String)>,
    pub(super) body: Value,
}

impl Asked {
    pub(super) fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str())
    }

    /// Returns the page of a list that is asked for, with links to those around it.
    pub(super) fn page(&self, site: &str, all: Vec<Value>) -> Outcome {
        let number = |name: &str, usual: usize| {
            self.query(name).and_then(|text| text.parse().ok()).filter(|number| *number > 0).unwrap_or(usual)
        };
        let (page, size) = (number("page", 1), number("per_page", PAGE).min(LONGEST_PAGE));
        let last = all.len().div_ceil(size).max(1);
        let shown: Vec<Value> = all.into_iter().skip((page - 1) * size).take(size).collect();
        let answer = Answer::ok(shown.into());
        let before = (page > 1).then(|| [("prev", page - 1), ("first", 1)]);
        let behind = (page < last).then(|| [("next", page + 1), ("last", last)]);
        let links = before.into_iter().chain(behind).flatten();
        let links: Vec<String> = links.map(|(to, page)| self.link(site, page, to)).collect();
        Ok(if links.is_empty() { answer } else { answer.with("link", links.join(", ")) })
    }

    /// Returns a link to another page of the list.
    fn link(&self, site: &str, page: usize, to: &str) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(self.query.iter().filter(|(name, _)| name != "page"));
        let query = query.append_pair("page", &page.to_string()).finish();
        format!("<{site}{}?{query}>; rel=\"{to}\"", self.path)
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
    let parts = uri.path().split('/').filter(|part| !part.is_empty());
    let asked = Asked {
        method: method.as_str().into(),
        path: uri.path().into(),
        parts: parts.map(|part| percent_decode_str(part).decode_utf8_lossy().into_owned()).collect(),
        query: form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).into_owned().collect(),
        body: serde_json::from_slice(&bytes).unwrap_or_default(),
    };
    let apply = || perform(&shared, &asked, &headers, &bytes);
    let fault = shared.take_fault(&asked.method, &asked.path);
    let reply = match fault {
        None => Reply::Json(apply()),
        Some(fault) => faulty(&shared, &asked, fault, apply),
    };
    respond(&shared, &asked, reply, &cut)
}

/// Plays a fault of a call.
fn faulty(shared: &Shared, asked: &Asked, fault: Fault, apply: impl FnOnce() -> Answer) -> Reply {
    match fault {
        Fault::TooMany { retry_after } => {
            let answer = Answer::refused(429, "API rate limit exceeded");
            Reply::Json(match retry_after {
                Some(text) => answer.with("retry-after", text),
                None => answer,
            })
        }
        Fault::UsedUp { reset } => {
            let answer = Answer::refused(403, "API rate limit exceeded for user ID 101.");
            Reply::Json(
                answer.with("x-ratelimit-remaining", "0".into()).with("x-ratelimit-reset", reset.to_string()),
            )
        }
        Fault::Secondary => {
            let why =
                "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
            Reply::Json(Answer::refused(403, why))
        }
        Fault::Status(status, body) => Reply::Json(Answer::json(status, body)),
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
        Fault::AppliedThenEmpty => {
            drop(apply());
            Reply::Json(Answer::json(201, json!({})))
        }
        Fault::LateApply => {
            shared.world().late.push(asked.clone());
            Reply::Lost
        }
    }
}

fn perform(shared: &Shared, asked: &Asked, headers: &HeaderMap, bytes: &[u8]) -> Answer {
    let refusal = refused(shared, headers).or_else(|| unreadable(asked, bytes));
    refusal.unwrap_or_else(|| {
        let done = routes::call(&mut shared.world(), asked, shared.now());
        done.unwrap_or_else(|refusal| refusal)
    })
}

/// Returns the refusal of a call by its headers.
fn refused(shared: &Shared, headers: &HeaderMap) -> Option<Answer> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if text(USER_AGENT.as_str()).is_empty() {
        let why = "Request forbidden by administrative rules. Please make sure your request has a User-Agent header";
        return Some(Answer::refused(403, why));
    }
    let version = text("x-github-api-version");
    if !version.is_empty() && version != VERSION {
        return Some(Answer::refused(400, &format!("\"{version}\" is not a valid API version.")));
    }
    let given = text(AUTHORIZATION.as_str());
    let token = given
        .split_once(' ')
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer") || scheme.eq_ignore_ascii_case("token"));
    match token {
        Some((_, token)) if token == *lock(&shared.token) => None,
        Some(_) => Some(Answer::refused(401, "Bad credentials")),
        None => Some(Answer::refused(401, "Requires authentication")),
    }
}

/// Returns the refusal of a body that is not JSON.
fn unreadable(asked: &Asked, bytes: &[u8]) -> Option<Answer> {
    let sends = matches!(asked.method.as_str(), "POST" | "PATCH" | "PUT") || !bytes.is_empty();
    let broken = sends && serde_json::from_slice::<Value>(bytes).is_err();
    broken.then(|| Answer::refused(400, "Problems parsing JSON"))
}

fn respond(shared: &Shared, asked: &Asked, reply: Reply, cut: &Cut) -> Response {
    let at = shared.now();
    let mut response = Response::builder();
    let violations = match &reply {
        Reply::Json(answer) => schema::violations(asked, answer),
        _ => Vec::new(),
    };
    let (status, text) = match reply {
        Reply::Json(answer) => {
            response = response.header(CONTENT_TYPE, "application/json; charset=utf-8");
            for (name, value) in &answer.headers {
                response = response.header(*name, value);
            }
            (answer.status, answer.body.map(|body| body.to_string()).unwrap_or_default())
        }
        Reply::Html(status) => {
            response = response.header(CONTENT_TYPE, "text/html");
            (status, "<!DOCTYPE html><html><body>Unicorn!</body></html>".into())
        }
        Reply::Lost => {
            cut.cut();
            (0, String::new())
        }
    };
    lock(&shared.journal).push(Call {
        at,
        method: asked.method.clone(),
        path: asked.path.clone(),
        query: asked.query.clone(),
        body: asked.body.clone(),
        status,
        violations,
    });
    let answered = if status == 0 { 200 } else { status };
    response.status(answered).body(Body::from(text)).unwrap_or_default()
}
