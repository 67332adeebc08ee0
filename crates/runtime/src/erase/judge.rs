//! Decides for each stored value whether an erasure keeps, rewrites or deletes it.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use throughline_engine::data::approval::{Approval, ApprovalChange};
use throughline_engine::data::call::RemoteTask;
use throughline_engine::data::canonical_json::{self, hex, sha256};
use throughline_engine::data::data_subject::DataSubject;
use throughline_engine::data::effect::{EffectBody, EffectClass, EffectResult, Outcome};
use throughline_engine::data::erasure::ERASED;
use throughline_engine::data::fact::Fact;
use throughline_engine::data::fault::Fault;
use throughline_engine::data::id::id_origin;
use throughline_engine::data::snapshot;
use throughline_engine::data::texts::{Members, Text, Texts, Visit};
use throughline_engine::{LaneId, LaneKey, Timestamp};
use throughline_store::{Redaction, Redactor, TextSource};

use super::personal_trace::PersonalTrace;
use crate::intake::Envelope;
use crate::turn_log;

/// Members of a stored response that hold people's words. The other members say that and how a request was handled.
const SAID: [&str; 5] = ["messages", "effects", "items", "options", "errors"];

/// Members of a stored response that hold words of somebody, at any depth.
const ANSWER_WORDS: &[&str] = &[
    "text", "title", "facts", "label", "sublabel", "badge", "aliases", "path", "detail", "value", "fields",
    "expected", "args", "excerpt",
];

/// Members of a stored response that hold user ids.
const ANSWER_PEOPLE: &[&str] = &["by", "requested_by", "actor", "user", "asked_of", "author", "owner", "to"];

/// Members of a document with words that hold them.
const DOCUMENT_WORDS: &[&str] = &["fields", "text"];

/// The payload of an approval whose words are erased.
const NOTHING: &str = "{}";

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// The rules for a lane's values when a person is erased.
pub(super) fn of_person(person: &Arc<DataSubject>, trace: &Arc<PersonalTrace>) -> Redactor {
    let (person, trace) = (person.clone(), trace.clone());
    Arc::new(move |kept| {
        let person = &*person;
        match &kept.source {
            TextSource::Content { revision } => erase_if(trace.turns.contains(revision)),
            // A state from before the erasing turn is deleted.
            TextSource::Checkpoint { revision } => {
                let before = trace.turned.is_some_and(|turned| *revision < turned);
                erase_if(before || state_holds(person, &trace.lane, *revision, kept.text))
            }
            TextSource::Record => record(person, kept.text),
            TextSource::Participant => erase_if(value(kept.text) == person.id()),
            TextSource::Event => {
                let event = serde_json::from_str::<Envelope>(kept.text);
                erase_if(event.map_or_else(|_| person.holds(kept.text), |kept| person.is_in(&kept.event)))
            }
            TextSource::Payload { revision, .. } if Some(*revision) == trace.turned => Redaction::Keep,
            TextSource::Payload { id, class, .. } => {
                // An approved request may have been released by somebody else's press: there the words decide.
                payload(person, *class, trace.effects.contains(*id), kept.text)
            }
            TextSource::Outcome { id, .. } => {
                let theirs = trace.effects.contains(*id) || outcome_holds(person, kept.text);
                if theirs { outcome(kept.text) } else { Redaction::Keep }
            }
            TextSource::Approval => approval(Some(person), kept.text),
            TextSource::Decision => rewritten::<ApprovalChange>(person, kept.text),
            TextSource::Response { .. } | TextSource::Fact | TextSource::Document { .. } => Redaction::Keep,
        }
    })
}

/// The rules for a tenant's values outside of lanes when a person is erased.
pub(super) fn of_persons_tenant(person: &DataSubject, traces: &[Arc<PersonalTrace>]) -> Redactor {
    let (person, traces) = (person.clone(), traces.to_vec());
    Arc::new(move |kept| match &kept.source {
        TextSource::Response { turn } => {
            let theirs = turn.as_ref().is_some_and(|(lane, revision)| {
                traces.iter().any(|trace| trace.id == *lane && trace.turns.contains(revision))
            });
            answer(kept.text, theirs, Some(&person))
        }
        TextSource::Document { about, .. } if about.people.iter().any(|one| person.is(one)) => {
            Redaction::Erase
        }
        TextSource::Document { about, .. } if about.words => members(&person, kept.text, DOCUMENT_WORDS, &[]),
        // The id of a fact is made from its text, so it cannot be rewritten.
        TextSource::Fact => {
            let fact = serde_json::from_str::<Fact>(kept.text);
            erase_if(fact.is_ok_and(|fact| person.is_in(&FactWords(fact))))
        }
        _ => Redaction::Keep,
    })
}

