//! Chooses an option from a list a person was shown, by a short text or a press. Rules come first, then a
//! model, then a question. Only an option of the list that was shown is ever executed.
//!
//! - Lists and views: `list_registry.rs` stores what hosts show, `list_lifecycle.rs` holds the life of lists in a person's
//!   view
//! - Reading: `target_list.rs` and `scope_phrase.rs` find the list a text is about; `parse.rs` splits the text; `exact_match.rs`
//!   finds what it denotes exactly, `similarity.rs` what it resembles; `control.rs` and `clause_split.rs` find what is
//!   no choice
//! - Describing: `describe.rs` reads what an option is said to be ("the cheapest with breakfast"), `columns.rs` compares the
//!   fields, `distinctive.rs` finds words that only one option has
//! - Deciding: `resolve.rs` holds the order of the steps, `continuity.rs` the gates for references
//! - `newest.rs` compares what was shown to a person by when; `noise.rs` finds texts that mean nothing
//! - Permitting: `vetoes.rs` puts every choice to `may_execute`, whichever way it came
//! - Acting: `rung.rs` is the rung, `press.rs` handles presses, `clarify.rs` asks the person, `model_pick.rs` asks
//!   a model, `handoff.rs` describes a text that goes on
//! - `button_text.rs` reads a text against the buttons of our own cards
//!
//! The records are in `data` (`option_set`, `view`, `indexed_options`), a question's card in `card.rs`. The
//! reasons are in docs/design/0021-option-lists.md, docs/design/0022-choosing-an-option.md and
//! docs/design/0023-model-picks.md.

pub(crate) mod button_text;
mod capability;
mod card;
mod clarify;
mod clause_split;
mod columns;
pub(crate) mod continuity;
pub(crate) mod control;
mod describe;
mod distinctive;
mod erase;
pub(crate) mod exact_match;
pub(crate) mod handoff;
mod list_lifecycle;
pub(crate) mod list_registry;
pub(crate) mod model_pick;
pub(crate) mod more_evidence;
pub(crate) mod newest;
mod noise;
pub(crate) mod parse;
pub(crate) mod press;
pub(crate) mod resolution;
pub(crate) mod resolve;
pub(crate) mod rung;
pub(crate) mod scope_phrase;
pub(crate) mod similarity;
pub(crate) mod target_list;
mod vetoes;

pub(crate) use crate::selection::capability::OptionLists;

use core::cmp::Reverse;

use throughline_language::Words;
use throughline_language::lexicon::{ANSWERS, Lexicon, SectionId};

/// A language without this section has no words for lists.
const OWN: SectionId = ANSWERS.section("list.pre");

/// Returns the languages of a message that have words about lists.
fn lexicons(message: &Words) -> impl Iterator<Item = &'static Lexicon> {
    message.languages().lexicons(&ANSWERS).filter(|lexicon| lexicon.has(OWN))
}

/// Returns the lexicon for words about lists: that of the language which leaves the least of the message unexplained. Names
/// of options are in any language, so that words around them count first. The likeliest language wins ties.
pub(crate) fn lexicon(message: &Words) -> &'static Lexicon {
    let unexplained = |lexicon: &&'static Lexicon| {
        let core = parse::Parses::of(lexicon, message, false).shortest();
        (core.map_or(message.all().len(), |core| core.len()), Reverse(lexicon.knows(message.all())))
    };
    lexicons(message).min_by_key(unexplained).unwrap_or_else(|| message.languages().lexicon(&ANSWERS, OWN))
}

/// True if the message refuses, puts off or changes something by the words of any of its languages. One foreign word is
/// enough to ask instead of acting.
fn in_any_language(message: &Words, says: impl Fn(&'static Lexicon) -> bool) -> bool {
    lexicons(message).any(says)
}
