//! Telegram end to end: the real adapter, client and loop over sockets against a fake that refuses what Telegram
//! refuses, in virtual time.

mod batches;
mod cards;
mod decisions;
mod files;
mod forms;
mod lanes;
mod outage;
mod people;
mod polling;
mod presses;
mod recorded;
mod refused_cards;
mod signals;
mod webhook;
mod world;
