//! The parts an effect is performed with, of which its approval knows only the name: the key of an epic, the key of a story,
//! who approved a post. Each is taken from the record that holds it (`docs/design/0043-what-was-approved-runs.md`).

use throughline_engine::data::approval::ApprovalChange;
use throughline_engine::data::canonical_json::{hex, jcs};
use throughline_engine::data::effect::{
    EffectBody, EffectClass, EffectResult, EpicRef, IssueChange, Outcome,
};
use throughline_engine::data::fault::SendingFault;
use throughline_engine::data::ticket::Item;
use throughline_engine::{DraftId, EffectId};
use throughline_store::{ApprovalState, EffectState, OutboxRow, StoredEffect};

use crate::verify::drops_words;
use crate::{Runtime, RuntimeError, counters, stored};

/// An effect with all its parts, or why one of them is not known.
pub(super) type Completed = Result<EffectBody, SendingFault>;

impl Runtime {
    /// Returns the effect as it is performed.
    pub(super) async fn completed(
        &self,
        effect: &StoredEffect,
        body: EffectBody,
    ) -> Result<Completed, RuntimeError> {
        match body {
            EffectBody::TrackerCreate { target, item, under, card } => {
                let under = match under {
                    Some(under) => self.key_of(effect, &under).await?.map(Some),
                    None => self.epic_of(effect, &item).await?,
                };
                let create = |under: Option<String>| EffectBody::TrackerCreate {
                    target,
                    item,
                    under: under.map(EpicRef::Issue),
                    card,
                };
                Ok(under.map(create).ok_or(SendingFault::NoEpicKey))
            }
            EffectBody::TrackerUpdate { target, key, change: IssueChange::Parent(epic), by, card }
                if !effect.row.depends_on.is_empty() =>
            {
                let mut creates = effect.row.depends_on.iter();
                let story = self.key_created(effect, creates.next(), &key).await?;
                let parent = self.key_created(effect, creates.next(), &epic).await?;
                let update = |(key, parent)| EffectBody::TrackerUpdate {
                    target,
                    key,
                    change: IssueChange::Parent(parent),
                    by,
                    card,
                };
                Ok(story.zip(parent).map(update).ok_or(SendingFault::NoLinkedKeys))
            }
            post @ EffectBody::PostChannel { signed: true, .. } => self.signed(effect, post).await,
            body => Ok(Ok(body)),
        }
    }

