//! [`Store`](crate::Store): counts, a tried write, and a clock that is set back.

use throughline_engine::{Millis, Timestamp};

use super::fixture::{LaneWriter, accept, delivery, ends, lane, lease, lease_ids, loose};
use super::{START, Subject};
use crate::{
    Claim, Counts, EFFECT_LEASE, EffectState, FAILING, LONGEST_PLAN, OutboxRow, Performer, SettleTo,
    Settlement, TimerRow, TurnCommit,
};

const YEAR: Millis = 365 * Timestamp::DAY;

/// Counts are over all tenants.
pub async fn counts(s: &Subject) {
    assert_eq!(s.store.counts().await.unwrap(), Counts::default());
    s.store.writable().await.unwrap();
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(vec![loose("fx_1"), loose("fx_2")]).await;
    s.store.accept(delivery(&lane("C2"), "k")).await.unwrap();
    s.clock.advance(Timestamp::SECOND);
    let counts = s.store.counts().await.unwrap();
    let expected =
        Counts { waiting: 1, open_effects: 2, lanes: 2, oldest_due: Timestamp::SECOND, ..Counts::default() };
    assert_eq!(counts, Counts { oldest_waiting: Timestamp::SECOND, ..expected });
}

/// Counts tell what does not go on: how long the oldest row waits, and lanes that fail again and again.
pub async fn what_is_stuck_is_counted(s: &Subject) {
    let first = accept(&*s.store, &lane("C1"), "a").await;
    s.clock.advance(Timestamp::MINUTE);
    accept(&*s.store, &lane("C2"), "b").await;
    for n in 1..=FAILING {
        assert_eq!(s.store.counts().await.unwrap().failing_lanes, 0);
        assert_eq!(s.store.count_failure(&lane("C1"), first).await.unwrap(), n);
    }
    let counts = s.store.counts().await.unwrap();
    assert_eq!((counts.failing_lanes, counts.oldest_waiting), (1, Timestamp::MINUTE));
}

fn timer(due: Timestamp) -> TimerRow {
    TimerRow { id: "tm_1".into(), lane: lane("C1"), due, about: String::new() }
}

fn retry(id: &str, fence: i64, at: Timestamp) -> Settlement {
    Settlement { to: SettleTo::Retry(at), ..ends(id, Some(fence), EffectState::Done) }
}

fn hosted(id: &str, deadline: Timestamp) -> OutboxRow {
    OutboxRow { performer: Performer::Host, deadline: Some(deadline), ..loose(id) }
}

/// A clock that was a year ahead is set right: what was planned meanwhile waits as long as it would have, and no longer.
pub async fn a_clock_set_back_keeps_nothing_waiting(s: &Subject) {
    s.clock.advance(YEAR);
    let ahead = s.store.now();
    accept(&*s.store, &lane("C2"), "k").await;
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let effects =
        vec![loose("fx_1"), loose("fx_2"), hosted("fx_3", ahead.plus(Timestamp::MINUTE)), loose("fx_4")];
    let timers = vec![timer(ahead.plus(Timestamp::MINUTE))];
    writer.commit(TurnCommit { timers, ..writer.turn_with_effects(effects) }).await;
    let leased = s.store.lease("w", 2).await.unwrap();
    assert!(s.store.settle(retry("fx_2", leased[1].fence, ahead.plus(5_000))).await.unwrap());

    s.clock.set(START);
    assert_eq!(lease_ids(&*s.store).await, ["fx_4"], "what was due is due");
    s.clock.advance(5_000);
    assert_eq!(lease_ids(&*s.store).await, ["fx_2"], "a retry waits as long as it would have");
    assert_eq!(s.store.due_timers(10).await.unwrap(), []);
    s.clock.advance(EFFECT_LEASE);
    assert!(
        lease_ids(&*s.store).await.contains(&"fx_1".to_owned()),
        "a lease is over when it would have been"
    );
    assert_eq!(s.store.due_timers(10).await.unwrap(), [timer(START.plus(Timestamp::MINUTE))]);
    let overdue = s.store.overdue(10).await.unwrap();
    assert_eq!(overdue.iter().map(|late| late.row.id.as_str()).collect::<Vec<_>>(), ["fx_3"]);
    let row = &s.store.waiting(&lane("C2"), 1).await.unwrap()[0];
    assert!(row.received_at <= s.store.now(), "an event was received in the past");
    let effect = s.store.effect("acme", &"fx_1".into()).await.unwrap().unwrap();
    assert!(effect.created_at <= s.store.now(), "an effect's age is not negative");
    assert_eq!(s.store.counts().await.unwrap().far_effects, 0);
}

/// The deadlines of a turn count from the time at which it was decided, if the clock was set back before its commit.
pub async fn a_turn_from_before_the_clock_was_set_back(s: &Subject) {
    s.clock.advance(YEAR);
    let ahead = s.store.now();
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let effects = vec![hosted("fx_1", ahead.plus(Timestamp::MINUTE))];
    let turn = TurnCommit {
        timers: vec![timer(ahead.plus(Timestamp::MINUTE))],
        ..writer.turn_with_effects(effects)
    };
    s.clock.set(START);
    writer.commit(turn).await;
    s.clock.advance(Timestamp::MINUTE);
    assert_eq!(s.store.due_timers(10).await.unwrap(), [timer(START.plus(Timestamp::MINUTE))]);
    assert_eq!(s.store.overdue(10).await.unwrap().len(), 1);
}

/// A claim that was taken while the clock was ahead keeps nobody out once it is right.
pub async fn a_lease_from_the_future_is_over(s: &Subject) {
    s.clock.advance(YEAR);
    let writer = LaneWriter::claim_as("a", &*s.store, &lane("C1")).await;
    s.clock.set(START);
    let claim = s.store.claim(&lane("C1"), "b").await.unwrap();
    assert!(matches!(claim, Claim::Ours { epoch, .. } if epoch > writer.epoch), "{claim:?}");
}

/// However late a worker says, an attempt is planned for soon.
pub async fn an_attempt_is_planned_for_soon(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(vec![loose("fx_1")]).await;
    let leased = lease(&*s.store).await;
    assert!(s.store.settle(retry("fx_1", leased[0].fence, START.plus(YEAR))).await.unwrap());
    assert_eq!(lease_ids(&*s.store).await, [""; 0]);
    s.clock.advance(LONGEST_PLAN);
    assert_eq!(lease_ids(&*s.store).await, ["fx_1"]);
}
