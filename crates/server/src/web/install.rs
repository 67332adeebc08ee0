//! The chat as an installed app: its manifest, its icons, and a service worker that shows one page, which says that the
//! network is away, and notifications. It keeps no page of the chat, so none is ever stale.

use axum::Json;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::asset;
use super::page::{Refusal, page};
use crate::language;

/// Script of the service worker, behind the addresses of what it keeps and shows.
const WORKER: &str = include_str!("../../web/install/worker.js");
/// Page that it shows.
const OFFLINE: &str = "/offline";

/// `GET /manifest.webmanifest`
pub(crate) async fn get_manifest() -> Response {
    let icon = |name: &str, sizes: &str, purpose: &str| json!({"src": asset::link(name), "sizes": sizes, "type": "image/png", "purpose": purpose});
    let manifest = json!({
        "id": "/",
        "name": "Throughline",
        "short_name": "Throughline",
        "lang": language::here().code(),
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": "#ffffff",
        "theme_color": "#3546c4",
        "icons": [
            icon("icon-192.png", "192x192", "any"),
            icon("icon-512.png", "512x512", "any"),
            icon("icon-mask.png", "512x512", "maskable"),
        ],
    });
    let mut response = Json(manifest).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/manifest+json"));
    response
}

/// `GET /worker.js`: browsers look for another version of it themselves.
pub(crate) async fn get_worker() -> Response {
    let parts = json!([OFFLINE, asset::link("chat.css")]);
    let icon = json!(asset::link("icon-192.png"));
    let mut response = format!("const PARTS = {parts};\nconst ICON = {icon};\n{WORKER}").into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/javascript; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// `GET /offline`
pub(crate) async fn get_offline() -> Result<Response, Refusal> {
    Ok(page("install/offline.html", &())?)
}
