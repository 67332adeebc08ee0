//! What a sub-agent is handed beside its task: the context of the lane it was asked in (`spec 05 §4.1`). Its task, in the
//! person's own words, goes with it as it always did.

use alloc::boxed::Box;

use super::prompt::{Built, Section, Sections, build};
use super::text::tokens;
use super::window;
use crate::ask::wording::line;
use crate::memory::{flow as facts, summary};
use crate::trace::PromptTrace;
use crate::turn::Turn;

const RULES: &str = include_str!("data/delegated.md");
const CONTRACT: &str =
    "## OUTPUT CONTRACT\nSay in plain text what you did, what came of it, and what is still open.\n";

/// The context of a task that is handed over. `None`: it does not fit beside these words, and the task goes without it.
pub(crate) fn briefing(turn: &mut Turn<'_>, words: &str, user: &str) -> Option<Box<Built>> {
    let facts = facts::shown(turn);
    let around = window::around(turn, None, user);
    let (summary, tail) = summary::shown(turn);
    let lines = |name: &'static str| move |text: &alloc::string::String| line(&[(name, text)]);
    let built = build(Sections {
        rules: RULES.into(),
        contract: CONTRACT.into(),
        facts: facts.lines.clone(),
        summary: summary.as_ref().map(lines("summary")),
        tail: tail.iter().map(lines("extractive")).collect(),
        block: Some(turn.block()),
        window: around.window,
        anchor: around.anchor,
        input_tokens: tokens(words),
        facts_tokens: turn.policy.facts.tokens,
        max_tokens: turn.policy.context.max_tokens,
    });
    let built = match built {
        Ok(built) => built,
        Err(_) => {
            turn.note(crate::decision::Reason::ContextTooLarge);
            return None;
        }
    };
    turn.trace.prompt = Some(PromptTrace::of(&built));
    turn.use_facts(facts.standing(built.left_out(Section::Facts)));
    Some(Box::new(built))
}
