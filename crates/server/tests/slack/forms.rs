//! Forms: windows that open in time, keep what was typed, and never change what was decided meanwhile.

use std::time::Duration;

use serde_json::json;

use crate::world::{ANA, MIA, TEAM, World, until};

#[tokio::test(flavor = "multi_thread")]
async fn a_form_changes_the_card() {
    for w in [World::over_sockets().await, World::over_http().await] {
        let (thread, card) = w.drafted().await;
        w.slack.presses(TEAM, ANA, &card.ts, "Edit");
        let slack = w.slack.clone();
        until("the window", || slack.modal(ANA)).await;
        w.slack.types(ANA, "field.title", "Export reports as CSV");
        let sent = w.slack.submits(ANA);
        w.says(TEAM, &card.ts, "Export reports as CSV").await;
        assert_eq!(w.slack.settled(sent).await.answer(), json!(null));
        assert!(w.slack.modal(ANA).is_none(), "it is closed");
        w.card(TEAM, &thread, "Approve").await;
        w.slack.presses(TEAM, MIA, &card.ts, "Approve");
        w.says(TEAM, &card.ts, "DEMO-1").await;
        w.well();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sl7_a_form_of_a_decided_card_says_so_and_keeps_what_was_typed() {
    let w = World::over_sockets().await;
    let (_, card) = w.drafted().await;
    w.slack.presses(TEAM, ANA, &card.ts, "Edit");
    let slack = w.slack.clone();
    until("the window", || slack.modal(ANA)).await;
    w.slack.presses(TEAM, MIA, &card.ts, "Approve");
    w.says(TEAM, &card.ts, "DEMO-1").await;
    w.slack.types(ANA, "field.title", "Something typed at length");
    let sent = w.slack.submits(ANA);
    let answer = w.slack.settled(sent).await.answer();
    assert_eq!(answer["response_action"], "update", "{answer}");
    let slack = w.slack.clone();
    let view = until("the note", || slack.modal(ANA)).await;
    assert!(view.block_text().contains("Something typed at length"), "{}", view.block_text());
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn sl7_a_value_that_is_too_long_is_named_in_its_field() {
    let w = World::over_http().await;
    let (_, card) = w.drafted().await;
    w.slack.presses(TEAM, ANA, &card.ts, "Edit");
    let slack = w.slack.clone();
    let view = until("the window", || slack.modal(ANA)).await;
    let metadata = view.private_metadata().to_owned();
    let values = json!({"field.title": {"value": {"type": "plain_text_input", "value": "x".repeat(3_001)}}});
    let payload = json!({"type": "view_submission", "trigger_id": "1.2.long", "user": {"id": ANA}, "team":
        {"id": "T0THREADS"}, "view": {"private_metadata": metadata, "state": {"values": values}}});
    let body = format!(
        "payload={}",
        form_urlencoded::byte_serialize(payload.to_string().as_bytes()).collect::<String>()
    );
    let kind = "application/x-www-form-urlencoded";
    let (status, answer) = w.slack.posts_signed(&w.url("/slack/interactions"), kind, &body).await.unwrap();
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    assert_eq!((status, &answer["response_action"]), (200, &json!("errors")));
    assert!(answer["errors"]["field.title"].as_str().unwrap().contains("3000"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sl6_a_press_that_arrives_late_opens_nothing_and_says_so() {
    let w = World::over_sockets().await;
    let (_, card) = w.drafted().await;
    w.slack.holds();
    w.slack.presses(TEAM, ANA, &card.ts, "Edit");
    tokio::time::sleep(Duration::from_millis(3_500)).await;
    w.slack.releases(false);
    w.whispered(ANA, "press the button again").await;
    assert_eq!(w.slack.calls_of("views.open").len(), 0);
    w.well();
}
