//! Temporary signals: typing while a model works, and a reaction where no answer is needed.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use throughline_engine::data::ask::{Answer, Ask};
use throughline_engine::data::effect::Attempt;
use throughline_fakes::telegram::{FakeTelegram, Fault};
use throughline_models::Model;
use throughline_store::Clock as _;

use crate::world::{ANA, START, TEAM, World};

const UNCLEAR: &str = "the login page shows an empty box since Tuesday";

/// Polls until it is true, over a real socket.
async fn until(what: &str, so: impl Fn() -> bool) {
    for _ in 0..1_200 {
        if so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("it never came to that: {what}");
}

/// Model that answers after that many typing signals, or attempts of them.
struct Patient {
    telegram: FakeTelegram,
    typing: usize,
}

#[async_trait]
impl Model for Patient {
    async fn ask(&self, _: &Ask, _: &throughline_models::Caller<'_>) -> Attempt<Answer> {
        until("typing", || self.telegram.calls_of("sendChatAction").len() >= self.typing).await;
        Attempt::Applied(Answer::Classify { label: "discussion".into(), confidence: 95, anchor: None })
    }

    fn name(&self) -> &str {
        "patient"
    }
}

async fn thinking(typing: usize) -> World {
    let mut w = World::new().await;
    let telegram = w.telegram.clone();
    w.asks(Arc::new(Patient { telegram, typing }));
    w
}

/// The signal is repeated every four seconds in the topic of the question, while the model works.
#[tokio::test]
async fn it_types_while_a_model_works() {
    let mut w = thinking(2).await;
    w.telegram.group(-200, &[3]);
    w.telegram.says_in(-200, 3, ANA, &format!("@maro_bot {UNCLEAR}"));
    w.calm().await;
    let typing = w.telegram.typing();
    assert_eq!(typing.len(), 2);
    assert!(typing.iter().all(|typing| (typing.chat, typing.topic) == (-200, Some(3))), "{typing:?}");
    assert_eq!(w.telegram.bot_messages(-200).len(), 1, "and then it answers");
    w.telegram.says_in(-200, 3, ANA, "/help");
    w.calm().await;
    assert_eq!(w.telegram.typing().len(), 2, "what needs no model shows nothing");
    w.well();
}

/// A refused signal does not delay the answer.
#[tokio::test]
async fn typing_that_is_refused_delays_nothing() {
    let mut w = thinking(1).await;
    w.telegram.fail_next("sendChatAction", None, Fault::TooMany(7));
    w.telegram.says(ANA, ANA, UNCLEAR);
    w.settle().await;
    assert_eq!((w.telegram.typing().len(), w.telegram.bot_messages(ANA).len()), (0, 1));
    assert_eq!(w.clock.now(), START);
    w.well();
}

/// A closing word gets a reaction and no message.
#[tokio::test]
async fn a_closing_word_gets_a_reaction() {
    let mut w = World::new().await;
    let thanks = w.telegram.says(ANA, ANA, "thanks");
    w.calm().await;
    let telegram = w.telegram.clone();
    let reacted = |chat, id: i64| telegram.shown(chat, id).and_then(|shown| shown.reaction);
    until("a reaction", || reacted(ANA, thanks).is_some()).await;
    assert_eq!((reacted(ANA, thanks).as_deref(), telegram.bot_messages(ANA).len()), (Some("👍"), 0));
    w.well();
}

/// A group may allow few reactions: a refused one is not tried there again, and if none is left there is none.
#[tokio::test]
async fn a_refused_reaction_is_remembered_for_its_chat() {
    let mut w = World::new().await;
    w.telegram.allows_reactions(TEAM, &["👌", "🔥"]);
    for tries in [2, 3] {
        let thanks = w.telegram.says(TEAM, ANA, "@maro_bot thanks");
        w.calm().await;
        let telegram = w.telegram.clone();
        until("a reaction", || telegram.shown(TEAM, thanks).is_some_and(|m| m.reaction.is_some())).await;
        assert_eq!(w.telegram.shown(TEAM, thanks).unwrap().reaction.as_deref(), Some("👌"));
        assert_eq!(w.telegram.calls_of("setMessageReaction").len(), tries);
    }
    w.well();
}
