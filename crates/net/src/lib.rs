//! Where we may connect, with which key, and how a request that failed is told. Of every edge that speaks HTTP.
//!
//! It knows addresses and secrets (`spec 06 §7.3`), and no vendor: what is sent, and what an answer means, is the edge's.

mod address;
mod fetch;
mod key;

pub use address::{Address, Reach, check_address};
pub use fetch::{client, retry_after, told};
pub use key::Key;
