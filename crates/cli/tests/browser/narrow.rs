//! On a small screen nothing is cut off and nothing has to be scrolled sideways (`spec 07 §4`).

use serde_json::json;

use crate::chat::{BUG, Chat};
use crate::driver::Browser;
use crate::page::{At, Page};
use crate::serving::Serving;

#[test]
fn nothing_is_cut_off_on_a_small_screen() {
    let Some(browser) = Browser::start() else { return };
    let serving = Serving::start();
    let chat = Chat::open(&browser, &serving.url());
    fits(&chat, "an empty conversation");
    chat.write("What do you think about microservices?");
    chat.until_card("the gate", |card| card.step == "scope_gate");
    chat.write(&BUG.replace("open it", &"averylongwordwithoutablank".repeat(8)));
    let preview = chat.until_preview(1);
    fits(&chat, "a preview");
    chat.press_on(&preview, "edit");
    chat.find(At::Css("dialog"));
    fits(&chat, "a dialog");
    chat.press("Escape");
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    chat.click(At::Css("article:last-of-type .why button"));
    chat.find(At::Css("[aria-expanded=true]"));
    fits(&chat, "an explanation");
}

/// Nothing sticks out, at any of the widths.
#[track_caller]
pub(crate) fn fits(page: &Page<'_>, what: &str) {
    for width in [320, 360] {
        page.size(width, 720, 1.0);
        page.until_still();
        let out = page.run(include_str!("cut.js"), &[]);
        assert_eq!(out, json!([]), "{what} at {width} pixels");
    }
}
