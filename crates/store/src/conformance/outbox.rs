//! Effects: in order, by one worker at a time, never begun unmarked, never ended twice.

use throughline_engine::Timestamp;
use throughline_engine::effect::EffectClass;

use super::Subject;
use super::fixture::{
    Hand, after, approval, assert_refused, attempt, create, delivery, effect, ends, lane, lane_of, lease,
    lease_ids, loose, perform, put, reply, settled,
};
use crate::{
    Accepted, Delivery, EFFECT_LEASE, EffectState, Mark, OutboxRow, PauseRow, Performer, SettleTo,
    Settlement, StoredEffect, TimerRow, TurnCommit,
};

const NONE: [&str; 0] = [];

/// What is leased is not leased to anybody else.
pub async fn an_effect_is_leased_once(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let turn = hand.planning(vec![loose("fx_1"), loose("fx_2"), loose("fx_3")]);
    let id = turn.log.turn.clone();
    hand.commit(turn).await;
    let first = s.store.lease("w1", 2).await.unwrap();
    assert_eq!(first.len(), 2);
    assert!(first.iter().all(|leased| leased.fence > 0 && !leased.found_attempted));
    let effect = &first[0].effect;
    assert_eq!(
        (effect.row.id.as_str(), &effect.lane, &effect.turn, effect.revision),
        ("fx_1", &lane("C1"), &id, 1)
    );
    assert_eq!((effect.state, effect.attempts, &effect.outcome), (EffectState::Planned, 0, &None));
    assert_eq!((effect.created_at, effect.not_before), (s.store.now(), s.store.now()));
    let rest = s.store.lease("w2", 10).await.unwrap();
    assert_eq!(rest.iter().map(|leased| leased.effect.row.id.as_str()).collect::<Vec<_>>(), ["fx_3"]);
    assert_eq!(lease_ids(&*s.store).await, NONE);
}

/// After the lease somebody else may have it; the first worker can neither begin nor end it.
pub async fn a_lease_that_ran_out_is_fenced(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.plan(vec![loose("fx_1")]).await;
    let old = lease(&*s.store).await.remove(0);
    s.clock.advance(EFFECT_LEASE - 1);
    assert_eq!(lease_ids(&*s.store).await, NONE);
    s.clock.advance(1);
    assert_eq!(s.store.mark("acme", &"fx_1".into(), old.fence).await.unwrap(), Mark::LeaseLost, "it is over");
    let new = lease(&*s.store).await.remove(0);
    assert!(new.fence > old.fence && !new.found_attempted);
    assert_eq!(s.store.mark("acme", &"fx_1".into(), old.fence).await.unwrap(), Mark::LeaseLost);
    assert!(!s.store.settle(settled("fx_1", Some(old.fence))).await.unwrap());
    assert_eq!(s.store.mark("acme", &"fx_1".into(), new.fence).await.unwrap(), Mark::Attempt(1));
    assert_eq!(s.store.mark("globex", &"fx_1".into(), new.fence).await.unwrap(), Mark::LeaseLost);
    assert!(s.store.settle(settled("fx_1", Some(new.fence))).await.unwrap());
}

/// Strictly one after the other within a stream, across turns; streams, lanes and loose effects do not wait.
pub async fn a_stream_goes_out_in_order(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.plan(vec![reply("fx_1"), reply("fx_2"), loose("fx_3"), loose("fx_4")]).await;
    hand.plan(vec![reply("fx_5"), effect("fx_6", EffectClass::CardUpdate, "card:cd_1")]).await;
    let mut other = Hand::on(&*s.store, &lane("C2")).await;
    other.plan(vec![reply("fx_7")]).await;
    let leased = lease(&*s.store).await;
    let ids: Vec<_> = leased.iter().map(|leased| leased.effect.row.id.as_str()).collect();
    assert_eq!(ids, ["fx_1", "fx_3", "fx_4", "fx_6", "fx_7"]);
    s.store.mark("acme", &"fx_1".into(), leased[0].fence).await.unwrap();
    assert_eq!(lease_ids(&*s.store).await, NONE, "one that is attempted blocks");
    assert!(s.store.settle(settled("fx_1", Some(leased[0].fence))).await.unwrap());
    perform(&*s.store, "fx_2", EffectState::Done).await;
    assert_eq!(lease_ids(&*s.store).await, ["fx_5"]);
}

