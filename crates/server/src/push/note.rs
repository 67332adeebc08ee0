//! Words of a notification: what waits and who asks, in the person's language, and where it is decided. No more than a mail
//! says of it.

use serde_json::json;
use throughline_engine::Timestamp;
use throughline_messages as messages;
use throughline_runtime::RuntimeError;
use throughline_store::ApprovalRow;

use super::topic;
use crate::app::App;
use crate::config::User;
use crate::mail::letter::{language_of, line};
use crate::views;

/// Notification about an approval.
pub(super) struct Note {
    /// JSON that the service worker reads.
    pub(super) text: String,
    pub(super) topic: String,
    pub(super) ends: Option<Timestamp>,
}

/// Writes the notification to a person about an approval.
pub(super) async fn note(app: &App, row: &ApprovalRow, user: &User) -> Result<Note, RuntimeError> {
    let (approval, language) = (&row.approval, language_of(app.config(), user));
    let lane = app.runtime().lane(&row.lane).await?;
    let card = views::approvals::card_of(app.runtime(), &lane, row, Some(language)).await?;
    let asker = app.runtime().ports().directory.actor(&row.lane, &approval.requested_by).await;
    let first = card.as_ref().and_then(|card| views::approvals::about(card).into_iter().next());
    let plainly = || format!("{} → {}", approval.classes.join(", "), approval.targets.join(", "));
    let what = first.or(card.map(|card| card.title)).unwrap_or_else(plainly);
    let text = json!({
        "title": messages::mail_subject(language, line(&what)),
        "body": messages::mail_asks(language, line(&asker.name)),
        "language": language.code(),
        "approval": approval.card,
    });
    let topic = topic(&row.lane.tenant, approval.card.as_str());
    Ok(Note { text: text.to_string(), topic, ends: approval.expires_at })
}
