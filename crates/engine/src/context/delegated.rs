//! What a sub-agent is handed beside its task: the context of the lane it was asked in (`spec 05 §4.1`). Its task, in the
//! person's own words, goes with it as it always did.

use alloc::boxed::Box;

use super::prompt::{Built, Section, Sections, build};
use super::text::tokens;
use crate::ask::Shown;
use crate::memory::flow as facts;
use crate::trace::PromptTrace;
use crate::turn::Turn;

const RULES: &str = include_str!("data/delegated.md");
const CONTRACT: &str =
    "## OUTPUT CONTRACT\nSay in plain text what you did, what came of it, and what is still open.\n";

/// The context of a task that is handed over. `None`: it does not fit beside these words, so nobody is handed the task
/// (`spec 05 §4.2`).
pub(crate) fn briefing(turn: &mut Turn<'_>, words: &str, user: &str) -> Option<Box<Built>> {
    let facts = facts::shown(turn);
    let shown = Shown {
        facts: facts.lines.clone(),
        block: Some(turn.block()),
        ..Shown::conversation(turn, None, user)
    };
    let built = build(Sections {
        rules: RULES.into(),
        contract: CONTRACT.into(),
        input_tokens: tokens(words),
        ..shown.sections(turn.policy)
    });
    let built = built.ok()?;
    turn.trace.prompt = Some(PromptTrace::of(&built));
    turn.use_facts(facts.standing(built.left_out(Section::Facts)));
    Some(Box::new(built))
}
