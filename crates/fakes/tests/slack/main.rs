//! The fake of Slack's servers, as an app that knows only the documentation sees it.

mod app;
mod calls;
mod deliveries;
mod payloads;
mod views;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::{Value, json};
use throughline_fakes::Clock;
use throughline_fakes::slack::FakeSlack;

pub(crate) const ANA: &str = "U0ANA0001";
pub(crate) const GENERAL: &str = "C0GENERAL";

pub(crate) async fn slack(clock: Clock) -> FakeSlack {
    let slack = FakeSlack::start(clock).await.unwrap();
    slack.person(ANA, "Ana");
    slack.channel(GENERAL, "general", &[ANA]);
    slack
}

/// A clock that moves only when it is told to.
pub(crate) fn hands() -> (Arc<AtomicI64>, Clock) {
    let at = Arc::new(AtomicI64::new(1_764_000_000_000));
    let clock = at.clone();
    (at, Arc::new(move || clock.load(Ordering::SeqCst)))
}

pub(crate) fn card() -> Value {
    json!([{"type": "section", "text": {"type": "mrkdwn", "text": "*Login fails*"}},
        {"type": "actions", "elements": [{"type": "button", "text": {"type": "plain_text", "text": "Approve"},
            "action_id": "tl.approve.1", "value": "token-1", "style": "primary"}]}])
}

pub(crate) fn modal() -> Value {
    let words = |text: &str| json!({"type": "plain_text", "text": text});
    json!({"type": "modal", "title": words("Edit"), "submit": words("Save"), "callback_id": "edit",
        "private_metadata": "token-2", "blocks": [{"type": "input", "block_id": "title", "label": words("Title"),
            "element": {"type": "plain_text_input", "action_id": "text", "initial_value": "Login"}}]})
}
