//! Option lists, as routing reaches them.

use alloc::vec::Vec;

use crate::data::card::{Card, CardSubject};
use crate::data::card_model::CardModel;
use crate::data::decision::Decision;
use crate::data::option_set::OptionSet;
use crate::data::owner::SELECTION;
use crate::data::record::RecordKey;
use crate::data::record_lookup::RecordLookup;
use crate::selection::{card as cards, press, rung};
use crate::turn::Turn;
use crate::turn::capability::{Capability, CardContext, PressInput, Settled};

pub(crate) struct OptionLists;

impl Capability for OptionLists {
    fn name(&self) -> &'static str {
        SELECTION
    }

    fn show(&self, model: &mut CardModel, view: &CardContext<'_>) {
        cards::show(model, view);
    }

    fn shown(&self, card: &Card, _known: &dyn RecordLookup) -> Vec<RecordKey> {
        match &card.about {
            CardSubject::Options { set, .. } => alloc::vec![RecordKey::of::<OptionSet>(set)],
            _ => Vec::new(),
        }
    }

    fn pressed(&self, turn: &mut Turn<'_>, card: Card, pressed: &PressInput<'_>) -> Decision {
        press::pressed(turn, &card, pressed.action, pressed.item)
    }

    /// Notes the outcome of a chosen option. The call itself is work's.
    fn settled(&self, turn: &mut Turn<'_>, settled: &Settled<'_>) -> Option<Decision> {
        let task = settled.task.filter(|_| settled.card.is_none())?;
        rung::settled(turn, task, settled.outcome);
        None
    }
}
