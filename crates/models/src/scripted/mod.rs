//! The scripted fake: answers by purpose, in order, and a journal of every ask.
//!
//! It is strict: an ask nobody wrote an entry for has no answer and is noted as unscripted. Whatever it answers
//! goes through the same parser as a real model's raw text.

mod misbehaviour;

pub use misbehaviour::Misbehaviour;

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde::Deserialize;
use throughline_engine::ask::{Answer, Ask, Purpose};
use throughline_engine::effect::Attempt;

use crate::{Caller, Model, no_answer, parse};

/// One line of a scenario's `script`: `{purpose: classify, answer: {label: ticket, confidence: 0.9}}`,
/// `{purpose: classify, raw: "…"}` or `{purpose: classify, fail: timeout}`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Wire")]
pub struct Entry {
    /// The asks it is for.
    pub purpose: Purpose,
    /// What the model does.
    pub does: Does,
}

/// What a scripted model does with an ask.
#[derive(Clone, Debug, PartialEq)]
pub enum Does {
    /// Sends this text back.
    Says(String),
    /// Misbehaves.
    Fails(Misbehaviour),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    purpose: Purpose,
    answer: Option<serde_json::Value>,
    raw: Option<String>,
    fail: Option<Misbehaviour>,
}

impl TryFrom<Wire> for Entry {
    type Error = &'static str;

    fn try_from(wire: Wire) -> Result<Self, Self::Error> {
        let does = match (wire.answer, wire.raw, wire.fail) {
            (Some(answer), None, None) => Does::Says(answer.to_string()),
            (None, Some(raw), None) => Does::Says(raw),
            (None, None, Some(fail)) => Does::Fails(fail),
            _ => return Err("a script entry has exactly one of answer, raw and fail"),
        };
        Ok(Self { purpose: wire.purpose, does })
    }
}

/// One ask as it was made and answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The question.
    pub ask: Ask,
    /// What came back.
    pub attempt: Attempt<Answer>,
    /// No entry was left for it.
    pub unscripted: bool,
}

/// The scripted model, shared by `Arc` between a test and the runtime.
#[derive(Debug, Default)]
pub struct Scripted {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    script: VecDeque<Entry>,
    journal: Vec<Asked>,
}

impl Scripted {
    /// A model that answers by this script.
    #[must_use]
    pub fn new(script: impl IntoIterator<Item = Entry>) -> Self {
        let script = script.into_iter().collect();
        Self { inner: Mutex::new(Inner { script, journal: Vec::new() }) }
    }

    /// One more entry, behind those that wait.
    pub fn push(&self, entry: Entry) {
        self.lock().script.push_back(entry);
    }

    /// Every ask so far, in order: what proves that a press made no model call.
    #[must_use]
    pub fn journal(&self) -> Vec<Asked> {
        self.lock().journal.clone()
    }

    /// How many asks were made.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.lock().journal.len()
    }

    /// How many asks had no entry.
    #[must_use]
    pub fn unscripted(&self) -> usize {
        self.lock().journal.iter().filter(|asked| asked.unscripted).count()
    }

    /// Entries nobody asked for yet.
    #[must_use]
    pub fn left(&self) -> Vec<Entry> {
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
            Some(Entry { does: Does::Says(raw), .. }) => Attempt::Applied(parse(ask, raw)),
            Some(Entry { does: Does::Fails(misbehaviour), .. }) => misbehaviour.answer(ask),
            None => Attempt::Applied(no_answer("unscripted")),
        };
        let asked = Asked { ask: ask.clone(), attempt: attempt.clone(), unscripted: entry.is_none() };
        inner.journal.push(asked);
        attempt
    }

    fn name(&self) -> &str {
        "scripted"
    }
}

#[cfg(test)]
mod tests;
