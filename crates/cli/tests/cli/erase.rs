//! `throughline erase`: confirmation, counts, and no readable content afterwards.

use crate::home::{BUG, Home};

/// Creates a bug, approved by `you`. Returns its lane.
fn created(home: &Home) -> String {
    home.run_with(&["chat", "--no-input", "--session", "s1"], &format!("{BUG}:2 risks=none\n"), &[]).ends(0);
    let approvals = home.run(&["approvals", "list", "--json"]).ends(0).json();
    let (id, version) =
        (approvals[0]["id"].as_str().unwrap().to_owned(), approvals[0]["version"].to_string());
    home.run(&["approvals", "decide", &id, "--version", &version, "--decision", "approve"]).ends(0);
    let lanes = home.run(&["lanes", "list", "--json"]).ends(0).json();
    lanes[0]["id"].as_str().unwrap().to_owned()
}

/// Returns the output of all commands that show stored content.
fn told(home: &Home, lane: &str) -> String {
    let commands: [&[&str]; 4] = [
        &["lanes", "show", lane, "--json"],
        &["context", lane],
        &["approvals", "list", "--all", "--json"],
        &["effects", "list", "--json"],
    ];
    commands.iter().map(|command| home.run(command).ends(0).out).collect::<String>().to_lowercase()
}

#[test]
fn nothing_that_was_erased_is_told_by_any_command() {
    let home = Home::new();
    let lane = created(&home);
    let before = told(&home, &lane);
    assert!(before.contains("page is empty"), "{before}");

    // Without a terminal nobody can confirm, so nothing is erased.
    let unasked = home.run(&["erase", "you"]).ends(2);
    assert!(unasked.err.contains("--yes"), "{}", unasked.session());
    home.run(&["erase"]).ends(2);
    home.run(&["erase", "you", "--tenant", "--yes"]).ends(2);
    assert_eq!(told(&home, &lane), before);

    let erased = home.run(&["erase", "you", "--yes", "--json"]).ends(0).json();
    assert_eq!((erased["of"].as_str(), erased["id"].as_str()), (Some("subject"), Some("you")));
    assert!(erased["turns"].as_u64().unwrap() > 3, "{erased}");
    let after = told(&home, &lane);
    assert!(!after.contains("page is empty"), "{after}");
    home.run(&["audit", "verify"]).ends(0);
    let replayed = home.run(&["replay", &lane]).ends(0);
    assert!(replayed.out.contains("its content was erased"), "{}", replayed.session());
    let again = home.run(&["erase", "you", "--yes"]).ends(0);
    assert!(again.out.contains("there was nothing of it"), "{}", again.session());
}

#[test]
fn a_lane_and_everything_can_be_erased() {
    let home = Home::new();
    let lane = created(&home);
    home.run(&["erase", "--lane", "ln_aaaaaaaaaaaaaaaaaaaaaaaa", "--yes"]).ends(1);
    let erased = home.run(&["erase", "--lane", &lane, "--yes"]).ends(0);
    assert!(erased.out.contains("turns' contents"), "{}", erased.session());
    let shown = home.run(&["lanes", "show", &lane, "--json"]).ends(0).json();
    assert_eq!(shown["lane"]["messages"].as_array().map(Vec::len), Some(0), "{shown}");
    home.run(&["erase", "--tenant", "--yes", "--json"]).ends(0);
    home.run(&["audit", "verify"]).ends(0);
}
