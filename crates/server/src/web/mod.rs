//! Web pages: the chat at `/`, the workspace at `/workspace`, the console at `/console`. Pages are templates with
//! scripts and style sheets in `crates/server/web`, compiled into the binary.
//!
//! `page.rs` renders a template, `asset.rs` serves scripts and style sheets, `policy.rs` sets the security headers,
//! `visitor.rs` identifies the person, `sign_in.rs` signs them in, `slack_install.rs` brings the app into a Slack
//! workspace, by way of `consent.rs`. The chat is `chat.rs`, and `workspace.rs` with panels beside it; `history.rs` lists the messages, `card_view.rs` says what of a card is shown where, `conversations.rs` the conversations, and `forms.rs` handles
//! everything that works without a script. `install.rs` makes it an app, which `push.rs` lets be notified.

mod asset;
mod card_view;
mod chat;
mod consent;
mod console;
mod conversations;
mod embed;
mod file;
mod forms;
mod history;
mod install;
mod issue;
mod organise;
mod page;
mod policy;
mod push;
mod search;
mod sessions;
mod sidebar;
mod sign_in;
mod slack_install;
mod turn;
mod visitor;
mod workspace;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use crate::app::App;
use crate::openid;
use crate::routes::shared_stream;

/// Returns the routes of the pages and their assets.
pub(crate) fn routes(app: &Arc<App>) -> Router<Arc<App>> {
    let pages = Router::new()
        .route("/", get(chat::get_chat))
        .route("/new", get(chat::get_new))
        .route("/history", get(chat::get_history))
        .route("/workspace", get(workspace::get_workspace))
        .route("/embed", get(embed::get_embed))
        .route("/say", post(forms::post_say))
        .route("/press", post(forms::post_press))
        .route("/edit", get(forms::get_edit).post(forms::post_edit))
        .route("/conversations", get(search::get_conversations))
        .route("/conversations/list", get(sidebar::get_list))
        .route("/conversations/rename", post(organise::post_rename))
        .route("/conversations/pin", post(organise::post_pin))
        .route("/conversations/unpin", post(organise::post_unpin))
        .route("/conversations/remove", post(organise::post_remove))
        .route("/conversations/seen", post(organise::post_seen))
        .route("/conversation", get(organise::get_organise))
        .route("/turns/{turn}", get(turn::get_turn))
        .route("/files/{id}", get(file::get_file))
        .route("/tracker/{key}", get(issue::get_issue))
        .route("/sign-in", get(sign_in::get_sign_in).post(sign_in::post_sign_in))
        .route("/sign-in/openid", get(sign_in::get_openid))
        .route(openid::BACK, get(sign_in::get_openid_back))
        .route("/sessions", get(sessions::get_sessions).post(sessions::post_sessions))
        .route("/sign-out", post(sign_in::post_sign_out))
        .route("/you", post(sign_in::post_you))
        .merge(if app.instance.push.is_some() { pushes() } else { Router::new() })
        .merge(console::routes())
        .layer(from_fn_with_state(app.clone(), visitor::introduce));
    let policy = policy::Policy::new(&app.config().web.frame_ancestors);
    // Nobody has to be signed in for these.
    pages
        .route("/assets/{file}", get(asset::get_asset))
        .route("/manifest.webmanifest", get(install::get_manifest))
        .route("/worker.js", get(install::get_worker))
        .route("/offline", get(install::get_offline))
        .route("/embed.js", get(embed::get_widget))
        .route("/embed/sign-in", post(embed::post_sign_in))
        .route("/follow", get(shared_stream::get_follow))
        .route("/slack/install", get(slack_install::get_install))
        .route("/slack/install/done", get(slack_install::get_done))
        .layer(from_fn_with_state(policy, policy::restrict))
}

/// Returns the addresses that switch notifications on a device.
fn pushes() -> Router<Arc<App>> {
    Router::new()
        .route("/push/on", post(push::post_on))
        .route("/push/seen", post(push::post_seen))
        .route("/push/off", post(push::post_off))
}
