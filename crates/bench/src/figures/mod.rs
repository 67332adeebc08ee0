//! The figures, one file each.

mod b10_memory;
pub(crate) mod b1_turn;
mod b2_postgres;
mod b3_peer;
mod b4_hostile;
mod b4_recognisers;
pub(crate) mod b4_step;
mod b5_history;
mod b6_lanes;
mod b7_storage;
mod b8_cost;
mod b8_webhook;
mod b9_start;
mod context;
mod facts;

use crate::frame::{Scale, Section};

/// One figure.
pub(crate) struct Figure {
    /// Its name on the command line: a number, as `B4`, or a word.
    pub(crate) name: &'static str,
    pub(crate) run: fn(Scale) -> anyhow::Result<Section>,
    /// True if it runs when no figure is named. One that installs something runs only when it is named.
    pub(crate) always: bool,
}

/// Every figure there is, in order.
pub(crate) const ALL: [Figure; 12] = [
    Figure { name: "B1", run: b1_turn::run, always: true },
    Figure { name: "B2", run: b2_postgres::run, always: true },
    Figure { name: "B3", run: b3_peer::run, always: false },
    Figure { name: "B4", run: b4_step::run, always: true },
    Figure { name: "B5", run: b5_history::run, always: true },
    Figure { name: "B6", run: b6_lanes::run, always: true },
    Figure { name: "B7", run: b7_storage::run, always: true },
    Figure { name: "B8", run: b8_webhook::run, always: true },
    Figure { name: "B9", run: b9_start::run, always: true },
    Figure { name: "B10", run: b10_memory::run, always: true },
    Figure { name: "context", run: context::run, always: true },
    Figure { name: "facts", run: facts::run, always: true },
];
