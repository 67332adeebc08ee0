//! [`Effects`](crate::Effects): lists of effects.

use super::Subject;
use super::fixture::{LaneWriter, lane, lane_of, loose, settled};
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
