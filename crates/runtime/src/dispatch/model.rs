//! Asks the model: one attempt within what is left of the ask's time, dropped when the lane no longer waits for the
//! answer.

use throughline_engine::data::ask::{Answer, Ask, Question};
use throughline_engine::data::effect::{Attempt, EffectClass, EffectResult};
use throughline_engine::summary;
use throughline_engine::{Language, Millis, Timestamp};
use throughline_models::{Caller, Onlooker, Spent};
use throughline_store::{StoredEffect, lease_of};

use crate::{FailPoint, Runtime, RuntimeError, counters, spans};

/// An attempt ends this long before its lease does, or another worker would count the model as unreachable.
const SPARE: Millis = 5 * Timestamp::SECOND;

impl Runtime {
    pub(super) async fn ask_model(
        &self,
        effect: &StoredEffect,
        ask: &Ask,
    ) -> Result<Attempt<EffectResult>, RuntimeError> {
        let Some(model) = &self.ports.model else { return Ok(nothing("off")) };
        let id = &effect.row.id;
        // Registered before the check below, so that a cancellation between the two is not missed.
        let open = self.in_flight.begin(id);
        let Some(by) = self.asked_for(effect).await? else { return Ok(nothing("superseded")) };
        let now = self.store.now();
        let left = ask.budget_ms - now.since(effect.created_at);
        if left <= 0 {
            return Ok(nothing("timeout"));
        }
        self.faults.at(FailPoint::ModelInFlight, effect.row.class.as_str())?;
        let longest = lease_of(EffectClass::ModelAsk) - SPARE;
        let ask = Ask { budget_ms: left.min(longest), ..ask.clone() };
        let spent = Spent::default();
        // A summary is made for later: it is nobody's, and nobody sees it grow.
        let writer = if by.is_empty() { None } else { self.write(effect, &ask) };
        let onlooker = writer.as_ref().map(|writer| writer as &dyn Onlooker);
        let caller =
            Caller { tenant: &effect.lane.tenant, user: &by, effect: id, now, spent: &spent, onlooker };
        let answer = tokio::select! {
            answer = model.ask(&ask, &caller) => answer,
            () = open.given_up.notified() => return Ok(nothing("superseded")),
        };
        if let (Some(writer), Attempt::Applied(_)) = (writer, &answer) {
            writer.handed_on();
        }
        self.count(&ask, &answer, now);
        spans::answered(&spent);
        Ok(match answer {
            Attempt::Applied(answer) => Attempt::Applied(EffectResult::Answered(answer)),
            Attempt::NotApplied { why, hint } => Attempt::NotApplied { why, hint },
            // A refusal or a malformed answer is no answer; it never fails the lane.
            Attempt::Rejected { text, .. } => nothing(&text.text(Language::En)),
            Attempt::Unknown { why } => Attempt::Unknown { why },
        })
    }

    /// The person the lane asks for; empty for a summary, which is for nobody in particular. `None` if the lane no
    /// longer waits for this ask.
    async fn asked_for(&self, effect: &StoredEffect) -> Result<Option<String>, RuntimeError> {
        let Some(head) = self.read_head(&effect.lane).await? else { return Ok(None) };
        let id = &effect.row.id;
        let summary = summary::is_open_request(&head, id).then(String::new);
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
        let purpose = ask.purpose().as_str();
        metrics::counter!("throughline_model_requests_total", "purpose" => purpose, "outcome" => outcome)
            .increment(1);
        metrics::histogram!("throughline_model_seconds")
            .record(counters::seconds(self.store.now().since(asked)));
    }
}

/// True if the answer names something that was not offered: a label or an option, which the step will not accept
/// either.
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
