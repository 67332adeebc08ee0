//! The second judge: stateright's tester, which searches for an order of the calls.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use stateright::semantics::{ConsistencyTester, LinearizabilityTester, SequentialSpec};

use super::order::Order;
use super::{Act, Answer, Entry};

/// A call to the log. Events are named by their position; one without a turn has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Deliver(Option<usize>),
    Read,
}

/// Answer of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ret {
    Turn,
    Duplicate,
    /// The first so many events.
    Turns(usize),
    /// The call was never answered.
    Nothing,
}

/// A log that grows at its end and takes each event once. Since the order of its turns is known, its state is a length.
#[derive(Clone, Debug)]
pub(super) struct Log {
    length: usize,
    /// Number of lists of each length that are still to be read: an event enters after the shorter lists are.
    unread: Arc<[usize]>,
    read: usize,
    /// True if a call that was not answered did what the answers exclude.
    excluded: bool,
}

impl SequentialSpec for Log {
    type Op = Op;
    type Ret = Ret;

    fn invoke(&mut self, op: &Op) -> Ret {
        // Of a call that was not answered: it may have put its event into the log, in its place.
        if let Op::Deliver(Some(position)) = *op {
            self.excluded |= position > self.length || !self.enter(position);
        }
        Ret::Nothing
    }

    fn is_valid_step(&mut self, op: &Op, ret: &Ret) -> bool {
        let fits = match (*op, ret) {
            (Op::Deliver(Some(position)), Ret::Turn) => position == self.length && self.enter(position),
            (Op::Deliver(Some(position)), Ret::Duplicate) => position < self.length,
            (Op::Read, Ret::Turns(length)) => {
                self.read += 1;
                *length == self.length
            }
            _ => false,
        };
        fits && !self.excluded
    }
}

impl Log {
    /// Puts an event into the log if it is next. Returns false if a shorter list is still to be read.
    fn enter(&mut self, position: usize) -> bool {
        if position < self.length {
            return true;
        }
        let all_read = self.read == self.unread[self.length];
        self.length += 1;
        self.read = 0;
        all_read
    }
}

/// Leaves out calls without an answer that change nothing: those that read, those whose event another call was told to have
/// put into the log, and all but the first one of an event, which may have taken effect whenever a later one did.
pub(super) fn needed(entries: Vec<Entry>) -> Vec<Entry> {
    let mut answered = HashSet::new();
    let mut told = HashSet::new();
    for entry in &entries {
        let Entry::Returned(call, answer) = entry else { continue };
        answered.insert(*call);
        if matches!(answer, Answer::Turn(_)) {
            told.insert(*call);
        }
    }
    let mut settled: HashSet<String> = entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Invoked(call, Act::Deliver(event)) if told.contains(call) => Some(event.clone()),
            _ => None,
        })
        .collect();
    let mut kept = entries;
    kept.retain(|entry| match entry {
        Entry::Invoked(call, _) if answered.contains(call) => true,
        Entry::Invoked(_, Act::Deliver(event)) => settled.insert(event.clone()),
        Entry::Invoked(_, Act::Read) => false,
        Entry::Returned(..) => true,
    });
    kept
}

/// Returns true if some order of the calls explains all answers.
pub(super) fn has_order(entries: &[Entry], order: &Order) -> Result<bool, String> {
    let log = Log { length: 0, unread: lists(entries, order).into(), read: 0, excluded: false };
    let mut tester = LinearizabilityTester::new(log);
    // Calls that do not overlap share a thread of the tester.
    let (mut free, mut threads) = (Vec::new(), HashMap::new());
    for entry in entries {
        match entry {
            Entry::Invoked(call, act) => {
                let thread = free.pop().unwrap_or(threads.len());
                threads.insert(*call, thread);
                let op = match act {
                    Act::Deliver(event) => Op::Deliver(order.position.get(event).copied()),
                    Act::Read => Op::Read,
                };
                tester.on_invoke(thread, op)?;
            }
            Entry::Returned(call, answer) => {
                let thread = threads[call];
                tester.on_return(thread, returned(answer, order))?;
                free.push(thread);
            }
        }
    }
    Ok(tester.is_consistent())
}

fn returned(answer: &Answer, order: &Order) -> Ret {
    match answer {
        Answer::Turn(_) => Ret::Turn,
        Answer::Duplicate(_) => Ret::Duplicate,
        Answer::Turns(list)
            if list.iter().map(|(event, _)| event).eq(order.events.iter().take(list.len())) =>
        {
            Ret::Turns(list.len())
        }
        // Not the beginning of the log, at any time.
        Answer::Turns(_) => Ret::Nothing,
    }
}

/// Returns the number of lists of each length.
fn lists(entries: &[Entry], order: &Order) -> Vec<usize> {
    let mut lists = vec![0; order.events.len() + 1];
    for entry in entries {
        if let Entry::Returned(_, Answer::Turns(list)) = entry {
            lists[list.len().min(order.events.len())] += 1;
        }
    }
    lists
}
