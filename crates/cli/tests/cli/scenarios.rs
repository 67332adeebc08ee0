//! `throughline test`: results, errors, faults and reports.

use crate::home::Home;

const GOOD: &str = "scenario: greeting\nturns:\n  - ana: hello\n    expect: { effects: none }\n";
const WRONG: &str =
    "scenario: wrong\nturns:\n  - ana: hello\n    expect: { card: { step: draft_preview } }\n";

#[test]
fn what_passes_and_what_does_not() {
    let home = Home::new();
    home.file("a.scenario.yaml", GOOD);
    insta::assert_snapshot!(home.run(&["test", "a.scenario.yaml"]).ends(0).session());
    home.file("b.scenario.yaml", WRONG);
    let ran = home.run(&["test", "."]).ends(3);
    assert!(
        ran.out.contains("1 passed, 1 failed") && ran.out.contains("b.scenario.yaml:3"),
        "{}",
        ran.session()
    );
    assert!(home.run(&["test", ".", "--filter", "greet"]).ends(0).out.contains("1 passed, 0 failed"));
}

#[test]
fn an_unknown_key_is_named_with_its_line() {
    let home = Home::new();
    home.file("x.scenario.yaml", "scenario: x\nturn:\n  - ana: hello\n");
    insta::assert_snapshot!(home.run(&["test", "x.scenario.yaml"]).ends(3).session());
}

#[test]
fn nothing_to_run_is_a_usage_error() {
    let home = Home::new();
    home.run(&["test", "."]).ends(2);
    home.run(&["test", "nowhere"]).ends(2);
    home.run(&["test"]).ends(2);
}

#[test]
fn faults_are_as_many_runs_as_seeds() {
    let home = Home::new();
    home.file("a.scenario.yaml", GOOD);
    let report = home.run(&["test", "a.scenario.yaml", "--faults=1..5", "--json"]).ends(0).json();
    assert_eq!(report["passed"], 6, "{report}");
    home.run(&["test", "a.scenario.yaml", "--faults"]).ends(0);
    home.run(&["test", "a.scenario.yaml", "--faults=x"]).ends(2);
}

#[test]
fn what_was_seen_is_written_into_a_new_scenario() {
    let home = Home::new();
    let file = home.file("new.scenario.yaml", "scenario: new\nturns:\n  - ana: hello\n");
    home.run(&["test", "new.scenario.yaml", "--update"]).ends(0);
    let updated = std::fs::read_to_string(&file).unwrap();
    assert!(updated.contains("expect:"), "{updated}");
    home.run(&["test", "new.scenario.yaml"]).ends(0);
}

#[test]
fn build_servers_get_their_report() {
    let home = Home::new();
    home.file("a.scenario.yaml", GOOD);
    home.file("b.scenario.yaml", WRONG);
    home.run(&["test", ".", "--junit", "report.xml"]).ends(3);
    let report = std::fs::read_to_string(home.path().join("report.xml")).unwrap();
    assert!(report.contains("tests=\"2\" failures=\"1\""), "{report}");
}
