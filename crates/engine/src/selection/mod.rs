//! Chooses an option from a list a person was shown, by a short text or a press. Rules come first, then a
//! model, then a question. Only an option of the list that was shown is ever executed.
//!
//! - Lists and views: `lists.rs` stores what hosts show, `standing.rs` holds the life of lists in a person's
//!   view
//! - Reading: `scene.rs` and `cue.rs` find the list a text is about; `parse.rs` splits the text; `read.rs`
//!   finds what it denotes exactly, `hint.rs` what it resembles; `control.rs` and `remainder.rs` find what is
//!   no choice
//! - Deciding: `ladder.rs` holds the order of the steps, `winner.rs` the gates for references
//! - Acting: `flow.rs` is the rung, `press.rs` handles presses, `clarify.rs` asks the person, `cycle.rs` asks
//!   a model, `handoff.rs` describes a text that goes on
//! - `choice.rs` reads a text against the buttons of our own cards
//!
//! The records are in `data` (`option_set`, `view`, `listed`), a question's card in `cards/options.rs`. The
//! reasons are in docs/design/0021-option-lists.md, docs/design/0022-choosing-an-option.md and
//! docs/design/0023-model-picks.md.

mod capability;
mod card;
pub(crate) mod choice;
mod clarify;
pub(crate) mod control;
pub(crate) mod cue;
pub(crate) mod cycle;
mod erase;
pub(crate) mod flow;
pub(crate) mod handoff;
pub(crate) mod hint;
pub(crate) mod ladder;
pub(crate) mod lists;
pub(crate) mod parse;
pub(crate) mod press;
pub(crate) mod read;
mod remainder;
pub(crate) mod scene;
mod standing;
pub(crate) mod winner;

pub(crate) use crate::selection::capability::OptionLists;

use throughline_language::Words;
use throughline_language::lexicon::{ANSWERS, Lexicon, SectionId};

/// A language without this section has no words for lists.
const OWN: SectionId = ANSWERS.section("list.pre");

/// Returns the lexicon for words about lists: that of the message's likeliest language that has such words.
pub(crate) fn lexicon(message: &Words) -> &'static Lexicon {
    message.languages().lexicon(&ANSWERS, OWN)
}
