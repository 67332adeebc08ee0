//! Questions to a model: typed and bounded. A model chooses among what it was offered, fills in what was
//! asked for, or gives no answer. `ask_loop.rs` is the one loop all questions go through
//! (`docs/design/0008-one-loop-asks-a-model.md`); `answer_check.rs` decides whether an answer counts,
//! `presentable.rs` what may be seen of one that is still being written.

pub(crate) mod answer_check;
pub(crate) mod ask_loop;
pub mod instructions;
mod presentable;

pub use crate::ask::answer_check::{AnswerVerdict, check_answer};
pub use crate::ask::presentable::presentable;
use crate::context::lane_context::LaneContext;

use alloc::vec::Vec;

use crate::context::prompt::{PromptSections, TooLarge, build};
use crate::data::ask::{Ask, Question, names_anchor};
use crate::data::focus::AnchorHint;
use crate::data::intent::Intent;
use crate::data::policy::{Policy, limits};
use crate::data::prompt::BuiltPrompt;
use crate::text::clean::tokens;

impl Ask {
    /// The question about a message, without any context.
    #[must_use]
    pub fn about(question: Question, text: &str, policy: &Policy) -> Self {
        let (bare, budget_ms) = (question.clone(), policy.ask.budget(question.purpose()));
        Self::within(question, text, None, LaneContext::default(), policy).unwrap_or(Self {
            question: bare,
            text: text.into(),
            message: None,
            prompt: BuiltPrompt::default(),
            hint: None,
            complaints: Vec::new(),
            budget_ms,
        })
    }

    /// The question about a message, with the context in `shown`.
    ///
    /// # Errors
    ///
    /// [`TooLarge`] if the parts that are never left out exceed the prompt's budget; then no model is
    /// asked.
    pub fn within(
        question: Question,
        text: &str,
        hint: Option<AnchorHint>,
        shown: LaneContext,
        policy: &Policy,
    ) -> Result<Self, TooLarge> {
        let material = instructions::material(&question);
        let input = material.iter().fold(tokens(text), |sum, line| sum.saturating_add(tokens(line)));
        let prompt = build(PromptSections {
            rules: instructions::rules(&question),
            contract: instructions::contract(&question, names_anchor(hint.as_ref())),
            input_tokens: input.saturating_add(limits::INPUT_FRAME),
            ..shown.sections(policy)
        })?;
        let budget_ms = policy.ask.budget(question.purpose());
        let (text, complaints) = (text.into(), Vec::new());
        Ok(Self { question, text, message: None, prompt, hint, complaints, budget_ms })
    }

    /// The question which intent a text has, among all of them.
    #[must_use]
    pub fn classify(text: &str, policy: &Policy) -> Self {
        Self::about(Question::Classify { labels: Intent::ALL.into() }, text, policy)
    }
}
