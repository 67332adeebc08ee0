//! Models: what answers a bounded question. This file is the contract; `off` is no model, `scripted` the fake of
//! scenarios, `parse` reads what any model sends back.
//!
//! A model here takes a finished [`Ask`] and gives an [`Answer`] inside what was offered, or says why there is
//! none. What it never knows: what is done with an answer.

mod off;
mod parse;
mod scripted;
mod written;

pub use off::Off;
pub use parse::{MAX_ANSWER, no_answer, parse, parse_classify};
pub use scripted::{Asked, Does, Entry, Misbehaviour, Scripted};

use async_trait::async_trait;
use throughline_engine::ask::{Answer, Ask};
use throughline_engine::effect::Attempt;

/// Something that can be asked. One call is one attempt: nothing in here retries.
#[async_trait]
pub trait Model: Send + Sync {
    /// Asks once, inside the ask's time budget.
    ///
    /// What a second try may mend (`spec 07 §7`, R) is [`Attempt::NotApplied`] or [`Attempt::Unknown`]; what it
    /// may not (N) is applied with [`Answer::None`] and a stable word for why.
    async fn ask(&self, ask: &Ask) -> Attempt<Answer>;

    /// What to call it in logs and in `why`.
    fn name(&self) -> &str;
}
