//! Metrics of intake and turns. Labels hold no ids and no content (`docs/design/0038-console-and-telemetry.md`).

use throughline_engine::data::approval::ApprovalChange;
use throughline_engine::{LaneKey, Millis, Reason, Step};

use crate::selection_events;

/// Converts a duration to the seconds that histograms take.
#[expect(
    clippy::cast_precision_loss,
    reason = "a histogram's values are floats, and no wait here comes near 2^52 ms"
)]
pub(crate) fn seconds(length: Millis) -> f64 {
    length as f64 / 1_000.0
}

/// Counts a delivery by its outcome: `new`, `full` or `duplicate`.
pub(crate) fn delivery(lane: &LaneKey, outcome: &'static str) {
    metrics::counter!("throughline_inbox_total", "channel" => lane.channel.clone(), "outcome" => outcome)
        .increment(1);
}

/// Counts a committed turn: its decision, the time it took, and the time its event had waited.
pub(crate) fn turn(step: &Step, took: Millis, waited: Millis) {
    let reason = step.decision.reason;
    let rung = step.decision.rung.number().to_string();
    metrics::counter!("throughline_turns_total", "rung" => rung, "reason" => reason.code()).increment(1);
    metrics::histogram!("throughline_turn_seconds").record(seconds(took));
    metrics::histogram!("throughline_lane_wait_seconds").record(seconds(waited));
    if let Some(account) = &step.trace.selection {
        selection_events::emit(account, &step.decision);
    }
    for change in &step.approvals {
        if let ApprovalChange::Decide { action, .. } = change {
            metrics::counter!("throughline_approval_decisions_total", "decision" => action.as_str())
                .increment(1);
        }
    }
    let refused = match reason {
        Reason::StaleVersion | Reason::StaleStep => Some("throughline_stale_presses_total"),
        Reason::PressForbidden | Reason::PressSelf | Reason::PressNoPolicy | Reason::EffectsPaused => {
            Some("throughline_approval_refused_total")
        }
        Reason::GateOpened => Some("throughline_clarifiers_total"),
        _ => None,
    };
    if let Some(name) = refused {
        metrics::counter!(name, "why" => reason.code()).increment(1);
    }
}

/// Counts bytes that are not those that were approved, by where they were found, and writes it to the log.
pub(crate) fn tampered(at: &'static str, what: &str) {
    tracing::error!(at, what, code = "TL-4107", "what is stored is not what was approved");
    metrics::counter!("throughline_tampered_total", "at" => at).increment(1);
}

/// Counts a commit that was not taken, by its reason.
pub(crate) fn commit_retry(why: &'static str) {
    metrics::counter!("throughline_commit_retries_total", "why" => why).increment(1);
}
