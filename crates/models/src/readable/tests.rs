//! Generated answers, cut everywhere.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// Reads an answer that comes in these parts.
fn read(of: Readable, parts: &[&[u8]]) -> String {
    let mut reader = ReadableText::new(of);
    let mut words = String::new();
    for part in parts {
        reader.push(part);
        words += &reader.take();
    }
    words
}

fn of_text(raw: &str) -> String {
    read(Readable::Text, &[raw.as_bytes()])
}

#[test]
fn what_people_read_is_told_and_nothing_else() {
    let table = [
        (
            Readable::Text,
            json!({"facts": [{"text": "no", "type": "decision"}], "text": "Yes.\nNo.", "why": "x"}),
            "Yes.\nNo.\n",
        ),
        (Readable::Text, json!({"answer": {"text": "deep"}, "text": 7}), ""),
        (
            Readable::Items,
            json!({"items": [{"type": "bug", "title": "Login fails", "problem": null, "acceptance": ["a", "b"],
                "project": "EVIL", "labels": "x", "evidence": "m_1_0", "assignee": "eve"}]}),
            "- a\n- b\nLogin fails\n",
        ),
        (Readable::Items, json!({"title": "One", "type": "task"}), "One\n"),
        (
            Readable::Review,
            json!({"kind": "security", "topic": "Login", "summary": "Sound.", "risks": ["none"]}),
            "- none\nSound.\nLogin\n",
        ),
        (Readable::Points, json!({"changes": ["a"], "text": "no", "topic": "no"}), "- a\n"),
        (
            Readable::Changes,
            json!({"changes": [{"item": "i1", "field": "title", "text": "Login"}], "text": "no"}),
            "Login\n",
        ),
    ];
    for (of, answer, expected) in table {
        let lines = |text: &str| {
            let mut lines: Vec<String> = text.lines().map(Into::into).collect();
            lines.sort();
            lines
        };
        assert_eq!(lines(&read(of, &[answer.to_string().as_bytes()])), lines(expected), "{answer}");
    }
}

#[test]
fn what_is_no_answer_is_not_read_on() {
    for (raw, expected) in [
        ("Sure: {\"text\":\"x\"}", ""),
        ("[{\"text\":\"x\"}]", ""),
        ("```json\n{\"text\":\"x\"}\n```", "x\n"),
        ("{\"text\":\"x\"} {\"text\":\"y\"}", "x\n"),
        ("{\"text\":\"x\\q y\"}", "x"),
        ("{\"text\":\"x\ny\"}", "x"),
        ("{\"text\":\"x\\ud800 y\"}", "x"),
        ("{\"text\":\"x\\udc00 y\"}", "x"),
        ("{\"text\":\"x\\ud83d\\n\"}", "x"),
        ("{\"text\":\"x\\ud83d\\ude00\"}", "x😀\n"),
        ("{'text':'x'}", ""),
        ("{\"text\":[\"x\"]}", "- x\n"),
        ("{\"text\":\"x\"]", "x\n"),
        ("", ""),
    ] {
        assert_eq!(of_text(raw), expected, "{raw}");
    }
    let deep = format!("{}\"text\":\"x\"", "{\"a\":".repeat(5_000));
    assert_eq!(of_text(&deep), "");
}

/// Writes a text as JSON, with each character escaped in one of the ways that there are.
fn written(text: &str, how: &[u8]) -> String {
    let mut out = String::from("\"");
    for (at, c) in text.chars().enumerate() {
        match how.get(at % how.len().max(1)).copied().unwrap_or_default() {
            0 if !c.is_control() && !matches!(c, '"' | '\\') => out.push(c),
            1 => {
                let units = c.encode_utf16(&mut [0; 2]).to_vec();
                units.iter().for_each(|unit| out += &format!("\\u{unit:04X}"));
            }
            _ => {
                let quoted = json!(c.to_string()).to_string();
                out += &quoted[1..quoted.len() - 1];
            }
        }
    }
    out.push('"');
    out
}

proptest! {
    #[test]
    fn any_text_is_read_wherever_it_is_cut(text in any::<String>(), how in prop::collection::vec(0u8..3, 1..9)) {
        let raw = format!("{{\"facts\": [], \"text\" : {}}}", written(&text, &how));
        let value: Value = serde_json::from_str(&raw).unwrap();
        prop_assert_eq!(value["text"].as_str(), Some(text.as_str()), "the test writes JSON");
        let whole = text + "\n";
        for cut in 0..=raw.len() {
            let (one, other) = raw.as_bytes().split_at(cut);
            prop_assert_eq!(&read(Readable::Text, &[one, other]), &whole);
            prop_assert!(whole.starts_with(&read(Readable::Text, &[one])));
        }
        let bytes: Vec<&[u8]> = raw.as_bytes().chunks(1).collect();
        prop_assert_eq!(&read(Readable::Text, &bytes), &whole);
    }

    /// Whatever is read of a text that is no answer is read of each beginning of it, too, and is in it.
    #[test]
    fn any_bytes_are_read_alike(raw in "[{}\\[\\]:,\"\\\\untexcags 0-9\u{e9}\u{1f600}]{0,40}") {
        let whole = of_text(&raw);
        for cut in 0..=raw.len() {
            let (one, other) = raw.as_bytes().split_at(cut);
            prop_assert_eq!(&read(Readable::Text, &[one, other]), &whole);
        }
    }
}
