//! A turn may bring its own event: then both become durable at once, or neither.

use super::Subject;
use super::fixture::{Hand, assert_refused, delivery, done, lane, lane_of, put, reply, settled};
use crate::{
    Accepted, Brought, CommitResult, Delivery, Direct, EffectState, OutboxRow, Performer, RowState,
    Settlement, StoredResponse, TurnCommit,
};

fn bringing(hand: &Hand<'_>, brought: Brought) -> TurnCommit {
    TurnCommit { direct: Some(Direct { brought, state: RowState::Done }), ..hand.turn() }
}

fn delivered(hand: &Hand<'_>, key: &str) -> TurnCommit {
    bringing(hand, Brought::Delivery(delivery(&hand.lane, key)))
}

/// An effect that the host was offered, and the settlement it will report.
async fn offered(hand: &mut Hand<'_>) -> Settlement {
    hand.plan(vec![OutboxRow { performer: Performer::Host, ..reply("fx_1") }]).await;
    Settlement { event: Some(delivery(&hand.lane, "fx:fx_1:1")), ..settled("fx_1", None) }
}

/// A delivery is known by every key once its turn is in, with the turn and what belongs to its request.
pub async fn a_turn_brings_its_delivery(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let keys = vec!["http:1".into(), "slack:msg:1".into()];
    let brought = Delivery { keys, body_hash: Some("ab12".into()), ..delivery(&lane("C1"), "") };
    let turn = bringing(&hand, Brought::Delivery(brought.clone()));
    let id = turn.log.turn.clone();
    hand.commit(turn).await;
    assert_eq!(s.store.waiting(&lane("C1"), 10).await.unwrap(), []);
    let answer = StoredResponse { status: 200, body: "{}".into() };
    s.store.respond("acme", "slack:msg:1", answer.clone()).await.unwrap();
    for key in ["http:1", "slack:msg:1"] {
        let row = s.store.delivery("acme", key).await.unwrap().unwrap();
        assert_eq!((row.key.as_str(), row.state, &row.lane), ("http:1", RowState::Done, &lane("C1")));
        assert_eq!((row.turn.as_ref(), row.received_at), (Some(&id), s.store.now()));
        assert_eq!((row.body_hash.as_deref(), row.response.as_ref()), (Some("ab12"), Some(&answer)));
        assert_eq!((row.event.as_str(), row.kind.as_str()), ("", ""));
    }
    let Accepted::Duplicate(row) = s.store.accept(brought).await.unwrap() else { panic!("not a duplicate") };
    assert_eq!(row.turn, Some(id));
    assert_eq!(s.store.delivery("globex", "http:1").await.unwrap(), None);
}

/// A key that is taken, also by a row that waits elsewhere: nothing is written, and the other keys stay free.
pub async fn what_is_known_is_not_brought_again(s: &Subject) {
    s.store.accept(delivery(&lane("C2"), "taken")).await.unwrap();
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let keys = vec!["free".into(), "taken".into()];
    let brought = Delivery { keys, ..delivery(&lane("C1"), "") };
    let turn = TurnCommit {
        records: vec![put("message", "m_1", "hello")],
        ..bringing(&hand, Brought::Delivery(brought))
    };
    assert_eq!(hand.try_commit(turn).await.unwrap(), CommitResult::NotDirect);
    assert_eq!(s.store.delivery("acme", "free").await.unwrap(), None);
    assert_eq!(s.store.record(&lane("C1"), "message", "m_1").await.unwrap(), None);
    assert_eq!(s.store.load(&lane("C1")).await.unwrap(), None);
    hand.commit(delivered(&hand, "free")).await;
    assert_eq!(hand.try_commit(delivered(&hand, "free")).await.unwrap(), CommitResult::NotDirect);
}

/// Order: what waits in the lane goes first.
pub async fn what_waits_goes_before_what_is_brought(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let Accepted::New(seq) = s.store.accept(delivery(&lane("C1"), "first")).await.unwrap() else { panic!() };
    s.store.accept(delivery(&lane("C2"), "elsewhere")).await.unwrap();
    assert_eq!(hand.try_commit(delivered(&hand, "second")).await.unwrap(), CommitResult::NotDirect);
    assert_eq!(s.store.delivery("acme", "second").await.unwrap(), None);
    hand.commit(TurnCommit { inbox: vec![done(seq)], ..hand.turn() }).await;
    hand.commit(delivered(&hand, "second")).await;
}

/// The end of an effect and the turn that takes it in are one write; a second report ends nothing.
pub async fn a_turn_brings_a_settlement(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let settlement = offered(&mut hand).await;
    let turn = bringing(&hand, Brought::Settlement(settlement.clone()));
    let id = turn.log.turn.clone();
    hand.commit(turn).await;
    let effect = s.store.effect("acme", &"fx_1".into()).await.unwrap().unwrap();
    assert_eq!((effect.state, effect.outcome.as_deref()), (EffectState::Done, Some("outcome of fx_1")));
    assert_eq!(s.store.delivery("acme", "fx:fx_1:1").await.unwrap().unwrap().turn, Some(id));
    assert_eq!(s.store.waiting(&lane("C1"), 10).await.unwrap(), []);
    let again = bringing(&hand, Brought::Settlement(settlement.clone()));
    assert_eq!(hand.try_commit(again).await.unwrap(), CommitResult::NotDirect);
    assert!(!s.store.settle(settlement).await.unwrap());
}

/// An event that is known already: the effect is not ended with it.
pub async fn a_settlement_with_a_known_event_is_not_brought(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let settlement = offered(&mut hand).await;
    s.store.accept(delivery(&lane("C2"), "fx:fx_1:1")).await.unwrap();
    let turn = bringing(&hand, Brought::Settlement(settlement));
    assert_eq!(hand.try_commit(turn).await.unwrap(), CommitResult::NotDirect);
    assert_eq!(hand.state("fx_1").await, EffectState::Attempted);
    assert_eq!(s.store.load(&lane("C1")).await.unwrap().unwrap().revision, 1);
}

/// A turn that is not written brings nothing.
pub async fn a_turn_that_lost_its_race_brings_nothing(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let settlement = offered(&mut hand).await;
    for brought in [Brought::Delivery(delivery(&lane("C1"), "k")), Brought::Settlement(settlement)] {
        let moved = TurnCommit { expected_revision: 0, ..bringing(&hand, brought.clone()) };
        assert_eq!(hand.try_commit(moved).await.unwrap(), CommitResult::RevisionMoved);
        let fenced = TurnCommit { epoch: hand.epoch + 1, ..bringing(&hand, brought) };
        assert_eq!(hand.try_commit(fenced).await.unwrap(), CommitResult::Fenced);
    }
    assert_eq!(s.store.delivery("acme", "k").await.unwrap(), None);
    assert_eq!(hand.state("fx_1").await, EffectState::Attempted);
}

/// Bugs of a caller.
pub async fn only_the_lanes_own_event_is_brought(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let settlement = offered(&mut hand).await;
    let without = Settlement { event: None, ..settlement };
    for brought in [
        Brought::Delivery(delivery(&lane("C2"), "k")),
        Brought::Delivery(delivery(&lane_of("globex", "C1"), "k")),
        Brought::Delivery(Delivery { keys: Vec::new(), ..delivery(&lane("C1"), "") }),
        Brought::Settlement(without),
    ] {
        assert_refused(hand.try_commit(bringing(&hand, brought)).await);
    }
    assert_eq!(hand.state("fx_1").await, EffectState::Attempted);
    hand.commit(delivered(&hand, "k")).await;
}
