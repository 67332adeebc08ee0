//! Retries of effects: after an unknown outcome, and with which delay
//! (`docs/design/0031-effects-and-retries.md`).

use alloc::format;

use crate::data::canonical_json::sha256;
use crate::data::effect::EffectBody;
use crate::data::effect::class::EffectClass;
use crate::data::id::EffectId;
use crate::data::policy::limits;
use crate::data::time::Millis;

/// Promise of a far side about repeated requests. The adapter states it, never the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    /// A repeated effect id is applied once.
    Idempotent,
    /// The result of an effect can be found there by the effect's id, as far as the far side lets itself be read.
    Findable,
    /// No promise.
    Nothing,
}

/// Reaction to an unknown outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterUnknown {
    /// Try again on the schedule.
    Retry,
    /// Try once more, then give up. A duplicate would be visible.
    RetryOnce,
    /// Look for it, at most [`limits::LOOKS`] times. Where it is not found it is sent once more if it stays in the thread,
    /// and never if it leaves.
    Look,
    /// Park as uncertain, and never send again without a person.
    Park,
}

/// Returns the reaction to an unknown outcome. An effect that leaves the thread is sent again only if the far
/// side is idempotent, or if repeating it has no further result.
#[must_use]
pub fn after_unknown(body: &EffectBody, far_side: Guarantee) -> AfterUnknown {
    match (body.class(), far_side) {
        (_, Guarantee::Idempotent) => AfterUnknown::Retry,
        _ if matches!(body, EffectBody::TrackerUpdate { change, .. } if change.is_setting()) => {
            AfterUnknown::Retry
        }
        (EffectClass::Reply | EffectClass::CardPost | EffectClass::PostChannel, Guarantee::Findable) => {
            AfterUnknown::Look
        }
        _ if body.is_outward() => AfterUnknown::Park,
        (EffectClass::Reply | EffectClass::CardPost | EffectClass::Notice, _) => AfterUnknown::RetryOnce,
        _ => AfterUnknown::Retry,
    }
}

/// Returns the delay between attempt `n` and `n + 1`, in milliseconds. It doubles with each attempt, is
/// spread by up to a fifth to either side, and is at least the far side's `hint`. The spread is derived from
/// the effect's id, so that a replay has the same delay.
///
/// ```
/// use throughline_engine::retry::retry_delay;
/// let id = "fx_65emfyihdqmez2f6x5fvmpxn".into();
/// let delays: Vec<i64> = (1..=6).map(|n| retry_delay(&id, n, None)).collect();
/// assert_eq!(delays, [1000, 2297, 4709, 7737, 15754, 32866]);
/// ```
#[must_use]
pub fn retry_delay(effect: &EffectId, n: u32, hint: Option<Millis>) -> Millis {
    let digest = sha256(&[effect.0.as_bytes(), b"#", format!("{n}").as_bytes()]);
    let u = u64::from(u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]));
    // The factor 0.8 + 0.4 u / 2^32, in units of 2^-32 / 10: no floats are used.
    let spread = (8u64 << 32) + 4 * u;
    let base = limits::RETRY_FIRST.unsigned_abs() << n.saturating_sub(1).min(20);
    let delay = u128::from(base) * u128::from(spread) / (10u128 << 32);
    let delay = Millis::try_from(delay).unwrap_or(Millis::MAX);
    delay.clamp(limits::RETRY_FIRST, limits::RETRY_LONGEST).max(hint.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::lane_key::LaneKey;
    use crate::data::language::Language;

    #[test]
    fn a_message_is_looked_for_where_its_channel_can_be_read() {
        let reply = EffectBody::Reply { message: "m_1".into(), text: "hi".into(), offers: [].into() };
        let notice = EffectBody::Notice { to: "ana".into(), text: "hi".into() };
        let post = EffectBody::PostChannel {
            to: LaneKey::new("t", "a", "slack", "C1", ""),
            text: "we decided".into(),
            signed: false,
            language: Language::default(),
            card: "ap_1".into(),
        };
        let (readable, other) = (Guarantee::Findable, Guarantee::Nothing);
        for (body, far_side, expected) in [
            (&reply, readable, AfterUnknown::Look),
            (&reply, other, AfterUnknown::RetryOnce),
            (&notice, readable, AfterUnknown::RetryOnce),
            (&post, readable, AfterUnknown::Look),
            (&post, other, AfterUnknown::Park),
            (&post, Guarantee::Idempotent, AfterUnknown::Retry),
        ] {
            assert_eq!(after_unknown(body, far_side), expected, "{body:?} {far_side:?}");
        }
    }
}
