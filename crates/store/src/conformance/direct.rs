//! [`TurnCommit::direct`](crate::TurnCommit::direct): an event and the turn that handles it become durable together, or
//! neither does.

use super::Subject;
use super::fixture::{LaneWriter, assert_refused, delivery, done, lane, lane_of, put, reply, settled};
use crate::{
    Accepted, CommitResult, Delivery, Direct, DirectEvent, EffectState, OutboxRow, Performer, RowState,
    Settlement, StoredResponse, TurnCommit,
};

fn turn_with(writer: &LaneWriter<'_>, event: DirectEvent) -> TurnCommit {
    TurnCommit { direct: Some(Direct { event, state: RowState::Done }), ..writer.turn() }
}

fn delivered(writer: &LaneWriter<'_>, key: &str) -> TurnCommit {
    turn_with(writer, DirectEvent::Delivery(delivery(&writer.lane, key)))
}

/// Offers an effect to the host and returns the settlement that it will report.
async fn offered(writer: &mut LaneWriter<'_>) -> Settlement {
    writer.commit_effects(vec![OutboxRow { performer: Performer::Host, ..reply("fx_1") }]).await;
    Settlement { event: Some(delivery(&writer.lane, "fx:fx_1:1")), ..settled("fx_1", None) }
}

/// Once its turn is committed, the delivery is found by each of its keys, with the turn and its request's answer.
pub async fn a_delivery_comes_with_its_turn(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let keys = vec!["http:1".into(), "slack:msg:1".into()];
    let delivery = Delivery { keys, body_hash: Some("ab12".into()), ..delivery(&lane("C1"), "") };
    let turn = turn_with(&writer, DirectEvent::Delivery(delivery.clone()));
    let id = turn.log.turn.clone();
    writer.commit(turn).await;
    assert_eq!(s.store.waiting(&lane("C1"), 10).await.unwrap(), []);
    let answer = StoredResponse { status: 200, body: "{}".into() };
    s.store.store_response("acme", "slack:msg:1", answer.clone()).await.unwrap();
    for key in ["http:1", "slack:msg:1"] {
        let row = s.store.delivery("acme", key).await.unwrap().unwrap();
        assert_eq!((row.key.as_str(), row.state, &row.lane), ("http:1", RowState::Done, &lane("C1")));
        assert_eq!((row.turn.as_ref(), row.received_at), (Some(&id), s.store.now()));
        assert_eq!((row.body_hash.as_deref(), row.response.as_ref()), (Some("ab12"), Some(&answer)));
        assert_eq!((row.event.as_str(), row.kind.as_str()), ("", ""));
    }
    let Accepted::Duplicate(row) = s.store.accept(delivery).await.unwrap() else { panic!("not a duplicate") };
    assert_eq!(row.turn, Some(id));
    assert_eq!(s.store.delivery("globex", "http:1").await.unwrap(), None);
}

/// A key that is taken, even by a row of another lane, keeps the turn from being written. The other keys stay free.
pub async fn a_known_delivery_is_refused(s: &Subject) {
    s.store.accept(delivery(&lane("C2"), "taken")).await.unwrap();
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let keys = vec!["free".into(), "taken".into()];
    let delivery = Delivery { keys, ..delivery(&lane("C1"), "") };
    let turn = TurnCommit {
        records: vec![put("message", "m_1", "hello")],
        ..turn_with(&writer, DirectEvent::Delivery(delivery))
    };
    assert_eq!(writer.try_commit(turn).await.unwrap(), CommitResult::NotDirect);
    assert_eq!(s.store.delivery("acme", "free").await.unwrap(), None);
    assert_eq!(s.store.record(&lane("C1"), "message", "m_1").await.unwrap(), None);
    assert_eq!(s.store.load(&lane("C1")).await.unwrap(), None);
    writer.commit(delivered(&writer, "free")).await;
    assert_eq!(writer.try_commit(delivered(&writer, "free")).await.unwrap(), CommitResult::NotDirect);
}

