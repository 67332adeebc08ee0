//! HTTP server: configuration, routes and pages, and the adapters of an installation. It decides nothing about a
//! conversation.
//!
//! Entry points for the command line:
//!
//! - [`Config::load`] with [`Sources`] merges files, environment and flags into one checked configuration.
//!   [`Config::demo`] is the one of `serve --demo`. `settings()`, `warnings()` and `schema()` serve `config show`,
//!   `check` and `schema`.
//! - [`open`] makes store, tracker and runtime without a port, for embedded chat, `why`, `replay`, `lanes` and
//!   `doctor`.
//! - [`serve()`] also answers the HTTP API, until it is told to stop.
//! - [`sign_in_link()`] makes a one-time link to the pages.
//! - [`codes`] holds every error code, for `explain` and the docs.
//!
//! Path of a request: `connections.rs` (a place) → `connection.rs` → `middleware.rs` (host, drain, panics) → `routes/` → `deliver.rs` (stored,
//! then watched) → `turn_chain.rs` (to the outcomes of effects) → [`views`] (read from the store, in the shapes of
//! [`wire`]).

pub mod access;
mod activity;
mod agui;
mod app;
mod approval_news;
mod approver_rules;
pub mod auth;
mod card_form;
pub mod codes;
mod commit;
pub mod config;
mod connection;
mod connections;
mod conversations;
mod deliver;
mod directory;
mod documents;
mod doing;

mod files;
pub mod finding;
mod idempotency;
mod instance;
mod instance_key;
mod lane_lookup;
mod language;
mod lead;
mod learned;
pub mod local_token;
pub mod mail;
pub mod markup;
mod mcp;
pub mod metrics;
mod middleware;
pub mod models;
mod open_files;
pub mod openid;
mod problem;
mod push;
mod random;
mod rates;
pub mod recording;
mod request;
mod response_end;
mod router;
mod routes;
mod sealed;
mod serve;
mod session;
mod sign_in_link;
pub mod slack;
mod socket;
mod start_error;
mod stored_tokens;
mod stuck;
pub mod telegram;
mod telling;
pub mod tools;
pub mod traces;
#[cfg(feature = "failpoints")]
mod tracker_faults;
pub mod trackers;
mod turn_chain;
mod users;
pub mod views;
mod web;
mod web_channel;
pub mod webhooks;
pub mod wire;

pub use codes::{Code, store_error as store_code};
pub use commit::built_from;
pub use config::{
    Config, ConfigError, ConfigErrors, ConnectionLimits, Origin, PostgresUrl, Setting, SlackConfig,
    SlackMode, Sources, StoreUrl, TelegramConfig, TelegramMode, Traces,
};
pub use instance::{Instance, open, open_tracking, open_with, postgres_server};
pub use metrics::log_lines_lost;
pub use routes::openapi;
pub use serve::{serve, serve_instance};
pub use sign_in_link::sign_in_link;
pub use start_error::StartError;
pub use stuck::stuck;
