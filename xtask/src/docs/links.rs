//! Links from page to page, down to the heading.

use std::path::{Component, Path, PathBuf};

use super::anchor;
use crate::repo::{File, Finding, Repo};

/// Returns a finding for each link to a file or a heading that does not exist. Addresses elsewhere are not followed.
pub(super) fn dead(repo: &Repo, pages: &[File]) -> Vec<Finding> {
    let mut found = Vec::new();
    for page in pages {
        for (line, link) in links(&page.text) {
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let to = if path.is_empty() { page.path.clone() } else { beside(&page.path, path) };
            if !repo.path(&to).exists() {
                found.push(Finding::line(
                    &page.path,
                    line,
                    format!("{link} leads nowhere: there is no {to}"),
                ));
            } else if !heading.is_empty() && !repo.read(&to).is_some_and(|text| has_heading(&text, heading)) {
                found.push(Finding::line(&page.path, line, format!("{to} has no heading #{heading}")));
            }
        }
    }
    found
}

/// Returns the links outside of fenced blocks, with their lines.
pub(super) fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (n, line) in text.lines().enumerate() {
        fenced ^= line.trim_start().starts_with("```");
        let targets = line.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
        let ours = targets.filter(|target| !fenced && !target.contains(':'));
        found.extend(ours.map(|target| (n + 1, target)));
    }
    found
}

/// Returns the path from the root that a page names relative to itself.
pub(super) fn beside(page: &str, path: &str) -> String {
    let mut whole = PathBuf::new();
    let folder = Path::new(page).parent().unwrap_or(Path::new(""));
    for part in folder.join(path).components() {
        match part {
            Component::ParentDir => _ = whole.pop(),
            other => whole.push(other),
        }
    }
    whole.to_string_lossy().into_owned()
}

fn has_heading(text: &str, wanted: &str) -> bool {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| anchor(line.trim_start_matches('#').trim()))
        .any(|anchor| anchor == format!("#{wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_nowhere_is_found() {
        let root = tempfile::tempdir().unwrap();
        let repo = Repo::at(root.path());
        repo.write("docs/b.md", "# B\n\n## The `x.y` of it\n").unwrap();
        repo.write("README.md", "").unwrap();
        let text = "[a](b.md) [b](b.md#the-xy-of-it) [c](../README.md) [d](https://x.org/y) [e](#here)\n\n\
                    # Here\n```\n[f](no.md)\n```\n[g](c.md) [h](b.md#no)\n";
        let page = File { path: "docs/a.md".into(), text: text.into() };
        repo.write(&page.path, &page.text).unwrap();
        let found: Vec<String> = dead(&repo, &[page]).iter().map(ToString::to_string).collect();
        let expected = [
            "docs/a.md:7: c.md leads nowhere: there is no docs/c.md",
            "docs/a.md:7: docs/b.md has no heading #no",
        ];
        assert_eq!(found, expected);
    }
}
