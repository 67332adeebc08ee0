//! Runs of AG-UI over the lanes of the HTTP API (`docs/design/0073-ag-ui.md`). What a run delivers goes the way of the
//! other routes: a message and a press that of `POST /v1/events`, a decision that of `/v1/approvals/{id}/decide`. Here is
//! what the protocol adds: the events of a run, and the answers to its interrupts.

mod interrupts;
mod resume;
mod run;
mod snapshot;
mod telling;
mod thread;

pub(crate) use run::{Run, Sent, error};
