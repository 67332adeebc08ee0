//! Tests of the pages over real sockets, as a browser without a script uses them: cookies, forms, redirects, headers.

mod access;
mod browser;
#[path = "../api/contract.rs"]
mod contract;
mod forms;
mod headers;
mod languages;
mod lists;
mod markup;
mod openid;
mod other_people;
mod poll;
mod provider;
mod push;
mod push_service;
mod session;
mod sign_in;
mod signed_out;
#[allow(dead_code, reason = "the API's tests use all of it")]
#[path = "../api/support.rs"]
mod support;
mod xss;
