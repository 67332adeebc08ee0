//! Who looks at a page: in a demo whoever is there, else who signed in.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::SET_COOKIE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Serialize;

use super::page::{Refusal, page};
use super::session::{self, By, Session};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::codes;
use crate::problem::Problem;

/// Who a demo takes somebody for who has not said.
const ANYBODY: &str = "you";

/// A person in front of a browser, with what they may do.
#[derive(Clone)]
pub(crate) struct Visitor {
    pub(crate) caller: Caller,
    pub(crate) session: Session,
}

/// What every page says about who looks at it.
#[derive(Serialize)]
pub(crate) struct Seen {
    /// The person.
    user: String,
    /// Goes into every form, and into the header of every POST of a script.
    csrf: String,
    /// There is something to sign out of.
    signed_in: bool,
    /// The console has something for them.
    operates: bool,
    /// In a demo: everybody one can be.
    people: Vec<String>,
}

impl Visitor {
    /// As a template has it.
    pub(crate) fn seen(&self, app: &App) -> Seen {
        let people = if self.session.signed_in() { Vec::new() } else { people(app) };
        Seen {
            user: self.session.user().into(),
            csrf: self.session.csrf(app),
            signed_in: self.session.signed_in(),
            operates: self.caller.may(Scope::ApprovalsRead),
            people,
        }
    }
}

/// Everybody one can be in a demo.
pub(crate) fn people(app: &App) -> Vec<String> {
    let config = app.config();
    let here =
        |user: &&crate::config::User| user.tenant.as_ref().is_none_or(|tenant| *tenant == config.tenant);
    config.users.iter().filter(here).map(|user| user.id.clone()).collect()
}

impl FromRequestParts<Arc<App>> for Visitor {
    type Rejection = Response;

    /// Where nobody is signed in, a page sends to the sign-in and a form is refused.
    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Response> {
        if let Some(visitor) = parts.extensions.get::<Self>() {
            return Ok(visitor.clone());
        }
        if let Ok(Some((session, caller))) = session::of(app, &parts.headers) {
            return Ok(Self { caller, session });
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

/// Before every page: a demo introduces whoever comes, and a click on another site's link is sent once more from here,
/// because the browser left our cookie out of it (`SameSite=Strict`).
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
    let cookie = visitor.session.cookie(&app);
    request.extensions_mut().insert(visitor);
    let mut response = next.run(request).await;
    response.headers_mut().append(SET_COOKIE, cookie);
    response
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
