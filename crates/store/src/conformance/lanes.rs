//! [`Lanes`](crate::Lanes): claims, loading, records, release. Its commits are in `turn_commit` and `direct`.

use super::Subject;
use super::fixture::{LaneWriter, delivery, done, lane, lane_of, put};
use crate::{Claim, CommitResult, LANE_LEASE, RecordOp, RecordWrite, Release, Store, TurnCommit};

fn epoch(claim: Claim) -> i64 {
    match claim {
        Claim::Ours { epoch, .. } => epoch,
        Claim::Held { until } => panic!("held until {until:?}"),
    }
}

/// A lane has one owner at a time; other lanes stay free.
pub async fn a_claim_keeps_others_out(s: &Subject) {
    let ours = s.store.claim(&lane("C1"), "a").await.unwrap();
    assert!(matches!(ours, Claim::Ours { epoch: 1.., revision: 0 }));
    let until = s.store.now().plus(LANE_LEASE);
    assert_eq!(s.store.claim(&lane("C1"), "b").await.unwrap(), Claim::Held { until });
    assert!(matches!(s.store.claim(&lane("C2"), "b").await.unwrap(), Claim::Ours { .. }));
    assert!(matches!(s.store.claim(&lane_of("globex", "C1"), "b").await.unwrap(), Claim::Ours { .. }));
}

/// After its lease anybody may claim a lane, under a higher epoch.
pub async fn a_claim_ends_with_its_lease(s: &Subject) {
    let first = epoch(s.store.claim(&lane("C1"), "a").await.unwrap());
    s.clock.advance(LANE_LEASE - 1);
    assert!(matches!(s.store.claim(&lane("C1"), "b").await.unwrap(), Claim::Held { .. }));
    s.clock.advance(1);
    let second = epoch(s.store.claim(&lane("C1"), "b").await.unwrap());
    assert!(second > first);
    s.clock.advance(LANE_LEASE);
    assert!(epoch(s.store.claim(&lane("C1"), "b").await.unwrap()) > second, "also for its last owner");
}

/// A repeated claim extends the lease under the same epoch.
pub async fn claiming_again_extends(s: &Subject) {
    let first = epoch(s.store.claim(&lane("C1"), "a").await.unwrap());
    s.clock.advance(LANE_LEASE - 1);
    assert_eq!(epoch(s.store.claim(&lane("C1"), "a").await.unwrap()), first);
    s.clock.advance(LANE_LEASE - 1);
    assert!(matches!(s.store.claim(&lane("C1"), "b").await.unwrap(), Claim::Held { .. }));
}

/// A commit under an old epoch is fenced, however long its owner slept.
pub async fn only_the_claim_commits(s: &Subject) {
    let mut sleeper = LaneWriter::claim_as("a", &*s.store, &lane("C1")).await;
    s.clock.advance(LANE_LEASE);
    let mut heir = LaneWriter::claim_as("b", &*s.store, &lane("C1")).await;
    assert_eq!(sleeper.try_commit(sleeper.turn()).await.unwrap(), CommitResult::Fenced);
    heir.commit(heir.turn()).await;
    assert_eq!(sleeper.try_commit(sleeper.turn()).await.unwrap(), CommitResult::Fenced);
    assert_eq!(s.store.load(&lane("C1")).await.unwrap().unwrap().revision, 1);

    let unclaimed = LaneWriter { lane: lane("C9"), epoch: 0, ..heir };
    let turn = TurnCommit { expected_revision: 0, ..unclaimed.turn() };
    assert_eq!(s.store.commit(turn).await.unwrap(), CommitResult::Fenced);
}

/// A former owner cannot commit, even if nobody claimed the lane after the release.
pub async fn a_released_claim_commits_nothing(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    assert_eq!(s.store.release(&lane("C1"), writer.epoch).await.unwrap(), Release::Released);
    assert_eq!(writer.try_commit(writer.turn()).await.unwrap(), CommitResult::Fenced);
    let again = epoch(s.store.claim(&lane("C1"), "a").await.unwrap());
    assert!(again > writer.epoch);
}

