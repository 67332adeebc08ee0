//! Presses: each gets one answer, in time and with the right text.

use serde_json::{Value, json};
use throughline_channels::telegram::outbound::{self, Call};
use throughline_channels::telegram::{Answer, Bot, BotToken, Client};
use throughline_fakes::telegram::FakeTelegram;

use crate::world::{ANA, BOB, MIA, TEAM, World, ticket};

#[tokio::test]
async fn tg7_each_press_has_one_answer() {
    let mut w = World::new().await;
    let card = w.card_in(TEAM).await;
    // A forged button, and a person who may not press it.
    w.telegram.presses_with_data(TEAM, BOB, card.id, "dUkK6gJL61egst2uZvqf2w");
    w.telegram.presses_with_data(
        TEAM,
        BOB,
        card.id,
        "💥 not a token at all, and longer than any we make, by far",
    );
    w.telegram.presses(TEAM, BOB, card.id, "Approve");
    w.settle().await;
    assert_eq!(w.issues().await, 0);
    // An outdated button: the card has a newer version.
    w.telegram.edits(TEAM, ANA, 1, &ticket("a PDF export"));
    w.calm().await;
    let current = w.telegram.card(TEAM).unwrap();
    assert_eq!((current.id, current.button("Approve") == card.button("Approve")), (card.id, false));
    w.telegram.presses_with_data(TEAM, MIA, card.id, card.button("Approve").unwrap());
    // A valid button, and the same one consumed.
    w.telegram.presses(TEAM, MIA, current.id, "Approve");
    w.calm().await;
    assert_eq!(w.issues().await, 1);
    w.telegram.presses_with_data(TEAM, MIA, current.id, current.button("Approve").unwrap());
    w.calm().await;
    let answers = w.telegram.answers();
    assert!(answers.iter().all(|answer| answer.text.encode_utf16().count() <= 200));
    let said: Vec<(&str, bool)> = answers.iter().map(|answer| (answer.text.as_str(), answer.alert)).collect();
    let begins = |at: usize, text: &str| said.get(at).is_some_and(|(said, _)| said.starts_with(text));
    assert!(begins(0, "I don't know this button any more") && begins(1, "I don't know"), "{said:#?}");
    assert!(begins(2, "You may not approve this"), "{said:#?}");
    assert!(said[..3].iter().all(|(_, alert)| *alert));
    assert!(said.iter().any(|(text, _)| text.starts_with("This preview is outdated")), "{said:#?}");
    assert!(said.contains(&("Working…", false)), "{said:#?}");
    assert!(
        said.last().is_some_and(|(text, alert)| text.starts_with("Already processed") && *alert),
        "{said:#?}"
    );
    // A text is shown once: there is no message if the alert was shown.
    let texts: Vec<String> = w.telegram.bot_messages(TEAM).into_iter().map(|shown| shown.text).collect();
    assert!(!texts.iter().any(|text| text.contains("I don't know this button")), "{texts:#?}");
    w.well();
}

/// A press is answered while another process holds its lane and does not work on it.
#[tokio::test]
async fn a_press_is_answered_while_its_lane_is_busy() {
    let mut w = World::new().await;
    let card = w.card_in(TEAM).await;
    w.restart().await;
    w.telegram.presses(TEAM, MIA, card.id, "Approve");
    w.poller.once(0).await.unwrap();
    w.poller.answered().await;
    assert_eq!(w.telegram.answers().last().map(|answer| answer.text.as_str()), Some("Working…"));
    assert_eq!(w.reasons(&w.lane(TEAM, "")).await.len(), 1, "the lane has not run");
    w.clock.advance(throughline_store::LANE_LEASE);
    w.calm().await;
    assert_eq!(w.issues().await, 1);
}

/// A result too late for the press's answer is posted in the chat.
#[tokio::test]
async fn what_no_answer_could_say_is_said_in_the_chat() {
    let mut w = World::new().await;
    let card = w.card_in(TEAM).await;
    w.telegram.presses(TEAM, BOB, card.id, "Approve");
    w.clock.advance(20_000);
    w.calm().await;
    assert_eq!(w.telegram.answers(), [], "the query was too old");
    let told = w.telegram.bot_messages(TEAM).pop().unwrap();
    assert!(told.text.starts_with("Bob: You may not approve this"), "{}", told.text);
    assert_eq!(told.entities[0]["type"], "text_mention");
    w.well();
}

/// Presses and edits arrive in two queues: the edit overtakes the press, which is then for an outdated card.
#[tokio::test]
async fn tg8_a_press_that_an_edit_overtakes_executes_nothing() {
    let mut w = World::new().await;
    let asked = w.telegram.says(TEAM, ANA, &ticket("a CSV export"));
    w.calm().await;
    let card = w.telegram.card(TEAM).unwrap();
    w.telegram.presses(TEAM, MIA, card.id, "Approve");
    w.telegram.edits(TEAM, ANA, asked, &ticket("a PDF export"));
    // The updates of both queues, the newer one first.
    let mut updates = fetch(&w).await;
    updates.reverse();
    let kinds: Vec<bool> = updates.iter().map(|update| update.get("callback_query").is_some()).collect();
    assert_eq!(kinds, [false, true]);
    take(&w, &updates).await;
    w.calm().await;
    assert_eq!(w.issues().await, 0);
    let reasons = w.reasons(&w.lane(TEAM, "")).await;
    assert_eq!(reasons[1..], ["draft.remade", "stale.version"]);
    assert!(w.telegram.card(TEAM).unwrap().text.contains("PDF"));
    w.well();
}

/// An update that arrives twice is one press.
#[tokio::test]
async fn a_press_that_is_delivered_twice_counts_once() {
    let mut w = World::new().await;
    let card = w.card_in(TEAM).await;
    w.telegram.presses(TEAM, MIA, card.id, "Approve");
    let updates = fetch(&w).await;
    for _ in 0..3 {
        take(&w, &updates).await;
    }
    w.calm().await;
    assert_eq!(w.issues().await, 1);
    assert_eq!(w.telegram.answers().len(), 1);
    assert_eq!(
        w.telegram.calls_of("answerCallbackQuery").len(),
        3,
        "each delivery is answered; one answer counts"
    );
}

/// Takes the waiting updates off, as a webhook would receive them.
async fn fetch(w: &World) -> Vec<Value> {
    let client = Client::new(&w.telegram.url(), true, BotToken::read(FakeTelegram::TOKEN).unwrap()).unwrap();
    client.call(&outbound::delete_webhook()).await;
    let Answer::Applied(Value::Array(updates)) = client.call(&outbound::get_updates(None, 0)).await else {
        panic!("no updates")
    };
    let last = updates.last().and_then(|update| update["update_id"].as_i64()).unwrap_or_default();
    client.call(&Call { method: "getUpdates", body: json!({"offset": last + 1}) }).await;
    updates
}

async fn take(w: &World, updates: &[Value]) {
    let bot = Bot { id: FakeTelegram::BOT, username: FakeTelegram::NAME.into(), command: "maro".into() };
    for update in updates {
        let accepted = w.adapter().accept(&w.instance.runtime, &bot, update).await.unwrap();
        w.adapter().answer_press(accepted).await;
    }
}
