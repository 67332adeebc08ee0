//! A turn is one value: all of it is written, or nothing. The log is a chain.

use throughline_engine::approval::ApprovalChange;
use throughline_engine::canon::{hex, sha256};

use super::Subject;
use super::fixture::{Hand, approval, assert_refused, delivery, done, lane, loose, put};
use crate::{Accepted, CommitResult, InboxEnd, LogRow, RowState, Seq, TimerRow, TokenRow, TurnCommit};

async fn accept(s: &Subject, key: &str) -> Seq {
    let accepted = s.store.accept(delivery(&lane("C1"), key)).await.unwrap();
    let Accepted::New(seq) = accepted else { panic!("{accepted:?}") };
    seq
}

/// The next turn of a hand, with something of every kind in it. The row `seq` waits in its lane.
#[must_use]
pub fn full_turn(hand: &Hand<'_>, seq: Seq) -> TurnCommit {
    let n = hand.revision + 1;
    let lane = hand.lane.clone();
    TurnCommit {
        inbox: vec![done(seq)],
        approvals: vec![ApprovalChange::Open(approval(&format!("ap_{n}"), 1, None))],
        timers: vec![TimerRow {
            id: format!("tm_{n}").as_str().into(),
            lane,
            due: hand.store.now(),
            about: "x".into(),
        }],
        records: vec![put("message", &format!("m_{n}"), "hello")],
        message_map: vec![(format!("ts_{n}"), format!("m_{n}"))],
        tokens: vec![TokenRow {
            hash: token(n),
            card: format!("ap_{n}").as_str().into(),
            version: 1,
            item: "s1".into(),
            action: "approve".into(),
        }],
        audit: vec![format!("audit {n}")],
        checkpoint: Some(format!("checkpoint {n}")),
        ..hand.planning(vec![loose(&format!("fx_{n}"))])
    }
}

/// The hash of the button of [`full_turn`] number `n`.
fn token(n: u64) -> String {
    hex(&sha256(&[&n.to_be_bytes()]))
}

/// How much of [`full_turn`] number `n` is in the store: all of it or nothing.
pub async fn written(store: &dyn crate::Store, lane: &throughline_engine::LaneKey, n: u64) -> bool {
    let parts = [
        store.load(lane).await.unwrap().is_some_and(|stored| stored.revision >= n),
        store.approval("acme", &format!("ap_{n}").as_str().into()).await.unwrap().is_some(),
        store.effect("acme", &format!("fx_{n}").as_str().into()).await.unwrap().is_some(),
        store.due_timers(1_000).await.unwrap().iter().any(|timer| timer.id.as_str() == format!("tm_{n}")),
        store.record(lane, "message", &format!("ts_{n}")).await.unwrap().as_deref() == Some("hello"),
        store.token(lane, &token(n)).await.unwrap().is_some(),
        store.audit("acme", 0, 1_000).await.unwrap().iter().any(|(_, row)| *row == format!("audit {n}")),
        store.turns(lane, n - 1, 1).await.unwrap().first().is_some_and(|turn| turn.revision == n),
        store.checkpoint(lane, n).await.unwrap().is_some_and(|(at, _)| at == n),
        store.committed(lane, &hash_of(store, lane, n).await).await.unwrap(),
    ];
    assert!(parts.iter().all(|part| *part == parts[0]), "turn {n} of {lane} is half written: {parts:?}");
    parts[0]
}

/// The hash of a turn's row, or of none.
async fn hash_of(store: &dyn crate::Store, lane: &throughline_engine::LaneKey, n: u64) -> String {
    let turns = store.turns(lane, n - 1, 1).await.unwrap();
    turns.first().map_or_else(String::new, |turn| turn.log.hash.clone())
}

