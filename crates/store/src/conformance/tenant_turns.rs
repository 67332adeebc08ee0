//! [`TurnLog::turns_of_tenant`](crate::TurnLog::turns_of_tenant): one order of all lanes' turns, the same for every reader.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use throughline_engine::LaneKey;

use super::fixture::{LaneWriter, lane, lane_of};
use super::{Subject, block_on};
use crate::{Redaction, Redactor, Store, StoredTurn, TextSource, TurnPage, TurnSeq};

/// Lane, revision and position of a turn.
type Place = (LaneKey, u64, TurnSeq);

fn places(turns: &[StoredTurn]) -> Vec<Place> {
    turns.iter().map(|turn| (turn.lane.clone(), turn.revision, turn.position)).collect()
}

/// Reads every page from a position on.
async fn walk(store: &dyn Store, tenant: &str, mut after: TurnSeq, limit: u32) -> Vec<Place> {
    let mut all = Vec::new();
    loop {
        let TurnPage { turns, end } = store.turns_of_tenant(tenant, after, limit).await.unwrap();
        assert!(turns.len() <= limit as usize && end >= after);
        assert!(turns.iter().all(|turn| turn.position > after && turn.position <= end));
        after = end;
        if turns.is_empty() {
            return all;
        }
        all.extend(places(&turns));
    }
}

/// Turns of all lanes are in the order of their commits, whatever the size of a page; those of other tenants are not there.
pub async fn turns_of_all_lanes_are_in_one_order(s: &Subject) {
    let lanes = [lane("C1"), lane("C2"), lane("C3"), lane_of("globex", "C1")];
    let mut writers = Vec::new();
    for lane in &lanes {
        writers.push(LaneWriter::claim(&*s.store, lane).await);
    }
    let mut written = Vec::new();
    for n in [0, 3, 1, 0, 2, 3, 3, 1, 0, 2, 0, 3] {
        let turn = writers[n].turn();
        writers[n].commit(turn).await;
        if n < 3 {
            written.push((lanes[n].clone(), writers[n].revision));
        }
    }
    let all = walk(&*s.store, "acme", 0, 100).await;
    assert_eq!(all.iter().map(|(lane, n, _)| (lane.clone(), *n)).collect::<Vec<_>>(), written);
    assert!(all[0].2 > 0 && all.windows(2).all(|pair| pair[0].2 < pair[1].2), "{all:?}");
    for limit in 1..5 {
        assert_eq!(walk(&*s.store, "acme", 0, limit).await, all, "by {limit}");
    }
    assert_eq!(walk(&*s.store, "globex", 0, 2).await.len(), 4);
    assert_eq!(walk(&*s.store, "nobody", 0, 2).await, []);
    for (n, (lane, revision, position)) in all.iter().enumerate() {
        assert_eq!(walk(&*s.store, "acme", *position, 2).await, all[n + 1..], "resumed at {n}");
        let of_lane = s.store.turns(lane, revision - 1, 1).await.unwrap();
        assert_eq!(of_lane[0].position, *position, "a turn has one position");
    }
}

/// The end is at or above every turn, and below whatever comes later.
pub async fn what_comes_later_is_above_the_end(s: &Subject) {
    assert_eq!(s.store.turns_end("acme").await.unwrap(), 0);
    let mut elsewhere = LaneWriter::claim(&*s.store, &lane_of("globex", "C9")).await;
    let mut writers =
        [LaneWriter::claim(&*s.store, &lane("C1")).await, LaneWriter::claim(&*s.store, &lane("C2")).await];
    for n in [0, 1, 1, 0] {
        let end = s.store.turns_end("acme").await.unwrap();
        assert_eq!(walk(&*s.store, "acme", end, 9).await, []);
        elsewhere.commit(elsewhere.turn()).await;
        let turn = writers[n].turn();
        writers[n].commit(turn).await;
        let later = walk(&*s.store, "acme", end, 9).await;
        assert_eq!(later.len(), 1, "{later:?}");
        assert!(later[0].2 <= s.store.turns_end("acme").await.unwrap());
    }
}

/// A turn that lost its race has no place.
pub async fn a_lost_turn_is_in_no_order(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let lost = writer.turn();
    writer.commit(writer.turn()).await;
    writer.commit(writer.turn()).await;
    assert_ne!(s.store.commit(lost).await.unwrap(), crate::CommitResult::Committed);
    let revisions: Vec<u64> =
        walk(&*s.store, "acme", 0, 9).await.into_iter().map(|(_, revision, _)| revision).collect();
    assert_eq!(revisions, [1, 2]);
}

/// Erasing the content of turns leaves them in their places, without their words.
pub async fn erased_turns_keep_their_places(s: &Subject) {
    let mut writers =
        [LaneWriter::claim(&*s.store, &lane("C1")).await, LaneWriter::claim(&*s.store, &lane("C2")).await];
    for n in [0, 1, 0, 1] {
        let turn = writers[n].turn();
        writers[n].commit(turn).await;
    }
    let before = walk(&*s.store, "acme", 0, 9).await;
    let erase: Redactor = Arc::new(|stored| match stored.source {
        TextSource::Content { .. } => Redaction::Erase,
        _ => Redaction::Keep,
    });
    s.store.redact(&lane("C1"), erase).await.unwrap();
    assert_eq!(walk(&*s.store, "acme", 0, 9).await, before);
    let turns = s.store.turns_of_tenant("acme", 0, 9).await.unwrap().turns;
    for turn in turns {
        assert_eq!(turn.log.content.is_empty(), turn.lane == lane("C1"), "{turn:?}");
    }
}

/// Writers of many lanes at once, and readers who go on where they were: each reads every turn once, in one order.
pub async fn readers_beside_writers_miss_nothing(s: &Subject) {
    const LANES: usize = 6;
    const TURNS: usize = 8;
    let done = AtomicUsize::new(0);
    let read = std::thread::scope(|scope| {
        for n in 0..LANES {
            let (store, done) = (s.store.clone(), &done);
            scope.spawn(move || {
                let mut writer = block_on(LaneWriter::claim(&*store, &lane(&format!("C{n}"))));
                for _ in 0..TURNS {
                    block_on(writer.commit(writer.turn()));
                }
                done.fetch_add(1, Ordering::SeqCst);
            });
        }
        let readers: Vec<_> = [1, 3, 50]
            .into_iter()
            .map(|limit| {
                let (store, done) = (s.store.clone(), &done);
                scope.spawn(move || {
                    let (mut all, mut after) = (Vec::new(), 0);
                    loop {
                        let last = done.load(Ordering::SeqCst) == LANES;
                        let page = block_on(store.turns_of_tenant("acme", after, limit)).unwrap();
                        after = page.end;
                        all.extend(places(&page.turns));
                        if last && page.turns.is_empty() {
                            return all;
                        }
                    }
                })
            })
            .collect();
        readers.into_iter().map(|reader| reader.join().unwrap()).collect::<Vec<_>>()
    });
    let whole = walk(&*s.store, "acme", 0, 100).await;
    assert_eq!(whole.iter().collect::<BTreeSet<_>>().len(), LANES * TURNS);
    for reader in read {
        assert_eq!(reader, whole);
    }
}
