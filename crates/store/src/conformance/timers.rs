//! [`Timers`](crate::Timers): kept until they are cleared, and the next moment of work.

use throughline_engine::Timestamp;

use super::Subject;
use super::fixture::{LaneWriter, lane, lease, loose};
use crate::{EFFECT_LEASE, TimerRow, TurnCommit};

/// Due timers come earliest first until they are cleared; setting one again moves it.
pub async fn timers_come_when_due(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let now = s.store.now();
    let timer = |id: &str, seconds| TimerRow {
        id: id.into(),
        lane: lane("C1"),
        due: now.plus(seconds * Timestamp::SECOND),
        about: format!("about {id}"),
    };
    let timers = vec![timer("tm_1", 3), timer("tm_2", 2), timer("tm_3", 1), timer("tm_4", 1)];
    writer.commit(TurnCommit { timers, ..writer.turn() }).await;
    let turn = writer.turn();
    writer
        .commit(TurnCommit { timers: vec![timer("tm_2", 9)], clear_timers: vec!["tm_4".into()], ..turn })
        .await;

    assert_eq!(s.store.due_timers(10).await.unwrap(), []);
    s.clock.advance(3 * Timestamp::SECOND);
    assert_eq!(s.store.due_timers(10).await.unwrap(), [timer("tm_3", 1), timer("tm_1", 3)]);
    assert_eq!(s.store.due_timers(1).await.unwrap(), [timer("tm_3", 1)]);
    s.store.clear_timer("globex", &"tm_3".into()).await.unwrap();
    s.store.clear_timer("acme", &"tm_3".into()).await.unwrap();
    s.store.clear_timer("acme", &"tm_3".into()).await.unwrap();
    assert_eq!(s.store.due_timers(10).await.unwrap(), [timer("tm_1", 3)]);
    assert_eq!(s.store.next_due().await.unwrap(), Some(now.plus(9 * Timestamp::SECOND)));
}

/// The next moment of work is the earliest in the future, or none.
pub async fn next_due_is_the_earliest(s: &Subject) {
    assert_eq!(s.store.next_due().await.unwrap(), None);
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let due = s.store.now().plus(EFFECT_LEASE + 1);
    let timers = vec![TimerRow { id: "tm_1".into(), lane: lane("C1"), due, about: String::new() }];
    writer.commit(TurnCommit { timers, ..writer.turn_with_effects(vec![loose("fx_1")]) }).await;
    assert_eq!(s.store.next_due().await.unwrap(), Some(due), "what may start now is not in the future");
    lease(&*s.store).await;
    assert_eq!(s.store.next_due().await.unwrap(), Some(s.store.now().plus(EFFECT_LEASE)));
}
