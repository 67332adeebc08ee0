//! Figures that the page of measurements repeats: each is in the section or the page that its row links to.

use std::sync::LazyLock;

use regex::Regex;

use super::{anchor, links};
use crate::repo::{File, Finding, Repo};

const PAGE: &str = "docs/measurements.md";

/// A number as the tables write it: `14,669`, `0.61`, `-2.2`.
static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"-?\d+(?:,\d{3})*(?:\.\d+)?").expect("a pattern of this file"));

/// A finding for each number of a row's second cell that its source does not have.
pub(super) fn stale(repo: &Repo, pages: &[File]) -> Vec<Finding> {
    let mut found = Vec::new();
    for page in pages.iter().filter(|page| page.path == PAGE) {
        for (n, line) in page.text.lines().enumerate().filter(|(_, line)| line.starts_with("| ")) {
            let mut cells = line.trim_matches('|').split(" | ").map(str::trim);
            let (Some(figures), Some(last)) = (cells.nth(1), cells.last()) else { continue };
            let Some((_, link)) = links::links(last).pop() else { continue };
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let Some(source) = repo.read(&links::beside(PAGE, path)) else { continue };
            let source = section(&source, heading);
            for number in NUMBER.find_iter(figures).map(|number| number.as_str()) {
                if !NUMBER.find_iter(source).any(|seen| seen.as_str() == number) {
                    found.push(Finding::line(PAGE, n + 1, format!("{link} does not have {number}")));
                }
            }
        }
    }
    found
}

/// The text under a heading up to the next of its level; the whole text without one.
fn section<'t>(text: &'t str, heading: &str) -> &'t str {
    let level = |line: &str| line.bytes().take_while(|byte| *byte == b'#').count();
    let mut at = 0;
    let mut begin = None;
    for line in text.split_inclusive('\n') {
        match begin {
            None if level(line) > 0
                && anchor(line.trim_start_matches('#').trim()) == format!("#{heading}") =>
            {
                begin = Some((at, level(line)));
            }
            Some((start, depth)) if (1..=depth).contains(&level(line)) => return &text[start..at],
            _ => {}
        }
        at += line.len();
    }
    begin.map_or(text, |(start, _)| &text[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_in_its_section() {
        let root = tempfile::tempdir().unwrap();
        let repo = Repo::at(root.path());
        repo.write("docs/measurements/b.md", "# B\n\n## One\n\n| 1,000 (900..1,100) |\n\n## Two\n\n0.5\n")
            .unwrap();
        let row =
            |figures: &str, anchor: &str| format!("| what | {figures} | [b](measurements/b.md{anchor}) |\n");
        let text = row("1,000 at 900", "#one") + &row("0.5", "#one") + &row("0.5", "") + &row("100", "");
        let found = stale(&repo, &[File { path: PAGE.into(), text }]);
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        let expected = [
            "docs/measurements.md:2: measurements/b.md#one does not have 0.5",
            "docs/measurements.md:4: measurements/b.md does not have 100",
        ];
        assert_eq!(found, expected);
    }
}
