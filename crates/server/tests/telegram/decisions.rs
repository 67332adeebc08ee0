//! Decision posts: at the root of the chat, once, with a link to the topic they come from.

use throughline_fakes::telegram::{Fault, Message};

use crate::world::{ANA, MIA, World};

/// Number of a supergroup, and a topic in it.
const FORUM: i64 = -1_001_234_567_890;
const TOPIC: i64 = 5;

/// Has Ana ask for a decision record; returns its preview in the topic.
async fn preview(w: &mut World) -> Message {
    w.telegram.group(FORUM, &[TOPIC]);
    let text = "@maro_bot record the decision about orders: we use Postgres because we know it.";
    w.telegram.says_in(FORUM, TOPIC, ANA, text);
    w.calm().await;
    let card = w.telegram.card(FORUM).unwrap();
    assert_eq!(card.labels(), ["Approve", "Edit", "Cancel"], "{card:#?}");
    card
}

/// Returns the posts, and the calls that made them.
fn posts(w: &World) -> Vec<serde_json::Value> {
    let calls = w.telegram.calls_of("sendMessage").into_iter().map(|call| call.body);
    calls.filter(|body| body["text"].as_str().unwrap().starts_with("Decision on orders")).collect()
}

#[tokio::test]
async fn a_decision_is_posted_at_the_root_and_linked_both_ways() {
    let mut w = World::new().await;
    let card = preview(&mut w).await;
    assert!(card.text.contains("https://t.me/c/1234567890/5"), "{}", card.text);
    w.telegram.presses(FORUM, MIA, card.id, "Approve");
    w.calm().await;
    let posts = posts(&w);
    assert_eq!(posts.len(), 1, "{posts:#?}");
    assert_eq!(posts[0].get("message_thread_id"), None, "at the root");
    let text = posts[0]["text"].as_str().unwrap();
    assert!(text.contains("Discussed in https://t.me/c/1234567890/5"), "{text}");
    assert!(text.ends_with("Decided by @\u{2060}Mia on 2026-01-15 at 10:00 UTC"), "{text}");
    let post = w.telegram.bot_messages(FORUM).into_iter().find(|shown| shown.text.starts_with("Decision on"));
    let link = format!("https://t.me/c/1234567890/{}", post.unwrap().id);
    let receipt = w.telegram.shown(FORUM, card.id).unwrap();
    assert!(receipt.text.contains(&link) && receipt.text.contains("Posted"), "{}", receipt.text);
    w.well();
}

/// A post whose delivery is uncertain is not sent again; a person decides.
#[tokio::test]
async fn a_post_that_may_be_out_is_asked_about() {
    let mut w = World::new().await;
    let card = preview(&mut w).await;
    w.telegram.fail_next("sendMessage", Some(FORUM), Fault::AppliedThenLost);
    w.telegram.presses(FORUM, MIA, card.id, "Approve");
    w.calm().await;
    w.clock.advance(86_400_000);
    w.calm().await;
    assert_eq!(posts(&w).len(), 1, "not resent");
    let asks = w.telegram.card(FORUM).unwrap();
    assert_eq!(asks.labels(), ["It exists…", "Create again", "Cancel"], "{asks:#?}");
    w.telegram.presses(FORUM, MIA, asks.id, "It exists…");
    w.calm().await;
    assert_eq!(posts(&w).len(), 1);
    assert!(w.telegram.shown(FORUM, card.id).unwrap().text.contains("Posted"));
    w.well();
}

#[tokio::test]
async fn a_post_that_is_refused_is_shown_again_and_one_that_has_to_wait_goes_out_once() {
    let mut w = World::new().await;
    let card = preview(&mut w).await;
    let why = "Bad Request: not enough rights to send text messages to the chat";
    w.telegram.fail_next("sendMessage", Some(FORUM), Fault::Refuse(400, why.into()));
    w.telegram.presses(FORUM, MIA, card.id, "Approve");
    w.calm().await;
    assert!(w.telegram.shown(FORUM, card.id).unwrap().text.contains("Not posted"));
    let again = w.telegram.card(FORUM).unwrap();
    assert_ne!(again.id, card.id, "a new approval");
    w.telegram.fail_next("sendMessage", Some(FORUM), Fault::TooMany(3));
    w.telegram.presses(FORUM, MIA, again.id, "Approve");
    w.calm().await;
    let out =
        w.telegram.bot_messages(FORUM).into_iter().filter(|m| m.text.starts_with("Decision on")).count();
    assert_eq!((posts(&w).len(), out), (3, 1), "refused, told to wait, posted");
    w.well();
}

/// A post that waits holds back other messages to that chat, as a reply would.
#[tokio::test]
async fn a_post_keeps_to_the_pace_of_its_chat() {
    let mut w = World::new().await;
    let card = preview(&mut w).await;
    w.clock.advance(60_000);
    w.telegram.fail_next("sendMessage", Some(FORUM), Fault::TooMany(7));
    w.telegram.presses(FORUM, MIA, card.id, "Approve");
    w.settle().await;
    assert_eq!(posts(&w).len(), 1, "told to wait");
    let sent = w.telegram.calls_of("sendMessage").len();
    w.clock.advance(1_500);
    w.telegram.says_in(FORUM, TOPIC, ANA, "@maro_bot /status");
    w.settle().await;
    assert_eq!(w.telegram.calls_of("sendMessage").len(), sent, "and nobody tries in vain");
    w.settle_within(30_000).await;
    assert_eq!(posts(&w).len(), 2);
    assert!(w.telegram.calls_of("sendMessage").len() > sent + 1, "the answer too");
    w.well();
}
