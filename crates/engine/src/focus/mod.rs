//! What "that" refers to: the anchor of a message, found before any routing (`spec 02 §4`).
//!
//! [`resolve`] finds the anchor and looks at nothing else, so it costs next to nothing. What only a model or a person
//! needs is made when somebody asks: the [`window`](FocusContext::window) of messages around the anchor, and the [`Hint`]
//! for a text that cannot be understood without it.

mod hint;
mod reference;
mod thread;

use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::event::{Event, EventKind, Posted};
use crate::given::Given;
use crate::id::{MessageId, TaskId};
use crate::lane::{Lane, Message, MessageKind, Role};
use crate::trace::FocusTrace;

pub use hint::Hint;
pub use reference::{Need, Reference, reference};
pub use thread::{Thread, replied_to};

/// How the anchor was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FocusSource {
    /// The message replies to one we know.
    #[serde(rename = "reply")]
    Reply,
    /// The message replies to one we do not know; the payload quotes it.
    #[serde(rename = "reply.payload")]
    ReplyPayload,
    /// The newest assistant message of the lane.
    #[serde(rename = "lane.recency")]
    LaneRecency,
    /// Nothing to refer to.
    #[serde(rename = "none")]
    None,
}

impl FocusSource {
    /// The public name.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Reply => "reply",
            Self::ReplyPayload => "reply.payload",
            Self::LaneRecency => "lane.recency",
            Self::None => "none",
        }
    }
}

/// The focus of one message.
#[derive(Clone, Debug, PartialEq)]
pub struct FocusContext {
    /// How it was found.
    pub source: FocusSource,
    /// The message it refers to; a payload-only anchor has no id of ours.
    pub anchor: Option<MessageId>,
    /// The anchor's task.
    pub task: Option<TaskId>,
    /// In a lane of several people, which message this one answers. It informs and decides nothing.
    pub thread: Option<Thread>,
}

impl FocusContext {
    /// The message is an explicit reply.
    #[must_use]
    pub fn replies(&self) -> bool {
        matches!(self.source, FocusSource::Reply | FocusSource::ReplyPayload)
    }

    /// The anchor's id, if it is one of ours.
    #[must_use]
    pub fn anchor_id(&self) -> Option<&MessageId> {
        self.anchor.as_ref()
    }

    /// The conversation a message is about, oldest first: around a message that is replied to that one with the one
    /// before and the one after it, else the newest messages of the lane. Nothing around a quotation: where it comes
    /// from is not known.
    #[must_use]
    pub fn window<'w>(&self, lane: &'w Lane, given: &'w Given) -> Vec<&'w Message> {
        match self.source {
            FocusSource::Reply => {
                let around = given.anchor.as_ref().map(|anchor| around(anchor, lane, given));
                around.into_iter().flatten().flatten().collect()
            }
            FocusSource::ReplyPayload => Vec::new(),
            FocusSource::LaneRecency | FocusSource::None => {
                lane.head.window.texts().filter_map(|id| lane.records.message_of(id)).collect()
            }
        }
    }

    pub(crate) fn trace(&self, reference: &Reference) -> FocusTrace {
        FocusTrace {
            anchor: self.anchor.clone(),
            reference: reference.clone(),
            source: self.source,
            task: self.task.clone(),
            thread: self.thread.clone(),
        }
    }

    pub(crate) const NOTHING: Self =
        Self { source: FocusSource::None, anchor: None, task: None, thread: None };

    fn on(source: FocusSource, anchor: &Message) -> Self {
        Self { source, anchor: Some(anchor.id.clone()), task: anchor.task.clone(), thread: None }
    }
}

/// Finds the anchor of an event: what it replies to, else the newest assistant message that asked, answered or showed
/// something to whoever acts. Never a notification, never the message itself. Total: whatever the lane holds and the
/// event is, there is an answer, and [`FocusSource::None`] is one.
#[must_use]
pub fn resolve(lane: &Lane, event: &Event, given: &Given) -> FocusContext {
    let EventKind::MessagePosted(posted) = &event.kind else { return FocusContext::NOTHING };
    if let Some(anchor) = given.anchor.as_ref().filter(|anchor| !is_itself(anchor, posted)) {
        return FocusContext::on(FocusSource::Reply, anchor);
    }
    if posted.reply_to.is_some() || posted.quote.is_some() {
        return FocusContext { source: FocusSource::ReplyPayload, ..FocusContext::NOTHING };
    }
    let thread = thread_of(lane, event, &posted.text);
    FocusContext { thread, ..standing(lane, &event.actor) }
}

/// Which message an event that replies to none of them answers, where another person has spoken in the lane.
fn thread_of(lane: &Lane, event: &Event, text: &str) -> Option<Thread> {
    let mut loaded = lane.head.window.texts().filter_map(|id| lane.records.message_of(id));
    if !loaded.clone().any(|message| message.role == Role::User && message.by != event.actor) {
        return None;
    }
    let window: Vec<&Message> = loaded.by_ref().collect();
    replied_to(&window, &event.actor, text, event.received_at)
}

/// What a message of this person would be about that replies to nothing.
#[must_use]
pub fn standing(lane: &Lane, by: &str) -> FocusContext {
    recent(lane, by)
        .map_or(FocusContext::NOTHING, |message| FocusContext::on(FocusSource::LaneRecency, message))
}

/// A channel may name a message as what it replies to; it is no anchor of its own.
fn is_itself(anchor: &Message, posted: &Posted) -> bool {
    anchor.channel_id.is_some() && anchor.channel_id == posted.message_id
}

fn recent<'a>(lane: &'a Lane, by: &str) -> Option<&'a Message> {
    let mut newest_first = lane.head.window.texts().rev().filter_map(|id| lane.records.message_of(id));
    newest_first.find(|message| {
        message.role == Role::Assistant
            && message.kind != Some(MessageKind::Notification)
            && message.to.as_deref().is_none_or(|to| to == by)
    })
}

/// The messages next to one of this lane, as far as the lane has them loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Beside<'l> {
    /// The one before.
    pub before: Option<&'l Message>,
    /// The one after.
    pub after: Option<&'l Message>,
    /// There is none after: it is the newest.
    pub newest: bool,
}

/// Finds what stands next to a message in the lane's window. What is not found there the runtime looks up: see
/// [`Given::beside`].
#[must_use]
pub fn beside<'l>(lane: &'l Lane, message: &MessageId) -> Beside<'l> {
    let ids = &lane.head.window;
    let Some(at) = ids.texts().position(|id| id == message.0) else { return Beside::default() };
    let loaded = |at: usize| ids.texts().nth(at).and_then(|id| lane.records.message_of(id));
    Beside { before: at.checked_sub(1).and_then(loaded), after: loaded(at + 1), newest: at + 1 == ids.len() }
}

/// The message before an anchor, it itself, and the one after it: from the lane, else from what was handed over.
pub(crate) fn around<'w>(anchor: &'w Message, lane: &'w Lane, given: &'w Given) -> [Option<&'w Message>; 3] {
    let found = beside(lane, &anchor.id);
    let before = found.before.or(given.beside.before.as_ref());
    let after = found.after.or(given.beside.after.as_ref().filter(|_| !found.newest));
    [before, Some(anchor), after]
}
