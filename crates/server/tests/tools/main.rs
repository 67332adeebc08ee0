//! Tools and sub-agents through the server, against independent peers: tool servers and an agent of the protocols'
//! official kits, and `server-everything`.
//!
//! They come from their own registries: `cargo xtask peers` installs them outside of the repository and runs these
//! tests.

mod agents;
#[path = "../api/contract.rs"]
mod contract;
mod conversation;
mod mcp_clients;
mod peers;
#[allow(dead_code, reason = "the API's tests use all of it")]
#[path = "../api/support.rs"]
mod support;
mod tools;
