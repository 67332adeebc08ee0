//! Reviews: started, patched by replies, shown in full, finished, turned into tickets.

use std::fmt::Write as _;

use serde_json::json;
use throughline_engine::Timestamp;

use crate::chat::{Chat, button};
use crate::driver::Browser;
use crate::in_process::InProcessServer;
use crate::model_server::ModelServer;
use crate::page::By;
use crate::server::Server;

pub(crate) const PLAN: &str =
    "Review this plan: we will use Postgres for orders. A migration may break the reports.";

// row: W1, W15, W16, W4, W5
#[test]
fn a_review_is_patched_shown_in_full_and_finished() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write("Review this architecture");
    let review = chat.until_review(1, "Checklist");
    assert_eq!(review.actions, ["show_full", "approve_decision", "turn_into_ticket", "finish"]);
    assert!(review.text.contains("no model: only what this thread states"), "{}", review.text);
    chat.write("ok, but what about caching?");
    chat.until_says("New open questions\n• What about caching?");
    chat.until_review(2, "What about caching?");
    chat.write(&twenty_points());
    chat.until_says("+ 8 more under Show full");
    let patched = chat.until_review(3, "Risks point 3");
    let patch = message_saying(&chat, "+ 8 more");
    let places: Vec<usize> = ["New decisions", "New risks", "New open questions", "Changes since v2"]
        .into_iter()
        .map(|section| patch.find(section).unwrap_or_else(|| panic!("no {section:?} in {patch}")))
        .collect();
    assert!(places.is_sorted() && patch.matches("• ").count() == 12, "{patch}");
    chat.press_on(&patched, "show_full");
    chat.until_says("Changes point 11");
    chat.write("Thanks, looks good");
    let frozen = chat.until_card("the review to be over", |card| card.step == "review_frozen");
    assert_eq!((frozen.id, frozen.actions), (review.id, vec!["turn_into_ticket".to_owned()]));
    // The next message is no feedback on the review, and its ticket contains nothing of the review.
    chat.write("Now create a ticket for something unrelated");
    let unrelated = chat.until_preview(1);
    assert!(unrelated.text.contains("something unrelated"), "{}", unrelated.text);
    chat.write("Problem: the printer is out of paper\nAcceptance criteria: there is paper");
    let preview = chat.until_preview(2);
    assert_eq!(preview.id, unrelated.id);
    assert!(!preview.text.contains("caching") && preview.text.contains("the printer"), "{}", preview.text);
    chat.assert_no_faults();
}

// row: W16
#[test]
fn of_twenty_points_of_a_model_twelve_are_shown() {
    let Some(browser) = Browser::start() else { return };
    let model_server = ModelServer::start();
    let chat = Chat::open(&browser, &model_server.server.url());
    model_server.answer_next(&json!({
        "kind": "security", "topic": "Login tokens", "summary": "Tokens are short-lived.",
        "decisions": ["Use OAuth"], "risks": ["Refresh tokens leak"], "questions": [],
    }));
    chat.write("Review this architecture");
    let review = chat.until_review(1, "Refresh tokens leak");
    assert_eq!(review.title, "Security review: Login tokens");
    let points = |word: &str| (1..=5).map(|n| format!("{word} {n}")).collect::<Vec<_>>();
    model_server.answer_next(&json!({
        "decisions": points("Take"), "risks": points("Fear"), "questions": points("Ask"), "changes": points("Turn"),
    }));
    chat.write("What about the clock?");
    chat.until_review(2, "Fear 5");
    let patch = message_saying(&chat, "+ 8 more under Show full");
    assert!(patch.contains("Ask 2") && !patch.contains("Ask 3") && !patch.contains("Turn"), "{patch}");
    assert_eq!(model_server.calls(), 2);
    chat.assert_no_faults();
}

// row: W22
#[test]
fn of_two_reviews_the_one_that_is_replied_to_becomes_the_epic() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write(PLAN);
    let first = chat.until_review(1, "Postgres");
    chat.write("What about backups?");
    chat.until_review(2, "backups");
    chat.write("Now review this other plan: we will cache prices in Redis.");
    chat.until_review(1, "Redis");
    chat.until_says("a newer review followed");
    chat.reply(&first, "create the epic for that");
    let batch = chat.until_card("the epic", |card| card.step == "multi_ticket_preview");
    assert!(batch.text.contains("Postgres for orders") && !batch.text.contains("Redis"), "{}", batch.text);
    chat.write("Acceptance criteria: orders are in Postgres");
    let batch = chat.until_batch(2, "approve");
    chat.click(By::Css(&format!("{}:enabled", button(&batch, "approve"))));
    chat.until_created("Created 1 of 1");
    chat.assert_no_faults();
}

#[test]
fn a_review_that_nobody_answers_freezes_after_a_day() {
    let Some(browser) = Browser::start() else { return };
    let server = InProcessServer::start();
    let chat = Chat::open(&browser, &server.url);
    chat.write(PLAN);
    let review = chat.until_review(1, "Postgres");
    server.advance(24 * Timestamp::HOUR + 1);
    chat.until_says("nobody answered for 24 h");
    let frozen = chat.until_card("it to be frozen", |card| card.step == "review_frozen");
    assert_eq!(frozen.id, review.id);
    chat.press_on(&frozen, "turn_into_ticket");
    chat.until_card("tickets", |card| card.step == "multi_ticket_preview");
    chat.find(By::Css("[data-step=review_frozen]"));
}

/// Returns feedback with twenty points in four sections.
pub(crate) fn twenty_points() -> String {
    let mut text = String::new();
    for (section, count) in [("Decisions", 3), ("Risks", 3), ("Open questions", 3), ("Changes", 11)] {
        let _ = writeln!(text, "{section}:");
        for n in 1..=count {
            let _ = writeln!(text, "- {} point {n}", section.to_lowercase());
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

/// Returns the newest message that contains the words.
#[track_caller]
fn message_saying(chat: &Chat<'_>, words: &str) -> String {
    chat.until(&format!("a message that says {words:?}"), || {
        let messages = chat.messages();
        let found = messages.iter().rev().find(|(_, text)| text.contains(words));
        found.map(|(_, text)| text.clone()).ok_or_else(|| format!("{messages:#?}"))
    })
}
