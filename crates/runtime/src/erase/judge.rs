//! What becomes of each thing a store keeps, when somebody or something is erased.

use std::sync::Arc;

use serde_json::Value;
use throughline_engine::approval::Approval;
use throughline_engine::canon::{hex, sha256};
use throughline_engine::effect::{EffectBody, EffectClass, EffectResult, Outcome};
use throughline_engine::erase::{ERASED, Person, left};
use throughline_engine::work::Underway;
use throughline_engine::{LaneKey, Timestamp, snapshot};
use throughline_store::{Fate, Holds, Judge};

use super::trace::TraceOf;

/// Members of an answer that hold what was said. The rest says that, and how, a request was handled.
const SAID: [&str; 5] = ["messages", "effects", "items", "options", "errors"];

/// What an approval would release when its words are gone.
const NOTHING: &str = "{}";

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// Of a lane, when a person is erased.
pub(super) fn of_person(trace: &Arc<TraceOf>) -> Judge {
    let trace = trace.clone();
    Arc::new(move |kept| {
        let person = &trace.person;
        match &kept.what {
            Holds::Content { revision } => erase_if(trace.turns.contains(revision)),
            // What the lane was before is in no state that is kept.
            Holds::Checkpoint { revision } => {
                let before = trace.turned.is_some_and(|turned| *revision < turned);
                // The state behind that turn still names what they made, by its id.
                erase_if(before || person.scrub(&mut value(kept.text)))
            }
            Holds::Record => record(person, kept.text),
            Holds::Event => erase_if(person.in_value(&value(kept.text))),
            Holds::Payload { id, revision, class, .. } => {
                // An approved request may have been released by somebody else's press: there the words decide.
                let theirs = trace.effects.contains(*id) && stays_inside(*class, kept.text);
                if Some(*revision) == trace.turned {
                    return Fate::Keep;
                }
                let mut payload = value(kept.text);
                match person.in_value(&payload) {
                    false => erase_if(theirs),
                    // What somebody else asks a model goes on, without the words.
                    true if *class == EffectClass::ModelAsk && !theirs => {
                        person.scrub(&mut payload);
                        Fate::Rewrite(throughline_engine::canon::jcs(&payload))
                    }
                    true => Fate::Erase,
                }
            }
            Holds::Outcome { id, .. } => {
                let theirs = trace.effects.contains(*id) || person.in_value(&value(kept.text));
                if theirs { outcome(kept.text) } else { Fate::Keep }
            }
            Holds::Approval => approval(Some(person), kept.text),
            Holds::Decided => scrubbed(person, kept.text),
            Holds::Answer { .. } | Holds::Fact | Holds::Document { .. } => Fate::Keep,
        }
    })
}

/// Of a tenant, when a person is erased.
pub(super) fn of_persons_tenant(id: &str, traces: Vec<Arc<TraceOf>>) -> Judge {
    let alone = Person::new(id);
    Arc::new(move |kept| match &kept.what {
        Holds::Answer { turn } => {
            let theirs = turn.as_ref().is_some_and(|(lane, revision)| {
                traces.iter().any(|trace| trace.lane.as_ref() == Some(lane) && trace.turns.contains(revision))
            });
            let parsed = value(kept.text);
            if theirs || persons(&alone, &traces).any(|person| person.in_value(&parsed)) {
                answer(&parsed, persons(&alone, &traces))
            } else {
                Fate::Keep
            }
        }
        Holds::Document { collection, key } => {
            // Filed under them: their conversations' titles, their name, their account.
            let filed = *key == alone.id() || collection.rsplit('.').next() == Some(alone.id());
            let mut body = value(kept.text);
            let about = body.as_str() == Some(alone.id())
                || ["user", "used_by"].iter().any(|member| body[*member] == alone.id());
            if filed || about {
                return Fate::Erase;
            }
            // Each is asked: what one lane knows of them another may not.
            let changed =
                persons(&alone, &traces).fold(false, |changed, person| person.scrub(&mut body) | changed);
            if changed { Fate::Rewrite(body.to_string()) } else { Fate::Keep }
        }
        _ => Fate::Keep,
    })
}

fn persons<'t>(alone: &'t Person, traces: &'t [Arc<TraceOf>]) -> impl Iterator<Item = &'t Person> {
    traces.iter().map(|trace| &trace.person).chain([alone])
}

