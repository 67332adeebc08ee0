//! Finds the commit that the program is built from, for `throughline version`, `/version` and the metrics.
//!
//! The first source that knows it wins: a variable, which container builds set; the record that `cargo package` leaves in
//! a published crate; the file that `git archive` fills in; the checkout itself. Without any the program says none.

use std::path::Path;
use std::process::Command;

/// The variable that is read.
const COMMIT: &str = "THROUGHLINE_COMMIT";
/// Written into a published crate.
const PACKAGED: &str = ".cargo_vcs_info.json";
/// Filled in by `git archive`, as `.gitattributes` asks.
const ARCHIVED: &str = "commit.txt";
/// The crate's folder in a checkout. In another one, that of a project which holds a copy of this, the commit is not ours.
const FOLDER: &str = "crates/cli/";
/// The digits that tell a commit.
const DIGITS: usize = 12;

fn main() {
    println!("cargo::rerun-if-env-changed={COMMIT}");
    let commit = variable().or_else(packaged).or_else(archived).or_else(checked_out);
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    // `cargo run` hands these on to the program, which takes a variable that begins with its own name for a setting.
    match commit {
        Some(commit) => {
            println!("cargo::rustc-env=BUILT_COMMIT={commit}");
            println!("cargo::rustc-env=BUILT_VERSION={version} ({commit})");
        }
        None => println!("cargo::rustc-env=BUILT_VERSION={version}"),
    }
}

fn variable() -> Option<String> {
    short(&std::env::var(COMMIT).ok()?)
}

fn packaged() -> Option<String> {
    let record = read(PACKAGED)?;
    short(record.split_once("\"sha1\": \"")?.1.split('"').next()?)
}

fn archived() -> Option<String> {
    short(&read(ARCHIVED)?)
}

fn checked_out() -> Option<String> {
    let prefix = git(&["rev-parse", "--show-prefix"])?;
    if prefix != FOLDER {
        return None;
    }
    // Both change with a commit or a checkout. A file that is not there would make every build a new one.
    for changed in ["HEAD", "logs/HEAD"] {
        let path = git(&["rev-parse", "--git-path", changed])?;
        if Path::new(&path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    short(&git(&["rev-parse", "HEAD"])?)
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// Returns the text of a file that may be there.
fn read(file: &str) -> Option<String> {
    if !Path::new(file).exists() {
        return None;
    }
    println!("cargo::rerun-if-changed={file}");
    std::fs::read_to_string(file).ok()
}

/// Returns the first digits of a commit; none if the text is no commit, as where nothing was filled in.
fn short(text: &str) -> Option<String> {
    let text = text.trim();
    let commit = text.len() >= DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    commit.then(|| text[..DIGITS].to_ascii_lowercase())
}
