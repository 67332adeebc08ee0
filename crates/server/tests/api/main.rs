//! The HTTP API over real sockets: one binary, a module for each subject. Names of acceptance rows are in the names
//! of the tests.

mod approvals;
mod contract;
mod events;
mod idempotency;
mod openapi;
mod store;
mod support;
