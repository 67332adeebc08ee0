//! Trains the learned judge: `cargo xtask train DATA`.
//!
//! `crates/language/judge/manifest.toml` names the sources, their licences, and which of them the weights are made of.

#![expect(clippy::print_stdout, reason = "figures are what it is run for")]

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use throughline_eval::train::{FOLDS, Labelled, Unseen, cross_validate, put_to_questions, train};
use throughline_language::judge::Head;

/// Numbers of wrong verdicts for which the margin is shown that allows no more.
const ALLOWED: [usize; 7] = [0, 1, 2, 3, 5, 10, 20];

#[derive(Deserialize)]
struct Manifest {
    /// Files of the data folder, in the order in which they are learned from.
    files: Vec<String>,
    /// The part of their names that thresholds are fitted on.
    fitted_on: String,
    source: Vec<Source>,
}

#[derive(Deserialize)]
struct Source {
    name: String,
    licence: String,
    /// True if what is made of it has to be offered under its licence.
    #[serde(default)]
    share_alike: bool,
    used: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut flag = |name: &str| {
        let before = arguments.len();
        arguments.retain(|argument| argument != name);
        arguments.len() < before
    };
    let (write, figures) = (flag("--write"), !flag("--no-figures"));
    let [data] = arguments.as_slice() else {
        return Err("usage: train_judge DATA [--write] [--no-figures]".into());
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../language/judge");
    let manifest: Manifest = toml::from_str(&fs::read_to_string(folder.join("manifest.toml"))?)?;
    let (lines, fitted) = read(Path::new(data), &manifest)?;
    println!("{} labelled messages of {} sources", lines.len(), manifest.source.len());
    let lines = put_to_questions(&lines);
    if figures {
        print_figures(&manifest, &lines, &fitted);
    }
    let used: Vec<&Labelled> = lines.iter().filter(|one| manifest.of(one).used).collect();
    let bytes = train(&used);
    println!("{} bytes, fingerprint {:016x}", bytes.len(), fingerprint(&bytes));
    let file = folder.join("weights.bin");
    if write {
        fs::write(&file, &bytes)?;
    } else if fs::read(&file)? != bytes {
        return Err("the weights differ from those of the repository; --write renews them".into());
    }
    Ok(())
}

impl Manifest {
    fn of(&self, one: &Labelled) -> &Source {
        self.source
            .iter()
            .find(|source| source.name == one.source)
            .expect("every line was read with its source")
    }
}

/// Texts of messages that thresholds are fitted on.
type Fitted = BTreeSet<String>;

/// Reads every line that is labelled, and the texts that thresholds are fitted on. A source that the manifest does not name is an
/// error.
fn read(data: &Path, manifest: &Manifest) -> Result<(Vec<Labelled>, Fitted), Box<dyn Error>> {
    let (mut lines, mut fitted) = (Vec::new(), Fitted::new());
    for name in &manifest.files {
        let file = data.join(name);
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        for line in text.lines() {
            let Some(one) = Labelled::read(line)? else { continue };
            if !manifest.source.iter().any(|source| source.name == one.source) {
                return Err(format!("{name}: the manifest has no source {}", one.source).into());
            }
            if name.contains(&manifest.fitted_on) {
                fitted.insert(one.text.clone());
            }
            lines.push(one);
        }
    }
    Ok((lines, fitted))
}

/// Prints what the judge gets right among messages that it did not learn from and that the rules leave open: with every
/// source that is used, and without those that are shared alike.
fn print_figures(manifest: &Manifest, lines: &[Labelled], fitted: &Fitted) {
    let used = |one: &Labelled| manifest.of(one).used;
    let asked = |one: &Labelled| fitted.contains(&one.text);
    let sources = manifest.source.iter().filter(|source| source.used);
    let licences: BTreeSet<&str> = sources.map(|source| &*source.licence).collect();
    println!("\nEvery source used ({}), {FOLDS} folds", licences.into_iter().collect::<Vec<_>>().join(", "));
    print_margins(&cross_validate(lines, used, asked));
    println!("\nWithout sources that are shared alike");
    print_margins(&cross_validate(lines, |one| used(one) && !manifest.of(one).share_alike, asked));
}

fn print_margins(unseen: &[Unseen]) {
    for (name, head, confirms) in [
        ("yes", Head::Yes, Some(false)),
        ("yes, to a confirmation", Head::Yes, Some(true)),
        ("no", Head::No, None),
        ("done", Head::Done, None),
    ] {
        let mut of: Vec<&Unseen> = unseen
            .iter()
            .filter(|one| one.head == head && one.margin > 0 && confirms.is_none_or(|it| one.confirms == it))
            .collect();
        of.sort_by_key(|one| std::cmp::Reverse(one.margin));
        let shown = ALLOWED.map(|allowed| {
            let wrong = of.iter().scan(0, |wrong, one| {
                *wrong += usize::from(one.right == Some(false));
                Some(*wrong)
            });
            let taken = wrong.take_while(|wrong| *wrong <= allowed).count();
            let right = of[..taken].iter().filter(|one| one.right == Some(true)).count();
            format!("{allowed} wrong: {right} right from {}", of[..taken].last().map_or(0, |one| one.margin))
        });
        println!("  {name}: {}", shown.join(" · "));
    }
}

/// FNV-1a of the bytes.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
