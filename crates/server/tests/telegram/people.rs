//! People on Telegram: joined by number, by invitation, or not at all.

use throughline_engine::data::action::Action;
use throughline_engine::data::event::Press;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::{Event, EventKind};
use throughline_runtime::Inbound;

use throughline_store::DeliveryIdentity;

use crate::world::{BOB, MIA, START, TEAM, World, ticket};

/// An invitation joins the first person who follows it, once and within ten minutes.
#[tokio::test]
async fn a_link_joins_a_person_to_an_account() {
    let mut w = World::new().await;
    let card = w.card_in(TEAM).await;
    let (link, _) = w.adapter().invite("mia", [5; 16]).await.unwrap();
    let token = link.strip_prefix("https://t.me/maro_bot?start=").unwrap().to_owned();
    assert_eq!(token.len(), 22);
    w.telegram.says(BOB, BOB, "/start nobodys-link-at-all-xx");
    w.calm().await;
    w.telegram.presses(TEAM, BOB, card.id, "Approve");
    w.calm().await;
    assert_eq!(w.issues().await, 0);
    w.telegram.says(BOB, BOB, &format!("/start {token}"));
    w.calm().await;
    let told: Vec<String> = w.telegram.bot_messages(BOB).into_iter().map(|shown| shown.text).collect();
    assert!(told[0].contains("not good any more") && told[1].contains("You are mia here now"), "{told:?}");
    w.telegram.presses(TEAM, BOB, card.id, "Approve");
    w.calm().await;
    assert_eq!(w.issues().await, 1, "what mia may, Bob may");
    // Another person follows the used link.
    w.telegram.person(10, "Eve");
    w.telegram.says(10, 10, &format!("/start {token}"));
    w.calm().await;
    assert!(w.telegram.bot_messages(10)[0].text.contains("not good any more"));
    w.well();
}

#[tokio::test]
async fn a_link_is_over_after_ten_minutes() {
    let mut w = World::new().await;
    let (link, _) = w.adapter().invite("mia", [6; 16]).await.unwrap();
    let token = link.rsplit('=').next().unwrap().to_owned();
    w.clock.advance(600_001);
    w.telegram.says(BOB, BOB, &format!("/start {token}"));
    w.calm().await;
    assert!(w.telegram.bot_messages(BOB)[0].text.contains("not good any more"));
}

/// Anonymous administrators and channels may not approve, even if a rule names their number.
#[tokio::test]
async fn an_account_that_stands_for_many_is_nobody() {
    let mut w = World::new().await;
    let card = w.card_in(TEAM).await;
    w.telegram.presses(TEAM, 1_087_968_824, card.id, "Approve");
    w.calm().await;
    assert_eq!(w.issues().await, 0);
    assert!(w.telegram.answers().last().unwrap().text.starts_with("You may not approve this"));
    w.well();
}

/// A person without an account is named by a mention that only the bot can make.
#[tokio::test]
async fn a_stranger_is_named_on_the_card() {
    let mut w = World::new().await;
    w.telegram.says(TEAM, BOB, &ticket("a CSV export for @everyone"));
    w.calm().await;
    let card = w.telegram.card(TEAM).unwrap();
    assert!(card.text.contains("asked by Bob"), "{}", card.text);
    let mentions = card.entities.iter().filter(|entity| entity["type"] == "text_mention");
    assert_eq!(mentions.map(|entity| entity["user"]["id"].clone()).collect::<Vec<_>>(), [BOB]);
    w.well();
}

/// A requester on Telegram is the same person elsewhere, so they cannot approve it there.
#[tokio::test]
async fn nobody_approves_elsewhere_what_they_asked_for_here() {
    let mut w = World::new().await;
    w.telegram.says(TEAM, MIA, &ticket("a CSV export"));
    w.calm().await;
    let lane = w.lane(TEAM, "");
    let card = w.instance.runtime.lane(&lane).await.unwrap().head.cards.iter().next().unwrap();
    let press = Press::Decision { card, version: 1, item: String::new(), action: Action::Approve };
    let kind = EventKind::CardPressed { press, remember: false };
    let event = Event { id: "api1".into(), received_at: START, actor: "mia".into(), kind };
    let identity = DeliveryIdentity::new(lane.clone(), "api1");
    let inbound = Inbound { identity, event, addressing: Addressing::default() };
    w.instance.runtime.accept(inbound).await.unwrap();
    w.calm().await;
    assert_eq!(w.reasons(&lane).await.last().map(String::as_str), Some("press.self"));
    assert_eq!(w.issues().await, 0);
}
