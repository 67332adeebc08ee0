//! Peers of B3, each set up outside of the repository.

mod langgraph;
mod postgres;

pub(crate) use langgraph::{LangGraph, Setup, Told};
