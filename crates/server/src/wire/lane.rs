//! Lanes, with messages, cards and pending questions.

use serde::{Deserialize, Serialize};
use throughline_channels::direction::steadied;
use throughline_engine::data::card_model::CardModel;
use throughline_engine::data::pending;
use throughline_engine::{EffectId, LaneKey, Timestamp};
use throughline_runtime::MessageView;
use throughline_store::LaneInfo as StoredInfo;
use utoipa::ToSchema;

use super::vocabulary::TaskState;
use super::{MessageFile, OptionSet, View};
use crate::markup::Node;

/// Summary of a lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LaneInfo {
    /// Id.
    #[schema(example = "ln_atpfhd2dnan4hnneg4slqvhi")]
    pub id: String,
    /// App it belongs to.
    pub app: String,
    /// Channel.
    pub channel: String,
    /// Room, chat or session.
    pub conversation: String,
    /// Thread in the conversation, or empty.
    pub thread: String,
    /// Number of committed turns.
    pub revision: u64,
    /// Number of events that wait.
    pub waiting: u32,
    /// Time of its last turn.
    #[schema(format = DateTime)]
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

/// Lane with its current state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Lane {
    /// Summary.
    #[serde(flatten)]
    pub info: LaneInfo,
    /// Questions and cards that wait for an answer.
    pub pending: Vec<Pending>,
    /// Remembered handling of unclear messages in this thread, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remembered: Option<String>,
    /// True while a model is being asked.
    pub asking: bool,
    /// Tasks: the open ones, those that its messages name, and the newest finished ones.
    #[serde(default)]
    pub tasks: Vec<Task>,
    /// Registered lists of options.
    #[serde(default)]
    pub option_sets: Vec<OptionSet>,
    /// Each person's view of the lists.
    #[serde(default)]
    pub views: Vec<View>,
    /// Messages of the window, oldest first.
    pub messages: Vec<Message>,
}

/// Message in its current form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Message {
    /// Id.
    pub id: String,
    /// Role: `user` or `assistant`.
    pub role: String,
    /// User who wrote it; absent for the assistant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Kind: `answer`, `question`, `card` or `notification`; absent for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Text; for a card, the whole card as text.
    pub text: String,
    /// Text as a tree of elements, in the events of a lane, if a model, a tool or an agent wrote it in Markdown: `tag` is one of
    /// HTML's names, `children` are elements and texts; `href` of a link, `start` of a numbered list, `language` of code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub markup: Option<Vec<Node>>,
    /// Time.
    #[schema(format = DateTime)]
    pub at: String,
    /// Id of the task it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Host's own id of the message, if its event named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// Card it shows, in its current form, with the tokens of its buttons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<Card>,
    /// Files that came with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<MessageFile>,
}

impl From<MessageView> for Message {
    fn from(view: MessageView) -> Self {
        Self {
            id: view.id.0,
            role: word(&view.role),
            by: Some(view.by).filter(|by| !by.is_empty()),
            kind: view.kind.as_ref().map(word),
            text: steadied(view.text),
            markup: None,
            at: view.at.rfc3339(),
            task: view.task,
            message_id: view.channel_id,
            card: view.card.map(Card::from),
            files: view.files.into_iter().map(MessageFile::from).collect(),
        }
    }
}

/// Card with buttons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Card {
    /// Id; `ap_…` is an approval.
    pub id: String,
    /// Step: `draft_preview`, `multi_ticket_preview`, `decision_preview`, `scope_gate`, `uncertain_effect`,
    /// `call_preview`, `uncertain_call`, `review_active`, `review_frozen`, `receipt`, `remembered`, `options`.
    pub step: String,
    /// Version that a decision has to name.
    pub version: u32,
    /// First 8 digits of the hash of what an approval would run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Question, or result.
    pub title: String,
    /// Requester, checks, expiry: one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    /// Planned content, field by field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// Items of a batch; an epic comes before its stories.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
    /// Errors by field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// Buttons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buttons: Vec<Button>,
    /// Link to the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Request of a host that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<CardRequest>,
    /// Facts among them that say who may decide, and until when.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decision: Vec<String>,
    /// Facts among them for those who look closer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// Moments that the title and the facts end with, as they are written there, in UTC.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moments: Vec<Moment>,
}

