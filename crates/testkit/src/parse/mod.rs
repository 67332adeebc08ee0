//! Parses scenarios. Every error has the file, the line and, where there is one, the nearest known word.

mod expect;
mod fact;
mod given;
mod host;
mod locate;
mod node;
mod option;
mod summary;
mod turns;
mod work;

use std::fmt;

use node::{Node, Source};
use serde_yaml_ng::Value;

use crate::driver::Checker;
use crate::model::{Scenario, ScriptedAnswer, ScriptedReply};

/// An error in a scenario file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ParseError {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The problem, as a sentence.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

/// Parses a scenario. `file` is its name in errors and reports.
///
/// ```
/// let scenario = throughline_testkit::parse("hello.scenario.yaml", "scenario: hello\nturns:\n  - ana: hello\n").unwrap();
/// assert_eq!(scenario.turns.len(), 1);
/// let mistake = throughline_testkit::parse("x.yaml", "scenario: x\nturn:\n  - ana: hello\n").unwrap_err();
/// assert_eq!(mistake.to_string(), "x.yaml:2: unknown key `turn`: did you mean `turns`?");
/// ```
///
/// # Errors
///
/// The first mistake.
pub fn parse(file: &str, text: &str) -> Result<Scenario, ParseError> {
    let value: Value = serde_yaml_ng::from_str(text).map_err(|error| {
        let line = error.location().map_or(1, |at| at.line());
        let message = error.to_string();
        // The message begins with the line already.
        let message = message.split(" at line ").next().unwrap_or(&message).to_string();
        ParseError { file: file.into(), line, message }
    })?;
    let source = Source { file, text };
    scenario(&Node::root(&source, &value), file)
}

fn scenario(root: &Node<'_>, file: &str) -> Result<Scenario, ParseError> {
    let mut fields = root.map()?;
    let name = fields.opt_text("scenario")?;
    let rows = fields.opt("row").map(|node| rows(&node)).transpose()?.unwrap_or_default();
    let about = fields.opt_text("about")?.unwrap_or_default();
    let given = fields.opt("given").filter(|node| !node.is_empty());
    let script = fields.opt("script").filter(|node| !node.is_empty());
    let turns = fields.opt("turns");
    let always = fields.opt("always").filter(|node| !node.is_empty());
    fields.finish()?;
    let name = name.ok_or_else(|| root.fail("`scenario` is missing: what is it called?"))?;
    let turns = turns.ok_or_else(|| root.fail("`turns` is missing: what happens?"))?;
    let given = given.map(|node| given::given(&node)).transpose()?.unwrap_or_default();
    let script = script.map(|node| answers(&node)).transpose()?.unwrap_or_default();
    if !script.is_empty() && !given.model {
        return Err(root.fail("a `script` needs `given: { model: script }`"));
    }
    let mut scenario = Scenario {
        name,
        rows,
        about,
        file: file.into(),
        given,
        script,
        turns: Vec::new(),
        always: Vec::new(),
    };
    scenario.turns = turns::turns(&turns, &scenario.given)?;
    for node in always.iter().map(Node::list).collect::<Result<Vec<_>, _>>()?.iter().flatten() {
        let all = Checker::ALL.map(Checker::as_str);
        scenario.always.push(node.one_of("a checker", |name| name.parse().ok(), &all)?);
    }
    Ok(scenario)
}

fn rows(node: &Node<'_>) -> Result<Vec<String>, ParseError> {
    node.one_or_more()?.iter().map(Node::text).collect()
}

fn answers(node: &Node<'_>) -> Result<Vec<ScriptedAnswer>, ParseError> {
    let mut answers = Vec::new();
    for node in node.list()? {
        let mut fields = node.map()?;
        let purpose = fields.need("purpose")?.text()?;
        let (answer, fail) = (fields.opt("answer"), fields.opt_text("fail")?);
        let held = fields.opt("hold").map(|node| node.flag()).transpose()?.unwrap_or(false);
        fields.finish()?;
        let reply = match (answer, fail) {
            (Some(answer), None) => ScriptedReply::Answer(answer.json()?),
            (None, Some(fail)) => ScriptedReply::Fail(fail),
            _ => return Err(node.fail("an entry of `script` has either `answer` or `fail`")),
        };
        answers.push(ScriptedAnswer { purpose, reply, held });
    }
    Ok(answers)
}
