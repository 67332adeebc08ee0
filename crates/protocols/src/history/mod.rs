//! A client's record of one lane, and whether any order of its calls explains all that was answered.
//!
//! A lane is a log that grows at its end and takes each event once. A record is right if every call took effect at one
//! moment between its invocation and its return, as if that log were a single object: it is *linearizable*. Two judges who
//! share no code decide. The first one follows the record in time and says in words what is wrong; stateright's tester
//! confirms with a search for an order, where the record is short enough to be searched.
//!
//! ```
//! use throughline_protocols::history::{Answer, History, Turn};
//!
//! let history = History::new();
//! let call = history.deliver("hello");
//! // Here the event is sent, and answered.
//! history.returned(call, Answer::Turn(Turn { revision: 1, id: "tn_1".into() }));
//! let call = history.read();
//! history.returned(call, Answer::Turns(vec![]));
//! let lost = history.check().unwrap_err();
//! assert!(lost.contains("hello"), "{lost}");
//! ```

mod follow;
mod order;
mod search;

use std::sync::{Mutex, MutexGuard, PoisonError};

use order::Order;

/// Most calls of a record that the second judge looks at: its search copies the record at every call.
const SEARCHED: usize = 800;

/// Most calls without an answer of such a record: each may have taken effect at any time, or never.
const OPEN: usize = 8;

/// A turn, as a client sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Revision that it wrote. Those of the events of a record rise, and need not follow one another: a lane has other
    /// turns too.
    pub revision: u64,
    /// Its id.
    pub id: String,
}

/// Answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The event was new, and that is its turn.
    Turn(Turn),
    /// The event was known, and that is its turn.
    Duplicate(Turn),
    /// Turns of the lane with their events, in order. Turns of events that are not in the record are left out.
    Turns(Vec<(String, Turn)>),
}

/// A call that was recorded and has no answer yet. One that is never answered may have taken effect or not.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub struct Call(usize);

/// Act of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Deliver(String),
    Read,
}

/// One entry of the record.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    Invoked(usize, Act),
    Returned(usize, Answer),
}

#[derive(Debug, Default)]
struct Record {
    entries: Vec<Entry>,
    /// Number of calls.
    calls: usize,
}

/// A record of calls to one lane, in the order in which they were invoked and returned. Threads share it.
#[derive(Debug, Default)]
pub struct History {
    record: Mutex<Record>,
}

impl History {
    /// Returns an empty record.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn invoke(&self, act: Act) -> Call {
        let mut record = self.record();
        let number = record.calls;
        record.calls += 1;
        record.entries.push(Entry::Invoked(number, act));
        Call(number)
    }

    /// Records that an event is about to be delivered, for the first time or again.
    pub fn deliver(&self, event: &str) -> Call {
        self.invoke(Act::Deliver(event.to_owned()))
    }

    /// Records that the list of turns is about to be read.
    pub fn read(&self) -> Call {
        self.invoke(Act::Read)
    }

    /// Records the answer to a call.
    pub fn returned(&self, call: Call, answer: Answer) {
        self.record().entries.push(Entry::Returned(call.0, answer));
    }

    /// Checks that the record is linearizable.
    ///
    /// # Errors
    /// It is not: an event was lost, doubled or put into another order. Says which.
    pub fn check(&self) -> Result<(), String> {
        let entries = self.record().entries.clone();
        let order = Order::of(&entries)?;
        follow::follow(&entries, &order)?;
        let entries = search::needed(entries);
        let calls = entries.iter().filter(|entry| matches!(entry, Entry::Invoked(..))).count();
        let open = 2 * calls - entries.len();
        if calls > SEARCHED || open > OPEN || search::has_order(&entries, &order)? {
            return Ok(());
        }
        Err(format!("no order of the calls explains the answers: {entries:#?}"))
    }
}

#[cfg(test)]
mod tests;
