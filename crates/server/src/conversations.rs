//! Titles of web conversations, stored per person so that they can be listed.
//!
//! A conversation's id is its owner, a colon, and a name that sorts the newest first. The title is stored as a
//! document when the first message arrives; the lane itself has no title.

use serde::{Deserialize, Serialize};
use throughline_engine::{Event, EventKind, LaneKey};
use throughline_store::{Document, StoreError};

use crate::app::App;
use crate::auth::owner;
use crate::web_channel::CHANNEL;

/// Maximum length of a title, in characters.
const TITLE: usize = 60;

/// Stored document of a conversation.
#[derive(Serialize, Deserialize)]
struct StoredTitle {
    title: String,
}

fn collection(owner: &str) -> String {
    format!("web.conversations.{owner}")
}

/// Returns the ids and titles of a person's conversations, newest first.
pub(crate) async fn titles(
    app: &App,
    tenant: &str,
    user: &str,
    limit: u32,
) -> Result<Vec<(String, String)>, StoreError> {
    let documents = app.store().documents(tenant, &collection(user), None, limit).await?;
    let read = |document: Document| {
        let StoredTitle { title } = serde_json::from_str(&document.body).ok()?;
        Some((format!("{user}:{}", document.key), title))
    };
    Ok(documents.into_iter().filter_map(read).collect())
}

/// Stores the title of a conversation when its first message arrives. A failure is only logged: the message is still
/// accepted.
pub(crate) async fn record_title(app: &App, lane: &LaneKey, event: &Event) {
    let EventKind::MessagePosted(posted) = &event.kind else { return };
    let Some(owner) = owner(&lane.conversation).filter(|_| lane.channel == CHANNEL) else { return };
    if let Err(error) = write_title(app, lane, owner, &posted.text).await {
        tracing::warn!(%error, "a conversation was not put on its owner's list");
    }
}

async fn write_title(app: &App, lane: &LaneKey, owner: &str, text: &str) -> Result<(), StoreError> {
    let (tenant, collection) = (&lane.tenant, collection(owner));
    let key = &lane.conversation[owner.len() + 1..];
    if app.store().document(tenant, &collection, key).await?.is_some() {
        return Ok(());
    }
    let body = serde_json::to_string(&StoredTitle { title: title(text) }).unwrap_or_default();
    let mut document = Document::new(key, 0, body).about([owner]);
    document.about.lane = Some(lane.id());
    // If another first message is stored concurrently, its title is as good.
    app.store().write_documents(tenant, vec![(collection, document)], None).await.map(drop)
}

/// Shortens a text to a title of one line. The page's script does the same.
pub(crate) fn title(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: String = line.chars().take(TITLE).collect();
    if shown.len() < line.len() { format!("{}…", shown.trim_end()) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_short_line() {
        assert_eq!(title("  Log-in \n fails\t"), "Log-in fails");
        assert_eq!(title(&"ä".repeat(60)), "ä".repeat(60));
        assert_eq!(title(&"ä ".repeat(60)), format!("{}…", "ä ".repeat(30).trim_end()));
        assert_eq!(title(""), "");
    }
}
