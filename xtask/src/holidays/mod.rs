//! Writes the days of India's holidays, `crates/language/data/hindu_days.txt`. They follow the sun and the moon, and no
//! crate of calendars has them; the crate `throughline-language` only looks them up.
//!
//! The holidays are those that some language names, in the sections of [`RULES`] of `data/*/answers/time.txt`.

mod hindu;
mod sky;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};
use jiff::civil::Date;

use crate::repo::{Finding, Repo};

const LANGUAGES: &str = "crates/language/data";
const FILE: &str = "crates/language/data/hindu_days.txt";
/// The years of the table: those in which the sun and the moon are right to the day.
const YEARS: std::ops::RangeInclusive<i16> = 1900..=2100;

/// Finds the day of a holiday in a year by its number in the lexicon.
type Rule = fn(i16, i64) -> Option<Date>;

/// The sections that name the holidays, with their rules.
const RULES: [(&str, Rule); 3] = [
    ("holiday.hindu", hindu::by_month),
    ("holiday.hindu_solar", hindu::by_sign),
    ("holiday.hindu_star", hindu::by_star),
];

/// Writes the table, or reports that it is old.
pub(crate) fn run(repo: &Repo, write: bool) -> Result<Vec<Finding>> {
    let fresh = table(&named(repo)?);
    if write {
        repo.write(FILE, &fresh)?;
    } else if repo.read(FILE).as_deref() != Some(fresh.as_str()) {
        return Ok(vec![Finding::file(FILE, "the table is old: run `cargo xtask holidays --write`")]);
    }
    Ok(Vec::new())
}

/// The numbers of the holidays that languages name, by the place of their rule.
fn named(repo: &Repo) -> Result<BTreeSet<(usize, i64)>> {
    let mut named = BTreeSet::new();
    let folder = repo.path(LANGUAGES);
    for language in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = language?.path().join("answers/time.txt");
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let mut rule = None;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if let Some(section) = line.strip_prefix('[') {
                rule = RULES.iter().position(|(name, _)| section.trim_end_matches(']') == *name);
                continue;
            }
            let Some(rule) = rule else { continue };
            let numbers = line.split(',').filter_map(|phrase| phrase.rsplit_once('='));
            for (phrase, number) in numbers {
                let number =
                    number.trim().parse().with_context(|| format!("{}: {phrase}", path.display()))?;
                named.insert((rule, number));
            }
        }
    }
    Ok(named)
}

fn table(named: &BTreeSet<(usize, i64)>) -> String {
    let mut out = format!(
        "# Days of holidays of India: the section that names them, their number there, and the day of each year from {} to\n\
         # {}, counted from its first; 0 in a year without. Made by `cargo xtask holidays --write`; do not edit.\n",
        YEARS.start(),
        YEARS.end()
    );
    for &(rule, number) in named {
        let (section, rule) = RULES[rule];
        let _ = write!(out, "{section} {number}");
        for year in YEARS {
            let _ = write!(out, " {}", rule(year, number).map_or(0, Date::day_of_year));
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_holiday_that_a_language_names() {
        let found = run(&Repo::find().unwrap(), false).unwrap();
        assert!(found.is_empty(), "{}", found[0]);
    }
}
