//! The briefing of a sub-agent: the context of the lane in which its task was asked for. The task itself,
//! in the person's words, is sent beside it (`docs/design/0025-prompt-context.md`).

use alloc::boxed::Box;

use crate::context::lane_context::LaneContext;
use crate::context::prompt::{PromptSections, build};
use crate::data::prompt::{BuiltPrompt, PromptSection};
use crate::data::trace::PromptTrace;
use crate::memory::fact_intake as facts;
use crate::text::clean::tokens;
use crate::turn::Turn;

const RULES: &str = include_str!("data/delegated.md");
const CONTRACT: &str =
    "## OUTPUT CONTRACT\nSay in plain text what you did, what came of it, and what is still open.\n";

/// Builds the context of a task that is handed over. `None` if it does not fit beside the task's `words`;
/// the task is then not handed over.
pub(crate) fn briefing(turn: &mut Turn<'_>, words: &str, user: &str) -> Option<Box<BuiltPrompt>> {
    let facts = facts::shown(turn);
    let shown = LaneContext {
        facts: facts.lines.clone(),
        block: Some(turn.block()),
        ..LaneContext::conversation(turn, None, user)
    };
    let built = build(PromptSections {
        rules: RULES.into(),
        contract: CONTRACT.into(),
        input_tokens: tokens(words),
        ..shown.sections(turn.policy)
    });
    let built = built.ok()?;
    turn.trace.prompt = Some(PromptTrace::of(&built));
    turn.use_facts(facts.standing(built.left_out(PromptSection::Facts)));
    Some(Box::new(built))
}
