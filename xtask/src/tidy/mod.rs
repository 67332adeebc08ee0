//! Rules of the repository that no lint knows, as one check each.

mod codes;
mod files;
mod prose;
mod sources;
mod words;

use anyhow::Result;

use crate::docs;
use crate::repo::{File, Finding, Repo};

/// The files the checks look at, read once.
struct Tree<'r> {
    repo: &'r Repo,
    /// Every Rust file of ours.
    rust: Vec<File>,
    /// Every scenario.
    scenarios: Vec<File>,
    /// Every snapshot that a test compares with.
    snapshots: Vec<File>,
    /// Every document a person reads: Markdown anywhere.
    documents: Vec<File>,
    /// Data, pages, styles, configuration and scripts.
    others: Vec<File>,
}

const OTHERS: &[&str] =
    &[".yaml", ".yml", ".toml", ".html", ".js", ".mjs", ".css", ".sql", ".sh", ".json", "run"];

/// Runs every check, and those of the pages that no program is needed for; `write` lowers the kept counts first.
pub(crate) fn run(repo: &Repo, write: bool) -> Result<Vec<Finding>> {
    let mut found = of_the_sources(repo, write)?;
    found.extend(docs::findings(repo)?);
    Ok(found)
}

fn of_the_sources(repo: &Repo, write: bool) -> Result<Vec<Finding>> {
    let mut rust = repo.files("crates", &[".rs"])?;
    rust.extend(repo.files("xtask", &[".rs"])?);
    let tree = Tree {
        repo,
        rust,
        scenarios: repo.files("crates", &[".scenario.yaml"])?,
        snapshots: repo.files("crates", &[".snap"])?,
        documents: repo.files("", &[".md"])?,
        others: repo.files("", OTHERS)?,
    };
    if write {
        sources::write_long_files(&tree)?;
    }
    let mut found = Vec::new();
    found.extend(sources::headers(&tree));
    found.extend(sources::lints(&tree)?);
    found.extend(sources::exceptions(&tree));
    found.extend(sources::long_files(&tree));
    found.extend(codes::reasons(&tree));
    found.extend(codes::errors(&tree));
    found.extend(words::promises(&tree));
    found.extend(words::machine_paths(&tree));
    found.extend(words::said_faults(&tree));
    found.extend(words::forgotten_tasks(&tree));
    found.extend(prose::design_notes(&tree));
    found.extend(prose::citations(&tree));
    found.extend(prose::questions(&tree));
    found.extend(files::scenarios(&tree));
    found.extend(files::acceptance(&tree));
    found.extend(files::migrations(&tree)?);
    found.extend(files::changelog(&tree)?);
    Ok(found)
}

impl Tree<'_> {
    /// The parts of the Rust files that are tests, and the snapshots they compare with.
    fn tests(&self) -> impl Iterator<Item = &str> {
        let snapshots = self.snapshots.iter().map(|file| file.text.as_str());
        self.rust.iter().map(|file| split(file).1).filter(|tests| !tests.is_empty()).chain(snapshots)
    }
}

