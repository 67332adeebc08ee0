//! Takes pictures of the pages, for the documentation and for review: `cargo xtask shots [DIR]`.

use std::path::PathBuf;

use serde_json::json;
use throughline_trackers::local::{Call, Fault};

use crate::batch::{THREE, ask_for_six, rejects};
use crate::chat::{BUG, Chat, edit_title};
use crate::console::{EARLY_SUMMARY, SUMMARY, lane_with_knowledge, post_bug};
use crate::decision::DECISION;
use crate::driver::Browser;
use crate::in_process::InProcessServer;
use crate::lists::said;
use crate::model_server::ModelServer;
use crate::page::{By, Page};
use crate::played::{CONVERSATION, play};
use crate::review::{PLAN, twenty_points};
use crate::server::Server;
use crate::ticket::until_checked;
use crate::workspace::Workspace;

/// The environment variable with the folder of the pictures.
const FOLDER: &str = "THROUGHLINE_SHOTS";
/// Device pixels per CSS pixel: small files that are sharp at the width of a document.
const SCALE: f64 = 0.9;
const HEIGHT: u32 = 820;

/// A viewport and theme for a picture.
struct Look {
    name: &'static str,
    theme: &'static str,
    width: u32,
    /// True to take the whole page, false to take [`HEIGHT`] pixels.
    whole: bool,
}

/// The width of a picture with columns side by side.
const COLUMNS: u32 = 1280;

/// The pictures to take of each page. The first two are for the documentation.
const LOOKS: [Look; 6] = [
    Look { name: "light", theme: "light", width: 1000, whole: false },
    Look { name: "dark", theme: "dark", width: 1000, whole: false },
    Look { name: "wide", theme: "light", width: 1280, whole: true },
    Look { name: "wide-dark", theme: "dark", width: 1280, whole: true },
    Look { name: "narrow", theme: "light", width: 360, whole: true },
    Look { name: "narrow-dark", theme: "dark", width: 360, whole: true },
];

#[test]
#[ignore = "makes pictures: `cargo xtask shots`"]
fn pictures_of_a_ticket() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = open(&browser, &server.url());
    shoot(&chat, "welcome");
    chat.write("The export button does nothing when I click it");
    chat.until_card("the gate", |card| card.step == "scope_gate");
    shoot(&chat, "gate");
    chat.click(By::Role("radio", "Create ticket"));
    chat.until_says("Problem? Also open: Acceptance criteria.");
    chat.write("Problem: monthly reports cannot be saved\nAcceptance criteria: Export saves a CSV file");
    let preview = until_checked(&chat, 2);
    shoot(&chat, "preview");
    chat.press_on(&preview, "edit");
    shoot(&chat, "edit");
    chat.press("Escape");
    edit_title(&chat, &preview, "Export saves nothing");
    let edited = until_checked(&chat, 3);
    chat.press_on(&edited, "approve");
    chat.until_receipt();
    shoot(&chat, "receipt");
    let of_card = format!("article:has([data-card='{}'])", edited.id);
    chat.click(By::Css(&format!("{of_card} .why button")));
    chat.find(By::Css(&format!("{of_card} .rungs")));
    shoot(&chat, "why");
    // The lane, and the turn in which a message answered a question.
    let script = "return [document.body.dataset.lane, document.querySelectorAll('.mine')[1].dataset.turn]";
    let [lane, turn]: [String; 2] = serde_json::from_value(chat.run(script, &[])).unwrap();
    chat.go(&format!("{}/console/lanes/{lane}", server.url()));
    shoot(&chat, "lane");
    chat.go(&format!("{}/console/turns/{turn}", server.url()));
    shoot(&chat, "ladder");
}

#[test]
#[ignore = "makes pictures: `cargo xtask shots`"]
fn pictures_of_a_batch() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = open(&browser, &server.url());
    let batch = ask_for_six(&chat);
    shoot_tall(&chat, "batch-latch", 960);
    chat.press_on_item(&batch, 4, "edit_story");
    shoot(&chat, "batch-edit");
    chat.press("Escape");
    chat.press_on(&batch, "add_story");
    shoot(&chat, "batch-add");
    chat.press("Escape");
    chat.press_on(&batch, "confirm_quantity");
    let batch = chat.until_batch(1, "approve");
    shoot(&chat, "batch");
    chat.press_on(&batch, "approve");
    shoot(&chat, "batch-sure");
    chat.click(By::Css("dialog .primary"));
    chat.until_created("Created 6 of 6");
    shoot(&chat, "batch-receipt");
    let lane = chat.run("return document.body.dataset.lane", &[]);
    chat.go(&format!("{}/console/lanes/{}", server.url(), lane.as_str().unwrap()));
    shoot(&chat, "batch-lane");
    for (path, name) in
        [("console/issues", "issues"), ("console/issues/DEMO-1", "issue"), ("tracker/DEMO-1", "tracker")]
    {
        chat.go(&format!("{}/{path}", server.url()));
        shoot(&chat, name);
    }
}

