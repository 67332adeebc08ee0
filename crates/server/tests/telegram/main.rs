//! Telegram, end to end: the real edge, client and loop over sockets against a fake that refuses what Telegram refuses,
//! in virtual time (`spec 07 §3, §14`).

mod batches;
mod cards;
mod decisions;
mod files;
mod forms;
mod hook;
mod lanes;
mod outage;
mod people;
mod polling;
mod presses;
mod recorded;
mod signals;
mod world;
