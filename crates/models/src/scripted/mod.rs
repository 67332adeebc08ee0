//! The scripted fake: answers by purpose, in order, and keeps a journal of every ask.
//!
//! It is strict: an ask without an entry has no answer and is noted as unscripted. Its answers go through the same
//! parser as a real model's raw text.

mod misbehaviour;

pub use misbehaviour::{Misbehaviour, UnknownMisbehaviour};

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde::Deserialize;
use throughline_engine::data::ask::{Answer, Ask};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::purpose::Purpose;

use crate::no_answer::no_answer;
use crate::parse::parse;
use crate::{Caller, Model};

/// One line of a scenario's `script`: `{purpose: classify, answer: {label: ticket, confidence: 0.9}}`,
/// `{purpose: classify, raw: "…"}` or `{purpose: classify, fail: timeout}`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Wire")]
pub struct ScriptEntry {
    /// The asks it is for.
    pub purpose: Purpose,
    /// The model's reply.
    pub reply: ScriptedReply,
}

/// The reply of a scripted model.
#[derive(Clone, Debug, PartialEq)]
pub enum ScriptedReply {
    /// Answers this text.
    Text(String),
    /// Misbehaves in this way.
    Failure(Misbehaviour),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    purpose: Purpose,
    answer: Option<serde_json::Value>,
    raw: Option<String>,
    fail: Option<Misbehaviour>,
}

impl TryFrom<Wire> for ScriptEntry {
    type Error = &'static str;

    fn try_from(wire: Wire) -> Result<Self, Self::Error> {
        let reply = match (wire.answer, wire.raw, wire.fail) {
            (Some(answer), None, None) => ScriptedReply::Text(answer.to_string()),
            (None, Some(raw), None) => ScriptedReply::Text(raw),
            (None, None, Some(fail)) => ScriptedReply::Failure(fail),
            _ => return Err("a script entry has exactly one of answer, raw and fail"),
        };
        Ok(Self { purpose: wire.purpose, reply })
    }
}

/// An ask and its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalEntry {
    /// The question.
    pub ask: Ask,
    /// The answer.
    pub attempt: Attempt<Answer>,
    /// True if no entry was left for it.
    pub unscripted: bool,
}

/// The scripted model, shared by `Arc` between a test and the runtime.
#[derive(Debug, Default)]
pub struct Scripted {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    script: VecDeque<ScriptEntry>,
    journal: Vec<JournalEntry>,
}

impl Scripted {
    /// Creates a model that answers by a script.
    #[must_use]
    pub fn new(script: impl IntoIterator<Item = ScriptEntry>) -> Self {
        let script = script.into_iter().collect();
        Self { inner: Mutex::new(Inner { script, journal: Vec::new() }) }
    }

    /// Adds an entry behind those that wait.
    pub fn push(&self, entry: ScriptEntry) {
        self.lock().script.push_back(entry);
    }

    /// Every ask so far, in order. It proves that a press made no model call.
    #[must_use]
    pub fn journal(&self) -> Vec<JournalEntry> {
        self.lock().journal.clone()
    }

    /// The number of asks.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.lock().journal.len()
    }

    /// The number of asks without an entry.
    #[must_use]
    pub fn unscripted(&self) -> usize {
        self.lock().journal.iter().filter(|asked| asked.unscripted).count()
    }

    /// Entries that no ask has used yet.
    #[must_use]
    pub fn left(&self) -> Vec<ScriptEntry> {
        self.lock().script.iter().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Model for Scripted {
    async fn ask(&self, ask: &Ask, _: &Caller<'_>) -> Attempt<Answer> {
        let mut inner = self.lock();
        let at = inner.script.iter().position(|entry| entry.purpose == ask.purpose());
        let entry = at.and_then(|at| inner.script.remove(at));
        let attempt = match &entry {
            Some(ScriptEntry { reply: ScriptedReply::Text(raw), .. }) => Attempt::Applied(parse(ask, raw)),
            Some(ScriptEntry { reply: ScriptedReply::Failure(misbehaviour), .. }) => misbehaviour.answer(ask),
            None => Attempt::Applied(no_answer("unscripted")),
        };
        let asked = JournalEntry { ask: ask.clone(), attempt: attempt.clone(), unscripted: entry.is_none() };
        inner.journal.push(asked);
        attempt
    }

    fn name(&self) -> &str {
        "scripted"
    }
}

#[cfg(test)]
mod tests;
