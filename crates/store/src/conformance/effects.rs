//! [`Effects`](crate::Effects): lists of effects.

use super::Subject;
use super::fixture::{
    LaneWriter, after, approval, attempt, create, ends, lane, lane_of, loose, perform, settled,
};
use crate::{EffectState, StoredEffect};

/// Effects are listed newest first, by tenant, by lane and by state.
pub async fn effects_are_listed_newest_first(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(vec![loose("fx_1"), loose("fx_2")]).await;
    let mut other = LaneWriter::claim(&*s.store, &lane("C2")).await;
    other.commit_effects(vec![loose("fx_3")]).await;
    let mut theirs = LaneWriter::claim(&*s.store, &lane_of("globex", "C1")).await;
    theirs.commit_effects(vec![loose("fx_9")]).await;
    writer.commit_effects(vec![loose("fx_4")]).await;
    let fence = s.store.lease("w", 1).await.unwrap()[0].fence;
    assert!(s.store.settle(settled("fx_1", Some(fence))).await.unwrap());

    let ids = |effects: Vec<StoredEffect>| effects.into_iter().map(|e| e.row.id.0).collect::<Vec<_>>();
    let list = async |lane, state, limit| ids(s.store.effects("acme", lane, state, limit).await.unwrap());
    let (one, nine, other) = (lane("C1"), lane("C9"), lane_of("globex", "C1"));
    let done = Some(EffectState::Done);
    assert_eq!(list(None, None, 10).await, ["fx_4", "fx_3", "fx_2", "fx_1"]);
    assert_eq!(list(None, None, 2).await, ["fx_4", "fx_3"]);
    assert_eq!(list(None, done, 10).await, ["fx_1"]);
    assert_eq!(list(Some(&one), None, 10).await, ["fx_4", "fx_2", "fx_1"]);
    assert_eq!(list(Some(&one), None, 1).await, ["fx_4"]);
    assert_eq!(list(Some(&one), done, 10).await, ["fx_1"]);
    assert_eq!(list(Some(&nine), None, 10).await, [""; 0]);
    assert_eq!(list(Some(&other), None, 10).await, [""; 0]);
    assert_eq!(s.store.effect("globex", &"fx_1".into()).await.unwrap(), None);
}

/// Effects that an approval of a lane released are found until they have ended: planned, attempted and uncertain, not what stays in the
/// thread.
pub async fn unfinished_effects_are_found(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let released = |n: u32| create(&format!("fx_{n}"), "ap_1", 1);
    writer.open_approval(approval("ap_1", 1, None)).await;
    writer.approve("ap_1", 1, vec![released(1)]).await;
    let unfinished = async |key: &str| {
        let found = s.store.unfinished(&lane(key)).await.unwrap();
        found.into_iter().map(|effect| (effect.row.id.0, effect.state)).collect::<Vec<_>>()
    };
    let is = |n: u32, state| (format!("fx_{n}"), state);
    use EffectState::{Attempted, Cancelled, Done, Failed, Planned, Uncertain};
    assert_eq!(unfinished("C1").await, [is(1, Planned)]);
    perform(&*s.store, "fx_1", Uncertain).await;
    assert_eq!(unfinished("C1").await, [is(1, Uncertain)]);
    for (n, state) in [(2, Done), (3, Failed)] {
        writer.commit_effects(vec![released(n)]).await;
        perform(&*s.store, &format!("fx_{n}"), state).await;
    }
    writer.commit_effects(vec![released(4)]).await;
    let fence = attempt(&*s.store, "fx_4").await;
    // One that waits for another is planned, and is as little at its end.
    writer.commit_effects(vec![after(released(5), &["fx_1"]), loose("fx_6")]).await;
    assert_eq!(unfinished("C1").await, [is(1, Uncertain), is(4, Attempted), is(5, Planned)]);
    assert!(s.store.settle(ends("fx_4", Some(fence), Cancelled)).await.unwrap());
    assert_eq!(unfinished("C1").await, [is(1, Uncertain), is(5, Planned)]);
    assert_eq!(unfinished("C2").await, []);
    assert_eq!(s.store.unfinished(&lane_of("globex", "C1")).await.unwrap(), []);
}
