//! Durability: an answered operation is still there after the process was closed or killed.

use std::cell::RefCell;
use std::sync::Arc;

use throughline_engine::data::action::Action;

use super::fixture::{
    LaneWriter, accept, approval, create, decide, delivery, identity, lane, lease, loose, settled,
};
use super::turn_commit::{full_turn, written};
use super::{DataLocation, START};
use crate::{
    Accepted, Claim, CommitResult, Direct, LANE_LEASE, ManualClock, RowState, Store, StoreError, TurnCommit,
};

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(START))
}

/// A store that is closed and opened again is as it was.
pub async fn reopening_keeps_everything(location: &dyn DataLocation) {
    let store = location.open(clock());
    let seq = accept(&*store, &lane("C1"), "k").await;
    let mut writer = LaneWriter::claim(&*store, &lane("C1")).await;
    writer.commit(full_turn(&writer, seq)).await;
    accept(&*store, &lane("C1"), "waits").await;
    let (loaded, counts) = (store.load(&lane("C1")).await.unwrap(), store.counts().await.unwrap());
    drop(store);
    let store = location.open(clock());
    assert!(written(&*store, &lane("C1"), 1).await);
    assert_eq!(store.load(&lane("C1")).await.unwrap(), loaded);
    assert_eq!(store.counts().await.unwrap(), counts);
    assert_eq!(store.verify_audit("acme").await.unwrap(), None);
    assert_eq!(store.waiting(&lane("C1"), 10).await.unwrap().len(), 1);
    assert!(matches!(store.accept(delivery(&lane("C1"), "k")).await.unwrap(), Accepted::Duplicate(_)));
}

/// After a crash, the store holds every operation that was answered before it.
pub async fn what_was_answered_survives_a_crash(location: &dyn DataLocation) {
    let store = location.open(clock());
    let copies = RefCell::new(Vec::new());
    let after_crash = || {
        let copy = location.crash_copy();
        let store = copy.open(clock());
        // A store may find out that its data is gone, so the copy stays as long as the case runs.
        copies.borrow_mut().push(copy);
        store
    };

    let seq = accept(&*store, &lane("C1"), "k").await;
    let found = after_crash();
    assert_eq!(found.waiting(&lane("C1"), 10).await.unwrap().len(), 1);
    assert!(matches!(found.accept(delivery(&lane("C1"), "k")).await.unwrap(), Accepted::Duplicate(_)));

    let mut writer = LaneWriter::claim(&*store, &lane("C1")).await;
    let next = after_crash().claim(&lane("C1"), "b").await.unwrap();
    let lost = matches!(next, Claim::Ours { epoch, .. } if epoch <= writer.epoch);
    assert!(!lost, "it is held, or claimed under a new epoch: {next:?}");

    writer.commit(full_turn(&writer, seq)).await;
    let found = after_crash();
    assert!(written(&*found, &lane("C1"), 1).await);
    assert!(!written(&*found, &lane("C1"), 2).await);
    assert_eq!(found.waiting(&lane("C1"), 10).await.unwrap(), []);

    let direct = Direct { identity: identity(&lane("C1"), "direct"), state: RowState::Done };
    writer.commit(TurnCommit { direct: Some(direct), ..writer.turn() }).await;
    let found = after_crash();
    let row = found.delivery("acme", "direct").await.unwrap().expect("its turn was answered");
    assert!(found.turn("acme", &row.turn.unwrap()).await.unwrap().is_some());
    assert!(matches!(found.accept(delivery(&lane("C1"), "direct")).await.unwrap(), Accepted::Duplicate(_)));

    let leased = lease(&*store).await.remove(0);
    let next = lease(&*after_crash()).await;
    assert!(next.iter().all(|next| next.fence > leased.fence), "held, or leased again");
    store.mark("acme", &leased.effect.row.id, leased.fence, &leased.effect.held()).await.unwrap();
    let found = after_crash();
    let effect = found.effect("acme", &leased.effect.row.id).await.unwrap().unwrap();
    assert_eq!((effect.state, effect.attempts), (crate::EffectState::Attempted, 1));

    assert!(store.settle(settled("fx_1", Some(leased.fence))).await.unwrap());
    let effect = after_crash().effect("acme", &leased.effect.row.id).await.unwrap().unwrap();
    assert_eq!(
        (effect.state, effect.outcome.as_deref()),
        (crate::EffectState::Done, Some("outcome of fx_1"))
    );

    writer.commit(TurnCommit { approvals: vec![decide("ap_1", 1, Action::Approve)], ..writer.turn() }).await;
    let found = after_crash();
    let mut again = LaneWriter::claim_as("a", &*found, &lane("C1")).await;
    let twice = TurnCommit { approvals: vec![decide("ap_1", 1, Action::Approve)], ..again.turn() };
    assert_eq!(again.try_commit(twice).await.unwrap(), CommitResult::ApprovalLost);
    again.commit_effects(vec![create("fx_9", "ap_1", 1)]).await;
}

