//! Tools and sub-agents: clients of MCP servers and of A2A agents (`docs/design/0037-models-and-tools.md`).
//!
//! The installation's own configuration says which tools exist and how risky they are; hints of servers are ignored.
//! A server's or agent's description of itself is pinned: one that differs from what somebody has looked at is off.
//! Its answers are untrusted text.
//!
//! [`Clients`] holds all of them. It keeps only pins and grants, through [`Pins`] and [`Grants`], which a store implements:
//! the state of remote work is kept with its effect, and comes back with each
//! [`throughline_engine::data::call::CallRequest`].

mod a2a;
mod arguments;
mod clients;
mod mcp;
mod oauth;
mod outcome;
mod pins;
mod settings;
mod transport_fault;

pub use clients::{Clients, ListedTool, PinStatus, Pinned, ReadyClient};
pub use oauth::{
    Consent, Grant, GrantOf, Grants, HeldGrant, KeptGrant, KnownAs, MemoryGrants, OAuthSetting,
    SigningAlgorithm,
};
pub use outcome::{MAX_RESULT, NoPlace};
pub use pins::{MemoryPins, Pin, Pins, PinsError};
pub use settings::{
    AgentSetting, ChildSetting, GrantedAddress, RemoteAddress, ServerAddress, ServerSetting, Settings,
    Timeouts, ToolSetting,
};
pub use throughline_net::{Key, check_address};
