//! Learning in the console: what is in force, what the log could teach with the recorded decisions it would change, and what
//! was approved before.

use axum::body::to_bytes;
use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};

use super::form::{SentForm, fresh_key};
use super::operator::{Equivalents, Operator, Section};
use crate::codes;
use crate::problem::Problem;
use crate::request::QueryParams;
use crate::routes::learn as api;
use crate::wire;

/// Lanes that a page reads to find what they teach. The command line reads up to 200.
const LANES: u32 = 50;

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    /// Present if the log is to be read.
    read: Option<String>,
}

#[derive(Serialize)]
struct Page {
    versions: Vec<wire::LearnedVersion>,
    suggestion: Option<Suggested>,
    lanes: u32,
    key: String,
}

/// Suggestion with the bytes that a form proposes.
#[derive(Serialize)]
struct Suggested {
    #[serde(flatten)]
    found: wire::LearnSuggestion,
    proposal: String,
}

/// `GET /console/learning`.
pub(super) async fn show(
    operator: Operator,
    QueryParams(asked): QueryParams<Asked>,
) -> Result<Response, Problem> {
    operator.enter(Section::Learning)?;
    let suggestion = match asked.read {
        None => None,
        Some(_) => {
            let found = api::suggestion(&operator.app, &operator.caller, Some(LANES)).await?;
            let proposal = serde_json::to_string(&found.learned).unwrap_or_default();
            Some(Suggested { found, proposal })
        }
    };
    let versions = api::versions(&operator.app, &operator.caller).await?;
    let twin = Equivalents::new("throughline learn list", "GET /v1/learn/versions")
        .acts("throughline learn suggest", "GET /v1/learn")
        .acts("throughline learn propose", "POST /v1/learn");
    let page = Page { versions, suggestion, lanes: LANES, key: fresh_key() };
    operator.page(Section::Learning, "console/learning.html", twin, &page).await
}

/// `POST /console/learning`: asks for the approval of a proposal, or of an earlier version, and goes to its card.
pub(super) async fn propose(sent: SentForm) -> Result<Response, Problem> {
    let operator = &sent.operator;
    operator.enter(Section::Learning)?;
    let proposal = read(&sent)?;
    let keyed = sent.keyed(&Method::POST, api::ROUTE, &proposal)?;
    let answer = api::ask(&operator.app, &operator.caller, keyed, proposal, Some(api::WAIT)).await?;
    if !answer.status().is_success() {
        return Ok(answer);
    }
    let bytes = to_bytes(answer.into_body(), usize::MAX).await.unwrap_or_default();
    let turn: Option<wire::TurnAnswer> = serde_json::from_slice(&bytes).ok();
    let card = turn.and_then(|turn| turn.messages.into_iter().find_map(|message| message.card));
    let to = card.map_or("/console/approvals".into(), |card| format!("/console/approvals/{}", card.id));
    Ok(Redirect::to(&to).into_response())
}

fn read(sent: &SentForm) -> Result<wire::LearnProposal, Problem> {
    let not_whole = |_| Problem::new(&codes::BAD_REQUEST, "the form is not whole; open the page again");
    match sent.field("learned") {
        Some(learned) => {
            let learned = serde_json::from_str(&learned).map_err(not_whole)?;
            Ok(wire::LearnProposal { learned: Some(learned), version: None })
        }
        None => Ok(wire::LearnProposal { learned: None, version: Some(sent.parsed("version")?) }),
    }
}
