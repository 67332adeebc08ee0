//! People at the console: who they are, where they are signed in, and how they come and go. Every act is the API's.

use axum::response::{IntoResponse, Redirect, Response};
use serde::Serialize;

use super::form::SentForm;
use super::operator::{Equivalents, Operator, Section};
use crate::codes;
use crate::problem::Problem;
use crate::request::PathParam;
use crate::routes::users as api;
use crate::sign_in_link::Link;
use crate::users::UserChange;
use crate::wire;

#[derive(Serialize)]
struct List {
    people: Vec<Row>,
    /// Name of the provider, if there is one.
    provider: Option<String>,
    /// True where mail tells people what waits for them.
    mails: bool,
}

#[derive(Serialize)]
struct Row {
    person: wire::User,
    href: String,
    /// Number of their sessions.
    sessions: usize,
}

#[derive(Serialize)]
struct PersonPage {
    person: wire::User,
    href: String,
    sessions: Vec<wire::Session>,
    /// True for whoever looks: nobody suspends or removes themselves.
    own: bool,
    /// True where a link would sign them in.
    linkable: bool,
    came: Option<Came>,
}

/// Outcome of a form.
#[derive(Serialize)]
struct Came {
    says: String,
    /// Link that was made. It is shown once.
    link: Option<String>,
}

/// `GET /console/people`.
pub(super) async fn list(operator: Operator) -> Result<Response, Problem> {
    operator.enter(Section::People)?;
    let app = &operator.app;
    let sessions = api::sessions(app, &operator.caller).await?;
    let row = |person: wire::User| {
        let sessions = sessions.iter().filter(|session| session.user == person.id).count();
        Row { href: href(&person.id), person, sessions }
    };
    let list = List {
        people: api::people(app, operator.tenant()).into_iter().map(row).collect(),
        mails: app.config().mail.is_some(),
        provider: app.instance.openid.as_ref().map(|provider| provider.config.name.clone()),
    };
    let twin =
        Equivalents::new("", "GET /v1/users").acts("", "PUT /v1/users/ID").acts("", "GET /v1/sessions");
    operator.page(Section::People, "console/people.html", twin, &list).await
}

/// `POST /console/people`: adds a person.
pub(super) async fn add(sent: SentForm) -> Result<Response, Problem> {
    let operator = &sent.operator;
    operator.enter(Section::People)?;
    let id = sent.required("id")?.trim().to_owned();
    if operator.app.config().users.get(operator.tenant(), &id).is_some() {
        return Err(Problem::new(&codes::BAD_REQUEST, format!("there is a person of the id {id} already")));
    }
    let change = UserChange {
        name: sent.optional("name"),
        roles: Some(roles(&sent)?),
        email: sent.optional("email"),
        suspended: None,
    };
    api::changed(&operator.app, &operator.caller, &id, &change).await?;
    Ok(Redirect::to(&href(&id)).into_response())
}

fn href(id: &str) -> String {
    let id: String = form_urlencoded::byte_serialize(id.as_bytes()).collect();
    // A plus is a plus in a path.
    format!("/console/people/{}", id.replace('+', "%20"))
}

/// Reads roles: words with spaces or commas between them.
fn roles(sent: &SentForm) -> Result<Vec<String>, Problem> {
    let roles = sent.required("roles")?;
    let words = roles.split(|c: char| c == ',' || c.is_whitespace()).filter(|role| !role.is_empty());
    Ok(words.map(str::to_owned).collect())
}

/// `GET /console/people/{id}`.
pub(super) async fn show(operator: Operator, PathParam(id): PathParam) -> Result<Response, Problem> {
    operator.enter(Section::People)?;
    page(&operator, &id, None).await
}

async fn page(operator: &Operator, id: &str, came: Option<Came>) -> Result<Response, Problem> {
    let app = &operator.app;
    let person = api::people(app, operator.tenant()).into_iter().find(|person| person.id == id);
    let person = person.ok_or_else(|| Problem::not_found("person"))?;
    let mut sessions = api::sessions(app, &operator.caller).await?;
    sessions.retain(|session| session.user == id);
    let config = app.config();
    let linkable = !config.server.demo
        && operator.tenant() == config.tenant
        && config.active_user(&config.tenant, id).is_some();
    let route = format!("/v1/users/{id}");
    let twin = Equivalents::new("", "GET /v1/users")
        .acts("", format!("PUT {route}"))
        .acts("", format!("DELETE {route}"))
        .acts("", "DELETE /v1/sessions/ID")
        .acts(format!("throughline token link {id}"), "POST /v1/sign-in-links");
    let own = operator.caller.principal == id;
    let page = PersonPage { href: href(id), person, sessions, own, linkable, came };
    operator.page(Section::People, "console/person.html", twin, &page).await
}

/// `POST /console/people/{id}`: changes a person, signs them in or out.
pub(super) async fn act(PathParam(id): PathParam, sent: SentForm) -> Result<Response, Problem> {
    let operator = &sent.operator;
    operator.enter(Section::People)?;
    let (app, caller) = (&operator.app, &operator.caller);
    let says = |says: &str| Came { says: says.into(), link: None };
    let suspend = |suspended| UserChange { suspended: Some(suspended), ..UserChange::default() };
    let came = match sent.required("act")?.as_str() {
        "change" => {
            // An address that only the provider told goes on being the provider's until another one is given.
            let shown = app.config().users.get(operator.tenant(), &id).and_then(|user| user.email.clone());
            let email = sent.optional("email").unwrap_or_default();
            let change = UserChange {
                name: Some(sent.required("name")?.trim().to_owned()),
                roles: Some(roles(&sent)?),
                email: Some(email).filter(|email| *email != shown.unwrap_or_default()),
                suspended: None,
            };
            api::changed(app, caller, &id, &change).await?;
            says("The change counts from now on.")
        }
        "suspend" => {
            api::changed(app, caller, &id, &suspend(true)).await?;
            says("They are signed out everywhere, and nothing of theirs counts.")
        }
        "resume" => {
            api::changed(app, caller, &id, &suspend(false)).await?;
            says("They can sign in again.")
        }
        "end" => {
            api::end_one(app, &caller.tenant, &sent.required("session")?).await?;
            says("The session is over.")
        }
        "link" => {
            let link = Link::to(&id, app.store().now())?;
            tracing::info!(user = id, by = caller.principal, "a sign-in link was made");
            let address = app.address.get().copied().unwrap_or(app.config().server.listen);
            let link = link.into_wire(app.runtime().keys(), app.config(), address);
            let says = "A link that signs them in: once, for ten minutes. Hand it to them alone.";
            Came { says: says.into(), link: Some(link.url) }
        }
        "remove" => {
            api::removed(app, caller, &id).await?;
            return Ok(Redirect::to("/console/people").into_response());
        }
        other => {
            let text = format!("a person cannot be asked to {other:?}; open the page again");
            return Err(Problem::new(&codes::BAD_REQUEST, text));
        }
    };
    page(operator, &id, Some(came)).await
}
