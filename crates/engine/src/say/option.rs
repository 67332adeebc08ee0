//! Sentences about lists of options (`spec 04 §14`).

use alloc::format;
use alloc::string::String;

pub(crate) const GONE: &str = "This list is no longer there";

pub(crate) fn chosen(label: &str) -> String {
    format!("“{label}” it is.")
}

pub(crate) fn run(label: &str) -> String {
    format!("Run “{label}”")
}

pub(crate) fn again(label: &str) -> String {
    format!("Nobody ran “{label}”. Shall I try it again?")
}
