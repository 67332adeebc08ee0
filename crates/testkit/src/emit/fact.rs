//! Writes facts.

use serde_yaml_ng::Value;

use super::Build;
use crate::duration;
use crate::model::{FactExpect, GivenFact, StateFact, When};
use crate::yaml::{count, map, text};

pub(super) fn given(fact: &GivenFact) -> Value {
    let mut all = Build(vec![
        ("type".into(), text(fact.kind.as_str())),
        ("scope".into(), text(fact.scope.as_str())),
        ("text".into(), text(&fact.text)),
    ]);
    all.lane(&fact.lane);
    all.some("epic", fact.epic.as_ref());
    all.some("subject", fact.subject.as_ref());
    all.put("confidence", text(&fact.confidence.to_string()));
    all.put("trust", text(fact.trust.as_str()));
    all.put("by", text(&fact.by));
    match fact.at {
        Some(When::At(at)) => all.put("at", text(&at.rfc3339())),
        Some(When::In(span)) => all.put("at", text(&duration::write(span))),
        None => {}
    }
    map(all.0)
}

pub(super) fn states(states: &StateFact) -> Value {
    let fact = &states.fact;
    let mut all = Build(vec![
        ("type".into(), text(fact.kind.as_str())),
        ("scope".into(), text(fact.scope.as_str())),
        ("text".into(), text(&fact.text)),
    ]);
    all.some("epic", fact.epic.as_ref());
    all.some("subject", fact.subject.as_ref());
    let mut all = Build(vec![("states".into(), map(all.0))]);
    all.lane(&states.lane);
    map(all.0)
}

pub(super) fn expected(fact: &FactExpect) -> Value {
    let mut all = Build(Vec::new());
    let words = [
        ("type", fact.kind.map(|kind| kind.as_str())),
        ("scope", fact.scope.map(|scope| scope.as_str())),
        ("epic", fact.epic.as_deref()),
        ("text", fact.text.as_deref()),
        ("status", fact.status.map(|status| status.as_str())),
        ("trust", fact.trust.map(|trust| trust.as_str())),
        ("subject", fact.subject.as_deref()),
    ];
    for (key, word) in words {
        if let Some(word) = word {
            all.put(key, text(word));
        }
    }
    if let Some(confidence) = fact.confidence {
        all.put("confidence", text(&confidence.to_string()));
    }
    if let Some(sources) = fact.sources {
        all.put("sources", count(sources));
    }
    map(all.0)
}
