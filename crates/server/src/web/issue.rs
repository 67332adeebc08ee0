//! `/tracker/{key}`: an issue of the local tracker, which is where the link on a receipt leads.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use throughline_engine::tickets::Part;

use super::page::{Refusal, page};
use super::visitor::{Seen, Visitor};
use crate::app::App;
use crate::auth::Scope;
use crate::problem::Problem;
use crate::request::Named;

#[derive(Serialize)]
struct Values {
    seen: Seen,
    key: String,
    kind: &'static str,
    title: String,
    fields: Vec<(&'static str, String)>,
}

/// `GET /tracker/{key}`: whoever may use the tenant's conversations may read its tracker.
pub(crate) async fn get_issue(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Named(key): Named,
) -> Result<Response, Refusal> {
    visitor.caller.need(Scope::LanesRead)?;
    let found = app.instance.tracker.issue(&visitor.caller.tenant, &key).await?;
    let issue = found.ok_or_else(|| Problem::not_found("issue"))?;
    let title = issue.item.title().to_owned();
    let written = issue.item.fields.iter().filter(|(part, _)| **part != Part::Title);
    let fields = written.map(|(part, text)| (part.label(), text.clone())).collect();
    let kind = issue.item.item_type.word();
    Ok(page("issue.html", &Values { seen: visitor.seen(&app), key: issue.key, kind, title, fields })?)
}
