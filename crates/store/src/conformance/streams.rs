//! [`Outbox`](crate::Outbox): the order of a stream, and what is performed together from it.

use throughline_engine::Timestamp;
use throughline_engine::data::canonical_json::{Hash, sha256};
use throughline_engine::data::effect::EffectClass;

use super::Subject;
use super::fixture::{
    LaneWriter, after, approval, attempt, create, effect, ends, lane, lease, lease_ids, loose, perform,
    reply, settled,
};
use crate::{
    EFFECT_LEASE, EffectState, Leased, Mark, OutboxRow, PauseRow, SettleTo, Settlement, ToMark, TurnCommit,
};

const NONE: [&str; 0] = [];

/// Effects of one stream go out one after the other, across turns; other streams, other lanes and effects without a
/// stream do not wait.
pub async fn a_stream_goes_out_in_order(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(vec![reply("fx_1"), reply("fx_2"), loose("fx_3"), loose("fx_4")]).await;
    writer.commit_effects(vec![reply("fx_5"), effect("fx_6", EffectClass::CardUpdate, "card:cd_1")]).await;
    let mut other = LaneWriter::claim(&*s.store, &lane("C2")).await;
    other.commit_effects(vec![reply("fx_7")]).await;
    let leased = lease(&*s.store).await;
    let ids: Vec<_> = leased.iter().map(|leased| leased.effect.row.id.as_str()).collect();
    assert_eq!(ids, ["fx_1", "fx_3", "fx_4", "fx_6", "fx_7"]);
    s.store.mark("acme", &"fx_1".into(), leased[0].fence, &held("fx_1")).await.unwrap();
    assert_eq!(lease_ids(&*s.store).await, NONE, "one that is attempted blocks");
    assert!(s.store.settle(settled("fx_1", Some(leased[0].fence))).await.unwrap());
    perform(&*s.store, "fx_2", EffectState::Done).await;
    assert_eq!(lease_ids(&*s.store).await, ["fx_5"]);
}

/// Effects that are done, failed, uncertain or cancelled do not block their stream.
pub async fn what_has_ended_does_not_block(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(["fx_1", "fx_2", "fx_3", "fx_4", "fx_5"].map(reply).to_vec()).await;
    perform(&*s.store, "fx_1", EffectState::Done).await;
    perform(&*s.store, "fx_2", EffectState::Failed).await;
    perform(&*s.store, "fx_3", EffectState::Uncertain).await;
    writer.commit(TurnCommit { cancel: vec!["fx_4".into()], ..writer.turn() }).await;
    assert_eq!(lease_ids(&*s.store).await, ["fx_5"]);
}

/// An effect that waits for a retry blocks its stream, and is leased again when its time has come.
pub async fn a_retry_blocks_and_waits(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(vec![reply("fx_1"), reply("fx_2")]).await;
    let fence = attempt(&*s.store, "fx_1").await;
    let at = s.store.now().plus(5 * Timestamp::SECOND);
    let retry = || Settlement { to: SettleTo::Retry(at), ..settled("fx_1", Some(fence)) };
    assert!(s.store.settle(retry()).await.unwrap());
    assert!(!s.store.settle(retry()).await.unwrap(), "a settled attempt is over");
    assert_eq!(s.store.mark("acme", &"fx_1".into(), fence, &held("fx_1")).await.unwrap(), Mark::LeaseLost);
    let effect = s.store.effect("acme", &"fx_1".into()).await.unwrap().unwrap();
    assert_eq!((effect.state, effect.attempts, effect.not_before), (EffectState::Planned, 1, at));
    s.clock.advance(5 * Timestamp::SECOND - 1);
    assert_eq!(lease_ids(&*s.store).await, NONE);
    assert_eq!(s.store.next_due().await.unwrap(), Some(at));
    s.clock.advance(1);
    let leased = lease(&*s.store).await.remove(0);
    assert!(leased.fence > fence && !leased.found_attempted);
    assert_eq!(
        s.store.mark("acme", &"fx_1".into(), leased.fence, &held("fx_1")).await.unwrap(),
        Mark::Attempt(2)
    );
}

