//! The door to an execution: everything that words, presses and models' picks know about a choice is put to
//! [`may_execute`] here, and a veto becomes a reason.

use crate::data::decision::Reason;
use crate::data::option_set::OptionSet;
use crate::data::permit::{ChosenOption, Door, ExecutionFacts, OptionIdentity, TextFacts, Veto, may_execute};
use crate::data::view::View;

/// A choice, as the way that leads to it knows it.
#[derive(Clone, Copy)]
pub(super) struct ChoiceMade<'c> {
    pub(super) door: Door,
    /// The option, as it was when it was meant.
    pub(super) meant: &'c OptionIdentity,
    /// Facts of the text beside the option.
    pub(super) text: TextFacts,
}

/// Permits the choice, by the person's view and the list as they are now.
pub(super) fn permit(view: &View, set: &OptionSet, choice: ChoiceMade<'_>) -> Result<ChosenOption, Veto> {
    let option = &choice.meant.option;
    let now = set.option(option).and_then(|(at, _)| set.offered(at));
    let facts = ExecutionFacts {
        text: choice.text,
        in_flight: view.in_flight.iter().any(|act| act.set == set.id && act.option == *option),
        rejected: view.rejected_in(&set.id, option),
    };
    may_execute(choice.door, &view.user, choice.meant, now.as_ref(), &facts)
}

/// The reason of a question that is asked because of a veto.
pub(super) const fn reason(veto: Veto) -> Reason {
    match veto {
        Veto::Changed => Reason::CandidatesChanged,
        Veto::NotExecutable => Reason::OptionsOnly,
        Veto::InFlight => Reason::OptionInFlight,
        Veto::RepliesElsewhere => Reason::ReplyUnknown,
        Veto::Unseen => Reason::OptionUnseen,
        Veto::Conditional => Reason::OptionConditional,
        Veto::Several => Reason::OptionSeveral,
        Veto::Edited | Veto::NotMeant => Reason::OptionNoMatch,
    }
}
