//! Reads typed lines. A line is text unless it begins with `:` and reads like a command, so that `:)` and
//! `:thumbsup:` can be sent; a line that begins with a blank is always text.

use std::collections::BTreeMap;

/// The text that `:help` prints.
pub const HELP: &str = "\
:1                      press button 1 of the newest card
:2.1                    press button 1 of card 2
:2 title=New; risks=    send the form of button 2: fields by name, an empty one is cleared;
                        \\; is a semicolon and \\n a line break inside a field
:why                    why the last turn did what it did (:why TURN for another)
:help  :quit            this text, and good-bye
/maro …                 a command for the assistant; anything else is a message to it";

/// A typed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A message, commands of the engine (`/maro …`) included.
    Text(String),
    /// Press a button.
    Press {
        /// The card's number in this chat; `None` is the newest.
        card: Option<usize>,
        /// The button's number on it, from 1.
        button: usize,
    },
    /// Send the form a button opens.
    Form {
        /// The card's number in this chat; `None` is the newest.
        card: Option<usize>,
        /// The button's number on it, from 1.
        button: usize,
        /// The values by field name.
        values: BTreeMap<String, String>,
    },
    /// Explain a turn; `None` is the last one.
    Why(Option<String>),
    /// Show [`HELP`].
    Help,
    /// Leave.
    Quit,
    /// Nothing was typed.
    Empty,
    /// A command that cannot be done; the sentence says what to type instead.
    Invalid(String),
}

const WORDS: [(&str, Line); 5] = [
    ("why", Line::Why(None)),
    ("help", Line::Help),
    ("quit", Line::Quit),
    ("q", Line::Quit),
    ("exit", Line::Quit),
];

/// Reads a line. Total: every line has a meaning.
#[must_use]
pub fn parse(typed: &str) -> Line {
    let text = typed.trim();
    if text.is_empty() {
        return Line::Empty;
    }
    let ours = typed.strip_prefix(':').map(str::trim_end);
    ours.and_then(|rest| word(rest).or_else(|| press(rest))).unwrap_or_else(|| Line::Text(text.into()))
}

/// Reads `why`, `help`, `quit`, or a word that was surely meant to be one of them.
fn word(rest: &str) -> Option<Line> {
    let (word, argument) =
        rest.split_once(' ').map_or((rest, ""), |(word, argument)| (word, argument.trim()));
    if word.is_empty() || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return None;
    }
    match (WORDS.iter().find(|(known, _)| *known == word), argument) {
        (Some((_, line)), "") => Some(line.clone()),
        (Some((_, Line::Why(None))), turn) => Some(Line::Why(Some(turn.into()))),
        (Some(_), _) => {
            Some(Line::Invalid(format!("“:{word}” stands alone; begin with a blank to say this as text")))
        }
        // One letter is more likely a face (`:p`) than a slip.
        (None, _) if word.len() < 2 => None,
        (None, _) => Some(Line::Invalid(format!(
            "There is no “:{word}”; there are :1, :2.1, :why, :help and :quit. Begin with a blank to say it as text"
        ))),
    }
}

/// Reads `1`, `2.1`, `1 title=New; problem=…`; `None` for text after all.
fn press(rest: &str) -> Option<Line> {
    let (numbers, values) =
        rest.split_once(' ').map_or((rest, ""), |(numbers, values)| (numbers, values.trim()));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (card, button) = match numbers.split_once('.') {
        Some((card, button)) if digits(card) && digits(button) => (Some(card), button),
        None if digits(numbers) => (None, numbers),
        _ => return None,
    };
    let number = |text: &str| text.parse::<usize>().ok().filter(|n| *n > 0);
    let (Some(button), Some(card)) = (number(button), card.map_or(Some(None), |card| number(card).map(Some)))
    else {
        return Some(Line::Invalid(format!(
            "“:{numbers}” is no button: cards and buttons are numbered from 1"
        )));
    };
    if values.is_empty() {
        return Some(Line::Press { card, button });
    }
    Some(match form(values) {
        Ok(values) => Line::Form { card, button, values },
        Err(problem) => Line::Invalid(problem),
    })
}

/// Reads `title=New title; problem=…`. A semicolon ends a field only if another field's name follows.
fn form(text: &str) -> Result<BTreeMap<String, String>, String> {
    let mut values = BTreeMap::new();
    for part in parts(text) {
        let Some((name, value)) = named(part) else {
            return Err(
                "After a button come its fields, like :2 title=New title; problem=What is wrong".into()
            );
        };
        if values.insert(name.to_owned(), unescape(value.trim())).is_some() {
            return Err(format!("The field {name} is there twice"));
        }
    }
    Ok(values)
}

fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    for (at, _) in text.match_indices(';') {
        let backslashes = text[..at].bytes().rev().take_while(|b| *b == b'\\').count();
        if backslashes % 2 == 0 && named(&text[at + 1..]).is_some() {
            parts.push(&text[from..at]);
            from = at + 1;
        }
    }
    let last = text[from..].trim();
    // A semicolon behind the last field is not part of it.
    parts.push(last.strip_suffix(';').filter(|rest| !rest.ends_with('\\')).unwrap_or(last));
    parts
}

fn named(part: &str) -> Option<(&str, &str)> {
    let (name, value) = part.trim().split_once('=')?;
    let name = name.trim_end();
    let sound =
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    sound.then_some((name, value))
}

fn unescape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => out.push('\n'),
                Some(same @ (';' | '\\')) => out.push(same),
                // Anything else was not meant as an escape: a path, a pattern.
                Some(other) => out.extend(['\\', other]),
                None => out.push('\\'),
            },
            (c, false) => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(text: &str) -> Line {
        Line::Text(text.into())
    }

    fn form(card: Option<usize>, button: usize, values: &[(&str, &str)]) -> Line {
        let values = values.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Line::Form { card, button, values }
    }

    #[test]
    fn every_form_of_a_line() {
        let table = [
            ("", Line::Empty),
            ("  \t", Line::Empty),
            ("make a ticket", text("make a ticket")),
            ("approve", text("approve")),
            ("/maro why", text("/maro why")),
            (":1", Line::Press { card: None, button: 1 }),
            (":12 ", Line::Press { card: None, button: 12 }),
            (":2.1", Line::Press { card: Some(2), button: 1 }),
            (":why", Line::Why(None)),
            (":why tn_abc", Line::Why(Some("tn_abc".into()))),
            (":help", Line::Help),
            (":quit", Line::Quit),
            (":q", Line::Quit),
            (":2 title=New title", form(None, 2, &[("title", "New title")])),
            (
                ":2 title=New title; problem=It is slow",
                form(None, 2, &[("title", "New title"), ("problem", "It is slow")]),
            ),
            (":3.2 title=a=b;risks=;", form(Some(3), 2, &[("title", "a=b"), ("risks", "")])),
            (
                ":2 problem=slow; very slow; title=x",
                form(None, 2, &[("problem", "slow; very slow"), ("title", "x")]),
            ),
            (r":2 problem=a\; title=b", form(None, 2, &[("problem", "a; title=b")])),
            (r":2 acceptance=one\ntwo", form(None, 2, &[("acceptance", "one\ntwo")])),
            (r":2 problem=C:\temp\\new\;", form(None, 2, &[("problem", r"C:\temp\new;")])),
        ];
        for (typed, line) in table {
            assert_eq!(parse(typed), line, "{typed}");
        }
    }

    #[test]
    fn what_only_looks_like_ours_is_text() {
        for typed in [
            ":)",
            ":-(",
            ":thumbsup:",
            ":D",
            ":p",
            ":",
            ": 1",
            ":10:30 works for me",
            ":1.2.3",
            ":1a",
            "::1",
            "a :1",
        ] {
            assert_eq!(parse(typed), text(typed), "{typed}");
        }
        assert_eq!(parse(" :1"), text(":1"), "a blank in front makes it text");
    }

    #[test]
    fn what_was_meant_for_us_and_cannot_be_done_says_what_to_type() {
        let table = [
            (":0", "numbered from 1"),
            (":0.1", "numbered from 1"),
            (":1.0", "numbered from 1"),
            (":99999999999999999999999", "numbered from 1"),
            (":wyh", ":why"),
            (":approve", ":1"),
            (":quit now", "stands alone"),
            (":1 please", "title="),
            (":1 =x", "title="),
            (":1 title=a; title=b", "twice"),
        ];
        for (typed, said) in table {
            let Line::Invalid(sentence) = parse(typed) else { panic!("{typed}: {:?}", parse(typed)) };
            assert!(sentence.contains(said), "{typed}: {sentence}");
        }
    }

    proptest! {
        #[test]
        fn any_line_is_something(typed in any::<String>()) {
            let _ = parse(&typed);
        }

        #[test]
        fn near_commands_are_no_panic(typed in ":[0-9.a-z =;\\\\n]{0,30}") {
            let _ = parse(&typed);
        }

        #[test]
        fn no_text_is_ever_a_press(typed in "[^:].*") {
            prop_assert!(matches!(parse(&typed), Line::Text(_) | Line::Empty));
        }
    }
}
