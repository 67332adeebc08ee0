//! Records the outcome of an attempt: the effect ends, is planned again or is parked
//! (`docs/design/0031-effects-and-retries.md`).

use serde::{Deserialize, Serialize};
use throughline_channels::Unsure;
use throughline_engine::EffectId;
use throughline_engine::data::effect::{Attempt, EffectBody, EffectClass, EffectResult, Outcome};
use throughline_engine::data::fault::{Fault, FieldFault};
use throughline_engine::data::policy::limits;
use throughline_engine::retry::{AfterUnknown, after_unknown, retry_delay};
use throughline_store::{Leased, SettleTo, StoredEffect};

use super::message::delivers;
use crate::{Runtime, RuntimeError};

/// The attempts at an effect so far, and its parts that are out.
#[derive(Clone, Copy)]
pub(super) struct Tried<'a> {
    pub(super) attempts: u32,
    pub(super) parts_out: u32,
    /// The effect whose retries this one keeps step with; itself if `None`.
    pub(super) paced_by: Option<&'a EffectId>,
}

/// Attempts whose outcome nobody knows, as they are kept with their effect until it ends. It reads as an uncertain
/// [`Outcome`].
#[derive(Serialize, Deserialize)]
#[serde(tag = "as", rename = "uncertain")]
struct UnknownAttempts {
    /// The reason of the latest one.
    text: Fault,
    /// The part of the message that they tried, from 0.
    #[serde(default)]
    part: u32,
    /// Their number.
    #[serde(default = "once")]
    times: u32,
}

fn once() -> u32 {
    1
}

/// Returns the number of attempts at a part whose outcome nobody knows.
fn unknown_attempts(effect: &StoredEffect, part: u32) -> u32 {
    let kept = effect.outcome.as_deref().and_then(|kept| serde_json::from_str::<UnknownAttempts>(kept).ok());
    kept.filter(|kept| kept.part == part).map_or(0, |kept| kept.times)
}

/// Returns what is known of a part that an earlier attempt may have sent. What leaves the thread is not sent again by
/// itself, the rest once; a change of a card as often as it takes, since showing it twice changes nothing.
pub(super) fn unsure(effect: &StoredEffect, body: &EffectBody, part: u32) -> Option<Unsure> {
    let times = unknown_attempts(effect, part);
    let resend = !body.is_outward() && (times < 2 || body.class() == EffectClass::CardUpdate);
    (times > 0).then_some(Unsure { since: effect.created_at, resend })
}

impl Runtime {
    /// Moves an effect to its next state after an attempt: ended, retried or parked.
    pub(super) async fn record_attempt(
        &self,
        leased: &Leased,
        body: &EffectBody,
        tried: Tried<'_>,
        outcome: Attempt<EffectResult>,
    ) -> Result<(), RuntimeError> {
        let effect = &leased.effect;
        let class = body.class();
        let failed = |reason: &str, text: Fault, errors: Vec<FieldFault>| Outcome::Failed {
            reason: reason.into(),
            text,
            errors,
        };
        // Each part that is out took an attempt that must not count against the next.
        let attempt = tried.attempts.saturating_sub(tried.parts_out);
        let (max, age) = body.retry_limits();
        let now = self.store.now();
        let paced_by = tried.paced_by.unwrap_or(&effect.row.id);
        let again = |hint| now.plus(retry_delay(paced_by, attempt, hint));
        // A model is asked a second time only if that fits into the time of the question.
        let latest = match (&outcome, class) {
            (Attempt::NotApplied { hint, .. }, EffectClass::ModelAsk) => again(*hint),
            (_, EffectClass::ModelAsk) => again(None),
            _ => now,
        };
        let in_time = latest.since(effect.created_at) <= age;
        // An outward effect that may have arrived, now or at an earlier attempt, has not failed when the attempts are
        // used up: asked for again under another id, it could exist twice. A refusal is different, because it is an
        // answer.
        let unknown = matches!(outcome, Attempt::Unknown { .. });
        let unsure = body.is_outward() && (unknown || effect.outcome.is_some());
        let gave_up = |why: Fault| match unsure {
            true => Outcome::Uncertain { text: why },
            false => failed("gave_up", why, Vec::new()),
        };
        let outcome = match outcome {
            Attempt::Applied(result) => Outcome::Done { result },
            Attempt::Rejected { text, errors } => failed("rejected", text, errors),
            Attempt::NotApplied { hint, .. } if attempt < max && in_time => {
                return self.settle(leased, SettleTo::Retry(again(hint)), None, None).await;
            }
            Attempt::NotApplied { why, .. } => gave_up(why),
            Attempt::Unknown { why } => {
                let times = unknown_attempts(effect, tried.parts_out) + 1;
                let next = match after_unknown(body, self.guarantee(effect, body)) {
                    AfterUnknown::Retry => in_time,
                    // A message that waited for its process is late, but not to be lost.
                    AfterUnknown::RetryOnce => times < 2,
                    AfterUnknown::Look => times <= limits::LOOKS,
                    AfterUnknown::Park => false,
                };
                if next && attempt < max {
                    let kept = UnknownAttempts { text: why, part: tried.parts_out, times };
                    let to = match body.is_outward() || delivers(body) {
                        true => {
                            SettleTo::Unsure(again(None), serde_json::to_string(&kept).unwrap_or_default())
                        }
                        false => SettleTo::Retry(again(None)),
                    };
                    return self.settle(leased, to, None, None).await;
                }
                gave_up(why)
            }
        };
        self.end(leased, Some(body), attempt, outcome).await
    }
}
