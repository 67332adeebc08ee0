//! A YAML value with its path, so that every error can name its line.

use serde_json::Value as Json;
use serde_yaml_ng::Value;

use super::{ParseError, locate::locate};

/// The text being read.
pub(super) struct Source<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum At {
    Key(String),
    Item(usize),
}

/// A value and its path.
#[derive(Clone)]
pub(super) struct Node<'a> {
    source: &'a Source<'a>,
    value: &'a Value,
    path: Vec<At>,
}

/// A map whose fields are taken one by one; a field nobody took is an error.
pub(super) struct Fields<'a> {
    node: Node<'a>,
    entries: Vec<(String, Node<'a>)>,
    known: Vec<&'static str>,
}

type Read<T> = Result<T, ParseError>;

impl<'a> Node<'a> {
    pub(super) fn root(source: &'a Source<'a>, value: &'a Value) -> Self {
        Self { source, value, path: Vec::new() }
    }

    fn below(&self, at: At, value: &'a Value) -> Self {
        let mut path = self.path.clone();
        path.push(at);
        Self { source: self.source, value, path }
    }

    pub(super) fn line(&self) -> usize {
        locate(self.source.text, &self.path)
    }

    pub(super) fn fail(&self, message: impl Into<String>) -> ParseError {
        ParseError { file: self.source.file.into(), line: self.line(), message: message.into() }
    }

    fn wants(&self, what: &str) -> ParseError {
        let place = match self.path.last() {
            Some(At::Key(key)) => format!("`{key}`"),
            Some(At::Item(n)) => format!("entry {}", n + 1),
            None => "the file".into(),
        };
        let is = match self.value {
            Value::Null => "empty",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "text",
            Value::Sequence(_) => "a list",
            Value::Mapping(_) => "a map",
            Value::Tagged(_) => "a tagged value",
        };
        self.fail(format!("{place} must be {what}, and is {is}"))
    }

    pub(super) fn is_map(&self) -> bool {
        self.value.is_mapping()
    }

    pub(super) fn is_list(&self) -> bool {
        self.value.is_sequence()
    }

    /// Returns true for null, an empty list and an empty map.
    pub(super) fn is_empty(&self) -> bool {
        match self.value {
            Value::Null => true,
            Value::Sequence(list) => list.is_empty(),
            Value::Mapping(map) => map.is_empty(),
            _ => false,
        }
    }

    pub(super) fn map(&self) -> Read<Fields<'a>> {
        let Value::Mapping(map) = self.value else { return Err(self.wants("a map")) };
        let mut entries = Vec::new();
        for (key, value) in map {
            let key = scalar(key).ok_or_else(|| self.fail("a key must be a word"))?;
            entries.push((key.clone(), self.below(At::Key(key), value)));
        }
        Ok(Fields { node: self.clone(), entries, known: Vec::new() })
    }

    pub(super) fn list(&self) -> Read<Vec<Self>> {
        let Value::Sequence(list) = self.value else { return Err(self.wants("a list")) };
        Ok(list.iter().enumerate().map(|(n, value)| self.below(At::Item(n), value)).collect())
    }

    /// Returns the items of a list, or the value itself as the only item.
    pub(super) fn one_or_more(&self) -> Read<Vec<Self>> {
        if self.is_list() { self.list() } else { Ok(vec![self.clone()]) }
    }

    /// Returns text. Numbers and booleans count as they are written.
    pub(super) fn text(&self) -> Read<String> {
        let text = scalar(self.value).ok_or_else(|| self.wants("text"))?;
        // A block scalar ends with a line break that is not part of the text.
        Ok(text.strip_suffix('\n').map_or_else(|| text.clone(), Into::into))
    }

    pub(super) fn flag(&self) -> Read<bool> {
        self.value.as_bool().ok_or_else(|| self.wants("true or false"))
    }

    pub(super) fn count(&self) -> Read<u32> {
        let count = self.value.as_u64().and_then(|n| u32::try_from(n).ok());
        count.ok_or_else(|| self.wants("a whole number"))
    }

    /// Parses text that must be one of a closed set; `what` names the set in the error.
    pub(super) fn one_of<T>(&self, what: &str, read: impl Fn(&str) -> Option<T>, all: &[&str]) -> Read<T> {
        let word = self.text()?;
        read(&word).ok_or_else(|| self.fail(format!("`{word}` is not {what}{}", suggest(&word, all))))
    }

    pub(super) fn json(&self) -> Read<Json> {
        serde_json::to_value(self.value).map_err(|_| self.wants("plain data"))
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

impl<'a> Fields<'a> {
    pub(super) fn opt(&mut self, key: &'static str) -> Option<Node<'a>> {
        self.known.push(key);
        let at = self.entries.iter().position(|(name, _)| name == key)?;
        Some(self.entries.remove(at).1)
    }

    pub(super) fn need(&mut self, key: &'static str) -> Read<Node<'a>> {
        self.opt(key).ok_or_else(|| self.node.fail(format!("`{key}` is missing")))
    }

    pub(super) fn opt_text(&mut self, key: &'static str) -> Read<Option<String>> {
        self.opt(key).map(|node| node.text()).transpose()
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|(name, _)| name == key)
    }

    /// Returns the remaining fields, for maps whose keys are names.
    pub(super) fn rest(self) -> Vec<(String, Node<'a>)> {
        self.entries
    }

    /// Ends the map. A field that nobody took is an error that suggests the nearest known key.
    pub(super) fn finish(self) -> Read<()> {
        let Some((key, node)) = self.entries.first() else { return Ok(()) };
        Err(node.fail(format!("unknown key `{key}`{}", suggest(key, &self.known))))
    }
}

/// Returns `: did you mean …?`, or lists the whole set when it is small.
pub(super) fn suggest(word: &str, all: &[&str]) -> String {
    let near = |known: &&&str| distance(word, known);
    match all.iter().min_by_key(near) {
        Some(best) if distance(word, best) <= 1 + best.chars().count() / 3 => {
            format!(": did you mean `{best}`?")
        }
        Some(_) if all.len() <= 24 => format!("; known are {}", all.join(", ")),
        _ => String::new(),
    }
}

/// Returns the number of single edits (insert, delete, replace, swap of neighbours) between two words, ignoring case.
fn distance(a: &str, b: &str) -> usize {
    strsim::osa_distance(&a.to_lowercase(), &b.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_the_nearest_word() {
        assert_eq!(suggest("efects", &["effects", "card"]), ": did you mean `effects`?");
        assert_eq!(suggest("crad", &["effects", "card"]), ": did you mean `card`?");
        assert_eq!(suggest("banana", &["effects", "card"]), "; known are effects, card");
        assert_eq!((distance("", "abc"), distance("abc", "abc"), distance("ab", "ba")), (3, 0, 1));
    }
}
