//! Text for storage and display: cleaning, cutting, counting, and removal of secrets.

mod assignment;
mod beginnings;
pub mod clean;
pub(crate) mod json_object;
pub mod redact;
#[cfg(test)]
mod samples;
mod secret_rules;
pub(crate) mod urging;