/// Effects that follow a leased one are leased with it, in order, and to nobody else.
pub async fn what_follows_is_leased_with_the_first(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(["fx_1", "fx_2", "fx_3", "fx_4", "fx_5"].map(reply).to_vec()).await;
    let mut other = LaneWriter::claim(&*s.store, &lane("C2")).await;
    other.commit_effects(["fx_6", "fx_7"].map(reply).to_vec()).await;
    let first = lease(&*s.store).await.remove(0);
    let behind = s.store.lease_behind(&first, 2..=3).await.unwrap();
    assert_eq!(ids(&behind), ["fx_2", "fx_3", "fx_4"], "as many as allowed");
    assert!(behind.iter().all(|leased| leased.fence > 0 && !leased.found_attempted));
    assert!(behind.iter().all(|leased| leased.effect.state == EffectState::Planned));
    assert_eq!(lease_ids(&*s.store).await, NONE, "the first one keeps its stream");
    assert!(s.store.settle(settled("fx_1", Some(first.fence))).await.unwrap());
    assert_eq!(lease_ids(&*s.store).await, NONE, "the next one is leased");
    for leased in &behind {
        let id = leased.effect.row.id.as_str();
        assert!(s.store.settle(settled(id, Some(leased.fence))).await.unwrap());
    }
    assert_eq!(lease_ids(&*s.store).await, ["fx_5"]);
}

/// Fewer than asked for are not leased, and wait for nobody.
pub async fn too_few_are_left_alone(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(["fx_1", "fx_2", "fx_3"].map(reply).to_vec()).await;
    let first = lease(&*s.store).await.remove(0);
    assert_eq!(s.store.lease_behind(&first, 3..=9).await.unwrap(), []);
    assert!(s.store.settle(settled("fx_1", Some(first.fence))).await.unwrap());
    let second = lease(&*s.store).await.remove(0);
    assert_eq!((second.effect.row.id.as_str(), second.fence), ("fx_2", 1), "it was not leased before");
    assert_eq!(ids(&s.store.lease_behind(&second, 1..=9).await.unwrap()), ["fx_3"]);
}

/// Effects of another turn or class, with other dependencies or with a retry to wait for are not leased with the first, and
/// nothing behind them is.
pub async fn what_does_not_go_together_ends_it(s: &Subject) {
    let epics = |n: u32| [loose(&format!("fx_a{n}")), loose(&format!("fx_b{n}"))];
    for (n, end) in (1..).zip(["another turn", "waits for something else", "another class", "a retry"]) {
        let key = lane(&format!("C{n}"));
        let mut writer = LaneWriter::claim(&*s.store, &key).await;
        let [one, two] = epics(n);
        let (a, b) = (one.id.0.clone(), two.id.0.clone());
        writer.commit_effects(vec![one, two]).await;
        for leased in lease(&*s.store).await {
            let id = leased.effect.row.id.as_str();
            assert!(s.store.settle(settled(id, Some(leased.fence))).await.unwrap());
        }
        let row = |m: u32| after(reply(&format!("fx_{n}{m}")), &[&a]);
        match end {
            "another turn" => {
                writer.commit_effects(vec![row(1), row(2)]).await;
                writer.commit_effects(vec![row(3), row(4)]).await;
            }
            "waits for something else" => {
                writer
                    .commit_effects(vec![row(1), row(2), after(reply(&format!("fx_{n}3")), &[&b]), row(4)])
                    .await;
            }
            "another class" => {
                let card = OutboxRow { class: EffectClass::CardPost, ..row(3) };
                writer.commit_effects(vec![row(1), row(2), card, row(4)]).await;
            }
            _ => {
                writer.commit_effects((1..=4).map(row).collect()).await;
                let first = lease(&*s.store).await.remove(0);
                let behind = s.store.lease_behind(&first, 3..=3).await.unwrap();
                let later = SettleTo::Retry(s.store.now().plus(Timestamp::MINUTE));
                for (leased, to) in [&first, &behind[0], &behind[2]]
                    .map(|leased| (leased, SettleTo::Retry(s.store.now())))
                    .into_iter()
                    .chain([(&behind[1], later)])
                {
                    let id = leased.effect.row.id.as_str();
                    let settlement = Settlement { to, ..settled(id, Some(leased.fence)) };
                    assert!(s.store.settle(settlement).await.unwrap(), "{id}");
                }
            }
        }
        let first = lease(&*s.store).await.remove(0);
        let behind = s.store.lease_behind(&first, 1..=9).await.unwrap();
        assert_eq!(ids(&behind), [format!("fx_{n}2")], "{end}");
    }
}

