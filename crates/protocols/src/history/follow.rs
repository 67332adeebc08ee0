//! The first judge: follows a record in time, and lets events enter the log as late as the answers allow.
//!
//! As late as possible is right: each answer asks for events that are in the log by then, and a later call only for events
//! that were not in it yet when it was made. So if this schedule fails, every other one does.

use std::collections::HashMap;

use super::order::Order;
use super::{Act, Answer, Entry};

/// The calls that may have put an event into the log.
#[derive(Default)]
struct Deliveries {
    /// The call that was told so.
    told: Option<usize>,
    /// Calls that were never answered.
    unanswered: Vec<usize>,
}

struct Follower<'h> {
    order: &'h Order,
    deliveries: HashMap<&'h str, Deliveries>,
    /// Length of the log at the invocation of each call that was made.
    begun: HashMap<usize, usize>,
    /// Length of the log.
    length: usize,
}

pub(super) fn follow(entries: &[Entry], order: &Order) -> Result<(), String> {
    let deliveries = deliveries(entries)?;
    let mut follower = Follower { order, deliveries, begun: HashMap::new(), length: 0 };
    let mut acts: HashMap<usize, &Act> = HashMap::new();
    for entry in entries {
        match entry {
            Entry::Invoked(call, act) => {
                acts.insert(*call, act);
                follower.begun.insert(*call, follower.length);
            }
            Entry::Returned(call, answer) => match (acts.get(call), answer) {
                (Some(Act::Deliver(event)), Answer::Turn(_)) => follower.delivered(*call, event)?,
                (Some(Act::Deliver(event)), _) => follower.grow(order.position[event] + 1)?,
                (_, Answer::Turns(list)) => {
                    follower.was_read(*call, list.iter().map(|(event, _)| event.as_str()).collect())?;
                }
                _ => {}
            },
        }
    }
    Ok(())
}

fn deliveries(entries: &[Entry]) -> Result<HashMap<&str, Deliveries>, String> {
    let answers: HashMap<usize, &Answer> = entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Returned(call, answer) => Some((*call, answer)),
            Entry::Invoked(..) => None,
        })
        .collect();
    let mut deliveries: HashMap<&str, Deliveries> = HashMap::new();
    for entry in entries {
        let Entry::Invoked(call, Act::Deliver(event)) = entry else { continue };
        let of_event = deliveries.entry(event).or_default();
        match answers.get(call) {
            None => of_event.unanswered.push(*call),
            Some(Answer::Turn(_)) if of_event.told.is_some() => {
                return Err(format!("{event} was told to be new twice"));
            }
            Some(Answer::Turn(_)) => of_event.told = Some(*call),
            Some(_) => {}
        }
    }
    Ok(deliveries)
}

impl Follower<'_> {
    /// Puts events into the log until it is that long.
    fn grow(&mut self, length: usize) -> Result<(), String> {
        while self.length < length {
            let event = &self.order.events[self.length];
            let by = &self.deliveries[event.as_str()];
            let made = |call: &usize| self.begun.contains_key(call);
            let sent = match &by.told {
                Some(call) => made(call),
                None => by.unanswered.iter().any(made),
            };
            if !sent {
                let last = &self.order.events[length - 1];
                if event == last {
                    return Err(format!("{event} has a turn before it was delivered"));
                }
                return Err(format!("{event} is before {last}, and was not delivered by then"));
            }
            self.length += 1;
        }
        Ok(())
    }

    fn delivered(&mut self, call: usize, event: &str) -> Result<(), String> {
        let position = self.order.position[event];
        if self.begun[&call] > position {
            let later = &self.order.events[self.begun[&call] - 1];
            return Err(format!("{event} was delivered after {later} had its turn, and is before it"));
        }
        self.grow(position + 1)
    }

    fn was_read(&mut self, call: usize, list: Vec<&str>) -> Result<(), String> {
        let missing = self.order.events.iter().zip(&list).find(|(expected, seen)| expected != seen);
        if let Some((event, seen)) = missing {
            return Err(format!("a list has {seen} and not {event}, which is before it"));
        }
        if self.begun[&call] > list.len() {
            let event = &self.order.events[list.len()];
            return Err(format!("{event} had its turn, and is not in a list that was read later"));
        }
        self.grow(list.len())
    }
}
