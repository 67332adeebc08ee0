//! Tools and sub-agents through the server, against peers that we did not write: tool servers and an agent of the
//! protocols' official kits, and `server-everything` (`spec 07 §13`).
//!
//! They come from their own registries: `cargo xtask peers` installs them outside of the repository and runs this.

mod agents;
#[path = "../api/contract.rs"]
mod contract;
mod peers;
#[allow(dead_code, reason = "the API's tests use all of it")]
#[path = "../api/support.rs"]
mod support;
mod talk;
mod tools;
