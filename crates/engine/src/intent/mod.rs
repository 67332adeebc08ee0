//! Requests to hand work over to sub-agents and tools.

pub mod delegation;
