//! The catalogue of one language, read from its files.

use std::collections::{BTreeMap, BTreeSet};

use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement, Variant, VariantKey};
use fluent_syntax::parser;

/// The messages of one language.
#[derive(Clone)]
pub(crate) struct Catalogue {
    /// BCP 47 code of the language.
    pub(crate) code: String,
    /// Messages by id.
    pub(crate) messages: BTreeMap<String, Vec<Part>>,
    /// Kind of each variable of a message.
    pub(crate) variables: BTreeMap<String, BTreeMap<String, Kind>>,
}

/// Part of a message.
#[derive(Clone)]
pub(crate) enum Part {
    /// Text as it is.
    Text(String),
    /// Value of a variable.
    Variable(String),
    /// One of several wordings.
    Select {
        /// Variable that decides.
        by: String,
        /// Wordings by key.
        cases: Vec<(Key, Vec<Part>)>,
        /// Wording for everything else.
        otherwise: Vec<Part>,
    },
}

/// Key of a wording.
#[derive(Clone, PartialEq)]
pub(crate) enum Key {
    /// Exactly that number.
    Number(u32),
    /// Numbers of a plural category.
    Category(String),
    /// That word.
    Word(String),
}

/// Kind of a variable.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Kind {
    /// Text, or anything else that is shown as it is.
    Text,
    /// Word that decides between wordings.
    Word,
    /// Number that decides between wordings.
    Number,
}

/// Plural categories, as CLDR names them.
const CATEGORIES: [&str; 4] = ["one", "few", "many", "other"];

impl Catalogue {
    /// Reads the files of a language.
    pub(crate) fn read(code: &str, files: &[(String, String)]) -> Self {
        let mut terms = BTreeMap::new();
        let mut messages: BTreeMap<String, Vec<Part>> = BTreeMap::new();
        for (path, text) in files {
            let resource =
                parser::parse(text.as_str()).unwrap_or_else(|(_, errors)| panic!("{path}: {errors:?}"));
            for entry in resource.body {
                match entry {
                    Entry::Term(term) => {
                        terms.insert(term.id.name.to_owned(), parts(path, &term.value, &terms));
                    }
                    Entry::Message(message) => {
                        let id = message.id.name.to_owned();
                        assert!(
                            message.attributes.is_empty(),
                            "{path}: {id} has attributes, which are not compiled"
                        );
                        let value = message.value.unwrap_or_else(|| panic!("{path}: {id} has no text"));
                        let read = parts(path, &value, &terms);
                        assert!(messages.insert(id.clone(), read).is_none(), "{path}: {id} is there twice");
                    }
                    Entry::Comment(_) | Entry::GroupComment(_) | Entry::ResourceComment(_) => {}
                    Entry::Junk { content } => panic!("{path}: cannot read {content:?}"),
                }
            }
        }
        let variables = messages.iter().map(|(id, parts)| (id.clone(), variables(id, parts))).collect();
        Self { code: code.into(), messages, variables }
    }

    /// Checks that the language has the messages of another one, with their variables, and takes over their kinds.
    pub(crate) fn compare(&mut self, source: &Self) {
        let ids = |of: &Self| of.messages.keys().cloned().collect::<BTreeSet<_>>();
        let (own, all) = (ids(self), ids(source));
        let code = &self.code;
        assert!(own == all, "{code} lacks {:?} and has {:?} more", &all - &own, &own - &all);
        for (id, kinds) in &mut self.variables {
            let known = &source.variables[id];
            for (name, kind) in kinds.iter() {
                let fits = match (known.get(name), kind) {
                    (Some(_), Kind::Text) => true,
                    (Some(there), kind) => there == kind,
                    (None, _) => false,
                };
                assert!(fits, "{code}: {id} uses ${name} in another way than {}", source.code);
            }
            let (own, all) = (words(&self.messages[id]), words(&source.messages[id]));
            for (by, chosen) in &own {
                assert!(
                    all.get(by) == Some(chosen),
                    "{code}: {id} chooses among other words of ${by} than {}",
                    source.code
                );
            }
            kinds.clone_from(known);
        }
    }
}