    /// Returns an effect as its host performs it: complete, and `None` if it is not the one that was approved.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn offered(&self, effect: StoredEffect) -> Result<Option<StoredEffect>, RuntimeError> {
        if !self.intact(&effect).await? {
            counters::tampered("offer", effect.row.id.as_str());
            return Ok(None);
        }
        if !effect.row.outward || drops_words(&effect) {
            return Ok(Some(effect));
        }
        let body = stored::effect_body(&effect)?;
        Ok(match self.completed(&effect, body).await? {
            Ok(body) => Some(StoredEffect { row: OutboxRow { payload: jcs(&body), ..effect.row }, ..effect }),
            // It waits for what it lacks; once it is offered, nothing may be missing.
            Err(_) => Some(effect).filter(|effect| effect.state == EffectState::Planned),
        })
    }

    /// True unless an effect says something else of itself than its bytes do, or one that leaves its thread has other bytes
    /// than were planned or than its approval releases. Of an erased effect nothing is left to compare, nor of an answered
    /// prompt.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn intact(&self, effect: &StoredEffect) -> Result<bool, RuntimeError> {
        if is_altered(effect, stored::effect_body(effect).ok().as_ref()) {
            return Ok(false);
        }
        if !effect.row.outward || drops_words(effect) {
            return Ok(true);
        }
        let held = hex(&effect.held());
        let Some(approval) = &effect.row.approval else { return Ok(false) };
        if held != effect.payload_sha256 {
            return Ok(false);
        }
        let released = self.store.released(&effect.lane.tenant, approval).await?;
        Ok(released.is_none_or(|hashes| hashes.contains(&held)))
    }

    /// Adds the last line to a post: who decided and when, as the approval's decision says.
    async fn signed(&self, effect: &StoredEffect, post: EffectBody) -> Result<Completed, RuntimeError> {
        let Some(approval) = &effect.row.approval else {
            return Ok(Err(SendingFault::NoApproval));
        };
        let stored = self.store.approval(&effect.lane.tenant, &approval.card).await?;
        let decided = stored.filter(|row| row.approval.version == approval.version).map(|row| row.state);
        Ok(match decided {
            Some(ApprovalState::Decided { change: ApprovalChange::Decide { by, at, .. } }) => {
                Ok(post.signed_by(&by, at))
            }
            _ => Err(SendingFault::NoDecision),
        })
    }

    /// Returns the key of an item's epic: created by an effect that this one depends on, or named by the item. `None` if it
    /// has none although it should, `Some(None)` for an item without an epic.
    async fn epic_of(
        &self,
        effect: &StoredEffect,
        item: &Item,
    ) -> Result<Option<Option<String>>, RuntimeError> {
        let Some(epic) = &item.parent else { return Ok(Some(None)) };
        for on in &effect.row.depends_on {
            if let Some(created) = self.created(effect, on, epic).await? {
                return Ok(created.map(Some));
            }
        }
        // An epic that was given up has no key, and its stories are created without it.
        Ok(Some((!epic.starts_with(DraftId::PREFIX)).then(|| epic.clone())))
    }

    /// Returns the key of the issue that an effect created from this draft.
    async fn key_created(
        &self,
        effect: &StoredEffect,
        by: Option<&EffectId>,
        draft: &str,
    ) -> Result<Option<String>, RuntimeError> {
        let Some(by) = by else { return Ok(None) };
        Ok(self.created(effect, by, draft).await?.flatten())
    }

    /// Returns the key that a create ended with; `None` if that effect does not create this draft. A create of one item
    /// does not name its draft.
    async fn created(
        &self,
        effect: &StoredEffect,
        by: &EffectId,
        draft: &str,
    ) -> Result<Option<Option<String>>, RuntimeError> {
        let Some(create) = self.store.effect(&effect.lane.tenant, by).await? else { return Ok(None) };
        let theirs = match stored::effect_body(&create) {
            Ok(EffectBody::TrackerCreate { item, .. }) => item.id.is_empty() || item.id == draft,
            Ok(_) => false,
            // The words of an ended create may be erased; its key is not.
            Err(_) => create.row.class == EffectClass::TrackerCreate,
        };
        Ok(theirs.then(|| key_in(&create)))
    }

    /// Returns the key of the epic that an effect of an earlier version names.
    async fn key_of(&self, effect: &StoredEffect, under: &EpicRef) -> Result<Option<String>, RuntimeError> {
        match under {
            EpicRef::Issue(key) => Ok(Some(key.clone())),
            EpicRef::Effect(create) => {
                let create = self.store.effect(&effect.lane.tenant, create).await?;
                Ok(create.as_ref().and_then(key_in))
            }
        }
    }
}

/// True if an effect's class, or its need of an approval, is not the one that its bytes say, or if its bytes cannot be read
/// because they are not those that were planned. A store judges an effect by these columns; whoever writes them must not
/// get around an approval.
pub(crate) fn is_altered(effect: &StoredEffect, body: Option<&EffectBody>) -> bool {
    match body {
        Some(body) => body.class() != effect.row.class || body.is_outward() != effect.row.outward,
        None => !drops_words(effect) && hex(&effect.held()) != effect.payload_sha256,
    }
}

/// Returns the key of the issue that an ended create made.
fn key_in(create: &StoredEffect) -> Option<String> {
    match serde_json::from_str(create.outcome.as_deref()?).ok()? {
        Outcome::Done { result: EffectResult::Issue { key, .. } } => Some(key),
        _ => None,
    }
}
