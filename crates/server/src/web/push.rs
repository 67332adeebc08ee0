//! Notifications on this device: the browser's subscription is kept for the person who switches them on, noted again when they
//! come back, and ended when they switch them off. Without a contact in the configuration there are no such addresses.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::forms::SentForm;
use super::page::Refusal;
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::codes;
use crate::problem::Problem;
use crate::push::Push;
use crate::push::devices::{Devices, Subscription, id_of};

/// Longest address of a subscription, in bytes.
const LONGEST: usize = 2_048;

/// Returns the key that a browser subscribes for; `None` if there are no notifications, or none for this person.
pub(super) fn key(app: &App, caller: &Caller) -> Option<String> {
    let opens = caller.may(Scope::ApprovalsRead) && caller.may(Scope::ApprovalsDecide);
    app.instance.push.as_ref().filter(|_| opens).map(|push| push.key().to_owned())
}

/// `POST /push/on`: keeps the browser's subscription.
pub(crate) async fn post_on(State(app): State<Arc<App>>, request: Request) -> Result<Response, Response> {
    let (sent, push) = read(&app, request).await?;
    let keep = async {
        if key(&app, &sent.visitor.caller).is_none() {
            return Err(Problem::new(&codes::SCOPE, "your roles do not let you open and decide approvals"));
        }
        let bad = |why: String| {
            Problem::new(&codes::BAD_REQUEST, format!("the subscription cannot be used: {why}"))
        };
        let said = sent.field("subscription");
        let subscription: Subscription =
            serde_json::from_str(said).map_err(|error| bad(error.to_string()))?;
        if subscription.endpoint.len() > LONGEST {
            return Err(bad("its address is too long".into()));
        }
        push.check(&subscription).map_err(bad)?;
        let (caller, session) = (&sent.visitor.caller, &sent.visitor.session);
        devices(&app, &sent).keep(&push, &subscription, (&caller.principal, session.id())).await
    };
    keep.await.map_err(refused)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `POST /push/seen`: answers 204 if the device is on for this person, whose session it is noted with, else 404.
pub(crate) async fn post_seen(State(app): State<Arc<App>>, request: Request) -> Result<Response, Response> {
    let (sent, _) = read(&app, request).await?;
    let (person, session) = (&sent.visitor.caller.principal, sent.visitor.session.id());
    let seen = devices(&app, &sent).seen(&id_of(sent.field("endpoint")), person, session).await;
    let status = if seen.map_err(refused)? { StatusCode::NO_CONTENT } else { StatusCode::NOT_FOUND };
    Ok(status.into_response())
}

/// `POST /push/off`: ends it, if it is theirs.
pub(crate) async fn post_off(State(app): State<Arc<App>>, request: Request) -> Result<Response, Response> {
    let (sent, _) = read(&app, request).await?;
    let (devices, id) = (devices(&app, &sent), id_of(sent.field("endpoint")));
    let found = devices.get(&id).await.map_err(refused)?;
    if found.is_some_and(|device| device.person == sent.visitor.caller.principal) {
        devices.end(&id).await.map_err(refused)?;
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn read(app: &Arc<App>, request: Request) -> Result<(SentForm, Arc<Push>), Response> {
    let push = app.instance.push.clone().ok_or_else(|| refused(Problem::not_found("page")))?;
    Ok((SentForm::read(app, request).await?, push))
}

fn devices(app: &App, sent: &SentForm) -> Devices {
    Devices::new(app.instance.store.clone(), &sent.visitor.caller.tenant)
}

fn refused(problem: impl Into<Problem>) -> Response {
    Refusal::from(problem).into_response()
}
