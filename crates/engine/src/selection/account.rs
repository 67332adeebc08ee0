//! What a turn of this lane looked at and did, for its row, for `why`, and for the events and counters whose names the
//! product's seed gave (`spec 04 §13, §15, §16`). Ids and codes only: no text of a person, no label.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use super::{Scope, TargetRef};
use crate::id::SetId;

/// How an option came to be executed, or a question to be asked. There is no default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// By rule: an exact reading, continuity, the veto, a press, a yes to what no model suggested.
    Deterministic,
    /// A model picked it, behind every gate.
    LlmExecuted,
    /// A model suggested it, or its order; a person chose.
    LlmInfluenced,
    /// A question that is safe to ask.
    SafeClarifier,
}

impl Provenance {
    /// Its public name.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Deterministic => "deterministic",
            Self::LlmExecuted => "llm_executed",
            Self::LlmInfluenced => "llm_influenced",
            Self::SafeClarifier => "safe_clarifier",
        }
    }
}

macro_rules! signals {
    ($($name:ident = $word:literal, $says:literal;)*) => {
        /// An event of the product's seed, by its name there.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Signal {
            $(#[doc = $says] #[serde(rename = $word)] $name,)*
        }

        impl Signal {
            /// Every one.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Its name.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }
        }
    };
}

signals! {
    Resolved = "selection_deterministic_continuity_resolve", "An exact reading or a reference was executed.";
    Picked = "selection_llm_select", "A model picked an option that was offered.";
    NeedsMore = "selection_llm_need_more_info", "A model could not tell.";
    Vetoed = "selection_need_more_info_veto_applied", "A model could not tell, and the rules can by now.";
    VetoBlocked = "selection_need_more_info_veto_blocked_reason", "A model could not tell, and neither can the rules: why is in `blocked`.";
    AskedAgain = "selection_enrichment_retry_called", "A model was asked once more, with more to see.";
    Unchanged = "selection_enrichment_fingerprint_unchanged", "What was looked up says nothing new, so no model was asked again.";
    BudgetOver = "selection_enrichment_budget_exhausted", "A model asked for more than it may see.";
}

/// What made it two things at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Collision {
    /// Several options have that name.
    LabelTie,
    /// Readings of different kinds name different options.
    Reading,
    /// A command, or an option.
    Command,
    /// An option of this list, or of another on the screen.
    CrossSource,
}

/// What leaves this lane with a text that is no choice (`spec 04 §15`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handoff {
    /// What kind of thing it is.
    pub kind: HandoffKind,
    /// Where it belongs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// To which list.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "optionSetId")]
    pub set: Option<SetId>,
    /// What it is about, when exactly one thing can be meant; ids only.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "referentRef")]
    pub referent: Option<Referent>,
    /// What is asked about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<Slot>,
}

/// What is handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandoffKind {
    /// To be answered, never acted on.
    Semantic,
    /// A command of the host.
    Command,
    /// Something else is wanted.
    NewRequest,
}

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Referent {
    /// What kind of thing.
    pub kind: ReferentKind,
    /// Its id.
    pub id: String,
    /// Where.
    pub scope: Scope,
    /// In which list.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "optionSetId")]
    pub set: Option<SetId>,
}

/// What kind of thing a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferentKind {
    /// An option of a list in the chat.
    Choice,
    /// Something named.
    Entity,
    /// An item of a panel.
    WidgetItem,
    /// A marked part of a document.
    DocSelection,
    /// What was acted on.
    ActionTarget,
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slot {
    /// What was done, and why.
    ExplainLastAction,
    /// What happened lately.
    SummarizeRecentActivity,
    /// What something is.
    ExplainEntityMeaning,
    /// More of it.
    ReflectiveWhyFollowup,
}

/// What a turn of this lane looked at and did. Members in the order of JCS, as a turn's row has to be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Account {
    /// The gate that stood in the way of continuity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<String>,
    /// How many options the text could mean.
    #[serde(skip_serializing_if = "is_zero")]
    pub candidates: u32,
    /// The options a question showed, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clarify: Vec<String>,
    /// What was two things at once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub collisions: Vec<Collision>,
    /// The cycle: from an unresolved text to what became of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<String>,
    /// The fingerprint of the evidence after something was looked up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint_after: Option<String>,
    /// The fingerprint of the evidence as it was first sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint_before: Option<String>,
    /// What left the lane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoff: Option<Handoff>,
    /// What the text resembles, the most alike first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// How it came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// How often more may still be looked up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_budget: Option<u8>,
    /// Which look this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_index: Option<u8>,
    /// Where the list is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The option that is executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<String>,
    /// The list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<SetId>,
    /// The seed's events, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<Signal>,
    /// What of the model or its budget made a question of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_no_model: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl Referent {
    pub(crate) fn acted(target: &TargetRef, scope: Scope, set: Option<SetId>) -> Self {
        Self { kind: ReferentKind::ActionTarget, id: target.id.clone(), scope, set }
    }
}
