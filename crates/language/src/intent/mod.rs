//! Requests that a message makes in so many words: a ticket, a review, a decision to record, a question about the
//! assistant.

mod framed;
mod material;
pub mod rules;
pub mod several;
#[cfg(test)]
mod tests;

pub use material::is_material;
pub use rules::{is_small_talk, remembers_choice};
