//! The context of a lane for an agent outside: a sub-agent that is given a task, or the host's own. What they are to answer,
//! in the person's words, is sent beside it (`docs/design/0025-prompt-context.md`).

use alloc::boxed::Box;

use crate::context::lane_context::LaneContext;
use crate::context::prompt::{PromptSections, build};
use crate::data::focus::AnchorHint;
use crate::data::prompt::{BuiltPrompt, PromptSection};
use crate::data::trace::PromptTrace;
use crate::facts::prompt_facts::PromptFacts;
use crate::memory::fact_intake as facts;
use crate::text::clean::tokens;
use crate::turn::{RoutedMessage, Turn};

const RULES: &str = include_str!("data/delegated.md");
const CONTRACT: &str =
    "## OUTPUT CONTRACT\nSay in plain text what you did, what came of it, and what is still open.\n";

/// Builds what a host's agent is shown of the lane beside the message it answers: sections 3 to 7 of a prompt. `None` if it
/// does not fit.
pub(crate) fn background(
    turn: &mut Turn<'_>,
    hint: Option<&AnchorHint>,
    said: &RoutedMessage,
) -> Option<Box<BuiltPrompt>> {
    let (facts, sections) = around(turn, hint, &said.by);
    built(turn, facts, PromptSections { input_tokens: tokens(said.text()), ..sections })
}

/// Builds the context of a task that is handed over. `None` if it does not fit beside the task's `words`;
/// the task is then not handed over.
pub(crate) fn briefing(turn: &mut Turn<'_>, words: &str, user: &str) -> Option<Box<BuiltPrompt>> {
    let (facts, sections) = around(turn, None, user);
    let (rules, contract) = (RULES.into(), CONTRACT.into());
    let sections = PromptSections { rules, contract, input_tokens: tokens(words), ..sections };
    built(turn, facts, sections)
}

/// Returns the lane as an agent that works for this person is shown it: facts, conversation and tasks.
fn around(turn: &mut Turn<'_>, hint: Option<&AnchorHint>, user: &str) -> (PromptFacts, PromptSections) {
    let facts = facts::shown(turn);
    let shown = LaneContext {
        facts: facts.lines.clone(),
        block: Some(turn.block()),
        ..LaneContext::conversation(turn, hint, user)
    };
    (facts, shown.sections(turn.policy))
}

/// Builds a prompt and notes in the turn what it holds.
fn built(turn: &mut Turn<'_>, facts: PromptFacts, sections: PromptSections) -> Option<Box<BuiltPrompt>> {
    let built = build(sections).ok()?;
    turn.trace.prompt = Some(PromptTrace::of(&built));
    turn.use_facts(facts.standing(built.left_out(PromptSection::Facts)));
    Some(Box::new(built))
}
