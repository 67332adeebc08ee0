//! Erasure of personal words. The store shows every text that may hold some to a function of the caller and does with
//! each what the function returns. It never knows whose words they are.
//!
//! Reasons: `docs/design/0028-erasure.md`.

use std::sync::Arc;

use async_trait::async_trait;
use throughline_engine::data::effect::EffectClass;
use throughline_engine::{EffectId, LaneId, LaneKey, Timestamp};

use super::{DocumentSubjects, EffectState, StoreError};

/// Redaction of stored texts, and the list of erasures that were requested.
#[async_trait]
pub trait Erasure {
    /// Returns the lanes of a tenant in which any stored text contains `text`, heads and loaded records included.
    async fn lanes_containing(&self, tenant: &str, text: &str) -> Result<Vec<LaneKey>, StoreError>;

    /// Shows every text of a lane that may hold personal words, except its head and its loaded records: those are for a
    /// turn to rewrite.
    async fn visit(&self, lane: &LaneKey, visitor: &mut TextVisitor<'_>) -> Result<(), StoreError>;

    /// Applies `redactor` to every text that [`Self::visit`] would show, in one transaction. Hash chains stay valid,
    /// because no row that is hashed holds words.
    async fn redact(&self, lane: &LaneKey, redactor: Redactor) -> Result<RedactionCounts, StoreError>;

    /// Applies `redactor` to the texts that belong to a tenant and to no lane, in one transaction: responses, facts of
    /// epics and channels, documents.
    async fn redact_tenant(&self, tenant: &str, redactor: Redactor) -> Result<RedactionCounts, StoreError>;

    /// Removes the remains of deleted texts from the disk: from free pages, from gaps within pages, from the log.
    async fn vacuum(&self) -> Result<(), StoreError>;

    /// Enters an erasure in the tenant's list and returns its number. A request equal to one that is not done yet gets
    /// that one's number.
    async fn request_erasure(&self, tenant: &str, what: &str) -> Result<i64, StoreError>;

    /// Marks an erasure as done and appends `audit` to the tenant's audit chain. Returns false, with nothing written,
    /// if it was done already.
    async fn finish_erasure(&self, tenant: &str, number: i64, audit: &str) -> Result<bool, StoreError>;

    /// Returns the erasures of a tenant in the order of their requests: all of them, or only the open.
    async fn erasures(&self, tenant: &str, open: bool) -> Result<Vec<ErasureRow>, StoreError>;
}

/// A stored text that may hold personal words.
#[derive(Clone, Debug)]
pub struct StoredText<'a> {
    /// Its place in the store.
    pub source: TextSource<'a>,
    /// Its bytes.
    pub text: &'a str,
}

/// Place where a text is stored. Each variant states what redaction means there, beyond replacing the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextSource<'a> {
    /// The content of a turn. It is hashed, so a rewrite counts as an erasure; the salt goes with it.
    Content {
        /// Revision that the turn wrote.
        revision: u64,
    },
    /// The full state at a revision. A rewrite counts as an erasure.
    Checkpoint {
        /// The revision.
        revision: u64,
    },
    /// A retired record. Loaded records are for a turn to rewrite.
    Record,
    /// The id of a person who took part in a lane, as a JSON string. A rewrite is refused: ids are not reworded.
    Participant,
    /// The event of a delivery that no turn took in: refused or given up.
    Event,
    /// The payload of an effect. A rewritten one goes out as rewritten. An erased one cancels its effect, unless the
    /// effect has ended or is outward and attempted.
    Payload {
        /// The effect.
        id: &'a EffectId,
        /// Revision that planned it.
        revision: u64,
        /// Its class.
        class: EffectClass,
        /// Its state.
        state: EffectState,
    },
    /// The outcome of an effect.
    Outcome {
        /// The effect.
        id: &'a EffectId,
        /// Revision that planned it.
        revision: u64,
    },
    /// An approval. A rewritten one that is pending is cancelled, because nobody was shown its new text. Erasing one is
    /// refused, because the effects it released refer to it.
    Approval,
    /// The change that decided an approval. Erasing one is refused.
    Decision,
    /// The answer of an HTTP request.
    Response {
        /// Lane and revision of the turn that the request's delivery led to, if it led to one.
        turn: Option<(LaneId, u64)>,
    },
    /// A fact of an epic or a channel. A change raises the revision of its set.
    Fact,
    /// A document. A rewrite raises its version.
    Document {
        /// Its collection.
        collection: &'a str,
        /// Its key.
        key: &'a str,
        /// Its subjects.
        about: &'a DocumentSubjects,
    },
}

/// Decision about one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Redaction {
    /// It stays as it is.
    Keep,
    /// It is replaced by this text. Replacing a text by itself changes nothing and is not counted.
    Rewrite(String),
    /// It is deleted.
    Erase,
}

/// Decides what becomes of each text. It may be called several times for one text and must answer the same each time.
pub type Redactor = Arc<dyn Fn(&StoredText<'_>) -> Redaction + Send + Sync>;

/// Receives each text of [`Erasure::visit`].
pub type TextVisitor<'a> = dyn FnMut(&StoredText<'_>) + Send + 'a;

/// Number of texts that a redaction erased or rewrote, by source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RedactionCounts {
    /// Contents of turns.
    pub contents: u64,
    /// Checkpoints.
    pub checkpoints: u64,
    /// Retired records.
    pub records: u64,
    /// People who took part.
    pub participants: u64,
    /// Events of deliveries.
    pub events: u64,
    /// Payloads and outcomes of effects.
    pub effects: u64,
    /// Approvals and the decisions on them.
    pub approvals: u64,
    /// Answers of HTTP requests.
    pub responses: u64,
    /// Facts of epics and channels.
    pub facts: u64,
    /// Documents.
    pub documents: u64,
}

impl RedactionCounts {
    /// Counts one more text of that source.
    pub fn count(&mut self, source: &TextSource<'_>) {
        *match source {
            TextSource::Content { .. } => &mut self.contents,
            TextSource::Checkpoint { .. } => &mut self.checkpoints,
            TextSource::Record => &mut self.records,
            TextSource::Participant => &mut self.participants,
            TextSource::Event => &mut self.events,
            TextSource::Payload { .. } | TextSource::Outcome { .. } => &mut self.effects,
            TextSource::Approval | TextSource::Decision => &mut self.approvals,
            TextSource::Response { .. } => &mut self.responses,
            TextSource::Fact => &mut self.facts,
            TextSource::Document { .. } => &mut self.documents,
        } += 1;
    }
}

/// An erasure that was requested. It holds ids only, and so outlives what it erased: after a backup is restored it can
/// be done again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErasureRow {
    /// Its number in the tenant's list.
    pub number: i64,
    /// The subject, encoded: ids only.
    pub what: String,
    /// Time of the request.
    pub asked_at: Timestamp,
    /// Time at which it was done.
    pub done_at: Option<Timestamp>,
}
