//! On a small screen nothing is cut off, and nothing needs scrolling sideways.

use serde_json::json;

use crate::chat::{BUG, Chat};
use crate::driver::Browser;
use crate::page::{By, Page};
use crate::server::Server;

#[test]
fn nothing_is_cut_off_on_a_small_screen() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    assert_fits(&chat, "an empty conversation");
    chat.write("What do you think about microservices?");
    chat.until_card("the gate", |card| card.step == "scope_gate");
    chat.write(&BUG.replace("open it", &"averylongwordwithoutablank".repeat(8)));
    let preview = chat.until_preview(1);
    assert_fits(&chat, "a preview");
    chat.press_on(&preview, "edit");
    chat.find(By::Css("dialog"));
    assert_fits(&chat, "a dialog");
    chat.press("Escape");
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    chat.click(By::Css("article:last-of-type .why button"));
    chat.find(By::Css("[aria-expanded=true]"));
    assert_fits(&chat, "an explanation");
}

/// Asserts that nothing overflows the page at widths of 320 and 360 pixels.
#[track_caller]
pub(crate) fn assert_fits(page: &Page<'_>, what: &str) {
    for width in [320, 360] {
        page.size(width, 720, 1.0);
        page.until_still();
        let out = page.run(include_str!("overflow.js"), &[]);
        assert_eq!(out, json!([]), "{what} at {width} pixels");
    }
}
