//! [`TurnLog`](crate::TurnLog): a chain, page by page.

use throughline_engine::LaneKey;

use super::Subject;
use super::fixture::{LaneWriter, delivery, lane, lane_of};
use crate::{LogRow, TurnCommit};

/// Each row holds the hash of the row before it, the first one zeros.
pub async fn the_log_is_a_chain(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let mut written = Vec::new();
    for _ in 0..3 {
        let turn = writer.turn();
        written.push(turn.log.clone());
        writer.commit(turn).await;
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

/// Turns are paged forward and back.
pub async fn the_log_is_paged(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    for _ in 0..7 {
        writer.commit(writer.turn()).await;
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

/// Each lane of the tenant comes once, with its newest turn, newest first. A page may be short while there is more.
pub async fn the_latest_turns_come_first(s: &Subject) {
    let acme = [lane("C1"), lane("C2"), lane("C3")];
    let mut writers = Vec::new();
    for lane in &acme {
        writers.push(LaneWriter::claim(&*s.store, lane).await);
    }
    for n in [0, 1, 2, 1, 0] {
        let turn = writers[n].turn();
        writers[n].commit(turn).await;
    }
    let elsewhere = lane_of("globex", "C4");
    let mut other = LaneWriter::claim(&*s.store, &elsewhere).await;
    other.commit(other.turn()).await;
    s.store.accept(delivery(&lane("C5"), "waits")).await.unwrap();

    let expected = [(lane("C1"), 2), (lane("C2"), 2), (lane("C3"), 1)];
    assert_eq!(walk(s, "acme", 10).await, expected);
    assert_eq!(walk(s, "acme", 1).await, expected);
    assert_eq!(walk(s, "globex", 1).await, [(elsewhere, 1)]);
    assert_eq!(walk(s, "nobody", 1).await, []);

    // A turn that is committed between two pages moves its lane to the front; later pages do not show it again.
    let first = s.store.latest_turns("acme", None, 1).await.unwrap();
    let turn = writers[0].turn();
    writers[0].commit(turn).await;
    let second = s.store.latest_turns("acme", first.next, 1).await.unwrap();
    assert_eq!((&second.turns[0].1.lane, second.turns[0].1.revision), (&lane("C2"), 2));
}

/// Reads every page of the latest turns.
async fn walk(s: &Subject, tenant: &str, limit: u32) -> Vec<(LaneKey, u64)> {
    let (mut all, mut before) = (Vec::new(), None);
    loop {
        let page = s.store.latest_turns(tenant, before, limit).await.unwrap();
        assert!(page.turns.len() <= limit as usize);
        all.extend(page.turns.into_iter().map(|(_, turn)| (turn.lane, turn.revision)));
        match page.next {
            Some(next) => before = Some(next),
            None => return all,
        }
    }
}

/// The checkpoint of a revision is the newest at or before it.
pub async fn the_nearest_checkpoint_is_found(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    for n in 1..=5 {
        let checkpoint = [1, 4].contains(&n).then(|| format!("state {n}"));
        writer.commit(TurnCommit { checkpoint, ..writer.turn() }).await;
    }
    let at = async |revision| s.store.checkpoint(&lane("C1"), revision).await.unwrap();
    assert_eq!(at(0).await, None);
    assert_eq!(at(3).await, Some((1, "state 1".into())));
    assert_eq!(at(4).await, Some((4, "state 4".into())));
    assert_eq!(at(u64::MAX).await, Some((4, "state 4".into())));
}
