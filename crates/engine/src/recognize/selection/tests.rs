//! What picks an option, and what picks none.

use crate::recognize::{Expected, Match, Value, matches};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

fn pick(options: &str, text: &str) -> Option<String> {
    let options: Vec<String> = options.split('|').map(ToString::to_string).collect();
    match matches(&Expected::Selection(options), text) {
        Ok(Match { value: Value::Selection(label), .. }) => Some(label),
        _ => None,
    }
}

#[test]
fn one_option() {
    for (options, text, expected) in [
        ("A|B", "A", "A"),
        ("A|B", "b.", "B"),
        ("A|B", "option B please", "B"),
        ("A|B", "the second", "B"),
        ("A|B|C", "second one", "B"),
        ("A|B|C", "the last one", "C"),
        ("A|B|C", "#2", "B"),
        ("A|B|C", "option 3", "C"),
        ("A|B|C", "number two, thanks", "B"),
        ("Login bug|Payment timeout|Dark mode", "b", "Payment timeout"),
        ("Login bug|Payment timeout|Dark mode", "dark mode", "Dark mode"),
        ("Login bug|Payment timeout|Dark mode", "the payment one", "Payment timeout"),
        ("Login bug|Payment timeout|Dark mode", "Let's go with login", "Login bug"),
        ("10|20|30", "20", "20"),
        ("checking|savings", "From my savings, please", "savings"),
        ("cheap|moderate|expensive", "moderately priced", "moderate"),
        ("continue|cancel", "2", "cancel"),
        ("Hellboy|Dumbo", "Hellboy sounds good. That's all I need for now.", "Hellboy"),
    ] {
        assert_eq!(pick(options, text).as_deref(), Some(expected), "{options}: {text}");
    }
}

#[test]
fn none_or_two() {
    for (options, text) in [
        ("A|B", "A or B"),
        ("A|B", "a and b"),
        ("A|B", "C"),
        ("A|B", "the fifth"),
        ("A|B", "not A"),
        ("A|B", "thanks"),
        ("A|B", "a table for two"),
        ("continue|cancel", "cancel"),
        ("Login bug|Login page", "login"),
        ("Login bug|Payment timeout|Dark mode", "how long has the payment timeout been broken?"),
        ("Login bug|Payment timeout|Dark mode", "login bug or dark mode"),
        ("Login bug|Payment timeout|Dark mode", "write an email about the login bug"),
        ("Rob Roy|Dog Boy", "not the one about the boy"),
        ("Mobile|Home", "neither"),
    ] {
        assert_eq!(pick(options, text), None, "{options}: {text}");
    }
}
