//! The results of reading one text beside a list (docs/design/0022-choosing-an-option.md).

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::data::decision::Reason;
use crate::data::fingerprint::Fingerprint;
use crate::data::id::SetId;
use crate::data::permit::ChosenOption;
use crate::data::set_option::OptionMask;
use crate::data::view::ClarifierType;
use crate::selection::continuity::FailedGate;
use crate::selection::target_list::ScopePlace;

/// The decision about one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Resolution {
    /// The text is no choice and goes on to the next rung.
    Pass(Reason),
    /// The text executes an option.
    Act(Box<Execution>),
    /// The person, or a model first, is asked what the text means.
    Ask(Box<ClarifyingQuestion>),
}

/// An option to execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Execution {
    /// The option, with the permission to execute it.
    pub(crate) chosen: ChosenOption,
    pub(crate) reason: Reason,
    /// The option this one corrects, which is thereby rejected.
    pub(crate) corrects: Option<usize>,
    /// The rest of the text, which goes on to the next rungs.
    pub(crate) remainder: Option<String>,
}

/// A question to the person; asking it executes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClarifyingQuestion {
    pub(crate) reason: Reason,
    pub(crate) kind: ClarifierType,
    pub(crate) about: QuestionSubject,
    /// The unresolved text, if the question is about a list: the material for a model.
    pub(crate) open: Option<UnresolvedText>,
}

/// A text that the rules did not resolve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnresolvedText {
    /// The text without its scope cue.
    pub(crate) text: String,
    /// True if it had a scope cue.
    pub(crate) cued: bool,
    /// A key of the text and the list, so that a model is not asked the same twice.
    pub(crate) key: Fingerprint,
    /// The options it resembles, best first.
    pub(crate) hints: Vec<usize>,
    /// The continuity gate that failed.
    pub(crate) blocked: Option<FailedGate>,
}

/// The content of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum QuestionSubject {
    /// A list with the best guess first, then those `ahead`, and without the rejected options.
    List { set: SetId, first: Option<usize>, ahead: OptionMask, rejected: OptionMask },
    /// A list, with more of its options than were displayed before.
    More { set: SetId },
    /// A yes-or-no question about one option; `rejected` are to be marked as rejected.
    Confirm { set: SetId, option: usize, rejected: OptionMask },
    /// The places the option may be in, and the text without its scope cue.
    Scopes { places: Vec<ScopePlace>, text: String },
    /// An open question: none of the list was wanted, so what is? `rejected` are to be marked as rejected.
    Refine { set: SetId, rejected: OptionMask },
    /// An option that was chosen before and is under way: nothing is asked.
    Running { set: SetId, option: String },
    /// A text without a list.
    Nothing,
}

impl Resolution {
    /// Tells that an option is under way already.
    pub(super) fn running(set: &SetId, option: &str) -> Self {
        let about = QuestionSubject::Running { set: set.clone(), option: option.into() };
        Self::ask(ClarifyingQuestion::plain(Reason::OptionInFlight, ClarifierType::None, about))
    }

    pub(super) fn ask(question: ClarifyingQuestion) -> Self {
        Self::Ask(Box::new(question))
    }
}

impl ClarifyingQuestion {
    pub(crate) fn plain(reason: Reason, kind: ClarifierType, about: QuestionSubject) -> Self {
        Self { reason, kind, about, open: None }
    }
}
