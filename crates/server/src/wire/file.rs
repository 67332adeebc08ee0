//! Files of conversations.

use serde::{Deserialize, Serialize};
use throughline_engine::data::attachment::Attachment;
use utoipa::ToSchema;

use crate::files::KeptFile;

/// File that is kept for a conversation.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct File {
    /// Id, which an event names in its `files`.
    pub id: String,
    /// Person who sent it.
    pub by: String,
    /// Name, on one line.
    pub name: String,
    /// Media type, as its sender stated it.
    pub mime: String,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 of the content, in hex.
    pub sha256: String,
    /// Time it was first sent.
    #[schema(format = DateTime)]
    pub at: String,
    /// Path at which people open it.
    pub path: String,
}

/// File of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MessageFile {
    /// Kind in plain words: `photo`, `audio`, `video`, `file`, on Telegram others too.
    pub kind: String,
    /// Name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Media type, as its sender stated it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// Size in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Id, if its content is kept here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Address at which it can be opened, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl From<&KeptFile> for File {
    fn from(file: &KeptFile) -> Self {
        let id = file.id();
        Self {
            by: file.by.clone(),
            name: file.name.clone(),
            mime: file.mime.clone(),
            bytes: file.bytes,
            sha256: file.sha256.clone(),
            at: file.at.rfc3339(),
            path: id.path(),
            id: id.as_str().to_owned(),
        }
    }
}

impl From<Attachment> for MessageFile {
    fn from(file: Attachment) -> Self {
        let Attachment { kind, name, mime, bytes, id, url } = file;
        Self { kind, name, mime, bytes, id, url }
    }
}
