//! [`Inbox`](crate::Inbox): deliveries are durable once and in order, and none is lost silently.

use super::Subject;
use super::fixture::{
    LaneWriter, accept, assert_refused, delivery, done, identity, lane, lane_of, limited, two_keys,
};
use crate::{Accepted, Delivery, DeliveryIdentity, Direct, RowState, StoredResponse, TurnCommit, WaitingRow};

/// The first delivery under a key is new; the next changes nothing and returns the row.
pub async fn a_key_is_new_once(s: &Subject) {
    let lane = lane("C1");
    let seq = accept(&*s.store, &lane, "k").await;
    let again = Delivery { event: "other".into(), ..delivery(&lane, "k") };
    let Accepted::Duplicate(row) = s.store.accept(again).await.unwrap() else { panic!("not a duplicate") };
    assert_eq!((row.event.as_deref(), row.state), (Some("event of k"), RowState::Received));
    assert_eq!((row.received_at, &row.lane, row.key.as_str()), (s.store.now(), &lane, "k"));
    let waits = WaitingRow {
        seq,
        lane: lane.clone(),
        key: "k".into(),
        kind: "message.posted".into(),
        event: "event of k".into(),
        received_at: s.store.now(),
        failures: 0,
    };
    assert_eq!(s.store.waiting(&lane, 10).await.unwrap(), [waits]);
    assert_eq!(s.store.delivery("acme", "k").await.unwrap(), Some(*row));
    assert_eq!(s.store.delivery("acme", "unknown").await.unwrap(), None);
}

/// One key in two tenants is two rows.
pub async fn keys_belong_to_a_tenant(s: &Subject) {
    let (ours, theirs) = (lane("C1"), lane_of("globex", "C1"));
    assert!(matches!(s.store.accept(delivery(&ours, "k")).await.unwrap(), Accepted::New));
    assert!(matches!(s.store.accept(delivery(&theirs, "k")).await.unwrap(), Accepted::New));
    assert_eq!(s.store.waiting(&ours, 10).await.unwrap().len(), 1);
    assert_eq!(s.store.delivery("globex", "k").await.unwrap().unwrap().lane, theirs);
    let seq = s.store.waiting(&theirs, 1).await.unwrap()[0].seq;
    assert_refused(s.store.count_failure(&ours, seq).await);
}

/// Two events about one post share the key of the message: the second is a duplicate, whichever comes first.
pub async fn either_key_makes_a_duplicate(s: &Subject) {
    let lane = lane("C1");
    let two = |event: &str| Delivery { identity: two_keys(event, "slack:msg:1"), ..delivery(&lane, event) };
    assert!(matches!(s.store.accept(two("evt:1")).await.unwrap(), Accepted::New));
    let Accepted::Duplicate(row) = s.store.accept(two("evt:2")).await.unwrap() else {
        panic!("not a duplicate")
    };
    assert_eq!(row.key, "evt:1");
    assert_eq!(s.store.delivery("acme", "slack:msg:1").await.unwrap().unwrap().key, "evt:1");
    assert_eq!(s.store.waiting(&lane, 10).await.unwrap().len(), 1);
}

/// Whichever key makes a duplicate, it is answered with the hash of the first delivery's body.
pub async fn a_duplicate_has_the_first_hash(s: &Subject) {
    let lane = lane("C1");
    let hashed = |key: &str, hash: &str| Delivery {
        identity: DeliveryIdentity { body_hash: Some(hash.into()), ..two_keys(key, "event:1") },
        ..delivery(&lane, key)
    };
    assert_eq!(s.store.accept(hashed("http:1", "first")).await.unwrap(), Accepted::New);
    for key in ["http:1", "http:2"] {
        let Accepted::Duplicate(row) = s.store.accept(hashed(key, "second")).await.unwrap() else {
            panic!("not a duplicate: {key}")
        };
        assert_eq!((row.key.as_str(), row.body_hash.as_deref()), ("http:1", Some("first")), "{key}");
    }
}

