//! Messages to Telegram: parts, markup, states of cards, pace.

use std::io::Write;
use std::sync::{Arc, Mutex};

use throughline_engine::data::notice::Notice;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::{Event, EventKind, LaneKey};
use throughline_fakes::telegram::Fault;
use throughline_runtime::Inbound;

use throughline_store::DeliveryIdentity;

use crate::world::{ANA, BOB, MIA, START, TEAM, World, ticket};

/// Log output.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn tg9_marks_that_cannot_be_read_are_left_out() {
    let mut w = World::new().await;
    let refusal = Fault::Refuse(400, "Bad Request: can't parse entities: Unsupported start tag \"b\"".into());
    w.telegram.fail_next("sendMessage", None, refusal);
    w.telegram.says(ANA, ANA, &ticket("a < b && c > d_e*f [g](h)"));
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
    let logging = tracing::subscriber::set_default(subscriber);
    w.calm().await;
    drop(logging);
    assert!(log.text().contains("TL-3202"), "{}", log.text());
    let cards: Vec<_> =
        w.telegram.bot_messages(ANA).into_iter().filter(|shown| !shown.keyboard.is_empty()).collect();
    assert_eq!(cards.len(), 1, "delivered once");
    assert!(
        cards[0].text.contains("a < b && c > d_e*f [g](h)") && !cards[0].text.contains('\\'),
        "{}",
        cards[0].text
    );
    let sent = w.telegram.calls_of("sendMessage");
    assert_eq!(sent[0].body["parse_mode"], "HTML");
    assert_eq!(sent[1].body.get("parse_mode"), None);
    w.well();
}

async fn tell(w: &World, lane: &LaneKey, text: &str) {
    let kind = EventKind::IntakeNotice(Notice::Told { why: "rate".into(), message: text.into() });
    let event = Event { id: "n1".into(), received_at: START, actor: String::new(), kind };
    let identity = DeliveryIdentity::new(lane.clone(), "n1");
    let inbound = Inbound { identity, event, addressing: Addressing::default() };
    w.instance.runtime.accept(inbound).await.unwrap();
}

#[tokio::test]
async fn tg10_a_long_message_goes_on_after_a_restart() {
    let mut w = World::new().await;
    let sentence = "It 👩‍🚀 fails at https://example.org/a/path?with=a&query since <Monday>. ";
    let text = sentence.repeat(9_000 / sentence.chars().count());
    tell(&w, &w.lane(ANA, ""), &text).await;
    w.work().await;
    assert_eq!(w.telegram.bot_messages(ANA).len(), 1, "the first part");
    w.clock.advance(1_000);
    w.restart().await;
    w.calm().await;
    let parts = w.telegram.bot_messages(ANA);
    assert_eq!(parts.len(), 3);
    let whole: String = parts.iter().map(|part| part.text.as_str()).collect();
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!(bare(&whole), bare(&text), "nothing lost, nothing twice");
    assert!(
        parts
            .iter()
            .all(|part| part.text.ends_with("<Monday>.") || part.text.trim_end().ends_with("<Monday>."))
    );
    assert!(parts.windows(2).all(|two| two[1].at - two[0].at >= 1_000), "one a second");
    w.well();
}

/// After a lost answer the second part may appear twice, and the third still follows.
#[tokio::test]
async fn a_part_whose_answer_is_lost_is_sent_once_more() {
    let mut w = World::new().await;
    tell(&w, &w.lane(ANA, ""), &"All work and no play. ".repeat(450)).await;
    w.work().await;
    w.telegram.fail_next("sendMessage", None, Fault::AppliedThenLost);
    w.calm().await;
    let texts: Vec<String> = w.telegram.bot_messages(ANA).into_iter().map(|shown| shown.text).collect();
    assert_eq!(texts.len(), 4);
    assert_eq!(texts[1], texts[2]);
    w.well();
}

#[tokio::test]
async fn tg11_of_many_states_the_last_is_shown() {
    for (chat, prefix) in [(TEAM, "@maro_bot "), (ANA, "")] {
        let mut w = World::new().await;
        w.telegram.says(chat, ANA, &format!("{prefix}hm, the login again"));
        w.calm().await;
        let gate = w.telegram.card(chat).expect("a gate");
        let tick = gate.labels().into_iter().find(|label| label.contains("Remember")).unwrap().to_owned();
        let token = gate.button(&tick).unwrap().to_owned();
        w.clock.advance(60_000);
        let before = w.telegram.calls_of("editMessageText").len();
        let began = throughline_store::Clock::now(&*w.clock);
        for _ in 0..5 {
            w.telegram.presses_with_data(chat, ANA, gate.id, &token);
            w.settle().await;
            let next = throughline_store::Clock::now(&*w.clock).plus(400);
            while let Some(due) = w.store.next_due().await.unwrap().filter(|due| *due < next) {
                w.clock.set(due);
                w.settle().await;
            }
            w.clock.set(next);
        }
        let within = |until: i64| {
            let edits = w.telegram.calls_of("editMessageText");
            edits[before..].iter().filter(|call| call.at <= began.0 + until).count()
        };
        assert!(within(2_000) <= 2, "{} edits", within(2_000));
        w.calm().await;
        let shown = w.telegram.card(chat).unwrap();
        assert!(
            shown.labels().iter().any(|label| label.starts_with('☑')),
            "five times is on: {:?}",
            shown.labels()
        );
        w.well();
    }
}