/// Every part of a turn is there after it, and none before.
pub async fn a_turn_writes_everything(s: &Subject) {
    let seq = accept(s, "k").await;
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    assert!(!written(&*s.store, &lane("C1"), 1).await);
    hand.commit(full_turn(&hand, seq)).await;
    assert!(written(&*s.store, &lane("C1"), 1).await);
    assert_eq!(s.store.waiting(&lane("C1"), 1).await.unwrap(), []);
}

/// Compare and swap: the second commit of one revision writes nothing.
pub async fn a_revision_is_written_once(s: &Subject) {
    let seq = accept(s, "k").await;
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let (first, second) = (hand.turn(), full_turn(&hand, seq));
    hand.commit(first).await;
    assert_eq!(s.store.commit(second.clone()).await.unwrap(), CommitResult::RevisionMoved);
    assert_eq!(
        s.store.commit(TurnCommit { expected_revision: 7, ..second }).await.unwrap(),
        CommitResult::RevisionMoved
    );
    assert_eq!(s.store.approval("acme", &"ap_1".into()).await.unwrap(), None);
    assert_eq!(s.store.waiting(&lane("C1"), 1).await.unwrap().len(), 1);
    assert_eq!(s.store.load(&lane("C1")).await.unwrap().unwrap().revision, 1);
}

/// A handled row names its turn. Its event is in the turn's content now, except when it is dead.
pub async fn a_row_ends_with_its_turn(s: &Subject) {
    let (one, two, three) = (accept(s, "one").await, accept(s, "two").await, accept(s, "three").await);
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let ends = [(one, RowState::Done), (two, RowState::Ignored), (three, RowState::Dead)];
    let inbox = ends.map(|(seq, state)| InboxEnd { seq, state }).to_vec();
    let turn = TurnCommit { inbox, ..hand.turn() };
    let id = turn.log.turn.clone();
    hand.commit(turn).await;
    for (key, state, event) in [
        ("one", RowState::Done, ""),
        ("two", RowState::Ignored, ""),
        ("three", RowState::Dead, "event of three"),
    ] {
        let row = s.store.delivery("acme", key).await.unwrap().unwrap();
        assert_eq!((row.state, row.event.as_str(), row.turn), (state, event, Some(id.clone())));
        let kind = if state == RowState::Dead { "message.posted" } else { "" };
        assert_eq!((row.key.as_str(), row.kind.as_str()), (key, kind));
        assert!(matches!(s.store.accept(delivery(&lane("C1"), key)).await.unwrap(), Accepted::Duplicate(_)));
    }
    assert_eq!(s.store.counts().await.unwrap().dead, 1);
    assert_refused(s.store.failed("acme", one).await);
}

/// A turn that ends a row twice, or one of another lane, is refused whole.
pub async fn a_row_that_does_not_wait_refuses_the_turn(s: &Subject) {
    let seq = accept(s, "k").await;
    let mut other = Hand::on(&*s.store, &lane("C2")).await;
    assert_refused(other.try_commit(full_turn(&other, seq)).await);
    assert!(!written(&*s.store, &lane("C2"), 1).await);
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.commit(full_turn(&hand, seq)).await;
    assert_refused(hand.try_commit(full_turn(&hand, seq)).await);
    assert!(!written(&*s.store, &lane("C1"), 2).await);
}

/// Each row names the hash of the one before; the first one names zeros. Content and salt lie beside it.
pub async fn the_log_is_a_chain(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let mut written = Vec::new();
    for _ in 0..3 {
        let turn = hand.turn();
        written.push(turn.log.clone());
        hand.commit(turn).await;
    }
    let turns = s.store.turns(&lane("C1"), 0, 10).await.unwrap();
    let logs: Vec<LogRow> = turns.iter().map(|turn| turn.log.clone()).collect();
    assert_eq!(logs, written);
    assert_eq!(logs[0].prev_hash, "0".repeat(64));
    assert!(logs.windows(2).all(|pair| pair[1].prev_hash == pair[0].hash));
    let found = s.store.turn("acme", &logs[1].turn).await.unwrap().unwrap();
    assert_eq!((found.revision, &found.lane, found.log), (2, &lane("C1"), logs[1].clone()));
    assert_eq!(s.store.turn("globex", &logs[1].turn).await.unwrap(), None);
}

