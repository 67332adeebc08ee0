//! Open cards after an outage: each is shown again with a notice.

use throughline_fakes::telegram::Fault;

use crate::world::{ANA, MIA, TEAM, World, ticket};

#[tokio::test]
async fn tg13_open_cards_still_wait_after_an_outage() {
    let mut w = World::new().await;
    let card = w.card_in(TEAM).await;
    w.telegram.says(ANA, ANA, &ticket("a PDF export"));
    w.calm().await;
    let other = w.telegram.card(ANA).unwrap();
    w.telegram.presses(TEAM, MIA, card.id, "Approve");
    // Telegram is out of reach for 200 seconds; it drops the press after 150.
    w.telegram.fail_next("getUpdates", None, Fault::Unreadable);
    assert!(format!("{:?}", w.poller.once(0).await.unwrap()).starts_with("Unreachable"));
    w.clock.advance(200_000);
    w.calm().await;
    assert_eq!(w.telegram.dropped(), 1);
    for (chat, id) in [(TEAM, card.id), (ANA, other.id)] {
        let shown = w.telegram.shown(chat, id).unwrap();
        assert!(
            shown.text.contains("Still waiting for a decision (presses between 10:00 and 10:03"),
            "{}",
            shown.text
        );
        let said =
            w.telegram.bot_messages(chat).into_iter().filter(|m| m.text.starts_with("Still waiting")).count();
        assert_eq!(said, 1, "and one message in each chat");
    }
    assert_eq!(w.issues().await, 0);
    w.telegram.presses(TEAM, MIA, card.id, "Approve");
    w.calm().await;
    assert_eq!(w.issues().await, 1, "presses work");
    w.well();
}

/// A chat with several conversations gets one message; every card of each is shown again.
#[tokio::test]
async fn one_message_for_each_chat_whatever_its_topics() {
    let mut w = World::new().await;
    w.telegram.group(-200, &[3, 5]);
    for topic in [3, 5] {
        w.telegram.says_in(-200, topic, ANA, &ticket("a CSV export"));
    }
    w.telegram.says(-200, ANA, &ticket("a PDF export"));
    let card = w.card_in(TEAM).await;
    w.telegram.fail_next("getUpdates", None, Fault::Unreadable);
    w.poller.once(0).await.unwrap();
    w.clock.advance(200_000);
    w.settle_within(120_000).await;
    let topics = w.telegram.bot_messages(-200);
    let cards: Vec<_> = topics.iter().filter(|shown| !shown.keyboard.is_empty()).collect();
    assert_eq!(cards.len(), 3);
    assert!(cards.iter().all(|card| card.text.contains("Still waiting for a decision")), "{cards:#?}");
    let telegram = w.telegram.clone();
    let said =
        |chat| telegram.bot_messages(chat).iter().filter(|m| m.text.starts_with("Still waiting")).count();
    assert_eq!((said(-200), said(TEAM)), (1, 1));
    assert!(w.telegram.shown(TEAM, card.id).unwrap().text.contains("Still waiting"));
    // Each chat gets it once, also if the process ends before all have it.
    w.restart().await;
    w.settle_within(120_000).await;
    assert_eq!((said(-200), said(TEAM)), (1, 1));
    w.well();
}

/// A restart that takes long enough is an outage, and is reported once.
#[tokio::test]
async fn a_long_restart_is_an_outage() {
    let mut w = World::new().await;
    let card = w.card_in(TEAM).await;
    let messages = w.telegram.bot_messages(TEAM).len();
    w.restart().await;
    w.calm().await;
    assert_eq!(w.telegram.bot_messages(TEAM).len(), messages, "a short one is none");
    w.clock.advance(180_000);
    w.restart().await;
    w.calm().await;
    assert!(w.telegram.shown(TEAM, card.id).unwrap().text.contains("Still waiting"));
    w.calm().await;
    assert_eq!(w.telegram.bot_messages(TEAM).len(), messages + 1);
    w.well();
}
