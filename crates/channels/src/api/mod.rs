//! The HTTP API as a channel (`spec 07 §5.2`): what `POST /v1/events` takes, and the views it answers with.
//! Routes, tokens and status codes are the server's.

mod inbound;
mod limits;
mod normalise;
mod options;
mod outbound;
mod read;

pub use inbound::{
    ActorRequest, AssistantRequest, EventRequest, FormRequest, LaneRequest, PressRequest, Refused,
};
pub use limits::{MAX_FORM_VALUES, MAX_ID, MAX_TEXT, Problem};
pub use normalise::{Context, Inbound};
pub use options::{ClosedRequest, FocusRequest, MetadataRequest, OptionRequest, ShownRequest, snapshot};
pub use outbound::{CardView, MessageView, with_tokens};

use throughline_engine::given::Addressing;

/// How a message of these channels is addressed: nobody else is in an API conversation, a web session or a
/// terminal. What the runtime can look up (a reply to us, a thread we are in) it adds.
#[must_use]
pub fn addressing(channel: &str) -> Addressing {
    Addressing { direct: matches!(channel, "api" | "web" | "terminal"), ..Addressing::default() }
}
