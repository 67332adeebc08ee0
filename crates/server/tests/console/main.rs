//! Tests of the console over real sockets, as a browser without a script uses it.

#[path = "../api/contract.rs"]
mod contract;
#[path = "../api/endpoint.rs"]
#[expect(dead_code, reason = "the API's tests use more of it")]
mod endpoint;
#[path = "../api/store.rs"]
mod store;
#[path = "../api/support.rs"]
#[expect(dead_code, reason = "the API's tests use more of it")]
mod support;

#[path = "../web/browser.rs"]
#[expect(dead_code, reason = "the chat's tests use more of it")]
mod browser;

mod actions;
mod inspector;
mod issues;
mod learning;
mod memory;
mod overview;
mod page;
mod page_cost;
mod people;
mod preview;
mod screens;
mod turns;
mod webhooks;