/// A commit extends the lease. It succeeds even after the lease is over, as long as nobody else has claimed the lane.
pub async fn a_commit_extends_the_claim(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    s.clock.advance(LANE_LEASE);
    writer.commit(writer.turn()).await;
    s.clock.advance(LANE_LEASE - 1);
    assert!(matches!(s.store.claim(&lane("C1"), "b").await.unwrap(), Claim::Held { .. }));
}

/// A release finds a row that arrived after the owner's last look.
pub async fn release_looks_for_work(s: &Subject) {
    let lane = lane("C1");
    let mut writer = LaneWriter::claim(&*s.store, &lane).await;
    s.store.accept(delivery(&lane, "k")).await.unwrap();
    assert_eq!(s.store.release(&lane, writer.epoch).await.unwrap(), Release::HasWork);
    assert!(matches!(s.store.claim(&lane, "b").await.unwrap(), Claim::Held { .. }), "still ours");
    let seq = s.store.waiting(&lane, 1).await.unwrap()[0].seq;
    writer.commit(TurnCommit { inbox: vec![done(seq)], ..writer.turn() }).await;
    assert_eq!(s.store.release(&lane, writer.epoch - 1).await.unwrap(), Release::NotOurs);
    assert_eq!(s.store.release(&lane, writer.epoch).await.unwrap(), Release::Released);
    assert_eq!(s.store.release(&lane, writer.epoch).await.unwrap(), Release::NotOurs);
    assert!(matches!(s.store.claim(&lane, "b").await.unwrap(), Claim::Ours { .. }));
}

/// Handles a lane until it is released. Returns at once if somebody else holds it.
fn drive(store: &dyn Store, lane: &throughline_engine::LaneKey, owner: &str) {
    super::block_on(async {
        while let Claim::Ours { .. } = store.claim(lane, owner).await.unwrap() {
            let mut writer = LaneWriter::claim_as(owner, store, lane).await;
            let rows = store.waiting(lane, 100).await.unwrap();
            let inbox = rows.iter().map(|row| done(row.seq)).collect();
            writer.commit(TurnCommit { inbox, ..writer.turn() }).await;
            if store.release(lane, writer.epoch).await.unwrap() == Release::Released {
                return;
            }
        }
    });
}

/// Three owners each wake only for their own messages and leave when another holds the lane: still no row stays behind.
pub async fn a_message_is_never_stranded(s: &Subject) {
    let lane = lane("C1");
    std::thread::scope(|scope| {
        for owner in ["a", "b", "c"] {
            let (store, lane) = (s.store.clone(), lane.clone());
            scope.spawn(move || {
                for n in 0..40 {
                    super::block_on(store.accept(delivery(&lane, &format!("{owner}{n}")))).unwrap();
                    drive(&*store, &lane, owner);
                }
            });
        }
    });
    assert_eq!(s.store.waiting(&lane, 200).await.unwrap(), []);
    assert_eq!(s.store.counts().await.unwrap().waiting, 0);
}

/// A lane has nothing to load before its first turn.
pub async fn nothing_is_loaded_before_a_turn(s: &Subject) {
    assert_eq!(s.store.load(&lane("C1")).await.unwrap(), None);
    s.store.accept(delivery(&lane("C1"), "k")).await.unwrap();
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    assert_eq!(s.store.load(&lane("C1")).await.unwrap(), None);
    writer.commit(writer.turn()).await;
    let stored = s.store.load(&lane("C1")).await.unwrap().unwrap();
    assert_eq!((stored.revision, stored.head.as_str(), stored.records.len()), (1, "head 1", 0));
    assert_eq!(stored.log_hash, writer.hash);
}

