//! The numbers of selection continuity (`spec 04 §5`). One rule for every lifetime: it is over when the counter, or the
//! clock, exceeds it; "2 turns" is usable in the next two.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::selection::Scope;
use crate::time::{Millis, Timestamp};

/// Selection continuity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Selection {
    /// Whether texts are read against lists at all. Presses and the answers of questions work without.
    pub enabled: bool,
    /// Command phrases of the host, which are never options.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<HostCommand>,
    /// Options that are shown at once; the rest is under *more*.
    pub max_shown: usize,
    /// Lists one person has in one lane, put aside or not.
    pub max_sets: usize,
    /// Unresolved texts in a row before a list is put aside.
    pub max_attempts: u8,
    /// Entries of the trace, of accepted and of rejected options.
    pub trace: usize,
    /// Whether a model may say that a text is not about these options.
    pub release_on_none: bool,
    /// When a model is asked, and what it is shown.
    pub model: Asking,
    /// Times a model is shown more than at first, for one text.
    pub max_enrichment_steps: u8,
    /// Times a model is asked, for one text.
    pub max_llm_calls: u8,
    /// Kinds of evidence a model may ask for at once.
    pub needed_evidence_types_max: usize,
    /// From which confidence a pick counts.
    pub floor: Floors,
    /// When a model's pick may be executed without asking.
    pub auto_execute: AutoExecute,
    /// When a change of all this is taken back.
    pub guard: Guardrails,
    /// Lifetimes.
    pub ttl: Ttl,
}

/// When a model is asked which option is meant, and what it is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Asking {
    /// Whether one is asked at all.
    pub enabled: bool,
    /// For lists where.
    pub scopes: Vec<Scope>,
    /// All the time of one call, in milliseconds.
    pub timeout_ms: Millis,
    /// Options it is shown.
    pub max_candidates: usize,
    /// Graphemes of the text it is shown.
    pub max_text: usize,
}

/// From which confidence a pick counts, of 100.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Floors {
    /// It is suggested.
    pub select: u8,
    /// It is shown first.
    pub ask: u8,
}

/// When a model's pick may be executed without asking (`spec 04 §13`): off, unless somebody switched it on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AutoExecute {
    /// Whether it may be.
    pub enabled: bool,
    /// From this confidence, of 100.
    pub confidence: u8,
    /// Where the text was unresolved for one of these reasons.
    pub reasons: Vec<String>,
}

/// When a change is taken back (`spec 04 §16`), in hundredths of a percent unless said otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Guardrails {
    /// So much more of all decisions executed another option than was meant.
    pub wrong_action_bp: u32,
    /// So much more was asked, of what was asked before.
    pub clarifier_rel_bp: u32,
    /// So much later was decided, in milliseconds at the 95th percentile.
    pub p95_ms: Millis,
    /// So many of the second calls showed nothing new.
    pub unchanged_retry_bp: u32,
}

impl Selection {
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// What cannot be meant of it, by key.
    #[must_use]
    pub fn wrong(&self) -> Option<(&'static str, &'static str)> {
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
    /// "open recent".
    pub phrase: String,
    /// What it is about, when an option may be the same thing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// Lifetimes, in counting turns where nothing else is said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ttl {
    /// A list in the chat.
    pub active_chat: u64,
    /// The same, in milliseconds.
    pub active_chat_ms: Millis,
    /// A host's list that nobody closed, in milliseconds.
    pub active_host_ms: Millis,
    /// Places and references on a host's list, since it was shown, focused or latched.
    pub positional: u64,
    /// A list one option of which was just executed.
    pub soft: u64,
    /// A list that was put aside.
    pub parked: u64,
    /// The same, in milliseconds.
    pub parked_ms: Millis,
    /// Exact names of a list that another request put aside.
    pub implicit_return: u64,
    /// "That".
    pub reference: u64,
    /// The same, in milliseconds.
    pub reference_ms: Millis,
    /// "Not that".
    pub repair: u64,
    /// The panel that was acted on.
    pub latch: u64,
    /// One that was only just opened.
    pub latch_pending: u64,
    /// The question where an option is.
    pub scope_question: u64,
    /// A second "stop".
    pub stop_suppression: u64,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            enabled: false,
            commands: Vec::new(),
            max_shown: 8,
            max_sets: 8,
            max_attempts: 3,
            trace: 5,
            release_on_none: true,
            model: Asking::default(),
            max_enrichment_steps: 1,
            max_llm_calls: 2,
            needed_evidence_types_max: 2,
            floor: Floors::default(),
            auto_execute: AutoExecute::default(),
            guard: Guardrails::default(),
            ttl: Ttl::default(),
        }
    }
}

impl Default for Asking {
    fn default() -> Self {
        let scopes = Scope::ALL.into();
        Self { enabled: false, scopes, timeout_ms: 800, max_candidates: 20, max_text: 500 }
    }
}

impl Default for Floors {
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
