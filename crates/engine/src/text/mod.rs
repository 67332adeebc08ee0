//! Text for storage and display: cleaning, cutting, counting, and removal of secrets.

pub mod clean;
pub(crate) mod json_object;
pub mod redact;
pub(crate) mod urging;
