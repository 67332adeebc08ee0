//! A single ticket, from the question for missing details to its receipt.

use crate::chat::{BUG, Chat};
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
    chat.until_says("Before I can show a preview I need: Steps to reproduce, Expected, Actual.");
    assert_eq!(chat.cards(), []);
    chat.write("Steps: open /login\nExpected: a form\nActual: a blank page");
    let preview = chat.until_preview(1);
    assert!(preview.text.contains("a blank page"), "{}", preview.text);
    assert_eq!(server.issues(), Vec::<String>::new());
}

// row: W7
#[test]
fn a_press_asks_no_model_and_looks_for_no_intent() {
    let Some(browser) = Browser::start() else { return };
    let model_server = ModelServer::start();
    let chat = Chat::open(&browser, &model_server.server.url());
    chat.write(BUG);
    let preview = chat.until_preview(1);
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
    assert_eq!(checked.actions, ["edit", "reject"]);
    assert_eq!(server.issues(), Vec::<String>::new());
    chat.press_on(&checked, "edit");
    // The form has the missing field, with the error beside it.
    chat.find(By::Role("textbox", "Labels"));
    chat.fill("Labels", "web");
    chat.save();
    let preview = chat.until_preview(2);
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    assert_eq!(server.issues(), ["The page is empty"]);
    chat.assert_no_faults();
}
