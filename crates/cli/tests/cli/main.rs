//! The program as a person sees it: every test runs the real binary and reads what it prints.
//!
//! One module per command or subject. Snapshots show a session as it looks in a terminal; ids, times and ports are
//! redacted, nothing else.

mod approvals;
mod chat;
mod config;
mod console;
mod context;
mod disk;
mod doctor;
mod erase;
mod eval;
mod explain;
mod help;
mod home;
mod json;
mod models;
mod scenarios;
mod serving;
mod telegram;
mod tools;

#[path = "../shared/port.rs"]
mod port;

/// A file that nobody named above would never run.
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
