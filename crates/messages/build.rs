//! Compiles the catalogues of `locales` into functions: one for each message, with an argument for each variable.
//!
//! A folder of `locales` is a language, named by its BCP 47 code. Its files are in [Fluent's syntax](https://projectfluent.org/fluent/guide/):
//! messages, terms, variables, and selections by a number or by a word. English is the language that the others are
//! compared with: a message that one of them lacks, or that names a variable which English has not, does not compile.

#[path = "build/catalogue.rs"]
mod catalogue;
#[path = "build/code.rs"]
mod code;
#[path = "src/plural.rs"]
#[expect(dead_code, reason = "the crate finds the categories; here only rules are chosen")]
mod plural;
#[path = "build/pseudo.rs"]
mod pseudo;

use std::path::{Path, PathBuf};
use std::{env, fs};

use catalogue::Catalogue;

/// Folder of the language that the others are compared with.
const SOURCE: &str = "en";

fn main() {
    let folder = Path::new("locales");
    println!("cargo::rerun-if-changed={}", folder.display());
    let codes = names(folder).into_iter().filter(|code| code != SOURCE);
    let mut catalogues = vec![Catalogue::read(SOURCE, &files(&folder.join(SOURCE)))];
    for code in codes {
        let files = files(&folder.join(&code));
        catalogues.push(Catalogue::read(&code, &files));
    }
    let source = catalogues[0].clone();
    for other in &mut catalogues[1..] {
        other.compare(&source);
    }
    catalogues.push(pseudo::of(&source));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names the folder")).join("messages.rs");
    fs::write(out, code::write(&catalogues)).expect("the folder can be written to");
}

/// Returns the names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("cannot read {}: {error}", folder.display()));
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("a folder can be listed").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Returns the catalogue files of a language, with their names.
fn files(folder: &Path) -> Vec<(String, String)> {
    let read = |name: String| {
        let path = folder.join(&name);
        let text = fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
        (path.display().to_string(), text)
    };
    names(folder).into_iter().filter(|name| name.ends_with(".ftl")).map(read).collect()
}