#[test]
#[ignore = "makes pictures: `cargo xtask shots`"]
fn pictures_of_a_batch_that_is_not_ready() {
    let Some(browser) = Browser::start() else { return };
    let server =
        Server::with("[policy.latch]\nchars = 150\n[projects.DEMO]\nrequired = [\"title\", \"labels\"]\n");
    let chat = open(&browser, &server.url());
    chat.write("Create epic with 5 stories for auth");
    chat.until_batch(1, "confirm_quantity");
    shoot(&chat, "batch-skeletons");
    chat.go(&format!("{}/new", server.url()));
    chat.until_connection("live");
    chat.write(THREE);
    chat.until_card("what is missing", |card| card.text.contains("checks failed"));
    shoot(&chat, "batch-errors");
    let server = Server::with("[policy.latch]\nchars = 150\n");
    chat.go(&server.url());
    chat.until_connection("live");
    chat.write(THREE);
    let long = chat.until_batch(1, "split");
    shoot(&chat, "batch-long");
    chat.press_on(&long, "split");
    chat.until_card("the first part", |card| card.title.contains("part 1 of"));
    shoot(&chat, "batch-split");
}

#[test]
#[ignore = "makes pictures: `cargo xtask shots`"]
fn pictures_of_trouble() {
    let Some(browser) = Browser::start() else { return };
    let server = InProcessServer::start();
    server.faults.script(rejects("reset my password"));
    let chat = open(&browser, &server.url);
    let batch = ask_for_six(&chat);
    chat.press_on(&batch, "confirm_quantity");
    chat.approve_all(&chat.until_batch(1, "approve"));
    let receipt = chat.until_created("Created 5 of 6 (1 failed)");
    shoot(&chat, "batch-partial");
    chat.press_on(&receipt, "retry_missing");
    chat.until_batch(1, "confirm_quantity");
    shoot(&chat, "batch-retry");
    chat.go(&format!("{}/new", server.url));
    chat.until_connection("live");
    server.faults.push(Call::Create, Fault::LostReply);
    server.faults.push(Call::Seek, Fault::Refused);
    chat.write(BUG);
    let preview = chat.until_preview(1);
    chat.press_on(&preview, "approve");
    let uncertain = chat.until_card("the uncertain effect", |card| card.step == "uncertain_effect");
    shoot(&chat, "uncertain");
    chat.press_on(&uncertain, "adopt");
    shoot(&chat, "uncertain-adopt");
}

#[test]
#[ignore = "makes pictures: `cargo xtask shots`"]
fn pictures_of_a_review_and_its_decision() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = open(&browser, &server.url());
    chat.write(PLAN);
    chat.until_review(1, "Postgres");
    shoot(&chat, "review");
    chat.write("ok, but what about caching?");
    let patched = chat.until_review(2, "caching");
    shoot(&chat, "review-patched");
    chat.write(&twenty_points());
    chat.until_says("+ 8 more under Show full");
    shoot(&chat, "review-patch-long");
    chat.press_on(&patched, "show_full");
    chat.until_says("Changes point 11");
    shoot(&chat, "review-full");
    chat.write("Thanks, looks good");
    chat.until_card("the review to be over", |card| card.step == "review_frozen");
    shoot(&chat, "review-frozen");
    chat.go(&format!("{}/new", server.url()));
    chat.until_connection("live");
    chat.write(BUG);
    let preview = chat.until_preview(1);
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    chat.write(DECISION);
    let shown = chat.until_card("the decision", |card| card.step == "decision_preview");
    shoot(&chat, "decision");
    chat.press_on(&shown, "edit");
    shoot(&chat, "decision-edit");
    chat.press("Escape");
    chat.press_on(&shown, "approve");
    chat.until_card("it to be posted", |card| card.id == shown.id && card.step == "receipt");
    shoot(&chat, "decision-receipt");
}

#[test]
#[ignore = "makes pictures: `cargo xtask shots`"]
fn pictures_of_the_workspace() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let page = Workspace::open(&browser, &server.url());
    page.cdp("Emulation.setScrollbarsHidden", json!({ "hidden": true }));
    shoot(&page, "workspace");
    page.write("open the sample2 pls");
    page.until_open("sample2 changed yesterday");
    shoot(&page, "workspace-open");
    page.write("report from reports");
    page.until_says("Which one do you mean?");
    page.write("report from reports");
    page.until_card("a list", |card| card.step == "options");
    shoot(&page, "workspace-list");
    let lane = page.run("return document.body.dataset.lane", &[]);
    page.go(&format!("{}/console/lanes/{}", server.url(), lane.as_str().unwrap()));
    shoot(&page, "workspace-lane");
}

