//! Downloads of the console, compared with the output of commands.

use crate::home::{BUG, Home};
use crate::server::Server;

/// The console and `record` write the same scenario, and it passes.
// row: CO3
#[test]
fn a_lane_recorded_at_the_console_passes() {
    let home = Home::new();
    let server = Server::start(&home);
    let script = format!("{BUG}approve\n:1\nWhat about it?\n/maro status\n");
    let chat = ["chat", "--no-input", "--session", "s1", "--server", &server.url];
    home.run_with(&chat, &script, &[]).ends(0);
    let lanes = home.run(&["lanes", "list", "--json", "--server", &server.url]).ends(0).json();
    let lane = lanes[0]["id"].as_str().unwrap();
    let mut answer = ureq::get(format!("{}/console/lanes/{lane}/scenario", server.url)).call().unwrap();
    let scenario = answer.body_mut().read_to_string().unwrap();
    assert!(scenario.contains("reason: press.applied"), "{scenario}");
    home.file("recorded.scenario.yaml", &scenario);
    home.run(&["test", "recorded.scenario.yaml"]).ends(0);
    assert_eq!(server.terminate(), 0);
    assert_eq!(home.run(&["record", lane]).ends(0).out.trim_end(), scenario.trim_end());
}
