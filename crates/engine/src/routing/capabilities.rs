//! The capabilities of the engine, one line each, and what is known of cards through them.

use alloc::vec::Vec;

use crate::cards;
use crate::context::prompt::TooLarge;
use crate::context::rendered::RenderedContext;
use crate::data::card::Card;
use crate::data::card_model::CardModel;
use crate::data::fact::FactSet;
use crate::data::lane::Lane;
use crate::data::policy::Policy;
use crate::data::record_lookup::RecordLookup;

use crate::calls::ToolsAndAgents;
use crate::data::record::RecordKey;
use crate::data::time::Timestamp;
use crate::decision_records::DecisionRecords;
use crate::host::capability::Host;
use crate::memory::Facts;
use crate::review::Reviews;
use crate::routing::scope::Scope;
use crate::selection::OptionLists;
use crate::tickets::Tickets;
use crate::turn::capability::{Capabilities, CardContext};

/// The capabilities. An outcome of an effect is offered from top to bottom.
pub(crate) const CAPABILITIES: Capabilities = Capabilities(&[
    &Scope,
    &OptionLists,
    &ToolsAndAgents,
    &DecisionRecords,
    &Tickets,
    &Reviews,
    &Facts,
    &Host,
    #[cfg(test)]
    &crate::poll::Polls,
]);

/// Returns what a person sees of a card at `now`. Records that `known` does not have show as gone.
#[must_use]
pub fn project_card(card: &Card, known: &dyn RecordLookup, now: Timestamp, policy: &Policy) -> CardModel {
    cards::project(CAPABILITIES, &CardContext { card, known, now, policy })
}

/// Returns the keys of the records a card shows. The drafts of a batch are among them once `known` has the batch.
#[must_use]
pub fn card_records(card: &Card, known: &dyn RecordLookup) -> Vec<RecordKey> {
    CAPABILITIES.of(card).shown(card, known)
}

/// Renders the context that an agent of this lane would be shown now, whatever its task: sections 3 to 6 of its prompt.
/// `facts` are the sets named by [`in_reach`](crate::memory::in_reach). Messages to one person alone are left out.
///
/// # Errors
///
/// [`TooLarge`] if what is never dropped does not fit.
pub fn lane_context(lane: &Lane, facts: Vec<FactSet>, policy: &Policy) -> Result<RenderedContext, TooLarge> {
    RenderedContext::of_lane(lane, facts, policy, CAPABILITIES)
}
