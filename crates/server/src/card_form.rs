//! Form of a card's button: what the web's page and Slack's window ask for, and what they show when it is too late.

use throughline_channels::form::FormField;
use throughline_engine::LaneKey;
use throughline_engine::data::action::Action;
use throughline_engine::data::card::Card;
use throughline_engine::data::card_model::{CardModel, ItemModel};
use throughline_messages::{self as messages, Language};
use throughline_runtime::{Keys, Runtime, RuntimeError};
use throughline_store::{Store, TokenRow};

/// Form of a button, at the card's current version.
pub(crate) struct CardForm {
    /// Title.
    pub(crate) title: String,
    /// Token of the button at the current version; `None` if the card has no such button any more.
    pub(crate) token: Option<String>,
    /// Fields.
    pub(crate) fields: Vec<FormField>,
}

/// Returns the action of a button that opens a form.
pub(crate) fn form_action(row: &TokenRow) -> Option<Action> {
    Action::parse(&row.action).filter(|action| {
        matches!(action, Action::Edit | Action::EditStory | Action::AddStory | Action::Adopt)
    })
}

/// Returns the form that a button opens; `None` if the lane has no such button or it opens none.
pub(crate) async fn form(
    runtime: &Runtime,
    store: &dyn Store,
    lane: &LaneKey,
    token: &str,
    language: Language,
) -> Result<Option<CardForm>, RuntimeError> {
    let Some(row) = store.token(lane, &Keys::hash(token)).await? else { return Ok(None) };
    let Some(action) = form_action(&row) else { return Ok(None) };
    let loaded = runtime.lane(lane).await?;
    let Some(card) = loaded.records.get::<Card>(&row.card) else { return Ok(None) };
    let card = runtime.card_model(&loaded, card).await?;
    let item = card.items.iter().find(|item| item.id == row.item);
    let buttons = item.map_or(&card.buttons, |item| &item.buttons);
    let now = buttons.iter().find(|button| button.action == action);
    let title = match (item, action) {
        (Some(item), _) => format!("{}: {}", item.label, item.title),
        (None, Action::AddStory) => messages::script_add_story(language),
        (None, _) => card.title.clone(),
    };
    let token = now.and_then(|button| button.token.clone());
    Ok(Some(CardForm { title, token, fields: fields(action, &card, item, language) }))
}

fn fields(action: Action, card: &CardModel, item: Option<&ItemModel>, language: Language) -> Vec<FormField> {
    let (shown, errors) = item.map_or((&card.fields, &card.errors), |item| (&item.fields, &item.errors));
    let of = |name: &str, label: &str, text: &str| FormField {
        name: name.into(),
        label: label.into(),
        text: text.into(),
        long: !matches!(name, "title" | "key" | "labels" | "topic" | "issues"),
        faults: errors.iter().filter(|error| error.field == name).map(|error| error.text.clone()).collect(),
    };
    match action {
        Action::Adopt => vec![of("key", &messages::script_key_of_issue(language), "")],
        _ => shown.iter().map(|field| of(&field.name, &field.label, &field.text)).collect(),
    }
}
