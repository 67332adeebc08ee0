//! Deliveries: durable once, in order, and nobody's message is lost silently.

use super::Subject;
use super::fixture::{Hand, assert_refused, delivery, done, lane, lane_of, limited};
use crate::{Accepted, Delivery, RowState, StoredResponse, TurnCommit};

/// The first delivery under a key is new; the next changes nothing and is answered with the row.
pub async fn a_key_is_new_once(s: &Subject) {
    let lane = lane("C1");
    let Accepted::New(seq) = s.store.accept(delivery(&lane, "k")).await.unwrap() else { panic!("not new") };
    let again = Delivery { event: "other".into(), ..delivery(&lane, "k") };
    let Accepted::Duplicate(row) = s.store.accept(again).await.unwrap() else { panic!("not a duplicate") };
    assert_eq!((row.seq, row.event.as_str(), row.state), (seq, "event of k", RowState::Received));
    assert_eq!((row.received_at, &row.lane, row.key.as_str()), (s.store.now(), &lane, "k"));
    assert_eq!(s.store.waiting(&lane, 10).await.unwrap(), [*row.clone()]);
    assert_eq!(s.store.delivery("acme", "k").await.unwrap(), Some(*row));
    assert_eq!(s.store.delivery("acme", "unknown").await.unwrap(), None);
}

/// The same key in two tenants is two rows.
pub async fn keys_belong_to_a_tenant(s: &Subject) {
    let (ours, theirs) = (lane("C1"), lane_of("globex", "C1"));
    assert!(matches!(s.store.accept(delivery(&ours, "k")).await.unwrap(), Accepted::New(_)));
    assert!(matches!(s.store.accept(delivery(&theirs, "k")).await.unwrap(), Accepted::New(_)));
    assert_eq!(s.store.waiting(&ours, 10).await.unwrap().len(), 1);
    assert_eq!(s.store.delivery("globex", "k").await.unwrap().unwrap().lane, theirs);
    let seq = s.store.delivery("globex", "k").await.unwrap().unwrap().seq;
    assert_refused(s.store.failed("acme", seq).await);
}

/// `app_mention` and `message` of one post share the canonical message key: either of them first.
pub async fn either_key_makes_a_duplicate(s: &Subject) {
    let lane = lane("C1");
    let two =
        |event: &str| Delivery { keys: vec![event.into(), "slack:msg:1".into()], ..delivery(&lane, event) };
    assert!(matches!(s.store.accept(two("evt:1")).await.unwrap(), Accepted::New(_)));
    let Accepted::Duplicate(row) = s.store.accept(two("evt:2")).await.unwrap() else {
        panic!("not a duplicate")
    };
    assert_eq!(row.key, "evt:1");
    assert_eq!(s.store.delivery("acme", "slack:msg:1").await.unwrap().unwrap().key, "evt:1");
    assert_eq!(s.store.waiting(&lane, 10).await.unwrap().len(), 1);
}

/// A duplicate takes none of its other keys.
pub async fn a_duplicate_takes_no_key(s: &Subject) {
    let lane = lane("C1");
    s.store.accept(delivery(&lane, "taken")).await.unwrap();
    let both = Delivery { keys: vec!["free".into(), "taken".into()], ..delivery(&lane, "free") };
    assert!(matches!(s.store.accept(both).await.unwrap(), Accepted::Duplicate(_)));
    assert!(matches!(s.store.accept(delivery(&lane, "free")).await.unwrap(), Accepted::New(_)));
}

/// The number given at acceptance is the order within the lane.
pub async fn rows_wait_in_order(s: &Subject) {
    let (one, other) = (lane("C1"), lane("C2"));
    for key in ["a", "b", "c"] {
        s.store.accept(delivery(&one, key)).await.unwrap();
        s.store.accept(delivery(&other, &format!("other {key}"))).await.unwrap();
    }
    let rows = s.store.waiting(&one, 2).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.key.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert!(rows[0].seq < rows[1].seq);
    assert_refused(s.store.accept(Delivery { keys: Vec::new(), ..delivery(&one, "") }).await);
}

/// Past the limit the row is refused and the notice waits in its place.
pub async fn a_full_queue_stores_a_notice(s: &Subject) {
    let lane = lane("C1");
    for key in ["a", "b"] {
        assert!(matches!(s.store.accept(limited(&lane, key, 2)).await.unwrap(), Accepted::New(_)));
    }
    let Accepted::Full(seq) = s.store.accept(limited(&lane, "c", 2)).await.unwrap() else {
        panic!("not full")
    };
    let refused = s.store.delivery("acme", "c").await.unwrap().unwrap();
    assert_eq!((refused.seq, refused.state), (seq, RowState::Refused));
    let waiting = s.store.waiting(&lane, 10).await.unwrap();
    let notice = waiting.last().unwrap();
    assert_eq!((notice.key.as_str(), notice.kind.as_str()), ("notice:queue_full:c", "intake.notice"));
    assert_eq!((waiting.len(), notice.event.as_str()), (3, "notice of c"));
    assert!(matches!(s.store.accept(limited(&lane, "c", 2)).await.unwrap(), Accepted::Duplicate(_)));

    let mut hand = Hand::on(&*s.store, &lane).await;
    let inbox = waiting.iter().map(|row| done(row.seq)).collect();
    hand.commit(TurnCommit { inbox, ..hand.turn() }).await;
    assert!(matches!(s.store.accept(limited(&lane, "d", 2)).await.unwrap(), Accepted::New(_)));
}

