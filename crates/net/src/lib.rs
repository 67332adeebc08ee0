//! The base of every HTTP client: address checks, API keys, signatures by them, and the wording of failed requests.
//!
//! It enforces which addresses may be connected to and keeps keys out of logs
//! (docs/design/0033-access-and-limits.md). It knows no vendor: requests and answers belong to the crates above.

mod address;
mod call;
mod endpoint;
mod http;
mod key;
mod led;
mod signature;
mod web_socket;

pub use address::{Address, Reach, check_address, is_of_this_machine};
pub use call::{Response, TransportError, send};
pub use endpoint::Endpoint;
pub use http::{client, describe_error, retry_after, retry_after_at};
pub use key::Key;
pub use led::LedClient;
pub use web_socket::{Received, WebSocket};
