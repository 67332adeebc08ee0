//! Signing in and out: by a one-time link or with a token; in a demo by saying who one is.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{ORIGIN, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};

use super::forms::Sent;
use super::link::Link;
use super::page::{Refusal, page};
use super::session::{By, Session, no_cookie, of};
use super::visitor::people;
use crate::app::App;
use crate::auth;
use crate::codes;
use crate::guard::same_origin;
use crate::problem::Problem;
use crate::request::{Asked, read_form};

/// What the page is opened with.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Opened {
    /// A one-time link.
    link: Option<String>,
    /// Where to go afterwards.
    to: Option<String>,
}

#[derive(Serialize)]
struct Values {
    /// The link, while it can be used, and whom it signs in.
    link: Option<String>,
    user: Option<String>,
    to: String,
    /// Why it did not work.
    wrong: Option<String>,
}

impl Values {
    fn show(&self, status: StatusCode) -> Result<Response, Problem> {
        let mut response = page("sign_in.html", self)?;
        *response.status_mut() = status;
        Ok(response)
    }
}

/// `GET /sign-in`: opening a link uses nothing up.
pub(crate) async fn get_sign_in(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Asked(Opened { link, to }): Asked<Opened>,
) -> Result<Response, Refusal> {
    let to = local(to.as_deref());
    let Some(link) = link else {
        if app.config().server.demo || matches!(of(&app, &headers), Ok(Some(_))) {
            return Ok(Redirect::to(&to).into_response());
        }
        return Ok(Values { link: None, user: None, to, wrong: None }.show(StatusCode::OK)?);
    };
    let read = Link::read(&app, &link)?;
    Ok(Values { link: Some(link), user: Some(read.user), to, wrong: None }.show(StatusCode::OK)?)
}

/// `POST /sign-in`: uses a link up, or takes a token.
pub(crate) async fn post_sign_in(State(app): State<Arc<App>>, request: Request) -> Result<Response, Refusal> {
    let (parts, body) = request.into_parts();
    ours(&parts.headers)?;
    let fields = read_form(&parts.headers, body).await?;
    let field = |name: &str| fields.get(name).map(|value| value.trim()).filter(|value| !value.is_empty());
    let to = local(field("to"));
    let session = if let Some(link) = field("link") {
        let link = Link::read(&app, link)?;
        link.consume(&app).await?;
        Session::of_user(&app, &link.user, By::Link)?
    } else {
        let Some(token) = field("token").and_then(|given| auth::token(&app.config().tokens, given)) else {
            let wrong = Some("That token is not one of this installation. Check it, and try again.".into());
            return Ok(Values { link: None, user: None, to, wrong }.show(StatusCode::UNAUTHORIZED)?);
        };
        Session::of_token(&app, token)?
    };
    Ok(with_cookie(Redirect::to(&to), session.cookie(&app)))
}

/// `POST /sign-out`
pub(crate) async fn post_sign_out(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, Response> {
    Sent::read(&app, request).await?;
    Ok(with_cookie(Redirect::to("/sign-in"), no_cookie(&app)))
}

/// `POST /you`: in a demo, to be somebody else of it.
pub(crate) async fn post_you(State(app): State<Arc<App>>, request: Request) -> Result<Response, Response> {
    let sent = Sent::read(&app, request).await?;
    let user = sent.field("user");
    if sent.visitor.session.signed_in() || !people(&app).iter().any(|known| known == user) {
        return Err(Refusal::from(Problem::not_found("person")).into_response());
    }
    let session = Session::of_user(&app, user, By::Demo);
    let session = session.map_err(|problem| Refusal::from(problem).into_response())?;
    Ok(with_cookie(Redirect::to(&local(Some(sent.field("to")))), session.cookie(&app)))
}

fn with_cookie(redirect: Redirect, cookie: HeaderValue) -> Response {
    let mut response = redirect.into_response();
    response.headers_mut().insert(SET_COOKIE, cookie);
    response
}

/// A sign-in has no session to prove itself with; a browser says itself whose page sends it.
fn ours(headers: &HeaderMap) -> Result<(), Problem> {
    let from_browser = headers.contains_key(ORIGIN) || headers.contains_key("sec-fetch-site");
    if from_browser && !same_origin(headers) && !origin_is_host(headers) {
        return Err(Problem::new(&codes::ORIGIN_REFUSED, "another site's page may not sign anybody in here"));
    }
    Ok(())
}

fn origin_is_host(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text("origin").and_then(|origin| Some(origin.split_once("://")?.1));
    host.is_some() && host == text("host")
}

/// An address of this site to go to; anything else is the beginning.
fn local(to: Option<&str>) -> String {
    let here = |to: &&str| {
        to.starts_with('/')
            && !to.starts_with("//")
            && !to.contains('\\')
            && to.bytes().all(|byte| byte.is_ascii_graphic())
    };
    to.filter(here).unwrap_or("/").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_on_only_within_this_site() {
        for here in ["/", "/?c=ana%3A1#end", "/console"] {
            assert_eq!(local(Some(here)), here);
        }
        for elsewhere in
            ["", "https://evil.example", "//evil.example", "/\\evil.example", "/\t/evil.example", "x"]
        {
            assert_eq!(local(Some(elsewhere)), "/", "{elsewhere}");
        }
        assert_eq!(local(None), "/");
    }
}
