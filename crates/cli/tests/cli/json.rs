//! `--json`: every command prints one value on standard output and nothing else.

use crate::home::{BUG, Home};

// row: CL2
#[test]
fn every_command_answers_in_json_alone() {
    let home = Home::new();
    home.run_with(&["chat", "--no-input", "--session", "s1"], BUG, &[]).ends(0);
    let lanes = home.run(&["lanes", "list", "--json"]).ends(0).json();
    let lane = lanes[0]["id"].as_str().unwrap();
    let shown = home.run(&["lanes", "show", lane, "--json"]).ends(0).json();
    let turn = shown["turns"][0]["turn"].as_str().unwrap();
    let approvals = home.run(&["approvals", "list", "--json"]).ends(0).json();
    let approval = approvals[0]["id"].as_str().unwrap();
    let effects = home.run(&["effects", "list", "--json"]).ends(0).json();
    let effect = effects[0]["id"].as_str().unwrap();
    home.file("one.scenario.yaml", "scenario: one\nturns:\n  - ana: hello\n    expect: { effects: none }\n");
    home.file(
        "one.jsonl",
        r#"{"id":"1","task":"intent","source":"own","user_text":"help","gold_accept":["META"],"gold_reject":[]}"#,
    );
    let runs: [&[&str]; 20] = [
        &["context", lane],
        &["why", turn],
        &["replay", lane],
        &["replay", turn],
        &["record", lane],
        &["test", "one.scenario.yaml"],
        &["eval", "one.jsonl"],
        &["approvals", "show", approval],
        &["approvals", "list", "--all"],
        &["effects", "show", effect],
        &["effects", "list", "--state", "done"],
        &["audit", "verify"],
        &["doctor"],
        &["config", "show", "--origin"],
        &["config", "check"],
        &["config", "schema"],
        &["token", "create", "ci", "--principal", "ana"],
        &["explain", "--all"],
        &["tools", "list"],
        &["version"],
    ];
    for arguments in runs {
        let ran = home.run(&[arguments, &["--json"]].concat()).ends(0);
        let value = ran.json();
        assert!(value.is_object() || value.is_array(), "{}", ran.session());
    }
}

#[test]
fn colour_and_layout_are_for_people_only() {
    let home = Home::new();
    home.run_with(&["chat", "--no-input", "--session", "s1"], BUG, &[]).ends(0);
    let escape = |arguments: &[&str], environment: &[(&str, &str)]| {
        home.run_with(arguments, "", environment).ends(0).out.contains('\u{1b}')
    };
    assert!(!escape(&["lanes", "list"], &[]), "a pipe is no terminal");
    assert!(escape(&["lanes", "list", "--color", "always"], &[]));
    assert!(!escape(&["lanes", "list", "--color", "auto"], &[("NO_COLOR", "1")]));
    assert!(!escape(&["lanes", "list", "--color", "always", "--json"], &[]));
    let plain = home.run(&["lanes", "list", "--plain"]).ends(0).out;
    assert_eq!(plain.lines().count(), 1, "no heading: {plain}");
    assert_eq!(plain.matches('\t').count(), 4, "{plain}");
    home.run(&["lanes", "list", "--plain", "--json"]).ends(2);
}

#[test]
fn a_failure_is_json_too_on_standard_error() {
    let home = Home::new();
    home.run_with(&["chat", "--no-input", "--session", "s1"], "hello\n", &[]).ends(0);
    let ran = home.run(&["why", "tn_aaaaaaaaaaaaaaaaaaaaaaaa", "--json"]).ends(1);
    assert!(ran.out.is_empty());
    let failure: serde_json::Value = serde_json::from_str(&ran.err).unwrap();
    assert_eq!(
        (failure["error"]["exit"].as_u64(), failure["error"]["code"].as_str()),
        (Some(1), Some("TL-2404"))
    );
}
