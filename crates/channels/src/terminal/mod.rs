//! The terminal as a channel, for `throughline chat`. Pure: it renders messages as text and reads typed lines. The
//! program reads keys and writes the screen.
//!
//! Cards are numbered in the order they were shown; `:1` presses button 1 of the newest, `:2.1` button 1 of card 2.
//! Typing "approve" is text and approves nothing.

mod input;
mod measure;
mod pick;
mod render;

pub use input::{HELP, Line, parse};
pub use measure::{cells, fit, safe};
pub use pick::{NoButton, pick};
pub use render::{MIN_WIDTH, render, render_numbered};
