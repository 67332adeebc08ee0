//! Renders App Home: what waits for a person.

use serde_json::{Value, json};
use throughline_messages::{self as messages, Language};

use super::rich::{Rich, Style};
use super::{VIEW_BLOCKS, plain};
use crate::slack::inbound::CLEARS;
use crate::slack::mrkdwn::inert;

/// The content of a person's Home.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Home {
    /// Approvals and uncertain effects that wait for the person.
    pub waiting: Vec<HomeEntry>,
    /// Choices that threads remember.
    pub modes: Vec<HomeEntry>,
    /// The threads that the person takes part in.
    pub threads: Vec<HomeEntry>,
    /// The slash command.
    pub command: String,
}

/// One line of Home.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HomeEntry {
    /// The text.
    pub text: String,
    /// A second line: who waits, since when, until when.
    pub note: Option<String>,
    /// The address of its message, or of its page.
    pub link: Option<String>,
    /// The thread whose remembered choice a button clears, `C1:17.004`.
    pub clear: Option<String>,
}

/// The most lines of each part.
const MOST: usize = 25;

/// Renders Home.
#[must_use]
pub fn home(model: &Home, language: Language) -> Value {
    let mut blocks = vec![header(&messages::slack_home_title(language))];
    if model.waiting.is_empty() {
        let mut text = Rich::default();
        text.push(Style::Plain, &messages::slack_home_nothing(language));
        blocks.extend(text.blocks());
    }
    push(&mut blocks, &model.waiting, language);
    for (title, entries) in [
        (messages::slack_home_modes(language), &model.modes),
        (messages::slack_home_threads(language), &model.threads),
    ] {
        if !entries.is_empty() {
            blocks.push(json!({"type": "divider"}));
            blocks.push(header(&title));
            push(&mut blocks, entries, language);
        }
    }
    blocks.push(json!({"type": "divider"}));
    let help = inert(&messages::slack_home_help(language, &model.command));
    blocks.push(json!({"type": "context", "elements": [{"type": "mrkdwn", "text": help, "verbatim": true}]}));
    blocks.truncate(VIEW_BLOCKS);
    json!({"type": "home", "blocks": blocks})
}

fn header(text: &str) -> Value {
    json!({"type": "header", "text": plain(text, 150)})
}

fn push(blocks: &mut Vec<Value>, entries: &[HomeEntry], language: Language) {
    for entry in entries.iter().take(MOST) {
        let lines: Vec<&str> =
            [Some(entry.text.as_str()), entry.note.as_deref()].into_iter().flatten().collect();
        let mut text = json!({"type": "section", "text": plain(&lines.join("\n"), 2_900)});
        if let Some(thread) = &entry.clear {
            text["accessory"] = json!({"type": "button", "action_id": format!("{CLEARS}{}", blocks.len()),
                "value": thread, "text": plain(&messages::slack_home_clear(language), 75)});
        } else if let Some(link) = entry.link.as_ref().filter(|link| link.chars().count() <= 3_000) {
            text["accessory"] = json!({"type": "button", "action_id": format!("tl.open.{}", blocks.len()), "url": link,
                "text": plain(&messages::slack_home_open(language), 75)});
        }
        blocks.push(text);
    }
    if entries.len() > MOST {
        let more = messages::slack_more_items(language, entries.len() - MOST);
        blocks.push(json!({"type": "section", "text": plain(&more, 150)}));
    }
}
