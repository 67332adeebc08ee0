//! Renders a card's buttons.

use serde_json::{Value, json};
use throughline_engine::data::action::{Action, CardStep};
use throughline_engine::data::card_model::{Button, CardModel, ItemModel};
use throughline_messages::{self as messages, Language};

use super::{SHOW_ALL, plain, shown, texts};

/// The most elements of one row of actions: more are hard to press on a phone, though Slack takes 25.
const ROW: usize = 5;
/// The most buttons of options; of longer lists the rest is chosen in words.
const OPTIONS: usize = 25;
/// The longest label of a button.
const LABEL: usize = 75;
/// The characters of a menu, the lengths of its labels that are tried, and the one that is taken at last.
const MENU: usize = 4_500;
const LABELS: [usize; 3] = [LABEL, 50, 30];
const SHORTEST: usize = 12;
/// The most options of one group, and the most groups, of a select menu.
const GROUP: usize = 100;

/// The rows of a card's buttons. `shortened` adds the button that shows the card in full.
pub(super) fn rows(card: &CardModel, shortened: bool, language: Language) -> Vec<Value> {
    let mut elements: Vec<Value> = Vec::new();
    if card.step == CardStep::Options {
        let of = |item: &ItemModel| -> Vec<(String, Button)> {
            item.buttons
                .iter()
                .map(|button| (format!("{}. {}", item.label, item.title), button.clone()))
                .collect()
        };
        let all = card.items.iter().flat_map(of).take(OPTIONS);
        elements.extend(all.filter_map(|(label, button)| key(&label, &button)));
    }
    elements.extend(card.buttons.iter().filter_map(|button| key(&ticked(button), button)));
    if card.step != CardStep::Options {
        elements.extend(menu(card, language));
    }
    if shortened {
        elements.push(json!({"type": "button", "action_id": SHOW_ALL, "value": card.id.as_str(),
            "text": plain(&messages::slack_show_all(language), LABEL)}));
    }
    number(&mut elements);
    elements.chunks(ROW).map(|row| json!({"type": "actions", "elements": row})).collect()
}

/// The reasons why buttons cannot be pressed: Slack has no disabled buttons.
pub(super) fn blocked(card: &CardModel) -> Vec<String> {
    let reason = |button: &Button| Some(format!("{}: {}", button.label, button.blocked.as_ref()?));
    card.buttons.iter().filter_map(reason).collect()
}

/// Makes the ids of elements unique within the message.
fn number(elements: &mut [Value]) {
    for (n, element) in elements.iter_mut().enumerate() {
        if let Some(id) = element["action_id"].as_str().filter(|id| *id != SHOW_ALL) {
            element["action_id"] = json!(format!("{id}.{n}"));
        }
    }
}

fn ticked(button: &Button) -> String {
    match button.on {
        Some(true) => format!("☑ {}", button.label),
        Some(false) => format!("☐ {}", button.label),
        None => button.label.clone(),
    }
}

fn key(label: &str, button: &Button) -> Option<Value> {
    let token = button.token.as_ref()?;
    let mut key = json!({"type": "button", "action_id": format!("tl.{}", button.action.as_str()), "value": token,
        "text": plain(label, LABEL), "accessibility_label": shown(&button.name, LABEL)});
    if let Some(style) = style(button.action) {
        key["style"] = json!(style);
    }
    Some(key)
}

fn style(action: Action) -> Option<&'static str> {
    match action {
        Action::Approve | Action::ApproveDecision => Some("primary"),
        Action::Reject => Some("danger"),
        _ => None,
    }
}

/// One menu for the buttons of all items, grouped by item: a row for each would leave no room for the items. Its labels are
/// as long as leaves room, too.
fn menu(card: &CardModel, language: Language) -> Option<Value> {
    let short = |menu: &Value| texts(std::slice::from_ref(menu)) <= MENU;
    let mut tried = LABELS.into_iter().filter_map(|label| menu_with(card, label, language));
    tried.find(short).or_else(|| menu_with(card, SHORTEST, language))
}

fn menu_with(card: &CardModel, label: usize, language: Language) -> Option<Value> {
    let option = |button: &Button| {
        let token = button.token.as_ref()?;
        Some(json!({"text": plain(button.label.trim_end_matches('…'), label), "value": token}))
    };
    let group = |item: &ItemModel| {
        let options: Vec<Value> = item.buttons.iter().filter_map(option).take(GROUP).collect();
        let title = format!("{}: {}", item.label, item.title);
        (!options.is_empty()).then(|| json!({"label": plain(&title, label), "options": options}))
    };
    let groups: Vec<Value> = card.items.iter().filter_map(group).take(GROUP).collect();
    if groups.is_empty() {
        return None;
    }
    Some(json!({"type": "static_select", "action_id": "tl.item", "option_groups": groups,
        "placeholder": plain(&messages::slack_change_item(language), LABEL)}))
}
