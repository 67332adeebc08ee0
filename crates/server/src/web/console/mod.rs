//! The console at `/console`: what happened, why, what waits, and the few things an operator does about it
//! (`spec 07 §11`). Every page is whole without its script, reads a bounded number of rows, and names its twins on the
//! command line and in the API. What is changed here goes the API's own way: same scopes, same keys, same audit.
//!
//! `desk.rs` is what every page stands on, `form.rs` what comes back from one, `told.rs` makes a page of a problem,
//! `words.rs` says times, ids and states. The rest is one file for each screen.

mod approvals;
mod context;
mod deciding;
mod desk;
mod effect;
mod effects;
mod find;
mod form;
mod issues;
mod known;
mod ladder;
mod lane;
mod lanes;
mod replaying;
mod told;
mod turn;
mod words;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn;
use axum::response::Redirect;
use axum::routing::{any, get, post};

use crate::app::App;
use crate::codes;
use crate::problem::Problem;

pub(super) use words::add as add_words;

/// The templates of `crates/server/web/console`.
pub(super) const TEMPLATES: &[(&str, &str)] = &[
    ("console/frame.html", include_str!("../../../web/console/frame.html")),
    ("console/parts.html", include_str!("../../../web/console/parts.html")),
    ("console/lanes.html", include_str!("../../../web/console/lanes.html")),
    ("console/lane.html", include_str!("../../../web/console/lane.html")),
    ("console/known.html", include_str!("../../../web/console/known.html")),
    ("console/context.html", include_str!("../../../web/console/context.html")),
    ("console/turn.html", include_str!("../../../web/console/turn.html")),
    ("console/turn-parts.html", include_str!("../../../web/console/turn-parts.html")),
    ("console/approvals.html", include_str!("../../../web/console/approvals.html")),
    ("console/approval.html", include_str!("../../../web/console/approval.html")),
    ("console/effects.html", include_str!("../../../web/console/effects.html")),
    ("console/effect.html", include_str!("../../../web/console/effect.html")),
    ("console/issues.html", include_str!("../../../web/console/issues.html")),
    ("console/issue.html", include_str!("../../../web/console/issue.html")),
    ("console/found.html", include_str!("../../../web/console/found.html")),
    ("console/problem.html", include_str!("../../../web/console/problem.html")),
];

/// Every screen.
pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/console", get(lanes::list))
        .route("/console/", get(|| async { Redirect::permanent("/console") }))
        .route("/console/find", get(find::find))
        .route("/console/lanes/{lane}", get(lane::show))
        .route("/console/lanes/{lane}/context", get(context::show))
        .route("/console/lanes/{lane}/messages", post(lane::send))
        .route("/console/lanes/{lane}/scenario", get(lane::record))
        .route("/console/turns/{turn}", get(turn::show))
        .route("/console/turns/{turn}/replay", post(turn::replay))
        .route("/console/approvals", get(approvals::list))
        .route("/console/approvals/{approval}", get(approvals::show).post(approvals::decide))
        .route("/console/effects", get(effects::list))
        .route("/console/effects/{effect}", get(effects::show).post(effects::resolve))
        .route("/console/pause", post(effects::pause))
        .route("/console/issues", get(issues::list))
        .route("/console/issues/{key}", get(issues::show))
        .route("/console/{*rest}", any(nothing_here))
        .layer(from_fn(told::as_page))
}

async fn nothing_here() -> Problem {
    Problem::new(&codes::NOT_FOUND, "there is no such screen; the console begins at /console")
}
