//! The workspace at `/workspace`: the chat, with panels beside it that list documents. What a host of panels does is done
//! by the page's script, over the HTTP API and the stream alone: it registers what it shows, says where somebody looks,
//! and opens what was chosen. Without a script the panels are links.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};

use super::chat::{self, Values, Which};
use super::conversations::Page;
use super::page::Refusal;
use super::visitor::Visitor;
use crate::app::App;
use crate::request::Asked;

/// What an empty conversation offers to say here.
const EXAMPLES: [&str; 3] = ["open the sample2 pls", "the second one from reports", "open links"];

/// The panels and what they list, as the file has them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    panels: Vec<PanelFile>,
    documents: BTreeMap<String, Document>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PanelFile {
    scope: String,
    instance: String,
    title: String,
    /// Documents by their ids, in the order that stays.
    entries: Vec<String>,
}

/// Something that can be opened.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Document {
    #[serde(skip_deserializing)]
    id: String,
    label: String,
    sublabel: String,
    badge: String,
    aliases: Vec<String>,
    path: String,
    kind: String,
    owner: String,
    text: String,
    /// What it is called, and the address here.
    links: Vec<(String, String)>,
}

#[derive(Serialize)]
struct Panel {
    scope: &'static str,
    instance: &'static str,
    title: &'static str,
    entries: Vec<&'static Document>,
}

/// The file, read when it is first shown; a test reads it too.
static FILE: LazyLock<File> = LazyLock::new(|| {
    let read = toml::from_str(include_str!("../../web/workspace/panels.toml"));
    let mut file: File = read.unwrap_or_else(|error| {
        tracing::error!(%error, "the panels cannot be read");
        File { panels: Vec::new(), documents: BTreeMap::new() }
    });
    for (id, document) in &mut file.documents {
        document.id.clone_from(id);
    }
    file
});

/// The panels, as a template has them.
#[derive(Serialize)]
struct Workspace {
    /// Texts are read against lists here.
    reads: bool,
    panels: Vec<Panel>,
    documents: Vec<&'static Document>,
    /// The document that is open.
    open: Option<String>,
}

/// The chat's values and ours.
#[derive(Serialize)]
struct Beside {
    #[serde(flatten)]
    chat: Values,
    workspace: Workspace,
}

/// What is open beside the conversation.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Open {
    open: Option<String>,
}

/// `GET /workspace`
pub(crate) async fn get_workspace(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Asked(which): Asked<Which>,
    Asked(Open { open }): Asked<Open>,
) -> Result<Response, Refusal> {
    let workspace = Workspace {
        reads: app.config().policy.selection.enabled,
        panels: FILE.panels.iter().map(Panel::of).collect(),
        documents: FILE.documents.values().collect(),
        open: open.filter(|id| FILE.documents.contains_key(id)),
    };
    let dress = |chat: Values| Beside { chat: chat.offering(EXAMPLES), workspace };
    chat::show(&app, &visitor, which, Page::Workspace, "workspace/workspace.html", dress).await
}

impl Panel {
    fn of(file: &'static PanelFile) -> Self {
        let entries = file.entries.iter().filter_map(|id| FILE.documents.get(id)).collect();
        Self { scope: &file.scope, instance: &file.instance, title: &file.title, entries }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_a_document_and_every_document_is_listed() {
        let entries: Vec<&String> = FILE.panels.iter().flat_map(|panel| &panel.entries).collect();
        assert_eq!(entries.len(), FILE.documents.len());
        assert!(entries.iter().all(|id| FILE.documents.contains_key(*id)), "{entries:?}");
        assert!(
            FILE.documents.values().all(|document| !document.label.is_empty() && !document.text.is_empty())
        );
        let here = |(_, url): &(String, String)| url.starts_with('/');
        assert!(FILE.documents.values().flat_map(|document| &document.links).all(here));
    }
}