/// A duplicate takes none of its other keys.
pub async fn a_duplicate_takes_no_key(s: &Subject) {
    let lane = lane("C1");
    s.store.accept(delivery(&lane, "taken")).await.unwrap();
    let both = Delivery { identity: two_keys("free", "taken"), ..delivery(&lane, "free") };
    assert!(matches!(s.store.accept(both).await.unwrap(), Accepted::Duplicate(_)));
    assert!(matches!(s.store.accept(delivery(&lane, "free")).await.unwrap(), Accepted::New));
}

/// Rows wait in the order of their acceptance.
pub async fn rows_wait_in_order(s: &Subject) {
    let (one, other) = (lane("C1"), lane("C2"));
    for key in ["a", "b", "c"] {
        s.store.accept(delivery(&one, key)).await.unwrap();
        s.store.accept(delivery(&other, &format!("other {key}"))).await.unwrap();
    }
    let rows = s.store.waiting(&one, 2).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.key.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert!(rows[0].seq < rows[1].seq);
}

/// Beyond the limit a row is refused and the notice waits in its place.
pub async fn a_full_queue_stores_a_notice(s: &Subject) {
    let lane = lane("C1");
    for key in ["a", "b"] {
        assert!(matches!(s.store.accept(limited(&lane, key, 2)).await.unwrap(), Accepted::New));
    }
    assert_eq!(s.store.accept(limited(&lane, "c", 2)).await.unwrap(), Accepted::Full);
    let refused = s.store.delivery("acme", "c").await.unwrap().unwrap();
    assert_eq!((refused.event.as_deref(), refused.state), (Some("event of c"), RowState::Refused));
    let waiting = s.store.waiting(&lane, 10).await.unwrap();
    let notice = waiting.last().unwrap();
    assert_eq!((notice.key.as_str(), notice.kind.as_str()), ("notice:queue_full:c", "intake.notice"));
    assert_eq!((waiting.len(), notice.event.as_str()), (3, "notice of c"));
    assert_eq!(s.store.accept(limited(&lane, "c", 2)).await.unwrap(), Accepted::Full, "it is still full");
    assert_eq!(s.store.waiting(&lane, 10).await.unwrap().len(), 3, "with one notice");

    let mut writer = LaneWriter::claim(&*s.store, &lane).await;
    let inbox = waiting.iter().map(|row| done(row.seq)).collect();
    writer.commit(TurnCommit { inbox, ..writer.turn() }).await;
    assert!(matches!(s.store.accept(limited(&lane, "d", 2)).await.unwrap(), Accepted::New));
}

/// A refused delivery is taken when it comes again and there is room: once, under the same keys, and with no other body.
pub async fn what_was_refused_may_come_again(s: &Subject) {
    let here = lane("C1");
    let refused = |hash: &str| {
        let identity = DeliveryIdentity {
            more_keys: vec!["event:1".into()],
            body_hash: Some(hash.into()),
            ..DeliveryIdentity::new(here.clone(), "http:1")
        };
        Delivery { identity, ..limited(&here, "http:1", 1) }
    };
    let hash = "0a".repeat(32);
    s.store.accept(delivery(&here, "first")).await.unwrap();
    assert_eq!(s.store.accept(refused(&hash)).await.unwrap(), Accepted::Full);
    let answer = StoredResponse { status: 429, body: "full".into() };
    s.store.store_response("acme", "http:1", answer).await.unwrap();
    let waiting = s.store.waiting(&here, 10).await.unwrap();
    let mut writer = LaneWriter::claim(&*s.store, &here).await;
    let inbox = waiting.iter().map(|row| done(row.seq)).collect();
    writer.commit(TurnCommit { inbox, ..writer.turn() }).await;

    let other = s.store.accept(refused(&"0b".repeat(32))).await.unwrap();
    assert!(matches!(other, Accepted::Duplicate(_)), "another body under the same key");
    assert_eq!(s.store.accept(refused(&hash)).await.unwrap(), Accepted::New);
    for key in ["http:1", "event:1"] {
        let row = s.store.delivery("acme", key).await.unwrap().unwrap();
        assert_eq!((row.state, row.key.as_str()), (RowState::Received, "http:1"), "{key}");
        assert_eq!(row.response, None, "it is answered anew: {key}");
    }
    assert!(matches!(s.store.accept(refused(&hash)).await.unwrap(), Accepted::Duplicate(_)), "once");
    assert_eq!(s.store.waiting(&here, 10).await.unwrap().len(), 1);
}