/// Of a lane that is emptied by the turn of that revision.
pub(super) fn of_lane(turned: Option<u64>) -> Judge {
    Arc::new(move |kept| match &kept.what {
        Holds::Approval => approval(None, kept.text),
        Holds::Decided => Fate::Keep,
        Holds::Outcome { .. } => outcome(kept.text),
        // The state behind it is empty, and what it says is that cards are over.
        Holds::Checkpoint { revision } | Holds::Payload { revision, .. } => {
            erase_if(turned.is_none_or(|turned| *revision < turned))
        }
        _ => Fate::Erase,
    })
}

/// Of a tenant, when one of its lanes is emptied.
pub(super) fn of_lanes_tenant(lane: &LaneKey) -> Judge {
    let (id, conversation) = (lane.id(), lane.conversation.clone());
    Arc::new(move |kept| match &kept.what {
        Holds::Answer { turn: Some((lane, _)) } if *lane == id => {
            answer(&value(kept.text), std::iter::empty())
        }
        // What a conversation is called is kept under its person and its own name.
        Holds::Document { collection, key } => {
            let owner = collection.rsplit('.').next().unwrap_or_default();
            erase_if(conversation == format!("{owner}:{key}"))
        }
        _ => Fate::Keep,
    })
}

fn erase_if(theirs: bool) -> Fate {
    if theirs { Fate::Erase } else { Fate::Keep }
}

/// Neither leaves the thread with an approval, nor prepares what will.
fn stays_inside(class: EffectClass, payload: &str) -> bool {
    let outward = || serde_json::from_str(payload).is_ok_and(|body: EffectBody| body.outward());
    class != EffectClass::TrackerCheck && !outward()
}

fn scrubbed(person: &Person, text: &str) -> Fate {
    let mut value = value(text);
    if person.scrub(&mut value) { Fate::Rewrite(value.to_string()) } else { Fate::Keep }
}

/// A record that is no longer loaded. One that cannot be read is left: nobody could say what it holds.
fn record(person: &Person, text: &str) -> Fate {
    let Ok(record) = snapshot::decode_record(text) else { return scrubbed(person, text) };
    match left(person, record.clone(), Timestamp(0)) {
        None => Fate::Erase,
        Some(left) if left != record => Fate::Rewrite(snapshot::encode_record(&left)),
        Some(_) => Fate::Keep,
    }
}

/// An approval of theirs, or any: what would run goes, ids and who decided stay.
fn approval(person: Option<&Person>, text: &str) -> Fate {
    let Ok(approval) = serde_json::from_str::<Approval>(text) else { return Fate::Keep };
    let theirs = person.is_none_or(|person| {
        person.is(&approval.requested_by)
            || person.has(&approval.source.0)
            || person.in_value(&value(&approval.payload))
    });
    if !theirs || approval.payload == NOTHING {
        return Fate::Keep;
    }
    let bare = Approval {
        payload: NOTHING.into(),
        payload_sha256: hex(&sha256(&[NOTHING.as_bytes()])),
        requested_by: ERASED.into(),
        ..approval
    };
    serde_json::to_string(&bare).map_or(Fate::Keep, Fate::Rewrite)
}

/// How an effect ended, or stands, without words: the keys of what was made stay, and what work that goes on is called
/// where it is done, or it would be sent there again.
fn outcome(text: &str) -> Fate {
    if let Ok(underway) = serde_json::from_str::<Underway>(text) {
        let silent = Underway { told: String::new(), ..underway };
        return serde_json::to_string(&silent).map_or(Fate::Keep, Fate::Rewrite);
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
        | Err(_) => return Fate::Erase,
        Ok(Outcome::Done { result: EffectResult::Stopped { .. } }) => {
            Outcome::Done { result: EffectResult::Stopped { text: ERASED.into() } }
        }
        Ok(Outcome::Done { result }) => Outcome::Done { result },
        Ok(Outcome::Failed { reason, .. }) => {
            Outcome::Failed { reason, text: ERASED.into(), errors: Vec::new() }
        }
        Ok(Outcome::Uncertain { .. }) => Outcome::Uncertain { text: ERASED.into() },
    };
    serde_json::to_string(&told).map_or(Fate::Keep, Fate::Rewrite)
}

/// The answer to a request, without words: who asks again learns that it was handled, and how.
fn answer<'p>(parsed: &Value, persons: impl Iterator<Item = &'p Person>) -> Fate {
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
    Fate::Rewrite(bare.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_outcome_keeps_what_names_things_and_no_words() {
        let left = |outcome: Value| match outcome_of(&outcome) {
            Fate::Rewrite(text) => value(&text),
            Fate::Erase => Value::Null,
            Fate::Keep => panic!("{outcome} is kept"),
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

    fn outcome_of(outcome: &Value) -> Fate {
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
