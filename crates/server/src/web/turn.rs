//! `/turns/{turn}`: why a turn decided what it did, as a page. What the *Why?* of the chat leads to without a script.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use throughline_engine::TurnId;

use super::page::{Refusal, page};
use super::visitor::{Seen, Visitor};
use crate::app::App;
use crate::auth::Scope;
use crate::request::Named;
use crate::routes::turns;
use crate::telling;
use crate::wire;

#[derive(Serialize)]
struct Values {
    seen: Seen,
    why: wire::Why,
}

/// `GET /turns/{turn}`
pub(crate) async fn get_turn(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Named(turn): Named,
) -> Result<Response, Refusal> {
    visitor.caller.need(Scope::LanesRead)?;
    let turn = turns::seen(&app, &visitor.caller, &TurnId::from(turn.as_str())).await?;
    Ok(page("turn.html", &Values { seen: visitor.seen(&app), why: telling::why(&turn) })?)
}
