//! Slack end to end: the real server, with its loops, over HTTP and over sockets, against a fake that refuses what Slack
//! refuses.

mod cards;
mod channel;
mod emulator;
mod forms;
mod home;
mod hostile;
mod http;
mod install;
mod lanes;
mod people;
mod presses;
mod read_back;
mod recorded;
mod sockets;
mod streams;
mod world;
