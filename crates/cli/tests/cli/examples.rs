//! Every example of the help and every command that a message names is run: alone beside the store, and beside a server
//! that has it.

use std::collections::BTreeSet;
use std::path::Path;

use crate::home::Home;
use crate::seeded::Seeded;

/// Lines that cannot end with 0 here, by their beginning: their exit code alone, beside a server, and why.
const OTHERWISE: &[(&str, i32, i32, &str)] = &[
    ("context render --redis", 5, 5, "there is no Redis"),
    ("store copy", 5, 5, "there is no PostgreSQL"),
    ("store restore", 0, 5, "a restore needs the store for itself"),
    ("store prune", 2, 2, "nobody can be asked, and an age may not be set"),
    ("erase ana  ", 2, 2, "nobody can be asked"),
    ("erase --lane", 2, 2, "nobody can be asked"),
    ("effects resolve", 6, 6, "the effect is not uncertain"),
    ("telegram", 4, 4, "no bot is configured"),
    ("telegram link", 1, 1, "no bot is configured"),
    ("doctor slack", 3, 3, "no app is configured"),
    ("doctor telegram", 3, 3, "no bot is configured"),
    ("store migrate", 0, 5, "it needs the store for itself"),
    ("tools pin", 1, 1, "no tool is configured"),
    ("tools connect", 1, 5, "no such server is configured; the grant is kept by whoever has the store"),
    ("init", 6, 6, "the file is there"),
    ("open", 5, 0, "a page needs a server"),
    ("learn propose --without", 2, 2, "there is no such phrase"),
    ("learn propose --version", 1, 1, "there is no such version"),
];

/// Lines that run until they are stopped.
const ENDLESS: &[&str] = &["serve", "test scenarios/ --watch"];

/// Lines that a running server has to be there for.
fn needs_server(line: &str) -> bool {
    line.contains("--server http://127.0.0.1:7070")
}

/// Returns the lines of a help's examples, without what is said beside them.
fn examples(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    let lines = listed.take_while(|line| line.starts_with("  ")).map(str::trim);
    lines.map(|line| line.split("  ").next().unwrap_or(line).to_owned()).collect()
}

/// Returns the paths of all commands.
fn commands(home: &Home, path: &[String], found: &mut Vec<(Vec<String>, String)>) {
    let arguments: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
    // No line of it is broken.
    let help = home.run_with(&arguments, "", &[("COLUMNS", "400")]).ends(0).out;
    let listed = crate::help::listed(&help);
    found.push((path.to_vec(), help));
    for name in listed {
        commands(home, &[path, &[name]].concat(), found);
    }
}

fn all_examples() -> Vec<String> {
    let mut found = Vec::new();
    commands(&Home::new(), &[], &mut found);
    found.iter().flat_map(|(_, help)| examples(help)).collect()
}

/// Returns the commands that sentences of the sources name, as `throughline …` or by `App::command`.
fn hints() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut open: Vec<_> = std::fs::read_dir(crates).unwrap().map(|one| one.unwrap().path()).collect();
    while let Some(path) = open.pop() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            // Tests and measurements name commands for readers of the code.
            if !["tests", "target", "benches", "data"].contains(&name.as_str()) {
                open.extend(std::fs::read_dir(&path).unwrap().map(|one| one.unwrap().path()));
            }
        } else if name.ends_with(".rs") || name.ends_with(".ftl") {
            let text = std::fs::read_to_string(&path).unwrap();
            let said: String = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"))
                .map(|line| {
                    line.trim_end()
                        .strip_suffix('\\')
                        .map_or(format!("{line}\n"), |line| line.trim_start().to_owned())
                })
                .collect();
            for (begins, ends) in [("`throughline ", '`'), ("“throughline ", '”'), ("app.command(\"", '"')]
            {
                found.extend(
                    said.split(begins).skip(1).filter_map(|rest| Some(rest.split_once(ends)?.0.to_owned())),
                );
            }
            let whole = said.replace(['\n', ' '], " ");
            let formatted = whole.split("app.command(&format!(\"").skip(1);
            found.extend(formatted.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
        }
    }
    found
}

