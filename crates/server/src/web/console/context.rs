//! What an agent of a lane would be told of it now, as a page: the same bytes as `throughline context LANE`.

use axum::response::Response;
use serde::Serialize;
use throughline_engine::context::text::tokens;

use super::desk::{Desk, Section, Twin};
use crate::auth::Scope;
use crate::problem::Problem;
use crate::request::Named;
use crate::routes::context::of_lane;
use crate::routes::lanes;
use crate::wire;

#[derive(Serialize)]
struct Page {
    lane: wire::LaneInfo,
    told: wire::Context,
    tokens: u32,
    max_tokens: u32,
}

/// `GET /console/lanes/{lane}/context`.
pub(super) async fn show(desk: Desk, Named(id): Named) -> Result<Response, Problem> {
    desk.caller.need(Scope::ContextRead)?;
    let info = lanes::find(&desk.app, &desk.caller, &id).await?;
    let told = of_lane(&desk.app, &info, None).await?;
    let tokens = tokens(&told.prompt);
    let max_tokens = desk.app.runtime().policy().context.max_tokens;
    let page = Page { lane: wire::LaneInfo::from(&info), told, tokens, max_tokens };
    let twin = Twin::new(format!("throughline context {id}"), format!("GET /v1/lanes/{id}/context"));
    desk.page(Section::Lanes, "console/context.html", twin, &page).await
}
