//! The table of README.md: every cell is read, and an empty one has no words to read with.

use throughline_language::intent::rules::rule;
use throughline_language::reference::reference;
use throughline_language::{
    Context, Expected, Language, Languages, Value, Words, affirms, correction, interrupt, is_acknowledgement,
    is_greeting, read,
};

const README: &str = include_str!("../README.md");

/// Wednesday, 14 January 2026, 10:00 UTC.
const NOW_MS: i64 = 1_768_384_800_000;

/// Returns the value that a row of the table finds in a message, as the table writes it.
fn found(reader: &str, message: &Words) -> Option<String> {
    let yes = |found: bool| found.then(|| "yes".to_owned());
    let context = Context::at(NOW_MS, 0);
    match reader {
        "interrupt" => interrupt(message).map(|interrupt| interrupt.as_str().to_owned()),
        "is_greeting" => yes(is_greeting(message)),
        "is_acknowledgement" => yes(is_acknowledgement(message, &context)),
        "affirms" => yes(affirms(message)),
        "correction" => correction(message).map(|correction| correction.value.text().to_owned()),
        "intent::rules::rule" => rule(message).map(|ruling| ruling.rule.to_owned()),
        "reference" => Some(reference(message).need.as_str().to_owned()),
        expected => {
            let expected: Expected = expected.replace('\\', "").parse().unwrap();
            read(&expected, message, &context).ok().map(|answer| match answer.value {
                Value::Money(money) => [money.amount, money.currency.unwrap_or_default()].join(" "),
                value => value.text().to_owned(),
            })
        }
    }
}

#[test]
fn every_cell_of_the_table_is_read() {
    let header = README.lines().find(|line| line.starts_with("| |")).unwrap();
    let columns: Vec<Language> =
        header.split('`').skip(1).step_by(2).map(|code| code.parse().unwrap()).collect();
    let rows = README.lines().filter(|line| line.starts_with("| `"));
    let mut wrong = Vec::new();
    let mut types = 0;
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [reader, cells @ ..] = cells.as_slice() else { panic!("{row}") };
        let reader = reader.trim_matches('`');
        assert_eq!(cells.len(), columns.len(), "{row}");
        for (&language, cell) in columns.iter().zip(cells) {
            let expected: Option<Expected> = reader.replace('\\', "").parse().ok();
            if let Some(expected) = &expected {
                types += 1;
                assert_eq!(language.reads(expected), *cell != "–", "{language}: {row}");
            }
            if *cell == "–" {
                continue;
            }
            let (text, value) = cell.split_once(" → ").unwrap();
            let (text, value) = (text.trim_matches('"'), value.trim_matches('`'));
            for languages in [Languages::preferring(language.code()), Languages::only(&[language])] {
                let read = found(reader, &Words::new(text, languages));
                if read.as_deref() != Some(value) {
                    wrong.push(format!("{reader} {languages:?} {text}: {read:?}, not {value}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let every: Vec<Expected> = Expected::words().map(|word| word.parse().unwrap()).collect();
    assert_eq!(types, (every.len() + 2) * columns.len(), "every type has a row");
    for language in Language::all().filter(|language| !columns.contains(language)) {
        let reads = every.iter().filter(|expected| language.reads(expected)).count();
        assert!(reads <= 5, "{language} reads {reads} types and has no column");
    }
}
