//! Facts, as routing reaches them.

use alloc::vec::Vec;

use crate::data::event::EventKind;
use crate::data::fact::draft_from_scope;
use crate::data::owner::FACTS;
use crate::data::pending::{PendingKind, PendingState, Slot};
use crate::data::record::RecordKey;
use crate::data::ticket::Draft;
use crate::memory::fact_intake;
use crate::turn::Turn;
use crate::turn::capability::{Capability, NeedsInput};
use throughline_language::Value;

pub(crate) struct Facts;

impl Capability for Facts {
    fn name(&self) -> &'static str {
        FACTS
    }

    fn answered(&self, turn: &mut Turn<'_>, pending: &PendingState, value: &Value, _corrects: bool) {
        let PendingKind::ClarificationNeeded(Slot::Facts { key, earlier, now }) = &pending.kind else {
            return;
        };
        if let Value::OneOf(which) = value {
            fact_intake::answered(turn, key, earlier, now, which);
        }
    }

    /// Returns the draft of the epic that a fact is about: the fact is stored with the issue, if the draft has become
    /// one.
    fn needs(&self, event: &NeedsInput<'_>) -> Vec<RecordKey> {
        let EventKind::FactStated(fact) = &event.event.kind else { return Vec::new() };
        let draft = fact.epic.as_deref().and_then(draft_from_scope);
        draft.as_ref().map(RecordKey::of::<Draft>).into_iter().collect()
    }
}
