//! `/files/{id}`: a file of a conversation, for people.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use super::page::{ForPage, Refusal};
use super::visitor::Visitor;
use crate::app::App;
use crate::request::PathParam;
use crate::routes::files;

/// `GET /files/{id}`
pub(crate) async fn get_file(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    ForPage(PathParam(id)): ForPage<PathParam>,
) -> Result<Response, Refusal> {
    Ok(files::served(&app, &visitor.caller, &id).await?)
}
