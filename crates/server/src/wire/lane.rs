//! Lanes: messages, cards, what waits.

use serde::{Deserialize, Serialize};
use throughline_engine::workflow::CardModel;
use throughline_engine::{LaneKey, effect, pending, workflow};
use throughline_runtime::MessageView;
use throughline_store::LaneInfo as StoredInfo;
use utoipa::ToSchema;

use super::{OptionSet, View};

/// A lane in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LaneInfo {
    /// Its id.
    #[schema(example = "ln_atpfhd2dnan4hnneg4slqvhi")]
    pub id: String,
    /// The app it belongs to.
    pub app: String,
    /// The channel.
    pub channel: String,
    /// The room, chat or session.
    pub conversation: String,
    /// The thread in it, or empty.
    pub thread: String,
    /// How many turns were committed.
    pub revision: u64,
    /// Events that wait.
    pub waiting: u32,
    /// When its last turn was.
    pub updated_at: String,
}

impl From<&StoredInfo> for LaneInfo {
    fn from(info: &StoredInfo) -> Self {
        let LaneKey { app, channel, conversation, thread, .. } = info.key.clone();
        Self {
            id: info.id.0.clone(),
            app,
            channel,
            conversation,
            thread,
            revision: info.revision,
            waiting: info.waiting,
            updated_at: info.updated_at.rfc3339(),
        }
    }
}

/// A lane as it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Lane {
    /// What it is.
    #[serde(flatten)]
    pub info: LaneInfo,
    /// What waits for an answer.
    pub pending: Vec<Pending>,
    /// What the thread does with unclear messages, when it remembers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remembered: Option<String>,
    /// A model is being asked.
    pub asking: bool,
    /// What was asked for: the tasks somebody is at, those its messages name, and the newest that are over.
    #[serde(default)]
    pub tasks: Vec<Task>,
    /// The lists of options that are there.
    #[serde(default)]
    pub option_sets: Vec<OptionSet>,
    /// What each person's lists have come to.
    #[serde(default)]
    pub views: Vec<View>,
    /// The window's messages, oldest first.
    pub messages: Vec<Message>,
}

/// A message as it is shown now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Message {
    /// Its id.
    pub id: String,
    /// `user` or `assistant`.
    pub role: String,
    /// The person; absent for us.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// `answer`, `question`, `card` or `notification`; absent for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The words; of a card, the whole of it as text.
    pub text: String,
    /// When.
    pub at: String,
    /// The task it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The host's own id of it, when its event named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// The card it shows, as it is now, with the tokens of its buttons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<Card>,
}

impl From<MessageView> for Message {
    fn from(view: MessageView) -> Self {
        Self {
            id: view.id.0,
            role: word(&view.role),
            by: Some(view.by).filter(|by| !by.is_empty()),
            kind: view.kind.as_ref().map(word),
            text: view.text,
            at: view.at.rfc3339(),
            task: view.task,
            message_id: view.channel_id,
            card: view.card.map(Card::from),
        }
    }
}

/// A card with buttons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Card {
    /// Its id; `ap_…` is an approval.
    pub id: String,
    /// Where it stands: `draft_preview`, `multi_ticket_preview`, `decision_preview`, `scope_gate`, `uncertain_effect`, `call_preview`, `uncertain_call`,
    /// `review_active`, `review_frozen`, `receipt`, `remembered`, `options`.
    pub step: String,
    /// Its version: what a decision names.
    pub version: u32,
    /// The first 8 digits of the hash of what would run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// What it asks, or what became of it.
    pub title: String,
    /// Who asked, checks, until when: one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    /// What will happen, field by field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// The items of a batch, an epic before its stories.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
    /// What is wrong with which field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// What may be pressed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buttons: Vec<Button>,
    /// A link to what came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// One item of a card that shows several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = CardItem)]
pub struct Item {
    /// Its id: the `item` of a decision about it.
    pub id: String,
    /// `Epic`, `Story 3`.
    pub label: String,
    /// Its title.
    pub title: String,
    /// How it stands: where it goes, what it lacks, what came of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub state: String,
    /// What it holds, field by field: its edit form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// What is wrong with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// What may be pressed about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buttons: Vec<Button>,
    /// A link to what came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

impl From<workflow::ItemModel> for Item {
    fn from(item: workflow::ItemModel) -> Self {
        let workflow::ItemModel { id, label, title, state, fields, errors, buttons, link } = item;
        Self {
            id,
            label,
            title,
            state,
            fields: fields.into_iter().map(Field::from).collect(),
            errors: errors.into_iter().map(FieldError::from).collect(),
            buttons: buttons.into_iter().map(Button::from).collect(),
            link,
        }
    }
}

/// One field of a card and of its edit form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Field {
    /// The form field.
    pub name: String,
    /// Its label.
    pub label: String,
    /// What it holds.
    pub text: String,
}

/// One thing wrong with one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldError {
    /// Which item of a batch; empty for the only one, or for all of them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub item: String,
    /// The check that failed.
    pub code: String,
    /// Which field.
    pub field: String,
    /// For a person.
    pub text: String,
}