/// The prompt an effect was to send goes when it ends, however it ends: its fingerprints stay, the hash of the whole, and
/// what anything else was to do.
pub async fn a_prompt_goes_with_the_end_of_its_effect(s: &Subject) {
    let whole = r#"{"messages":["a"],"prompt":{"context_fingerprint":"ab","sections":[["rules","be brief"]]},"text":"x"}"#;
    let left = r#"{"prompt":{"context_fingerprint":"ab"},"text":"x"}"#;
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let says = |id: &str, class| OutboxRow { payload: whole.into(), ..effect(id, class, "one") };
    let ask = |id: &str| says(id, EffectClass::ModelAsk);
    hand.plan(vec![
        ask("fx_1"),
        ask("fx_2"),
        ask("fx_3"),
        says("fx_4", EffectClass::AgentDelegate),
        says("fx_5", EffectClass::ToolCall),
        ask("fx_6"),
        ask("fx_7"),
    ])
    .await;
    let hash = s.store.effect("acme", &"fx_1".into()).await.unwrap().unwrap().payload_sha256;
    perform(&*s.store, "fx_1", EffectState::Done).await;
    perform(&*s.store, "fx_2", EffectState::Failed).await;
    perform(&*s.store, "fx_3", EffectState::Uncertain).await;
    perform(&*s.store, "fx_4", EffectState::Done).await;
    perform(&*s.store, "fx_5", EffectState::Done).await;
    hand.commit(TurnCommit { cancel: vec!["fx_6".into()], ..hand.turn() }).await;
    for (id, payload) in [
        ("fx_1", left),
        ("fx_2", left),
        ("fx_3", whole),
        ("fx_4", left),
        ("fx_5", whole),
        ("fx_6", left),
        ("fx_7", whole),
    ] {
        let found = s.store.effect("acme", &id.into()).await.unwrap().unwrap();
        assert_eq!((found.row.payload.as_str(), found.payload_sha256.as_str()), (payload, &*hash), "{id}");
    }
}

/// Done, failed, uncertain and cancelled effects hold nothing back.
pub async fn what_has_ended_does_not_block(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.plan(["fx_1", "fx_2", "fx_3", "fx_4", "fx_5"].map(reply).to_vec()).await;
    perform(&*s.store, "fx_1", EffectState::Done).await;
    perform(&*s.store, "fx_2", EffectState::Failed).await;
    perform(&*s.store, "fx_3", EffectState::Uncertain).await;
    hand.commit(TurnCommit { cancel: vec!["fx_4".into()], ..hand.turn() }).await;
    assert_eq!(lease_ids(&*s.store).await, ["fx_5"]);
}

/// One that waits for a retry holds back later ones of its stream, and comes again when it is time.
pub async fn a_retry_blocks_and_waits(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.plan(vec![reply("fx_1"), reply("fx_2")]).await;
    let fence = attempt(&*s.store, "fx_1").await;
    let at = s.store.now().plus(5 * Timestamp::SECOND);
    let retry = || Settlement { to: SettleTo::Retry(at), ..settled("fx_1", Some(fence)) };
    assert!(s.store.settle(retry()).await.unwrap());
    assert!(!s.store.settle(retry()).await.unwrap(), "a settled attempt is over");
    assert_eq!(s.store.mark("acme", &"fx_1".into(), fence).await.unwrap(), Mark::LeaseLost);
    let effect = s.store.effect("acme", &"fx_1".into()).await.unwrap().unwrap();
    assert_eq!((effect.state, effect.attempts, effect.not_before), (EffectState::Planned, 1, at));
    s.clock.advance(5 * Timestamp::SECOND - 1);
    assert_eq!(lease_ids(&*s.store).await, NONE);
    assert_eq!(s.store.next_due().await.unwrap(), Some(at));
    s.clock.advance(1);
    let leased = lease(&*s.store).await.remove(0);
    assert!(leased.fence > fence && !leased.found_attempted);
    assert_eq!(s.store.mark("acme", &"fx_1".into(), leased.fence).await.unwrap(), Mark::Attempt(2));
}

