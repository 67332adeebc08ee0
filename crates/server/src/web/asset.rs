//! Assets: scripts, style sheets and pictures, compiled in. Their address contains the hash of their content, so
//! browsers may cache them for ever.

use std::sync::LazyLock;

use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use throughline_engine::data::canonical_json::{hex, sha256};

use crate::problem::Problem;
use crate::request::PathParam;

/// The parts of the chat's script, in one file. `start.js` begins; what follows it stands around the conversation.
macro_rules! chat_script {
    () => {
        concat!(
            include_str!("../../web/stream.js"),
            include_str!("../../web/chat/page.js"),
            include_str!("../../web/chat/times.js"),
            include_str!("../../web/chat/card.js"),
            include_str!("../../web/chat/markup.js"),
            include_str!("../../web/chat/message.js"),
            include_str!("../../web/chat/attach.js"),
            include_str!("../../web/chat/shown.js"),
            include_str!("../../web/chat/doing.js"),
            include_str!("../../web/chat/writing.js"),
            include_str!("../../web/chat/events.js"),
            include_str!("../../web/chat/follow.js"),
            include_str!("../../web/chat/deliver.js"),
            include_str!("../../web/chat/say.js"),
            include_str!("../../web/chat/commands.js"),
            include_str!("../../web/chat/reply.js"),
            include_str!("../../web/chat/edit.js"),
            include_str!("../../web/chat/press.js"),
            include_str!("../../web/chat/form.js"),
            include_str!("../../web/chat/why.js"),
            include_str!("../../web/chat/scroll.js"),
            include_str!("../../web/chat/start.js"),
            include_str!("../../web/earlier.js"),
            include_str!("../../web/list.js"),
            include_str!("../../web/install/install.js"),
            include_str!("../../web/install/notify.js"),
        )
    };
}

struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

const ASSETS: &[Asset] = &[
    Asset { name: "style.css", kind: CSS, bytes: include_bytes!("../../web/style.css") },
    // One style sheet for each page: the chat's follows the shared one.
    Asset {
        name: "chat.css",
        kind: CSS,
        bytes: concat!(
            include_str!("../../web/style.css"),
            include_str!("../../web/chat.css"),
            include_str!("../../web/list.css")
        )
        .as_bytes(),
    },
    Asset { name: "chat.js", kind: JS, bytes: chat_script!().as_bytes() },
    Asset { name: "icon-192.png", kind: PNG, bytes: include_bytes!("../../web/install/icon-192.png") },
    Asset { name: "icon-512.png", kind: PNG, bytes: include_bytes!("../../web/install/icon-512.png") },
    Asset { name: "icon-mask.png", kind: PNG, bytes: include_bytes!("../../web/install/icon-mask.png") },
    // The chat in a frame.
    Asset {
        name: "embed.css",
        kind: CSS,
        bytes: concat!(
            include_str!("../../web/style.css"),
            include_str!("../../web/chat.css"),
            include_str!("../../web/list.css"),
            include_str!("../../web/embed/embed.css")
        )
        .as_bytes(),
    },
    Asset {
        name: "embed.js",
        kind: JS,
        bytes: concat!(
            include_str!("../../web/embed/host.js"),
            include_str!("../../web/embed/theme.js"),
            chat_script!(),
            include_str!("../../web/embed/frame.js")
        )
        .as_bytes(),
    },
    Asset {
        name: "enter.js",
        kind: JS,
        bytes: concat!(
            include_str!("../../web/embed/host.js"),
            include_str!("../../web/embed/theme.js"),
            include_str!("../../web/embed/enter.js")
        )
        .as_bytes(),
    },
    // The workspace's files follow the chat's in one file, since it is the chat with panels.
    Asset {
        name: "workspace.css",
        kind: CSS,
        bytes: concat!(
            include_str!("../../web/style.css"),
            include_str!("../../web/chat.css"),
            include_str!("../../web/list.css"),
            include_str!("../../web/workspace/workspace.css")
        )
        .as_bytes(),
    },
    Asset {
        name: "workspace.js",
        kind: JS,
        bytes: concat!(chat_script!(), include_str!("../../web/workspace/workspace.js")).as_bytes(),
    },
    Asset { name: "views.js", kind: JS, bytes: include_bytes!("../../web/console/views.js") },
    Asset {
        name: "console.css",
        kind: CSS,
        bytes: concat!(include_str!("../../web/style.css"), include_str!("../../web/console/console.css"))
            .as_bytes(),
    },
    Asset {
        name: "preview.css",
        kind: CSS,
        bytes: concat!(
            include_str!("../../web/style.css"),
            include_str!("../../web/console/console.css"),
            include_str!("../../web/console/preview.css")
        )
        .as_bytes(),
    },
    Asset { name: "console.js", kind: JS, bytes: include_bytes!("../../web/console/console.js") },
];

const CSS: &str = "text/css; charset=utf-8";
const PNG: &str = "image/png";
const JS: &str = "text/javascript; charset=utf-8";

/// Addresses of [`ASSETS`], in the same order.
static ADDRESSES: LazyLock<Vec<String>> = LazyLock::new(|| ASSETS.iter().map(address).collect());

/// Returns the address of an asset: `/assets/0a1b2c3d4e5f.style.css` for `style.css`.
fn address(asset: &Asset) -> String {
    let hash = hex(&sha256(&[asset.bytes]));
    format!("/assets/{}.{}", &hash[..12], asset.name)
}

/// Returns the scripts of the chat and the workspace.
#[cfg(test)]
pub(super) fn scripts() -> &'static str {
    concat!(
        chat_script!(),
        include_str!("../../web/embed/frame.js"),
        include_str!("../../web/workspace/workspace.js")
    )
}

/// Returns the address of the asset with that name. A missing asset is an error in the page.
pub(crate) fn link(name: &str) -> Option<&'static str> {
    let at = ASSETS.iter().position(|asset| asset.name == name)?;
    ADDRESSES.get(at).map(String::as_str)
}

/// `GET /assets/{file}`: served under its current address only.
pub(crate) async fn get_asset(PathParam(file): PathParam) -> Result<Response, Problem> {
    let wanted = format!("/assets/{file}");
    let at = ADDRESSES.iter().position(|address| *address == wanted);
    let asset = at.and_then(|at| ASSETS.get(at)).ok_or_else(|| Problem::not_found("file"))?;
    let mut response = asset.bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_asset_is_served_under_the_address_a_page_links_to() {
        let address = link("style.css").unwrap();
        let file = address.strip_prefix("/assets/").unwrap().to_owned();
        let response = get_asset(PathParam(file)).await.unwrap();
        assert_eq!(response.headers()[CONTENT_TYPE], "text/css; charset=utf-8");
        assert!(get_asset(PathParam("style.css".into())).await.is_err());
        assert_eq!(link("none.css"), None);
    }
}
