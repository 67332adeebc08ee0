//! `throughline approvals` and `throughline effects`: deciding, pausing, resolving.

use crate::home::{BUG, Home};

/// Creates a bug that waits for approval. Returns the approval's id and version.
fn waiting(home: &Home) -> (String, String) {
    home.run_with(&["chat", "--no-input", "--session", "s1"], &format!("{BUG}:2 risks=none\n"), &[]).ends(0);
    let approvals = home.run(&["approvals", "list", "--json"]).ends(0).json();
    let one = &approvals[0];
    (one["id"].as_str().unwrap().to_owned(), one["version"].to_string())
}

#[test]
fn the_version_that_was_seen_is_decided_and_no_other() {
    let home = Home::new();
    let (id, version) = waiting(&home);
    let decide = |version: &str, decision: &str| {
        home.run(&["approvals", "decide", &id, "--version", version, "--decision", decision])
    };
    let stale = decide("1", "approve").ends(6);
    assert!(stale.err.contains("TL-4104"), "{}", stale.session());
    decide(&version, "approve").ends(0);
    let again = decide(&version, "approve").ends(6);
    assert!(again.err.contains("TL-4102"), "{}", again.session());
    let shown = home.run(&["approvals", "show", &id, "--json"]).ends(0).json();
    assert_eq!(shown["state"], "approved");
    let effects = home.run(&["effects", "list", "--state", "done", "--json"]).ends(0).json();
    assert!(effects.as_array().unwrap().iter().any(|one| one["class"] == "tracker.create"), "{effects}");
}

#[test]
fn whoever_is_in_no_rule_is_refused() {
    let home = Home::new();
    home.file(
        "throughline.toml",
        "[[users]]\nid = \"ana\"\n\n[[approvers]]\neffects = [\"tracker.*\"]\ntargets = [\"local:*\"]\nallow = [\"user:ana\"]\n",
    );
    let (id, version) = waiting(&home);
    let ran = home.run(&["approvals", "decide", &id, "--version", &version, "--decision", "approve"]).ends(6);
    assert!(ran.err.contains("TL-4108"), "{}", ran.session());
}

#[test]
fn sending_can_be_paused_and_goes_on() {
    let home = Home::new();
    let (id, version) = waiting(&home);
    let paused = home.run(&["effects", "pause", "--reason", "wrong project", "--json"]).ends(0).json();
    assert_eq!((paused["paused"].as_bool(), paused["reason"].as_str()), (Some(true), Some("wrong project")));
    let decide = ["approvals", "decide", &id, "--version", &version, "--decision", "approve"];
    let held = home.run(&decide).ends(6);
    assert!(held.err.contains("TL-4109"), "{}", held.session());
    assert!(home.run(&["effects", "list"]).ends(0).err.contains("paused"));
    home.run(&["effects", "resume"]).ends(0);
    home.run(&decide).ends(0);
}

#[test]
fn only_an_uncertain_effect_is_answered_for() {
    let home = Home::new();
    let (id, version) = waiting(&home);
    home.run(&["approvals", "decide", &id, "--version", &version, "--decision", "approve"]).ends(0);
    let done = home.run(&["effects", "list", "--state", "done", "--json"]).ends(0).json();
    let effect = done.as_array().unwrap().iter().find(|one| one["class"] == "tracker.create").unwrap();
    let effect = effect["id"].as_str().unwrap();
    let ran = home.run(&["effects", "resolve", effect, "--as", "cancel"]).ends(6);
    assert!(ran.err.contains("is not uncertain"), "{}", ran.session());
    let ran = home.run(&["effects", "resolve", "fx_none", "--as", "create-again"]).ends(1);
    assert!(ran.err.contains("TL-2404"), "{}", ran.session());
    let ran = home.run(&["effects", "resolve", effect, "--as", "adopt"]).ends(6);
    assert!(ran.err.contains("is not uncertain"), "{}", ran.session());
}
