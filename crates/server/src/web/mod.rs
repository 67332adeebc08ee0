//! What is seen in a browser: the web chat at `/`, the console at `/console`, and what both stand on. Pages are
//! templates beside their script and style sheet in `crates/server/web`, compiled into the binary.
//!
//! `page.rs` renders a template, `asset.rs` serves what a page links to, `policy.rs` is what a browser may do with
//! either, `visitor.rs` says who looks.

mod asset;
mod page;
mod policy;
mod visitor;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::get;

use crate::app::App;

/// Every page and what they link to.
pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new().route("/assets/{file}", get(asset::get_asset)).layer(from_fn(policy::restrict))
}
