//! Decides for each stored value whether an erasure keeps, rewrites or deletes it.

use std::sync::Arc;

use serde_json::Value;
use throughline_engine::data::approval::Approval;
use throughline_engine::data::call::RemoteTask;
use throughline_engine::data::canonical_json::{hex, sha256};
use throughline_engine::data::data_subject::DataSubject;
use throughline_engine::data::effect::{EffectBody, EffectClass, EffectResult, Outcome};
use throughline_engine::data::erasure::ERASED;
use throughline_engine::data::snapshot;
use throughline_engine::{LaneKey, Timestamp};
use throughline_store::{Redaction, Redactor, TextSource};

use super::personal_trace::PersonalTrace;

/// Members of a stored response that hold people's words. The other members say that and how a request was handled.
const SAID: [&str; 5] = ["messages", "effects", "items", "options", "errors"];

/// The payload of an approval whose words are erased.
const NOTHING: &str = "{}";

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// The rules for a lane's values when a person is erased.
pub(super) fn of_person(trace: &Arc<PersonalTrace>) -> Redactor {
    let trace = trace.clone();
    Arc::new(move |kept| {
        let person = &trace.person;
        match &kept.source {
            TextSource::Content { revision } => erase_if(trace.turns.contains(revision)),
            // A state from before the erasing turn is deleted.
            TextSource::Checkpoint { revision } => {
                let before = trace.turned.is_some_and(|turned| *revision < turned);
                // Later states may still name, by id, what the person made.
                erase_if(before || person.scrub(&mut value(kept.text)))
            }
            TextSource::Record => record(person, kept.text),
            TextSource::Participant => erase_if(value(kept.text) == person.id()),
            TextSource::Event => erase_if(person.in_value(&value(kept.text))),
            TextSource::Payload { id, revision, class, .. } => {
                // An approved request may have been released by somebody else's press: there the words decide.
                let theirs = trace.effects.contains(*id) && stays_inside(*class, kept.text);
                if Some(*revision) == trace.turned {
                    return Redaction::Keep;
                }
                let mut payload = value(kept.text);
                match person.in_value(&payload) {
                    false => erase_if(theirs),
                    // Another person's question to a model goes on, without the words.
                    true if *class == EffectClass::ModelAsk && !theirs => {
                        person.scrub(&mut payload);
                        Redaction::Rewrite(throughline_engine::data::canonical_json::jcs(&payload))
                    }
                    true => Redaction::Erase,
                }
            }
            TextSource::Outcome { id, .. } => {
                let theirs = trace.effects.contains(*id) || person.in_value(&value(kept.text));
                if theirs { outcome(kept.text) } else { Redaction::Keep }
            }
            TextSource::Approval => approval(Some(person), kept.text),
            TextSource::Decision => scrubbed(person, kept.text),
            TextSource::Response { .. } | TextSource::Fact | TextSource::Document { .. } => Redaction::Keep,
        }
    })
}

/// The rules for a tenant's values outside of lanes when a person is erased.
pub(super) fn of_persons_tenant(id: &str, traces: Vec<Arc<PersonalTrace>>) -> Redactor {
    let alone = DataSubject::new(id);
    Arc::new(move |kept| match &kept.source {
        TextSource::Response { turn } => {
            let theirs = turn.as_ref().is_some_and(|(lane, revision)| {
                traces.iter().any(|trace| trace.lane == *lane && trace.turns.contains(revision))
            });
            let parsed = value(kept.text);
            if theirs || persons(&alone, &traces).any(|person| person.in_value(&parsed)) {
                answer(&parsed, persons(&alone, &traces))
            } else {
                Redaction::Keep
            }
        }
        TextSource::Document { about, .. } if about.people.iter().any(|person| person == alone.id()) => {
            Redaction::Erase
        }
        TextSource::Document { about, .. } if about.words => {
            let mut body = value(kept.text);
            // Every trace is applied: one lane may know names that another does not.
            let all = persons(&alone, &traces);
            let changed = all.fold(false, |changed, person| in_words(person, &mut body) | changed);
            if changed { Redaction::Rewrite(body.to_string()) } else { Redaction::Keep }
        }
        _ => Redaction::Keep,
    })
}

