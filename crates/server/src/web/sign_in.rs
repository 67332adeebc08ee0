//! Sign-in and sign-out: by a one-time link or a token; in a demo, by choosing a person.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{ORIGIN, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};

use super::forms::SentForm;
use super::page::{Refusal, page};
use super::visitor::people;
use crate::app::App;
use crate::codes;
use crate::language;
use crate::middleware::same_origin;
use crate::problem::Problem;
use crate::request::{QueryParams, read_form};
use crate::session::{By, Session, no_cookie, of};
use crate::sign_in_link::Link;

/// Query of the sign-in page.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct SignInQuery {
    /// A one-time link.
    link: Option<String>,
    /// Address to go to afterwards.
    to: Option<String>,
}

#[derive(Serialize)]
struct SignInPage {
    /// Link, while it can be used, with the user it signs in.
    link: Option<String>,
    user: Option<String>,
    to: String,
    /// Error message.
    wrong: Option<String>,
}

impl SignInPage {
    fn show(&self, status: StatusCode) -> Result<Response, Problem> {
        let mut response = page("sign_in.html", self)?;
        *response.status_mut() = status;
        Ok(response)
    }
}

/// `GET /sign-in`: opening a link does not use it up.
pub(crate) async fn get_sign_in(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    QueryParams(SignInQuery { link, to }): QueryParams<SignInQuery>,
) -> Result<Response, Refusal> {
    let to = local(to.as_deref());
    let Some(link) = link else {
        if app.config().server.demo || matches!(of(&app, &headers), Ok(Some(_))) {
            return Ok(Redirect::to(&to).into_response());
        }
        return Ok(SignInPage { link: None, user: None, to, wrong: None }.show(StatusCode::OK)?);
    };
    let read = Link::read(&app, &link)?;
    Ok(SignInPage { link: Some(link), user: Some(read.user), to, wrong: None }.show(StatusCode::OK)?)
}

/// `POST /sign-in`: uses a link up, or accepts a token.
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
        let Some(token) = field("token").and_then(|given| app.config().bearer(given)) else {
            let wrong = Some(throughline_messages::page_wrong_token(language::here()));
            return Ok(SignInPage { link: None, user: None, to, wrong }.show(StatusCode::UNAUTHORIZED)?);
        };
        Session::of_token(&app, token)?
    };
    Ok(with_cookie(Redirect::to(&to), session.cookie(&app)))
}

/// `POST /sign-out`: ends the session in every tab, and for every copy of its cookie.
pub(crate) async fn post_sign_out(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, Response> {
    let sent = SentForm::read(&app, request).await?;
    let ended = sent.visitor.session.end(&app).await;
    ended.map_err(|error| Refusal::from(Problem::from(error)).into_response())?;
    Ok(with_cookie(Redirect::to("/sign-in"), no_cookie(&app)))
}

/// `POST /you`: switches to another person of a demo.
pub(crate) async fn post_you(State(app): State<Arc<App>>, request: Request) -> Result<Response, Response> {
    let sent = SentForm::read(&app, request).await?;
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

/// Checks the origin of a sign-in. There is no session yet to check, but a browser states whose page sent it.
pub(super) fn ours(headers: &HeaderMap) -> Result<(), Problem> {
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

/// Returns a path of this site; anything else becomes `/`.
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
