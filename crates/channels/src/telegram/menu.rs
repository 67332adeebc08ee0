//! The menu of commands that Telegram offers behind the slash, in every language. The texts are data; a language is
//! one more column.

use serde_json::{Value, json};

use super::outbound::Call;

/// The languages of the menu, by Telegram's codes. The first has no code: it is for everybody without one of the
/// others.
pub const LANGUAGES: [&str; 2] = ["", "de"];

/// The commands in the menu and their descriptions, in the order of [`LANGUAGES`].
const MENU: [(&str, [&str; LANGUAGES.len()]); 7] = [
    ("help", ["What I can do", "Was ich kann"]),
    (
        "ticket",
        ["Draft a ticket: /ticket the login fails", "Ein Ticket entwerfen: /ticket die Anmeldung geht nicht"],
    ),
    ("status", ["What is going on here", "Was hier gerade läuft"]),
    ("pending", ["What waits for an answer or a press", "Was auf eine Antwort oder einen Knopf wartet"]),
    ("why", ["Why I did what I last did", "Warum ich zuletzt getan habe, was ich tat"]),
    ("forget", ["Forget what this chat remembers", "Vergessen, was dieser Chat sich merkt"]),
    ("stop", ["Stop what is running", "Anhalten, was läuft"]),
];

/// The menu in a language, in the form of the Bot API.
#[must_use]
pub fn menu(language: &str) -> Value {
    let column = LANGUAGES.iter().position(|known| *known == language).unwrap_or_default();
    MENU.iter().map(|(command, about)| json!({"command": command, "description": about[column]})).collect()
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
            for (language, about) in LANGUAGES.iter().zip(about) {
                assert!((1..=256).contains(&about.encode_utf16().count()), "{command} in {language:?}");
            }
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
