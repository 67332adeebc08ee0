//! Middleware in front of every handler: request ids, panics, draining, and the allow-list of hosts and origins.

use std::any::Any;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{CACHE_CONTROL, HOST, ORIGIN, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use throughline_engine::data::canonical_json::hex;

use crate::app::App;
use crate::codes;
use crate::language::{self, LANGUAGE};
use crate::problem::{Problem, REQUEST};

/// Header with the request's id, on every answer.
pub(crate) const REQUEST_HEADER: HeaderName = HeaderName::from_static("throughline-request");
/// Header with the id of the turn that an answer is about.
pub(crate) const TURN_HEADER: HeaderName = HeaderName::from_static("throughline-turn");

/// Gives the request an id and puts it on the answer, with the headers that every answer has. What names no other
/// lifetime is kept by no cache: all of it is about somebody.
pub(crate) async fn identify(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let mut random = [0; 10];
    // An id is not a secret; without random bytes it is only less unique.
    let _ = getrandom::fill(&mut random);
    let id = format!("rq_{}", hex(&random));
    let language = language::of_request(&app, &request);
    let mut response = REQUEST.scope(id.clone(), LANGUAGE.scope(language, next.run(request))).await;
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_HEADER, value);
    }
    let nosniff = HeaderValue::from_static("nosniff");
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, nosniff);
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if app.config().server.is_https() {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    response
}

/// Answers a request whose handler panicked. The process goes on.
pub(crate) fn panicked(_: Box<dyn Any + Send + 'static>) -> Response {
    tracing::error!(code = "TL-2008", "a request's handler panicked");
    Problem::new(
        &codes::INTERNAL,
        "the handler of this request failed; an accepted event is handled all the same",
    )
    .into_response()
}

/// Mark of a request on a connection of the reserve, which is there for probes.
#[derive(Clone, Copy)]
pub(crate) struct Reserved;

/// Refuses requests during the drain, those that take a connection which is there for probes, and those for a host or from an origin that is not allowed.
pub(crate) async fn admit(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    if app.draining() && !asks_how_it_is(request.method(), request.uri()) {
        return Problem::new(&codes::DRAINING, "this instance is shutting down and takes no new requests")
            .into_response();
    }
    if request.extensions().get::<Reserved>().is_some() && !asks_how_it_is(request.method(), request.uri()) {
        return Problem::new(&codes::BUSY, "every connection is busy with a request of somebody")
            .into_response();
    }
    if let Err(problem) = in_time(&app, &request) {
        return problem.into_response();
    }
    let path = request.uri().path();
    if path.starts_with("/telegram/") || path.starts_with("/slack/") {
        // They call the public name, and prove themselves with a secret of their own.
        return next.run(request).await;
    }
    match Hosts::of(&app).map_or(Ok(()), |hosts| hosts.check(&request)) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

/// Returns true if the browser states that the request comes from one of our own pages. A form of a page with
/// `Referrer-Policy: no-referrer` has the origin `null` (Fetch, "append a request `Origin` header"); scripts cannot
/// set this header.
pub(crate) fn same_origin(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-site").is_some_and(|site| site == "same-origin")
}

/// Counts the request for its peer. Probes are not counted.
fn in_time(app: &App, request: &Request) -> Result<(), Problem> {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    match peer {
        Some(ConnectInfo(peer)) if !asks_how_it_is(request.method(), request.uri()) => {
            app.rates.peer(peer.ip()).map_err(|early| Problem::too_fast("this address", early))
        }
        _ => Ok(()),
    }
}

fn asks_how_it_is(method: &Method, uri: &Uri) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
        && matches!(uri.path(), "/livez" | "/readyz" | "/metrics" | "/version")
}

/// Host names that requests may use. Checked in the demo and on loopback, so that no other site reaches the server by
/// DNS rebinding.
struct Hosts<'a> {
    port: u16,
    more: &'a [String],
}

impl<'a> Hosts<'a> {
    fn of(app: &'a App) -> Option<Self> {
        let config = app.config();
        let address = app.address.get().copied().unwrap_or(config.server.listen);
        (config.server.demo || address.ip().is_loopback())
            .then_some(Self { port: address.port(), more: &config.server.allowed_hosts })
    }

    fn check(&self, request: &Request) -> Result<(), Problem> {
        let headers = request.headers();
        let mut hosts = headers.get_all(HOST).iter();
        let named = match (request.uri().authority(), hosts.next()) {
            (Some(authority), _) => Some(authority.as_str()),
            (None, host) => host.and_then(|host| host.to_str().ok()),
        };
        let named = named.filter(|_| hosts.next().is_none());
        if !named.is_some_and(|host| self.allows(host)) {
            let told = named.unwrap_or("(none)");
            return Err(Problem::new(
                &codes::HOST_REFUSED,
                format!(
                    "the host {told:?} is not one of ours; use 127.0.0.1:{} or add it to server.allowed_hosts",
                    self.port
                ),
            ));
        }
        for origin in headers.get_all(ORIGIN) {
            let origin = origin.to_str().unwrap_or_default();
            if origin == "null" && same_origin(headers) {
                continue;
            }
            let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            if !host.is_some_and(|host| self.allows(host)) {
                let text =
                    format!("a page of {origin:?} may not call us; add its host to server.allowed_hosts");
                return Err(Problem::new(&codes::ORIGIN_REFUSED, text));
            }
        }
        Ok(())
    }

    fn allows(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let loopback = ["localhost", "127.0.0.1", "[::1]"];
        let ours = |name: &str| host == format!("{name}:{}", self.port) || (self.port == 80 && host == *name);
        let configured =
            |name: &String| host == name.to_ascii_lowercase() || ours(&name.to_ascii_lowercase());
        loopback.iter().any(|name| ours(name)) || self.more.iter().any(configured)
    }
}