/// Takes a person's words out of the members of a document that hold words. Keys, kinds and numbers beside them are
/// never theirs, whatever the person is called.
fn in_words(person: &DataSubject, body: &mut Value) -> bool {
    match body {
        Value::Object(members) => members.iter_mut().fold(false, |changed, (name, value)| {
            let words = ["fields", "text"].contains(&name.as_str());
            (if words { person.scrub(value) } else { in_words(person, value) }) | changed
        }),
        Value::Array(values) => {
            values.iter_mut().fold(false, |changed, value| in_words(person, value) | changed)
        }
        _ => false,
    }
}

fn persons<'t>(
    alone: &'t DataSubject,
    traces: &'t [Arc<PersonalTrace>],
) -> impl Iterator<Item = &'t DataSubject> {
    traces.iter().map(|trace| &trace.person).chain([alone])
}

/// The rules for a lane that is emptied by the turn with that revision.
pub(super) fn of_lane(turned: Option<u64>) -> Redactor {
    Arc::new(move |kept| match &kept.source {
        TextSource::Approval => approval(None, kept.text),
        TextSource::Decision => Redaction::Keep,
        TextSource::Outcome { .. } => outcome(kept.text),
        // The state after that turn is empty, and its messages only say that cards are closed.
        TextSource::Checkpoint { revision } | TextSource::Payload { revision, .. } => {
            erase_if(turned.is_none_or(|turned| *revision < turned))
        }
        _ => Redaction::Erase,
    })
}

/// The rules for a tenant's values outside of lanes when one lane is emptied.
pub(super) fn of_lanes_tenant(lane: &LaneKey) -> Redactor {
    let id = lane.id();
    Arc::new(move |kept| match &kept.source {
        TextSource::Response { turn: Some((lane, _)) } if *lane == id => {
            answer(&value(kept.text), std::iter::empty())
        }
        TextSource::Document { about, .. } => erase_if(about.lane.as_ref() == Some(&id)),
        _ => Redaction::Keep,
    })
}

fn erase_if(theirs: bool) -> Redaction {
    if theirs { Redaction::Erase } else { Redaction::Keep }
}

/// True if the effect neither leaves the thread with an approval nor prepares one that will.
fn stays_inside(class: EffectClass, payload: &str) -> bool {
    let outward = || serde_json::from_str(payload).is_ok_and(|body: EffectBody| body.is_outward());
    class != EffectClass::TrackerCheck && !outward()
}

fn scrubbed(person: &DataSubject, text: &str) -> Redaction {
    let mut value = value(text);
    if person.scrub(&mut value) { Redaction::Rewrite(value.to_string()) } else { Redaction::Keep }
}

/// A record that lanes no longer load. One that cannot be decoded is only scrubbed: nobody can say what it holds.
fn record(person: &DataSubject, text: &str) -> Redaction {
    let Ok(record) = snapshot::decode_record(text) else { return scrubbed(person, text) };
    match record.clone().without(person, Timestamp(0)) {
        None => Redaction::Erase,
        Some(left) if left != record => Redaction::Rewrite(snapshot::encode_record(&left)),
        Some(_) => Redaction::Keep,
    }
}

