//! Compiles the lexicons of every language into tables: the engine parses nothing and compares numbers.
//!
//! Each of the [`FOLDERS`] holds one file a language; languages are tried in the order of their names.

extern crate alloc;

#[path = "src/recognize/lexicon/compile.rs"]
mod compile;
#[path = "src/recognize/lexicon/table.rs"]
#[expect(dead_code, reason = "here the tables are only made; the engine looks things up in them")]
mod table;
#[path = "src/recognize/lexicon/vocabulary.rs"]
mod vocabulary;

use std::fmt::{Debug, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

use compile::{File, Tables};
use vocabulary::Vocabulary;

/// Where lexicons are, and what the engine calls them.
const FOLDERS: [(&str, &str); 2] = [("src/recognize/data", "RECOGNIZE"), ("src/intent/data", "INTENT")];

fn main() {
    if let Err(wrong) = run() {
        println!("cargo::error={wrong}");
    }
}

fn run() -> Result<(), String> {
    let mut folders = Vec::new();
    for (folder, name) in FOLDERS {
        folders.push((name, sources(Path::new(folder))?));
    }
    let mut families = Vec::new();
    for (name, sources) in &folders {
        let files: Result<Vec<File<'_>>, _> = sources
            .iter()
            .map(|source| File::read(&source.text).map_err(|wrong| source.at(&wrong)))
            .collect();
        families.push((name, sources, files?));
    }
    let words = compile::vocabulary(families.iter().flat_map(|(_, _, files)| files));
    let slots = compile::slots(&words);
    let vocabulary = Vocabulary { words: &words, slots: &slots };
    let mut out = format!(
        "pub(crate) static VOCABULARY: Vocabulary<'_> = Vocabulary {{ words: &{words:?}, slots: &{slots:?} }};\n"
    );
    for (name, sources, files) in families {
        let names = compile::names(&files);
        out += &format!("pub(crate) const {name}_NAMES: &[&str] = &{names:?};\n");
        out += &format!("pub(crate) static {name}: &[Lexicon] = &[\n");
        for (source, file) in sources.iter().zip(&files) {
            let tables = compile::compile(file, &names, &vocabulary).map_err(|wrong| source.at(&wrong))?;
            write(&mut out, &tables).map_err(|e| e.to_string())?;
        }
        out += "];\n";
    }
    let folder = env::var("OUT_DIR").map_err(|e| e.to_string())?;
    fs::write(Path::new(&folder).join("lexicons.rs"), out).map_err(|e| e.to_string())
}

/// Writes a lexicon as the Rust that makes it.
fn write(out: &mut String, tables: &Tables) -> std::fmt::Result {
    let Tables { heads, starts, elements, spellings, values } = tables;
    let fields: [(&str, &dyn Debug); 5] = [
        ("heads", heads),
        ("starts", starts),
        ("elements", elements),
        ("spellings", spellings),
        ("values", values),
    ];
    out.push_str("Lexicon {\n");
    for (name, table) in fields {
        writeln!(out, "{name}: &{table:?},")?;
    }
    out.push_str("},\n");
    Ok(())
}

/// A language's file.
struct Source {
    path: PathBuf,
    text: String,
}

impl Source {
    /// A message about a line of it: both begin with where.
    fn at(&self, wrong: &str) -> String {
        format!("{}:{wrong}", self.path.display())
    }
}

/// The files of a folder, in the order of their names.
fn sources(folder: &Path) -> Result<Vec<Source>, String> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let failed = |e: std::io::Error| format!("cannot read the lexicons in {}: {e}", folder.display());
    let mut sources = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let text = fs::read_to_string(&path).map_err(failed)?;
        sources.push(Source { path, text });
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(sources)
}
