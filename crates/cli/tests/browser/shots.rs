//! Pictures of the pages for documents: `cargo xtask shots [DIR]`.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::chat::{Chat, edit_title};
use crate::driver::Browser;
use crate::page::{At, Page};
use crate::serving::Serving;

/// Where the pictures go.
const FOLDER: &str = "THROUGHLINE_SHOTS";
/// Each of them this way: its name, the theme, how wide.
const LOOKS: [(&str, &str, u32); 3] =
    [("light", "light", 1000), ("dark", "dark", 1000), ("narrow", "light", 360)];
const HEIGHT: u32 = 820;
/// As wide as a document shows them, and not larger than they have to be.
const SCALE: f64 = 0.9;

#[test]
#[ignore = "makes pictures: `cargo xtask shots`"]
fn pictures() {
    let folder = PathBuf::from(std::env::var_os(FOLDER).expect("run this as `cargo xtask shots`"));
    std::fs::create_dir_all(&folder).unwrap();
    let Some(browser) = Browser::start() else { return };
    let serving = Serving::start();
    let chat = Chat::open(&browser, &serving.url());
    chat.cdp("Emulation.setScrollbarsHidden", json!({ "hidden": true }));
    let shoot = |name: &str| shoot(&chat, &folder, name);
    shoot("welcome");
    chat.write("The export button does nothing when I click it");
    chat.until_card("the gate", |card| card.step == "scope_gate");
    shoot("gate");
    chat.click(At::Named("radio", "Create ticket"));
    chat.until_says("First: Problem?");
    chat.write("Problem: monthly reports cannot be saved\nAcceptance criteria: Export saves a CSV file");
    let preview = chat.until_preview(1);
    shoot("preview");
    chat.press_on(&preview, "edit");
    shoot("edit");
    chat.press("Escape");
    edit_title(&chat, &preview, "Export saves nothing");
    let edited = chat.until_preview(2);
    chat.press_on(&edited, "approve");
    chat.until_receipt();
    shoot("receipt");
    chat.click(At::Css("article:last-of-type .why button"));
    chat.find(At::Css("article:last-of-type .rungs"));
    shoot("why");
    // The lane, and the turn in which words answered a question.
    let script = "return [document.body.dataset.lane, document.querySelectorAll('.mine')[1].dataset.turn]";
    let [lane, turn]: [String; 2] = serde_json::from_value(chat.run(script, &[])).unwrap();
    chat.go(&format!("{}/console/lanes/{lane}", serving.url()));
    shoot("lane");
    chat.go(&format!("{}/console/turns/{turn}", serving.url()));
    shoot("ladder");
}

/// One picture for each look: of a conversation its end, of any other page its beginning.
fn shoot(page: &Page<'_>, folder: &Path, name: &str) {
    for (look, theme, width) in LOOKS {
        page.theme(theme);
        page.size(width, HEIGHT, SCALE);
        page.until_still();
        page.run("scrollTo(0, document.body.dataset.conversation ? document.body.scrollHeight : 0)", &[]);
        std::fs::write(folder.join(format!("{name}-{look}.png")), page.picture()).unwrap();
    }
    page.theme("light");
    page.own_size();
}