/// A notice under a key that is taken is not stored again.
pub async fn the_notice_is_stored_once(s: &Subject) {
    let lane = lane("C1");
    s.store.accept(delivery(&lane, "notice:queue_full:b")).await.unwrap();
    assert!(matches!(s.store.accept(limited(&lane, "b", 1)).await.unwrap(), Accepted::Full));
    assert_eq!(s.store.waiting(&lane, 10).await.unwrap().len(), 1);
}

/// Outcomes and timers are accepted into a full queue.
pub async fn outcomes_are_never_refused(s: &Subject) {
    let lane = lane("C1");
    s.store.accept(limited(&lane, "a", 1)).await.unwrap();
    for key in ["fx:1:1", "timer:1"] {
        assert!(matches!(s.store.accept(delivery(&lane, key)).await.unwrap(), Accepted::New));
    }
}

/// Failures are counted with their row.
pub async fn failures_are_counted(s: &Subject) {
    let lane = lane("C1");
    let seq = accept(&*s.store, &lane, "k").await;
    for n in 1..=5 {
        assert_eq!(s.store.count_failure(&lane, seq).await.unwrap(), n);
    }
    assert_eq!(s.store.waiting(&lane, 1).await.unwrap()[0].failures, 5);
    assert_refused(s.store.count_failure(&lane, seq + 1).await);
}

/// The lane whose oldest row waits longest comes first.
pub async fn longest_waiting_lane_comes_first(s: &Subject) {
    for (conversation, key) in [("C2", "a"), ("C1", "b"), ("C2", "c"), ("C3", "d")] {
        s.store.accept(delivery(&lane(conversation), key)).await.unwrap();
    }
    s.store.accept(delivery(&lane_of("globex", "C9"), "e")).await.unwrap();
    let work = s.store.lanes_with_work(3).await.unwrap();
    assert_eq!(work, [lane("C2"), lane("C1"), lane("C3")]);
    assert_eq!(s.store.lanes_with_work(10).await.unwrap().len(), 4);
}