/// What nobody knows of one attempt is known at every later one, until the effect ends.
pub async fn an_unsure_attempt_is_remembered(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.plan(vec![loose("fx_1")]).await;
    let ways = [
        (SettleTo::Retry(s.store.now()), None),
        (SettleTo::Unsure(s.store.now(), "who knows".into()), Some("who knows")),
        (SettleTo::Retry(s.store.now()), Some("who knows")),
        (SettleTo::End(EffectState::Done, "done".into()), Some("done")),
    ];
    for (to, kept) in ways {
        let fence = attempt(&*s.store, "fx_1").await;
        assert!(s.store.settle(Settlement { to, ..settled("fx_1", Some(fence)) }).await.unwrap());
        let effect = s.store.effect("acme", &"fx_1".into()).await.unwrap().unwrap();
        assert_eq!(effect.outcome.as_deref(), kept);
    }
}

/// An effect starts when everything it depends on is done, in this turn or an earlier one.
pub async fn dependents_wait_until_done(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.plan(vec![loose("fx_1"), after(loose("fx_2"), &["fx_1"])]).await;
    hand.plan(vec![after(loose("fx_3"), &["fx_1", "fx_2"])]).await;
    perform(&*s.store, "fx_1", EffectState::Done).await;
    hand.plan(vec![after(loose("fx_4"), &["fx_2", "fx_1"])]).await;
    perform(&*s.store, "fx_2", EffectState::Done).await;
    let leased = lease(&*s.store).await;
    assert_eq!(leased.iter().map(|l| l.effect.row.id.as_str()).collect::<Vec<_>>(), ["fx_3", "fx_4"]);
    assert_eq!(leased[0].effect.row.depends_on, ["fx_1".into(), "fx_2".into()]);
}

