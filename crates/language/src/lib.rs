//! Messages read by rules: answers with their values, requests, interrupts, references.

#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod about_card;
mod acknowledgement;
mod approval;
mod beside;
mod boolean;
pub mod budget;
mod clause;
mod contact;
mod context;
mod correction;
mod echo;
pub mod edits;
mod embedded;
mod expected;
mod gazetteer;
pub mod intent;
mod interrupt;
pub mod judge;
mod languages;
pub mod lexicon;
mod location;
mod moment;
mod money;
pub mod normal;
mod number;
mod numeral;
mod one_of;
mod person;
mod read;
pub mod reference;
mod remainder;
pub mod reply;
mod request;
mod selection;
mod spoken;
mod suggestion;
#[cfg(test)]
mod tests;
mod typos;
mod value;
pub mod words;

pub use about_card::{AboutCard, about_card};
pub use acknowledgement::{is_acknowledgement, is_greeting};
pub use approval::{affirms, approves, urges_approval};
pub use beside::{Beside, beside, only_shows_files};
pub use boolean::NO_YES;
pub use context::Context;
pub use correction::{Correction, correction};
pub use expected::{Choice, Expected, UnknownExpected};
pub use interrupt::{Interrupt, interrupt};
pub use languages::{Language, Languages, UnknownLanguage};
pub use money::amount;
pub use numeral::count;
pub use read::{find, read};

pub use selection::{begins_condition, names_no_place};
pub use spoken::{spoken, spoken_first};
pub use value::{Found, Match, Money, NoMatch, Reading, Strength, Value};
pub use words::Words;

use lexicon::{ANSWERS, SectionId};

/// The section of a name in [`lexicon::ANSWERS`]. Used in constants: a name that no language has fails the build.
#[must_use]
pub const fn section(name: &str) -> SectionId {
    ANSWERS.section(name)
}

/// Words that do something rather than name it: never a place or a person, however they are written.
const ACTS: [SectionId; 8] = [
    section("bye"),
    section("yes.word"),
    section("yes.phrase"),
    section("yes.weak"),
    section("no.word"),
    section("no.phrase"),
    section("thanks"),
    section("greeting"),
];