/// An approval of the person, or any approval without one: the payload goes; ids and who decided stay.
fn approval(person: Option<&DataSubject>, text: &str) -> Redaction {
    let Ok(approval) = serde_json::from_str::<Approval>(text) else { return Redaction::Keep };
    let theirs = person.is_none_or(|person| {
        person.is(&approval.requested_by)
            || person.has(&approval.source.0)
            || person.in_value(&value(&approval.payload))
    });
    if !theirs || approval.payload == NOTHING {
        return person.map_or(Redaction::Keep, |person| unsigned(person, approval));
    }
    let bare = Approval {
        payload: NOTHING.into(),
        payload_sha256: hex(&sha256(&[NOTHING.as_bytes()])),
        requested_by: ERASED.into(),
        authors: Vec::new(),
        ..approval
    };
    serde_json::to_string(&bare).map_or(Redaction::Keep, Redaction::Rewrite)
}

/// An approval with the person's name taken out of its authors.
fn unsigned(person: &DataSubject, mut approval: Approval) -> Redaction {
    if !approval.authors.iter().any(|field| field.by.has(person.id())) {
        return Redaction::Keep;
    }
    for field in &mut approval.authors {
        field.by = field.by.clone().erased(person.id());
    }
    serde_json::to_string(&approval).map_or(Redaction::Keep, Redaction::Rewrite)
}

/// The outcome or remote state of an effect, without words. Keys of created issues stay, and the name of a remote
/// task, or it would be sent again.
fn outcome(text: &str) -> Redaction {
    if let Ok(underway) = serde_json::from_str::<RemoteTask>(text) {
        let silent = RemoteTask { told: String::new(), ..underway };
        return serde_json::to_string(&silent).map_or(Redaction::Keep, Redaction::Rewrite);
    }
    let told = match serde_json::from_str::<Outcome>(text) {
        Ok(Outcome::Done { result: EffectResult::Found { key, url, parent, .. } }) => {
            Outcome::Done { result: EffectResult::Found { key, title: ERASED.into(), url, parent } }
        }
        Ok(Outcome::Done {
            result:
                EffectResult::Answered(_)
                | EffectResult::Said { .. }
                | EffectResult::Asked(_)
                | EffectResult::Snapshot { .. },
        })
        | Err(_) => return Redaction::Erase,
        Ok(Outcome::Done { result: EffectResult::Stopped { .. } }) => {
            Outcome::Done { result: EffectResult::Stopped { text: ERASED.into() } }
        }
        Ok(Outcome::Done { result }) => Outcome::Done { result },
        Ok(Outcome::Failed { reason, .. }) => {
            Outcome::Failed { reason, text: ERASED.into(), errors: Vec::new() }
        }
        Ok(Outcome::Uncertain { .. }) => Outcome::Uncertain { text: ERASED.into() },
    };
    serde_json::to_string(&told).map_or(Redaction::Keep, Redaction::Rewrite)
}

