//! `/v1/files`: files that people send into conversations.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use throughline_channels::api::is_id;
use throughline_engine::LaneKey;
use utoipa::IntoParams;

use super::json;
use crate::access::{self, Act};
use crate::app::App;
use crate::auth::Caller;
use crate::codes;
use crate::files::{self, KeptFile, MOST_BYTES};
use crate::problem::Problem;
use crate::request::{PathParam, QueryParams, read_file};
use crate::wire;
use crate::wire::vocabulary::{FileContent, FileName, HostId, HostIdOrNone};

/// Conversation of a file, and its name.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FileQuery {
    /// Channel of the conversation; `api` if absent.
    #[param(value_type = Option<HostId>, inline)]
    channel: Option<String>,
    /// Conversation, as in an event.
    #[param(value_type = HostId, inline)]
    conversation: String,
    /// Thread in it.
    #[param(value_type = Option<HostIdOrNone>, inline)]
    thread: Option<String>,
    /// Person whose file it is; the token's own principal if absent. Naming another person needs the scope `act_as`.
    #[param(value_type = Option<HostId>, inline)]
    actor: Option<String>,
    /// Name of the file, without its folder.
    #[param(value_type = Option<FileName>, inline)]
    name: Option<String>,
}

/// Keep a file of a conversation
///
/// The body is the file, of at most 5 MiB; `Content-Type` tells what it is. A `message.posted` names it by its id, and
/// becomes a message with a file. The same file of the same person is one, however often it is sent. It is erased with
/// the conversation and with its person. A conversation has at most 100 MiB.
#[utoipa::path(
    post, path = "/v1/files", tag = "lanes", operation_id = "postFile",
    params(FileQuery),
    request_body(content = inline(FileContent), content_type = "application/octet-stream", description = "The file."),
    responses((status = 200, description = "What is known of the file.", body = wire::File))
)]
pub(crate) async fn post_file(
    State(app): State<Arc<App>>,
    caller: Caller,
    QueryParams(about): QueryParams<FileQuery>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    caller.need(Act::Write.scope())?;
    let lane = lane(&caller, &about)?;
    access::check(&app, &caller, Act::Write, &lane, "lane").await?;
    let by = caller.actor(&app, about.actor.as_deref())?;
    let content = read_file(&headers, body, MOST_BYTES).await?;
    let mime = headers.get(CONTENT_TYPE).and_then(|mime| mime.to_str().ok()).unwrap_or_default();
    let of = (lane, by, app.store().now());
    let file = KeptFile::new(of, (about.name.as_deref().unwrap_or_default(), mime), &content)?;
    Ok(json(&wire::File::from(&files::keep(&app, file, &content).await?)))
}

/// Read a file
///
/// Its bytes. Pictures (PNG, JPEG, GIF, WebP) are shown in their place, everything else is to be saved.
#[utoipa::path(
    get, path = "/v1/files/{id}", tag = "lanes", operation_id = "getFile",
    params(("id" = String, Path, description = "file_…", min_length = 1)),
    responses((status = 200, description = "The file.", content(
        (inline(FileContent) = "application/octet-stream"), (inline(FileContent) = "image/png"), (inline(FileContent) = "image/jpeg"), (inline(FileContent) = "image/gif"), (inline(FileContent) = "image/webp"),
    )))
)]
pub(crate) async fn get_file(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathParam(id): PathParam,
) -> Result<Response, Problem> {
    served(&app, &caller, &id).await
}

/// Remove a file
///
/// For whoever sent it. Its messages stay, and its address leads to nothing.
#[utoipa::path(
    delete, path = "/v1/files/{id}", tag = "lanes", operation_id = "deleteFile",
    params(("id" = String, Path, description = "file_…", min_length = 1)),
    responses((status = 200, description = "What was known of the file.", body = wire::File))
)]
pub(crate) async fn delete_file(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathParam(id): PathParam,
) -> Result<Response, Problem> {
    caller.need(Act::Write.scope())?;
    let file = files::find(&app, &caller, &id).await?;
    caller.may_name(Some(&file.by))?;
    files::remove(&app, &file).await?;
    Ok(json(&wire::File::from(&file)))
}

/// Returns the lane that a request names.
fn lane(caller: &Caller, about: &FileQuery) -> Result<LaneKey, Problem> {
    let given = |text: &Option<String>| text.clone().unwrap_or_default();
    let channel = about.channel.as_deref().unwrap_or("api");
    let thread = given(&about.thread);
    let actor = about.actor.as_deref().unwrap_or(&caller.principal);
    let ids =
        [("channel", channel), ("conversation", &about.conversation), ("thread", &thread), ("actor", actor)];
    for (name, id) in ids {
        if !(is_id(id) || id.is_empty() && name == "thread") {
            let text = format!("{name} is an id: visible characters, at most 255");
            return Err(Problem::new(&codes::BAD_REQUEST, text));
        }
    }
    Ok(LaneKey::new(&caller.tenant, &caller.app, channel, &about.conversation, &thread))
}

/// Answers with the content of a file. Nothing in it runs: what a browser does not show as a picture is saved.
pub(crate) async fn served(app: &App, caller: &Caller, id: &str) -> Result<Response, Problem> {
    let file = files::find(app, caller, id).await?;
    let content = files::content(app, &file).await?.ok_or_else(|| Problem::not_found("file"))?;
    let shown = files::is_shown(&file.mime);
    let mime = if shown { file.mime.as_str() } else { "application/octet-stream" };
    let mut response = Body::from(content).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_str(mime).unwrap_or(OCTETS));
    headers.insert(CONTENT_DISPOSITION, disposition(&file.name, shown));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox"));
    // The same id is the same bytes, until they are removed.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, max-age=300"));
    headers.insert(VARY, HeaderValue::from_static("Cookie, Authorization"));
    Ok(response)
}

const OCTETS: HeaderValue = HeaderValue::from_static("application/octet-stream");

/// Returns the header with the name of a file (RFC 6266): in ASCII for old clients, and as it is.
fn disposition(name: &str, shown: bool) -> HeaderValue {
    let way = if shown { "inline" } else { "attachment" };
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || " .-_()".contains(c) { c } else { '_' })
        .collect();
    let encoded = utf8_percent_encode(name, NON_ALPHANUMERIC);
    HeaderValue::from_str(&format!("{way}; filename=\"{plain}\"; filename*=UTF-8''{encoded}"))
        .unwrap_or(HeaderValue::from_static("attachment"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_told_in_ascii_and_as_it_is() {
        let told = disposition("Übersicht \"1\"; x.pdf", false);
        let expected = "attachment; filename=\"_bersicht _1__ x.pdf\"; \
                        filename*=UTF-8''%C3%9Cbersicht%20%221%22%3B%20x%2Epdf";
        assert_eq!(told.to_str().unwrap(), expected);
        assert!(disposition("a.png", true).to_str().unwrap().starts_with("inline; "));
    }
}
