//! Where the sections are kept: between two marks of `docs/measurements.md`, one a figure, each with its own date.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use crate::origin::{commit, machine, today};
use crate::repo::Repo;
use crate::say;

const DOCUMENT: &str = "docs/measurements.md";
const OPEN: &str = "<!-- bench -->";
const CLOSE: &str = "<!-- /bench -->";

/// Puts the sections of a run in the place of those of the same figures.
pub(super) fn write(repo: &Repo, text: &str, command: &str) -> Result<()> {
    let stamp = format!("`{}`, {} · {} · commit {}", command.trim(), today(repo), machine(), commit(repo));
    let document = repo.read(DOCUMENT).unwrap_or_default();
    let Some((before, rest)) = document.split_once(OPEN) else { bail!("{DOCUMENT} has no {OPEN}") };
    let Some((kept, after)) = rest.split_once(CLOSE) else { bail!("{DOCUMENT} has no {CLOSE}") };
    let sections = merged(kept, text, &stamp);
    repo.write(DOCUMENT, &format!("{before}{OPEN}\n\n{sections}{CLOSE}{after}"))?;
    say::note(&format!("written to {DOCUMENT}"));
    Ok(())
}

/// The sections there were with those that are new, in the order of the figures.
fn merged(kept: &str, new: &str, stamp: &str) -> String {
    let mut all: BTreeMap<u32, String> = sections(kept);
    for (figure, section) in sections(new) {
        let (title, rest) = section.split_once('\n').unwrap_or((&section, ""));
        all.insert(figure, format!("{title}\n\n{stamp}\n\n{}", rest.trim_start()));
    }
    all.into_values().map(|section| format!("{}\n\n", section.trim())).collect()
}

/// Sections by the number of their figure: `### B4: …`.
fn sections(text: &str) -> BTreeMap<u32, String> {
    let mut all = BTreeMap::new();
    for section in format!("\n{text}").split("\n### B").skip(1) {
        let number = section.split(':').next().unwrap_or_default();
        if let Ok(number) = number.parse() {
            all.insert(number, format!("### B{section}"));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_section_takes_the_place_of_the_old_one() {
        let kept = "\n\n### B2: two\n\nold\n\n### B10: ten\n\nkept\n\n| a |\n";
        let new = "### B9: nine\n\nnew\n\n### B2: two\n\nnewer\n";
        let told = merged(kept, new, "when");
        let expected = "### B2: two\n\nwhen\n\nnewer\n\n### B9: nine\n\nwhen\n\nnew\n\n### B10: ten\n\nkept\n\n| a |\n\n";
        assert_eq!(told, expected);
        assert_eq!(merged(&told, "", "later"), told);
    }
}
