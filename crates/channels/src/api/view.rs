//! Views of a lane for its readers: messages, and cards with the tokens of their buttons.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use throughline_engine::data::action::Action;
use throughline_engine::data::card_model::CardModel;
use throughline_engine::data::message::{Message, MessageKind, Role};
use throughline_engine::{MessageId, TaskId, Timestamp};

/// A card for readers: the engine's model, with the tokens of its buttons.
pub type CardView = CardModel;

/// A message for readers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessageView {
    /// The lane's id of the message.
    pub id: MessageId,
    /// Person or assistant.
    pub role: Role,
    /// The person's id; absent for the assistant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The kind, for messages of the assistant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<MessageKind>,
    /// The text; for a card, all of it as text.
    pub text: String,
    /// The time it was received or sent, RFC 3339 in UTC with milliseconds.
    #[serde(serialize_with = "to_rfc3339", deserialize_with = "from_rfc3339")]
    pub at: Timestamp,
    /// The task it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The card it shows, as it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<CardView>,
}

impl MessageView {
    /// Creates the view of a message, with the card it shows.
    #[must_use]
    pub fn new(message: &Message, card: Option<CardView>) -> Self {
        Self {
            id: message.id.clone(),
            role: message.role,
            by: Some(message.by.clone()).filter(|by| !by.is_empty()),
            kind: message.kind,
            text: message.text.clone(),
            at: message.at,
            task: message.task.clone(),
            card,
        }
    }
}

/// Sets the token of every button.
#[must_use]
pub fn with_tokens(mut card: CardModel, mut token: impl FnMut(Action) -> String) -> CardView {
    for button in &mut card.buttons {
        button.token = Some(token(button.action));
    }
    card
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn to_rfc3339<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&at.rfc3339())
}

fn from_rfc3339<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    let text = String::deserialize(deserializer)?;
    Timestamp::parse(&text).ok_or_else(|| de::Error::custom(format!("“{text}” is no RFC 3339 time in UTC")))
}

#[cfg(test)]
mod tests {
    use throughline_engine::Language;
    use throughline_engine::data::action::CardStep;
    use throughline_engine::data::card_model::Button;

    use super::*;

    fn card() -> CardModel {
        let button = |action: Action| Button {
            action,
            label: action.label(Language::En),
            name: action.label(Language::En),
            on: None,
            blocked: None,
            token: None,
        };
        CardModel {
            id: "ap_1".into(),
            step: CardStep::DraftPreview,
            version: 3,
            hash: Some("86a606e5".into()),
            title: "Create 1 bug in DEMO?".into(),
            facts: Vec::new(),
            fields: Vec::new(),
            items: Vec::new(),
            errors: Vec::new(),
            buttons: vec![button(Action::Approve), button(Action::Reject)],
            link: None,
            request: None,
            outline: Default::default(),
        }
    }

    #[test]
    fn reads_what_it_writes() {
        let message = Message {
            id: "m_1".into(),
            role: Role::Assistant,
            by: String::new(),
            kind: Some(MessageKind::Card),
            to: None,
            task: Some("t_1".into()),
            card: Some("ap_1".into()),
            text: "Create 1 bug in DEMO?".into(),
            at: Timestamp::parse("2026-01-15T10:00:00.250Z").unwrap(),
            channel_id: None,
            link: None,
            untrusted: false,
            files: Vec::new(),
        };
        let view = MessageView::new(
            &message,
            Some(with_tokens(card(), |action| format!("tok-{}", action.as_str()))),
        );
        let json = serde_json::to_value(&view).unwrap();
        assert_eq!(json["at"], "2026-01-15T10:00:00.250Z");
        assert_eq!(json["role"], "assistant");
        assert_eq!(json["kind"], "card");
        assert_eq!(json["card"]["buttons"][1]["token"], "tok-reject");
        assert!(json.get("by").is_none());
        assert_eq!(serde_json::from_value::<MessageView>(json).unwrap(), view);
    }
}
