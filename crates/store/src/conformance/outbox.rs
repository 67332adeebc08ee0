//! [`Outbox`](crate::Outbox): in order, by one worker at a time, never begun unmarked, never ended twice.

use throughline_engine::Timestamp;
use throughline_engine::data::canonical_json::{Hash, sha256};
use throughline_engine::data::effect::{EffectBody, EffectClass};

use super::Subject;
use super::fixture::{
    LaneWriter, accept, after, approval, assert_refused, attempt, create, delivery, effect, ends, lane,
    lease, lease_ids, loose, perform, put, reply, settled,
};
use crate::{
    CommitResult, Delivery, EFFECT_LEASE, EffectState, Mark, OutboxRow, Performer, SettleTo, Settlement,
    TurnCommit,
};

const NONE: [&str; 0] = [];

/// A leased effect is not leased to anybody else.
pub async fn an_effect_is_leased_once(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let turn = writer.turn_with_effects(vec![loose("fx_1"), loose("fx_2"), loose("fx_3")]);
    let id = turn.log.turn.clone();
    writer.commit(turn).await;
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

/// After a lease has run out another worker gets the effect, and the first can neither mark nor settle it.
pub async fn a_lease_that_ran_out_is_fenced(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(vec![loose("fx_1")]).await;
    let old = lease(&*s.store).await.remove(0);
    s.clock.advance(EFFECT_LEASE - 1);
    assert_eq!(lease_ids(&*s.store).await, NONE);
    s.clock.advance(1);
    assert_eq!(
        s.store.mark("acme", &"fx_1".into(), old.fence, &held("fx_1")).await.unwrap(),
        Mark::LeaseLost,
        "it is over"
    );
    let new = lease(&*s.store).await.remove(0);
    assert!(new.fence > old.fence && !new.found_attempted);
    assert_eq!(
        s.store.mark("acme", &"fx_1".into(), old.fence, &held("fx_1")).await.unwrap(),
        Mark::LeaseLost
    );
    assert!(!s.store.settle(settled("fx_1", Some(old.fence))).await.unwrap());
    assert_eq!(
        s.store.mark("acme", &"fx_1".into(), new.fence, &held("fx_1")).await.unwrap(),
        Mark::Attempt(1)
    );
    assert_eq!(
        s.store.mark("globex", &"fx_1".into(), new.fence, &held("fx_1")).await.unwrap(),
        Mark::LeaseLost
    );
    assert!(s.store.settle(settled("fx_1", Some(new.fence))).await.unwrap());
}

/// A question to a model loses its prompt when it ends, in whatever state; fingerprints and the hash of the whole
/// payload stay. Effects of other classes keep their payload.
pub async fn a_prompt_goes_with_the_end_of_its_effect(s: &Subject) {
    let whole = r#"{"messages":["a"],"prompt":{"context_fingerprint":"ab","sections":[["rules","be brief"]]},"text":"x"}"#;
    let left = r#"{"prompt":{"context_fingerprint":"ab"},"text":"x"}"#;
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let says = |id: &str, class| OutboxRow { payload: whole.into(), ..effect(id, class, "one") };
    let ask = |id: &str| says(id, EffectClass::ModelAsk);
    writer
        .commit_effects(vec![
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
    writer.commit(TurnCommit { cancel: vec!["fx_6".into()], ..writer.turn() }).await;
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

/// The note of an unsure attempt is kept through later attempts until the effect ends.
pub async fn an_unsure_attempt_is_remembered(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(vec![loose("fx_1")]).await;
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

/// An effect starts when all its dependencies are done, whether its own turn or an earlier one planned them.
pub async fn dependents_wait_until_done(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(vec![loose("fx_1"), after(loose("fx_2"), &["fx_1"])]).await;
    writer.commit_effects(vec![after(loose("fx_3"), &["fx_1", "fx_2"])]).await;
    perform(&*s.store, "fx_1", EffectState::Done).await;
    writer.commit_effects(vec![after(loose("fx_4"), &["fx_2", "fx_1"])]).await;
    perform(&*s.store, "fx_2", EffectState::Done).await;
    let leased = lease(&*s.store).await;
    assert_eq!(leased.iter().map(|l| l.effect.row.id.as_str()).collect::<Vec<_>>(), ["fx_3", "fx_4"]);
    assert_eq!(leased[0].effect.row.depends_on, ["fx_1".into(), "fx_2".into()]);
}

/// Dependents of an effect that failed or was cancelled fail in the same settlement, and so do theirs.
pub async fn dependents_fail_with_it(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let chain = || vec![after(loose("fx_2"), &["fx_1"]), after(loose("fx_3"), &["fx_2"]), loose("fx_4")];
    writer.commit_effects([vec![loose("fx_1")], chain()].concat()).await;
    let leased = lease(&*s.store).await;
    assert!(s.store.settle(ends("fx_1", Some(leased[0].fence), EffectState::Failed)).await.unwrap());
    for id in ["fx_2", "fx_3"] {
        let effect = s.store.effect("acme", &id.into()).await.unwrap().unwrap();
        assert_eq!(effect.state, EffectState::Failed);
        let outcome = effect.outcome.unwrap();
        assert!(outcome.starts_with(r#"{"as":"failed","reason":"dependency","text":"#), "{outcome}");
    }
    assert_eq!(writer.effect_state("fx_4").await, EffectState::Planned);

    writer.commit_effects(vec![loose("fx_5"), after(loose("fx_6"), &["fx_5"])]).await;
    writer.commit(TurnCommit { cancel: vec!["fx_5".into()], ..writer.turn() }).await;
    assert_eq!(
        (writer.effect_state("fx_5").await, writer.effect_state("fx_6").await),
        (EffectState::Cancelled, EffectState::Failed)
    );
}

/// Dependents of an uncertain effect wait until its outcome is known.
pub async fn uncertain_keeps_dependents_waiting(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(vec![loose("fx_1"), after(loose("fx_2"), &["fx_1"])]).await;
    perform(&*s.store, "fx_1", EffectState::Uncertain).await;
    assert_eq!(lease_ids(&*s.store).await, NONE);
    assert_eq!(writer.effect_state("fx_2").await, EffectState::Planned);
    assert!(s.store.settle(settled("fx_1", None)).await.unwrap(), "a search found it");
    assert_eq!(lease_ids(&*s.store).await, ["fx_2"]);
}

/// An effect that is planned after its dependency failed, fails at once.
pub async fn a_late_dependent_fails_at_once(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(vec![loose("fx_1")]).await;
    perform(&*s.store, "fx_1", EffectState::Failed).await;
    writer
        .commit_effects(vec![after(loose("fx_2"), &["fx_1"]), after(reply("fx_3"), &["fx_2"]), reply("fx_4")])
        .await;
    assert_eq!(
        (writer.effect_state("fx_2").await, writer.effect_state("fx_3").await),
        (EffectState::Failed, EffectState::Failed)
    );
    assert_eq!(lease_ids(&*s.store).await, ["fx_4"]);
}

/// An unknown dependency and a repeated effect id refuse the turn.
pub async fn an_unknown_dependency_refuses_the_turn(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    assert_refused(writer.try_commit(writer.turn_with_effects(vec![after(loose("fx_1"), &["fx_0"])])).await);
    assert_refused(writer.try_commit(writer.turn_with_effects(vec![loose("fx_1"), loose("fx_1")])).await);
    assert_eq!(s.store.effect("acme", &"fx_1".into()).await.unwrap(), None);
    writer.commit_effects(vec![loose("fx_1")]).await;
    assert_refused(writer.try_commit(writer.turn_with_effects(vec![loose("fx_1")])).await);
}

/// A newer update of a card cancels older ones, except one that has begun.
pub async fn a_newer_card_update_supersedes(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let update = |id: &str, card: &str| effect(id, EffectClass::CardUpdate, &format!("card:{card}"));
    writer.commit_effects(vec![update("fx_1", "cd_1"), update("fx_2", "cd_2")]).await;
    writer.commit_effects(vec![update("fx_3", "cd_1")]).await;
    assert_eq!(writer.effect_state("fx_1").await, EffectState::Cancelled);
    let leased = lease(&*s.store).await;
    assert_eq!(leased.iter().map(|l| l.effect.row.id.as_str()).collect::<Vec<_>>(), ["fx_2", "fx_3"]);
    s.store.mark("acme", &"fx_3".into(), leased[1].fence, &held("fx_3")).await.unwrap();
    writer.commit_effects(vec![update("fx_4", "cd_1"), update("fx_5", "cd_1"), update("fx_6", "cd_2")]).await;
    assert_eq!(writer.effect_state("fx_3").await, EffectState::Attempted);
    assert_eq!(
        (writer.effect_state("fx_4").await, writer.effect_state("fx_5").await),
        (EffectState::Cancelled, EffectState::Planned)
    );
    let lost = s.store.mark("acme", &"fx_2".into(), leased[0].fence, &held("fx_2")).await.unwrap();
    assert_eq!(lost, Mark::LeaseLost, "it was leased and not begun");
}

/// An update of a card waits for the end of the card's post, however that ends, and for no other card's.
pub async fn an_update_waits_for_its_card(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let post = |id: &str, card: &str| {
        let payload = format!(r#"{{"class":"card.post","card":{{"id":"{card}"}}}}"#);
        OutboxRow { payload, ..effect(id, EffectClass::CardPost, EffectBody::LANE_STREAM) }
    };
    let update = |id: &str, card: &str| {
        effect(id, EffectClass::CardUpdate, &format!("{}{card}", EffectBody::CARD_STREAM))
    };
    writer.commit_effects(vec![post("fx_1", "cd_1"), post("fx_2", "cd_2")]).await;
    writer.commit_effects(vec![update("fx_3", "cd_1"), update("fx_4", "cd_2"), update("fx_5", "cd_3")]).await;
    let leased = lease(&*s.store).await;
    let ids: Vec<&str> = leased.iter().map(|leased| leased.effect.row.id.as_str()).collect();
    assert_eq!(ids, ["fx_1", "fx_5"]);
    let again = SettleTo::Retry(s.store.now());
    let again = Settlement { to: again, ..settled("fx_1", Some(leased[0].fence)) };
    assert!(s.store.settle(again).await.unwrap());
    let fence = attempt(&*s.store, "fx_1").await;
    assert_eq!(lease_ids(&*s.store).await, NONE);
    assert!(s.store.settle(ends("fx_1", Some(fence), EffectState::Failed)).await.unwrap());
    let leased = lease(&*s.store).await;
    let ids: Vec<&str> = leased.iter().map(|leased| leased.effect.row.id.as_str()).collect();
    assert_eq!(ids, ["fx_2", "fx_3"]);
    assert!(s.store.settle(settled("fx_2", Some(leased[0].fence))).await.unwrap());
    assert_eq!(lease_ids(&*s.store).await, ["fx_4"]);
}

/// A host's effect is offered until it is reported, once, or until its deadline.
pub async fn hosts_report_once(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let deadline = Some(s.store.now().plus(Timestamp::DAY));
    let host = |id: &str| OutboxRow { performer: Performer::Host, deadline, ..reply(id) };
    writer
        .commit_effects(vec![host("fx_1"), host("fx_2"), OutboxRow { deadline: None, ..host("fx_3") }])
        .await;
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

/// A host's effect is offered once all its dependencies are done, and fails if one of them failed.
pub async fn hosts_are_offered_in_turn(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let host = |id: &str, on: &str| OutboxRow { performer: Performer::Host, ..after(loose(id), &[on]) };
    writer
        .commit_effects(vec![loose("fx_1"), host("fx_2", "fx_1"), loose("fx_3"), host("fx_4", "fx_3")])
        .await;
    assert_eq!(writer.effect_state("fx_2").await, EffectState::Planned);
    assert!(!s.store.settle(settled("fx_2", None)).await.unwrap(), "nothing was offered yet");
    let leased = lease(&*s.store).await;
    assert_eq!(leased.len(), 2, "hosts' effects are never leased");
    for (leased, end) in leased.iter().zip([EffectState::Done, EffectState::Failed]) {
        let id = leased.effect.row.id.as_str();
        assert!(s.store.settle(ends(id, Some(leased.fence), end)).await.unwrap());
    }
    assert_eq!(
        (writer.effect_state("fx_2").await, writer.effect_state("fx_4").await),
        (EffectState::Attempted, EffectState::Failed)
    );
    assert!(s.store.settle(settled("fx_2", None)).await.unwrap());
}

/// A worker whose bytes are not the stored ones sends nothing.
pub async fn a_mark_compares_the_bytes_in_hand(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.open_approval(approval("ap_1", 1, None)).await;
    writer.approve("ap_1", 1, vec![create("fx_1", "ap_1", 1), loose("fx_2")]).await;
    for leased in lease(&*s.store).await {
        let id = &leased.effect.row.id;
        let mark = async |held| s.store.mark("acme", id, leased.fence, &held).await.unwrap();
        assert_eq!(mark(held("fx_9")).await, Mark::PayloadDiffers);
        assert_eq!(writer.effect_state(id.as_str()).await, EffectState::Planned);
        assert_eq!(mark(leased.effect.held()).await, Mark::Attempt(1));
    }
}

/// Marking counts an attempt and renews the lease.
pub async fn marks_are_counted(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(vec![loose("fx_1")]).await;
    let fence = lease(&*s.store).await[0].fence;
    assert_eq!(
        s.store.mark("acme", &"fx_1".into(), fence + 1, &held("fx_1")).await.unwrap(),
        Mark::LeaseLost
    );
    assert_eq!(writer.effect_state("fx_1").await, EffectState::Planned);
    s.clock.advance(EFFECT_LEASE - 1);
    assert_eq!(s.store.mark("acme", &"fx_1".into(), fence, &held("fx_1")).await.unwrap(), Mark::Attempt(1));
    assert_eq!(writer.effect_state("fx_1").await, EffectState::Attempted);
    s.clock.advance(EFFECT_LEASE - 1);
    assert_eq!(s.store.mark("acme", &"fx_1".into(), fence, &held("fx_1")).await.unwrap(), Mark::Attempt(2));
    assert_eq!(s.store.mark("acme", &"fx_9".into(), 1, &held("fx_9")).await.unwrap(), Mark::LeaseLost);
}

/// An attempt whose worker is gone is leased again as found attempted.
pub async fn found_attempted(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(vec![reply("fx_1"), reply("fx_2")]).await;
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

/// An outcome is written once, with the id of the message it became.
pub async fn a_settlement_counts_once(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let records = vec![put("message", "m_1", "hello")];
    writer.commit(TurnCommit { records, ..writer.turn_with_effects(vec![reply("fx_1")]) }).await;
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

fn settling(id: &str, fence: i64) -> Settlement {
    let event = Delivery { kind: "effect.settled".into(), ..delivery(&lane("C1"), &format!("fx:{id}:1")) };
    Settlement { event: Some(event), ..settled(id, Some(fence)) }
}

/// The event of a settlement is durable with the outcome; a lost lease stores none.
pub async fn a_settling_event_is_durable_with_it(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(vec![loose("fx_1")]).await;
    let fence = attempt(&*s.store, "fx_1").await;
    assert!(!s.store.settle(settling("fx_1", fence + 1)).await.unwrap());
    assert_eq!(s.store.waiting(&lane("C1"), 10).await.unwrap(), []);
    assert!(s.store.settle(settling("fx_1", fence)).await.unwrap());
    let rows = s.store.waiting(&lane("C1"), 10).await.unwrap();
    assert_eq!((rows.len(), rows[0].key.as_str(), rows[0].kind.as_str()), (1, "fx:fx_1:1", "effect.settled"));
    assert_eq!(s.store.lanes_with_work(10).await.unwrap(), [lane("C1")]);
}

/// A settlement whose event is known already still counts, and stores no second event.
pub async fn a_duplicate_event_changes_nothing(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(vec![loose("fx_1")]).await;
    accept(&*s.store, &lane("C1"), "fx:fx_1:1").await;
    let fence = attempt(&*s.store, "fx_1").await;
    assert!(s.store.settle(settling("fx_1", fence)).await.unwrap());
    assert_eq!(writer.effect_state("fx_1").await, EffectState::Done);
    assert_eq!(s.store.waiting(&lane("C1"), 10).await.unwrap().len(), 1);
}

/// Planned and uncertain effects can be cancelled, uncertain ones can be adopted; nothing else changes.
pub async fn uncertain_effects_are_cancelled_or_adopted(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(["fx_1", "fx_2", "fx_3", "fx_4"].map(reply).to_vec()).await;
    perform(&*s.store, "fx_1", EffectState::Uncertain).await;
    perform(&*s.store, "fx_2", EffectState::Uncertain).await;
    let fence = attempt(&*s.store, "fx_3").await;
    let cancel = ["fx_1", "fx_3", "fx_4", "fx_9"].map(Into::into).to_vec();
    let adopt = vec![("fx_2".into(), "a person found it".into()), ("fx_4".into(), "no".into())];
    writer.commit(TurnCommit { cancel, adopt, ..writer.turn() }).await;
    let states = [
        writer.effect_state("fx_1").await,
        writer.effect_state("fx_2").await,
        writer.effect_state("fx_3").await,
        writer.effect_state("fx_4").await,
    ];
    use EffectState::{Attempted, Cancelled, Done};
    assert_eq!(states, [Cancelled, Done, Attempted, Cancelled]);
    let adopted = s.store.effect("acme", &"fx_2".into()).await.unwrap().unwrap();
    assert_eq!(adopted.outcome.as_deref(), Some("a person found it"));
    assert!(s.store.settle(settled("fx_3", Some(fence))).await.unwrap(), "what has begun ends by itself");
    assert!(!s.store.settle(settled("fx_1", None)).await.unwrap());
}

/// A turn that a host was handed is taken back although it was offered, and what the host then says of it is too late.
pub async fn a_turn_is_taken_back_from_its_host(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    let deadline = Some(s.store.now().plus(Timestamp::MINUTE));
    let offered = |id, class| OutboxRow { class, performer: Performer::Host, deadline, ..loose(id) };
    let effects =
        vec![offered("fx_1", EffectClass::TurnHandover), offered("fx_2", EffectClass::EvidenceFetch)];
    writer.commit_effects(effects).await;
    writer.commit(TurnCommit { cancel: vec!["fx_1".into(), "fx_2".into()], ..writer.turn() }).await;
    let states = [writer.effect_state("fx_1").await, writer.effect_state("fx_2").await];
    assert_eq!(states, [EffectState::Cancelled, EffectState::Attempted]);
    assert!(!s.store.settle(settled("fx_1", None)).await.unwrap());
    s.clock.advance(Timestamp::MINUTE);
    let overdue = s.store.overdue(10).await.unwrap();
    assert_eq!(overdue.iter().map(|effect| effect.row.id.as_str()).collect::<Vec<_>>(), ["fx_2"]);
}

/// A turn that takes an effect for not begun is refused, with nothing written, once an attempt at it was marked; also while
/// it waits for a retry and after its end.
pub async fn what_has_begun_refuses_who_takes_it_back(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(vec![reply("fx_1"), loose("fx_2")]).await;
    let takes_back = |writer: &LaneWriter<'_>, id: &str| TurnCommit {
        cancel: vec![id.into()],
        unsent: vec![id.into()],
        records: vec![put("task", "t_1", id)],
        ..writer.turn()
    };
    let fence = lease(&*s.store).await.remove(0).fence;
    s.store.mark("acme", &"fx_1".into(), fence, &held("fx_1")).await.unwrap();
    for end in [None, Some(SettleTo::Retry(after_a_minute(s)))] {
        if let Some(to) = end {
            assert!(s.store.settle(Settlement { to, ..settled("fx_1", Some(fence)) }).await.unwrap());
        }
        let refused = takes_back(&writer, "fx_1");
        assert_eq!(writer.try_commit(refused).await.unwrap(), CommitResult::EffectBegun);
    }
    assert_eq!(s.store.load(&lane("C1")).await.unwrap().unwrap().revision, 1);
    assert_eq!(writer.effect_state("fx_1").await, EffectState::Planned);
    let taken = takes_back(&writer, "fx_2");
    assert_eq!(writer.try_commit(taken).await.unwrap(), CommitResult::Committed);
    assert_eq!(writer.effect_state("fx_2").await, EffectState::Cancelled);
    let again = takes_back(&writer, "fx_2");
    assert_eq!(writer.try_commit(again).await.unwrap(), CommitResult::Committed, "taken back already");
}

fn after_a_minute(s: &Subject) -> Timestamp {
    s.store.now().plus(Timestamp::MINUTE)
}

/// Returns the hash of the bytes that a worker holds of an effect of the fixtures.
fn held(id: &str) -> Hash {
    sha256(&[format!("payload of {id}").as_bytes()])
}
