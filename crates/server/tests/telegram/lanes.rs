//! Lanes of updates, and the places where they are answered.

use throughline_fakes::telegram::Fault;
use throughline_store::EffectState;

use crate::world::{ANA, BOB, MIA, TEAM, World, ticket};

/// In groups without topics every reply has a `message_thread_id`, which must not make a lane.
#[tokio::test]
async fn tg3_a_reply_in_a_group_without_topics_stays_in_its_lane() {
    let mut w = World::new().await;
    let card = w.card_in(TEAM).await;
    w.telegram.replies(TEAM, ANA, card.id, "pending");
    w.calm().await;
    assert_eq!(w.lanes().await, [w.lane(TEAM, "")]);
    let turns = w.turns(&w.lane(TEAM, "")).await;
    let reply = turns.iter().rev().find(|turn| turn.row.event == "message.posted").unwrap();
    let focus = reply.row.trace.focus.as_ref().unwrap();
    assert_eq!(focus.source.as_str(), "reply", "the card is its anchor");
    assert!(w.telegram.bot_messages(TEAM).iter().all(|shown| shown.topic.is_none()));
    w.well();
}

#[tokio::test]
async fn tg4_a_topic_is_a_lane_and_general_is_the_root() {
    let mut w = World::new().await;
    w.telegram.group(-200, &[3, 5]);
    w.telegram.says_in(-200, 3, ANA, &ticket("a CSV export"));
    w.telegram.says(-200, ANA, &ticket("a PDF export"));
    w.calm().await;
    let mut lanes = w.lanes().await;
    lanes.sort();
    assert_eq!(lanes, [w.lane(-200, ""), w.lane(-200, "3")]);
    let mut topics: Vec<_> = w.telegram.bot_messages(-200).iter().map(|shown| shown.topic).collect();
    topics.sort_unstable();
    topics.dedup();
    assert_eq!(topics, [None, Some(3)]);
    let roots = w.telegram.calls_of("sendMessage");
    assert!(roots.iter().all(|call| call.body.get("message_thread_id").is_none_or(|topic| topic == 3)));
    w.well();
}

/// Messages to a deleted topic fail. They are not sent elsewhere, and hold nothing else back.
#[tokio::test]
async fn a_topic_that_is_gone_is_not_written_to() {
    let mut w = World::new().await;
    w.telegram.group(-200, &[3]);
    w.telegram.says_in(-200, 3, ANA, "/help");
    w.telegram.group(-200, &[]);
    w.telegram.says(-200, ANA, "/status");
    w.calm().await;
    let failed = w.store.effects("acme", Some(&w.lane(-200, "3")), None, 10).await.unwrap();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0].state, EffectState::Failed);
    let said = w.telegram.bot_messages(-200);
    assert_eq!(said.iter().map(|shown| shown.topic).collect::<Vec<_>>(), [None], "{said:#?}");
    w.well();
}

/// The card arrived but its number was lost: its button leads to the lane, and the card is the anchor.
#[tokio::test]
async fn tg5_a_reply_finds_its_lane_by_the_button() {
    let mut w = World::new().await;
    w.telegram.group(-200, &[3]);
    w.telegram.says_in(-200, 3, ANA, &ticket("a CSV export"));
    w.telegram.fail_next("sendMessage", None, Fault::AppliedThenLost);
    w.settle().await;
    let card = w.telegram.card(-200).expect("it arrived");
    assert_eq!(
        w.store.record(&w.lane(-200, "3"), "message", &format!("-200:{}", card.id)).await.unwrap(),
        None
    );
    w.telegram.replies(-200, ANA, card.id, "what is this?");
    w.settle().await;
    let turns = w.turns(&w.lane(-200, "3")).await;
    let reply = turns.iter().rev().find(|turn| turn.row.event == "message.posted").unwrap();
    assert_eq!(reply.row.trace.focus.as_ref().unwrap().source.as_str(), "reply");
    // A reply to an unknown message without buttons belongs to the root.
    let elsewhere = w.telegram.says(-200, BOB, "unrelated");
    w.telegram.replies(-200, ANA, elsewhere, "@maro_bot pending");
    w.calm().await;
    assert!(w.lanes().await.contains(&w.lane(-200, "")));
    w.well();
}

/// The group's number changes, and its lanes, cards and buttons stay.
#[tokio::test]
async fn tg14_a_group_becomes_a_supergroup() {
    let mut w = World::new().await;
    let card = w.card_in(TEAM).await;
    w.telegram.migrates(TEAM, -1_007);
    w.telegram.says(-1_007, ANA, "/pending");
    w.calm().await;
    assert_eq!(w.lanes().await, [w.lane(TEAM, "")], "no new lane");
    let texts: Vec<String> = w.telegram.bot_messages(-1_007).into_iter().map(|shown| shown.text).collect();
    assert!(texts.iter().any(|text| text.contains("1 waiting") || text.contains("CSV export")), "{texts:#?}");
    // The old chat's card can no longer be pressed: it is shown again with the same buttons.
    let moved = w.telegram.bot_messages(-1_007).into_iter().find(|shown| shown.keyboard == card.keyboard);
    let moved = moved.expect("the card goes on in the new chat");
    w.telegram.presses(-1_007, MIA, moved.id, "Approve");
    w.calm().await;
    assert_eq!(w.issues().await, 1);
    w.well();
}

/// Telegram may report the move only in the answer to a message, which is then sent again to the new number.
#[tokio::test]
async fn a_move_that_only_the_answer_tells_is_followed() {
    let mut w = World::new().await;
    w.telegram.says(TEAM, ANA, "/help");
    w.telegram.says(TEAM, ANA, "/pending");
    let took = w.poller.once(0).await.unwrap();
    assert_eq!(format!("{took:?}"), "Updates(2)");
    w.telegram.migrates(TEAM, -1_007);
    // Answered before the update about the move was read.
    while w.work().await {}
    w.calm().await;
    assert!(!w.telegram.bot_messages(-1_007).is_empty());
    assert_eq!(w.lanes().await, [w.lane(TEAM, "")]);
    w.well();
}

#[tokio::test]
async fn a_message_that_is_not_ours_is_left_alone() {
    let mut w = World::new().await;
    w.telegram.says(TEAM, BOB, "lunch?");
    w.telegram.says(TEAM, BOB, "/help@other_bot");
    w.telegram.sends_unknown_update();
    w.calm().await;
    assert_eq!(w.telegram.calls_of("sendMessage"), []);
    assert_eq!(w.reasons(&w.lane(TEAM, "")).await, ["ignored.not_addressed", "ignored.kind"]);
    assert_eq!(w.telegram.waiting(), 0, "and not sent again");
}

/// Every reply is sent under the message it answers, and addresses the person it asks.
#[tokio::test]
async fn answers_name_what_they_answer() {
    let mut w = World::new().await;
    let asked = w.telegram.says(TEAM, ANA, "@maro_bot create a ticket");
    w.calm().await;
    let question = w.telegram.bot_messages(TEAM).pop().expect("a question");
    assert_eq!(question.reply_to, Some(asked));
    assert!(question.force_reply.is_some_and(|hint| !hint.is_empty()), "the answer is seen in groups too");
    w.telegram.replies(TEAM, ANA, question.id, "A CSV export");
    w.calm().await;
    let next = w.telegram.bot_messages(TEAM).pop().unwrap();
    assert!(next.text.contains("Acceptance criteria") && next.force_reply.is_some(), "{}", next.text);
    w.well();
}
