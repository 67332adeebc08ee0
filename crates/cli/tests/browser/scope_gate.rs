//! The question what an unclear message is for, and the mode that a thread remembers from the answer
//! (docs/design/0016-intent-and-scope-gate.md).

use serde_json::json;
use throughline_engine::Timestamp;

use crate::chat::{Card, Chat};
use crate::driver::Browser;
use crate::in_process::InProcessServer;
use crate::page::By;
use crate::server::Server;

const UNCLEAR: &str = "What do you think about microservices?";

// row: W3, W8, W21
#[test]
fn the_gate_asks_and_not_now_leaves_it() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write(UNCLEAR);
    let gate = chat.until_gate(UNCLEAR);
    assert_eq!(gate.actions, ["select_review", "select_ticket", "dismiss", "remember"]);
    chat.find(By::Role("radiogroup", "What should I do with this?"));
    chat.find(By::Role("switch", "Remember for this thread"));
    chat.click(By::Role("radio", "Not now"));
    let left = chat.until_card("it to be left", |card| card.title == "OK, leaving it");
    assert_eq!((left.id, left.actions.len()), (gate.id, 0));
    // The answer was not remembered: the next unclear message is asked about.
    chat.write("What about event sourcing?");
    chat.until_gate("What about event sourcing?");
    // A request that is negated is none, and is asked about if there is something in it that could become a ticket.
    chat.write("don't create a ticket yet");
    chat.until_says("I am not sure what to do with “don't create a ticket yet”");
    chat.write("don't create a ticket yet, the search crashes");
    chat.until_gate("don't create a ticket yet, the search crashes");
    // The newer question replaced the older one.
    assert_eq!(chat.visible("[data-step=scope_gate] [role=radiogroup]").len(), 1);
    assert!(chat.cards().iter().all(|card| card.step == "scope_gate"), "{:#?}", chat.cards());
    chat.assert_no_faults();
}

// row: W11, W20, W27
#[test]
fn a_mode_is_remembered_until_it_is_forgotten_or_its_review_leaves() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    remember_review(&chat);
    chat.write("thanks");
    chat.until_card("the review to be over", |card| card.step == "review_frozen");
    chat.write("Is a queue better than a log?");
    let review = chat.until_review(1, "queue");
    // This starts another review, which ends the mode of the first.
    chat.until_says("Remembered for this thread: Review. That is over now");
    // An explicit request wins over a remembered mode.
    chat.write("Create a ticket for X");
    chat.until_card("the ticket", |card| card.step == "draft_preview" && says_line(card, "X"));
    chat.write("stop");
    chat.press_on(&review, "finish");
    chat.write("What would you do about caching?");
    chat.until_gate("What would you do about caching?");
    // With the button below each answer that the mode led to.
    chat.go(&format!("{}/new", server.url()));
    chat.until_connection("live");
    remember(&chat, "Create ticket");
    chat.until_card("the ticket", |card| card.step == "draft_preview" && says_line(card, UNCLEAR));
    chat.write("stop");
    chat.write("What about event sourcing?");
    chat.click(By::Role("button", "Clear remembered mode"));
    chat.until_card("the next ticket", |card| {
        card.step == "draft_preview" && card.text.contains("event sourcing")
    });
    chat.write("stop");
    chat.write("Is a queue better than a log?");
    chat.until_gate("Is a queue better than a log?");
    for forget in ["/maro forget", "/maro forget review"] {
        chat.go(&format!("{}/new", server.url()));
        chat.until_connection("live");
        remember_review(&chat);
        chat.write("thanks");
        chat.until_card("the review to be over", |card| card.step == "review_frozen");
        chat.write(forget);
        chat.until_says("orgotten");
        chat.write("And what about event sourcing?");
        chat.until_gate("And what about event sourcing?");
    }
    chat.assert_no_faults();
}

// row: W12
#[test]
fn a_mode_lives_two_hours_without_a_message() {
    let Some(browser) = Browser::start() else { return };
    let server = InProcessServer::start();
    let early = Chat::open(&browser, &server.url);
    let late = Chat::open_another(&browser, &format!("{}/new", server.url));
    for chat in [&early, &late] {
        remember_review(chat);
        chat.write("thanks");
        chat.until_card("the review to be over", |card| card.step == "review_frozen");
    }
    // A message after 1 h 59 min extends the mode.
    server.advance(2 * Timestamp::HOUR - Timestamp::MINUTE);
    for chat in [&early, &late] {
        chat.write("thanks");
        chat.until_taken();
    }
    // The mode holds for exactly 2 h.
    server.advance(2 * Timestamp::HOUR);
    early.write("What would you do about caching?");
    early.until_review(1, "caching");
    server.advance(1);
    late.write("What would you do about caching?");
    late.until_gate("What would you do about caching?");
}

/// Sends an unclear message and remembers *Review* for it.
#[track_caller]
fn remember_review(chat: &Chat<'_>) {
    remember(chat, "Review");
    chat.until_review(1, "microservices");
}

/// Sends an unclear message and remembers a choice for it.
#[track_caller]
fn remember(chat: &Chat<'_>, choice: &str) {
    chat.write(UNCLEAR);
    chat.until_gate(UNCLEAR);
    chat.click(By::Role("switch", "Remember for this thread"));
    let on = "return document.querySelector('[role=switch]')?.ariaChecked";
    chat.until_is("the mode to be remembered", on, &json!("true"));
    chat.click(By::Role("radio", choice));
}

/// Returns true if a card has a line of these words.
fn says_line(card: &Card, words: &str) -> bool {
    card.text.lines().any(|line| line.trim() == words)
}