/// Epochs, fences and inbox positions go on rising after the store was opened again.
pub async fn epochs_and_order_go_on(location: &dyn DataLocation) {
    let clock = clock();
    let store = location.open(clock.clone());
    let first = accept(&*store, &lane("C1"), "a").await;
    let mut writer = LaneWriter::claim(&*store, &lane("C1")).await;
    writer
        .commit(TurnCommit {
            inbox: vec![super::fixture::done(first)],
            ..writer.turn_with_effects(vec![loose("fx_1")])
        })
        .await;
    let fence = lease(&*store).await[0].fence;
    let (epoch, hash) = (writer.epoch, writer.hash.clone());
    drop(store);

    clock.advance(LANE_LEASE + crate::EFFECT_LEASE);
    let store = location.open(clock);
    assert!(accept(&*store, &lane("C1"), "b").await > first);
    let mut writer = LaneWriter::claim_as("b", &*store, &lane("C1")).await;
    assert!(writer.epoch > epoch);
    assert_eq!((writer.revision, &writer.hash), (1, &hash));
    assert!(lease(&*store).await[0].fence > fence);
    writer.commit_effects(vec![loose("fx_2")]).await;
    let effects = store.effects("acme", Some(&lane("C1")), None, 10).await.unwrap();
    assert_eq!(effects.iter().map(|e| e.row.id.as_str()).collect::<Vec<_>>(), ["fx_2", "fx_1"]);
}

/// Of 64 turns that are committed at once, some are refused after they have written: each is there as a whole or not at
/// all.
pub async fn a_group_is_all_or_nothing_for_each(location: &dyn DataLocation) {
    let store = location.open(clock());
    std::thread::scope(|scope| {
        for n in 0..64_u64 {
            let store = store.clone();
            scope.spawn(move || super::block_on(one_of_many(&*store, n)));
        }
    });
    drop(store);
    let store = location.open(clock());
    for n in 0..64 {
        let (lane, refused) = (lane(&format!("C{n}")), n % 7 == 3);
        assert_eq!(store.load(&lane).await.unwrap().is_none(), refused, "{lane}");
        let approval = store.approval("acme", &format!("ap_{n}").as_str().into()).await.unwrap();
        assert_eq!(approval.is_none(), refused, "{lane}");
        let effects = store.effects("acme", Some(&lane), None, 10).await.unwrap();
        assert_eq!(effects.len(), if refused { 0 } else { 1 }, "{lane}");
        assert_eq!(store.waiting(&lane, 10).await.unwrap().len(), usize::from(refused), "{lane}");
    }
}

async fn one_of_many(store: &dyn Store, n: u64) {
    let lane = lane(&format!("C{n}"));
    let seq = accept(store, &lane, &format!("k{n}")).await;
    let mut writer = LaneWriter::claim(store, &lane).await;
    let card = format!("ap_{n}");
    let effect = if n % 7 == 3 { create("fx_naked", "ap_nobody", 1) } else { loose(&format!("fx_{n}")) };
    let open = throughline_engine::data::approval::ApprovalChange::Open(approval(&card, 1, None));
    let turn = TurnCommit {
        approvals: vec![open],
        inbox: vec![super::fixture::done(seq)],
        ..writer.turn_with_effects(vec![effect])
    };
    match writer.try_commit(turn).await {
        Ok(CommitResult::Committed) => assert_ne!(n % 7, 3),
        Err(StoreError::Refused { .. }) => assert_eq!(n % 7, 3),
        other => panic!("{other:?}"),
    }
}
