//! Context of a lane as a page: the bytes of `throughline context LANE`.

use axum::response::Response;
use serde::Serialize;
use throughline_engine::text::clean::tokens;

use super::operator::{Equivalents, Operator, Section};
use crate::access::Act;
use crate::problem::Problem;
use crate::request::PathParam;
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
pub(super) async fn show(operator: Operator, PathParam(id): PathParam) -> Result<Response, Problem> {
    let info = lanes::find(&operator.app, &operator.caller, Act::ReadContext, &id).await?;
    let told = of_lane(&operator.app, &info, None).await?;
    let tokens = tokens(&told.prompt);
    let max_tokens = operator.app.runtime().policy().context.max_tokens;
    let page = Page { lane: wire::LaneInfo::from(&info), told, tokens, max_tokens };
    let twin = Equivalents::new(format!("throughline context {id}"), format!("GET /v1/lanes/{id}/context"));
    operator.page(Section::Lanes, "console/context.html", twin, &page).await
}