/// What depends on one that failed or was cancelled fails with it, and so on, in the same settlement.
pub async fn dependents_fail_with_it(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let chain = || vec![after(loose("fx_2"), &["fx_1"]), after(loose("fx_3"), &["fx_2"]), loose("fx_4")];
    hand.plan([vec![loose("fx_1")], chain()].concat()).await;
    let leased = lease(&*s.store).await;
    assert!(s.store.settle(ends("fx_1", Some(leased[0].fence), EffectState::Failed)).await.unwrap());
    for id in ["fx_2", "fx_3"] {
        let effect = s.store.effect("acme", &id.into()).await.unwrap().unwrap();
        assert_eq!(effect.state, EffectState::Failed);
        let outcome = effect.outcome.unwrap();
        assert!(outcome.starts_with(r#"{"as":"failed","reason":"dependency","text":""#), "{outcome}");
    }
    assert_eq!(hand.state("fx_4").await, EffectState::Planned);

    hand.plan(vec![loose("fx_5"), after(loose("fx_6"), &["fx_5"])]).await;
    hand.commit(TurnCommit { cancel: vec!["fx_5".into()], ..hand.turn() }).await;
    assert_eq!(
        (hand.state("fx_5").await, hand.state("fx_6").await),
        (EffectState::Cancelled, EffectState::Failed)
    );
}

/// Nobody knows: dependents wait until somebody does.
pub async fn uncertain_keeps_dependents_waiting(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.plan(vec![loose("fx_1"), after(loose("fx_2"), &["fx_1"])]).await;
    perform(&*s.store, "fx_1", EffectState::Uncertain).await;
    assert_eq!(lease_ids(&*s.store).await, NONE);
    assert_eq!(hand.state("fx_2").await, EffectState::Planned);
    assert!(s.store.settle(settled("fx_1", None)).await.unwrap(), "a search found it");
    assert_eq!(lease_ids(&*s.store).await, ["fx_2"]);
}

/// An effect that comes after its dependency failed does not wait for ever.
pub async fn a_late_dependent_fails_at_once(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.plan(vec![loose("fx_1")]).await;
    perform(&*s.store, "fx_1", EffectState::Failed).await;
    hand.plan(vec![after(loose("fx_2"), &["fx_1"]), after(reply("fx_3"), &["fx_2"]), reply("fx_4")]).await;
    assert_eq!(
        (hand.state("fx_2").await, hand.state("fx_3").await),
        (EffectState::Failed, EffectState::Failed)
    );
    assert_eq!(lease_ids(&*s.store).await, ["fx_4"]);
}

/// A dependency that is not there is a bug of the caller, as is an effect id that is.
pub async fn an_unknown_dependency_refuses_the_turn(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    assert_refused(hand.try_commit(hand.planning(vec![after(loose("fx_1"), &["fx_0"])])).await);
    assert_refused(hand.try_commit(hand.planning(vec![loose("fx_1"), loose("fx_1")])).await);
    assert_eq!(s.store.effect("acme", &"fx_1".into()).await.unwrap(), None);
    hand.plan(vec![loose("fx_1")]).await;
    assert_refused(hand.try_commit(hand.planning(vec![loose("fx_1")])).await);
}

/// Only the newest state of a card is worth showing; one that is on its way is let through.
pub async fn a_newer_card_update_supersedes(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let update = |id: &str, card: &str| effect(id, EffectClass::CardUpdate, &format!("card:{card}"));
    hand.plan(vec![update("fx_1", "cd_1"), update("fx_2", "cd_2")]).await;
    hand.plan(vec![update("fx_3", "cd_1")]).await;
    assert_eq!(hand.state("fx_1").await, EffectState::Cancelled);
    let leased = lease(&*s.store).await;
    assert_eq!(leased.iter().map(|l| l.effect.row.id.as_str()).collect::<Vec<_>>(), ["fx_2", "fx_3"]);
    s.store.mark("acme", &"fx_3".into(), leased[1].fence).await.unwrap();
    hand.plan(vec![update("fx_4", "cd_1"), update("fx_5", "cd_1"), update("fx_6", "cd_2")]).await;
    assert_eq!(hand.state("fx_3").await, EffectState::Attempted);
    assert_eq!(
        (hand.state("fx_4").await, hand.state("fx_5").await),
        (EffectState::Cancelled, EffectState::Planned)
    );
    let lost = s.store.mark("acme", &"fx_2".into(), leased[0].fence).await.unwrap();
    assert_eq!(lost, Mark::LeaseLost, "it was leased and not begun");
}

/// Offered until reported, once, or until the deadline.
pub async fn hosts_report_once(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let deadline = Some(s.store.now().plus(Timestamp::DAY));
    let host = |id: &str| OutboxRow { performer: Performer::Host, deadline, ..reply(id) };
    hand.plan(vec![host("fx_1"), host("fx_2"), OutboxRow { deadline: None, ..host("fx_3") }]).await;
    let offered = s.store.effects("acme", Some(&lane("C1")), Some(EffectState::Attempted), 10).await.unwrap();
    assert_eq!(offered.len(), 3);
    assert_eq!((offered[0].attempts, offered[2].row.deadline), (1, deadline));
    assert_eq!(lease_ids(&*s.store).await, NONE);
    assert!(!s.store.settle(settled("fx_1", Some(0))).await.unwrap(), "nobody holds a lease of it");
    assert!(s.store.settle(settled("fx_1", None)).await.unwrap());
    assert!(!s.store.settle(settled("fx_1", None)).await.unwrap());
    assert!(!s.store.settle(settled("fx_9", None)).await.unwrap());

    assert_eq!(s.store.overdue(10).await.unwrap(), []);
    assert_eq!(s.store.next_due().await.unwrap(), deadline);
    s.clock.advance(Timestamp::DAY);
    let overdue = s.store.overdue(10).await.unwrap();
    assert_eq!(overdue.iter().map(|effect| effect.row.id.as_str()).collect::<Vec<_>>(), ["fx_2"]);
    assert!(s.store.settle(ends("fx_2", None, EffectState::Failed)).await.unwrap());
    assert_eq!(s.store.overdue(10).await.unwrap(), []);
    assert_eq!(s.store.next_due().await.unwrap(), None);
}

/// A host is offered an effect when everything it depends on is done, and never when something of it failed.
pub async fn hosts_are_offered_in_turn(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let host = |id: &str, on: &str| OutboxRow { performer: Performer::Host, ..after(loose(id), &[on]) };
    hand.plan(vec![loose("fx_1"), host("fx_2", "fx_1"), loose("fx_3"), host("fx_4", "fx_3")]).await;
    assert_eq!(hand.state("fx_2").await, EffectState::Planned);
    assert!(!s.store.settle(settled("fx_2", None)).await.unwrap(), "nothing was offered yet");
    let leased = lease(&*s.store).await;
    assert_eq!(leased.len(), 2, "hosts' effects are never leased");
    for (leased, end) in leased.iter().zip([EffectState::Done, EffectState::Failed]) {
        let id = leased.effect.row.id.as_str();
        assert!(s.store.settle(ends(id, Some(leased.fence), end)).await.unwrap());
    }
    assert_eq!(
        (hand.state("fx_2").await, hand.state("fx_4").await),
        (EffectState::Attempted, EffectState::Failed)
    );
    assert!(s.store.settle(settled("fx_2", None)).await.unwrap());
}

/// Every attempt is counted before its first byte; marking renews the lease.
pub async fn marks_are_counted(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.plan(vec![loose("fx_1")]).await;
    let fence = lease(&*s.store).await[0].fence;
    assert_eq!(s.store.mark("acme", &"fx_1".into(), fence + 1).await.unwrap(), Mark::LeaseLost);
    assert_eq!(hand.state("fx_1").await, EffectState::Planned);
    s.clock.advance(EFFECT_LEASE - 1);
    assert_eq!(s.store.mark("acme", &"fx_1".into(), fence).await.unwrap(), Mark::Attempt(1));
    assert_eq!(hand.state("fx_1").await, EffectState::Attempted);
    s.clock.advance(EFFECT_LEASE - 1);
    assert_eq!(s.store.mark("acme", &"fx_1".into(), fence).await.unwrap(), Mark::Attempt(2));
    assert_eq!(s.store.mark("acme", &"fx_9".into(), 1).await.unwrap(), Mark::LeaseLost);
}

/// Outward effects are held by any pause, model asks by a pause of everything; replies go on.
pub async fn the_kill_switch_holds_marks(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.open(approval("ap_1", 1, None)).await;
    hand.approve(
        "ap_1",
        1,
        vec![create("fx_1", "ap_1", 1), effect("fx_2", EffectClass::ModelAsk, ""), reply("fx_3")],
    )
    .await;
    let leased = lease(&*s.store).await;
    let mark = async |n: usize| {
        let leased = &leased[n];
        s.store.mark("acme", &leased.effect.row.id, leased.fence).await.unwrap()
    };
    let pause = |everything| {
        let (by, since, reason) = ("root".into(), s.store.now(), "incident".into());
        Some(PauseRow { by, since, reason, everything })
    };
    s.store.set_pause("globex", pause(true), "audit").await.unwrap();
    assert_eq!(mark(1).await, Mark::Attempt(1), "another tenant's");
    s.store.set_pause("acme", pause(false), "audit").await.unwrap();
    assert_eq!(
        (mark(0).await, mark(1).await, mark(2).await),
        (Mark::Paused, Mark::Attempt(2), Mark::Attempt(1))
    );
    s.store.set_pause("acme", pause(true), "audit").await.unwrap();
    assert_eq!((mark(0).await, mark(1).await, mark(2).await), (Mark::Paused, Mark::Paused, Mark::Attempt(2)));
    assert_eq!(hand.state("fx_1").await, EffectState::Planned);
    s.store.set_pause("acme", None, "audit").await.unwrap();
    assert_eq!((mark(0).await, mark(1).await), (Mark::Attempt(1), Mark::Attempt(3)));
}

/// An attempt whose worker is gone has an unknown outcome, and is said to be found so.
pub async fn found_attempted(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.plan(vec![reply("fx_1"), reply("fx_2")]).await;
    let fence = attempt(&*s.store, "fx_1").await;
    assert_eq!(s.store.next_due().await.unwrap(), Some(s.store.now().plus(EFFECT_LEASE)));
    s.clock.advance(EFFECT_LEASE);
    let found = lease(&*s.store).await;
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].effect.row.id.as_str(), found[0].found_attempted), ("fx_1", true));
    assert_eq!((found[0].effect.state, found[0].effect.attempts), (EffectState::Attempted, 1));
    assert!(!s.store.settle(settled("fx_1", Some(fence))).await.unwrap());
    assert!(s.store.settle(ends("fx_1", Some(found[0].fence), EffectState::Uncertain)).await.unwrap());
    assert_eq!(s.store.counts().await.unwrap().uncertain, 1);
    assert_eq!(lease_ids(&*s.store).await, ["fx_2"]);
}

