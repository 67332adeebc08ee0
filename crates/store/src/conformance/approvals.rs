//! [`Approvals`](crate::Approvals): consumed once, at the version that was shown, before they expire. Outward effects
//! need one.

use throughline_engine::Timestamp;
use throughline_engine::data::action::Action;
use throughline_engine::data::approval::{Approval, ApprovalChange, CloseReason};
use throughline_engine::data::effect::{ApprovalRef, EffectClass};

use super::Subject;
use super::fixture::{
    LaneWriter, approval, assert_refused, create, decide, decide_on, effect, hash, lane, lease_ids, put,
    released,
};
use crate::{ApprovalState, CommitResult, OutboxRow, Store, TurnCommit};

async fn state(s: &Subject, card: &str) -> ApprovalState {
    s.store.approval("acme", &card.into()).await.unwrap().unwrap().state
}

async fn try_decide(writer: &mut LaneWriter<'_>, card: &str, version: u32) -> CommitResult {
    let approvals = vec![decide(card, version, Action::Approve)];
    let turn = TurnCommit { approvals, ..writer.turn() };
    writer.try_commit(turn).await.unwrap()
}

/// Only the newest version of a card can be decided.
pub async fn a_newer_version_supersedes(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.open_approval(approval("ap_1", 1, None)).await;
    writer.open_approval(approval("ap_1", 2, None)).await;
    let current = s.store.approval("acme", &"ap_1".into()).await.unwrap().unwrap();
    assert_eq!((current.approval, current.state), (approval("ap_1", 2, None), ApprovalState::Pending));
    assert_eq!(current.lane, lane("C1"));
    assert_eq!(try_decide(&mut writer, "ap_1", 1).await, CommitResult::ApprovalLost);
    assert_eq!(try_decide(&mut writer, "ap_1", 2).await, CommitResult::Committed);
    assert_eq!(s.store.approval("globex", &"ap_1".into()).await.unwrap(), None);
    let again =
        TurnCommit { approvals: vec![ApprovalChange::Open(approval("ap_1", 2, None))], ..writer.turn() };
    assert_refused(writer.try_commit(again).await);
}

/// The second decision loses and the first stays.
pub async fn an_approval_is_consumed_once(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.open_approval(approval("ap_1", 1, None)).await;
    writer.approve("ap_1", 1, vec![create("fx_1", "ap_1", 1)]).await;
    let again = TurnCommit { approvals: vec![decide("ap_1", 1, Action::Reject)], ..writer.turn() };
    assert_eq!(writer.try_commit(again).await.unwrap(), CommitResult::ApprovalLost);
    assert_eq!(state(s, "ap_1").await, ApprovalState::Decided { change: decide("ap_1", 1, Action::Approve) });
    assert_eq!(lease_ids(&*s.store).await, ["fx_1"]);
}

/// An approval can be decided until and including the millisecond of its expiry.
pub async fn expiry_is_the_stores_time(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let expires = s.store.now().plus(Timestamp::MINUTE);
    writer.open_approval(approval("ap_1", 1, Some(expires))).await;
    writer.open_approval(approval("ap_2", 1, Some(expires))).await;
    s.clock.advance(Timestamp::MINUTE);
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    assert_eq!(try_decide(&mut writer, "ap_1", 1).await, CommitResult::Committed);
    s.clock.advance(1);
    assert_eq!(try_decide(&mut writer, "ap_2", 1).await, CommitResult::ApprovalLost);
    assert_eq!(state(s, "ap_2").await, ApprovalState::Pending);
}

/// Closing a pending approval records the reason; closing a decided one changes nothing.
pub async fn closing_ends_what_is_pending(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let ends = [
        ("ap_1", CloseReason::Expired, ApprovalState::Expired),
        ("ap_2", CloseReason::Superseded, ApprovalState::Superseded),
        ("ap_3", CloseReason::Cancelled, ApprovalState::Cancelled),
    ];
    for (card, how, ended) in ends {
        writer.open_approval(approval(card, 1, None)).await;
        let close = || vec![ApprovalChange::Close { card: card.into(), version: 1, how }];
        writer.commit(TurnCommit { approvals: close(), ..writer.turn() }).await;
        assert_eq!(state(s, card).await, ended);
        assert_eq!(try_decide(&mut writer, card, 1).await, CommitResult::ApprovalLost);
    }
    writer.open_approval(approval("ap_4", 1, None)).await;
    assert_eq!(try_decide(&mut writer, "ap_4", 1).await, CommitResult::Committed);
    let late = vec![ApprovalChange::Close { card: "ap_4".into(), version: 1, how: CloseReason::Expired }];
    writer.commit(TurnCommit { approvals: late, ..writer.turn() }).await;
    assert!(matches!(state(s, "ap_4").await, ApprovalState::Decided { .. }));
}

