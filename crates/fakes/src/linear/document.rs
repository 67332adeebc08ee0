//! Documents of GraphQL: operations and fragments, read from their text.

use std::collections::BTreeMap;

use serde_json::Value;

/// The operations and fragments of a text.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) operations: Vec<Operation>,
    pub(super) fragments: BTreeMap<String, Vec<Selection>>,
}

/// An operation.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) mutates: bool,
    pub(super) name: Option<String>,
    pub(super) variables: Vec<Variable>,
    pub(super) selections: Vec<Selection>,
}

/// A declared variable.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    /// True if it has to be given.
    pub(super) required: bool,
    pub(super) default: Option<Input>,
}

/// Something that is asked for.
#[derive(Clone, Debug)]
pub(super) enum Selection {
    Field { alias: String, name: String, arguments: Vec<(String, Input)>, selections: Vec<Selection> },
    Spread(String),
    Inline(Vec<Selection>),
}

/// A value as written.
#[derive(Clone, Debug)]
pub(super) enum Input {
    Variable(String),
    Value(Value),
    List(Vec<Input>),
    Object(Vec<(String, Input)>),
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    /// A number, a text, or a name that stands for a value.
    Value(Value),
    Mark(char),
    Spread,
}

/// Reads a document.
///
/// # Errors
/// Its text is no document; the text says where.
pub(super) fn parse(text: &str) -> Result<Document, String> {
    let mut reader = Reader { tokens: tokens(text)?, at: 0 };
    let mut document = Document::default();
    while let Some(token) = reader.peek() {
        match token {
            Token::Name(word) if word == "fragment" => {
                reader.at += 1;
                let name = reader.name()?;
                reader.word("on")?;
                reader.name()?;
                document.fragments.insert(name, reader.selections()?);
            }
            _ => {
                let operation = reader.operation()?;
                document.operations.push(operation);
            }
        }
    }
    Ok(document)
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            _ if c.is_whitespace() || c == ',' || c == '\u{feff}' => c.len_utf8(),
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '.' if rest.starts_with("...") => {
                found.push(Token::Spread);
                3
            }
            '"' => {
                let (text, length) = string(rest)?;
                found.push(Token::Value(text.into()));
                length
            }
            '{' | '}' | '(' | ')' | '[' | ']' | ':' | '$' | '!' | '=' => {
                found.push(Token::Mark(c));
                1
            }
            _ => {
                let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '.');
                let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
                let word = &rest[..length];
                match word.parse::<serde_json::Number>() {
                    Ok(number) => found.push(Token::Value(number.into())),
                    Err(_) if c.is_ascii_alphabetic() || c == '_' => found.push(Token::Name(word.into())),
                    Err(_) => return Err(format!("Syntax Error: Unexpected character: \"{c}\".")),
                }
                length
            }
        };
        rest = &rest[length..];
    }
    Ok(found)
}