/// An outcome is written once, with the message it became.
pub async fn a_settlement_counts_once(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let records = vec![put("message", "m_1", "hello")];
    hand.commit(TurnCommit { records, ..hand.planning(vec![reply("fx_1")]) }).await;
    let fence = attempt(&*s.store, "fx_1").await;
    let message = Some(("1700.5".into(), "m_1".into()));
    let settlement = Settlement { message, ..settled("fx_1", Some(fence)) };
    assert!(s.store.settle(settlement.clone()).await.unwrap());
    assert!(!s.store.settle(settlement).await.unwrap());
    assert!(!s.store.settle(Settlement { tenant: "globex".into(), ..settled("fx_1", None) }).await.unwrap());
    assert_eq!(s.store.record(&lane("C1"), "message", "1700.5").await.unwrap().as_deref(), Some("hello"));
    let effect = s.store.effect("acme", &"fx_1".into()).await.unwrap().unwrap();
    assert_eq!((effect.state, effect.outcome.as_deref()), (EffectState::Done, Some("outcome of fx_1")));
    assert_refused(s.store.settle(ends("fx_1", None, EffectState::Planned)).await);
}

/// A message goes out in parts, each on record before the next is leased; telling one twice changes nothing.
pub async fn parts_are_kept_in_order(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let records = vec![put("message", "m_1", "hello")];
    hand.commit(TurnCommit { records, ..hand.planning(vec![reply("fx_1"), reply("fx_2")]) }).await;
    assert_eq!(s.store.sent(&lane("C1"), "m_1").await.unwrap(), [""; 0]);
    for part in ["9.2", "9.1", "9.1"] {
        let fence = attempt(&*s.store, "fx_1").await;
        let message = Some((part.into(), "m_1".into()));
        let to = SettleTo::Retry(s.store.now());
        assert!(s.store.settle(Settlement { message, to, ..settled("fx_1", Some(fence)) }).await.unwrap());
        assert_eq!(s.store.record(&lane("C1"), "message", part).await.unwrap().as_deref(), Some("hello"));
    }
    assert_eq!(s.store.sent(&lane("C1"), "m_1").await.unwrap(), ["9.2", "9.1"]);
    assert_eq!(s.store.sent(&lane("C2"), "m_1").await.unwrap(), [""; 0]);
    let next = s.store.lease("w", 9).await.unwrap();
    assert_eq!(next[0].effect.row.id, "fx_1".into(), "what follows in its stream still waits");
}

