//! Requests to the API's own routes, within this process.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header::{ACCEPT, ACCEPT_LANGUAGE, AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use serde_json::Value;
use tower::ServiceExt;

use crate::problem::Problem;
use crate::{codes, problem};

/// Maximum size of an answer, which is read whole.
const MAX_ANSWER: usize = 8 * 1024 * 1024;

/// Routes of the API, with the headers that say who asks.
#[derive(Clone)]
pub(super) struct Api {
    routes: Router,
    asks: HeaderMap,
}

/// Request to the API.
#[derive(Clone, Debug, Default)]
pub(super) struct ApiRequest {
    pub(super) method: &'static str,
    /// Path and query.
    pub(super) target: String,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Option<Value>,
}

impl ApiRequest {
    /// Returns a request that reads.
    pub(super) fn get(target: String) -> Self {
        Self { method: "GET", target, ..Self::default() }
    }

    pub(super) fn header(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }
}

/// Answer of the API.
pub(super) struct ApiAnswer {
    pub(super) status: StatusCode,
    pub(super) body: Bytes,
}

impl ApiAnswer {
    /// Returns the answer as JSON; `null` if it is something else.
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl From<Problem> for ApiAnswer {
    fn from(problem: Problem) -> Self {
        let stored = problem.stored();
        Self { status: problem.status(), body: stored.body.into() }
    }
}

impl Api {
    /// Returns the routes as the sender of those headers reaches them. Of the headers only the token and the language go
    /// on.
    pub(super) fn of(routes: &Router, headers: &HeaderMap) -> Self {
        let kept = [AUTHORIZATION, ACCEPT_LANGUAGE];
        let asks =
            kept.into_iter().filter_map(|name| Some((name.clone(), headers.get(name)?.clone()))).collect();
        Self { routes: routes.clone(), asks }
    }

    /// Sends a request and reads the answer whole.
    pub(super) async fn send(&self, request: ApiRequest) -> ApiAnswer {
        self.sent(request).await.unwrap_or_else(ApiAnswer::from)
    }

    async fn sent(&self, asked: ApiRequest) -> Result<ApiAnswer, Problem> {
        let unfit = |error: axum::http::Error| {
            Problem::new(&codes::BAD_REQUEST, format!("an argument cannot be sent: {error}"))
        };
        let mut request = Request::builder().method(asked.method).uri(&asked.target);
        for (name, value) in &asked.headers {
            request = request.header(*name, value.as_str());
        }
        let body = asked.body.map(|body| body.to_string());
        if body.is_some() {
            request = request.header(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        let mut request = request.body(Body::from(body.unwrap_or_default())).map_err(unfit)?;
        request.headers_mut().extend(self.asks.clone());
        request.headers_mut().entry(ACCEPT).or_insert(HeaderValue::from_static("application/json"));
        let answer: Response<Body> = match self.routes.clone().oneshot(request).await {
            Ok(answer) => answer,
            Err(never) => match never {},
        };
        let status = answer.status();
        let body = axum::body::to_bytes(answer.into_body(), MAX_ANSWER).await;
        let body = body.map_err(|error| {
            problem::Problem::logged(&codes::INTERNAL, "the answer cannot be read", &error)
        })?;
        Ok(ApiAnswer { status, body })
    }
}