/// Returns a text in quotes, and its length with them.
fn string(rest: &str) -> Result<(String, usize), String> {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => break,
            '"' if !escaped => {
                // Texts are written as those of JSON are.
                let text = serde_json::from_str(&rest[..=at]);
                return text.map(|text| (text, at + 1)).map_err(|error| format!("Syntax Error: {error}"));
            }
            _ => escaped = c == '\\' && !escaped,
        }
    }
    Err("Syntax Error: Unterminated string.".into())
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Result<Token, String> {
        let token = self.tokens.get(self.at).cloned().ok_or("Syntax Error: Unexpected <EOF>.")?;
        self.at += 1;
        Ok(token)
    }

    /// Goes past a mark, if it is the next one.
    fn skip(&mut self, mark: char) -> bool {
        let is = self.peek() == Some(&Token::Mark(mark));
        self.at += usize::from(is);
        is
    }

    fn mark(&mut self, mark: char) -> Result<(), String> {
        if self.skip(mark) { Ok(()) } else { Err(format!("Syntax Error: Expected \"{mark}\".")) }
    }

    fn name(&mut self) -> Result<String, String> {
        match self.next()? {
            Token::Name(name) => Ok(name),
            other => Err(format!("Syntax Error: Expected Name, found {other:?}.")),
        }
    }

    fn word(&mut self, word: &str) -> Result<(), String> {
        if self.name()? == word { Ok(()) } else { Err(format!("Syntax Error: Expected \"{word}\".")) }
    }

    fn operation(&mut self) -> Result<Operation, String> {
        if self.peek() == Some(&Token::Mark('{')) {
            let selections = self.selections()?;
            return Ok(Operation { mutates: false, name: None, variables: Vec::new(), selections });
        }
        let mutates = match self.name()?.as_str() {
            "query" => false,
            "mutation" => true,
            other => return Err(format!("Syntax Error: Unexpected Name \"{other}\".")),
        };
        let name = if matches!(self.peek(), Some(Token::Name(_))) { Some(self.name()?) } else { None };
        let mut variables = Vec::new();
        if self.skip('(') {
            while !self.skip(')') {
                self.mark('$')?;
                let name = self.name()?;
                self.mark(':')?;
                let required = self.kind()?;
                let default = if self.skip('=') { Some(self.input()?) } else { None };
                variables.push(Variable { name, required, default });
            }
        }
        Ok(Operation { mutates, name, variables, selections: self.selections()? })
    }

    /// Goes past a type; returns true if it takes no null.
    fn kind(&mut self) -> Result<bool, String> {
        if self.skip('[') {
            self.kind()?;
            self.mark(']')?;
        } else {
            self.name()?;
        }
        Ok(self.skip('!'))
    }

    fn selections(&mut self) -> Result<Vec<Selection>, String> {
        self.mark('{')?;
        let mut found = Vec::new();
        while !self.skip('}') {
            found.push(self.selection()?);
        }
        if found.is_empty() { Err("Syntax Error: Expected Name, found \"}\".".into()) } else { Ok(found) }
    }

    fn selection(&mut self) -> Result<Selection, String> {
        if self.peek() == Some(&Token::Spread) {
            self.at += 1;
            return match self.peek() {
                Some(Token::Name(word)) if word == "on" => {
                    self.at += 1;
                    self.name()?;
                    Ok(Selection::Inline(self.selections()?))
                }
                _ => Ok(Selection::Spread(self.name()?)),
            };
        }
        let first = self.name()?;
        let (alias, name) = if self.skip(':') { (first, self.name()?) } else { (first.clone(), first) };
        let mut arguments = Vec::new();
        if self.skip('(') {
            while !self.skip(')') {
                let name = self.name()?;
                self.mark(':')?;
                arguments.push((name, self.input()?));
            }
        }
        let selections = if self.peek() == Some(&Token::Mark('{')) { self.selections()? } else { Vec::new() };
        Ok(Selection::Field { alias, name, arguments, selections })
    }

    fn input(&mut self) -> Result<Input, String> {
        match self.next()? {
            Token::Value(value) => Ok(Input::Value(value)),
            Token::Name(name) => Ok(Input::Value(match name.as_str() {
                "true" => true.into(),
                "false" => false.into(),
                "null" => Value::Null,
                other => other.into(),
            })),
            Token::Mark('$') => Ok(Input::Variable(self.name()?)),
            Token::Mark('[') => {
                let mut items = Vec::new();
                while !self.skip(']') {
                    items.push(self.input()?);
                }
                Ok(Input::List(items))
            }
            Token::Mark('{') => {
                let mut members = Vec::new();
                while !self.skip('}') {
                    let name = self.name()?;
                    self.mark(':')?;
                    members.push((name, self.input()?));
                }
                Ok(Input::Object(members))
            }
            other => Err(format!("Syntax Error: Unexpected {other:?}.")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_clients_write() {
        let text = r#"
            # A comment.
            query Two($id: String!, $first: Int = 5, $names: [String!]) {
              one: issue(id: $id) { ...Parts, ... on Issue { title } }
              teams(filter: {key: {in: ["A", "B\n"]}}, first: -1, archived: true) { nodes { id } }
            }
            fragment Parts on Issue { id }
            { viewer { id } }"#;
        let document = parse(text).unwrap();
        let first = &document.operations[0];
        assert_eq!(
            (first.name.as_deref(), first.mutates, document.operations.len()),
            (Some("Two"), false, 2)
        );
        let required: Vec<bool> = first.variables.iter().map(|variable| variable.required).collect();
        assert_eq!(required, [true, false, false]);
        assert!(
            matches!(&first.selections[0], Selection::Field { alias, name, .. } if alias == "one" && name == "issue")
        );
        assert!(document.fragments.contains_key("Parts"));
    }

    #[test]
    fn refuses_what_is_no_document() {
        for text in [
            "{",
            "{}",
            "{ a(b: }",
            "query ($a) { b }",
            "{ a \"b }",
            "subscription { a }",
            "{ ? }",
            "{ a(b: \"\\q\") }",
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.starts_with("Syntax Error"), "{text}: {error}");
        }
    }
}
