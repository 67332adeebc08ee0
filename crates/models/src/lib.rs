//! Models: what answers a bounded question. This file is the contract, `conformance` what every implementation keeps to;
//! `off` is no model, `scripted` the fake of scenarios, `providers` what is configured.
//!
//! A question's way: `prompt` (finished words and a schema) → `cache` and `budget` → `endpoint` (the one place that
//! sends) → `vendor` (what a provider's reply comes to) → `parse` and `written` (what the words are worth).
//!
//! A model here takes a finished [`Ask`] and gives an [`Answer`] inside what was offered, or says why there is
//! none. What it never knows: what is done with an answer.

mod budget;
mod cache;
pub mod conformance;
mod endpoint;
mod off;
mod once;
mod parse;
mod prompt;
mod providers;
mod scripted;
mod unique;
mod vendor;
mod written;

pub use budget::{Cap, Caps, Price};
pub use endpoint::Timeouts;
pub use off::Off;
pub use parse::{MAX_ANSWER, no_answer, parse, parse_classify};
pub use prompt::Prompt;
pub use providers::{Providers, Setting, default_output};
pub use scripted::{Asked, Does, Entry, Misbehaviour, Scripted};

pub use throughline_net::{Key as ApiKey, check_address};
pub use vendor::Kind;

use async_trait::async_trait;
use throughline_engine::ask::{Answer, Ask, Purpose};
use throughline_engine::effect::Attempt;
use throughline_engine::{EffectId, Timestamp};

/// Whose ask it is, and when. Caps are counted by it; of all this only the effect's id reaches a prompt, hashed.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    /// The tenant of the lane.
    pub tenant: &'a str,
    /// The person whose message it is about.
    pub user: &'a str,
    /// The effect that carries the ask.
    pub effect: &'a EffectId,
    /// When it is asked.
    pub now: Timestamp,
}

/// Something that can be asked. One call is one attempt: nothing in here retries.
#[async_trait]
pub trait Model: Send + Sync {
    /// Asks once, inside the ask's time budget.
    ///
    /// What a second try may mend (`spec 07 §7`, R) is [`Attempt::NotApplied`] or [`Attempt::Unknown`]; what it
    /// may not (N) is applied with [`Answer::None`] and a stable word for why.
    async fn ask(&self, ask: &Ask, caller: &Caller<'_>) -> Attempt<Answer>;

    /// Whether it is there for this purpose at all: what it is not, is not asked, so nobody waits for it.
    fn answers(&self, _purpose: Purpose) -> bool {
        true
    }

    /// What to call it in logs and in `why`.
    fn name(&self) -> &str;
}
