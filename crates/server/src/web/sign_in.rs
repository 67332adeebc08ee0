//! Sign-in and sign-out: by a one-time link, a token, or an account at a provider; in a demo, by choosing a person.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{ORIGIN, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};

use super::consent::{BackQuery, Consent};
use super::forms::SentForm;
use super::page::{ForPage, Refusal, page};
use super::visitor::people;
use crate::app::App;
use crate::codes;
use crate::language;
use crate::middleware::same_origin;
use crate::openid::{self, Arrived, Provider};
use crate::problem::Problem;
use crate::request::{QueryParams, read_form};
use crate::session::{By, Session, no_cookie, of};
use crate::sign_in_link::Link;
use crate::users::{self, NotChanged};

const CONSENT: Consent = Consent { cookie: "throughline-openid", path: "/sign-in/openid" };

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
    /// Provider, if there is one.
    provider: Option<ProviderLink>,
}

/// Way to a provider.
#[derive(Serialize)]
struct ProviderLink {
    name: String,
    href: String,
}

impl SignInPage {
    /// Returns the page that offers every way in.
    fn asking(app: &App, to: String, wrong: Option<String>) -> Self {
        let encoded: String = form_urlencoded::byte_serialize(to.as_bytes()).collect();
        let href = format!("{}?to={encoded}", CONSENT.path);
        let provider = app.instance.openid.as_ref();
        let provider = provider.map(|provider| ProviderLink { name: provider.config.name.clone(), href });
        Self { link: None, user: None, to, wrong, provider }
    }

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
    ForPage(QueryParams(SignInQuery { link, to })): ForPage<QueryParams<SignInQuery>>,
) -> Result<Response, Refusal> {
    let to = local(to.as_deref());
    let Some(link) = link else {
        if app.config().server.demo || matches!(of(&app, &headers), Ok(Some(_))) {
            return Ok(Redirect::to(&to).into_response());
        }
        return Ok(SignInPage::asking(&app, to, None).show(StatusCode::OK)?);
    };
    let read = Link::read(&app, &link)?;
    Ok(SignInPage { link: Some(link), user: Some(read.user), to, wrong: None, provider: None }
        .show(StatusCode::OK)?)
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
            return Ok(SignInPage::asking(&app, to, wrong).show(StatusCode::UNAUTHORIZED)?);
        };
        Session::of_token(&app, token)?
    };
    session.begin_in(&app, &parts.headers).await.map_err(Problem::from)?;
    Ok(with_cookie(Redirect::to(&to), session.cookie(&app)))
}

/// `GET /sign-in/openid`: sends a browser to the provider.
pub(crate) async fn get_openid(
    State(app): State<Arc<App>>,
    ForPage(QueryParams(SignInQuery { to, .. })): ForPage<QueryParams<SignInQuery>>,
) -> Result<Response, Refusal> {
    let provider = provider(&app)?;
    let (url, state) = provider.begin(&app.base(), &local(to.as_deref()), app.store().now()).await?;
    Ok(CONSENT.leave(&app, &url, &state))
}

/// `GET /sign-in/openid/back`: where people come back to.
pub(crate) async fn get_openid_back(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    ForPage(QueryParams(back)): ForPage<QueryParams<BackQuery>>,
) -> Response {
    let response = match arrive(&app, &headers, back).await {
        Ok(response) => response,
        Err(problem) => Refusal::from(problem).into_response(),
    };
    CONSENT.over(&app, response)
}

async fn arrive(app: &App, headers: &HeaderMap, back: BackQuery) -> Result<Response, Problem> {
    let provider = provider(app)?;
    if !CONSENT.left_from_here(headers, &back) {
        let why = "this is not the browser that went to the provider, or it took too long; sign in again";
        return Err(Problem::new(&codes::ORIGIN_REFUSED, why));
    }
    let state = back.state().to_owned();
    let code = back.code().map_err(|why| openid::refused(format!("the provider says: {why}")))?;
    let Arrived { account, to } = provider.finish(&app.base(), &state, code, app.store().now()).await?;
    let config = app.config();
    users::signed_in(&config.users, app.store(), &config.tenant, &account).await.map_err(
        |why| match why {
            NotChanged::Store(error) => error.into(),
            NotChanged::Invalid(_, why) => openid::refused(why),
            NotChanged::Nobody | NotChanged::Themselves => {
                openid::refused(format!("{} is nobody here", account.id))
            }
        },
    )?;
    let session = Session::of_user(app, &account.id, By::OpenId)?;
    session.begin_in(app, headers).await?;
    tracing::info!(user = account.id, "signed in by OpenID Connect");
    Ok(with_cookie(Redirect::to(&to), session.cookie(app)))
}

fn provider(app: &App) -> Result<&Provider, Problem> {
    app.instance.openid.as_ref().ok_or_else(|| Problem::not_found("page"))
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
