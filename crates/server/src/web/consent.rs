//! The way to a page of another site on which a person agrees to something, and back. What comes back is bound to the
//! browser that left, so that nobody is led to finish what somebody else began.

use axum::http::header::{CACHE_CONTROL, COOKIE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Redirect, Response};
use cookie::{Cookie, SameSite};
use serde::Deserialize;
use throughline_engine::data::canonical_json::sha256;

use crate::app::App;

/// Minutes that it may take.
const MINUTES: i64 = 10;

/// Consent of one kind.
pub(crate) struct Consent {
    /// Name of the cookie that holds the state of one under way.
    pub(crate) cookie: &'static str,
    /// Path below which it begins and ends.
    pub(crate) path: &'static str,
}

/// Query with which a person comes back.
#[derive(Debug, Deserialize)]
pub(crate) struct BackQuery {
    code: Option<String>,
    state: Option<String>,
    error: Option<String>,
}

impl Consent {
    /// Sends a browser to the other site.
    pub(crate) fn leave(&self, app: &App, url: &str, state: &str) -> Response {
        let mut response = Redirect::to(url).into_response();
        response.headers_mut().insert(SET_COOKIE, self.cookie(app, state, MINUTES));
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }

    /// Marks the state of a browser as used up.
    pub(crate) fn over(&self, app: &App, mut response: Response) -> Response {
        response.headers_mut().append(SET_COOKIE, self.cookie(app, "", 0));
        response
    }

    /// Returns true if this is the browser that left with the state it comes back with.
    pub(crate) fn left_from_here(&self, headers: &HeaderMap, back: &BackQuery) -> bool {
        let hash = |state: &str| sha256(&[state.as_bytes()]);
        let left = self.state(headers).map(|state| hash(&state));
        left.is_some() && left == back.state.as_deref().map(hash)
    }

    fn cookie(&self, app: &App, state: &str, minutes: i64) -> HeaderValue {
        let secure = app.config().server.public_url.as_deref().is_some_and(|url| url.starts_with("https://"));
        // Lax: the person comes back by a link on the other site's page.
        let cookie = Cookie::build((self.cookie, state))
            .path(self.path)
            .http_only(true)
            .secure(secure)
            .same_site(SameSite::Lax)
            .max_age(cookie::time::Duration::minutes(minutes));
        HeaderValue::from_str(&cookie.to_string()).unwrap_or(HeaderValue::from_static(""))
    }

    fn state(&self, headers: &HeaderMap) -> Option<String> {
        let cookies = headers.get_all(COOKIE).iter().filter_map(|header| header.to_str().ok());
        let mut named =
            cookies.flat_map(Cookie::split_parse).flatten().filter(|cookie| cookie.name() == self.cookie);
        named.next().map(|cookie| cookie.value().to_owned()).filter(|state| !state.is_empty())
    }
}

impl BackQuery {
    /// Returns the state that came back.
    pub(crate) fn state(&self) -> &str {
        self.state.as_deref().unwrap_or_default()
    }

    /// Returns the code, or the other site's reason that there is none.
    pub(crate) fn code(self) -> Result<String, String> {
        match (self.code, self.error) {
            (Some(code), None) => Ok(code),
            (_, error) => Err(error.unwrap_or_else(|| "no code came back".into())),
        }
    }
}
