//! Telegram over its Bot API (`docs/design/0035-channels.md`).
//!
//! Inbound: [`update`] decodes what Telegram sends, [`addressing`] reads how messages were addressed, [`mod@inbound`]
//! makes events of them. Outbound: [`render`] makes messages within every limit, [`outbound`] calls of them, `client`
//! sends one, [`answer`] interprets its answer, [`rate_limit`] says when the next may go. [`menu`] is the menu of
//! commands, [`html`] reads back what was rendered. All but `client` and `channel` is pure.

pub mod addressing;
pub mod answer;
mod answered_presses;
mod channel;
mod client;
pub mod html;
pub mod inbound;
pub mod menu;
mod names;
pub mod outbound;
pub mod rate_limit;
mod refused_reactions;
pub mod render;
mod shown_parts;
mod signals;
pub mod update;

pub use answer::Answer;
pub use channel::{Chat, Chats, PressAnswer, Telegram};
pub use client::{BotToken, Client};
pub use inbound::{FollowUp, IncomingUpdate, Place, RelatedMessage, inbound};
pub use names::{Bot, CHANNEL, channel_id, chat_and_message};
