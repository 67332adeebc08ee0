//! The console over real sockets, as a browser without a script has it. Names of acceptance rows are in the names of the
//! tests.

#[path = "../api/contract.rs"]
mod contract;
#[path = "../api/store.rs"]
#[expect(dead_code, reason = "the API's tests use more of it")]
mod store;
#[path = "../api/support.rs"]
#[expect(dead_code, reason = "the API's tests use more of it")]
mod support;

#[path = "../web/visit.rs"]
#[expect(dead_code, reason = "the chat's tests use more of it")]
mod visit;

mod acting;
mod bounds;
mod issues;
mod known;
mod page;
mod screens;
mod turns;
