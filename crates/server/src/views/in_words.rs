//! Outcomes and notices as programs read them: in English sentences, where the engine keeps values.

use serde::Deserialize as _;
use serde_json::Value;
use throughline_engine::data::effect::Outcome;
use throughline_engine::{Event, EventKind, Language};

/// Returns a stored outcome; what an effect keeps that goes on is none, and stays as it is.
pub(super) fn outcome(stored: &str) -> Option<Value> {
    let stored: Value = serde_json::from_str(stored).ok()?;
    match Outcome::deserialize(&stored) {
        Ok(outcome) => serde_json::to_value(outcome.in_words(Language::En)).ok(),
        Err(_) => Some(stored),
    }
}

/// Returns an event.
pub(super) fn event(event: &Event) -> Event {
    let mut event = event.clone();
    match &mut event.kind {
        EventKind::IntakeNotice(notice) => *notice = notice.in_words(Language::En, event.received_at),
        EventKind::EffectSettled { outcome, .. } => *outcome = outcome.clone().in_words(Language::En),
        _ => {}
    }
    event
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn programs_read_sentences() {
        let typed = r#"{"as":"failed","reason":"rejected","text":{"fault":"no_title"},"errors":[{"code":"check.shape","field":"title","text":{"fault":"no_title"}}]}"#;
        let told = json!({"as": "failed", "reason": "rejected", "text": "The item has no title",
            "errors": [{"code": "check.shape", "field": "title", "text": "The item has no title"}]});
        assert_eq!(outcome(typed), Some(told.clone()));
        assert_eq!(outcome(&told.to_string()), Some(told), "as earlier versions stored it");
        assert_eq!(outcome(r#"{"remote":"t1"}"#), Some(json!({"remote": "t1"})));
    }
}
