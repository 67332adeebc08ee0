//! The link from a created story to its epic: read back after the create, set once if the tracker ignored it,
//! and read again. A failing link never repeats the create. Design: docs/design/0031-effects-and-retries.md.

use alloc::string::String;

use crate::cards::decide::released_by;
use crate::data::card::Card;
use crate::data::decision::Reason;
use crate::data::effect::EffectBody;
use crate::data::effect::outcome::{EffectResult, Outcome};
use crate::data::id::{CardId, DraftId, EffectId};
use crate::data::progress::{EpicLink, Progress};
use crate::data::ticket::Draft;
use crate::tickets::{release, released};
use crate::turn::Turn;
use throughline_messages as say;

impl EpicLink {
    /// Returns the effect whose outcome the link waits for, `None` once the link is settled.
    pub(super) fn effect(&self) -> Option<&EffectId> {
        match self {
            Self::Reading { effect, .. } | Self::Mending { effect, .. } => Some(effect),
            Self::There { .. } | Self::Failed { .. } => None,
        }
    }
}

/// Returns the tracker key of the draft's epic, `None` if it has no epic or the epic has not been created.
pub(super) fn epic_of(turn: &Turn<'_>, draft: &Draft) -> Option<String> {
    let epic = turn.get::<Draft>(draft.under.as_ref()?)?;
    Some(epic.created.as_ref()?.key.clone())
}

/// Starts reading back a created issue. Returns `None` if the draft has no created epic and so no link to
/// check.
pub(super) fn read_back(turn: &mut Turn<'_>, receipt: &CardId, draft: &Draft, key: &str) -> Option<EpicLink> {
    let epic = epic_of(turn, draft)?;
    let effect = find(turn, receipt, draft, key);
    Some(EpicLink::Reading { effect, epic, mended: false })
}

fn find(turn: &mut Turn<'_>, receipt: &CardId, draft: &Draft, key: &str) -> EffectId {
    let (target, by, card) = (draft.target.clone(), draft.by.clone(), receipt.clone());
    let body = EffectBody::TrackerFind { target, key: key.into(), by, card, task: None };
    turn.effect(body, &[], None)
}

/// Sets the epic of a story, under the approval of its receipt. The change depends on the creates of the story and of its
/// epic, which say the keys.
fn mend(turn: &mut Turn<'_>, receipt: &Card, story: &Draft) -> Option<EffectId> {
    let body = released::link(&receipt.id, story)?;
    let epic = turn.get::<Draft>(story.under.as_ref()?)?;
    let creates = [story.created.as_ref()?.effect.clone(), epic.created.as_ref()?.effect.clone()];
    Some(turn.effect(body, &creates, Some(released_by(receipt))))
}

/// Applies the outcome of reading or setting a link.
pub(super) fn settled(turn: &mut Turn<'_>, card: &Card, draft: &DraftId, outcome: &Outcome) -> Reason {
    let found = card.released().find(|(of, _)| *of == draft).map(|(_, progress)| progress.clone());
    let (Some(Progress::Created { key, url, link: Some(link) }), Some(draft)) =
        (found, turn.get::<Draft>(draft).cloned())
    else {
        return Reason::EffectSuperseded;
    };
    let why = |text: &str| EpicLink::Failed { why: text.into() };
    let link = match (link, outcome) {
        (EpicLink::Reading { epic, .. }, Outcome::Done { result: EffectResult::Found { parent, .. } })
            if parent.as_deref() == Some(&*epic) =>
        {
            EpicLink::There { epic }
        }
        (EpicLink::Reading { epic, mended: false, .. }, Outcome::Done { .. }) => {
            match mend(turn, card, &draft) {
                Some(effect) => EpicLink::Mending { effect, epic },
                None => why(&say::link_missing(turn.language(), &epic)),
            }
        }
        (EpicLink::Reading { epic, .. }, Outcome::Done { .. }) => {
            why(&say::link_missing(turn.language(), &epic))
        }
        (EpicLink::Mending { epic, .. }, Outcome::Done { .. }) => {
            EpicLink::Reading { effect: find(turn, &card.id, &draft, &key), epic, mended: true }
        }
        (_, Outcome::Failed { text, .. } | Outcome::Uncertain { text }) => why(&text.text(turn.language())),
        (link, _) => link,
    };
    release::put(turn, &card.id, &draft.id, Progress::Created { key, url, link: Some(link) });
    Reason::EffectSettled
}
