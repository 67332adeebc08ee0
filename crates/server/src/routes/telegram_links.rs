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
/// For a configured user, to hand to that person: whoever follows it first is that user on Telegram from then on, with
/// everything that user may approve. It works once, for ten minutes.
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
    let edge = app.instance.telegram.as_ref().ok_or_else(none)?;
    let mut random = [0; 16];
    getrandom::fill(&mut random)?;
    let (url, ends) = edge.invite(&user, random).await?;
    tracing::info!(user, by, "a link to join on Telegram was made");
    Ok(json(&wire::SignInLink { url, user, expires_at: ends.rfc3339() }))
}
