//! The stored bytes of a turn's row. The hash chain covers them, so every version has to be readable for ever.
//!
//! One JSON object, canonical (JCS) because its members are declared in order and hold only ordered values. Values
//! that follow from others are left out: lane and revision are in the turn's id, and the ids of effects and messages
//! are made of lane, revision and number. `tests/golden/turn_v1.json` holds a row of version 1.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use throughline_engine::data::canonical_json::{hex, unhex};
use throughline_engine::data::decision::Verdict;
use throughline_engine::data::focus::FocusTrace;
use throughline_engine::data::id::id_origin;
use throughline_engine::data::id_generator::IdGenerator;
use throughline_engine::data::intent::Intent;
use throughline_engine::data::record::{RecordKey, RecordKind};
use throughline_engine::data::rung::Rung;
use throughline_engine::data::selection_trace::SelectionTrace;
use throughline_engine::data::trace::{Predicate, PromptTrace, Trace, codes};
use throughline_engine::{Decision, EffectId, LaneKey, MessageId, Reason, Timestamp, TurnId};

use super::{RetiredRecord, TurnRow};

/// The version that is written.
const VERSION: u32 = 1;

/// A stored turn that this version cannot read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub(super) String);

/// Members in the order of JCS. Hashes are base64url.
#[derive(Serialize, Deserialize)]
struct Written<'a> {
    after: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "<[Reason]>::is_empty")]
    also: Cow<'a, [Reason]>,
    /// The number of the effect that asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asked: Option<usize>,
    at: Timestamp,
    before: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    candidates: Cow<'a, [String]>,
    content: Cow<'a, str>,
    /// The effects' classes in order, separated by blanks.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    effects: Cow<'a, str>,
    engine: Cow<'a, str>,
    event: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    focus: Option<FocusTrace>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    intent: Option<Intent>,
    key: Cow<'a, str>,
    outcome: Verdict,
    #[serde(default, skip_serializing_if = "<[Predicate]>::is_empty", with = "codes")]
    passed: Vec<Predicate>,
    policy: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt: Option<Box<PromptTrace>>,
    reason: Reason,
    /// Kind, id and hash of each record that was put aside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    retired: Vec<(RecordKind, Cow<'a, str>, Cow<'a, str>)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rule: Option<Cow<'a, str>>,
    rung: Rung,
    /// The messages' numbers, separated by blanks; the whole id of a message that another turn made.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    said: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    selection: Option<Box<SelectionTrace>>,
    snapshot: u32,
    turn: TurnId,
    v: u32,
}

pub(super) fn encode(row: &TurnRow) -> String {
    let classes: Vec<&str> = row.effects.iter().map(|(class, _)| class.as_str()).collect();
    let lane = row.lane.as_str().into();
    let said: Vec<Cow<'_, str>> = row
        .messages
        .iter()
        .map(|id| match id_origin(&lane, id.as_str()) {
            Some(made) if made.revision == row.revision => made.ordinal.to_string().into(),
            _ => id.as_str().into(),
        })
        .collect();
    let written = Written {
        after: short(&row.after),
        also: row.trace.also.as_slice().into(),
        asked: row.asked.as_ref().and_then(|asked| row.effects.iter().position(|(_, id)| *id == asked.0)),
        at: row.at,
        before: short(&row.before),
        candidates: row.trace.candidates.as_slice().into(),
        content: short(&row.content),
        effects: classes.join(" ").into(),
        engine: row.engine.as_str().into(),
        event: row.event.as_str().into(),
        focus: row.trace.focus.clone(),
        intent: row.decision.intent,
        key: row.key.as_str().into(),
        outcome: row.decision.outcome,
        passed: row.trace.passed.clone(),
        policy: row.policy.as_str().into(),
        reason: row.decision.reason,
        retired: row
            .retired
            .iter()
            .map(|record| (record.key.kind, record.key.key.as_str().into(), short(&record.hash)))
            .collect(),
        rule: row.trace.rule.as_deref().map(Cow::Borrowed),
        rung: row.decision.rung,
        said: said.join(" ").into(),
        prompt: row.trace.prompt.clone(),
        selection: row.trace.selection.clone(),
        snapshot: row.snapshot,
        turn: row.turn.clone(),
        v: VERSION,
    };
    serde_json::to_string(&written).unwrap_or_default()
}

/// Decodes a row of the given lane.
pub(super) fn decode(stored: &str, lane: &LaneKey) -> Result<TurnRow, Unreadable> {
    let written = parse(stored)?;
    let (_, revision) = written
        .turn
        .parts()
        .ok_or_else(|| Unreadable(format!("{} is not the id of a turn", written.turn)))?;
    let mint = IdGenerator::new(lane, revision);
    let effects = (0..).zip(written.effects.split_terminator(' '));
    let effects: Vec<_> = effects.map(|(n, class)| (class.to_owned(), mint.effect(n).0)).collect();
    let asked = written.asked.and_then(|n| effects.get(n)).map(|(_, id)| EffectId::from(id.as_str()));
    let said = written.said.split_terminator(' ').map(|said| match said.parse() {
        Ok(ordinal) => MessageId(mint.other(MessageId::PREFIX, ordinal)),
        Err(_) => MessageId(said.into()),
    });
    Ok(TurnRow {
        lane: lane.id().0,
        revision,
        at: written.at,
        key: written.key.into_owned(),
        event: written.event.into_owned(),
        decision: Decision {
            outcome: written.outcome,
            reason: written.reason,
            rung: written.rung,
            intent: written.intent,
            applied: None,
        },
        trace: Trace {
            passed: written.passed,
            also: written.also.into_owned(),
            focus: written.focus,
            rule: written.rule.map(|rule| rule.into_owned().into()),
            candidates: written.candidates.into_owned(),
            selection: written.selection,
            prompt: written.prompt,
        },
        policy: written.policy.into_owned(),
        engine: written.engine.into_owned(),
        snapshot: written.snapshot,
        before: long(&written.before),
        after: long(&written.after),
        effects,
        asked,
        messages: said.collect(),
        content: long(&written.content),
        retired: written
            .retired
            .into_iter()
            .map(|(kind, id, hash)| RetiredRecord {
                key: RecordKey { kind, key: id.into_owned() },
                hash: long(&hash),
            })
            .collect(),
        turn: written.turn,
    })
}

/// The salted hash of the content, in hex.
pub(super) fn content(stored: &str) -> Result<String, Unreadable> {
    parse(stored).map(|written| long(&written.content))
}

fn parse(stored: &str) -> Result<Written<'_>, Unreadable> {
    #[derive(Deserialize)]
    struct Version {
        v: u32,
    }
    let unreadable = |e: serde_json::Error| Unreadable(e.to_string());
    match serde_json::from_str(stored).map_err(unreadable)? {
        Version { v: VERSION } => serde_json::from_str(stored).map_err(unreadable),
        Version { v } => {
            let why = format!("it has version {v}, this program reads up to {VERSION}; upgrade it");
            Err(Unreadable(why))
        }
    }
}

/// Shortens a hash from 64 hex digits to 43 characters. Other texts stay as they are.
fn short(hash: &str) -> Cow<'_, str> {
    match unhex(hash) {
        Some(bytes) if bytes.len() == 32 => URL_SAFE_NO_PAD.encode(bytes).into(),
        _ => hash.into(),
    }
}

fn long(hash: &str) -> String {
    match URL_SAFE_NO_PAD.decode(hash) {
        Ok(bytes) if bytes.len() == 32 => hex(&bytes),
        _ => hash.into(),
    }
}
