//! Compiles the lexicons of every language into tables, and packs the names of places, so that nothing is parsed at run
//! time.
//!
//! Each folder of `data` is a language, named by its BCP 47 code, and holds a folder for each of the [`FAMILIES`].

#![expect(unreachable_pub, reason = "the modules that the crate compiles too")]

extern crate alloc;

#[path = "src/lexicon/compile.rs"]
mod compile;
#[path = "src/gazetteer/front.rs"]
#[expect(dead_code, reason = "here the names are only packed; the engine looks them up")]
mod front;
#[path = "src/lexicon/pack.rs"]
#[expect(dead_code, reason = "here the tables are only packed; the crate unpacks them")]
mod pack;
#[path = "src/lexicon/table.rs"]
#[expect(dead_code, reason = "here the tables are only made; the engine looks things up in them")]
mod table;
#[path = "src/lexicon/vocabulary.rs"]
mod vocabulary;
#[path = "src/gazetteer/write.rs"]
mod write;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

use compile::{Language, Tables};
use pack::Pack;
use vocabulary::Vocabulary;

/// The families of lexicons: a folder of each language, and what the crate calls it and says of it.
const FAMILIES: [(&str, &str, &str); 5] = [
    ("answers", "ANSWERS", "What answers a question, and what messages say besides."),
    ("requests", "REQUESTS", "What asks for something, and for what."),
    ("review", "REVIEW", "What a review holds: decisions, risks, questions."),
    ("tickets", "TICKETS", "How tickets are described."),
    ("memory", "MEMORY", "What is worth remembering."),
];

/// A folder for each language.
const DATA: &str = "data";

/// Languages that only the crate's own unit tests have: they show that a language is a folder and nothing else.
const DATA_OF_TESTS: &str = "tests/languages";

/// The names of places, one a line.
const PLACES: &str = "data/gazetteer.txt";

/// The days of India's holidays, a holiday a line.
const HINDU_DAYS: &str = "data/hindu_days.txt";

/// The language that is tried first when nobody says which one a person speaks; the others follow by name.
const FIRST: &str = "en";

fn main() {
    if let Err(wrong) = all_lexicons().and_then(|()| gazetteer()).and_then(|()| hindu_days()) {
        println!("cargo::error={wrong}");
    }
}

fn all_lexicons() -> Result<(), String> {
    let (own, of_tests) = (languages(DATA)?, languages(DATA_OF_TESTS)?);
    if let Some((code, _)) = of_tests.iter().find(|(code, _)| own.iter().any(|(known, _)| known == code)) {
        return Err(format!(
            "the language {code} is in {DATA} and in {DATA_OF_TESTS}: delete it in {DATA_OF_TESTS}"
        ));
    }
    lexicons("lexicons", &own)?;
    lexicons("lexicons_of_tests", &[own, of_tests].concat())
}

/// A language: its code and its folder.
type Folder = (String, PathBuf);

/// Writes the tables of some languages: a file of Rust, and one of the numbers it reads.
fn lexicons(file: &str, folders: &[Folder]) -> Result<(), String> {
    let codes: Vec<&str> = folders.iter().map(|(code, _)| code.as_str()).collect();
    let mut texts = Vec::new();
    for (family, name, about) in FAMILIES {
        let sources: Result<Vec<_>, _> =
            folders.iter().map(|(_, folder)| sources(&folder.join(family))).collect();
        texts.push((name, about, sources?));
    }
    let mut families = Vec::new();
    for (name, about, languages) in &texts {
        let read = languages.iter().map(|sources| Language::read(Source::each(sources)));
        families.push((name, about, read.collect::<Result<Vec<_>, _>>()?));
    }
    let words = compile::vocabulary(families.iter().flat_map(|(_, _, languages)| languages));
    let slots = compile::slots(&words);
    let vocabulary = Vocabulary { words: &words, slots: &slots };
    let mut numbers = Vec::new();
    let slots = table(&mut numbers, "words", &slots);
    let mut out = format!(
        "const NUMBERS: &[u8] = include_bytes!(\"{file}.bin\");\n\
         /// The words of all lexicons.\n\
         pub static VOCABULARY: Vocabulary<'_> = Vocabulary {{ words: &{words:?}, slots: &{slots} }};\n\
         /// The codes of the languages.\n\
         pub(crate) const CODES: [&str; {}] = {codes:?};\n",
        codes.len()
    );
    for (name, about, languages) in families {
        let names = compile::names(&languages);
        out +=
            &format!("/// {about}\npub static {name}: Family = Family {{ names: &{names:?}, lexicons: [\n");
        for language in &languages {
            let tables = compile::compile(language, &names, &vocabulary)?;
            write(&mut out, &mut numbers, &tables).map_err(|e| e.to_string())?;
        }
        out += "] };\n";
    }
    output(&format!("{file}.bin"), &numbers)?;
    output(&format!("{file}.rs"), out.as_bytes())
}