/// Old deliveries that have ended are forgotten with all their keys, page by page; what waits, what is newer and what is another
/// tenant's stays.
pub async fn what_has_ended_is_forgotten(s: &Subject) {
    let (here, theirs) = (lane("C1"), lane_of("globex", "C1"));
    let mut writer = LaneWriter::claim(&*s.store, &here).await;
    for n in 0..5 {
        let key = format!("old {n}");
        let two = Delivery { identity: two_keys(&key, &format!("also {n}")), ..delivery(&here, &key) };
        assert_eq!(s.store.accept(two).await.unwrap(), Accepted::New);
        let row = s.store.waiting(&here, 1).await.unwrap().remove(0);
        writer.commit(TurnCommit { inbox: vec![done(row.seq)], ..writer.turn() }).await;
    }
    let direct = Direct { identity: two_keys("direct", "also direct"), state: RowState::Done };
    writer.commit(TurnCommit { direct: Some(direct), ..writer.turn() }).await;
    accept(&*s.store, &theirs, "old 0").await;
    accept(&*s.store, &here, "waits").await;
    s.clock.advance(1_000);
    let before = s.store.now();
    accept(&*s.store, &here, "new").await;
    let rows = s.store.waiting(&here, 9).await.unwrap();
    writer.commit(TurnCommit { inbox: vec![done(rows[1].seq)], ..writer.turn() }).await;

    let (mut after, mut keys, mut pages) = (None, 0, 0);
    loop {
        let page = s.store.forget_ended("acme", before, after.as_deref(), 3).await.unwrap();
        (keys, pages) = (keys + page.keys, pages + 1);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    // A backend may forget all keys of a delivery with one of them.
    assert!(keys == 12 && pages >= 2, "{keys} keys in {pages} pages");
    for key in ["old 0", "also 4", "direct", "also direct"] {
        assert_eq!(s.store.delivery("acme", key).await.unwrap(), None, "{key}");
    }
    let state = async |tenant: &str, key: &str| s.store.delivery(tenant, key).await.unwrap().unwrap().state;
    assert_eq!(state("acme", "waits").await, RowState::Received);
    assert_eq!(state("acme", "new").await, RowState::Done);
    assert_eq!(state("globex", "old 0").await, RowState::Received);
    assert_eq!(s.store.accept(delivery(&here, "old 0")).await.unwrap(), Accepted::New);
    assert_eq!(s.store.waiting(&here, 9).await.unwrap().len(), 2);
}

/// While a delivery with many keys is forgotten, page by page, each key leads to the delivery or is free.
pub async fn a_delivery_is_never_half_forgotten(s: &Subject) {
    let here = lane("C1");
    let keys: Vec<String> = (0..8).map(|n| format!("key {n}")).collect();
    let identity = DeliveryIdentity { more_keys: keys[1..].to_vec(), ..identity(&here, "key 0") };
    s.store.accept(Delivery { identity, ..delivery(&here, "key 0") }).await.unwrap();
    let row = s.store.waiting(&here, 1).await.unwrap().remove(0);
    let mut writer = LaneWriter::claim(&*s.store, &here).await;
    writer.commit(TurnCommit { inbox: vec![done(row.seq)], ..writer.turn() }).await;
    s.clock.advance(1_000);
    let (before, mut after, mut forgotten) = (s.store.now(), None, 0);
    let mut taken_anew = Vec::new();
    loop {
        let page = s.store.forget_ended("acme", before, after.as_deref(), 1).await.unwrap();
        (after, forgotten) = (page.next, forgotten + page.keys);
        for key in keys.iter().filter(|key| !taken_anew.contains(key)).collect::<Vec<_>>() {
            let found = s.store.delivery("acme", key).await.unwrap();
            assert!(found.as_ref().is_none_or(|row| row.state == RowState::Done), "{key}");
            match s.store.accept(delivery(&here, key)).await.unwrap() {
                Accepted::New => taken_anew.push(key),
                again => assert!(matches!(again, Accepted::Duplicate(_)) && found.is_some(), "{key}"),
            }
        }
        if after.is_none() {
            break;
        }
    }
    assert_eq!((forgotten, taken_anew.len()), (8, 8));
    assert_eq!(s.store.waiting(&here, 10).await.unwrap().len(), 8);
}

/// Each key leads to its own row, whoever of many callers creates the lane.
pub async fn keys_lead_to_their_rows(s: &Subject) {
    let lanes = ["C1", "C2", "C3", "C4"].map(lane);
    std::thread::scope(|scope| {
        for n in 0..16 {
            let (store, lanes) = (s.store.clone(), &lanes);
            scope.spawn(move || {
                for lane in lanes {
                    let key = format!("{n} in {}", lane.conversation);
                    let accepted = super::block_on(store.accept(delivery(lane, &key))).unwrap();
                    assert_eq!(accepted, Accepted::New);
                }
            });
        }
    });
    for lane in &lanes {
        let rows = s.store.waiting(lane, 20).await.unwrap();
        assert_eq!(rows.len(), 16);
        for row in rows {
            let found = s.store.delivery("acme", &row.key).await.unwrap().unwrap();
            assert_eq!((found.event, &found.lane), (Some(row.event), lane), "{}", row.key);
        }
    }
}

/// Of many callers with one key, exactly one gets [`Accepted::New`].
pub async fn one_key_from_many_threads_is_new_once(s: &Subject) {
    let accepted = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..16)
            .map(|n| {
                let store = s.store.clone();
                scope.spawn(move || {
                    let identity = two_keys(&format!("evt:{n}"), "slack:msg:1");
                    let delivery = Delivery { identity, ..delivery(&lane("C1"), "k") };
                    super::block_on(store.accept(delivery)).unwrap()
                })
            })
            .collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(accepted.iter().filter(|accepted| matches!(accepted, Accepted::New)).count(), 1);
    assert_eq!(s.store.waiting(&lane("C1"), 10).await.unwrap().len(), 1);
}
