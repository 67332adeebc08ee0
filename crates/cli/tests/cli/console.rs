//! What the console hands out is what the commands write.

use crate::home::{BUG, Home};
use crate::serving::Serving;

/// CO3: a lane recorded at the console passes as a scenario, and is what `record` writes.
#[test]
fn co3_a_lane_recorded_at_the_console_passes() {
    let home = Home::new();
    let serving = Serving::start(&home);
    let script = format!("{BUG}approve\n:1\nWhat about it?\n/maro status\n");
    let chat = ["chat", "--no-input", "--session", "s1", "--server", &serving.url];
    home.run_with(&chat, &script, &[]).ends(0);
    let lanes = home.run(&["lanes", "list", "--json", "--server", &serving.url]).ends(0).json();
    let lane = lanes[0]["id"].as_str().unwrap();
    let mut answer = ureq::get(format!("{}/console/lanes/{lane}/scenario", serving.url)).call().unwrap();
    let scenario = answer.body_mut().read_to_string().unwrap();
    assert!(scenario.contains("reason: press.applied"), "{scenario}");
    home.file("recorded.scenario.yaml", &scenario);
    home.run(&["test", "recorded.scenario.yaml"]).ends(0);
    assert_eq!(serving.terminate(), 0);
    assert_eq!(home.run(&["record", lane]).ends(0).out.trim_end(), scenario.trim_end());
}
