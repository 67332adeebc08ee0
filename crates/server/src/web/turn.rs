//! `/turns/{turn}`: explanation of a turn as a page, for the *Why?* link of the chat without a script.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use throughline_engine::TurnId;

use super::page::{ForPage, Refusal, page};
use super::visitor::{Visitor, VisitorView};
use crate::app::App;
use crate::language;
use crate::request::PathParam;
use crate::routes::turns;
use crate::views;
use crate::wire;

#[derive(Serialize)]
struct TurnPage {
    seen: VisitorView,
    why: wire::Why,
}

/// `GET /turns/{turn}`
pub(crate) async fn get_turn(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    ForPage(PathParam(turn)): ForPage<PathParam>,
) -> Result<Response, Refusal> {
    let turn = turns::read(&app, &visitor.caller, &TurnId::from(turn.as_str())).await?;
    Ok(page("turn.html", &TurnPage { seen: visitor.view(&app), why: views::why(&turn, language::here()) })?)
}
