//! The sections of `docs/measurements/bench.md`, between its two marks: one for each figure, with the date of its run.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use crate::output;
use crate::provenance::{commit, machine, today};
use crate::repo::Repo;

const DOCUMENT: &str = "docs/measurements/bench.md";
const OPEN: &str = "<!-- bench -->";
const CLOSE: &str = "<!-- /bench -->";

/// Replaces the sections of the figures that a run measured.
pub(super) fn write(repo: &Repo, text: &str, command: &str) -> Result<()> {
    let stamp = format!("`{}`, {} · {} · commit {}", command.trim(), today(repo), machine(), commit(repo));
    let document = repo.read(DOCUMENT).unwrap_or_default();
    let Some((before, rest)) = document.split_once(OPEN) else { bail!("{DOCUMENT} has no {OPEN}") };
    let Some((kept, after)) = rest.split_once(CLOSE) else { bail!("{DOCUMENT} has no {CLOSE}") };
    let sections = merged(kept, text, &stamp);
    repo.write(DOCUMENT, &format!("{before}{OPEN}\n\n{sections}{CLOSE}{after}"))?;
    output::note(&format!("written to {DOCUMENT}"));
    Ok(())
}

/// The kept sections with the new ones in place of those with their title, in the order of the figures.
fn merged(kept: &str, new: &str, stamp: &str) -> String {
    let mut all = sections(kept, "\n## ");
    for (order, section) in sections(new, "\n### ") {
        let (title, rest) = section.split_once('\n').unwrap_or((&section, ""));
        all.insert(order, format!("{title}\n\n{stamp}\n\n{}", rest.trim_start()));
    }
    all.into_values().map(|section| format!("## {}\n\n", section.trim())).collect()
}

/// Sections by figure: `B4: engine step` before `B10: …` before `Facts of a tenant`.
fn sections(text: &str, mark: &str) -> BTreeMap<(u32, String), String> {
    let mut all = BTreeMap::new();
    for section in format!("\n{text}").split(mark).skip(1) {
        let title = section.split('\n').next().unwrap_or_default();
        let name = title.split(':').next().unwrap_or_default();
        let number = name.strip_prefix('B').and_then(|number| number.parse().ok()).unwrap_or(u32::MAX);
        all.insert((number, name.to_owned()), section.to_owned());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_section_takes_the_place_of_the_old_one() {
        let kept = "\n\n## B2: two\n\nold\n\n## B10: ten\n\nkept\n\n| a |\n\n## Facts\n\nkept\n";
        let new = "### B9: nine\n\nnew\n\n### B2: two\n\nnewer\n";
        let written = merged(kept, new, "when");
        let expected = "## B2: two\n\nwhen\n\nnewer\n\n## B9: nine\n\nwhen\n\nnew\n\n## B10: ten\n\nkept\n\n| a |\n\n\
                        ## Facts\n\nkept\n\n";
        assert_eq!(written, expected);
        assert_eq!(merged(&written, "", "later"), written);
    }
}
