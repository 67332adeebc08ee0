//! The host's own agent: what it says in a lane, and the turns that it is handed because no rung decides them
//! (`docs/design/0068-hosts.md`).

pub(crate) mod capability;
pub(crate) mod handover;
pub(crate) mod posted;
pub(crate) mod silence;
