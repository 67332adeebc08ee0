//! What is seen in a browser: the web chat at `/`, the console at `/console`, and what both stand on. Pages are
//! templates beside their script and style sheet in `crates/server/web`, compiled into the binary.
//!
//! `page.rs` renders a template, `asset.rs` serves what a page links to, `policy.rs` is what a browser may do with
//! either. `session.rs` is the cookie, `visitor.rs` says who looks, `sign_in.rs` and `link.rs` how they came in. The
//! chat is `chat.rs`, the same with panels beside it `workspace.rs`, with `history.rs` for what was said, `conversations.rs` for the list, and `forms.rs` for all
//! that works without a script.

mod asset;
pub(crate) mod channel;
mod chat;
mod console;
pub(crate) mod conversations;
mod forms;
mod history;
mod issue;
pub(crate) mod link;
mod page;
mod policy;
pub(crate) mod session;
mod sign_in;
mod turn;
mod visitor;
mod workspace;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use crate::app::App;

/// Every page and what they link to.
pub(crate) fn routes(app: &Arc<App>) -> Router<Arc<App>> {
    let pages = Router::new()
        .route("/", get(chat::get_chat))
        .route("/new", get(chat::get_new))
        .route("/workspace", get(workspace::get_workspace))
        .route("/say", post(forms::post_say))
        .route("/press", post(forms::post_press))
        .route("/edit", get(forms::get_edit).post(forms::post_edit))
        .route("/turns/{turn}", get(turn::get_turn))
        .route("/tracker/{key}", get(issue::get_issue))
        .route("/sign-in", get(sign_in::get_sign_in).post(sign_in::post_sign_in))
        .route("/sign-out", post(sign_in::post_sign_out))
        .route("/you", post(sign_in::post_you))
        .merge(console::routes())
        .layer(from_fn_with_state(app.clone(), visitor::introduce));
    let policy = policy::Policy::new(&app.config().web.frame_ancestors);
    pages.route("/assets/{file}", get(asset::get_asset)).layer(from_fn_with_state(policy, policy::restrict))
}
