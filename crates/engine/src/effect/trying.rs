//! When an effect is tried again: after an outcome nobody knows, and after how long.

use alloc::format;

use super::{EffectBody, EffectClass, IssueChange};
use crate::canon::sha256;
use crate::id::EffectId;
use crate::policy::limits;
use crate::time::Millis;

/// What the far side promises about a request made twice. The adapter states it, never the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    /// The same effect id is applied once.
    Idempotent,
    /// Nothing is promised.
    Nothing,
}

/// What follows an unknown outcome (`spec 06 §4.4`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterUnknown {
    /// A, G: try again on the schedule.
    Retry,
    /// C: try once more, then give up; a duplicate can be seen.
    RetryOnce,
    /// D: park as uncertain, never send again by itself.
    Park,
}

/// The policy of an effect against a far side (`spec 06 §4.4`): what leaves the thread is never sent again by itself.
#[must_use]
pub fn after_unknown(body: &EffectBody, far_side: Guarantee) -> AfterUnknown {
    match (body.class(), far_side) {
        (_, Guarantee::Idempotent) => AfterUnknown::Retry,
        // Setting a field twice sets it once.
        _ if matches!(body, EffectBody::TrackerUpdate { change: IssueChange::Parent(_), .. }) => {
            AfterUnknown::Retry
        }
        (_, Guarantee::Nothing) if body.outward() => AfterUnknown::Park,
        (EffectClass::Reply | EffectClass::CardPost | EffectClass::Notice, _) => AfterUnknown::RetryOnce,
        _ => AfterUnknown::Retry,
    }
}

/// The wait before attempt `n + 1`, in milliseconds (`spec 06 §4.5`): doubling, spread by the effect's own
/// id so that it is the same on every replay, never less than what the far side asked for.
///
/// ```
/// use throughline_engine::effect::retry_delay;
/// let id = "fx_65emfyihdqmez2f6x5fvmpxn".into();
/// let delays: Vec<i64> = (1..=6).map(|n| retry_delay(&id, n, None)).collect();
/// assert_eq!(delays, [1000, 2297, 4709, 7737, 15754, 32866]);
/// ```
#[must_use]
pub fn retry_delay(effect: &EffectId, n: u32, hint: Option<Millis>) -> Millis {
    let digest = sha256(&[effect.0.as_bytes(), b"#", format!("{n}").as_bytes()]);
    let u = u64::from(u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]));
    // (0.8 + 0.4 u / 2^32) in units of 2^-32 / 10, so that it stays in integers.
    let spread = (8u64 << 32) + 4 * u;
    let base = limits::RETRY_FIRST.unsigned_abs() << n.saturating_sub(1).min(20);
    let delay = u128::from(base) * u128::from(spread) / (10u128 << 32);
    let delay = Millis::try_from(delay).unwrap_or(Millis::MAX);
    delay.clamp(limits::RETRY_FIRST, limits::RETRY_LONGEST).max(hint.unwrap_or(0))
}
