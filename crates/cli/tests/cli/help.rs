//! Help, usage errors, completions and the version.

use crate::home::Home;

/// Collects the help of all commands in one snapshot.
#[test]
fn the_whole_reference() {
    let home = Home::new();
    let mut all = String::new();
    let mut open = vec![Vec::<String>::new()];
    while let Some(path) = open.pop() {
        let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
        arguments.push("--help");
        let help = home.run(&arguments).ends(0);
        assert!(help.err.is_empty(), "{}", help.session());
        let below = listed(&help.out).into_iter();
        open.extend(below.rev().map(|name| path.iter().cloned().chain([name]).collect::<Vec<_>>()));
        // All commands have the same global options, which the help of the program shows.
        let own = if path.is_empty() { help.session() } else { without_global_options(&help.session()) };
        all.push_str(&own);
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

/// Returns the commands that a help lists: in groups, or under one heading.
pub(crate) fn listed(help: &str) -> Vec<String> {
    let below_usage = help.lines().skip_while(|line| !line.starts_with("Usage:")).skip(1);
    let mut names = Vec::new();
    let mut heading = "";
    for line in below_usage {
        match line.strip_prefix("  ") {
            Some(row) if !["Options:", "Arguments:", "Global options:", "Exit codes:"].contains(&heading) => {
                names.extend(row.split(' ').next().filter(|name| !name.is_empty() && *name != "help"));
            }
            Some(_) => {}
            None if line.is_empty() => {}
            None => heading = line,
        }
    }
    names.into_iter().map(str::to_owned).collect()
}

fn without_global_options(help: &str) -> String {
    help.split("\nGlobal options:").next().unwrap_or(help).to_owned()
}

// row: CL1
#[test]
fn a_mistyped_command_names_the_nearest() {
    let home = Home::new();
    insta::assert_snapshot!(home.run(&["whi", "tn_1"]).ends(2).session());
    insta::assert_snapshot!(home.run(&["lanes", "lst"]).ends(2).session());
    insta::assert_snapshot!(home.run(&["why", "tn_1", "--jsn"]).ends(2).session());
}

#[test]
fn nothing_typed_shows_the_help_and_is_a_usage_error() {
    let ran = Home::new().run(&[]).ends(2);
    assert!(ran.err.contains("Examples:") && ran.out.is_empty(), "{}", ran.session());
}

#[test]
fn completions_for_every_shell() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = home.run(&["completions", shell]).ends(0);
        assert!(ran.out.contains("COMPLETE"), "{shell}");
        assert_eq!(home.run(&["completions", shell, "--json"]).ends(0).json()["shell"], shell);
    }
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    use std::process::{Command, Stdio};
    let home = Home::new();
    let mut first =
        home.command(&["completions", "bash"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let reader = first.stdout.take().unwrap();
    let status = Command::new("true").stdin(Stdio::from(reader)).status().unwrap();
    assert!(status.success());
    let ended = first.wait_with_output().unwrap();
    assert!(ended.status.success(), "{:?}", ended.status);
    assert!(ended.stderr.is_empty(), "{}", String::from_utf8_lossy(&ended.stderr));
}

/// The page of the command line lists the exit codes as the help does.
#[test]
fn exit_codes_are_listed_in_the_help_and_the_page() {
    let help = Home::new().run(&["--help"]).ends(0).out;
    let listed: Vec<&str> = help.lines().skip_while(|line| *line != "Exit codes:").skip(1).collect();
    assert!(listed.len() >= 8, "{help}");
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/command-line.md");
    let page = std::fs::read_to_string(page).unwrap();
    for line in listed {
        let (code, meaning) = line.trim().split_once(' ').unwrap();
        assert!(page.contains(&format!("| {code} | {} |", meaning.trim())), "{line}");
    }
}
