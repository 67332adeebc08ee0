//! Peers of B3 and the server of B2, each set up outside of the repository.

mod langgraph;
mod postgres;

pub(crate) use langgraph::{LangGraph, Setup, Told};
pub(crate) use postgres::Postgres;