#[test]
#[ignore = "makes pictures: `cargo xtask shots`"]
fn pictures_of_what_is_known() {
    let Some(browser) = Browser::start() else { return };
    let model_server = ModelServer::with(EARLY_SUMMARY);
    let lane = lane_with_knowledge(&model_server);
    let page = Page::first(&browser);
    page.cdp("Emulation.setScrollbarsHidden", json!({ "hidden": true }));
    page.go(&format!("{}/console/lanes/{lane}", model_server.server.url()));
    page.until_says(SUMMARY);
    page.run("document.querySelectorAll('details').forEach(one => { one.open = true; })", &[]);
    shoot(&page, "known");
    page.go(&format!("{}/console/lanes/{lane}/context", model_server.server.url()));
    shoot(&page, "known-context");
    let turn = post_bug(&model_server.server, "c2");
    page.go(&format!("{}/console/lanes/{}", model_server.server.url(), turn["lane"].as_str().unwrap()));
    shoot(&page, "known-nothing");
}

#[test]
#[ignore = "makes pictures: `cargo xtask shots`"]
fn pictures_of_one_conversation_on_each_channel() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let lane = play(&server, CONVERSATION);
    let page = Page::first(&browser);
    page.cdp("Emulation.setScrollbarsHidden", json!({ "hidden": true }));
    page.go(&format!("{}/console/preview/{lane}", server.url()));
    page.until_says("Warn about empty exports");
    let wide = |look: Look| Look { width: look.width.max(COLUMNS), whole: true, ..look };
    shoot_as(&page, "renderings", HEIGHT, LOOKS.map(|look| if look.width > 360 { wide(look) } else { look }));
}

#[test]
#[ignore = "makes pictures: `cargo xtask shots`"]
fn pictures_of_the_list() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = open(&browser, &server.url());
    chat.write("The monthly report is empty since the last release");
    chat.until_card("the gate", |card| card.step == "scope_gate");
    for text in ["Should we cache prices in Redis?", "good morning", BUG] {
        chat.go(&format!("{}/new", server.url()));
        chat.write(text);
        chat.until_taken();
    }
    let preview = chat.until_preview(1);
    said(&server, &conversation_of(&chat, 2), "/maro status");
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    chat.find(By::Css("#list .fresh"));
    shoot(&chat, "list");
    chat.size(360, HEIGHT, 1.0);
    chat.click(By::Role("button", "Conversations"));
    chat.click(By::Css("#list summary"));
    shoot(&chat, "list-open");
    let organise = chat.run("return document.querySelector('#list .choices a').href", &[]);
    chat.go(organise.as_str().unwrap());
    shoot(&chat, "list-organise");
    chat.go(&format!("{}/conversations", server.url()));
    shoot(&chat, "list-all");
    chat.go(&format!("{}/conversations?q=report", server.url()));
    shoot(&chat, "list-search");
    chat.go(&format!("{}/offline", server.url()));
    shoot(&chat, "offline");
}

/// Returns the id of a conversation of the list, counted from its beginning.
fn conversation_of(chat: &Chat<'_>, place: u32) -> String {
    let id =
        chat.run("return document.querySelectorAll('#list li')[arguments[0]].dataset.id", &[json!(place)]);
    id.as_str().unwrap().to_owned()
}

/// Opens the chat without scroll bars.
fn open<'b>(browser: &'b Browser, url: &str) -> Chat<'b> {
    let chat = Chat::open(browser, url);
    chat.cdp("Emulation.setScrollbarsHidden", json!({ "hidden": true }));
    chat
}

/// Takes a picture for each look: the end of a conversation, the beginning of any other page.
fn shoot(page: &Page<'_>, name: &str) {
    shoot_tall(page, name, HEIGHT);
}

/// Takes pictures of at least this height, in CSS pixels.
fn shoot_tall(page: &Page<'_>, name: &str, least: u32) {
    shoot_as(page, name, least, LOOKS);
}

/// Takes these pictures.
fn shoot_as(page: &Page<'_>, name: &str, least: u32, looks: [Look; 6]) {
    let folder = PathBuf::from(std::env::var_os(FOLDER).expect("run this as `cargo xtask shots`"));
    std::fs::create_dir_all(&folder).unwrap();
    for look in looks {
        page.theme(look.theme);
        page.size(look.width, least, SCALE);
        if look.whole {
            let height = page.run("return document.documentElement.scrollHeight", &[]);
            page.size(look.width, least.max(u32::try_from(height.as_u64().unwrap()).unwrap()), SCALE);
        }
        page.until_still();
        page.run("scrollTo(0, document.body.dataset.conversation ? document.body.scrollHeight : 0)", &[]);
        std::fs::write(folder.join(format!("{name}-{}.png", look.name)), page.picture()).unwrap();
    }
    page.theme("light");
    page.own_size();
}
