//! Cards with several tickets: a row of buttons for each item, shorter ones if there are many, and cards longer than
//! a message.

use throughline_fakes::telegram::Message;

use crate::world::{ANA, MIA, TEAM, World};

/// Requests an epic with that many stories, each that long.
fn epic(stories: usize, long: usize) -> String {
    let why = " so that nothing is lost".repeat(long);
    let story = |n: usize| {
        format!("\n- As a customer I want to see list {n}{why}\n  Acceptance criteria: list {n} is there")
    };
    let listed: String = (1..=stories).map(story).collect();
    format!(
        "@maro_bot create an epic with {stories} stories for lists\nProblem: there are none\nAcceptance criteria: all stories are done{listed}"
    )
}

/// Has Ana request it in the group; returns the card, with the messages above it.
async fn card(w: &mut World, text: &str) -> (Vec<Message>, Message) {
    w.telegram.says(TEAM, ANA, text);
    w.settle_within(120_000).await;
    let mut all = w.telegram.bot_messages(TEAM);
    let card = all.pop().unwrap_or_else(|| panic!("no card: {:#?}", w.telegram.calls()));
    assert!(all.iter().all(|above| above.keyboard.is_empty()), "the buttons stay together");
    (all, card)
}

fn row(card: &Message, n: usize) -> Vec<&str> {
    card.keyboard[n].iter().map(|(label, _)| label.as_str()).collect()
}

#[tokio::test]
async fn six_items_are_confirmed_approved_and_received_on_one_message() {
    let mut w = World::new().await;
    let (above, card) = card(&mut w, &epic(5, 0)).await;
    assert!(above.is_empty(), "{above:#?}");
    assert_eq!(row(&card, 0), ["Confirm create 6 items"]);
    assert_eq!(row(&card, 1), ["Add a story…", "Cancel"]);
    assert_eq!(row(&card, 2), ["Epic · Edit…", "Epic · Remove"]);
    assert_eq!(row(&card, 7), ["Story 5 · Edit…", "Story 5 · Remove"]);
    assert_eq!(card.keyboard.len(), 8);
    w.telegram.presses(TEAM, MIA, card.id, "Confirm create 6 items");
    w.calm().await;
    w.telegram.presses(TEAM, MIA, card.id, "Approve");
    w.settle_within(60_000).await;
    let receipt = w.telegram.shown(TEAM, card.id).unwrap();
    assert!(receipt.text.starts_with("Created 6 of 6"), "{}", receipt.text);
    assert!(receipt.text.contains("Story 5: see list 5\ncreated DEMO-"), "{}", receipt.text);
    assert!(receipt.text.contains("\nhttps://bot.example.org/tracker/DEMO-1\n"), "{}", receipt.text);
    assert!(!receipt.text.contains("Acceptance criteria"), "a line an item: {}", receipt.text);
    assert!(receipt.keyboard.is_empty());
    assert_eq!((w.issues().await, w.telegram.bot_messages(TEAM).len()), (6, 1));
    w.well();
}

/// The question names the item, since its card is far above by then.
#[tokio::test]
async fn a_story_is_edited_as_a_reply() {
    let mut w = World::new().await;
    let (_, card) = card(&mut w, &epic(2, 0)).await;
    w.telegram.presses(TEAM, MIA, card.id, "Story 2 · Edit…");
    w.calm().await;
    let asked = w.telegram.bot_messages(TEAM).pop().unwrap();
    assert!(asked.text.starts_with("Mia: Story 2, Title: what should it say?"), "{}", asked.text);
    assert_eq!(
        asked.force_reply.as_deref(),
        Some("Story 2, Title: what should it say? Skip leaves it, Cancel ends…")
    );
    w.telegram.replies(TEAM, MIA, asked.id, "See every list\nAcceptance criteria: all of them");
    w.calm().await;
    let shown = w.telegram.shown(TEAM, card.id).unwrap();
    assert!(
        shown.text.contains("Story 2: See every list") && shown.text.contains("all of them"),
        "{}",
        shown.text
    );
    assert!(shown.text.contains("v2") && shown.text.contains("Story 1: see list 1"), "{}", shown.text);
    w.well();
}

