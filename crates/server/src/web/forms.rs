//! Forms that work without a script: messages, buttons, edit forms of cards. Each is answered with a redirect to the
//! conversation, so that a reload sends nothing twice; its key makes a double click one act.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};
use serde_json::json;
use throughline_channels::api::EventRequest;
use throughline_channels::form::FormField;
use throughline_engine::LaneKey;
use throughline_runtime::Keys;

use super::conversations;
use super::page::{ForPage, Refusal, page};
use super::visitor::{Visitor, VisitorView};
use crate::access::Act;
use crate::app::App;
use crate::card_form;
use crate::codes;
use crate::idempotency::KeyedRequest;
use crate::language;
use crate::problem::Problem;
use crate::request::{QueryParams, read_form};
use crate::routes::events;
use crate::web_channel::{CHANNEL, Page, address};
use crate::{random, views, wire};

/// Time that a form waits for its turn, so that the next page can show the result.
const WAIT: Duration = Duration::from_secs(10);
/// Prefix of card fields in a form, which separates them from the form's own.
const FIELD: &str = "field.";

/// Fields of a form, with the visitor who sent it.
pub(crate) struct SentForm {
    pub(crate) visitor: Visitor,
    fields: BTreeMap<String, String>,
}

impl SentForm {
    /// Reads a form and checks that it comes from our page.
    pub(crate) async fn read(app: &Arc<App>, request: Request) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let visitor = Visitor::from_request_parts(&mut parts, app).await?;
        let read = async {
            let fields = read_form(&parts.headers, body).await?;
            let sent = Self { visitor, fields };
            sent.visitor.session.proves(app, sent.field("csrf"))?;
            Ok(sent)
        };
        read.await.map_err(|problem: Problem| Refusal::from(problem).into_response())
    }

    pub(crate) fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    /// Delivers an event of this person, with the form's key.
    async fn deliver(
        &self,
        app: &Arc<App>,
        event: serde_json::Value,
        key: String,
    ) -> Result<Response, Problem> {
        self.visitor.caller.need(Act::Write.scope())?;
        if self.field("key").is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Problem::new(&codes::BAD_REQUEST, "the form has no key; reload its page"));
        }
        let event: EventRequest = serde_json::from_value(event.clone())
            .map_err(|error| Problem::new(&codes::BAD_REQUEST, error.to_string()))?;
        let body = json!({"form": self.fields});
        let keyed = KeyedRequest::new(&self.visitor.caller, &Method::POST, events::ROUTE, &key, &body);
        events::deliver_request(app, &self.visitor.caller, keyed, event, Some(WAIT)).await
    }

    /// Returns the page it was sent from.
    pub(super) fn page(&self) -> Page {
        Page::named(self.field("page"))
    }

    fn lane(&self) -> serde_json::Value {
        json!({"channel": CHANNEL, "conversation": self.field("c")})
    }

    /// Returns the key of an act. Each button of a page is an act of its own.
    fn key(&self, act: &str) -> String {
        format!("{}.{act}", self.field("key"))
    }
}

/// `POST /say`
pub(crate) async fn post_say(State(app): State<Arc<App>>, request: Request) -> Result<Response, Response> {
    let sent = SentForm::read(&app, request).await?;
    let key = sent.key("say");
    let reply_to = Some(sent.field("reply_to")).filter(|id| !id.is_empty());
    let event = json!({
        "lane": sent.lane(), "kind": "message.posted", "text": sent.field("text"), "message_id": key,
        "reply_to": reply_to, "seen": sent.field("seen").parse::<u64>().ok(),
    });
    sent.deliver(&app, event, key).await.map_err(refused)?;
    Ok(Redirect::to(&address(sent.page(), sent.field("c"), None)).into_response())
}

/// `POST /press`: presses the button, or redirects to the form that it opens.
pub(crate) async fn post_press(State(app): State<Arc<App>>, request: Request) -> Result<Response, Response> {
    let sent = SentForm::read(&app, request).await?;
    let (c, token) = (sent.field("c"), sent.field("token"));
    let lane = conversations::lane(&app, &sent.visitor, Act::Write, c).await.map_err(refused)?;
    let found = app.store().token(&lane, &Keys::hash(token)).await.map_err(refused)?;
    if found.is_some_and(|row| card_form::form_action(&row).is_some()) {
        let query: String = form_urlencoded::Serializer::new(String::new())
            .append_pair("c", c)
            .append_pair("token", token)
            .finish();
        return Ok(Redirect::to(&format!("/edit?{query}")).into_response());
    }
    let event = json!({"lane": sent.lane(), "kind": "card.pressed", "press": {"token": token}});
    sent.deliver(&app, event, sent.key(token)).await.map_err(refused)?;
    Ok(Redirect::to(&address(sent.page(), c, None)).into_response())
}

