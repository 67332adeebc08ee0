//! Asks: one attempt inside of what is left of the ask's own time, let go when the lane no longer waits for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use throughline_engine::ask::{Answer, Ask, Question};
use throughline_engine::effect::{Attempt, EffectClass, EffectResult};
use throughline_engine::memory::summary;
use throughline_engine::{EffectId, Millis, Timestamp, snapshot};
use throughline_models::Caller;
use throughline_store::{StoredEffect, lease_of};
use tokio::sync::Notify;

use crate::given::unreadable;
use crate::{FailPoint, Runtime, Stop, counted};

/// What is left of a lease when an attempt has to be over.
const SPARE: Millis = 5 * Timestamp::SECOND;

/// Asks under way in this process, so that one that was superseded can be let go.
#[derive(Default)]
pub(crate) struct Asks(Mutex<HashMap<EffectId, Arc<Notify>>>);

impl Asks {
    /// The lane asks something else now, or nothing.
    pub(crate) fn let_go(&self, effect: &EffectId) {
        if let Some(bell) = self.under_way().get(effect) {
            bell.notify_one();
        }
    }

    fn begins(&self, effect: &EffectId) -> UnderWay<'_> {
        let bell = Arc::new(Notify::new());
        self.under_way().insert(effect.clone(), bell.clone());
        UnderWay { asks: self, effect: effect.clone(), bell }
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<EffectId, Arc<Notify>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An ask under way, until it is dropped.
struct UnderWay<'a> {
    asks: &'a Asks,
    effect: EffectId,
    bell: Arc<Notify>,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.asks.under_way().remove(&self.effect);
    }
}

impl Runtime {
    pub(super) async fn ask_model(
        &self,
        effect: &StoredEffect,
        ask: &Ask,
    ) -> Result<Attempt<EffectResult>, Stop> {
        let Some(model) = &self.ports.model else { return Ok(nothing("off")) };
        let id = &effect.row.id;
        // Listened for first: what is superseded from here on is heard of.
        let under_way = self.asks.begins(id);
        let Some(by) = self.asked_for(effect).await? else { return Ok(nothing("superseded")) };
        let now = self.store.now();
        let left = ask.budget_ms - now.since(effect.created_at);
        if left <= 0 {
            return Ok(nothing("timeout"));
        }
        self.faults.at(FailPoint::ModelInFlight, effect.row.class.word())?;
        // One attempt ends before its lease does: else another worker would take the model for gone.
        let longest = lease_of(EffectClass::ModelAsk) - SPARE;
        let ask = Ask { budget_ms: left.min(longest), ..ask.clone() };
        let caller = Caller { tenant: &effect.lane.tenant, user: &by, effect: id, now };
        let answer = tokio::select! {
            answer = model.ask(&ask, &caller) => answer,
            () = under_way.bell.notified() => return Ok(nothing("superseded")),
        };
        self.count(&ask, &answer, now);
        Ok(match answer {
            Attempt::Applied(answer) => Attempt::Applied(EffectResult::Answered(answer)),
            Attempt::NotApplied { why, hint } => Attempt::NotApplied { why, hint },
            // What a model refuses or mangles is no answer, never a failure of the lane.
            Attempt::Rejected { text, .. } => nothing(&text),
            Attempt::Unknown { why } => Attempt::Unknown { why },
        })
    }

    /// For whom the lane still asks this; a summary is for nobody in particular. `None`: it asks something else now.
    async fn asked_for(&self, effect: &StoredEffect) -> Result<Option<String>, Stop> {
        let Some(stored) = self.store.load(&effect.lane).await? else { return Ok(None) };
        let head = snapshot::decode_head(&stored.head);
        let head = head.map_err(|error| unreadable("a lane head", &error.to_string()))?;
        let id = &effect.row.id;
        let summary = summary::asks(&head, id).then(String::new);
        Ok(head.ask.filter(|open| open.effect == *id).map(|open| open.by).or(summary))
    }

    fn count(&self, ask: &Ask, answer: &Attempt<Answer>, asked: Timestamp) {
        let outcome = match answer {
            Attempt::Applied(Answer::None { .. }) => "none",
            Attempt::Applied(_) => "answered",
            _ => "failed",
        };
        if matches!(answer, Attempt::Applied(answer) if out_of_pool(ask, answer)) {
            metrics::counter!("throughline_model_out_of_pool_total").increment(1);
        }
        let purpose = ask.purpose().word();
        metrics::counter!("throughline_model_requests_total", "purpose" => purpose, "outcome" => outcome)
            .increment(1);
        metrics::histogram!("throughline_model_seconds")
            .record(counted::seconds(self.store.now().since(asked)));
    }
}

/// It names what was not offered: a label, or an option that the step will not take either.
fn out_of_pool(ask: &Ask, answer: &Answer) -> bool {
    match (&ask.question, answer) {
        (Question::Select(choice), Answer::Select { choice: Some(named), .. }) => {
            !choice.candidates.iter().any(|candidate| candidate.alias == *named)
        }
        (_, Answer::None { why }) => why == "out_of_pool",
        _ => false,
    }
}

fn nothing(why: &str) -> Attempt<EffectResult> {
    Attempt::Applied(EffectResult::Answered(Answer::None { why: why.into() }))
}

#[cfg(test)]
mod tests {
    use throughline_models::conformance::asks;
    use throughline_models::{no_answer, parse};

    use super::*;

    #[test]
    fn what_was_not_offered_is_counted() {
        let select = asks("x").into_iter().find(|ask| matches!(ask.question, Question::Select(_))).unwrap();
        let says = |choice: &str| {
            let raw =
                format!(r#"{{"contract":"tl-ask-1","decision":"select","choice":{choice},"confidence":1}}"#);
            out_of_pool(&select, &parse(&select, &raw))
        };
        assert_eq!(
            [says("\"c9\""), says("\"\u{441}1\""), says("\"c1\""), says("null")],
            [true, true, false, false]
        );
        let classify = asks("x").remove(0);
        assert!(out_of_pool(&classify, &parse(&classify, r#"{"label":"approve","confidence":1}"#)));
        assert!(!out_of_pool(&classify, &no_answer("timeout")));
    }
}
