//! Slack over its Web API, its events and Socket Mode (`docs/design/0058-slack.md`).
//!
//! Inbound: [`signature`] proves the sender, [`mod@inbound`] makes events of what Slack delivers, over HTTP and over
//! sockets alike; [`envelope`] reads the frames of a socket. Outbound: [`render`] makes messages, forms and Home within
//! every limit, [`outbound`] calls of them, `client` sends one, [`answer`] interprets its answer, [`rate_limit`] says
//! when the next may go, and `find` looks for a message whose post got no answer, by what [`read_back`] keeps in it.
//! `work` and `streams` show that something is done. [`mrkdwn`] is Slack's text format in both directions, [`block_kit`]
//! reads back what was rendered, [`manifest`] describes the app. All but `client`, `channel`, `find`, `work` and `streams` is
//! pure.

pub mod answer;
pub mod block_kit;
mod channel;
mod client;
pub mod envelope;
mod find;
pub mod inbound;
pub mod manifest;
pub mod mrkdwn;
mod names;
pub mod outbound;
pub mod rate_limit;
pub mod read_back;
pub mod render;
pub mod signature;
mod streams;
mod work;
mod workspaces;

pub use answer::Answer;
pub use channel::Slack;
pub use client::Client;
pub use inbound::{Delivery, FollowUp, FormPlace, Incoming, Place, Pressed, Teams, inbound, teams};
pub use names::{App, CHANNEL, GROUP, channel_and_ts, channel_id, channel_id_within, is_direct, thread_of};
pub use signature::SigningSecret;
pub use streams::{GRACE as STREAM_GRACE, StreamRecord, StreamRecords};
pub use throughline_net::Key;
pub use workspaces::{NoWorkspace, Workspace, Workspaces};
