//! Gold values: an answer is right if it equals any of the accepted forms.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;
use throughline_language::Value as Read;

/// The accepted forms of a value. `dontcare` means there is no value to compare.
const FORMS: [&str; 9] =
    ["canonical", "surface", "spans", "time", "date", "datetime", "number", "ordinal", "ordinal_relative"];

/// The `gold_value` of a case.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct GoldValue(BTreeMap<String, Value>);

/// An answer in the words of the predictions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken<'a> {
    /// The value of a yes or no.
    pub(crate) boolean: Option<bool>,
    /// The value of anything else.
    pub(crate) text: Option<Cow<'a, str>>,
}

impl<'a> Taken<'a> {
    /// Converts a value that the engine read.
    pub(crate) fn of(value: &'a Read) -> Self {
        match value {
            Read::Boolean(yes) => Self { boolean: Some(*yes), text: None },
            // The data separates date and time by a blank.
            Read::DateTime(moment) => Self { boolean: None, text: Some(moment.is.replace('T', " ").into()) },
            other => Self { boolean: None, text: Some(other.text().into()) },
        }
    }
}

impl GoldValue {
    /// Returns the right answer to a yes-or-no question.
    pub(crate) fn boolean(&self, expected: &str) -> Option<bool> {
        if let Some(value) = self.0.get("boolean").and_then(Value::as_bool) {
            return Some(value);
        }
        let first = self.0.get("canonical").and_then(|canonical| canonical.get(0));
        first.filter(|_| expected == "boolean").map(|value| value == "True")
    }

    /// Returns true if the answer is right; `None` if there is nothing to compare.
    pub(crate) fn is(&self, expected: &str, taken: Taken<'_>) -> Option<bool> {
        if let Some(right) = self.boolean(expected).filter(|_| expected == "boolean") {
            return Some(taken.boolean == Some(right));
        }
        let forms = self.forms(expected);
        let fits = |text: &str| {
            let text = normal(text);
            forms.contains(&text) || forms.contains(without_seconds(&text))
        };
        (!forms.is_empty()).then(|| taken.text.as_deref().is_some_and(fits))
    }

    /// Returns the first canonical form.
    pub(crate) fn canonical(&self) -> Option<String> {
        self.0.get("canonical").and_then(|canonical| canonical.get(0)).map(text)
    }

    /// Formats the accepted forms.
    pub(crate) fn describe(&self) -> String {
        let mut shown: Vec<String> = self.0.get("boolean").map(text).into_iter().collect();
        for form in FORMS.iter().filter_map(|name| self.0.get(*name)).flat_map(items).map(text) {
            if !shown.contains(&form) {
                shown.push(form);
            }
        }
        shown.join(" | ")
    }

    fn forms(&self, expected: &str) -> BTreeSet<String> {
        let mut forms = BTreeSet::new();
        for value in FORMS.iter().filter_map(|name| self.0.get(*name)).flat_map(items) {
            if value == "dontcare" {
                return BTreeSet::new();
            }
            let form = normal(&text(value));
            if form.matches(':').count() == 2 {
                forms.insert(without_seconds(&form).to_owned());
            }
            if expected == "money" {
                forms.insert(form.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect());
            }
            forms.insert(form);
        }
        forms.remove("");
        forms
    }
}

fn items(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Null => Vec::new(),
        one => vec![one],
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Normalises text: lower case, single blanks, ASCII letters, digits and the signs of times and dates.
fn normal(text: &str) -> String {
    let spaced: Vec<&str> = text.split_whitespace().collect();
    let lower = spaced.join(" ").to_lowercase();
    let kept: String =
        lower.chars().filter(|c| matches!(c, 'a'..='z' | '0'..='9' | ':' | '.' | ' ' | '-')).collect();
    kept.trim_matches([' ', '.']).to_owned()
}

fn without_seconds(text: &str) -> &str {
    text.strip_suffix(":00").unwrap_or(text)
}

/// Words that name nothing.
const IDLE: [&str; 9] = ["the", "a", "an", "of", "and", "in", "or", "to", "for"];
/// Endings that leave a word the same.
const ENDINGS: [&str; 7] = ["ings", "ing", "ies", "ed", "es", "s", "y"];

/// Returns true if a text has a word of the option it means, but for its ending: "concert" shares none with "Music".
pub(crate) fn shares(option: &str, text: &str) -> bool {
    let option = stems(option);
    stems(text).iter().any(|word| option.contains(word))
}

fn stems(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let stem = |word: String| {
        let ending = ENDINGS.iter().find(|ending| word.ends_with(**ending)).map_or(0, |ending| ending.len());
        word[..word.len() - ending].to_owned()
    };
    words.filter(|word| !word.is_empty() && !IDLE.contains(&word.as_str())).map(stem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn gold(value: Value) -> GoldValue {
        serde_json::from_value(value).unwrap()
    }

    fn text(text: &str) -> Taken<'_> {
        Taken { boolean: None, text: Some(text.into()) }
    }

    #[test]
    fn any_accepted_form_counts() {
        let date = gold(json!({ "canonical": ["2019-03-12"], "surface": ["the 12th"], "spans": [] }));
        for (taken, right) in [("2019-03-12", true), ("The 12th.", true), ("12", false), ("", false)] {
            assert_eq!(date.is("date", text(taken)), Some(right), "{taken}");
        }
        assert_eq!(date.is("date", Taken::default()), Some(false), "nothing was taken");
        let time = gold(json!({ "time": ["19:00:00"] }));
        assert_eq!(time.is("time", text("19:00")), Some(true));
        assert_eq!(time.is("time", text("19:00:00")), Some(true));
        assert_eq!(time.is("time", text("19:00:05")), Some(false));
        let number = gold(json!({ "number": "3" }));
        assert_eq!(number.is("number", text("3")), Some(true));
        let money = gold(json!({ "canonical": ["$1,250"] }));
        assert_eq!(money.is("money", text("1250")), Some(true));
        assert_eq!(money.is("money", text("125")), Some(false));
    }

    #[test]
    fn yes_and_no_are_compared_as_such() {
        let yes = |right| Taken { boolean: Some(right), text: None };
        for value in [json!({ "boolean": true }), json!({ "canonical": ["True"], "surface": ["sure"] })] {
            let value = gold(value);
            assert_eq!(value.is("boolean", yes(true)), Some(true));
            assert_eq!(value.is("boolean", yes(false)), Some(false));
            assert_eq!(value.is("boolean", Taken::default()), Some(false));
        }
        assert_eq!(gold(json!({ "canonical": ["True"] })).boolean("text"), None);
    }

    #[test]
    fn some_answers_have_no_value() {
        for value in [json!({}), json!({ "canonical": ["dontcare"] }), json!({ "canonical": ["!"] })] {
            assert_eq!(gold(value).is("text", text("anything")), None);
        }
        assert_eq!(gold(json!({ "canonical": ["a", "b"], "spans": ["a"] })).describe(), "a | b");
    }

    #[test]
    fn an_option_is_named_by_a_word_or_by_a_synonym() {
        for (option, text, shared) in [
            ("Live Music", "something with music please", true),
            ("Music", "a concert", false),
            ("Parks", "the park", true),
            ("The Ritz", "the other one", false),
            ("Straße", "eine straße", true),
        ] {
            assert_eq!(shares(option, text), shared, "{option} – {text}");
        }
    }
}