/// Takes a person out of JSON of which only these members hold words and people. Keys, kinds and numbers beside them are
/// never theirs, whatever the person is called.
fn members(
    person: &DataSubject,
    text: &str,
    words: &'static [&'static str],
    people: &'static [&'static str],
) -> Redaction {
    let mut body = value(text);
    let changed = person.rewrite(&mut Members { value: &mut body, words, people });
    if changed { Redaction::Rewrite(body.to_string()) } else { Redaction::Keep }
}

/// A fact of others: only its words count, because its own person's statement is withdrawn in a turn.
#[derive(Clone)]
struct FactWords(Fact);

impl Texts for FactWords {
    fn texts(&mut self, visit: &mut Visit<'_>) {
        self.0.texts(&mut |text| {
            if let Text::Words(_) = text {
                visit(text);
            }
        });
    }
}

/// True if anything in a full state is the person's. Later states may still name, by id, what the person made.
fn state_holds(person: &DataSubject, lane: &LaneKey, revision: u64, text: &str) -> bool {
    // A state that cannot be read is no loss: replays start from an earlier one.
    turn_log::restore(lane, revision, text).map_or(true, |mut state| {
        person.rewrite(&mut state.head)
            || state.records.iter().any(|record| person.rewrite(&mut record.clone()))
    })
}

fn payload(person: &DataSubject, class: EffectClass, caused: bool, text: &str) -> Redaction {
    let theirs = caused && stays_inside(class, text);
    let Ok(mut body) = serde_json::from_str::<EffectBody>(text) else {
        return erase_if(theirs || person.holds(text));
    };
    match person.is_in(&body) {
        false => erase_if(theirs),
        // Another person's question to a model goes on, without the words.
        true if class == EffectClass::ModelAsk && !theirs => {
            person.rewrite(&mut body);
            Redaction::Rewrite(canonical_json::jcs(&body))
        }
        true => Redaction::Erase,
    }
}

fn outcome_holds(person: &DataSubject, text: &str) -> bool {
    if let Ok(underway) = serde_json::from_str::<RemoteTask>(text) {
        return person.is_in(&underway);
    }
    serde_json::from_str::<Outcome>(text)
        .map_or_else(|_| person.holds(text), |outcome| person.is_in(&outcome))
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
        TextSource::Response { turn: Some((lane, _)) } if *lane == id => answer(kept.text, true, None),
        TextSource::Document { about, .. } => erase_if(about.lane.as_ref() == Some(&id)),
        _ => Redaction::Keep,
    })
}

