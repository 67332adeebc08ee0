//! `POST /v1/telegram-links`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};

use super::json;
use super::sign_in_links::for_whom;
use crate::app::App;
use crate::codes;
use crate::problem::Problem;
use crate::wire;

/// Make a link that joins a Telegram user to an account
///
/// The link is for a configured user and is handed to that person. The first Telegram user who follows it acts as
/// that user from then on, with all of their rights to approve. It works once, for ten minutes.
#[utoipa::path(
    post, path = "/v1/telegram-links", tag = "operations", operation_id = "postTelegramLink",
    request_body = wire::SignInLinkFor,
    responses(
        (status = 200, description = "The link. It is a secret until it is used.", body = wire::SignInLink),
    )
)]
pub(crate) async fn post_telegram_link(State(app): State<Arc<App>>, request: Request) -> Response {
    make(&app, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn make(app: &App, request: Request) -> Result<Response, Problem> {
    let (user, by) = for_whom(app, request).await?;
    let none = || {
        Problem::new(&codes::NOT_FOUND, "there is no Telegram bot here; telegram.token_file names its token")
    };
    let adapter = app.instance.telegram.as_ref().ok_or_else(none)?;
    let mut random = [0; 16];
    getrandom::fill(&mut random)?;
    let (url, ends) = adapter.invite(&user, random).await?;
    tracing::info!(user, by, "a link to join on Telegram was made");
    Ok(json(&wire::SignInLink { url, user, expires_at: ends.rfc3339() }))
}
