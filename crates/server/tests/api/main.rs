//! Tests of the HTTP API over real sockets, one module for each subject.

mod approvals;
mod connections;
mod context;
mod contract;
mod erasure;
mod events;
mod facts;
mod failures;
mod host_effects;
mod hosted;
mod idempotency;
mod limits;
mod model;
mod openapi;
mod options;
mod prompt_injection;
mod random_input;
mod rates;
mod rights;
mod shown_text;
mod store;
mod stream;
mod support;
mod tenant_stream;
mod tenants;