fn settling(id: &str, fence: i64) -> Settlement {
    let event = Delivery { kind: "effect.settled".into(), ..delivery(&lane("C1"), &format!("fx:{id}:1")) };
    Settlement { event: Some(event), ..settled(id, Some(fence)) }
}

/// The outcome comes back as an event, durable with it; a lost lease brings none.
pub async fn a_settling_event_is_durable_with_it(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.plan(vec![loose("fx_1")]).await;
    let fence = attempt(&*s.store, "fx_1").await;
    assert!(!s.store.settle(settling("fx_1", fence + 1)).await.unwrap());
    assert_eq!(s.store.waiting(&lane("C1"), 10).await.unwrap(), []);
    assert!(s.store.settle(settling("fx_1", fence)).await.unwrap());
    let rows = s.store.waiting(&lane("C1"), 10).await.unwrap();
    assert_eq!((rows.len(), rows[0].key.as_str(), rows[0].kind.as_str()), (1, "fx:fx_1:1", "effect.settled"));
    assert_eq!(s.store.lanes_with_work(10).await.unwrap(), [lane("C1")]);
}

/// An event whose key is taken is durable already: nothing new is stored, and the settlement stands.
pub async fn a_duplicate_event_changes_nothing(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.plan(vec![loose("fx_1")]).await;
    let Accepted::New(_) = s.store.accept(delivery(&lane("C1"), "fx:fx_1:1")).await.unwrap() else {
        panic!()
    };
    let fence = attempt(&*s.store, "fx_1").await;
    assert!(s.store.settle(settling("fx_1", fence)).await.unwrap());
    assert_eq!(hand.state("fx_1").await, EffectState::Done);
    assert_eq!(s.store.waiting(&lane("C1"), 10).await.unwrap().len(), 1);
}