fn parts(path: &str, pattern: &Pattern<&str>, terms: &BTreeMap<String, Vec<Part>>) -> Vec<Part> {
    let part = |element: &PatternElement<&str>| match element {
        PatternElement::TextElement { value } => vec![Part::Text((*value).to_owned())],
        PatternElement::Placeable { expression: Expression::Inline(inline) } => inlined(path, inline, terms),
        PatternElement::Placeable { expression: Expression::Select { selector, variants } } => {
            let InlineExpression::VariableReference { id } = selector else {
                panic!("{path}: a selection is made by a variable")
            };
            vec![selection(path, id.name, variants, terms)]
        }
    };
    pattern.elements.iter().flat_map(part).fold(Vec::new(), joined)
}

/// Adds a part; text that follows text becomes one with it.
fn joined(mut all: Vec<Part>, next: Part) -> Vec<Part> {
    match (all.last_mut(), next) {
        (Some(Part::Text(before)), Part::Text(text)) => before.push_str(&text),
        (_, next) => all.push(next),
    }
    all
}

fn inlined(path: &str, inline: &InlineExpression<&str>, terms: &BTreeMap<String, Vec<Part>>) -> Vec<Part> {
    match inline {
        InlineExpression::StringLiteral { value } | InlineExpression::NumberLiteral { value } => {
            vec![Part::Text((*value).to_owned())]
        }
        InlineExpression::VariableReference { id } => vec![Part::Variable(id.name.to_owned())],
        InlineExpression::TermReference { id, .. } => terms
            .get(id.name)
            .cloned()
            .unwrap_or_else(|| panic!("{path}: the term -{} is not above", id.name)),
        InlineExpression::Placeable { expression } => match expression.as_ref() {
            Expression::Inline(inline) => inlined(path, inline, terms),
            Expression::Select { .. } => panic!("{path}: a selection in double braces is not compiled"),
        },
        other => panic!("{path}: {other:?} is not compiled"),
    }
}

fn selection(path: &str, by: &str, variants: &[Variant<&str>], terms: &BTreeMap<String, Vec<Part>>) -> Part {
    let mut cases = Vec::new();
    let mut otherwise = None;
    for variant in variants {
        let wording = parts(path, &variant.value, terms);
        if variant.default {
            otherwise = Some(wording);
            continue;
        }
        let key = match variant.key {
            VariantKey::NumberLiteral { value } => {
                Key::Number(value.parse().unwrap_or_else(|_| panic!("{path}: {value} is no whole number")))
            }
            VariantKey::Identifier { name } if CATEGORIES.contains(&name) => Key::Category(name.to_owned()),
            VariantKey::Identifier { name } => Key::Word(name.to_owned()),
        };
        cases.push((key, wording));
    }
    let otherwise = otherwise.unwrap_or_else(|| panic!("{path}: a selection by ${by} has no default"));
    Part::Select { by: by.to_owned(), cases, otherwise }
}

/// Returns the variables of a message, in the order of their names.
fn variables(id: &str, parts: &[Part]) -> BTreeMap<String, Kind> {
    let mut found = BTreeMap::new();
    note(id, parts, &mut found);
    found
}

/// Returns the words that a message chooses by, for each variable.
fn words(parts: &[Part]) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for part in parts {
        let Part::Select { by, cases, otherwise } = part else { continue };
        let keys = cases.iter().filter_map(|(key, _)| match key {
            Key::Word(word) => Some(word.clone()),
            Key::Number(_) | Key::Category(_) => None,
        });
        let keys: BTreeSet<String> = keys.collect();
        if !keys.is_empty() {
            found.entry(by.clone()).or_default().extend(keys);
        }
        let wordings = cases.iter().map(|(_, wording)| wording).chain([otherwise]);
        for (by, more) in wordings.flat_map(|wording| words(wording)) {
            found.entry(by).or_default().extend(more);
        }
    }
    found
}

fn note(id: &str, parts: &[Part], found: &mut BTreeMap<String, Kind>) {
    for part in parts {
        match part {
            Part::Text(_) => {}
            Part::Variable(name) => {
                found.entry(name.clone()).or_insert(Kind::Text);
            }
            Part::Select { by, cases, otherwise } => {
                let words = cases.iter().any(|(key, _)| matches!(key, Key::Word(_)));
                let kind = if words { Kind::Word } else { Kind::Number };
                let before = found.insert(by.clone(), kind);
                let fits = before.is_none_or(|before| before == Kind::Text || before == kind);
                assert!(fits, "{id}: ${by} is a number and a word");
                for (_, wording) in cases {
                    note(id, wording, found);
                }
                note(id, otherwise, found);
            }
        }
    }
}
