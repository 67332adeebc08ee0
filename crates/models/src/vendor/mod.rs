//! Vendors' wire formats, one file each (`docs/design/0037-models-and-tools.md`): building requests and reading replies. No
//! I/O.

mod anthropic;
mod kind;
mod openai_chat;
mod openai_responses;
mod reply;
mod request;
mod stream;

pub use kind::{Kind, UnknownKind};
pub(crate) use reply::{CallOutcome, Reply};
pub(crate) use request::{Features, Request};
pub(crate) use stream::ReplyReader;

#[cfg(test)]
mod tests;