/// The list has each card once, at its current version, newest first.
pub async fn approvals_are_listed_newest_first(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    for (card, version) in [("ap_1", 1), ("ap_2", 1), ("ap_1", 2), ("ap_3", 1)] {
        writer.open_approval(approval(card, version, None)).await;
    }
    assert_eq!(try_decide(&mut writer, "ap_2", 1).await, CommitResult::Committed);
    let list = async |pending, limit| {
        let rows = s.store.approvals("acme", pending, limit).await.unwrap();
        rows.into_iter().map(|row| (row.approval.card.0, row.approval.version)).collect::<Vec<_>>()
    };
    assert_eq!(list(true, 10).await, [("ap_3".into(), 1), ("ap_1".into(), 2)]);
    assert_eq!(list(false, 10).await, [("ap_3".into(), 1), ("ap_1".into(), 2), ("ap_2".into(), 1)]);
    assert_eq!(list(true, 1).await.len(), 1);
    assert_eq!(s.store.approvals("globex", false, 10).await.unwrap(), []);
    assert_eq!(s.store.counts().await.unwrap().approvals, 2);
}

/// The pending approvals of a lane are found, each at its current version, and no others.
pub async fn the_awaited_approvals_of_a_lane_are_found(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let mut other = LaneWriter::claim(&*s.store, &lane("C2")).await;
    other.open_approval(approval("ap_9", 1, None)).await;
    for (card, version) in [("ap_2", 1), ("ap_1", 1), ("ap_2", 2), ("ap_3", 1), ("ap_4", 1)] {
        writer.open_approval(approval(card, version, None)).await;
    }
    assert_eq!(try_decide(&mut writer, "ap_3", 1).await, CommitResult::Committed);
    let close = ApprovalChange::Close { card: "ap_4".into(), version: 1, how: CloseReason::Cancelled };
    writer.commit(TurnCommit { approvals: vec![close], ..writer.turn() }).await;
    let found = s.store.awaited(&lane("C1")).await.unwrap();
    let found: Vec<_> = found.into_iter().map(|row| (row.approval.card.0, row.approval.version)).collect();
    assert_eq!(found, [("ap_1".into(), 1), ("ap_2".into(), 2)]);
    assert_eq!(s.store.awaited(&lane("C9")).await.unwrap(), []);
}

/// An outward effect that names no approval refuses its whole turn.
pub async fn outward_without_approval_refuses_the_turn(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let naked = effect("fx_1", EffectClass::TrackerCreate, "");
    let turn = TurnCommit { records: vec![put("task", "t_1", "x")], ..writer.turn_with_effects(vec![naked]) };
    assert_refused(writer.try_commit(turn).await);
    assert_eq!(s.store.load(&lane("C1")).await.unwrap(), None);
    assert_eq!(s.store.effect("acme", &"fx_1".into()).await.unwrap(), None);
    writer.commit(writer.turn()).await;
}

