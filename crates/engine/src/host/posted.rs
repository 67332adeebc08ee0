//! Messages of a host's agent, and the questions in them.

use alloc::string::String;
use alloc::vec::Vec;

use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::event::{AssistantPosted, EventKind};
use crate::data::id::MessageId;
use crate::data::message::{Message, Role};
use crate::data::pending::{PendingKind, Slot};
use crate::data::policy::hosting::{BuiltIn, Replies};
use crate::messages;
use crate::turn::Turn;
use throughline_language::Expected;

/// Stores a message that the host's agent has posted, and opens a pending if it asks something.
pub(crate) fn posted(turn: &mut Turn<'_>, posted: &AssistantPosted) -> Decision {
    let id = turn.host_message(posted);
    expect_answer(turn, posted, &id);
    Decision::new(Verdict::Recorded, Reason::AssistantPosted)
}

/// Stores a message of the host's agent and posts it, unless the host has done so or speaks itself.
pub(super) fn post(turn: &mut Turn<'_>, posted: &AssistantPosted) {
    let id = turn.host_message(posted);
    if posted.message_id.is_none() && turn.hosting.replies == Replies::Engine {
        let text = turn.words_of_host(&posted.text);
        let offers: Vec<String> = match &posted.expected {
            Some(Expected::Selection(options)) => options.clone(),
            _ => Vec::new(),
        };
        turn.reply(&id, &text, &offers);
    }
    expect_answer(turn, posted, &id);
}

fn expect_answer(turn: &mut Turn<'_>, posted: &AssistantPosted, id: &MessageId) {
    let Some(expected) = posted.expected.as_ref().filter(|_| turn.hosting.has(BuiltIn::Pending)) else {
        return;
    };
    let kind = match expected {
        Expected::Selection(_) => PendingKind::ClarificationNeeded(Slot::Host),
        _ => PendingKind::SlotRequest(Slot::Host),
    };
    let asked = posted.asked_of.as_deref();
    let task = turn.task_here();
    turn.open_pending(kind, Some(expected.clone()), id, Some(&task), asked, posted.expires);
}

impl Turn<'_> {
    fn host_message(&mut self, posted: &AssistantPosted) -> MessageId {
        if let Some(task) = &posted.task {
            self.belongs_to(task);
        }
        self.begun_by_host(&posted.text);
        let task = self.task_here();
        let id = MessageId(self.new_id(MessageId::PREFIX));
        self.keep(Message {
            id: id.clone(),
            role: Role::Assistant,
            by: String::new(),
            kind: Some(posted.kind),
            to: posted.asked_of.clone(),
            task: Some(task),
            card: None,
            text: self.words_of_host(&posted.text),
            at: self.event.received_at,
            channel_id: posted.message_id.clone(),
            link: None,
            untrusted: false,
            files: Vec::new(),
        });
        id
    }

    /// Returns the words of a host's agent as they are kept. A post of the lane itself in its channel comes the same
    /// way, word for word as it was approved.
    fn words_of_host(&self, text: &str) -> String {
        if self.event.id.starts_with(EventKind::POSTED_BY_US) {
            text.into()
        } else {
            messages::of_others(self.language(), text).into_owned()
        }
    }
}
