//! The pages over real sockets, as a browser without a script has them: cookies, forms, redirects, headers.

#[path = "../api/contract.rs"]
mod contract;
mod foreign;
mod forms;
mod headers;
mod poll;
mod session;
mod sign_in;
#[allow(dead_code, reason = "the API's tests use all of it")]
#[path = "../api/support.rs"]
mod support;
mod visit;
mod xss;
