//! The referent of words like "that": the anchor of a message, found before any routing
//! (`docs/design/0013-focus-and-anchors.md`).
//!
//! [`resolve`] finds the anchor and computes nothing else, so it is cheap. The rest is built on demand: the
//! [`window`](FocusContext::window) of messages around the anchor, and the
//! [`AnchorHint`](crate::data::focus::AnchorHint) for a text that cannot be understood without it.

mod hint;
mod thread;

use alloc::vec::Vec;

use crate::data::event::{Event, EventKind, MessagePosted};
use crate::data::id::MessageId;
use crate::data::lane::Lane;
use crate::data::message::{Message, MessageKind, Role};
use crate::data::step_input::StepInput;

use crate::data::focus::FocusContext;
use crate::data::focus::FocusSource;
use crate::data::focus::ThreadPosition;
pub use crate::focus::thread::replied_to;
pub use throughline_language::reference::{Need, Reference, reference};

/// Finds the anchor of an event: the message it replies to, else the newest assistant message that asked,
/// answered or showed something to the actor. Never a notification, and never the message itself. Total: an
/// event without an anchor yields [`FocusSource::None`].
#[must_use]
pub fn resolve(lane: &Lane, event: &Event, given: &StepInput) -> FocusContext {
    let EventKind::MessagePosted(posted) = &event.kind else { return FocusContext::NOTHING };
    if let Some(anchor) = given.anchor.as_ref().filter(|anchor| !is_itself(anchor, posted)) {
        return FocusContext::on(FocusSource::Reply, anchor);
    }
    if posted.reply_to.is_some() || posted.quote.is_some() {
        return FocusContext { source: FocusSource::ReplyPayload, ..FocusContext::NOTHING };
    }
    let thread = thread_of(lane, event, &posted.text);
    FocusContext { thread, ..focus_without_reply(lane, &event.actor) }
}

/// The message that an event answers without replying to it, in a lane where another person has spoken.
fn thread_of(lane: &Lane, event: &Event, text: &str) -> Option<ThreadPosition> {
    let mut loaded = lane.head.window.texts().filter_map(|id| lane.records.named::<Message>(id));
    if !loaded.clone().any(|message| message.role == Role::User && message.by != event.actor) {
        return None;
    }
    let window: Vec<&Message> = loaded.by_ref().collect();
    replied_to(&window, &event.actor, text, event.received_at)
}

/// The focus of a message by this person that replies to nothing.
#[must_use]
pub fn focus_without_reply(lane: &Lane, by: &str) -> FocusContext {
    recent(lane, by)
        .map_or(FocusContext::NOTHING, |message| FocusContext::on(FocusSource::LaneRecency, message))
}

/// True if the anchor is the message itself: a channel may name it as what it replies to.
fn is_itself(anchor: &Message, posted: &MessagePosted) -> bool {
    anchor.channel_id.is_some() && anchor.channel_id == posted.message_id
}

fn recent<'a>(lane: &'a Lane, by: &str) -> Option<&'a Message> {
    let mut newest_first = lane.head.window.texts().rev().filter_map(|id| lane.records.named::<Message>(id));
    newest_first.find(|message| {
        message.role == Role::Assistant
            && message.kind != Some(MessageKind::Notification)
            && message.to.as_deref().is_none_or(|to| to == by)
    })
}

/// The neighbours of a message in its lane, as far as they are loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LaneNeighbours<'l> {
    /// The message before.
    pub before: Option<&'l Message>,
    /// The message after.
    pub after: Option<&'l Message>,
    /// True if the message is the newest of the lane.
    pub newest: bool,
}

/// Finds the neighbours of a message in the lane's window. The runtime looks up those that are not loaded
/// and passes them in [`StepInput::beside`].
#[must_use]
pub fn neighbours<'l>(lane: &'l Lane, message: &MessageId) -> LaneNeighbours<'l> {
    let ids = &lane.head.window;
    let Some(at) = ids.texts().position(|id| id == message.0) else { return LaneNeighbours::default() };
    let loaded = |at: usize| ids.texts().nth(at).and_then(|id| lane.records.named::<Message>(id));
    LaneNeighbours {
        before: at.checked_sub(1).and_then(loaded),
        after: loaded(at + 1),
        newest: at + 1 == ids.len(),
    }
}

/// The message before an anchor, the anchor, and the message after it: from the lane, else from `given`.
pub(crate) fn around<'w>(
    anchor: &'w Message,
    lane: &'w Lane,
    given: &'w StepInput,
) -> [Option<&'w Message>; 3] {
    let found = neighbours(lane, &anchor.id);
    let before = found.before.or(given.beside.before.as_ref());
    let after = found.after.or(given.beside.after.as_ref().filter(|_| !found.newest));
    [before, Some(anchor), after]
}

impl FocusContext {
    /// The conversation a message is about, oldest first. For a reply: the message replied to and its two
    /// neighbours. For a quotation: nothing, because its place is unknown. Otherwise: the lane's loaded
    /// messages.
    #[must_use]
    pub fn window<'w>(&self, lane: &'w Lane, given: &'w StepInput) -> Vec<&'w Message> {
        match self.source {
            FocusSource::Reply => {
                let around = given.anchor.as_ref().map(|anchor| around(anchor, lane, given));
                around.into_iter().flatten().flatten().collect()
            }
            FocusSource::ReplyPayload => Vec::new(),
            FocusSource::LaneRecency | FocusSource::None => {
                lane.head.window.texts().filter_map(|id| lane.records.named::<Message>(id)).collect()
            }
        }
    }
}