/// Returns a hint as somebody would type it: with words for what stands for them.
fn typed(hint: &str) -> String {
    let mut hint = hint.to_owned();
    for (word, here) in [
        ("{ $code }", "TL-6102"),
        ("CODE", "TL-6102"),
        ("{code}", "TL-6102"),
        ("{list}", "lanes list"),
        ("{server}", "crm"),
        ("http://{listen}", "http://127.0.0.1:7070"),
        ("--as {}", "--as ana"),
        ("NAME", "ana"),
        ("USER", "ana"),
        ("{}", "@latest"),
        ("{id}", "@latest"),
        ("{version}", "1"),
        ("FOLDER", "copies"),
        ("FILE", "bot.toml"),
        ("LANE", "@latest"),
        ("TURN", "@latest"),
    ] {
        hint = hint.replace(word, here);
    }
    format!("throughline {hint}")
}

/// Returns the exit code that a line has to end with.
fn expected(line: &str, beside_a_server: bool) -> i32 {
    let words = line.rsplit("throughline ").next().unwrap_or(line);
    let padded = format!("{words}  ");
    let fits = OTHERWISE.iter().filter(|(begins, ..)| padded.starts_with(begins));
    let longest = fits.max_by_key(|(begins, ..)| begins.len());
    longest.map_or(0, |(_, alone, beside, _)| if beside_a_server { *beside } else { *alone })
}

fn is_endless(line: &str) -> bool {
    ENDLESS.iter().any(|begins| line.starts_with(&format!("throughline {begins}")))
}

/// Returns lines for a shell that run a command until it says that it runs, for at most 20 seconds.
fn until_it_says(told: &str, line: &str) -> String {
    let environment = "THROUGHLINE_SERVER__LISTEN=127.0.0.1:0 THROUGHLINE_TELEMETRY__LEVEL=error";
    format!(
        "{environment} {line} >said 2>&1 </dev/null &
        running=$!
        for tenth in $(seq 200); do grep -q '{told}' said && break; sleep 0.1; done
        kill $running && wait $running
        grep -q '{told}' said"
    )
}

fn check(seeded: &Seeded, line: &str, beside_a_server: bool, wrong: &mut Vec<String>) {
    let line = line.replace("127.0.0.1:8080", "127.0.0.1:0");
    let ran = if is_endless(&line) {
        let told = if line.contains("serve") { "listens on" } else { "waiting for a change" };
        seeded.shell(&until_it_says(told, &line))
    } else {
        seeded.shell(&format!("{line} </dev/null"))
    };
    let code = if is_endless(&line) { 0 } else { expected(&line, beside_a_server) };
    if ran.code != code {
        wrong.push(format!("should end with {code}: {}", ran.session()));
    }
}

#[test]
fn every_example_works_beside_the_store_alone() {
    let seeded = Seeded::new();
    let mut wrong = Vec::new();
    let examples = all_examples();
    assert!(examples.len() > 60, "{}", examples.len());
    for line in examples.iter().filter(|line| !needs_server(line)) {
        let copied = seeded.copied();
        std::fs::create_dir_all(copied.home.path().join("backups")).unwrap();
        if line.contains("restore") {
            copied.shell("cp -a made/monday backups/");
        }
        check(&copied, line, false, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_example_works_beside_a_server() {
    let served = Seeded::new().serve();
    served.seeded.shell("mkdir backups");
    let mut wrong = Vec::new();
    let (last, first): (Vec<String>, Vec<String>) =
        all_examples().into_iter().filter(|line| !is_endless(line)).partition(|line| line.contains("erase"));
    for line in first.iter().chain(&last) {
        check(&served.seeded, line, true, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_command_that_a_message_names_works() {
    let seeded = Seeded::new();
    let (alone, served) = (seeded.copied(), seeded.serve());
    let mut wrong = Vec::new();
    let hints = hints();
    assert!(hints.len() > 30, "{hints:?}");
    for hint in &hints {
        let line = typed(hint);
        if !needs_server(&line) {
            check(&alone, &line, false, &mut wrong);
        }
        if !is_endless(&line) {
            check(&served.seeded, &line, true, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
