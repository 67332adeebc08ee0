//! Whether a story hangs on its epic: read back, set once when the tracker ignored it, read again (`spec 06 §6.2`). A
//! create is never repeated because of a link.

use alloc::string::String;

use super::{Draft, release};
use crate::decision::Reason;
use crate::effect::{EffectBody, EffectResult, IssueChange, Outcome};
use crate::id::{CardId, DraftId, EffectId};
use crate::say;
use crate::turn::Turn;
use crate::workflow::press::released_by;
use crate::workflow::{Card, Link, Progress};

impl Link {
    /// The effect it waits for.
    pub(super) fn effect(&self) -> Option<&EffectId> {
        match self {
            Self::Reading { effect, .. } | Self::Mending { effect, .. } => Some(effect),
            Self::There { .. } | Self::Failed { .. } => None,
        }
    }
}

/// The key of the epic a draft belongs to, when that exists.
pub(super) fn epic_of(turn: &Turn<'_>, draft: &Draft) -> Option<String> {
    let epic = turn.draft_ref(draft.under.as_ref()?)?;
    Some(epic.created.as_ref()?.key.clone())
}

/// Looks at the issue that was just created, when it belongs to an epic.
pub(super) fn read_back(turn: &mut Turn<'_>, receipt: &CardId, draft: &Draft, key: &str) -> Option<Link> {
    let epic = epic_of(turn, draft)?;
    let effect = find(turn, receipt, draft, key);
    Some(Link::Reading { effect, epic, mended: false })
}

fn find(turn: &mut Turn<'_>, receipt: &CardId, draft: &Draft, key: &str) -> EffectId {
    let (target, by, card) = (draft.target.clone(), draft.by.clone(), receipt.clone());
    let body = EffectBody::TrackerFind { target, key: key.into(), by, card };
    turn.effect(body, &[], None)
}

/// What the reading or the mending of a link came to.
pub(super) fn settled(turn: &mut Turn<'_>, card: &Card, draft: &DraftId, outcome: &Outcome) -> Reason {
    let found = card.released().find(|(of, _)| *of == draft).map(|(_, progress)| progress.clone());
    let (Some(Progress::Created { key, url, link: Some(link) }), Some(draft)) = (found, turn.draft(draft))
    else {
        return Reason::EffectSuperseded;
    };
    let why = |text: &str| Link::Failed { why: text.into() };
    let link = match (link, outcome) {
        (Link::Reading { epic, .. }, Outcome::Done { result: EffectResult::Found { parent, .. } })
            if parent.as_deref() == Some(&*epic) =>
        {
            Link::There { epic }
        }
        (Link::Reading { epic, mended: false, .. }, Outcome::Done { .. }) => {
            let change = IssueChange::Parent(epic.clone());
            let (target, card_id) = (draft.target.clone(), card.id.clone());
            let body = EffectBody::TrackerUpdate { target, key: key.clone(), change, card: card_id };
            let effect = turn.effect(body, &[], Some(released_by(card)));
            Link::Mending { effect, epic }
        }
        (Link::Reading { epic, .. }, Outcome::Done { .. }) => why(&say::not_linked(&epic)),
        (Link::Mending { epic, .. }, Outcome::Done { .. }) => {
            Link::Reading { effect: find(turn, &card.id, &draft, &key), epic, mended: true }
        }
        (_, Outcome::Failed { text, .. } | Outcome::Uncertain { text }) => why(text),
        (link, _) => link,
    };
    release::put(turn, &card.id, &draft.id, Progress::Created { key, url, link: Some(link) });
    Reason::EffectSettled
}
