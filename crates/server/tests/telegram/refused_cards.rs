//! Cards that Telegram does not take: what waits is told in words, or ends.

use throughline_fakes::telegram::Fault;
use throughline_store::{ApprovalState, EffectState};

use crate::world::{ANA, TEAM, World, ticket};

fn refusal() -> Fault {
    Fault::Refuse(400, "Bad Request: BUTTON_DATA_INVALID".into())
}

/// Returns the state of the only approval.
async fn approval(w: &World) -> ApprovalState {
    let rows = w.store.approvals("acme", false, 10).await.unwrap();
    assert_eq!(rows.len(), 1, "{rows:#?}");
    rows[0].state.clone()
}

/// Returns the reasons of the turns on outcomes of effects.
async fn reasons(w: &World, chat: i64) -> Vec<String> {
    let turns = w.turns(&w.lane(chat, "")).await;
    turns.iter().map(|turn| turn.row.decision.reason.code().to_owned()).collect()
}

async fn nothing_is_on_the_way(w: &World) {
    for state in [EffectState::Planned, EffectState::Attempted] {
        let open = w.store.effects("acme", None, Some(state), 100).await.unwrap();
        assert!(open.is_empty(), "{open:#?}");
    }
}

/// The request waits for a decision elsewhere.
#[tokio::test]
async fn a_refused_card_is_told_in_words() {
    let mut w = World::new().await;
    w.telegram.fail_next_card(ANA, refusal());
    w.telegram.fail_next_card(ANA, refusal());
    w.telegram.says(ANA, ANA, &ticket("a CSV export"));
    w.calm().await;
    let shown = w.telegram.bot_messages(ANA);
    assert_eq!(shown.len(), 1, "{shown:#?}");
    assert!(shown[0].text.contains("Create 1 task in DEMO?"), "{}", shown[0].text);
    assert!(shown[0].text.contains("It still waits"), "{}", shown[0].text);
    let reasons = reasons(&w, ANA).await;
    assert_eq!(reasons.iter().filter(|reason| *reason == "card.unshown").count(), 1, "{reasons:?}");
    assert!(matches!(approval(&w).await, ApprovalState::Pending), "it can be decided elsewhere");
    nothing_is_on_the_way(&w).await;
}

/// Nobody can decide what was shown in no way, so it ends with a reason, and its end is shown once the chat takes it.
#[tokio::test]
async fn what_can_be_shown_in_no_way_expires() {
    let mut w = World::new().await;
    let closed =
        Fault::Refuse(400, "Bad Request: not enough rights to send text messages to the chat".into());
    for _ in 0..2 {
        w.telegram.fail_next("sendMessage", Some(TEAM), closed.clone());
    }
    w.telegram.says(TEAM, ANA, &ticket("a CSV export"));
    w.calm().await;
    let reasons = reasons(&w, TEAM).await;
    assert_eq!(reasons.iter().filter(|reason| *reason == "card.unreachable").count(), 1, "{reasons:?}");
    assert!(matches!(approval(&w).await, ApprovalState::Expired));
    nothing_is_on_the_way(&w).await;
    let shown = w.telegram.bot_messages(TEAM);
    assert!(shown.iter().any(|shown| shown.text.contains("Expired without a decision")), "{shown:#?}");
}
