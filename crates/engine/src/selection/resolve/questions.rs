//! Questions that are asked instead of an execution.

use alloc::string::ToString;
use alloc::vec::Vec;

use crate::data::decision::Reason;
use crate::data::fingerprint::{Fingerprint, loop_guard};
use crate::data::set_option::OptionMask;
use crate::data::view::ClarifierType;
use crate::selection::resolution::{ClarifyingQuestion, QuestionSubject, Resolution, UnresolvedText};
use crate::selection::resolve::Resolver;
use throughline_language::normal;

impl Resolver<'_> {
    /// Asks about the list, with the one option that the text resembles most in front.
    pub(super) fn resembles(&self, reason: Reason) -> Resolution {
        self.list(reason, ClarifierType::SelectionDisambiguation, self.hints().unique())
    }

    /// Asks about a description that denotes no one option, with those it may mean in front.
    pub(super) fn compared(&self, ahead: OptionMask) -> Resolution {
        let mut question = self.list(Reason::OptionCompared, ClarifierType::SelectionDisambiguation, None);
        if let Resolution::Ask(asked) = &mut question
            && let QuestionSubject::List { ahead: first, .. } = &mut asked.about
        {
            *first = ahead;
            if let Some(open) = &mut asked.open {
                open.hints = (0..self.target.set.options.len()).filter(|at| ahead & 1 << at != 0).collect();
            }
        }
        question
    }

    pub(super) fn list(&self, reason: Reason, kind: ClarifierType, first: Option<usize>) -> Resolution {
        let set = self.target.set.id.clone();
        let rejected = if kind == ClarifierType::Repair { self.rejected() } else { 0 };
        let open = UnresolvedText {
            text: self.target.message.text().to_string(),
            cued: self.target.cued,
            key: self.key(),
            hints: self.hints().ranked.iter().map(|(option, _)| *option).collect(),
            blocked: None,
        };
        Resolution::ask(ClarifyingQuestion {
            reason,
            kind,
            about: QuestionSubject::List { set, first, ahead: 0, rejected },
            open: Some(open),
        })
    }

    /// The guard's key: the text's core, the options' ids and the list.
    pub(super) fn key(&self) -> Fingerprint {
        let core = self.parses.shortest();
        let core = core.map_or(self.target.message.text(), |core| self.parses.written(&core));
        let ids: Vec<&str> = self.target.set.options.iter().map(|option| option.id.as_str()).collect();
        loop_guard(&normal::folded_text(core), &ids, &self.target.set.id)
    }

    /// True if this text was put to a model before.
    pub(super) fn guarded(&self) -> bool {
        self.scene.view.guard.as_ref().is_some_and(|guard| guard.key == self.key())
    }

    /// Asks after options were rejected: about the rest, about the only one left, or what else is wanted.
    pub(super) fn left(&self, rejected: OptionMask) -> Resolution {
        let set = self.target.set.id.clone();
        let open: OptionMask = self.all() & !rejected;
        let (kind, about) = match open.count_ones() {
            0 => (ClarifierType::Repair, QuestionSubject::Refine { set, rejected }),
            1 => {
                let option = open.trailing_zeros() as usize;
                (ClarifierType::Confirmation, QuestionSubject::Confirm { set, option, rejected })
            }
            _ => (ClarifierType::Repair, QuestionSubject::List { set, first: None, ahead: 0, rejected }),
        };
        Resolution::ask(ClarifyingQuestion::plain(Reason::RepairRemaining, kind, about))
    }
}