/// A Rust file as product and tests. Tests are whole files in a `tests/` folder or called `tests.rs`, and the part after
/// the first `#[cfg(test)]` of any other.
fn split(file: &File) -> (&str, &str) {
    if file.path.contains("/tests/") || file.path.ends_with("/tests.rs") {
        return ("", &file.text);
    }
    file.text.split_at(file.text.find("#[cfg(test)]").unwrap_or(file.text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the findings in a repository of these files.
    fn found(name: &str, files: &[(&str, &str)]) -> Vec<String> {
        let root = std::env::temp_dir().join(format!("throughline-tidy-{}-{name}", std::process::id()));
        let repo = Repo::at(&root);
        for (path, text) in files {
            repo.write(path, text).unwrap();
        }
        let found = of_the_sources(&repo, false).unwrap();
        std::fs::remove_dir_all(&root).unwrap();
        let ours = |finding: &String| files.iter().any(|(path, _)| finding.starts_with(path));
        found.iter().map(ToString::to_string).filter(ours).collect()
    }

    #[test]
    fn a_file_as_it_should_be_is_passed() {
        let lib = "//! A part of it.\n\n#[expect(dead_code, reason = \"shown\")]\nfn f() {}\n";
        let manifest = "[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n";
        let files = [("crates/a/src/lib.rs", lib), ("crates/a/Cargo.toml", manifest)];
        assert_eq!(found("good", &files), Vec::<String>::new());
    }

    #[test]
    fn each_rule_finds_what_breaks_it() {
        let long = format!("//! Long.\n{}", "\n".repeat(700));
        let once = format!("We do it exactly {}.\n", "once");
        let local = format!("see /{}/me\n", "home");
        let table = [
            ("header", "crates/a/src/lib.rs", "fn f() {}\n", "begin with a `//!` line"),
            ("allow", "crates/a/src/lib.rs", "//! A.\n#[allow(dead_code)]\nfn f() {}\n", "says its reason"),
            ("reason", "crates/a/src/lib.rs", "//! A.\n#[expect(dead_code)]\nfn f() {}\n", "says its reason"),
            ("long", "crates/a/src/lib.rs", &long, "701 lines"),
            ("lints", "crates/a/Cargo.toml", "[package]\nname = \"a\"\n", "[lints]"),
            ("code", "crates/a/src/lib.rs", "//! See TL-1234.\n", "TL-1234 has no section"),
            ("once", "README.md", &once, "never claim this"),
            ("path", "docs/x.md", &local, "a path of one machine"),
            (
                "said",
                "crates/trackers/src/a/form.rs",
                "//! A.\nfn f() -> Fault {\n    Fault::Said(\"No\".into())\n}\n",
                "only `answer.rs`",
            ),
            (
                "task",
                "crates/server/src/a.rs",
                "//! A.\nfn f() {\n    tokio::spawn(async {});\n}\n",
                "nobody waits for this task",
            ),
            (
                "name",
                "crates/engine/tests/scenarios/gate/not-now.scenario.yaml",
                "scenario: later\n",
                "scenario: not now",
            ),
            ("flat", "crates/engine/tests/scenarios/not-now.scenario.yaml", "scenario: not now\n", "folder"),
            (
                "row",
                "crates/engine/tests/scenarios/gate/W9.scenario.yaml",
                "scenario: W9\n",
                "for its behaviour",
            ),
            (
                "note",
                "crates/a/src/lib.rs",
                "//! See docs/design/0999-x.md.\n",
                "no design note docs/design/0999-x.md",
            ),
            ("spec", "docs/x.md", "As spec 04 says.\n", "not in the repository"),
            ("gap", "crates/store/src/sqlite/migrations/0002_x.sql", "SELECT 1;\n", "expected 0001_"),
            ("fragment", "changelog/x.md", "new\nA thing.\n", "the first line is the category"),
            ("empty", "changelog/x.md", "added\n", "say after the category"),
        ];
        for (name, path, text, said) in table {
            let found = found(name, &[(path, text)]);
            assert!(found.iter().any(|finding| finding.contains(said)), "{name}: {found:?}");
        }
    }

    /// Words of a far side pass where its answers are read, and in tests.
    #[test]
    fn words_of_a_tracker_pass_where_its_answers_are_read() {
        let said = "//! A.\nfn f() -> Fault {\n    Fault::Said(text)\n}\n";
        let tested = "//! A.\n#[cfg(test)]\nmod tests {\n    const F: Fault = Fault::Said(text);\n}\n";
        let files = [
            ("crates/trackers/src/a/answer.rs", said),
            ("crates/trackers/src/a/form.rs", tested),
            ("crates/trackers/src/a/tests/b.rs", said),
            ("crates/other/src/lib.rs", said),
        ];
        assert_eq!(found("said-there", &files), Vec::<String>::new());
    }

    #[test]
    fn acceptance_rows_are_found_in_scenarios_and_tests() {
        let files = [
            ("xtask/acceptance.txt", "# Rows.\nW8\nW9\nW10\nW11\n"),
            (
                "crates/engine/tests/scenarios/gate/not-now.scenario.yaml",
                "scenario: not now\nrow: [W8, W99]\n",
            ),
            ("crates/a/tests/b.rs", "//! B.\n\n// row: W9, W10\n#[test]\nfn holds() {}\n"),
        ];
        let found = found("rows", &files);
        assert!(found.iter().any(|finding| finding.contains("`row: W99` is not in")), "{found:?}");
        assert!(found.iter().any(|finding| finding.contains("W11 is neither")), "{found:?}");
        assert_eq!(found.len(), 2, "{found:?}");
    }
}
