//! Taking words out of what is kept (`spec 06 §7.6`). The store shows whatever may hold words to whoever knows whose
//! they are, and does with each what it is told. It never knows whose they are itself.

use std::sync::Arc;

use async_trait::async_trait;
use throughline_engine::effect::EffectClass;
use throughline_engine::{EffectId, LaneId, LaneKey, Timestamp};

use super::StoreError;
use super::rows::EffectState;

/// Something that is kept and may hold words.
#[derive(Clone, Debug)]
pub struct Kept<'a> {
    /// What it is.
    pub what: Holds<'a>,
    /// As it is stored.
    pub text: &'a str,
}

/// See [`Kept::what`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holds<'a> {
    /// A turn's content. Erased, its salt goes with it; it cannot be rewritten, because it is hashed.
    Content {
        /// The revision the turn wrote.
        revision: u64,
    },
    /// The full state at a revision.
    Checkpoint {
        /// Which.
        revision: u64,
    },
    /// A record the lane no longer loads. Those that are loaded are the turns' to write.
    Record,
    /// The event of a delivery that no turn took in: refused, or given up.
    Event,
    /// What an effect does. Erased, one that has not begun or that nobody knows the outcome of is cancelled, and so is
    /// one on its way that never leaves the thread. Rewritten, it is what would go out.
    Payload {
        /// Which effect.
        id: &'a EffectId,
        /// The revision that planned it.
        revision: u64,
        /// Its class.
        class: EffectClass,
        /// How it stands.
        state: EffectState,
    },
    /// How an effect ended.
    Outcome {
        /// Which effect.
        id: &'a EffectId,
        /// The revision that planned it.
        revision: u64,
    },
    /// What may be released. Rewritten, one that still waits is cancelled: it is not what anybody was shown.
    Approval,
    /// The change that decided an approval.
    Decided,
    /// The answer a request got, with the turn that its delivery led to, where it led to one.
    Answer {
        /// Lane and revision.
        turn: Option<(LaneId, u64)>,
    },
    /// An entry of a set of facts. What changes raises the set's revision.
    Fact,
    /// A document.
    Document {
        /// Its collection.
        collection: &'a str,
        /// Its key.
        key: &'a str,
    },
}

/// What becomes of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It stays as it is.
    Keep,
    /// It becomes this.
    Rewrite(String),
    /// It goes. Not to be said of an approval, which what it released refers to.
    Erase,
}

/// Says what becomes of each. Asked as often as the store likes: the same question, the same answer.
pub type Judge = Arc<dyn Fn(&Kept<'_>) -> Fate + Send + Sync>;

/// Whoever is shown it.
pub type Look<'a> = dyn FnMut(&Kept<'_>) + Send + 'a;

/// What was taken out or rewritten, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sifted {
    /// Contents of turns.
    pub contents: u64,
    /// Checkpoints.
    pub checkpoints: u64,
    /// Records that are no longer loaded.
    pub records: u64,
    /// Events of deliveries.
    pub events: u64,
    /// Payloads and outcomes of effects.
    pub effects: u64,
    /// Approvals and decisions on them.
    pub approvals: u64,
    /// Answers to requests.
    pub answers: u64,
    /// Facts of epics and channels.
    pub facts: u64,
    /// Documents.
    pub documents: u64,
}

impl Sifted {
    /// Counts one more of that kind.
    pub fn count(&mut self, what: &Holds<'_>) {
        *match what {
            Holds::Content { .. } => &mut self.contents,
            Holds::Checkpoint { .. } => &mut self.checkpoints,
            Holds::Record => &mut self.records,
            Holds::Event => &mut self.events,
            Holds::Payload { .. } | Holds::Outcome { .. } => &mut self.effects,
            Holds::Approval | Holds::Decided => &mut self.approvals,
            Holds::Answer { .. } => &mut self.answers,
            Holds::Fact => &mut self.facts,
            Holds::Document { .. } => &mut self.documents,
        } += 1;
    }

    /// Adds what another sifting came to.
    pub fn add(&mut self, other: Self) {
        self.contents += other.contents;
        self.checkpoints += other.checkpoints;
        self.records += other.records;
        self.events += other.events;
        self.effects += other.effects;
        self.approvals += other.approvals;
        self.answers += other.answers;
        self.facts += other.facts;
        self.documents += other.documents;
    }
}

/// An erasure that was asked for. Ids only: the list outlives what was erased, so that it can be done again after a
/// backup was restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErasureRow {
    /// Its number in the tenant's list.
    pub number: i64,
    /// What is to be erased, encoded: ids only.
    pub what: String,
    /// When it was asked for.
    pub asked_at: Timestamp,
    /// When it was done, once it is.
    pub done_at: Option<Timestamp>,
}

/// Erasing.
#[async_trait]
pub trait Erasing {
    /// The lanes of a tenant of which anything that is kept holds this text, head and loaded records too.
    async fn lanes_with(&self, tenant: &str, text: &str) -> Result<Vec<LaneKey>, StoreError>;

    /// Shows everything of a lane that may hold words, but its head and its loaded records.
    async fn look(&self, lane: &LaneKey, seen: &mut Look<'_>) -> Result<(), StoreError>;

    /// The same, and does with each what `judge` says: all of it in one transaction. Hash chains are not touched: a
    /// turn's row holds no words.
    async fn sift(&self, lane: &LaneKey, judge: Judge) -> Result<Sifted, StoreError>;

    /// The same with what is a tenant's and no lane's: answers to requests, facts of epics and channels, documents.
    async fn sift_tenant(&self, tenant: &str, judge: Judge) -> Result<Sifted, StoreError>;

    /// Leaves nothing of what was erased behind on the disk: in free pages, in the gaps of pages, in the log.
    async fn scour(&self) -> Result<(), StoreError>;

    /// Enters an erasure in the list, and says its number. One of the same that is not done yet is that one.
    async fn ask_erasure(&self, tenant: &str, what: &str) -> Result<i64, StoreError>;

    /// Marks an erasure as done, with a row of the audit chain. `false`: it was done already, and nothing was written.
    async fn erasure_done(&self, tenant: &str, number: i64, audit: &str) -> Result<bool, StoreError>;

    /// The erasures of a tenant in the order they were asked for; only those not done yet, or all.
    async fn erasures(&self, tenant: &str, open: bool) -> Result<Vec<ErasureRow>, StoreError>;
}
