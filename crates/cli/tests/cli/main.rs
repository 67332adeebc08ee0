//! Tests of the command line: each runs the real binary and reads its output.
//!
//! There is one module per command or subject. Snapshots show a terminal session with ids, times and ports redacted.

mod approvals;
mod audit;
mod begin;
mod beside;
mod chat;
mod config;
mod console;
mod context;
mod disk;
mod doctor;
mod erase;
mod eval;
mod examples;
mod explain;
mod help;
mod home;
mod https;
mod json;
mod learn;
mod mail;
mod models;
mod one_owner;
mod recorded;
mod scenarios;
mod seeded;
mod server;
mod slack;
mod store;
mod telegram;
mod terminal;
mod tools;
mod version;

/// The tests of a file that is not declared above would never run.
#[test]
fn no_file_is_forgotten() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli");
    let named = include_str!("main.rs");
    for entry in std::fs::read_dir(here).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "main") else { continue };
        assert!(named.contains(&format!("mod {module};")), "main.rs does not name {module}");
    }
}
