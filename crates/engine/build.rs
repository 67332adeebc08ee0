//! Compiles the lexicons of every language into tables, and packs the names of places: the engine parses nothing.
//!
//! Each of the [`FOLDERS`] holds one folder a language; languages are numbered in the order of [`LANGUAGES`].

extern crate alloc;

#[path = "src/recognize/lexicon/compile.rs"]
mod compile;
#[path = "src/recognize/gazetteer/front.rs"]
#[expect(dead_code, reason = "here the names are only packed; the engine looks them up")]
mod front;
#[path = "src/recognize/lexicon/table.rs"]
#[expect(dead_code, reason = "here the tables are only made; the engine looks things up in them")]
mod table;
#[path = "src/recognize/lexicon/vocabulary.rs"]
mod vocabulary;
#[path = "src/recognize/gazetteer/write.rs"]
mod write;

use std::fmt::{Debug, Write};
use std::path::Path;
use std::{env, fs};

use compile::{Language, Tables};
use vocabulary::Vocabulary;

/// Where lexicons are, and what the engine calls them.
const FOLDERS: [(&str, &str); 5] = [
    ("src/recognize/data", "RECOGNIZE"),
    ("src/intent/data", "INTENT"),
    ("src/review/data", "REVIEW"),
    ("src/tickets/data", "DRAFT"),
    ("src/memory/data", "MEMORY"),
];

/// The names of places, one a line.
const PLACES: &str = "src/recognize/data/gazetteer.txt";

/// The languages there are, by their BCP 47 codes. A further one is a word here and a folder of files.
const LANGUAGES: [&str; 2] = ["en", "de"];

fn main() {
    if let Err(wrong) = lexicons().and_then(|()| gazetteer()) {
        println!("cargo::error={wrong}");
    }
}

fn lexicons() -> Result<(), String> {
    let mut folders = Vec::new();
    for (folder, name) in FOLDERS {
        let sources: Result<Vec<_>, _> =
            LANGUAGES.iter().map(|language| sources(&Path::new(folder).join(language))).collect();
        folders.push((name, sources?));
    }
    let mut families = Vec::new();
    for (name, languages) in &folders {
        let read = languages.iter().map(|sources| Language::read(Source::each(sources)));
        families.push((name, read.collect::<Result<Vec<_>, _>>()?));
    }
    let words = compile::vocabulary(families.iter().flat_map(|(_, languages)| languages));
    let slots = compile::slots(&words);
    let vocabulary = Vocabulary { words: &words, slots: &slots };
    let mut out = format!(
        "pub(crate) static VOCABULARY: Vocabulary<'_> = Vocabulary {{ words: &{words:?}, slots: &{slots:?} }};\n\
         pub(crate) const LANGUAGES: &[&str] = &{LANGUAGES:?};\n"
    );
    for (name, languages) in families {
        let names = compile::names(&languages);
        out += &format!("pub(crate) const {name}_NAMES: &[&str] = &{names:?};\n");
        out += &format!("pub(crate) static {name}: [Lexicon; {}] = [\n", languages.len());
        for language in &languages {
            let tables = compile::compile(language, &names, &vocabulary)?;
            write(&mut out, &tables).map_err(|e| e.to_string())?;
        }
        out += "];\n";
    }
    output("lexicons.rs", out.as_bytes())
}

fn gazetteer() -> Result<(), String> {
    println!("cargo::rerun-if-changed={PLACES}");
    let text = fs::read_to_string(PLACES).map_err(|e| format!("cannot read {PLACES}: {e}"))?;
    let names = text.lines().filter(|line| !line.starts_with('#'));
    let (names, blocks) = write::write(names)
        .map_err(|name| format!("{PLACES}: {name:?} is empty, too long or not in order"))?;
    output("gazetteer.bin", &names)?;
    output("gazetteer.rs", format!("{blocks:?}").as_bytes())
}

/// Writes a file that the crate includes.
fn output(name: &str, bytes: &[u8]) -> Result<(), String> {
    let folder = env::var("OUT_DIR").map_err(|e| e.to_string())?;
    fs::write(Path::new(&folder).join(name), bytes).map_err(|e| e.to_string())
}

/// Writes a lexicon as the Rust that makes it.
fn write(out: &mut String, tables: &Tables) -> std::fmt::Result {
    let Tables { heads, sets, lists, starts, elements, spellings, valued, sections, classes } = tables;
    let fields: [(&str, &dyn Debug); 9] = [
        ("heads", heads),
        ("sets", sets),
        ("lists", lists),
        ("starts", starts),
        ("elements", elements),
        ("spellings", spellings),
        ("valued", valued),
        ("sections", sections),
        ("classes", classes),
    ];
    out.push_str("Lexicon {\n");
    for (name, table) in fields {
        writeln!(out, "{name}: &{table:?},")?;
    }
    out.push_str("},\n");
    Ok(())
}

/// A file of a language.
struct Source {
    path: String,
    text: String,
}

impl Source {
    fn each(sources: &[Self]) -> impl Iterator<Item = (&str, &str)> {
        sources.iter().map(|source| (source.path.as_str(), source.text.as_str()))
    }
}

/// The files of a language's folder, in the order of their names; a language may have nothing there.
fn sources(folder: &Path) -> Result<Vec<Source>, String> {
    println!("cargo::rerun-if-changed={}", folder.display());
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let failed = |e: std::io::Error| format!("cannot read the lexicons in {}: {e}", folder.display());
    let mut sources = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let text = fs::read_to_string(&path).map_err(failed)?;
        sources.push(Source { path: path.display().to_string(), text });
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(sources)
}