/// Nothing is leased behind an effect whose lease is over or whose attempt was marked, nor behind one without a stream.
pub async fn only_a_leased_effect_has_others_behind_it(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(["fx_1", "fx_2", "fx_3"].map(reply).to_vec()).await;
    let old = lease(&*s.store).await.remove(0);
    s.clock.advance(EFFECT_LEASE);
    assert_eq!(s.store.lease_behind(&old, 1..=9).await.unwrap(), [], "it is over");
    let first = lease(&*s.store).await.remove(0);
    assert_eq!(s.store.lease_behind(&old, 1..=9).await.unwrap(), [], "it is another's");
    let mut foreign = first.clone();
    foreign.effect.lane.tenant = "globex".into();
    assert_eq!(s.store.lease_behind(&foreign, 1..=9).await.unwrap(), [], "of another tenant");
    s.store.mark("acme", &"fx_1".into(), first.fence, &held("fx_1")).await.unwrap();
    assert_eq!(s.store.lease_behind(&first, 1..=9).await.unwrap(), [], "it has begun");
    assert!(s.store.settle(settled("fx_1", Some(first.fence))).await.unwrap());

    let mut other = LaneWriter::claim(&*s.store, &lane("C2")).await;
    other.commit_effects(vec![loose("fx_4"), loose("fx_5")]).await;
    let free = lease(&*s.store).await.into_iter().find(|leased| leased.effect.row.id.as_str() == "fx_4");
    assert_eq!(s.store.lease_behind(&free.unwrap(), 1..=9).await.unwrap(), [], "it is in no stream");
}

/// Leases of what follows run out like any other, and with the next one of the first they are another worker's.
pub async fn leases_behind_the_first_run_out(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.commit_effects(["fx_1", "fx_2", "fx_3"].map(reply).to_vec()).await;
    let first = lease(&*s.store).await.remove(0);
    let behind = s.store.lease_behind(&first, 2..=9).await.unwrap();
    s.clock.advance(EFFECT_LEASE);
    let again = lease(&*s.store).await.remove(0);
    let newer = s.store.lease_behind(&again, 2..=9).await.unwrap();
    assert_eq!(ids(&newer), ["fx_2", "fx_3"]);
    let all = |first: &Leased, behind: &[Leased]| -> Vec<ToMark> {
        [first].into_iter().chain(behind).map(Leased::to_mark).collect()
    };
    let marks = s.store.mark_together("acme", &all(&first, &behind)).await.unwrap();
    assert_eq!(marks, [Mark::LeaseLost; 3]);
    let marks = s.store.mark_together("acme", &all(&again, &newer)).await.unwrap();
    assert_eq!(marks, [Mark::Attempt(1); 3]);
    s.clock.advance(EFFECT_LEASE);
    let found = lease(&*s.store).await.remove(0);
    assert!(found.found_attempted, "its worker is gone");
    assert_eq!(s.store.lease_behind(&found, 1..=9).await.unwrap(), []);
}

/// Attempts are marked together, each by the rules of a mark: what was taken back meanwhile and what has other bytes stays
/// as it is, and the others begin.
pub async fn attempts_are_marked_together(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.open_approval(approval("cd_1", 1, None)).await;
    let story = |id: &str| OutboxRow { stream: "create".into(), ..create(id, "cd_1", 1) };
    writer.approve("cd_1", 1, ["fx_1", "fx_2", "fx_3", "fx_4"].map(story).to_vec()).await;
    let first = lease(&*s.store).await.remove(0);
    let behind = s.store.lease_behind(&first, 3..=9).await.unwrap();
    let mut attempts: Vec<ToMark> = [&first].into_iter().chain(&behind).map(Leased::to_mark).collect();
    let pause = PauseRow { by: "U9".into(), since: s.store.now(), reason: String::new(), everything: false };
    s.store.set_pause("acme", Some(pause), "{}").await.unwrap();
    assert_eq!(s.store.mark_together("acme", &attempts).await.unwrap(), [Mark::Paused; 4]);
    s.store.set_pause("acme", None, "{}").await.unwrap();
    writer.commit(TurnCommit { cancel: vec!["fx_2".into()], ..writer.turn() }).await;
    attempts[2].held = held("fx_3");
    assert_eq!(s.store.mark_together("globex", &attempts).await.unwrap(), [Mark::LeaseLost; 4]);
    let marks = s.store.mark_together("acme", &attempts).await.unwrap();
    use EffectState::{Attempted, Cancelled, Planned};
    assert_eq!(marks, [Mark::Attempt(1), Mark::LeaseLost, Mark::PayloadDiffers, Mark::Attempt(1)]);
    let mut states = Vec::new();
    for id in ["fx_1", "fx_2", "fx_3", "fx_4"] {
        states.push(writer.effect_state(id).await);
    }
    assert_eq!(states, [Attempted, Cancelled, Planned, Attempted]);
    assert!(s.store.settle(ends("fx_4", Some(behind[2].fence), EffectState::Failed)).await.unwrap());
    assert_eq!(s.store.mark_together("acme", &[]).await.unwrap(), []);
}

fn ids(leased: &[Leased]) -> Vec<&str> {
    leased.iter().map(|leased| leased.effect.row.id.as_str()).collect()
}

/// Returns the hash of the bytes that a worker holds of an effect of the fixtures.
fn held(id: &str) -> Hash {
    sha256(&[format!("payload of {id}").as_bytes()])
}
