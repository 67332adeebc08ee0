//! Questions that wait: opening one, those that a new one replaces or puts aside, and the one that counts for a person.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use crate::data::id::{MessageId, PendingId, TaskId};
use crate::data::pending::{PendingClass, PendingKind, PendingState, Slot};
use crate::data::policy::limits;
use crate::data::time::Timestamp;
use crate::messages;
use crate::turn::Turn;
use crate::turn::routed_message::text_of;
use throughline_language::Expected;
use throughline_messages as say;

impl Turn<'_> {
    /// Opens a pending. A new conversational one replaces the older ones, except those that
    /// [`Turn::replace_questions`] leaves. Without `expires_at` the kind's own lifetime counts.
    pub(crate) fn open_pending(
        &mut self,
        kind: PendingKind,
        expected: Option<Expected>,
        anchor: &MessageId,
        task: Option<&TaskId>,
        asked_of: Option<&str>,
        expires_at: Option<Timestamp>,
    ) {
        if kind.class() == PendingClass::Conversational {
            self.replace_questions(&kind, task, asked_of);
        }
        let expires_at = expires_at.or_else(|| kind.lifetime(self.policy).map(|age| self.now().plus(age)));
        let pending = PendingState {
            id: PendingId(self.new_id(PendingId::PREFIX)),
            kind,
            expected,
            anchor: anchor.clone(),
            task: task.cloned(),
            asked_of: asked_of.map(Into::into),
            ui_version: 1,
            created_at: self.now(),
            expires_at,
        };
        self.head.pendings.push(pending);
    }

    /// Returns the question as it is named later: the field it asks for, else the last question of the message that asked.
    pub(crate) fn question_of(&self, pending: &PendingState) -> String {
        match pending.kind.part() {
            Some(part) => say::question_of_part(self.language(), part.label(self.language())),
            None => messages::question::last(text_of(self, &pending.anchor)),
        }
    }

    /// Removes the conversational pendings that a new one replaces. One asked of another person stays, and so does a
    /// question for words about another task: it comes back when the new one is over.
    fn replace_questions(&mut self, kind: &PendingKind, task: Option<&TaskId>, asked_of: Option<&str>) {
        let (now, host) = (self.now(), matches!(kind.slot(), Some(Slot::Host)));
        let stays = |p: &PendingState| {
            let others = p.asked_of.is_some() && asked_of.is_some() && p.asked_of.as_deref() != asked_of;
            let aside = p.takes_words() && !host && p.task.as_ref() != task;
            p.is_alive(now) && (others || aside)
        };
        self.head.pendings.retain(|p| p.kind.class() == PendingClass::Workflow || stays(p));
        let asked = |p: &PendingState| p.kind.class() == PendingClass::Conversational;
        while self.head.pendings.iter().filter(|p| asked(p)).count() >= limits::QUESTIONS {
            let Some(oldest) = self.head.pendings.iter().position(asked) else { return };
            self.head.pendings.remove(oldest);
        }
    }

    /// The conversational pending that counts for the person who acts: the newest one asked of them, or of everybody;
    /// else the newest of all.
    pub(crate) fn conversational(&self) -> Option<&PendingState> {
        Some(&self.head.pendings[self.conversational_at()?])
    }

    pub(crate) fn take_conversational(&mut self) -> Option<PendingState> {
        let at = self.conversational_at()?;
        Some(self.head.pendings.remove(at))
    }

    /// Sets a question aside, in place of one that was asked of the same person and set aside before.
    pub(crate) fn set_question_aside(&mut self, pending: PendingState) {
        let now = self.now();
        self.head.lapsed.retain(|known| known.asked_of != pending.asked_of && known.is_alive(now));
        if self.head.lapsed.len() == limits::QUESTIONS {
            self.head.lapsed.remove(0);
        }
        self.head.lapsed.push(pending);
    }

    /// Takes the conversational pendings that the person who acts may end: those asked of them, and of everybody.
    pub(crate) fn take_own_conversational(&mut self) -> Vec<PendingState> {
        let who = self.who().to_string();
        let own = |p: &PendingState| p.kind.class() == PendingClass::Conversational && p.is_asked_of(&who);
        let (taken, left) = core::mem::take(&mut self.head.pendings).into_iter().partition(own);
        self.head.pendings = left;
        taken
    }

    fn conversational_at(&self) -> Option<usize> {
        let all = || self.head.pendings.iter().enumerate().rev();
        let mut asked = all().filter(|(_, p)| p.kind.class() == PendingClass::Conversational);
        let newest = asked.clone().next();
        let own = asked.find(|(_, p)| p.is_asked_of(self.who()));
        own.or(newest).map(|(at, _)| at)
    }

    /// The person whose message is routed, else who caused the event.
    fn who(&self) -> &str {
        self.said.as_ref().map_or(&self.event.actor, |said| &said.by)
    }
}
