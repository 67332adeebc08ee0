//! Routes, configuration, and which adapter is plugged where. It decides nothing about a conversation.
//!
//! What the command line calls:
//!
//! - [`Config::load`] with [`Sources`]: files, environment and flags into one checked configuration. [`Config::demo`]
//!   is the one of `serve --demo`. `settings()`, `warnings()` and `schema()` are `config show`, `check` and `schema`.
//! - [`open`]: store, tracker and runtime without a port: embedded chat, `why`, `replay`, `lanes`, `doctor`.
//! - [`serve`]: the same and the HTTP API, until told to stop.
//! - [`sign_in_link`]: lets a person into the pages, once.
//! - [`codes`]: every error code, for `explain` and the docs.
//!
//! The way of a request: `listen.rs` (connection) → `guard.rs` (host, drain, panics) → `routes/` → `deliver.rs`
//! (durable, then watched) → `follow.rs` (to the outcomes of effects) → [`telling`] (what is told, as [`wire`] has it).

mod app;
pub mod auth;
pub mod codes;
pub mod config;
mod deliver;
mod directory;
mod documents;
#[cfg(feature = "failpoints")]
mod faulty;
pub mod finding;
mod follow;
mod guard;
mod idempotency;
mod instance;
mod key;
mod listen;
mod metrics;
pub mod models;
mod problem;
pub mod recording;
mod request;
mod routes;
mod sent;
mod serve;
mod socket;
pub mod telegram;
pub mod telling;
pub mod tools;
mod web;
pub mod wire;

pub use config::{
    Config, ConfigError, ConfigErrors, Origin, Setting, Sources, StoreUrl, TelegramConfig, TelegramMode,
};
pub use instance::{Instance, StartError, open, open_tracking, open_with};
pub use routes::openapi;
pub use serve::{serve, serve_instance};
pub use web::link::sign_in_link;
