//! A single ticket, from its preview with gaps to its receipt.

use serde_json::json;

use crate::chat::{BUG, Card, Chat, button};
use crate::driver::Browser;
use crate::model_server::ModelServer;
use crate::page::By;
use crate::server::Server;

// row: W2
#[test]
fn a_bare_request_is_asked_for_what_it_lacks() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write("Create a ticket for login bug");
    chat.until_says("Steps to reproduce? Also open: Expected, Actual.");
    // It may be approved as it is.
    let preview = until_checked(&chat, 1);
    assert_eq!(gaps(&preview), 3, "{}", preview.text);
    chat.write("Steps: open /login\nExpected: a form\nActual: a blank page");
    let written = until_checked(&chat, 2);
    assert_eq!((&written.id, gaps(&written)), (&preview.id, 0), "{}", written.text);
    for said in ["open /login", "a form", "a blank page"] {
        assert!(written.text.contains(said), "{}", written.text);
    }
    assert_eq!(server.issues(), Vec::<String>::new());
}

// row: W7
#[test]
fn a_press_asks_no_model_and_looks_for_no_intent() {
    let Some(browser) = Browser::start() else { return };
    let model_server = ModelServer::start();
    let chat = Chat::open(&browser, &model_server.server.url());
    chat.write(BUG);
    let preview = until_checked(&chat, 1);
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    assert_eq!(model_server.calls(), 0);
    let lane = chat.run("return document.body.dataset.lane", &[]);
    let turns = model_server.server.get(&format!("/v1/lanes/{}/turns?limit=50", lane.as_str().unwrap()));
    let turns = turns["items"].as_array().unwrap();
    let press = turns.iter().find(|turn| turn["reason"] == "press.applied").unwrap();
    let why = model_server.server.get(&format!("/v1/turns/{}/why", press["turn"].as_str().unwrap()));
    let passed = why["passed"].as_array().unwrap();
    assert!(why["name"] != "intent" && passed.iter().all(|rung| rung["name"] != "intent"), "{why:#}");
}

// row: W14
#[test]
fn what_the_project_requires_is_found_before_anything_is_created() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::with("[projects.DEMO]\nrequired = [\"title\", \"labels\"]\n");
    let chat = Chat::open(&browser, &server.url());
    chat.write(BUG);
    let checked = chat.until_card("what is missing", |card| card.text.contains("✗ "));
    assert!(checked.text.contains("checks failed") && checked.text.contains("Labels"), "{}", checked.text);
    // Nobody can press the button that would approve it. Its name says why.
    let pressable = "return [...document.querySelectorAll('[data-card] button[data-action]:enabled')]
        .map(button => button.dataset.action)";
    assert_eq!(chat.run(pressable, &[]), json!(["edit", "reject"]));
    let approve = chat.find(By::Css(&button(&checked, "approve")));
    assert!(chat.name(&approve).ends_with("its checks failed"), "{}", chat.name(&approve));
    assert_eq!(server.issues(), Vec::<String>::new());
    chat.press_on(&checked, "edit");
    // The form has the missing field, with the error beside it.
    chat.find(By::Role("textbox", "Labels"));
    chat.fill("Labels", "web");
    chat.save();
    let preview = until_checked(&chat, 2);
    assert!(!preview.text.contains("✗ "), "{}", preview.text);
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    assert_eq!(server.issues(), ["the page is empty"]);
    chat.assert_no_faults();
}

/// A newer version is checked first, and until then nobody can press *Approve*: whoever stood on it stays on the card.
#[test]
fn a_button_that_is_blocked_leaves_the_focus_on_its_card() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write(BUG);
    let preview = until_checked(&chat, 1);
    let stand = "document.querySelector(arguments[0]).focus(); return document.activeElement.dataset.action";
    assert_eq!(chat.run(stand, &[json!(button(&preview, "approve"))]), json!("approve"));
    let place = "const { user, conversation } = document.body.dataset; return [user, conversation]";
    let place = chat.run(place, &[]);
    let lane = json!({ "channel": "web", "conversation": place[1] });
    let said = json!({ "lane": lane, "kind": "message.posted", "actor": { "id": place[0] }, "text": "make it high priority" });
    server.event("from-elsewhere", &said);
    until_checked(&chat, 2);
    let on = "return document.activeElement.closest('[data-card]')?.dataset.card ?? null";
    assert_eq!(chat.run(on, &[]), json!(preview.id));
}

/// Waits for the preview of a ticket until its checks have passed. Before that, nobody can press *Approve*.
#[track_caller]
pub(crate) fn until_checked(chat: &Chat<'_>, version: u32) -> Card {
    let enabled = format!("[data-card][data-version='{version}'] [data-action=approve]:enabled");
    chat.find(By::Css(&enabled));
    chat.until_preview(version)
}

/// Returns the number of parts that nobody wrote yet.
fn gaps(preview: &Card) -> usize {
    preview.text.lines().filter(|line| line.trim() == "open").count()
}
