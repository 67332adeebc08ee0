//! What may be stepped while a model ask of the lane is open (`spec 06 §3.4`).

use crate::event::{Event, EventKind};
use crate::lane::Lane;
use crate::policy::{Busy, Policy};
use crate::recognize::{Words, interrupt};

/// When to step an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Admission {
    /// At once.
    Now,
    /// In order, after the ask is answered.
    Wait,
    /// Merged into the open ask, which is superseded and made again.
    Collect,
}

/// Presses, forms, commands, outcomes, timers and a hard stop never wait for a model.
pub fn admit(lane: &Lane, event: &Event, policy: &Policy) -> Admission {
    let Some(ask) = &lane.head.ask else { return Admission::Now };
    let EventKind::MessagePosted(posted) = &event.kind else { return Admission::Now };
    if interrupt(&Words::of(&posted.text)).is_some() || policy.command.rest(&posted.text).is_some() {
        return Admission::Now;
    }
    let soon = event.received_at.since(ask.since) <= policy.ask.collect_ms;
    let joinable = !ask.pressed
        && ask.about.is_intent()
        && lane.records.held(&ask.message.0).is_some_and(|held| same_place(held, event));
    if policy.busy == Busy::Collect && soon && ask.by == event.actor && joinable {
        return Admission::Collect;
    }
    Admission::Wait
}

/// Both are plain messages with the same reply anchor.
fn same_place(held: &Event, event: &Event) -> bool {
    match (&held.kind, &event.kind) {
        (EventKind::MessagePosted(a), EventKind::MessagePosted(b)) => a.reply_to == b.reply_to,
        _ => false,
    }
}
