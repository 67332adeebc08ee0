//! The question what a message is for, and what a thread remembers of the answer (`spec 03 §2`).

use serde_json::json;
use throughline_engine::Timestamp;

use crate::chat::Chat;
use crate::driver::Browser;
use crate::page::At;
use crate::serving::Serving;
use crate::staged::Staged;

const UNCLEAR: &str = "What do you think about microservices?";

#[test]
fn w3_w8_w21_the_gate_asks_and_not_now_leaves_it() {
    let Some(browser) = Browser::start() else { return };
    let serving = Serving::start();
    let chat = Chat::open(&browser, &serving.url());
    chat.write(UNCLEAR);
    let gate = chat.until_gate(UNCLEAR);
    assert_eq!(gate.actions, ["select_review", "select_ticket", "dismiss", "remember"]);
    chat.find(At::Named("radiogroup", "What should I do with this?"));
    chat.find(At::Named("switch", "Remember for this thread"));
    chat.click(At::Named("radio", "Not now"));
    let left = chat.until_card("it to be left", |card| card.title == "OK, leaving it");
    assert_eq!((left.id, left.actions.len()), (gate.id, 0));
    // Nothing is left of it: the next one is asked about again, and so is a ticket that nobody wants yet.
    chat.write("What about event sourcing?");
    chat.until_gate("What about event sourcing?");
    chat.write("don't create a ticket yet");
    chat.until_gate("don't create a ticket yet");
    // The older one was given up for it.
    assert_eq!(chat.seen("[data-step=scope_gate] [role=radiogroup]").len(), 1);
    assert!(!chat.text().contains("Before I can show a preview"));
    chat.is_clean();
}

#[test]
fn w11_w20_w27_a_mode_is_remembered_until_it_is_forgotten_or_its_review_leaves() {
    let Some(browser) = Browser::start() else { return };
    let serving = Serving::start();
    let chat = Chat::open(&browser, &serving.url());
    remember_review(&chat);
    chat.write("thanks");
    chat.until_card("the review to be over", |card| card.step == "review_frozen");
    chat.write("Is a queue better than a log?");
    let review = chat.until_review(1, "queue");
    // The first review left with that, and the mode with it.
    chat.until_says("Remembered for this thread: Review. That is over now");
    // Explicit words are what they say, whatever is remembered.
    chat.write("Create a ticket for X");
    chat.until_says("Problem");
    chat.write("stop");
    chat.press_on(&review, "finish");
    chat.write("What would you do about caching?");
    chat.until_gate("What would you do about caching?");
    // By the button that stands under each answer it led to.
    chat.go(&format!("{}/new", serving.url()));
    chat.until_connection("live");
    remember(&chat, "Create ticket");
    chat.until_says("First: ");
    chat.write("stop");
    chat.write("What about event sourcing?");
    chat.click(At::Named("button", "Clear remembered mode"));
    chat.until_says("First: ");
    chat.write("stop");
    chat.write("Is a queue better than a log?");
    chat.until_gate("Is a queue better than a log?");
    for forget in ["/maro forget", "/maro forget review"] {
        chat.go(&format!("{}/new", serving.url()));
        chat.until_connection("live");
        remember_review(&chat);
        chat.write("thanks");
        chat.until_card("the review to be over", |card| card.step == "review_frozen");
        chat.write(forget);
        chat.until_says("orgotten");
        chat.write("And what about event sourcing?");
        chat.until_gate("And what about event sourcing?");
    }
    chat.is_clean();
}

#[test]
fn w12_a_mode_lives_two_hours_without_a_message() {
    let Some(browser) = Browser::start() else { return };
    let staged = Staged::start();
    let early = Chat::open(&browser, &staged.url);
    let late = Chat::open_another(&browser, &format!("{}/new", staged.url));
    for chat in [&early, &late] {
        remember_review(chat);
        chat.write("thanks");
        chat.until_card("the review to be over", |card| card.step == "review_frozen");
    }
    // A message at 1 h 59 slides it.
    staged.advance(2 * Timestamp::HOUR - Timestamp::MINUTE);
    for chat in [&early, &late] {
        chat.write("thanks");
        chat.until_taken();
    }
    // At exactly 2 h it is still there; a millisecond later it is not.
    staged.advance(2 * Timestamp::HOUR);
    early.write("What would you do about caching?");
    early.until_review(1, "caching");
    staged.advance(1);
    late.write("What would you do about caching?");
    late.until_gate("What would you do about caching?");
}

/// Asks something unclear, and has it and what is like it reviewed from now on.
#[track_caller]
fn remember_review(chat: &Chat<'_>) {
    remember(chat, "Review");
    chat.until_review(1, "microservices");
}

/// Asks something unclear, and chooses for it and what is like it.
#[track_caller]
fn remember(chat: &Chat<'_>, choice: &str) {
    chat.write(UNCLEAR);
    chat.until_gate(UNCLEAR);
    chat.click(At::Named("switch", "Remember for this thread"));
    let on = "return document.querySelector('[role=switch]')?.ariaChecked";
    chat.until_is("the mode to be remembered", on, &json!("true"));
    chat.click(At::Named("radio", choice));
}
