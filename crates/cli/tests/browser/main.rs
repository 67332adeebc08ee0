//! The pages as a person has them: the real binary, a real Chromium, and nothing in between but WebDriver.
//!
//! One file per subject. Each test has a server and a browser of its own. What is on a page is found as a screen
//! reader finds it, by role and name. `THROUGHLINE_NO_BROWSER=1` skips all of it.

mod access;
mod batch;
mod cards;
mod chat;
mod console;
mod decision;
mod driver;
mod gate;
mod hostile;
mod modelled;
mod narrow;
mod network;
mod page;
mod plain;
#[path = "../shared/port.rs"]
mod port;
mod review;
mod serving;
mod shots;
mod sign_in;
mod staged;
mod tabs;
mod ticket;
mod walk;
mod wire;
mod workspace;

/// A file that nobody named above would never run.
#[test]
fn no_file_is_forgotten() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser");
    let named = include_str!("main.rs");
    for entry in std::fs::read_dir(here).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "main") else { continue };
        assert!(named.contains(&format!("mod {module};")), "main.rs does not name {module}");
    }
}