/// The rules for a lane's values when what was made up to a revision is erased. Effects, approvals and who took part stay. A full
/// state stays if replays of later turns start from it.
pub(super) fn of_age(lane: LaneId, revision: u64, start: u64) -> Redactor {
    Arc::new(move |kept| match &kept.source {
        TextSource::Content { revision: of } => erase_if(*of <= revision),
        TextSource::Checkpoint { revision: of } => erase_if(*of < start),
        TextSource::Record => {
            let id = value(kept.text)["id"].as_str().and_then(|id| id_origin(&lane, id));
            erase_if(id.is_some_and(|made| made.revision <= revision))
        }
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

/// A value of type `T` without what is the person's. One that cannot be read stays: nobody can say what it holds.
fn rewritten<T: Texts + Serialize + DeserializeOwned>(person: &DataSubject, text: &str) -> Redaction {
    let Ok(mut value) = serde_json::from_str::<T>(text) else { return Redaction::Keep };
    if !person.rewrite(&mut value) {
        return Redaction::Keep;
    }
    serde_json::to_string(&value).map_or(Redaction::Keep, Redaction::Rewrite)
}

/// A record that lanes no longer load.
fn record(person: &DataSubject, text: &str) -> Redaction {
    let Ok(record) = snapshot::decode_record(text) else { return erase_if(person.holds(text)) };
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
            || payload_holds(person, &approval)
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

/// True if what an approval would run holds words of the person.
fn payload_holds(person: &DataSubject, approval: &Approval) -> bool {
    let mut found = false;
    approval.clone().texts(&mut |text| {
        if let Text::Words(_) = text {
            found |= person.apply(text);
        }
    });
    found
}

/// An approval with the person's name taken out of its authors.
fn unsigned(person: &DataSubject, mut approval: Approval) -> Redaction {
    if !person.rewrite(&mut approval.authors) {
        return Redaction::Keep;
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
        Ok(Outcome::Done { result: EffectResult::Found { key, url, parent, state, .. } }) => {
            let title = ERASED.into();
            Outcome::Done { result: EffectResult::Found { key, title, url, parent, state, assignee: None } }
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
            Outcome::Failed { reason, text: Fault::Said(ERASED.into()), errors: Vec::new() }
        }
        Ok(Outcome::Uncertain { .. }) => Outcome::Uncertain { text: Fault::Said(ERASED.into()) },
    };
    serde_json::to_string(&told).map_or(Redaction::Keep, Redaction::Rewrite)
}

/// A stored response without words, if it is theirs: a repeated request learns that it was handled, and how. Somebody
/// else's loses only what is the person's.
fn answer(text: &str, theirs: bool, person: Option<&DataSubject>) -> Redaction {
    let mut body = value(text);
    if let Value::Object(members) = &mut body
        && theirs
    {
        for (name, value) in members.iter_mut() {
            match value {
                Value::Array(list) if SAID.contains(&name.as_str()) => list.clear(),
                Value::Object(_) => *value = Value::Null,
                Value::String(text) if name == "detail" => *text = ERASED.into(),
                _ => {}
            }
        }
    }
    if let Some(person) = person {
        person.rewrite(&mut Members { value: &mut body, words: ANSWER_WORDS, people: ANSWER_PEOPLE });
    }
    if body == value(text) { Redaction::Keep } else { Redaction::Rewrite(body.to_string()) }
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
            "key": "AUTH-1", "item": { "project": "AUTH", "kind": "bug", "fields": { "title": "Kestrelgate is down, says local", "labels": "bug" } },
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
            assert_eq!(judged(&of_persons_tenant(&alone(id), &[])), nothing, "{id}");
        }
        let mut own = nothing.clone();
        own[5] = Redaction::Erase;
        assert_eq!(judged(&of_persons_tenant(&alone("ana.smith"), &[])), own);
        assert_eq!(judged(&of_lanes_tenant(&lane)), own);
        let other = LaneKey::new("acme", "other", "web", "ana.smith:1", "");
        assert_eq!(judged(&of_lanes_tenant(&other)), nothing);
    }

    fn alone(id: &str) -> Arc<DataSubject> {
        Arc::new(DataSubject::new(id))
    }

    /// Effects, approvals and answers of somebody else, whatever the person is called.
    #[test]
    fn what_names_a_key_like_a_person_is_kept() {
        let create = json!({
            "class": "tracker.create", "target": { "tracker": "local", "project": "AUTH" }, "card": "ap_1",
            "item": { "type": "bug", "fields": { "title": "the", "labels": "bug" } },
        });
        let asked = json!({
            "card": "ap_1", "version": 1, "kind": "tracker.item", "payload": create.to_string(), "payload_sha256": "",
            "classes": ["tracker.create"], "targets": ["local:AUTH"], "quantity": 1, "total_chars": 3,
            "requested_by": "ana.smith", "source": "m_1_0", "created_at": 0,
        });
        let answered =
            json!({ "turn": "AUTH", "decision": "done", "effects": [{ "class": "bug", "target": "local" }] });
        let nothing = PersonalTrace {
            lane: LaneKey::new("acme", "bot", "web", "AUTH", ""),
            id: LaneKey::new("acme", "bot", "web", "AUTH", "").id(),
            turns: std::collections::BTreeSet::default(),
            effects: std::collections::BTreeSet::default(),
            turned: None,
        };
        let fx = "fx_1".into();
        let payload = TextSource::Payload {
            id: &fx,
            revision: 1,
            class: EffectClass::TrackerCreate,
            state: throughline_store::EffectState::Planned,
        };
        drop(serde_json::from_str::<EffectBody>(&create.to_string()).unwrap());
        drop(serde_json::from_str::<Approval>(&asked.to_string()).unwrap());
        for id in [
            "AUTH",
            "bug",
            "local",
            "the",
            "smith",
            "local:AUTH",
            "tracker.item",
            "m_1_0",
            "ap_1",
            "done",
            "",
        ] {
            let lane = of_person(&alone(id), &Arc::new(nothing.clone()));
            for (source, text) in [(payload.clone(), &create), (TextSource::Approval, &asked)] {
                assert_eq!(
                    lane(&StoredText { source, text: &text.to_string() }),
                    Redaction::Keep,
                    "{id}: {text}"
                );
            }
            let tenant = of_persons_tenant(&alone(id), &[]);
            let source = TextSource::Response { turn: None };
            assert_eq!(tenant(&StoredText { source, text: &answered.to_string() }), Redaction::Keep, "{id}");
        }
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