/// A stored response without words: a repeated request learns that it was handled, and how.
fn answer<'p>(parsed: &Value, persons: impl Iterator<Item = &'p DataSubject>) -> Redaction {
    let mut bare = parsed.clone();
    if let Value::Object(members) = &mut bare {
        for (name, value) in members.iter_mut() {
            match value {
                Value::Array(list) if SAID.contains(&name.as_str()) => list.clear(),
                Value::Object(_) => *value = Value::Null,
                Value::String(text) if name == "detail" => *text = ERASED.into(),
                _ => {}
            }
        }
    }
    for person in persons {
        person.scrub(&mut bare);
    }
    Redaction::Rewrite(bare.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use throughline_store::{DocumentSubjects, StoredText};

    use super::*;

    #[test]
    fn an_outcome_keeps_what_names_things_and_no_words() {
        let left = |outcome: Value| match outcome_of(&outcome) {
            Redaction::Rewrite(text) => value(&text),
            Redaction::Erase => Value::Null,
            Redaction::Keep => panic!("{outcome} is kept"),
        };
        let done = |result: Value| json!({ "as": "done", "result": result });
        let asked = json!({ "what": "asked", "remote": "{}", "text": "Which city?", "fields": [] });
        let table = [
            (
                json!({ "as": "underway", "remote": "t-1", "told": "3 of 5", "news": 2 }),
                json!({ "as": "underway", "remote": "t-1", "news": 2 }),
            ),
            (done(asked), Value::Null),
            (done(json!({ "what": "said", "text": "12 degrees" })), Value::Null),
            (
                done(json!({ "what": "stopped", "text": "as Ana said" })),
                done(json!({ "what": "stopped", "text": ERASED })),
            ),
            (
                done(json!({ "what": "issue", "key": "DEMO-1" })),
                done(json!({ "what": "issue", "key": "DEMO-1" })),
            ),
        ];
        for (outcome, stays) in table {
            assert_eq!(left(outcome.clone()), stays, "{outcome}");
        }
    }

    /// People may be called like anything that is stored: a project, a kind, a collection, a part of another's id.
    #[test]
    fn a_document_goes_with_its_people_and_its_lane_and_with_nobody_else() {
        let lane = LaneKey::new("acme", "bot", "web", "ana.smith:1", "");
        let issue = json!({
            "key": "AUTH-1", "item": { "project": "AUTH", "kind": "bug", "fields": { "title": "Kestrelgate is down, says local" } },
            "effect": "fx_1", "links": [{ "kind": "relates", "key": "AUTH-2" }],
        });
        let documents = [
            ("tracker.counters", "AUTH", "12".to_owned(), DocumentSubjects::default()),
            (
                "tracker.issues.AUTH",
                "000000000001",
                issue.to_string(),
                DocumentSubjects { words: true, ..Default::default() },
            ),
            ("tracker.children.AUTH-1", "AUTH-000000000002", "AUTH-2".into(), DocumentSubjects::default()),
            ("web.links", "local", "2026-01-15T10:00:00Z".into(), DocumentSubjects::default()),
            (
                "tools.pins",
                "links",
                json!({ "user": "AUTH", "text": "bug" }).to_string(),
                DocumentSubjects::default(),
            ),
            (
                "web.conversations.ana.smith",
                "1",
                json!({ "title": "AUTH" }).to_string(),
                DocumentSubjects { people: vec!["ana.smith".into()], lane: Some(lane.id()), words: false },
            ),
        ];
        let judged = |judge: &Redactor| {
            let judge = |(collection, key, text, about): &(&str, &str, String, DocumentSubjects)| {
                judge(&StoredText { source: TextSource::Document { collection, key, about }, text })
            };
            documents.iter().map(judge).collect::<Vec<_>>()
        };
        let nothing = vec![Redaction::Keep; documents.len()];
        for id in [
            "AUTH", "bug", "local", "counters", "links", "smith", "ana", "AUTH-1", "1", "AUTH-2", "relates",
            "fx_1",
        ] {
            assert_eq!(judged(&of_persons_tenant(id, Vec::new())), nothing, "{id}");
        }
        let mut own = nothing.clone();
        own[5] = Redaction::Erase;
        assert_eq!(judged(&of_persons_tenant("ana.smith", Vec::new())), own);
        assert_eq!(judged(&of_lanes_tenant(&lane)), own);
        let other = LaneKey::new("acme", "other", "web", "ana.smith:1", "");
        assert_eq!(judged(&of_lanes_tenant(&other)), nothing);
    }

    fn outcome_of(outcome: &Value) -> Redaction {
        super::outcome(&outcome.to_string())
    }

    #[test]
    fn what_left_with_an_approval_is_not_theirs_alone() {
        for (risk, inside) in [("read", true), ("write", false), ("destructive", false)] {
            let call = json!({
                "class": "agent.delegate", "to": "agent", "name": "writer", "task": "t_1", "text": "x", "risk": risk,
            });
            assert_eq!(stays_inside(EffectClass::AgentDelegate, &call.to_string()), inside, "{risk}");
        }
        assert!(!stays_inside(EffectClass::TrackerCheck, "{}") && stays_inside(EffectClass::Reply, "{}"));
    }
}
