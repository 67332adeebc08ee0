//! The wire formats, and what each does: a dispatch to one file a format.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use super::reply::Reply;
use super::request::{Features, Request};
use super::{anthropic, openai_chat, openai_responses};

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `POST {base}/chat/completions`: `OpenAI` and everything that is compatible with it.
    OpenAiChat,
    /// `POST {base}/responses`.
    OpenAiResponses,
    /// `POST {base}/v1/messages`.
    Anthropic,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::OpenAiChat, Self::OpenAiResponses, Self::Anthropic];

    /// The word in the configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
        }
    }

    /// The address of the vendor that defined the format.
    #[must_use]
    pub fn home(self) -> &'static str {
        match self {
            Self::OpenAiChat | Self::OpenAiResponses => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
        }
    }

    /// The path under the base address.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::OpenAiChat => "chat/completions",
            Self::OpenAiResponses => "responses",
            Self::Anthropic => "v1/messages",
        }
    }

    /// The header that carries the key, and the prefix before it.
    pub(crate) fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Self::OpenAiChat | Self::OpenAiResponses => ("authorization", "Bearer "),
            Self::Anthropic => ("x-api-key", ""),
        }
    }

    /// Headers that are always sent.
    pub(crate) fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::OpenAiChat | Self::OpenAiResponses => &[],
            Self::Anthropic => &[("anthropic-version", "2023-06-01")],
        }
    }

    /// Builds the body of a request.
    pub(crate) fn body(self, request: &Request<'_>, features: Features) -> Value {
        match self {
            Self::OpenAiChat => openai_chat::body(request, features),
            Self::OpenAiResponses => openai_responses::body(request, features),
            Self::Anthropic => anthropic::body(request, features),
        }
    }

    /// Reads a reply that is one document.
    pub(super) fn read_document(self, value: &Value, reply: &mut Reply) {
        match self {
            Self::OpenAiChat => openai_chat::read(value, "message", reply),
            Self::OpenAiResponses => openai_responses::read_document(value, reply),
            Self::Anthropic => anthropic::read_document(value, reply),
        }
        reply.done = true;
    }

    /// Reads one event of a streamed reply.
    pub(super) fn read_event(self, value: &Value, reply: &mut Reply) {
        match self {
            Self::OpenAiChat => openai_chat::read(value, "delta", reply),
            Self::OpenAiResponses => openai_responses::read_event(value, reply),
            Self::Anthropic => anthropic::read_event(value, reply),
        }
    }
}

/// A word that names no wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownKind;

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no such wire format")
    }
}

impl std::error::Error for UnknownKind {}

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(word: &str) -> Result<Self, UnknownKind> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word).ok_or(UnknownKind)
    }
}