/// A notice under a key that is taken is not stored again.
pub async fn the_notice_is_stored_once(s: &Subject) {
    let lane = lane("C1");
    s.store.accept(delivery(&lane, "notice:queue_full:b")).await.unwrap();
    assert!(matches!(s.store.accept(limited(&lane, "b", 1)).await.unwrap(), Accepted::Full(_)));
    assert_eq!(s.store.waiting(&lane, 10).await.unwrap().len(), 1);
}

/// Outcomes and timers have no limit.
pub async fn outcomes_are_never_refused(s: &Subject) {
    let lane = lane("C1");
    s.store.accept(limited(&lane, "a", 1)).await.unwrap();
    for key in ["fx:1:1", "timer:1"] {
        assert!(matches!(s.store.accept(delivery(&lane, key)).await.unwrap(), Accepted::New(_)));
    }
}

/// The answer to a request is there when its key comes again, with the hash of the body it came with.
pub async fn answers_are_kept(s: &Subject) {
    let lane = lane("C1");
    let request = || Delivery { body_hash: Some("ab12".into()), ..delivery(&lane, "http:1") };
    s.store.accept(request()).await.unwrap();
    let row = s.store.delivery("acme", "http:1").await.unwrap().unwrap();
    assert_eq!((row.body_hash.as_deref(), row.response), (Some("ab12"), None));
    let answer = StoredResponse { status: 202, body: r#"{"turn":"tn_1"}"#.into() };
    s.store.respond("acme", "http:1", answer.clone()).await.unwrap();
    let Accepted::Duplicate(row) = s.store.accept(request()).await.unwrap() else {
        panic!("not a duplicate")
    };
    assert_eq!((row.body_hash.as_deref(), row.response), (Some("ab12"), Some(answer.clone())));
    assert_refused(s.store.respond("acme", "never seen", answer).await);
}

/// A key without an event is claimed once, and answered with what is there.
pub async fn a_request_key_begins_once(s: &Subject) {
    assert_eq!(s.store.begin("acme", "http:pause", "ab12").await.unwrap(), None);
    let running = s.store.begin("acme", "http:pause", "cd34").await.unwrap();
    assert_eq!(running, Some(("ab12".into(), None)));
    let answer = StoredResponse { status: 200, body: "{}".into() };
    s.store.respond("acme", "http:pause", answer.clone()).await.unwrap();
    let finished = s.store.begin("acme", "http:pause", "ab12").await.unwrap();
    assert_eq!(finished, Some(("ab12".into(), Some(answer))));
    assert_eq!(s.store.begin("globex", "http:pause", "ab12").await.unwrap(), None);
}

/// Failed handlings are counted with the row.
pub async fn failures_are_counted(s: &Subject) {
    let lane = lane("C1");
    let Accepted::New(seq) = s.store.accept(delivery(&lane, "k")).await.unwrap() else { panic!("not new") };
    for n in 1..=5 {
        assert_eq!(s.store.failed("acme", seq).await.unwrap(), n);
    }
    assert_eq!(s.store.waiting(&lane, 1).await.unwrap()[0].failures, 5);
    assert_refused(s.store.failed("acme", seq + 1).await);
}

/// After a start the lane that waited longest comes first.
pub async fn longest_waiting_lane_comes_first(s: &Subject) {
    for (conversation, key) in [("C2", "a"), ("C1", "b"), ("C2", "c"), ("C3", "d")] {
        s.store.accept(delivery(&lane(conversation), key)).await.unwrap();
    }
    s.store.accept(delivery(&lane_of("globex", "C9"), "e")).await.unwrap();
    let work = s.store.lanes_with_work(3).await.unwrap();
    assert_eq!(work, [lane("C2"), lane("C1"), lane("C3")]);
    assert_eq!(s.store.lanes_with_work(10).await.unwrap().len(), 4);
}

/// Whoever comes first: exactly one of many callers is told that it is new.
pub async fn one_key_from_many_threads_is_new_once(s: &Subject) {
    let accepted = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..16)
            .map(|n| {
                let store = s.store.clone();
                scope.spawn(move || {
                    let keys = vec![format!("evt:{n}"), "slack:msg:1".into()];
                    let delivery = Delivery { keys, ..delivery(&lane("C1"), "k") };
                    super::block_on(store.accept(delivery)).unwrap()
                })
            })
            .collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(accepted.iter().filter(|accepted| matches!(accepted, Accepted::New(_))).count(), 1);
    assert_eq!(s.store.waiting(&lane("C1"), 10).await.unwrap().len(), 1);
}
