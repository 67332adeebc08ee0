//! The menu of commands that Telegram offers behind the slash, in every language.

use serde_json::{Value, json};
use throughline_messages::{self as messages, Language};

use super::outbound::Call;

/// The languages of the menu, by Telegram's codes. The first has no code: it is for everybody without one of the
/// others.
pub const LANGUAGES: [&str; 2] = ["", "de"];

/// A message without values.
type Message = fn(Language) -> String;

/// The commands in the menu and their descriptions.
const MENU: [(&str, Message); 7] = [
    ("help", messages::telegram_menu_help),
    ("ticket", messages::telegram_menu_ticket),
    ("status", messages::telegram_menu_status),
    ("pending", messages::telegram_menu_pending),
    ("why", messages::telegram_menu_why),
    ("forget", messages::telegram_menu_forget),
    ("stop", messages::telegram_menu_stop),
];

/// The menu in a language, in the form of the Bot API.
#[must_use]
pub fn menu(language: &str) -> Value {
    let spoken = Language::of(language).unwrap_or_default();
    MENU.iter().map(|(command, about)| json!({"command": command, "description": about(spoken)})).collect()
}

/// Asks for the current menu.
#[must_use]
pub fn get_my_commands(language: &str) -> Call {
    Call { method: "getMyCommands", body: of(language) }
}

/// Sets the menu.
#[must_use]
pub fn set_my_commands(language: &str) -> Call {
    let mut body = of(language);
    body["commands"] = menu(language);
    Call { method: "setMyCommands", body }
}

fn of(language: &str) -> Value {
    if language.is_empty() { json!({}) } else { json!({"language_code": language}) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Bot API's limits: 100 commands, names of 32 characters, descriptions of 256.
    #[test]
    fn every_menu_is_inside_telegrams_limits() {
        assert!(MENU.len() <= 100);
        for (command, about) in MENU {
            let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            assert!(command.len() <= 32 && command.chars().all(allowed), "{command}");
            for language in Language::ALL {
                let about = about(language);
                assert!((1..=256).contains(&about.encode_utf16().count()), "{command} in {language:?}");
            }
        }
    }

    #[test]
    fn every_language_with_a_catalogue_has_a_menu() {
        for language in Language::ALL {
            assert_eq!(LANGUAGES.contains(&language.code()), language != Language::En, "{language:?}");
        }
    }

    #[test]
    fn a_language_has_words_of_its_own() {
        assert_eq!(menu("de")[0], json!({"command": "help", "description": "Was ich kann"}));
        assert_eq!(menu("")[0]["description"], "What I can do");
        assert_eq!(set_my_commands("de").body["language_code"], "de");
        assert_eq!(get_my_commands("").body, json!({}));
    }
}
