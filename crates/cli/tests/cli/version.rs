//! `throughline version`: the version, and the commit that the program was built from.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::home::Home;

/// The crate's folder.
const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

fn git(arguments: &[&str], folder: &Path) -> Option<String> {
    let output = Command::new("git").args(arguments).current_dir(folder).output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

#[test]
fn names_the_commit_of_the_checkout_it_was_built_from() {
    let home = Home::new();
    let expected = git(&["rev-parse", "HEAD"], Path::new(FOLDER)).map(|commit| commit[..12].to_owned());
    let version = home.run(&["version", "--json"]).ends(0).json();
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(version["commit"], expected.as_deref().map_or(Value::Null, |commit| json!(commit)));
    let text = home.run(&["version"]).ends(0).out;
    let short = home.run(&["--version"]).ends(0).out;
    match expected {
        Some(commit) => {
            assert!(text.starts_with(&format!("throughline 0.1.0 (commit {commit}, ")), "{text}");
            assert_eq!(short.trim(), format!("throughline 0.1.0 ({commit})"));
        }
        None => assert_eq!(short.trim(), "throughline 0.1.0"),
    }
}

/// A folder with the crate's build script, compiled.
struct Sources {
    root: tempfile::TempDir,
    script: std::path::PathBuf,
}

impl Sources {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let script = root.path().join("script");
        let source = Path::new(FOLDER).join("build.rs");
        let built =
            Command::new("rustc").args(["--edition=2024", "-o"]).arg(&script).arg(source).status().unwrap();
        assert!(built.success());
        Self { root, script }
    }

    /// Runs it in a folder and returns the commit that it found there.
    fn commit(&self, folder: &Path, variable: Option<&str>) -> Option<String> {
        std::fs::create_dir_all(folder).unwrap();
        let mut run = Command::new(&self.script);
        run.current_dir(folder).env("CARGO_PKG_VERSION", "0.1.0").env_remove("THROUGHLINE_COMMIT");
        // What the temporary folder is in is nobody's checkout.
        run.env("GIT_CEILING_DIRECTORIES", self.root.path().parent().unwrap());
        run.envs(variable.map(|commit| ("THROUGHLINE_COMMIT", commit)));
        let output = run.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8(output.stdout).unwrap();
        let value = |name: &str| {
            let name = format!("cargo::rustc-env={name}=");
            said.lines().find_map(|line| line.strip_prefix(name.as_str())).map(str::to_owned)
        };
        let commit = value("BUILT_COMMIT");
        let version = commit.as_ref().map_or("0.1.0".to_owned(), |commit| format!("0.1.0 ({commit})"));
        assert_eq!(value("BUILT_VERSION"), Some(version));
        // `cargo run` sets them for the program, too, which would refuse them as settings that it does not know.
        assert!(!said.contains("rustc-env=THROUGHLINE_"), "{said}");
        commit
    }
}

#[test]
fn sources_without_their_history_are_built_all_the_same() {
    const WHOLE: &str = "0123456789ABCDEF0123456789abcdef01234567";
    const SHORT: &str = "0123456789ab";
    let sources = Sources::new();
    let folder = |name: &str| sources.root.path().join(name).join("crates/cli");
    let commit = |name: &str| sources.commit(&folder(name), None);
    let put = |name: &str, file: &str, text: &str| {
        std::fs::create_dir_all(folder(name)).unwrap();
        std::fs::write(folder(name).join(file), text).unwrap();
    };
    assert_eq!(commit("bare"), None);
    assert_eq!(sources.commit(&folder("bare"), Some(WHOLE)).as_deref(), Some(SHORT));
    assert_eq!(sources.commit(&folder("bare"), Some("")), None);
    // As the file lies in a checkout, and as an archive of it has the file.
    put("unfilled", "commit.txt", "$Format:%H$\n");
    assert_eq!(commit("unfilled"), None);
    put("archive", "commit.txt", &format!("{WHOLE}\n"));
    assert_eq!(commit("archive").as_deref(), Some(SHORT));
    let record =
        format!("{{\n  \"git\": {{\n    \"sha1\": \"{WHOLE}\"\n  }},\n  \"path_in_vcs\": \"crates/cli\"\n}}");
    put("package", ".cargo_vcs_info.json", &record);
    assert_eq!(commit("package").as_deref(), Some(SHORT));
}

#[test]
fn the_commit_of_another_project_that_holds_a_copy_is_not_ours() {
    let sources = Sources::new();
    let other = sources.root.path().join("other");
    let copy = other.join("vendor/throughline/crates/cli");
    std::fs::create_dir_all(&copy).unwrap();
    let commit =
        ["-c", "user.name=n", "-c", "user.email=e@example.org", "commit", "-q", "--allow-empty", "-m", "m"];
    if git(&["init", "-q"], &other).is_some() && git(&commit, &other).is_some() {
        assert_eq!(sources.commit(&copy, None), None);
        let own = sources.commit(&other.join("crates/cli"), None).unwrap();
        assert!(git(&["rev-parse", "HEAD"], &other).unwrap().starts_with(&own));
    }
}
