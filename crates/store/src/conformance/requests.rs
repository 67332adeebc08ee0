//! [`Requests`](crate::Requests): a repeated request gets the first answer.

use super::Subject;
use super::fixture::{LaneWriter, assert_refused, delivery, done, identity, lane};
use crate::{Accepted, Delivery, DeliveryIdentity, StoredResponse, TurnCommit};

/// An answer is forgotten once its delivery is; one of a request that delivered nothing stays, and a delivery that comes under
/// a forgotten key has none.
pub async fn answers_are_forgotten_with_their_deliveries(s: &Subject) {
    let here = lane("C1");
    let answer = StoredResponse { status: 200, body: "answer".into() };
    for key in ["old", "waits"] {
        s.store.accept(delivery(&here, key)).await.unwrap();
        s.store.store_response("acme", key, answer.clone()).await.unwrap();
    }
    let hash = "0a".repeat(32);
    assert_eq!(s.store.begin_request("acme", "begun", &hash).await.unwrap(), None);
    s.store.store_response("acme", "begun", answer.clone()).await.unwrap();
    let mut writer = LaneWriter::claim(&*s.store, &here).await;
    let old = s.store.waiting(&here, 1).await.unwrap().remove(0);
    writer.commit(TurnCommit { inbox: vec![done(old.seq)], ..writer.turn() }).await;
    s.clock.advance(1_000);
    s.store.forget_ended("acme", s.store.now(), None, 100).await.unwrap();
    let mut after = None;
    loop {
        let page = s.store.forget_answers("acme", after.as_deref(), 1).await.unwrap();
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    s.store.accept(delivery(&here, "old")).await.unwrap();
    assert_eq!(s.store.delivery("acme", "old").await.unwrap().unwrap().response, None);
    assert_eq!(s.store.delivery("acme", "waits").await.unwrap().unwrap().response, Some(answer.clone()));
    assert_eq!(s.store.begin_request("acme", "begun", &hash).await.unwrap(), Some((hash, Some(answer))));
}

/// A repeated delivery returns the answer of the first, and the hash of its body.
pub async fn answers_are_kept(s: &Subject) {
    let lane = lane("C1");
    let request = || {
        let identity = DeliveryIdentity { body_hash: Some("ab12".into()), ..identity(&lane, "http:1") };
        Delivery { identity, ..delivery(&lane, "http:1") }
    };
    s.store.accept(request()).await.unwrap();
    let row = s.store.delivery("acme", "http:1").await.unwrap().unwrap();
    assert_eq!((row.body_hash.as_deref(), row.response), (Some("ab12"), None));
    let answer = StoredResponse { status: 202, body: r#"{"turn":"tn_1"}"#.into() };
    s.store.store_response("acme", "http:1", answer.clone()).await.unwrap();
    let Accepted::Duplicate(row) = s.store.accept(request()).await.unwrap() else {
        panic!("not a duplicate")
    };
    assert_eq!((row.body_hash.as_deref(), row.response), (Some("ab12"), Some(answer.clone())));
    assert_refused(s.store.store_response("acme", "never seen", answer).await);
}

/// A key without a delivery is claimed once; a repeated claim returns the first hash and the answer, if there is one.
pub async fn a_request_key_begins_once(s: &Subject) {
    assert_eq!(s.store.begin_request("acme", "http:pause", "ab12").await.unwrap(), None);
    let running = s.store.begin_request("acme", "http:pause", "cd34").await.unwrap();
    assert_eq!(running, Some(("ab12".into(), None)));
    let answer = StoredResponse { status: 200, body: "{}".into() };
    s.store.store_response("acme", "http:pause", answer.clone()).await.unwrap();
    let finished = s.store.begin_request("acme", "http:pause", "ab12").await.unwrap();
    assert_eq!(finished, Some(("ab12".into(), Some(answer))));
    assert_eq!(s.store.begin_request("globex", "http:pause", "ab12").await.unwrap(), None);
}
