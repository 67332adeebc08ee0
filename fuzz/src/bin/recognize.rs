//! Any text, as an answer to any type of question: nothing panics, and a match lies within the text.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use throughline_language::{self as language, Context, Expected, Words};

/// Every type, with options where it takes some.
static TYPES: LazyLock<Vec<Expected>> = LazyLock::new(|| {
    let names = [
        "boolean",
        "time",
        "date",
        "datetime",
        "duration",
        "number",
        "money",
        "email",
        "phone",
        "url",
        "person",
        "location",
        "text",
        "selection:weather|email the plan|the third",
        "one_of:small|large",
    ];
    names.iter().filter_map(|name| name.parse().ok()).collect()
});

fuzz_target!(|text: &str| {
    let words = Words::of(text);
    let context = Context::default();
    let _ = (
        language::interrupt(&words),
        language::is_greeting(&words),
        language::is_acknowledgement(&words, &context),
    );
    for expected in TYPES.iter() {
        let first = language::read(expected, &words, &context);
        assert_eq!(
            first,
            language::read(expected, &words, &context),
            "{expected}: the same text, the same answer"
        );
        if let Ok(found) = first {
            assert!(!found.value.text().is_empty(), "{expected}: an answer that says nothing");
        }
        let _ = language::find(expected, &words, &context);
    }
});