/// What has not begun can be taken back; what nobody knows of can be cancelled or adopted; nothing else.
pub async fn cancel_and_adopt(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.plan(["fx_1", "fx_2", "fx_3", "fx_4"].map(reply).to_vec()).await;
    perform(&*s.store, "fx_1", EffectState::Uncertain).await;
    perform(&*s.store, "fx_2", EffectState::Uncertain).await;
    let fence = attempt(&*s.store, "fx_3").await;
    let cancel = ["fx_1", "fx_3", "fx_4", "fx_9"].map(Into::into).to_vec();
    let adopt = vec![("fx_2".into(), "a person found it".into()), ("fx_4".into(), "no".into())];
    hand.commit(TurnCommit { cancel, adopt, ..hand.turn() }).await;
    let states = [
        hand.state("fx_1").await,
        hand.state("fx_2").await,
        hand.state("fx_3").await,
        hand.state("fx_4").await,
    ];
    use EffectState::{Attempted, Cancelled, Done};
    assert_eq!(states, [Cancelled, Done, Attempted, Cancelled]);
    let adopted = s.store.effect("acme", &"fx_2".into()).await.unwrap().unwrap();
    assert_eq!(adopted.outcome.as_deref(), Some("a person found it"));
    assert!(s.store.settle(settled("fx_3", Some(fence))).await.unwrap(), "what has begun ends by itself");
    assert!(!s.store.settle(settled("fx_1", None)).await.unwrap());
}

/// Newest first; of a tenant, a lane, a state.
pub async fn effects_are_listed_newest_first(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    hand.plan(vec![loose("fx_1"), loose("fx_2")]).await;
    let mut other = Hand::on(&*s.store, &lane("C2")).await;
    other.plan(vec![loose("fx_3")]).await;
    let mut theirs = Hand::on(&*s.store, &lane_of("globex", "C1")).await;
    theirs.plan(vec![loose("fx_9")]).await;
    hand.plan(vec![loose("fx_4")]).await;
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
    assert_eq!(list(Some(&nine), None, 10).await, NONE);
    assert_eq!(list(Some(&other), None, 10).await, NONE);
    assert_eq!(s.store.effect("globex", &"fx_1".into()).await.unwrap(), None);
}

/// Earliest first, until they are cleared; set again they move.
pub async fn timers_come_when_due(s: &Subject) {
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let now = s.store.now();
    let timer = |id: &str, seconds| TimerRow {
        id: id.into(),
        lane: lane("C1"),
        due: now.plus(seconds * Timestamp::SECOND),
        about: format!("about {id}"),
    };
    let timers = vec![timer("tm_1", 3), timer("tm_2", 2), timer("tm_3", 1), timer("tm_4", 1)];
    hand.commit(TurnCommit { timers, ..hand.turn() }).await;
    let turn = hand.turn();
    hand.commit(TurnCommit { timers: vec![timer("tm_2", 9)], clear_timers: vec!["tm_4".into()], ..turn })
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

/// The earliest moment in the future at which there is more to do; nothing when there is none.
pub async fn next_due_is_the_earliest(s: &Subject) {
    assert_eq!(s.store.next_due().await.unwrap(), None);
    let mut hand = Hand::on(&*s.store, &lane("C1")).await;
    let due = s.store.now().plus(EFFECT_LEASE + 1);
    let timers = vec![TimerRow { id: "tm_1".into(), lane: lane("C1"), due, about: String::new() }];
    hand.commit(TurnCommit { timers, ..hand.planning(vec![loose("fx_1")]) }).await;
    assert_eq!(s.store.next_due().await.unwrap(), Some(due), "what may start now is not in the future");
    lease(&*s.store).await;
    assert_eq!(s.store.next_due().await.unwrap(), Some(s.store.now().plus(EFFECT_LEASE)));
}
