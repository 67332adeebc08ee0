//! One ticket, from what is missing to its receipt (`spec 03 §6.1`).

use crate::chat::{BUG, Chat};
use crate::driver::Browser;
use crate::modelled::Modelled;
use crate::page::At;
use crate::serving::Serving;

#[test]
fn w2_a_bare_request_is_asked_for_what_it_lacks() {
    let Some(browser) = Browser::start() else { return };
    let serving = Serving::start();
    let chat = Chat::open(&browser, &serving.url());
    chat.write("Create a ticket for login bug");
    chat.until_says("Before I can show a preview I need: Steps to reproduce, Expected, Actual.");
    assert_eq!(chat.cards(), []);
    chat.write("Steps: open /login\nExpected: a form\nActual: a blank page");
    let preview = chat.until_preview(1);
    assert!(preview.text.contains("a blank page"), "{}", preview.text);
    assert_eq!(serving.issues(), Vec::<String>::new());
}

#[test]
fn w7_a_press_asks_no_model_and_looks_for_no_intent() {
    let Some(browser) = Browser::start() else { return };
    let modelled = Modelled::start();
    let chat = Chat::open(&browser, &modelled.serving.url());
    chat.write(BUG);
    let preview = chat.until_preview(1);
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    assert_eq!(modelled.calls(), 0);
    let lane = chat.run("return document.body.dataset.lane", &[]);
    let turns = modelled.serving.get(&format!("/v1/lanes/{}/turns?limit=50", lane.as_str().unwrap()));
    let turns = turns["items"].as_array().unwrap();
    let press = turns.iter().find(|turn| turn["reason"] == "press.applied").unwrap();
    let why = modelled.serving.get(&format!("/v1/turns/{}/why", press["turn"].as_str().unwrap()));
    let passed = why["passed"].as_array().unwrap();
    assert!(why["name"] != "intent" && passed.iter().all(|rung| rung["name"] != "intent"), "{why:#}");
}

#[test]
fn w14_what_the_project_requires_is_found_before_anything_is_created() {
    let Some(browser) = Browser::start() else { return };
    let serving = Serving::with("[projects.DEMO]\nrequired = [\"title\", \"labels\"]\n");
    let chat = Chat::open(&browser, &serving.url());
    chat.write(BUG);
    let checked = chat.until_card("what is missing", |card| card.text.contains("✗ "));
    assert!(checked.text.contains("checks failed") && checked.text.contains("Labels"), "{}", checked.text);
    assert_eq!(checked.actions, ["edit", "reject"]);
    assert_eq!(serving.issues(), Vec::<String>::new());
    chat.press_on(&checked, "edit");
    // The form has the field, with what is wrong beside it.
    chat.find(At::Named("textbox", "Labels"));
    chat.fill("Labels", "web");
    chat.save();
    let preview = chat.until_preview(2);
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    assert_eq!(serving.issues(), ["The page is empty"]);
    chat.is_clean();
}
