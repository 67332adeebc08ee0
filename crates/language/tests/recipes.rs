//! The recipes of `docs/recipes`, followed to the letter in a copy of the crate.
// WebAssembly starts no compiler.
#![cfg(not(target_family = "wasm"))]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A page's blocks that make or change a file, each with the file's path as the text before it gives it.
struct Step<'p> {
    path: &'p str,
    language: &'p str,
    text: Vec<&'p str>,
}

fn steps(page: &str) -> Vec<Step<'_>> {
    let (mut steps, mut path, mut lines) = (Vec::new(), None, page.lines());
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let text = lines.by_ref().take_while(|line| *line != "```").collect();
            steps.extend(path.take().map(|path| Step { path, language, text }));
        } else if !line.is_empty() {
            // "In `src/value.rs`:", "… write the file\n`data/…`:"
            let named = line.strip_suffix("`:").and_then(|line| line.rsplit_once('`')).map(|(_, path)| path);
            path = named.filter(|path| path.contains('/'));
        }
    }
    steps
}

/// Does what a step says, in the folder of the crate.
fn follow(folder: &Path, step: &Step<'_>) {
    let path = folder.join(step.path.trim_start_matches("crates/language/"));
    if step.language != "diff" {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut text = step.text.join("\n") + "\n";
        // A test goes behind those that are there.
        if path.exists() {
            text = fs::read_to_string(&path).unwrap() + "\n" + &text;
        }
        return fs::write(&path, text).unwrap();
    }
    let side = |leave_out: char| -> String {
        let lines = step.text.iter().filter(|line| !line.starts_with(leave_out));
        lines.map(|line| format!("{}\n", &line[1..])).collect()
    };
    let (old, new) = (side('+'), side('-'));
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches(&old).count(), 1, "{} has these lines once:\n{old}", step.path);
    fs::write(&path, text.replace(&old, &new)).unwrap();
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

#[test]
fn the_recipes_do_what_they_say() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = own.join("../..");
    let there = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("recipes");
    let _ = fs::remove_dir_all(&there);
    let folder = there.join("crates/language");
    copy(own, &folder);
    // Dutch is among the languages of the tests, word for word: here the page has to bring it.
    fs::remove_dir_all(folder.join("tests/languages")).unwrap();
    let workspace = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let workspace: Vec<&str> = workspace
        .lines()
        .filter(|line| !line.starts_with("default-members"))
        .map(|line| if line.starts_with("members") { "members = [\"crates/language\"]" } else { line })
        .collect();
    fs::write(there.join("Cargo.toml"), workspace.join("\n")).unwrap();
    fs::copy(root.join("Cargo.lock"), there.join("Cargo.lock")).unwrap();

    for (page, least) in [("language", 2), ("recogniser", 10)] {
        let page = fs::read_to_string(root.join("docs/recipes").join(page).with_extension("md")).unwrap();
        let steps = steps(&page);
        assert_eq!(steps.len(), least, "{:?}", steps.iter().map(|step| step.path).collect::<Vec<_>>());
        steps.iter().for_each(|step| follow(&folder, step));
    }
    let dutch = "answers/boolean.txt";
    assert_eq!(
        fs::read_to_string(folder.join("data/nl").join(dutch)).unwrap(),
        fs::read_to_string(own.join("tests/languages/nl").join(dutch)).unwrap(),
        "the page and the crate's tests have the same words",
    );

    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut test = Command::new(cargo);
    test.args(["test", "--offline", "--lib", "--", "colour", "dutch", "folder", "any_unicode"]);
    let out = test.current_dir(&there).env("CARGO_TARGET_DIR", target).output().unwrap();
    let said = [out.stdout, out.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(out.status.success(), "{said}");
    for test in ["colour::tests::colours", "tests::dutch_yes_and_no"] {
        assert!(said.contains(&format!("test {test} ... ok")), "{said}");
    }
}
