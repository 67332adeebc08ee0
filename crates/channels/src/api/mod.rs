//! The HTTP API as a channel: the bodies it takes, the events it makes of them, the views it answers with
//! (`docs/design/0036-http-api-and-command-line.md`). Routes, tokens and status codes are the server's.

mod event;
mod json_body;
mod options;
mod payload;
mod problem;
mod request;
mod view;
pub mod whole;

pub use event::{Context, HOST_KINDS, NormalisedEvent, answer};
pub use options::snapshot;
pub(crate) use problem::Checker;
pub use problem::{
    BodyError, MAX_ACT_LINE, MAX_ACT_LINES, MAX_ACT_TITLE, MAX_FILES, MAX_FORM_VALUES, MAX_ID, MAX_TASK,
    MAX_TEXT, MAX_URL, Problem, is_id, is_invisible,
};
pub use request::{
    ActorRequest, ApprovalRequest, AssistantRequest, ClosedRequest, EventRequest, FileRequest, FocusRequest,
    FormRequest, LaneRequest, MetadataRequest, OptionRequest, PressRequest, ShownRequest,
};
pub use view::{CardView, MessageView, with_tokens};

use throughline_engine::data::step_input::Addressing;

/// The addressing of messages on a channel without a vendor: an API conversation, a web session and a terminal have
/// no other participants, unless their host says of a message whether it is `addressed`. The runtime adds what it can look
/// up, such as a reply to the assistant.
#[must_use]
pub fn addressing(channel: &str, addressed: Option<bool>) -> Addressing {
    Addressing {
        direct: matches!(channel, "api" | "web" | "terminal"),
        mentioned: addressed == Some(true),
        not_to_us: addressed == Some(false),
        ..Addressing::default()
    }
}