/// Moment that a sentence of a card ends with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = CardMoment)]
pub struct Moment {
    /// Moment as the sentence ends with it, in UTC.
    #[schema(example = "10:32")]
    pub text: String,
    /// Moment.
    #[schema(format = DateTime)]
    pub at: String,
}

/// Request of a host, as its card stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CardRequest {
    /// Id that the host gave it.
    pub id: String,
    /// State: `pending`, `approved`, `done`, `failed`, `uncertain`, `rejected`, `expired`, `cancelled`.
    pub state: String,
}

/// Item of a card that shows several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = CardItem)]
pub struct Item {
    /// Id: the `item` of a decision about it.
    pub id: String,
    /// Label: `Epic`, `Story 3`.
    pub label: String,
    /// Title.
    pub title: String,
    /// State in words: its target, missing parts, or result.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub state: String,
    /// Content, field by field, as in its edit form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// Errors by field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// Buttons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buttons: Vec<Button>,
    /// Link to the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

impl From<throughline_engine::data::card_model::ItemModel> for Item {
    fn from(item: throughline_engine::data::card_model::ItemModel) -> Self {
        let throughline_engine::data::card_model::ItemModel {
            id,
            label,
            title,
            state,
            fields,
            errors,
            buttons,
            link,
        } = item;
        Self {
            id,
            label: steadied(label),
            title: steadied(title),
            state: steadied(state),
            fields: fields.into_iter().map(Field::from).collect(),
            errors: errors.into_iter().map(FieldError::from).collect(),
            buttons: buttons.into_iter().map(Button::from).collect(),
            link,
        }
    }
}

/// Field of a card and of its edit form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Field {
    /// Name of the form field.
    pub name: String,
    /// Label.
    pub label: String,
    /// Content; empty for a gap.
    pub text: String,
    /// Remark on it: that it is a gap, who left it open, who else wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Error in a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldError {
    /// Item of a batch; empty for the only item, or for all of them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub item: String,
    /// Code of the check that failed.
    pub code: String,
    /// Name of the field.
    pub field: String,
    /// Message for a person.
    pub text: String,
}

/// Button.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Button {
    /// Action: `approve`, `reject`, `edit`, …
    pub action: String,
    /// Label.
    pub label: String,
    /// Whole act in words, for people who do not see the card.
    pub name: String,
    /// For a toggle: true if it is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
    /// Reason why it cannot be pressed now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<String>,
    /// Token that a press sends: `{"kind": "card.pressed", "press": {"token": …}}`. A blocked button has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub token: String,
}

impl From<CardModel> for Card {
    fn from(card: CardModel) -> Self {
        Self {
            id: card.id.0,
            step: word(&card.step),
            version: card.version,
            hash: card.hash,
            title: steadied(card.title),
            facts: card.facts.into_iter().map(steadied).collect(),
            fields: card.fields.into_iter().map(Field::from).collect(),
            items: card.items.into_iter().map(Item::from).collect(),
            errors: card.errors.into_iter().map(FieldError::from).collect(),
            buttons: card.buttons.into_iter().map(Button::from).collect(),
            link: card.link,
            request: card.request.map(|request| CardRequest { id: request.id, state: word(&request.state) }),
            decision: card.outline.decision.into_iter().map(steadied).collect(),
            details: card.outline.details.into_iter().map(steadied).collect(),
            moments: card.outline.moments.into_iter().map(Moment::from).collect(),
        }
    }
}

impl From<(String, Timestamp)> for Moment {
    fn from((text, at): (String, Timestamp)) -> Self {
        Self { text, at: at.rfc3339() }
    }
}

