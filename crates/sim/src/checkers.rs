//! The `always` checkers of a scenario, over everything that was committed.

use throughline_engine::LaneKey;
use throughline_engine::data::effect::{EffectBody, EffectClass};
use throughline_runtime::replay::Comparison;
use throughline_runtime::turn_log::{GENESIS, Turn};
use throughline_runtime::{Runtime, RuntimeError};
use throughline_store::{EffectState, Performer};
use throughline_testkit::driver::Checker;

use crate::world::TENANT;

pub(crate) async fn check(
    host: &Runtime,
    lanes: &[(String, LaneKey)],
    checker: Checker,
) -> Result<Result<(), String>, RuntimeError> {
    if let Err(waits) = ends_in_time(host).await? {
        return Ok(Err(waits));
    }
    match checker {
        Checker::NoEffectWithoutApproval => approved(host).await,
        Checker::OneWriterPerLane => one_writer(host, lanes).await,
        Checker::PressNeverSilent => never_silent(host, lanes).await,
    }
}

/// Checks that no effect is planned again and again for ever: one that nothing else holds is due within the time of its
/// class, after which it is given up. The switch, a far side's own pace and work that goes on elsewhere hold longer.
async fn ends_in_time(host: &Runtime) -> Result<Result<(), String>, RuntimeError> {
    for effect in host.store().effects(TENANT, None, Some(EffectState::Planned), 100_000).await? {
        let Ok(body) = serde_json::from_str::<EffectBody>(&effect.row.payload) else { continue };
        let paused = body.is_outward() || body.class() == EffectClass::ModelAsk;
        let held = paused || effect.attempts > 0 || effect.row.performer == Performer::Host;
        let last = effect.created_at.plus(body.retry_limits().1);
        if !held && effect.row.depends_on.is_empty() && effect.not_before > last {
            return Ok(Err(format!("{} waits longer than its class may", effect.row.id)));
        }
    }
    Ok(Ok(()))
}

/// Checks that every outward effect that was begun names a consumed approval.
async fn approved(host: &Runtime) -> Result<Result<(), String>, RuntimeError> {
    for effect in host.store().effects(TENANT, None, None, 100_000).await? {
        let begun = effect.attempts > 0 || effect.state == EffectState::Done;
        if !(effect.row.outward && begun) {
            continue;
        }
        let consumed = match &effect.row.approval {
            None => false,
            Some(approval) => host
                .store()
                .approval(TENANT, &approval.card)
                .await?
                .is_some_and(|row| matches!(row.state, throughline_store::ApprovalState::Decided { .. })),
        };
        if !consumed {
            return Ok(Err(format!("{} was begun without a consumed approval", effect.row.id)));
        }
    }
    Ok(Ok(()))
}

/// Checks that each lane has revisions 1, 2, 3 … with one chained row each, and that a replay decides every turn alike.
async fn one_writer(host: &Runtime, lanes: &[(String, LaneKey)]) -> Result<Result<(), String>, RuntimeError> {
    for (name, key) in lanes {
        let turns = host.store().turns(key, 0, 100_000).await?;
        let mut prev = GENESIS.to_owned();
        for (i, turn) in turns.iter().enumerate() {
            if turn.revision != i as u64 + 1 || turn.log.prev_hash != prev {
                return Ok(Err(format!(
                    "lane {name}: revision {} does not follow the one before",
                    turn.revision
                )));
            }
            prev.clone_from(&turn.log.hash);
        }
        let mut different = None;
        // Erased turns cannot be decided again; later ones can.
        let erasure =
            turns.iter().rev().find(|turn| Turn::read(turn).is_ok_and(|turn| turn.row.event == "erasure"));
        let erased = erasure.map_or(0, |turn| turn.revision);
        host.replay(key, given(&turns) + 1, |turn| {
            let gone = turn.verdict == Comparison::ContentErased && turn.revision <= erased;
            if turn.verdict != Comparison::Same && !gone {
                different.get_or_insert_with(|| turn.clone());
            }
        })
        .await?;
        if let Some(turn) = different {
            return Ok(Err(format!(
                "lane {name}: {} decides differently again: {:?}",
                turn.turn, turn.verdict
            )));
        }
    }
    Ok(Ok(()))
}

/// Returns the revision up to which turns were seeded and not decided.
fn given(turns: &[throughline_store::StoredTurn]) -> u64 {
    let written = |turn: &&throughline_store::StoredTurn| {
        Turn::read(turn).is_ok_and(|turn| turn.row.key.starts_with(crate::seed::SEED))
    };
    turns.iter().rev().find(written).map_or(0, |turn| turn.revision)
}

/// Checks that every press, form and command led to a message, a notice or a changed card.
async fn never_silent(
    host: &Runtime,
    lanes: &[(String, LaneKey)],
) -> Result<Result<(), String>, RuntimeError> {
    const HEARD: [EffectClass; 4] =
        [EffectClass::Reply, EffectClass::Notice, EffectClass::CardPost, EffectClass::CardUpdate];
    for (name, key) in lanes {
        for stored in host.store().turns(key, 0, 100_000).await? {
            let Ok(turn) = Turn::read(&stored) else { continue };
            let asked = matches!(turn.row.event.as_str(), "card.pressed" | "form.submitted" | "command");
            let heard =
                turn.row.effects.iter().any(|(class, _)| HEARD.iter().any(|heard| heard.as_str() == class));
            if asked && !heard {
                return Ok(Err(format!(
                    "lane {name}: {} was met with silence ({})",
                    turn.row.event, turn.row.turn
                )));
            }
        }
    }
    Ok(Ok(()))
}
