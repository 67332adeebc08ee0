//! Every figure runs at its smallest scale and prints a report, so that no benchmark rots. The measured values are ignored.

use std::process::Command;

/// Runs the program; it must succeed.
fn told(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_throughline-bench")).args(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{arguments:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// A section under its name, with tables whose rows are whole and whose figures are numbers.
fn sound(figure: &str, with: &[&str]) {
    let text = told(&["--smoke", figure]);
    assert!(text.starts_with(&format!("### {figure}: ")), "{text}");
    let mut head = None;
    for line in text.lines() {
        if !line.starts_with('|') {
            head = None;
            continue;
        }
        let cells = line.matches(" |").count();
        assert_eq!(cells, *head.get_or_insert(cells), "{line}\n{text}");
        assert!(!line.contains("NaN") && !line.contains("inf"), "{line}\n{text}");
    }
    for words in with {
        assert!(text.contains(words), "no {words:?} in\n{text}");
    }
}

#[test]
fn b1_durable_turn() {
    sound("B1", &["ratio", "≥ 0.85", "reply by the host, settled", "append and `fdatasync`"]);
}

#[test]
fn b2_durable_turn_on_postgresql() {
    sound("B2", &["ratio", "≥ 2.5", "settle turns", "| pgbench |"]);
}

#[test]
fn b3_against_langgraph_without_it() {
    sound("B3", &["| 16 | 4 | ours |", "not run at this scale"]);
}

#[test]
fn b4_engine_step() {
    sound(
        "B4",
        &["allocations ≤ 150", "what resembles several; 50 options |", "ns for each of the characters"],
    );
}

#[test]
fn b5_growth_with_the_past() {
    sound("B5", &["| 16 |", "≤ 10 %: "]);
}

#[test]
fn b6_growth_with_idle_lanes() {
    sound("B6", &["| 160 |", "≤ 15 %: ", "≤ 4,096: "]);
}

#[test]
fn b7_storage() {
    sound("B7", &["≤ 2,048: ", "Where the bytes of the gate are"]);
}

#[test]
fn b8_webhook() {
    sound("B8", &["| HTTP API", "| signed Slack", "≥ 0.8", "≤ 25", "≤ 500 ms: "]);
}

#[test]
fn b9_cold_start() {
    sound("B9", &["| 40 |", "≤ 150 ms: "]);
}

#[test]
fn b10_memory() {
    sound("B10", &["≤ 120 MB: ", "20 open streams"]);
}

#[test]
fn facts_cost_the_same() {
    sound("facts", &["| 60 |", "≤ 1.10: "]);
}

#[test]
fn what_is_counted_is_listed_and_runs() {
    let list = told(&["count"]);
    assert!(list.lines().count() >= 4, "{list}");
    // Each process prepares all cases. B4 decides the short ones too, and a step that is counted alone is a long one.
    let (long, short): (Vec<&str>, Vec<&str>) = list.lines().partition(|line| line.contains("\t1\t"));
    for line in short.iter().take(1).chain(long.iter().take(1)) {
        let number = line.split('\t').next().unwrap();
        told(&["count", number]);
    }
}

#[test]
fn an_unknown_figure_is_named() {
    let output = Command::new(env!("CARGO_BIN_EXE_throughline-bench")).arg("B99").output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && text.contains("no figure is called B99"), "{text}");
}