/// A record that was put is loaded, a retired one is only found by its key, a deleted one is gone.
pub async fn records_are_put_retired_and_dropped(s: &Subject) {
    let lane = lane("C1");
    let mut writer = LaneWriter::claim(&*s.store, &lane).await;
    let records =
        vec![put("task", "t_1", "task"), put("message", "m_1", "one"), put("message", "m_2", "two")];
    writer.commit(TurnCommit { records, ..writer.turn() }).await;
    assert_eq!(s.store.load(&lane).await.unwrap().unwrap().records, ["one", "two", "task"]);

    let records = vec![
        put("message", "m_2", "two, edited"),
        RecordWrite { kind: "message", key: "m_1".into(), op: RecordOp::Retire },
        RecordWrite { kind: "task", key: "t_1".into(), op: RecordOp::Delete },
        RecordWrite { kind: "task", key: "t_9".into(), op: RecordOp::Retire },
        RecordWrite { kind: "task", key: "t_9".into(), op: RecordOp::Delete },
    ];
    writer.commit(TurnCommit { records, ..writer.turn() }).await;
    assert_eq!(s.store.load(&lane).await.unwrap().unwrap().records, ["two, edited"]);
    assert_eq!(s.store.record(&lane, "message", "m_1").await.unwrap().as_deref(), Some("one"));
    assert_eq!(s.store.record(&lane, "message", "m_2").await.unwrap().as_deref(), Some("two, edited"));
    assert_eq!(s.store.record(&lane, "task", "t_1").await.unwrap(), None);
    assert_eq!(s.store.record(&super::fixture::lane("C2"), "message", "m_1").await.unwrap(), None);
    let several = s.store.records(&lane, "message", &["m_2", "m_3", "m_1"]).await.unwrap();
    assert_eq!(several, ["two, edited", "one"]);
    assert_eq!(s.store.records(&lane, "message", &[]).await.unwrap(), [""; 0]);
}

/// A retired record that is put again is loaded again; when it is retired again it has the newer bytes.
pub async fn a_record_put_again_is_loaded_again(s: &Subject) {
    let lane = lane("C1");
    let mut writer = LaneWriter::claim(&*s.store, &lane).await;
    let retire = || vec![RecordWrite { kind: "message", key: "m_1".into(), op: RecordOp::Retire }];
    for body in ["one", "two"] {
        writer.commit(TurnCommit { records: vec![put("message", "m_1", body)], ..writer.turn() }).await;
        assert_eq!(s.store.load(&lane).await.unwrap().unwrap().records, [body]);
        writer.commit(TurnCommit { records: retire(), ..writer.turn() }).await;
        assert_eq!(s.store.load(&lane).await.unwrap().unwrap().records, [""; 0]);
        assert_eq!(s.store.record(&lane, "message", "m_1").await.unwrap().as_deref(), Some(body));
    }
}

/// A message is found by our id and by the channel's, in its own lane only.
pub async fn messages_are_found_by_the_channels_id(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let records = vec![put("message", "m_1", "one"), put("task", "t_1", "task")];
    let message_map = vec![("1700.1".into(), "m_1".into()), ("1700.2".into(), "m_gone".into())];
    writer.commit(TurnCommit { records, message_map, ..writer.turn() }).await;
    for key in ["m_1", "1700.1"] {
        assert_eq!(s.store.record(&lane("C1"), "message", key).await.unwrap().as_deref(), Some("one"));
    }
    assert_eq!(s.store.record(&lane("C1"), "message", "1700.2").await.unwrap(), None);
    assert_eq!(s.store.record(&lane("C1"), "task", "1700.1").await.unwrap(), None);
    assert_eq!(s.store.record(&lane("C2"), "message", "1700.1").await.unwrap(), None);
    let records = vec![RecordWrite { kind: "message", key: "m_1".into(), op: RecordOp::Retire }];
    writer.commit(TurnCommit { records, ..writer.turn() }).await;
    assert_eq!(s.store.record(&lane("C1"), "message", "1700.1").await.unwrap().as_deref(), Some("one"));
}

/// A channel's id stays with the first message that came with it: a later one with the same id is kept, and does not
/// take its place.
pub async fn the_first_message_keeps_the_channels_id(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    for (id, body) in [("m_1", "one"), ("m_2", "two")] {
        let message_map = vec![("1700.1".into(), id.into())];
        writer
            .commit(TurnCommit { records: vec![put("message", id, body)], message_map, ..writer.turn() })
            .await;
    }
    for (key, body) in [("1700.1", "one"), ("m_1", "one"), ("m_2", "two")] {
        assert_eq!(
            s.store.record(&lane("C1"), "message", key).await.unwrap().as_deref(),
            Some(body),
            "{key}"
        );
    }
}