/// The languages of a folder, [`FIRST`] before the others.
fn languages(data: &str) -> Result<Vec<Folder>, String> {
    println!("cargo::rerun-if-changed={data}");
    let failed = |e: std::io::Error| format!("cannot read {data}: {e}");
    let mut folders = Vec::new();
    if !Path::new(data).exists() {
        return Ok(folders);
    }
    for entry in fs::read_dir(data).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_type().map_err(failed)?.is_dir() {
            folders.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
        }
    }
    folders.sort_by_key(|(code, _)| (code != FIRST, code.clone()));
    Ok(folders)
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

/// Compiles the days of India's holidays.
fn hindu_days() -> Result<(), String> {
    println!("cargo::rerun-if-changed={HINDU_DAYS}");
    let text = fs::read_to_string(HINDU_DAYS).map_err(|e| format!("cannot read {HINDU_DAYS}: {e}"))?;
    let mut rows = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let wrong = |_| format!("{HINDU_DAYS}: {line:?} is no section with numbers");
        let mut words = line.split(' ');
        let section = words.next().unwrap_or_default();
        let numbers: Result<Vec<i64>, _> = words.map(str::parse).collect();
        let numbers = numbers.map_err(wrong)?;
        let (number, days) =
            numbers.split_first().ok_or_else(|| format!("{HINDU_DAYS}: {line:?} is empty"))?;
        rows.push(format!("({section:?}, {number}, &{days:?})"));
    }
    output("hindu_days.rs", format!("[{}]", rows.join(",\n")).as_bytes())
}

/// Writes a file that the crate includes.
fn output(name: &str, bytes: &[u8]) -> Result<(), String> {
    let folder = env::var("OUT_DIR").map_err(|e| e.to_string())?;
    fs::write(Path::new(&folder).join(name), bytes).map_err(|e| e.to_string())
}

/// Packs a lexicon, and writes the Rust that unpacks it.
fn write(out: &mut String, numbers: &mut Vec<u8>, tables: &Tables) -> std::fmt::Result {
    let Tables { heads, sets, lists, starts, elements, spellings, valued, sections, classes } = tables;
    let fields = [
        ("heads", table(numbers, "heads", heads)),
        ("sets", table(numbers, "sets", sets)),
        ("lists", table(numbers, "lists", lists)),
        ("starts", table(numbers, "starts", starts)),
        ("elements", table(numbers, "elements", elements)),
        ("spellings", table(numbers, "words", spellings)),
        ("valued", table(numbers, "valued", valued)),
        ("sections", table(numbers, "sections", sections)),
        ("classes", table(numbers, "classes", classes)),
    ];
    out.push_str("Lexicon {\n");
    for (name, table) in fields {
        writeln!(out, "{name}: &{table},")?;
    }
    out.push_str("},\n");
    Ok(())
}

/// Packs a table; returns the call of the function of `pack.rs` that unpacks it.
fn table<T: Pack>(numbers: &mut Vec<u8>, unpack: &str, rows: &[T]) -> String {
    let at = numbers.len();
    for row in rows {
        row.pack(numbers);
    }
    format!("pack::{unpack}::<{}>(NUMBERS, {at})", rows.len())
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
    if !folder.exists() {
        // Cargo would run this again for every build while a path that it watches is missing.
        let language = folder.parent().unwrap_or(folder);
        println!("cargo::rerun-if-changed={}", language.display());
        return Ok(Vec::new());
    }
    println!("cargo::rerun-if-changed={}", folder.display());
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
