//! Tools and sub-agents: the clients of MCP servers and of A2A agents (`spec 07 §8`).
//!
//! What there is, and how risky it is, our own configuration says; a far side's hints are not read. What a far side says of
//! itself is pinned: a tool or an agent that describes itself differently than when somebody looked at it is off. What it
//! answers is text that nobody believes.
//!
//! [`Clients`] holds all of them. It keeps nothing but pins, through [`Pins`], which a store implements: where work at a far
//! side stands is kept with the effect, and comes back with each [`throughline_engine::work::Errand`].

mod a2a;
mod arguments;
mod clients;
mod mcp;
mod pins;
mod settings;

pub use clients::{Clients, Listed, Pinned, Stands};
pub use pins::{MemoryPins, Pin, Pins, PinsError};
pub use settings::{AgentSetting, Place, ServerSetting, Settings, Timeouts, ToolSetting};
pub use throughline_net::{Key, check_address};

/// The most text of an answer that is taken (`spec 07 §8`).
pub const MAX_RESULT: usize = 256 * 1024;

use throughline_engine::effect::{Attempt, FieldError};
use throughline_engine::work::Report;

/// A refusal for good, for a person to read.
fn rejected(text: impl Into<String>) -> Attempt<Report> {
    Attempt::Rejected { text: text.into(), errors: Vec::new() }
}

/// A refusal that is about one argument: it may be asked for again.
fn wrong_argument(name: &str, text: String) -> Attempt<Report> {
    let error = FieldError::new(FieldError::ARGUMENT, name, text.clone());
    Attempt::Rejected { text, errors: vec![error] }
}
