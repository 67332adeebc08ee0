//! [`TurnCommit::direct`](crate::TurnCommit::direct): an event and the turn that handles it become durable together, or
//! neither does.

use super::Subject;
use super::fixture::{
    LaneWriter, accept, assert_refused, delivery, done, identity, lane, lane_of, put, two_keys,
};
use crate::{
    Accepted, CommitResult, Delivery, DeliveryIdentity, Direct, RowState, StoredResponse, TurnCommit,
};

fn turn_with(writer: &LaneWriter<'_>, identity: DeliveryIdentity) -> TurnCommit {
    TurnCommit { direct: Some(Direct { identity, state: RowState::Done }), ..writer.turn() }
}

fn delivered(writer: &LaneWriter<'_>, key: &str) -> TurnCommit {
    turn_with(writer, identity(&writer.lane, key))
}

/// Once its turn is committed, the delivery is found by each of its keys, with the turn and its request's answer.
pub async fn a_delivery_comes_with_its_turn(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let identity = DeliveryIdentity { body_hash: Some("ab12".into()), ..two_keys("http:1", "slack:msg:1") };
    let turn = turn_with(&writer, identity.clone());
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
        assert_eq!(row.event, None);
    }
    let again = Delivery { identity, ..delivery(&lane("C1"), "http:1") };
    let Accepted::Duplicate(row) = s.store.accept(again).await.unwrap() else { panic!("not a duplicate") };
    assert_eq!(row.turn, Some(id));
    assert_eq!(s.store.delivery("globex", "http:1").await.unwrap(), None);
}

/// A key that is taken, even by a row of another lane, keeps the turn from being written. The other keys stay free.
pub async fn a_known_delivery_is_refused(s: &Subject) {
    s.store.accept(delivery(&lane("C2"), "taken")).await.unwrap();
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let turn = TurnCommit {
        records: vec![put("message", "m_1", "hello")],
        ..turn_with(&writer, two_keys("free", "taken"))
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
    let seq = accept(&*s.store, &lane("C1"), "first").await;
    s.store.accept(delivery(&lane("C2"), "elsewhere")).await.unwrap();
    assert_eq!(writer.try_commit(delivered(&writer, "second")).await.unwrap(), CommitResult::NotDirect);
    assert_eq!(s.store.delivery("acme", "second").await.unwrap(), None);
    writer.commit(TurnCommit { inbox: vec![done(seq)], ..writer.turn() }).await;
    writer.commit(delivered(&writer, "second")).await;
}

/// A turn that is not written leaves no event behind.
pub async fn a_lost_turn_stores_no_event(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit(writer.turn()).await;
    let moved = TurnCommit { expected_revision: 0, ..delivered(&writer, "k") };
    assert_eq!(writer.try_commit(moved).await.unwrap(), CommitResult::RevisionMoved);
    let fenced = TurnCommit { epoch: writer.epoch + 1, ..delivered(&writer, "k") };
    assert_eq!(writer.try_commit(fenced).await.unwrap(), CommitResult::Fenced);
    assert_eq!(s.store.delivery("acme", "k").await.unwrap(), None);
}

/// An event of another lane or tenant is refused.
pub async fn an_event_of_another_lane_is_refused(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    for elsewhere in [lane("C2"), lane_of("globex", "C1")] {
        assert_refused(writer.try_commit(turn_with(&writer, identity(&elsewhere, "k"))).await);
    }
    writer.commit(delivered(&writer, "k")).await;
}