#[tokio::test]
async fn tg12_a_chat_that_is_asked_to_wait_waits_alone() {
    let mut w = World::new().await;
    w.telegram.fail_next("sendMessage", Some(ANA), Fault::TooMany(7));
    w.telegram.says(ANA, ANA, "/help");
    w.telegram.says(BOB, BOB, "/help");
    w.settle().await;
    w.clock.advance(1_500);
    w.telegram.says(ANA, ANA, "/status");
    w.telegram.says(BOB, BOB, "/status");
    w.settle().await;
    assert_eq!(w.telegram.bot_messages(BOB).len(), 2, "the other chat goes on");
    assert_eq!(w.telegram.calls_of("sendMessage").len(), 3, "and nobody tries in vain");
    w.settle_within(20_000).await;
    let late = w.telegram.bot_messages(ANA);
    assert_eq!(late.len(), 2);
    assert!(late[0].at >= START.0 + 7_000, "{}", late[0].at - START.0);
    w.well();
}

/// After the approval the same message is the receipt: without buttons, with the link.
#[tokio::test]
async fn the_card_becomes_the_receipt() {
    let mut w = World::new().await;
    let card = w.card_in(TEAM).await;
    assert!(card.text.contains("asked by @\u{2060}ana"), "{}", card.text);
    w.telegram.presses(TEAM, MIA, card.id, "Approve");
    w.calm().await;
    let receipt = w.telegram.shown(TEAM, card.id).unwrap();
    assert!(receipt.keyboard.is_empty() && receipt.text.contains("DEMO-1"), "{}", receipt.text);
    assert!(receipt.text.contains("Mia"), "{}", receipt.text);
    w.well();
}

/// If the card was deleted, its next state is a new message, which is updated from then on.
#[tokio::test]
async fn a_card_that_was_deleted_is_shown_again() {
    let mut w = World::new().await;
    let card = w.card_in(TEAM).await;
    w.telegram.deletes(TEAM, card.id);
    w.telegram.presses_with_data(TEAM, MIA, card.id, card.button("Approve").unwrap());
    w.calm().await;
    let receipts: Vec<_> =
        w.telegram.bot_messages(TEAM).into_iter().filter(|shown| shown.text.contains("DEMO-1")).collect();
    assert_eq!(receipts.len(), 1, "{receipts:#?}");
    w.well();
}

/// 10,000 characters, right-to-left, emoji only: each has a visible result.
#[tokio::test]
async fn odd_texts_have_a_clear_outcome() {
    let mut w = World::new().await;
    let long = format!("{}\n{}", ticket("a CSV export"), "All work and no play. ".repeat(460));
    for (n, text) in [
        long.as_str(),
        "צור כרטיס עבור הכניסה",
        "🎉🎉🎉",
        "\u{200b}",
        ticket("<b>x</b> & @everyone").as_str(),
    ]
    .into_iter()
    .enumerate()
    {
        // A word or a reaction.
        let answers =
            |w: &World| w.telegram.bot_messages(ANA).len() + w.telegram.calls_of("setMessageReaction").len();
        let before = answers(&w);
        w.telegram.says(ANA, ANA, text);
        w.calm().await;
        assert!(answers(&w) > before, "{n}");
    }
    let all: Vec<_> = w.telegram.bot_messages(ANA);
    assert!(all.iter().all(|shown| shown.text.encode_utf16().count() <= 4_096));
    let whole: String = all.iter().map(|shown| shown.text.split_whitespace().collect::<String>()).collect();
    let kept = "All work and no play. ".repeat(400).split_whitespace().collect::<String>();
    assert!(whole.contains(&kept[..kept.len().min(3_000)]));
    w.well();
}

/// A person who blocked the bot gets no messages; after they unblock it, new ones reach them.
#[tokio::test]
async fn a_blocked_bot_is_silent_until_it_is_let_in_again() {
    let mut w = World::new().await;
    w.telegram.says(ANA, ANA, "/help");
    w.calm().await;
    w.telegram.blocks(ANA, true);
    w.settle().await;
    tell(&w, &w.lane(ANA, ""), "nobody hears this").await;
    w.calm().await;
    assert_eq!(w.telegram.calls_of("sendMessage").len(), 1, "nothing was tried");
    w.telegram.blocks(ANA, false);
    w.telegram.says(ANA, ANA, "/status");
    w.calm().await;
    assert_eq!(w.telegram.bot_messages(ANA).len(), 2);
    w.well();
}
