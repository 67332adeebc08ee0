//! A file of a message, as far as it is known without reading it (`docs/design/0094-files-as-evidence.md`).

use alloc::string::String;
use serde::{Deserialize, Serialize};

/// Attachment of a message, described without reading it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Kind, in plain words: `photo`, `file`, `voice message`, …
    pub kind: String,
    /// File name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Media type, as the sender states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// Size in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Id of its content, if the content is kept here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Address at which whoever reads the conversation can open it. A file with one is evidence of the ticket that its
    /// message is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl Attachment {
    /// Returns the name to show to a person: `photo`, `file plan.pdf`.
    #[must_use]
    pub fn display_name(&self) -> String {
        match &self.name {
            Some(name) => alloc::format!("{} {name}", self.kind),
            None => self.kind.clone(),
        }
    }

    /// Returns the kind of a file of this media type: `photo`, `audio`, `video`, else `file`.
    #[must_use]
    pub fn kind_of(mime: &str) -> &'static str {
        match mime.split_once('/') {
            Some(("image", _)) => "photo",
            Some(("audio", _)) => "audio",
            Some(("video", _)) => "video",
            _ => "file",
        }
    }

    /// Returns the file as a line of evidence, its address first: `https://chat.example/files/1 plan.pdf`.
    #[must_use]
    pub fn evidence(&self) -> Option<String> {
        let url = self.url.as_ref()?;
        Some(alloc::format!("{url} {}", self.name.as_ref().unwrap_or(&self.kind)))
    }
}
