//! The HTTP API over real sockets: one binary, a module for each subject. Names of acceptance rows are in the names
//! of the tests.

mod approvals;
mod context;
mod contract;
mod erasure;
mod events;
mod facts;
mod hosted;
mod idempotency;
mod injected;
mod limits;
mod model;
mod openapi;
mod options;
mod random;
mod store;
mod stream;
mod support;
mod tenants;
mod trouble;
