//! The account of how a turn read a text against lists of options: for the turn's row, for `why`, and for
//! events and counters. It holds ids and codes only, no text of a person and no label.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::data::id::SetId;
use crate::data::scope::Scope;
use crate::data::view::TargetRef;

/// The origin of an executed option, or of a question. It has no default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// By rule: an exact reading, continuity, the veto, a press, or a yes to a suggestion that no model made.
    Deterministic,
    /// A model picked it, and it passed every gate.
    LlmExecuted,
    /// A model suggested it, or the order of the options; a person chose.
    LlmInfluenced,
    /// A question that is safe to ask.
    SafeClarifier,
}

impl Provenance {
    /// Returns its public name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
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
        /// An event of telemetry, under a name that stays stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Signal {
            $(#[doc = $says] #[serde(rename = $word)] $name,)*
        }

        impl Signal {
            /// Every signal.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns its name.
            #[must_use]
            pub fn as_str(self) -> &'static str {
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

/// The ambiguity of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Collision {
    /// Several options have the same name.
    LabelTie,
    /// Readings of different kinds name different options.
    Reading,
    /// It could be a command or an option.
    Command,
    /// It could be an option of this list or of another on the screen.
    CrossSource,
}

/// The description of a text that leaves this lane because it chooses nothing
/// (`docs/design/0022-choosing-an-option.md`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handoff {
    /// Its kind.
    pub kind: HandoffKind,
    /// The scope it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The list it is about.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "optionSetId")]
    pub set: Option<SetId>,
    /// The thing it is about, if exactly one is possible; ids only.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "referentRef")]
    pub referent: Option<Referent>,
    /// The question asked about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<HandoffQuestion>,
}

/// The kind of a handoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandoffKind {
    /// To be answered, never acted on.
    Semantic,
    /// A command of the host.
    Command,
    /// A request for something else.
    NewRequest,
}

/// The thing that a question is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Referent {
    /// Its kind.
    pub kind: ReferentKind,
    /// Its id.
    pub id: String,
    /// Its scope.
    pub scope: Scope,
    /// Its list.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "optionSetId")]
    pub set: Option<SetId>,
}

/// The kind of thing that a question is about.
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
    /// The target of an action.
    ActionTarget,
}

/// The question asked about a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandoffQuestion {
    /// The last action and its reason.
    ExplainLastAction,
    /// Recent activity.
    SummarizeRecentActivity,
    /// The meaning of something.
    ExplainEntityMeaning,
    /// A request for more about it.
    ReflectiveWhyFollowup,
}

/// The account of one turn. Fields are in the order of canonical JSON (JCS), as a turn's row requires.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SelectionTrace {
    /// The gate that blocked continuity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<String>,
    /// Number of options that the text could mean.
    #[serde(skip_serializing_if = "is_zero")]
    pub candidates: u32,
    /// The options a question showed, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clarify: Vec<String>,
    /// Ambiguities of the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub collisions: Vec<Collision>,
    /// Id of the cycle that led from an unresolved text to its outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<String>,
    /// Fingerprint of the evidence after more was looked up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint_after: Option<String>,
    /// Fingerprint of the evidence as it was first sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint_before: Option<String>,
    /// The handoff, if the text left the lane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoff: Option<Handoff>,
    /// Options that the text resembles, the most similar first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// Origin of the execution or of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// Look-ups of evidence that remain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_budget: Option<u8>,
    /// Number of this look-up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_index: Option<u8>,
    /// Scope of the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The option that is executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<String>,
    /// The list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<SetId>,
    /// Signals, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<Signal>,
    /// The fault of the model, or of its budget, that led to a question instead.
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