/// A turn with its own event is not written while rows wait in the lane.
pub async fn waiting_rows_go_first(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let Accepted::New(seq) = s.store.accept(delivery(&lane("C1"), "first")).await.unwrap() else { panic!() };
    s.store.accept(delivery(&lane("C2"), "elsewhere")).await.unwrap();
    assert_eq!(writer.try_commit(delivered(&writer, "second")).await.unwrap(), CommitResult::NotDirect);
    assert_eq!(s.store.delivery("acme", "second").await.unwrap(), None);
    writer.commit(TurnCommit { inbox: vec![done(seq)], ..writer.turn() }).await;
    writer.commit(delivered(&writer, "second")).await;
}

/// The end of an effect and the turn that handles it are one write; a second report ends nothing.
pub async fn a_settlement_comes_with_its_turn(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let settlement = offered(&mut writer).await;
    let turn = turn_with(&writer, DirectEvent::Settlement(settlement.clone()));
    let id = turn.log.turn.clone();
    writer.commit(turn).await;
    let effect = s.store.effect("acme", &"fx_1".into()).await.unwrap().unwrap();
    assert_eq!((effect.state, effect.outcome.as_deref()), (EffectState::Done, Some("outcome of fx_1")));
    assert_eq!(s.store.delivery("acme", "fx:fx_1:1").await.unwrap().unwrap().turn, Some(id));
    assert_eq!(s.store.waiting(&lane("C1"), 10).await.unwrap(), []);
    let again = turn_with(&writer, DirectEvent::Settlement(settlement.clone()));
    assert_eq!(writer.try_commit(again).await.unwrap(), CommitResult::NotDirect);
    assert!(!s.store.settle(settlement).await.unwrap());
}

/// A settlement whose event is known already does not end its effect.
pub async fn a_settlement_with_a_known_event_is_refused(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let settlement = offered(&mut writer).await;
    s.store.accept(delivery(&lane("C2"), "fx:fx_1:1")).await.unwrap();
    let turn = turn_with(&writer, DirectEvent::Settlement(settlement));
    assert_eq!(writer.try_commit(turn).await.unwrap(), CommitResult::NotDirect);
    assert_eq!(writer.effect_state("fx_1").await, EffectState::Attempted);
    assert_eq!(s.store.load(&lane("C1")).await.unwrap().unwrap().revision, 1);
}

/// A turn that is not written leaves neither its event nor its settlement behind.
pub async fn a_lost_turn_stores_no_event(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let settlement = offered(&mut writer).await;
    for event in [DirectEvent::Delivery(delivery(&lane("C1"), "k")), DirectEvent::Settlement(settlement)] {
        let moved = TurnCommit { expected_revision: 0, ..turn_with(&writer, event.clone()) };
        assert_eq!(writer.try_commit(moved).await.unwrap(), CommitResult::RevisionMoved);
        let fenced = TurnCommit { epoch: writer.epoch + 1, ..turn_with(&writer, event) };
        assert_eq!(writer.try_commit(fenced).await.unwrap(), CommitResult::Fenced);
    }
    assert_eq!(s.store.delivery("acme", "k").await.unwrap(), None);
    assert_eq!(writer.effect_state("fx_1").await, EffectState::Attempted);
}

/// An event of another lane or tenant, one without a key and a settlement without an event are refused.
pub async fn an_event_of_another_lane_is_refused(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let settlement = offered(&mut writer).await;
    let without = Settlement { event: None, ..settlement };
    for event in [
        DirectEvent::Delivery(delivery(&lane("C2"), "k")),
        DirectEvent::Delivery(delivery(&lane_of("globex", "C1"), "k")),
        DirectEvent::Delivery(Delivery { keys: Vec::new(), ..delivery(&lane("C1"), "") }),
        DirectEvent::Settlement(without),
    ] {
        assert_refused(writer.try_commit(turn_with(&writer, event)).await);
    }
    assert_eq!(writer.effect_state("fx_1").await, EffectState::Attempted);
    writer.commit(delivered(&writer, "k")).await;
}
