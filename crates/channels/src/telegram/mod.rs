//! Telegram, by its Bot API (`spec 07 §3`).
//!
//! In: [`update`] reads what Telegram sends, [`inbound`] makes events of it, [`addressing`] says how they were
//! addressed. Out: [`render`] makes messages inside every limit, [`outbound`] calls of them, [`client`] sends one,
//! [`classify`] says what its answer proves, [`pace`] when the next may go. [`menu`] is what is offered behind the slash.
//! All but `client` and `channel` is pure.

mod above;
pub mod addressing;
mod channel;
pub mod classify;
mod client;
pub mod inbound;
pub mod menu;
pub mod outbound;
pub mod pace;
pub mod render;
mod signals;
mod told;
pub mod update;

pub use channel::{Chat, Chats, Said, Telegram};
pub use classify::Answer;
pub use client::{BotToken, Client};
pub use inbound::{About, Also, Bot, CHANNEL, Incoming, Place, inbound};
