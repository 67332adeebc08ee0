//! Workspace at `/workspace`: the chat, with panels beside it that list documents. The page's script acts as a host
//! of panels, using only the HTTP API and the stream: it registers lists, reports the focus, and opens what was
//! chosen. Without a script the panels are links.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};

use super::chat::{self, ChatPage, ChatQuery};
use super::page::{ForPage, Refusal};
use super::visitor::Visitor;
use crate::app::App;
use crate::request::QueryParams;
use crate::web_channel::Page;

/// Examples that an empty conversation offers.
const EXAMPLES: [&str; 3] = ["open the sample2 pls", "the second one from reports", "open links"];

/// File with the panels and documents.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PanelsFile {
    panels: Vec<PanelFile>,
    documents: BTreeMap<String, Document>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PanelFile {
    scope: String,
    instance: String,
    title: String,
    /// Ids of documents, in base order.
    entries: Vec<String>,
}

/// Document that can be opened.
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
    /// Labels and addresses of links.
    links: Vec<(String, String)>,
}

#[derive(Serialize)]
struct Panel {
    scope: &'static str,
    instance: &'static str,
    title: &'static str,
    entries: Vec<&'static Document>,
}

/// File, parsed at first use; a test parses it too.
static FILE: LazyLock<PanelsFile> = LazyLock::new(|| {
    let read = toml::from_str(include_str!("../../web/workspace/panels.toml"));
    let mut file: PanelsFile = read.unwrap_or_else(|error| {
        tracing::error!(%error, "the panels cannot be read");
        PanelsFile { panels: Vec::new(), documents: BTreeMap::new() }
    });
    for (id, document) in &mut file.documents {
        document.id.clone_from(id);
    }
    file
});

/// Panels, as values of the template.
#[derive(Serialize)]
struct Workspace {
    /// True if option lists are enabled.
    reads: bool,
    panels: Vec<Panel>,
    documents: Vec<&'static Document>,
    /// Id of the open document.
    open: Option<String>,
}

/// Values of the chat and the workspace.
#[derive(Serialize)]
struct WorkspacePage {
    #[serde(flatten)]
    chat: ChatPage,
    workspace: Workspace,
}

/// Query of the open document.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct OpenQuery {
    open: Option<String>,
}

/// `GET /workspace`
pub(crate) async fn get_workspace(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    ForPage(QueryParams(which)): ForPage<QueryParams<ChatQuery>>,
    ForPage(QueryParams(OpenQuery { open })): ForPage<QueryParams<OpenQuery>>,
) -> Result<Response, Refusal> {
    let workspace = Workspace {
        reads: app.config().policy.selection.enabled,
        panels: FILE.panels.iter().map(Panel::of).collect(),
        documents: FILE.documents.values().collect(),
        open: open.filter(|id| FILE.documents.contains_key(id)),
    };
    let dress =
        |chat: ChatPage| WorkspacePage { chat: chat.offering(EXAMPLES.map(str::to_owned)), workspace };
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
