//! Replay of a turn: unchanged, or with another text. Nothing is written and no effect is performed.

use serde::Serialize;
use throughline_engine::data::effect::Effect;
use throughline_engine::data::event::EventKind;
use throughline_engine::{Event, Language, Verdict};
use throughline_runtime::Runtime;
use throughline_runtime::turn_log::Turn;
use throughline_store::StoredTurn;

use super::inspector::{Inspected, inspected};
use super::ladder::{RungView, ladder};
use super::turn::not_changeable;
use crate::codes;
use crate::problem::Problem;
use crate::views;
use crate::wire;

/// Result of an unchanged replay.
#[derive(Serialize)]
pub(super) struct Replay {
    same: bool,
    /// Difference: `decision`, `state`, `unknown`, …
    how: String,
    detail: Option<String>,
    before: String,
    after: String,
}

/// Result of a replay with another text.
#[derive(Serialize)]
pub(super) struct Changed {
    text: String,
    outcome: Verdict,
    reason: &'static str,
    says: String,
    /// Recorded reason.
    recorded: &'static str,
    ladder: Vec<RungView>,
    rule: Option<String>,
    intent: Option<&'static str>,
    /// List that the text was read against, if its writer sees one.
    inspected: Option<Inspected>,
    /// Class and summary of each effect that would have been planned.
    effects: Vec<(&'static str, String)>,
    before: String,
    /// True if the state before equals the recorded one.
    same_before: bool,
    after: String,
    recorded_after: String,
}

/// Replays a turn unchanged.
pub(super) async fn same(runtime: &Runtime, stored: &StoredTurn, turn: &Turn) -> Result<Replay, Problem> {
    let replayed = runtime.replay_turn(&stored.lane, stored.revision).await?;
    let replayed = replayed.ok_or_else(|| Problem::not_found("turn"))?;
    let (before, after) = (turn.row.before.clone(), turn.row.after.clone());
    Ok(match views::replay_difference(&replayed) {
        None => Replay { same: true, how: "same".into(), detail: None, before, after },
        Some(wire::ReplayedTurn { differs, detail, .. }) => {
            Replay { same: false, how: differs, detail, before, after }
        }
    })
}

/// Replays a turn with another text.
pub(super) async fn changed(
    runtime: &Runtime,
    stored: &StoredTurn,
    turn: &Turn,
    text: &str,
) -> Result<Changed, Problem> {
    let Some(content) = &turn.content else {
        let why = "what was said in this turn was erased, so nothing else can be put in its place";
        return Err(Problem::new(&codes::BAD_REQUEST, why));
    };
    let event = with_text(&content.event, text).ok_or_else(|| not_changeable(turn))?;
    let Some(came) = runtime.what_if(stored, &event).await? else {
        let why = "the state or the policy it was decided on is not known any more";
        return Err(Problem::new(&codes::BAD_REQUEST, why));
    };
    let decision = &came.step.decision;
    Ok(Changed {
        text: text.into(),
        outcome: decision.outcome,
        reason: decision.reason.code(),
        says: decision.reason.says(Language::En),
        recorded: turn.row.decision.reason.code(),
        ladder: ladder(decision, &came.step.trace),
        rule: came.step.trace.rule.as_ref().map(ToString::to_string),
        intent: decision.intent.map(throughline_engine::data::intent::Intent::as_str),
        inspected: inspected(&came, &event.actor),
        effects: came.step.effects.iter().map(line).collect(),
        same_before: came.before == turn.row.before,
        before: came.before,
        after: came.after,
        recorded_after: turn.row.after.clone(),
    })
}

fn line(effect: &Effect) -> (&'static str, String) {
    (effect.body.class().as_str(), super::effect::line(&effect.body))
}

/// Replaces the text of an event; `None` if it has none.
fn with_text(event: &Event, text: &str) -> Option<Event> {
    let mut event = event.clone();
    match &mut event.kind {
        EventKind::MessagePosted(posted) => posted.text = text.into(),
        EventKind::MessageEdited { text: old, .. } | EventKind::Command { text: old } => *old = text.into(),
        _ => return None,
    }
    Some(event)
}
