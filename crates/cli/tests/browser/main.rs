//! Browser tests of the web pages: the real binary, a real Chromium, and WebDriver.
//!
//! Each test starts its own server and browser. Elements are found as a screen reader finds them, by role and name.
//! `THROUGHLINE_NO_BROWSER=1` skips the tests.

mod accessibility;
mod batch;
mod card_accessibility;
mod chat;
mod connection_loss;
mod console;
mod console_lists;
mod conversation;
mod decision;
mod driver;
mod embed;
mod every_page;
mod files;
mod hostile_strings;
mod in_process;
mod install;
mod lists;
mod message_to_issue;
mod model_server;
mod no_script;
mod notify;
mod openid;
mod page;
mod played;
#[path = "../shared/port.rs"]
mod port;
mod preview;
mod proxy;
mod review;
mod scope_gate;
mod server;
mod shots;
mod sign_in;
mod small_screen;
mod tabs;
mod ticket;
mod two_tabs;
mod workspace;

/// The tests of a file that is not declared above would never run.
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
