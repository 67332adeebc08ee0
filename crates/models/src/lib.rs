//! Models answer bounded questions. This file is the contract, `conformance` the suite every implementation passes;
//! `off` is no model, `scripted` the fake of scenarios, `providers` the configured models.
//!
//! The way of a question: `prompt` (finished text and a schema) → `cache` and `budget` → `endpoint` (sends) →
//! `vendor` (one file a wire format) → `parse` and `text_answers` (check the answer). `readable` tells what is written so far.
//!
//! A model takes a finished [`Ask`] and gives an [`Answer`] within what was offered, or the reason why there is none.
//! It never knows what is done with the answer.

mod budget;
mod cache;
pub mod conformance;
mod endpoint;
mod no_answer;
mod off;
mod parse;
mod prompt;
mod providers;
mod readable;
mod scripted;
mod spent;
mod strict_json;
mod text_answers;
mod unique_names;
mod vendor;

pub use budget::{Cap, Caps, Price, Today};
pub use endpoint::Timeouts;
pub use no_answer::no_answer;
pub use off::Off;
pub use parse::{parse, parse_classify};
pub use prompt::Prompt;
pub use providers::{Providers, Setting, default_output};
pub use readable::Onlooker;
pub use scripted::{JournalEntry, Misbehaviour, ScriptEntry, Scripted, ScriptedReply, UnknownMisbehaviour};
pub use spent::{Spent, SpentCall};
pub use strict_json::MAX_ANSWER;

pub use throughline_net::{Key as ApiKey, check_address};
pub use vendor::{Kind, UnknownKind};

use async_trait::async_trait;
use throughline_engine::data::ask::{Answer, Ask};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::purpose::Purpose;
use throughline_engine::{EffectId, Timestamp};

/// The person and tenant of an ask, and its time. Caps are counted by them; only the effect's id reaches a prompt,
/// hashed.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    /// The tenant of the lane.
    pub tenant: &'a str,
    /// The person whose message it is about.
    pub user: &'a str,
    /// The effect that carries the ask.
    pub effect: &'a EffectId,
    /// The time of the ask.
    pub now: Timestamp,
    /// Place to note what it took.
    pub spent: &'a Spent,
    /// Whoever sees the answer while it is written, if anybody can.
    pub onlooker: Option<&'a dyn Onlooker>,
}

/// A model. One call is one attempt: nothing in here retries.
#[async_trait]
pub trait Model: Send + Sync {
    /// Asks once, inside the ask's time budget.
    ///
    /// A failure that a second attempt may mend is [`Attempt::NotApplied`] or [`Attempt::Unknown`]; any other is
    /// applied with [`Answer::None`] and a stable word for the reason (`docs/design/0037-models-and-tools.md`).
    async fn ask(&self, ask: &Ask, caller: &Caller<'_>) -> Attempt<Answer>;

    /// Returns true if the model answers this purpose. One that does not is not asked, so nobody waits for it.
    fn answers(&self, _purpose: Purpose) -> bool {
        true
    }

    /// Returns what this process spent for a tenant on the day of `now`, where somebody counts it.
    fn spent_today(&self, _tenant: &str, _now: Timestamp) -> Option<Today> {
        None
    }

    /// Drops cached answers: somebody's words may be in them.
    fn forget(&self) {}

    /// The name in logs and in `why`.
    fn name(&self) -> &str;
}