fn refused(problem: impl Into<Problem>) -> Response {
    Refusal::from(problem).into_response()
}

/// Query of an edit form.
#[derive(Debug, Deserialize)]
pub(crate) struct FormQuery {
    c: String,
    token: String,
}

#[derive(Serialize)]
struct FormPage {
    seen: VisitorView,
    conversation: String,
    /// Address of the conversation.
    address: String,
    title: String,
    /// Token of the button at the card's current version.
    token: String,
    key: String,
    fields: Vec<Field>,
    /// Reason why it was refused.
    told: Option<String>,
    /// True if it can no longer be sent.
    over: bool,
}

#[derive(Serialize)]
struct Field {
    name: String,
    label: String,
    text: String,
    long: bool,
    wrong: Vec<String>,
}

/// `GET /edit`
pub(crate) async fn get_edit(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    ForPage(QueryParams(opened)): ForPage<QueryParams<FormQuery>>,
) -> Result<Response, Refusal> {
    let lane = conversations::lane(&app, &visitor, Act::ReadLane, &opened.c).await?;
    Ok(form(&app, &visitor, &lane, &opened, None, &BTreeMap::new()).await?)
}

/// `POST /edit`: shows the typed values again if they were refused.
pub(crate) async fn post_edit(State(app): State<Arc<App>>, request: Request) -> Result<Response, Response> {
    let sent = SentForm::read(&app, request).await?;
    let opened = FormQuery { c: sent.field("c").into(), token: sent.field("token").into() };
    let lane = conversations::lane(&app, &sent.visitor, Act::Write, &opened.c).await.map_err(refused)?;
    let typed: BTreeMap<String, String> = sent
        .fields
        .iter()
        .filter_map(|(name, text)| Some((name.strip_prefix(FIELD)?.to_owned(), text.replace("\r\n", "\n"))))
        .collect();
    let event = json!({
        "lane": sent.lane(), "kind": "form.submitted", "form": {"token": opened.token, "values": typed},
    });
    let key = sent.key(&opened.token);
    let answer = sent.deliver(&app, event, key).await.map_err(refused)?;
    match refusal(answer).await {
        None => Ok(Redirect::to(&address(Page::Chat, &opened.c, None)).into_response()),
        Some(told) => form(&app, &sent.visitor, &lane, &opened, Some(told), &typed).await.map_err(refused),
    }
}

/// Returns the notices of a refused form.
async fn refusal(answer: Response) -> Option<String> {
    let body = axum::body::to_bytes(answer.into_body(), usize::MAX).await.ok()?;
    let answer: wire::TurnAnswer = serde_json::from_slice(&body).ok()?;
    (answer.decision == "refused").then(|| views::notice_texts(&answer.effects))
}

/// Renders the form of the card's current version, with the typed values.
async fn form(
    app: &App,
    visitor: &Visitor,
    lane: &LaneKey,
    opened: &FormQuery,
    told: Option<String>,
    typed: &BTreeMap<String, String>,
) -> Result<Response, Problem> {
    let gone = || Problem::not_found("button");
    let found = card_form::form(app.runtime(), app.store(), lane, &opened.token, language::here()).await?;
    let form = found.ok_or_else(gone)?;
    let values = FormPage {
        seen: visitor.view(app),
        conversation: opened.c.clone(),
        address: address(Page::Chat, &opened.c, None),
        title: form.title,
        over: form.token.is_none(),
        token: form.token.unwrap_or_else(|| opened.token.clone()),
        key: random::id()?,
        fields: form.fields.into_iter().map(|field| Field::of(field, typed)).collect(),
        told,
    };
    page("edit.html", &values)
}

impl Field {
    /// Returns the field of a form, with what was typed into it before.
    fn of(field: FormField, typed: &BTreeMap<String, String>) -> Self {
        Self {
            text: typed.get(&field.name).cloned().unwrap_or(field.text),
            name: format!("{FIELD}{}", field.name),
            label: field.label,
            long: field.long,
            wrong: field.faults,
        }
    }
}