/// One button.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Button {
    /// What it does: `approve`, `reject`, `edit`, …
    pub action: String,
    /// What it says.
    pub label: String,
    /// The whole act in words, for those who do not see the card.
    pub name: String,
    /// For a toggle: whether it is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
    /// What a press sends: `{"kind": "card.pressed", "press": {"token": …}}`.
    pub token: String,
}

impl From<CardModel> for Card {
    fn from(card: CardModel) -> Self {
        Self {
            id: card.id.0,
            step: word(&card.step),
            version: card.version,
            hash: card.hash,
            title: card.title,
            facts: card.facts,
            fields: card.fields.into_iter().map(Field::from).collect(),
            items: card.items.into_iter().map(Item::from).collect(),
            errors: card.errors.into_iter().map(FieldError::from).collect(),
            buttons: card.buttons.into_iter().map(Button::from).collect(),
            link: card.link,
        }
    }
}

impl From<workflow::Field> for Field {
    fn from(field: workflow::Field) -> Self {
        let workflow::Field { name, label, text } = field;
        Self { name, label, text }
    }
}

impl From<effect::FieldError> for FieldError {
    fn from(error: effect::FieldError) -> Self {
        let effect::FieldError { item, code, field, text } = error;
        Self { item, code, field, text }
    }
}

impl From<workflow::Button> for Button {
    fn from(button: workflow::Button) -> Self {
        let workflow::Button { action, label, name, on, token } = button;
        Self { action: action.word().into(), label, name, on, token: token.unwrap_or_default() }
    }
}

/// A question that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Pending {
    /// Its id.
    pub id: String,
    /// `slot_request`, `waiting_approval`, …
    pub kind: String,
    /// `conversational`: text answers it. `workflow`: its card's buttons do.
    pub class: String,
    /// The answer it takes, for conversational ones: `location`, `selection:A|B`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The message that asked.
    pub anchor: String,
    /// The task it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Who is asked; nobody named is everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_of: Option<String>,
    /// The card it lives on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<String>,
    /// The card's version.
    pub version: u32,
    /// When it was asked.
    pub created_at: String,
    /// Until when an answer counts, this very millisecond included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

impl From<&pending::PendingState> for Pending {
    fn from(state: &pending::PendingState) -> Self {
        let class = match state.kind.class() {
            pending::PendingClass::Conversational => "conversational",
            pending::PendingClass::Workflow => "workflow",
        };
        Self {
            id: state.id.0.clone(),
            kind: state.kind.word().into(),
            class: class.into(),
            expected: state.expected.as_ref().map(ToString::to_string),
            anchor: state.anchor.0.clone(),
            task: state.task.as_ref().map(|task| task.0.clone()),
            asked_of: state.asked_of.clone(),
            card: state.kind.card().map(|card| card.0.clone()),
            version: state.ui_version,
            created_at: state.created_at.rfc3339(),
            expires_at: state.expires_at.map(|end| end.rfc3339()),
        }
    }
}

/// What somebody asked for, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Task {
    /// Its id: the host's, when a host reported it.
    pub id: String,
    /// What was asked for.
    pub intent: String,
    /// `queued`, `running`, `completed`, `blocked`, `failed` or `cancelled`.
    pub status: String,
    /// `engine`: moved by what its effects come to. `host`: by reports.
    pub source: String,
    /// How often it was begun.
    pub attempt: u32,
    /// Who asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_by: Option<String>,
    /// The tool or the sub-agent that is, or was, at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// Why it is blocked, or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// When it became known.
    pub created_at: String,
    /// When it was completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
    /// Since when it is blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_at: Option<String>,
}

impl From<&throughline_engine::lane::Task> for Task {
    fn from(task: &throughline_engine::lane::Task) -> Self {
        Self {
            id: task.id.0.clone(),
            intent: task.intent.clone(),
            status: task.status.word().into(),
            source: word(&task.source),
            attempt: task.attempt,
            requested_by: Some(task.requested_by.clone()).filter(|by| !by.is_empty()),
            with: task.work.as_ref().map(|work| work.job.name().to_owned()),
            reason: task.reason.clone(),
            result: task.result.clone(),
            created_at: task.created_at.rfc3339(),
            completed_at: task.completed_at.map(|at| at.rfc3339()),
            blocked_at: task.blocked_at.map(|at| at.rfc3339()),
        }
    }
}

/// What happened in a lane behind a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LaneEvents {
    /// In order. The id of the last one that has one is the next place.
    pub items: Vec<LaneEvent>,
}

/// One event, as the stream has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LaneEvent {
    /// `revision.position`; absent for `status`, which did not happen but is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `turn`, `message`, `card`, `effect`, `pending`, `status` or `reset`.
    pub event: String,
    /// What the event is about, in the form its name says.
    #[schema(value_type = Object)]
    pub data: serde_json::Value,
}

/// The word an engine value has in JSON.
pub(super) fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}
