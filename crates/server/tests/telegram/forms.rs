//! Edit forms: a card is edited field by field.

use crate::world::{ANA, MIA, TEAM, World, ticket};

/// In a private chat each field has buttons *Skip* and *Cancel*.
#[tokio::test]
async fn a_card_is_edited_field_by_field() {
    let mut w = World::new().await;
    w.telegram.says(ANA, ANA, &ticket("a CSV export"));
    w.calm().await;
    let card = w.telegram.card(ANA).unwrap();
    w.telegram.presses(ANA, ANA, card.id, "Edit");
    w.calm().await;
    let asked = w.telegram.bot_messages(ANA).pop().unwrap();
    assert!(asked.text.starts_with("Title: what should it say?"), "{}", asked.text);
    assert_eq!(asked.words, ["Skip", "Cancel"]);
    w.telegram.says(ANA, ANA, "Skip");
    w.calm().await;
    let asked = w.telegram.bot_messages(ANA).pop().unwrap();
    assert!(asked.text.starts_with("Problem: what should it say?"), "{}", asked.text);
    w.telegram.says(ANA, ANA, "nobody can take their data along");
    w.calm().await;
    assert!(w.telegram.shown(ANA, card.id).unwrap().text.contains("nobody can take their data along"));
    w.telegram.says(ANA, ANA, "Cancel");
    w.calm().await;
    let shown = w.telegram.shown(ANA, card.id).unwrap();
    assert!(shown.text.contains("v2"), "one field changed, one version more: {}", shown.text);
    assert_eq!(shown.labels(), ["Approve", "Edit", "Reject"], "the card is open as before");
    w.well();
}

/// In a group the question asks the client for a reply: the bot would not receive anything else.
#[tokio::test]
async fn in_a_group_a_field_is_answered_as_a_reply() {
    let mut w = World::new().await;
    let card = w.card_in(TEAM).await;
    w.telegram.presses(TEAM, MIA, card.id, "Edit");
    w.calm().await;
    let asked = w.telegram.bot_messages(TEAM).pop().unwrap();
    assert_eq!(
        asked.force_reply.as_deref(),
        Some("Title: what should it say? Skip leaves it, Cancel ends the edit.")
    );
    assert!(asked.words.is_empty() && asked.text.starts_with("Mia: Title"), "{}", asked.text);
    w.telegram.replies(TEAM, MIA, asked.id, "A PDF export");
    w.calm().await;
    assert!(w.telegram.shown(TEAM, card.id).unwrap().text.contains("A PDF export"));
    w.well();
}
