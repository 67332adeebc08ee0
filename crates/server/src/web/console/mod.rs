//! Console at `/console`: turns with their reasons, pending approvals, and the acts of an operator
//! (`docs/design/0038-console-and-telemetry.md`). Every page works without its script, reads a bounded number of
//! rows, and names its equivalents on the command line and in the API. Changes use the API's own code, with its
//! scopes, keys and audit.
//!
//! `operator.rs` holds the person and the page frame, `form.rs` reads forms, `problem_page.rs` renders problems,
//! `formatting.rs` formats times, ids and states. The other files are one screen each.

mod approvals;
mod context;
mod effect;
mod effects;
mod form;
mod formatting;
mod health;
mod inspector;
mod issues;
mod ladder;
mod lane;
mod lanes;
mod learning;
mod memory;
mod operator;
mod overview;
mod people;
mod preview;
mod problem_page;
mod replay;
mod search;
mod timeline;
mod trackers;
mod turn;
mod turns;
mod walk;
mod webhooks;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn;
use axum::response::Redirect;
use axum::routing::{any, get, post};

use crate::app::App;
use crate::codes;
use crate::problem::Problem;

pub(super) use formatting::add as add_words;

/// Templates of `crates/server/web/console`.
pub(super) const TEMPLATES: &[(&str, &str)] = &[
    ("console/frame.html", include_str!("../../../web/console/frame.html")),
    ("console/parts.html", include_str!("../../../web/console/parts.html")),
    ("console/overview.html", include_str!("../../../web/console/overview.html")),
    ("console/turns.html", include_str!("../../../web/console/turns.html")),
    ("console/lanes.html", include_str!("../../../web/console/lanes.html")),
    ("console/lane.html", include_str!("../../../web/console/lane.html")),
    ("console/preview.html", include_str!("../../../web/console/preview.html")),
    ("console/preview-parts.html", include_str!("../../../web/console/preview-parts.html")),
    ("console/memory.html", include_str!("../../../web/console/memory.html")),
    ("console/context.html", include_str!("../../../web/console/context.html")),
    ("console/turn.html", include_str!("../../../web/console/turn.html")),
    ("console/turn-parts.html", include_str!("../../../web/console/turn-parts.html")),
    ("console/approvals.html", include_str!("../../../web/console/approvals.html")),
    ("console/approval.html", include_str!("../../../web/console/approval.html")),
    ("console/effects.html", include_str!("../../../web/console/effects.html")),
    ("console/answered.html", include_str!("../../../web/console/answered.html")),
    ("console/effect.html", include_str!("../../../web/console/effect.html")),
    ("console/issues.html", include_str!("../../../web/console/issues.html")),
    ("console/issue.html", include_str!("../../../web/console/issue.html")),
    ("console/trackers.html", include_str!("../../../web/console/trackers.html")),
    ("console/webhooks.html", include_str!("../../../web/console/webhooks.html")),
    ("console/webhook.html", include_str!("../../../web/console/webhook.html")),
    ("console/people.html", include_str!("../../../web/console/people.html")),
    ("console/person.html", include_str!("../../../web/console/person.html")),
    ("console/learning.html", include_str!("../../../web/console/learning.html")),
    ("console/health.html", include_str!("../../../web/console/health.html")),
    ("console/search.html", include_str!("../../../web/console/search.html")),
    ("console/problem.html", include_str!("../../../web/console/problem.html")),
];

/// Returns the routes of every screen.
pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/console", get(overview::show))
        .route("/console/", get(|| async { Redirect::permanent("/console") }))
        .route("/console/find", get(search::find))
        .route("/console/lanes", get(lanes::list))
        .route("/console/lanes/{lane}", get(lane::show))
        .route("/console/lanes/{lane}/context", get(context::show))
        .route("/console/lanes/{lane}/messages", post(lane::send))
        .route("/console/lanes/{lane}/scenario", get(lane::record))
        .route("/console/preview/{lane}", get(preview::show))
        .route("/console/turns", get(turns::list))
        .route("/console/turns/{turn}", get(turn::show))
        .route("/console/turns/{turn}/replay", post(turn::replay))
        .route("/console/approvals", get(approvals::list))
        .route("/console/approvals/{approval}", get(approvals::show).post(approvals::decide))
        .route("/console/effects", get(effects::list).post(effects::resolve_many))
        .route("/console/effects/{effect}", get(effects::show).post(effects::resolve))
        .route("/console/pause", post(effects::pause))
        .route("/console/issues", get(issues::list))
        .route("/console/trackers", get(trackers::list))
        .route("/console/trackers/{name}/connect", get(trackers::connect))
        .route("/console/trackers/{name}/connected", get(trackers::connected))
        .route("/console/webhooks", get(webhooks::list))
        .route("/console/webhooks/{name}", get(webhooks::show).post(webhooks::act))
        .route("/console/people", get(people::list).post(people::add))
        .route("/console/people/{id}", get(people::show).post(people::act))
        .route("/console/learning", get(learning::show).post(learning::propose))
        .route("/console/health", get(health::show))
        .route("/console/issues/{key}", get(issues::show))
        .route("/console/{*rest}", any(nothing_here))
        .layer(from_fn(problem_page::render_problems))
}

async fn nothing_here() -> Problem {
    Problem::new(&codes::NOT_FOUND, "there is no such screen; the console begins at /console")
}
