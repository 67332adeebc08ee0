//! Settings of choosing an option by text. One rule holds for every lifetime: it is over when the counter, or
//! the clock, exceeds it; "2 turns" is usable in the next two.
//!
//! Reasons: `docs/design/0022-choosing-an-option.md`, `docs/design/0023-model-picks.md`.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::data::scope::Scope;
use crate::data::time::{Millis, Timestamp};

/// Settings of choosing an option by text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelectionPolicy {
    /// True if texts are read against lists at all. Presses and answers to questions work without.
    pub enabled: bool,
    /// Command phrases of the host, which are never options.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<HostCommand>,
    /// Options shown at once; the rest is behind *more*.
    pub max_shown: usize,
    /// Lists that one person has in one lane, parked ones included.
    pub max_sets: usize,
    /// Unresolved texts in a row before a list is parked.
    pub max_attempts: u8,
    /// Entries kept of the trace, of accepted and of rejected options each.
    pub trace: usize,
    /// True if a model may release a text as not being about these options.
    pub release_on_none: bool,
    /// Conditions and limits of asking a model.
    pub model: ModelPickPolicy,
    /// Times that a model is shown more evidence for one text.
    pub max_enrichment_steps: u8,
    /// Calls to a model for one text.
    pub max_llm_calls: u8,
    /// Kinds of evidence a model may ask for at once.
    pub needed_evidence_types_max: usize,
    /// Confidences from which a pick counts.
    pub floor: ConfidenceFloors,
    /// Conditions under which a model's pick is executed without asking.
    pub auto_execute: AutoExecute,
    /// Thresholds past which a change of these settings is taken back.
    pub guard: Guardrails,
    /// Lifetimes.
    pub ttl: Ttl,
}

/// Conditions and limits of asking a model which option is meant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelPickPolicy {
    /// True if a model is asked at all.
    pub enabled: bool,
    /// Scopes of the lists it is asked about.
    pub scopes: Vec<Scope>,
    /// Milliseconds of one call.
    pub timeout_ms: Millis,
    /// Options that it is shown.
    pub max_candidates: usize,
    /// Graphemes of the text that it is shown.
    pub max_text: usize,
}

/// Confidences, in percent, from which a pick counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConfidenceFloors {
    /// Lowest confidence of a pick that is suggested.
    pub select: u8,
    /// Lowest confidence of a pick that is shown first.
    pub ask: u8,
}

/// Conditions under which a model's pick is executed without asking; off by default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AutoExecute {
    /// True if a pick may be executed.
    pub enabled: bool,
    /// Lowest confidence, in percent.
    pub confidence: u8,
    /// Reasons, recorded before the model was asked, for which the text was unresolved.
    pub reasons: Vec<String>,
}

/// Thresholds past which a change of these settings is taken back, in hundredths of a percent unless noted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Guardrails {
    /// Rise of the share of decisions that executed another option than was meant.
    pub wrong_action_bp: u32,
    /// Rise of the share of questions, relative to before.
    pub clarifier_rel_bp: u32,
    /// Rise of the decision time at the 95th percentile, in milliseconds.
    pub p95_ms: Millis,
    /// Share of second calls that had nothing new to show.
    pub unchanged_retry_bp: u32,
}

impl SelectionPolicy {
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the first key with an invalid value, and the reason.
    #[must_use]
    pub fn first_invalid(&self) -> Option<(&'static str, &'static str)> {
        let only = AutoExecute::default().reasons;
        if self.auto_execute.reasons != only {
            return Some(("selection.auto_execute.reasons", "must be exactly [\"no_deterministic_match\"]"));
        }
        if self.floor.ask > self.floor.select || self.auto_execute.confidence < self.floor.select {
            return Some(("selection.floor", "ask, select and auto_execute.confidence must not fall"));
        }
        None
    }
}

/// A phrase that is a command of the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostCommand {
    /// The phrase: "open recent".
    pub phrase: String,
    /// The thing it is about, if an option may be about it too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// Lifetimes, in counting turns unless noted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ttl {
    /// A list in the chat.
    pub active_chat: u64,
    /// A list in the chat, in milliseconds.
    pub active_chat_ms: Millis,
    /// A host's list that nobody closed, in milliseconds.
    pub active_host_ms: Millis,
    /// Positions and references on a host's list, since it was shown, focused or latched.
    pub positional: u64,
    /// A list with an option that was just executed.
    pub soft: u64,
    /// A parked list.
    pub parked: u64,
    /// A parked list, in milliseconds.
    pub parked_ms: Millis,
    /// Exact names of a list that another request parked.
    pub implicit_return: u64,
    /// The thing that "that" refers to.
    pub reference: u64,
    /// The thing that "that" refers to, in milliseconds.
    pub reference_ms: Millis,
    /// The choice that "not that" takes back.
    pub repair: u64,
    /// The panel that was acted on.
    pub latch: u64,
    /// A panel that was only just opened.
    pub latch_pending: u64,
    /// The question about the place in which an option is meant.
    pub scope_question: u64,
    /// The span in which a second "stop" counts as a repetition.
    pub stop_suppression: u64,
}

impl Default for SelectionPolicy {
    fn default() -> Self {
        Self {
            enabled: false,
            commands: Vec::new(),
            max_shown: 8,
            max_sets: 8,
            max_attempts: 3,
            trace: 5,
            release_on_none: true,
            model: ModelPickPolicy::default(),
            max_enrichment_steps: 1,
            max_llm_calls: 2,
            needed_evidence_types_max: 2,
            floor: ConfidenceFloors::default(),
            auto_execute: AutoExecute::default(),
            guard: Guardrails::default(),
            ttl: Ttl::default(),
        }
    }
}

impl Default for ModelPickPolicy {
    fn default() -> Self {
        let scopes = Scope::ALL.into();
        Self { enabled: false, scopes, timeout_ms: 800, max_candidates: 20, max_text: 500 }
    }
}

impl Default for ConfidenceFloors {
    fn default() -> Self {
        Self { select: 60, ask: 40 }
    }
}

impl Default for AutoExecute {
    fn default() -> Self {
        Self { enabled: false, confidence: 85, reasons: vec!["no_deterministic_match".into()] }
    }
}

impl Default for Guardrails {
    fn default() -> Self {
        Self { wrong_action_bp: 50, clarifier_rel_bp: 1_000, p95_ms: 250, unchanged_retry_bp: 200 }
    }
}

impl Default for Ttl {
    fn default() -> Self {
        Self {
            active_chat: 5,
            active_chat_ms: 30 * Timestamp::MINUTE,
            active_host_ms: Timestamp::DAY,
            positional: 5,
            soft: 2,
            parked: 10,
            parked_ms: 30 * Timestamp::MINUTE,
            implicit_return: 1,
            reference: 3,
            reference_ms: 10 * Timestamp::MINUTE,
            repair: 2,
            latch: 5,
            latch_pending: 2,
            scope_question: 1,
            stop_suppression: 2,
        }
    }
}
