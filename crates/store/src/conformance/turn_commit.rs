//! [`Lanes::commit`](crate::Lanes::commit): a turn is written as a whole or not at all.

use throughline_engine::data::approval::ApprovalChange;
use throughline_engine::data::canonical_json::{hex, sha256};

use super::Subject;
use super::fixture::{LaneWriter, approval, assert_refused, delivery, done, lane, loose, put};
use crate::{Accepted, CommitResult, InboxEnd, LogRow, RowState, Seq, TimerRow, TokenRow, TurnCommit};

async fn accept(s: &Subject, key: &str) -> Seq {
    super::fixture::accept(&*s.store, &lane("C1"), key).await
}

/// Returns the writer's next turn with something of every kind in it. It ends the waiting row `seq`.
#[must_use]
pub fn full_turn(writer: &LaneWriter<'_>, seq: Seq) -> TurnCommit {
    let n = writer.revision + 1;
    let lane = writer.lane.clone();
    TurnCommit {
        inbox: vec![done(seq)],
        approvals: vec![ApprovalChange::Open(approval(&format!("ap_{n}"), 1, None))],
        timers: vec![TimerRow {
            id: format!("tm_{n}").as_str().into(),
            lane,
            due: writer.store.now(),
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
        ..writer.turn_with_effects(vec![loose(&format!("fx_{n}"))])
    }
}

/// Returns the token hash of the button in [`full_turn`] number `n`.
fn token(n: u64) -> String {
    hex(&sha256(&[&n.to_be_bytes()]))
}

/// Returns true if [`full_turn`] number `n` is in the store, and panics if only parts of it are.
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

/// Returns the hash of a turn's row, or an empty text.
async fn hash_of(store: &dyn crate::Store, lane: &throughline_engine::LaneKey, n: u64) -> String {
    let turns = store.turns(lane, n - 1, 1).await.unwrap();
    turns.first().map_or_else(String::new, |turn| turn.log.hash.clone())
}

/// Every part of a turn is there after the commit, and none before.
pub async fn a_turn_writes_everything(s: &Subject) {
    let seq = accept(s, "k").await;
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    assert!(!written(&*s.store, &lane("C1"), 1).await);
    writer.commit(full_turn(&writer, seq)).await;
    assert!(written(&*s.store, &lane("C1"), 1).await);
    assert_eq!(s.store.waiting(&lane("C1"), 1).await.unwrap(), []);
}

/// The second commit of one revision writes nothing.
pub async fn a_revision_is_written_once(s: &Subject) {
    let seq = accept(s, "k").await;
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let (first, second) = (writer.turn(), full_turn(&writer, seq));
    writer.commit(first).await;
    assert_eq!(s.store.commit(second.clone()).await.unwrap(), CommitResult::RevisionMoved);
    assert_eq!(
        s.store.commit(TurnCommit { expected_revision: 7, ..second }).await.unwrap(),
        CommitResult::RevisionMoved
    );
    assert_eq!(s.store.approval("acme", &"ap_1".into()).await.unwrap(), None);
    assert_eq!(s.store.waiting(&lane("C1"), 1).await.unwrap().len(), 1);
    assert_eq!(s.store.load(&lane("C1")).await.unwrap().unwrap().revision, 1);
}

/// A handled row names its turn and gives up its event, unless it is dead.
pub async fn a_row_ends_with_its_turn(s: &Subject) {
    let (one, two, three) = (accept(s, "one").await, accept(s, "two").await, accept(s, "three").await);
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let ends = [(one, RowState::Done), (two, RowState::Ignored), (three, RowState::Dead)];
    let inbox = ends.map(|(seq, state)| InboxEnd { seq, state }).to_vec();
    let turn = TurnCommit { inbox, ..writer.turn() };
    let id = turn.log.turn.clone();
    writer.commit(turn).await;
    for (key, state, event) in [
        ("one", RowState::Done, None),
        ("two", RowState::Ignored, None),
        ("three", RowState::Dead, Some("event of three")),
    ] {
        let row = s.store.delivery("acme", key).await.unwrap().unwrap();
        assert_eq!((row.state, row.event.as_deref(), row.turn), (state, event, Some(id.clone())));
        assert_eq!(row.key, key);
        assert!(matches!(s.store.accept(delivery(&lane("C1"), key)).await.unwrap(), Accepted::Duplicate(_)));
    }
    assert_eq!(s.store.counts().await.unwrap().dead, 1);
    assert_refused(s.store.count_failure(&lane("C1"), one).await);
}

/// A turn that ends a row for the second time, or a row of another lane, is refused as a whole.
pub async fn a_row_that_does_not_wait_refuses_the_turn(s: &Subject) {
    let seq = accept(s, "k").await;
    let mut other = LaneWriter::claim(&*s.store, &lane("C2")).await;
    assert_refused(other.try_commit(full_turn(&other, seq)).await);
    assert!(!written(&*s.store, &lane("C2"), 1).await);
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit(full_turn(&writer, seq)).await;
    assert_refused(writer.try_commit(full_turn(&writer, seq)).await);
    assert!(!written(&*s.store, &lane("C1"), 2).await);
}

/// A turn whose row does not follow the newest one is refused.
pub async fn a_row_beside_the_chain_is_refused(s: &Subject) {
    let seq = accept(s, "k").await;
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let turn = full_turn(&writer, seq);
    let log = LogRow { prev_hash: "ab".repeat(32), ..turn.log.clone() };
    assert_refused(s.store.commit(TurnCommit { log, ..turn }).await);
    assert!(!written(&*s.store, &lane("C1"), 1).await);
    writer.commit(full_turn(&writer, seq)).await;
}

/// A commit is found by the hash of its row, in its own lane.
pub async fn a_commit_is_found_by_its_row(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let turn = writer.turn();
    let hash = turn.log.hash.clone();
    assert!(!s.store.committed(&lane("C1"), &hash).await.unwrap());
    writer.commit(turn).await;
    writer.commit(writer.turn()).await;
    assert!(s.store.committed(&lane("C1"), &hash).await.unwrap());
    assert!(!s.store.committed(&lane("C1"), &"fe".repeat(32)).await.unwrap());
    assert!(!s.store.committed(&lane("C2"), &hash).await.unwrap());
}

/// Of many commits of one revision, one is written.
pub async fn one_revision_from_many_threads_is_written_once(s: &Subject) {
    let writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let results = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..16)
            .map(|n| {
                let (store, turn) = (s.store.clone(), writer.turn());
                let turn = TurnCommit { head: format!("head of {n}"), ..turn };
                scope.spawn(move || super::block_on(store.commit(turn)).unwrap())
            })
            .collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).collect::<Vec<_>>()
    });
    let count = |wanted| results.iter().filter(|result| **result == wanted).count();
    assert_eq!((count(CommitResult::Committed), count(CommitResult::RevisionMoved)), (1, 15));
}