/// An outward effect with other bytes than its approval releases refuses its whole turn; with those bytes it is taken, as
/// often as the turn says, and in later turns.
pub async fn outward_is_what_was_approved(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.open_approval(approval("ap_1", 1, None)).await;
    let altered = |id: &str| OutboxRow { payload: "altered".into(), ..create(id, "ap_1", 1) };
    let approvals = vec![decide("ap_1", 1, Action::Approve)];
    let records = vec![put("task", "t_1", "x")];
    let turn = TurnCommit { approvals, records, ..writer.turn_with_effects(vec![altered("fx_1")]) };
    assert_refused(writer.try_commit(turn.clone()).await);
    assert_eq!(state(s, "ap_1").await, ApprovalState::Pending);
    assert_eq!(s.store.effect("acme", &"fx_1".into()).await.unwrap(), None);
    let twice = writer.turn_with_effects(vec![create("fx_1", "ap_1", 1), create("fx_2", "ap_1", 1)]);
    writer.commit(TurnCommit { outbox: twice.outbox, ..turn }).await;
    assert_refused(writer.try_commit(writer.turn_with_effects(vec![altered("fx_3")])).await);
    writer.commit_effects(vec![create("fx_3", "ap_1", 1)]).await;
    let reply = OutboxRow { outward: false, class: EffectClass::Reply, ..altered("fx_4") };
    writer.commit_effects(vec![reply]).await;
    assert_eq!(lease_ids(&*s.store).await, ["fx_1", "fx_2", "fx_3", "fx_4"]);
}

/// An effect of a class that leaves its thread is outward, whatever its row says: a row that says otherwise refuses its
/// whole turn.
pub async fn what_leaves_a_thread_is_outward(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    for class in EffectClass::ALL {
        let row = OutboxRow { outward: false, ..effect(&format!("fx_{}", class.as_str()), class, "") };
        let committed = writer.try_commit(writer.turn_with_effects(vec![row])).await;
        if class.always_leaves() {
            assert_refused(committed);
        } else {
            assert_eq!(committed.unwrap(), CommitResult::Committed, "{}", class.as_str());
        }
    }
}

/// A decision on other bytes than its approval shows is refused, and so are the bytes of another version.
pub async fn a_decision_is_on_what_was_shown(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.open_approval(approval("ap_1", 1, None)).await;
    writer.open_approval(approval("ap_1", 2, None)).await;
    let (shown, one, two) =
        (Some(hash("{}")), vec![hash(&released("ap_1", 1))], vec![hash(&released("ap_1", 2))]);
    for other in [
        decide_on("ap_1", 2, Some(hash("other")), two.clone()),
        decide_on("ap_1", 2, shown.clone(), one.clone()),
        decide_on("ap_1", 2, shown.clone(), Vec::new()),
    ] {
        assert_refused(writer.try_commit(TurnCommit { approvals: vec![other], ..writer.turn() }).await);
        assert_eq!(state(s, "ap_1").await, ApprovalState::Pending);
    }
    let old = OutboxRow { payload: released("ap_1", 1), ..create("fx_1", "ap_1", 2) };
    let approvals = vec![decide_on("ap_1", 2, shown, two.clone())];
    let turn = TurnCommit { approvals, ..writer.turn_with_effects(vec![old]) };
    assert_refused(writer.try_commit(turn.clone()).await);
    writer.commit(TurnCommit { outbox: Vec::new(), ..turn }).await;
    let of = async |version| {
        let approval = ApprovalRef { card: "ap_1".into(), version };
        s.store.released("acme", &approval).await.unwrap()
    };
    assert_eq!((of(1).await, of(2).await), (Some(Vec::new()), Some(two)));
}

/// An approval that lists nothing, because an earlier version opened it, takes the list of its decision.
pub async fn an_approval_without_a_list_takes_the_decisions(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.open_approval(Approval { releases: Vec::new(), ..approval("ap_1", 1, None) }).await;
    let other = decide_on("ap_1", 1, Some(hash("other")), Vec::new());
    assert_refused(writer.try_commit(TurnCommit { approvals: vec![other], ..writer.turn() }).await);
    writer.approve("ap_1", 1, vec![create("fx_1", "ap_1", 1)]).await;
    assert_eq!(lease_ids(&*s.store).await, ["fx_1"]);
}

/// A pending approval, another version or another tenant's does not count as consumed.
pub async fn outward_needs_that_very_consumption(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    assert_refused(writer.try_commit(writer.turn_with_effects(vec![create("fx_1", "ap_1", 1)])).await);
    writer.open_approval(approval("ap_1", 1, None)).await;
    assert_refused(writer.try_commit(writer.turn_with_effects(vec![create("fx_1", "ap_1", 1)])).await);
    writer.approve("ap_1", 1, Vec::new()).await;
    assert_refused(writer.try_commit(writer.turn_with_effects(vec![create("fx_1", "ap_1", 2)])).await);

    let theirs = super::fixture::lane_of("globex", "C1");
    let mut other = LaneWriter::claim(&*s.store, &theirs).await;
    assert_refused(other.try_commit(other.turn_with_effects(vec![create("fx_1", "ap_1", 1)])).await);
}