#[tokio::test]
async fn the_buttons_of_many_items_stand_side_by_side() {
    let mut w = World::new().await;
    let (_, card) = card(&mut w, &epic(11, 0)).await;
    assert_eq!(row(&card, 2), ["✎ E", "✎ S1", "✎ S2", "✎ S3"]);
    assert_eq!(row(&card, 5), ["✕ E", "✕ S1", "✕ S2", "✕ S3"]);
    assert_eq!(card.keyboard.len(), 8);
    assert!(card.text.contains("✎ S11: Edit Story 11 · ✕ S11: Remove Story 11"), "{}", card.text);
    w.telegram.presses(TEAM, MIA, card.id, "✕ S3");
    w.calm().await;
    let shown = w.telegram.shown(TEAM, card.id).unwrap();
    assert!(
        !shown.text.contains("see list 3\n") && shown.text.contains("Story 10: see list 11"),
        "{}",
        shown.text
    );
    w.well();
}

/// A press on a long card changes only the message with the buttons. The messages above change only with the items,
/// and stay as they were approved above the receipt.
#[tokio::test]
async fn a_long_card_is_not_sent_anew_for_a_press() {
    let mut w = World::new().await;
    let (above, card) = card(&mut w, &epic(20, 20)).await;
    assert!(above.len() > 1, "{}", above.len());
    let whole: String = above.iter().map(|shown| shown.text.as_str()).collect();
    assert!((1..=20).all(|n| whole.contains(&format!("list {n} is there"))), "nothing is cut");
    assert!(card.text.contains(&format!("the {} messages above", above.len())), "{}", card.text);
    w.telegram.presses(TEAM, MIA, card.id, "Confirm create 21 items");
    w.settle_within(60_000).await;
    w.telegram.presses(TEAM, MIA, card.id, "Create all");
    w.settle_within(60_000).await;
    w.telegram.presses(TEAM, MIA, card.id, "Approve");
    w.settle_within(300_000).await;
    let now = w.telegram.bot_messages(TEAM);
    assert_eq!(now.len(), above.len() + 1);
    assert!(now.last().unwrap().text.starts_with("Created 21 of 21"), "{}", now.last().unwrap().text);
    for (before, now) in above.iter().zip(&now) {
        assert_eq!((&now.text, now.edits), (&before.text, 0), "as it was approved");
    }
    w.well();
}

/// The scope gate has the tick box in its second row; a button clears what it remembered.
#[tokio::test]
async fn remember_is_a_second_row_and_is_cleared_by_a_button() {
    let mut w = World::new().await;
    w.telegram.says(ANA, ANA, "What do you think about microservices?");
    w.calm().await;
    let gate = w.telegram.card(ANA).unwrap();
    assert_eq!(row(&gate, 0), ["Review", "Create ticket", "Not now"]);
    assert_eq!(row(&gate, 1), ["☐ Remember for this thread"]);
    w.telegram.presses(ANA, ANA, gate.id, "☐ Remember for this thread");
    w.calm().await;
    w.telegram.presses(ANA, ANA, gate.id, "Create ticket");
    w.calm().await;
    w.telegram.says(ANA, ANA, "stop");
    w.calm().await;
    w.telegram.says(ANA, ANA, "Is a queue better than a log?");
    w.calm().await;
    let used = w.telegram.card(ANA).unwrap();
    assert_eq!(used.labels(), ["Clear remembered mode"]);
    w.telegram.presses(ANA, ANA, used.id, "Clear remembered mode");
    w.calm().await;
    let cleared = w.telegram.shown(ANA, used.id).unwrap();
    assert!(cleared.text.starts_with("This thread remembers no mode any more"), "{}", cleared.text);
    assert!(cleared.keyboard.is_empty());
    w.well();
}
