//! Admission of events while a model of the lane is being asked (`docs/design/0012-routing-order.md`).

use crate::data::event::{Event, EventKind};
use crate::data::lane::Lane;
use crate::data::policy::{BusyPolicy, Policy};
use throughline_language::{Words, interrupt};

/// Time to step an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Admission {
    /// At once.
    Now,
    /// In order, after the open question is answered.
    Wait,
    /// Merged into the open question, which is replaced by a new one.
    Collect,
}

/// Returns the time to step an event. Only messages wait for a model; presses, forms, commands, outcomes,
/// timers and a hard stop never do.
pub fn admit(lane: &Lane, event: &Event, policy: &Policy) -> Admission {
    let Some(ask) = &lane.head.ask else { return Admission::Now };
    let EventKind::MessagePosted(posted) = &event.kind else { return Admission::Now };
    if interrupt(&Words::of(&policy.in_known_words(&posted.text))).is_some()
        || policy.command.rest(&posted.text).is_some()
    {
        return Admission::Now;
    }
    let soon = event.received_at.since(ask.since) <= policy.ask.collect_ms;
    let joinable = !ask.pressed
        && ask.about.is_intent()
        && lane.records.get::<Event>(&ask.message.0).is_some_and(|held| same_place(held, event));
    if policy.busy == BusyPolicy::Collect && soon && ask.by == event.actor && joinable {
        return Admission::Collect;
    }
    Admission::Wait
}

/// Returns true if both are plain messages that reply to the same anchor, or to none.
fn same_place(held: &Event, event: &Event) -> bool {
    match (&held.kind, &event.kind) {
        (EventKind::MessagePosted(a), EventKind::MessagePosted(b)) => a.reply_to == b.reply_to,
        _ => false,
    }
}