impl From<throughline_engine::data::card_model::Field> for Field {
    fn from(field: throughline_engine::data::card_model::Field) -> Self {
        let throughline_engine::data::card_model::Field { name, label, text, note } = field;
        Self { name, label: steadied(label), text: steadied(text), note: note.map(steadied) }
    }
}

impl From<throughline_engine::data::field_error::FieldError> for FieldError {
    fn from(error: throughline_engine::data::field_error::FieldError) -> Self {
        let throughline_engine::data::field_error::FieldError { item, code, field, text, whole: _ } = error;
        Self { item, code, field, text: steadied(text) }
    }
}

impl From<throughline_engine::data::card_model::Button> for Button {
    fn from(button: throughline_engine::data::card_model::Button) -> Self {
        let throughline_engine::data::card_model::Button { action, label, name, on, blocked, token } = button;
        let (label, name) = (steadied(label), steadied(name));
        let blocked = blocked.map(steadied);
        Self { action: action.as_str().into(), label, name, on, blocked, token: token.unwrap_or_default() }
    }
}

/// Pending question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Pending {
    /// Id.
    pub id: String,
    /// Kind: `slot_request`, `waiting_approval`, …
    pub kind: String,
    /// Class: a `conversational` question is answered by text, a `workflow` by the buttons of its card.
    pub class: String,
    /// Expected type of the answer to a conversational question: `location`, `selection:A|B`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// Id of the message that asked.
    pub anchor: String,
    /// Id of the task it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// User who is asked; everybody if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_of: Option<String>,
    /// Id of its card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<String>,
    /// Version of the card.
    pub version: u32,
    /// Time it was asked.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Last millisecond in which an answer is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
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
            kind: state.kind.as_str().into(),
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

/// Task, with its status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Task {
    /// Id: the host's if a host reported it.
    pub id: String,
    /// Request that the task fulfils.
    pub intent: String,
    /// Status: `queued`, `running`, `completed`, `blocked`, `failed` or `cancelled`.
    #[schema(value_type = TaskState, inline)]
    pub status: String,
    /// Source of its status: `engine` for the outcomes of its effects, `host` for reports.
    pub source: String,
    /// Number of times it was begun.
    pub attempt: u32,
    /// User who asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_by: Option<String>,
    /// Tool or sub-agent that works, or worked, on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// Reason why it is blocked or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Time it became known.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Time it was completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub completed_at: Option<String>,
    /// Time since which it is blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub blocked_at: Option<String>,
}

impl From<&throughline_engine::data::task::Task> for Task {
    fn from(task: &throughline_engine::data::task::Task) -> Self {
        Self {
            id: task.id.0.clone(),
            intent: task.intent.clone(),
            status: task.status.as_str().into(),
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

/// Events of a lane after a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LaneEvents {
    /// Events in order. The last id among them is the next position.
    pub items: Vec<LaneEvent>,
}

/// Text that a model is writing, as far as it may be seen. It is no message yet, and may become none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Writing {
    /// Effect that asks the model.
    pub ask: String,
    /// The whole text so far; absent when it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The text as a tree, where it may be Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub markup: Option<Vec<Node>>,
    /// True when the text is over: what came of it, if anything did, is in the events before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
}

impl Writing {
    /// Returns the end of the text of an ask.
    pub(crate) fn over(ask: &EffectId) -> Self {
        Self { ask: ask.to_string(), text: None, markup: None, ended: true }
    }
}

/// Event of a lane, as in the stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LaneEvent {
    /// Id: `revision.position`; absent for `status` and `writing`, which are states and not events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name: `turn`, `message`, `card`, `effect`, `pending`, `status` or `reset`; in a stream `writing`, too.
    pub event: String,
    /// Data, in the form that the name determines; of `writing`, a `Writing`.
    #[schema(value_type = Object)]
    pub data: serde_json::Value,
}

/// Returns the name that an engine value has in JSON.
pub(super) fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}