/// Rejecting, editing and cancelling decide a card and release nothing.
pub async fn a_refusal_releases_nothing(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    for (card, action) in [("ap_1", Action::Reject), ("ap_2", Action::Edit), ("ap_3", Action::Cancel)] {
        writer.open_approval(approval(card, 1, None)).await;
        let approvals = vec![decide(card, 1, action)];
        let turn = TurnCommit { approvals, ..writer.turn_with_effects(vec![create("fx_1", card, 1)]) };
        assert_refused(writer.try_commit(turn.clone()).await);
        assert_eq!(state(s, card).await, ApprovalState::Pending);
        writer.commit(TurnCommit { outbox: Vec::new(), ..turn }).await;
        assert_eq!(state(s, card).await, ApprovalState::Decided { change: decide(card, 1, action) });
    }
}

/// An approval that an earlier turn consumed still releases: *create again*, *adopt* and the rest of a batch.
pub async fn an_earlier_consumption_counts(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    for (card, action) in [("ap_1", Action::Approve), ("ap_2", Action::CreateAgain), ("ap_3", Action::Adopt)]
    {
        writer.open_approval(approval(card, 1, None)).await;
        writer.commit(TurnCommit { approvals: vec![decide(card, 1, action)], ..writer.turn() }).await;
        writer.commit_effects(vec![create(&format!("fx_{card}"), card, 1)]).await;
    }
    assert_eq!(lease_ids(&*s.store).await.len(), 3);
}

/// Losing an approval leaves the lane as it was, to be stepped again.
pub async fn a_lost_approval_writes_nothing(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.open_approval(approval("ap_1", 1, None)).await;
    let mut rival = LaneWriter::claim(&*s.store, &lane("C2")).await;
    rival.approve("ap_1", 1, Vec::new()).await;
    let approvals = vec![ApprovalChange::Open(approval("ap_2", 1, None)), decide("ap_1", 1, Action::Approve)];
    let records = vec![put("task", "t_1", "x")];
    let turn = TurnCommit { approvals, records, ..writer.turn_with_effects(vec![create("fx_1", "ap_1", 1)]) };
    assert_eq!(writer.try_commit(turn).await.unwrap(), CommitResult::ApprovalLost);
    assert_eq!(s.store.approval("acme", &"ap_2".into()).await.unwrap(), None);
    assert_eq!(s.store.effect("acme", &"fx_1".into()).await.unwrap(), None);
    let stored = s.store.load(&lane("C1")).await.unwrap().unwrap();
    assert_eq!((stored.revision, stored.records.len()), (1, 0));
    writer.commit(writer.turn()).await;
}

/// Many people in many lanes decide one approval at once: one of them wins.
pub async fn many_deciders_one_winner(s: &Subject) {
    let mut opener = LaneWriter::claim(&*s.store, &lane("C0")).await;
    opener.open_approval(approval("ap_1", 1, None)).await;
    let results = std::thread::scope(|scope| {
        let deciders: Vec<_> = (1..=16)
            .map(|n| {
                let store = s.store.clone();
                scope.spawn(move || super::block_on(decide_in(&*store, n)))
            })
            .collect();
        deciders.into_iter().map(|decider| decider.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(results.iter().filter(|result| **result == CommitResult::Committed).count(), 1);
    assert_eq!(results.iter().filter(|result| **result == CommitResult::ApprovalLost).count(), 15);
    assert_eq!(s.store.effects("acme", None, None, 100).await.unwrap().len(), 1);
}

async fn decide_in(store: &dyn Store, n: u32) -> CommitResult {
    let mut writer = LaneWriter::claim(store, &lane(&format!("C{n}"))).await;
    let approvals = vec![decide("ap_1", 1, Action::Approve)];
    let outbox = vec![create(&format!("fx_{n}"), "ap_1", 1)];
    let turn = TurnCommit { approvals, ..writer.turn_with_effects(outbox) };
    writer.try_commit(turn).await.unwrap()
}