/// Pages forward and back.
pub async fn the_log_is_paged(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    for _ in 0..7 {
        hand.commit(hand.turn()).await;
    }
    let revisions =
        |turns: Vec<crate::StoredTurn>| turns.iter().map(|turn| turn.revision).collect::<Vec<_>>();
    assert_eq!(revisions(s.store.turns(&lane("C1"), 2, 3).await.unwrap()), [3, 4, 5]);
    assert_eq!(revisions(s.store.turns(&lane("C1"), 5, 9).await.unwrap()), [6, 7]);
    assert_eq!(revisions(s.store.turns_before(&lane("C1"), 6, 2).await.unwrap()), [5, 4]);
    assert_eq!(revisions(s.store.turns_before(&lane("C1"), u64::MAX, 2).await.unwrap()), [7, 6]);
    assert_eq!(revisions(s.store.turns_before(&lane("C1"), 1, 2).await.unwrap()), [0; 0]);
    assert_eq!(revisions(s.store.turns(&lane("C9"), 0, 2).await.unwrap()), [0; 0]);
}

/// A row that does not follow the newest one is a bug of the caller.
pub async fn a_row_beside_the_chain_is_refused(s: &Subject) {
    let seq = accept(s, "k").await;
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let turn = full_turn(&hand, seq);
    let log = LogRow { prev_hash: "ab".repeat(32), ..turn.log.clone() };
    assert_refused(s.store.commit(TurnCommit { log, ..turn }).await);
    assert!(!written(&*s.store, &lane("C1"), 1).await);
    hand.commit(full_turn(&hand, seq)).await;
}

/// After an unknown outcome: present means committed.
pub async fn a_commit_is_found_by_its_row(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let turn = hand.turn();
    let hash = turn.log.hash.clone();
    assert!(!s.store.committed(&lane("C1"), &hash).await.unwrap());
    hand.commit(turn).await;
    hand.commit(hand.turn()).await;
    assert!(s.store.committed(&lane("C1"), &hash).await.unwrap());
    assert!(!s.store.committed(&lane("C1"), &"fe".repeat(32)).await.unwrap());
    assert!(!s.store.committed(&lane("C2"), &hash).await.unwrap());
}

/// A replay starts at the newest full state at or before where it wants to go.
pub async fn the_nearest_checkpoint_is_found(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    for n in 1..=5 {
        let checkpoint = [1, 4].contains(&n).then(|| format!("state {n}"));
        hand.commit(TurnCommit { checkpoint, ..hand.turn() }).await;
    }
    let at = async |revision| s.store.checkpoint(&lane("C1"), revision).await.unwrap();
    assert_eq!(at(0).await, None);
    assert_eq!(at(3).await, Some((1, "state 1".into())));
    assert_eq!(at(4).await, Some((4, "state 4".into())));
    assert_eq!(at(u64::MAX).await, Some((4, "state 4".into())));
}

/// Many commits of one revision at once: one is in.
pub async fn one_revision_from_many_threads_is_written_once(s: &Subject) {
    let hand = Hand::on(&*s.store, &lane("C1")).await;
    let results = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..16)
            .map(|n| {
                let (store, turn) = (s.store.clone(), hand.turn());
                let turn = TurnCommit { head: format!("head of {n}"), ..turn };
                scope.spawn(move || super::block_on(store.commit(turn)).unwrap())
            })
            .collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).collect::<Vec<_>>()
    });
    let count = |wanted| results.iter().filter(|result| **result == wanted).count();
    assert_eq!((count(CommitResult::Committed), count(CommitResult::RevisionMoved)), (1, 15));
}
