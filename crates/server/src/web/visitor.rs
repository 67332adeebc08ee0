//! Visitor of a page: the person who signed in, or a person of the demo.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::SET_COOKIE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Serialize;

use super::page::{Refusal, page};
use super::push;
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::codes;
use crate::problem::Problem;
use crate::session::{self, By, Session};
use crate::web_channel::Page;

/// Person of a demo for a visitor who has not chosen one.
const ANYBODY: &str = "you";

/// Person in front of a browser, with their session.
#[derive(Clone)]
pub(crate) struct Visitor {
    pub(crate) caller: Caller,
    pub(crate) session: Session,
}

/// Values about the visitor on every page.
#[derive(Serialize)]
pub(crate) struct VisitorView {
    /// Id of the person.
    user: String,
    /// CSRF token, for forms and the header of a script's POST.
    csrf: String,
    /// True if there is something to sign out of.
    signed_in: bool,
    /// True if the person may use the console.
    operates: bool,
    /// Key that this person's browsers subscribe to notifications for, if there are any.
    push: Option<String>,
    /// People of a demo that the visitor can choose from.
    people: Vec<String>,
}

impl Visitor {
    /// Returns the values for a template.
    pub(crate) fn view(&self, app: &App) -> VisitorView {
        let people = if self.session.signed_in() { Vec::new() } else { people(app) };
        VisitorView {
            user: self.session.user().into(),
            csrf: self.session.csrf(app),
            signed_in: self.session.signed_in(),
            operates: self.caller.may(Scope::ApprovalsRead),
            push: push::key(app, &self.caller),
            people,
        }
    }
}

/// Returns the people of a demo.
pub(crate) fn people(app: &App) -> Vec<String> {
    let config = app.config();
    config.users.of(&config.tenant).into_iter().map(|entry| entry.user.id.clone()).collect()
}

impl FromRequestParts<Arc<App>> for Visitor {
    type Rejection = Response;

    /// Redirects a page to the sign-in if nobody is signed in; a form is refused.
    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Response> {
        if let Some(visitor) = parts.extensions.get::<Self>() {
            return Ok(visitor.clone());
        }
        if let Some(visitor) = of(app, &parts.headers) {
            visitor.caller.in_time(app).map_err(|problem| Refusal::from(problem).into_response())?;
            return Ok(visitor);
        }
        if parts.method == Method::GET {
            let to = parts.uri.path_and_query().map_or("/", |to| to.as_str());
            let to: String = form_urlencoded::byte_serialize(to.as_bytes()).collect();
            return Err(Redirect::to(&format!("/sign-in?to={to}")).into_response());
        }
        let text = "this browser is signed in no more; what was sent was not taken";
        Err(Refusal::from(Problem::new(&codes::SESSION_OVER, text)).into_response())
    }
}

/// Middleware of every page. In a demo it signs a new visitor in. A request that follows another site's link is sent
/// once more from here, because the browser left out our cookie (`SameSite=Strict`).
pub(crate) async fn introduce(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    if request.method() != Method::GET || matches!(session::of(&app, request.headers()), Ok(Some(_))) {
        return next.run(request).await;
    }
    if from_elsewhere(request.headers()) {
        return page("again.html", &()).unwrap_or_else(IntoResponse::into_response);
    }
    if !app.config().server.demo {
        return next.run(request).await;
    }
    let Some(visitor) = anybody(&app) else { return next.run(request).await };
    let framed = request.uri().path() == Page::Embed.path();
    let session = &visitor.session;
    let cookie = if framed { session.frame_cookie(&app) } else { session.cookie(&app) };
    request.extensions_mut().insert(visitor);
    let mut response = next.run(request).await;
    response.headers_mut().append(SET_COOKIE, cookie);
    response
}

/// Returns the visitor of a request's cookie.
pub(super) fn of(app: &App, headers: &HeaderMap) -> Option<Visitor> {
    let (session, caller) = session::of(app, headers).ok().flatten()?;
    Some(Visitor { caller, session })
}

fn from_elsewhere(headers: &HeaderMap) -> bool {
    let says = |name: &str, value: &str| headers.get(name).is_some_and(|given| given == value);
    says("sec-fetch-site", "cross-site") && says("sec-fetch-mode", "navigate")
}

fn anybody(app: &App) -> Option<Visitor> {
    let people = people(app);
    let user = people.iter().find(|user| *user == ANYBODY).or(people.first())?;
    let session = Session::of_user(app, user, By::Demo).ok()?;
    let caller = session.caller(app)?;
    Some(Visitor { caller, session })
}
