//! The order of the book: the introduction is README.md, the parts are the rows of its table *Where to go*.
//!
//! A page that no row names stands below the first page that leads to it, or below the index of its folder. A page that
//! nothing leads to is missing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context, Result};

use crate::docs::links;
use crate::repo::{Finding, Repo};

const INTRODUCTION: &str = "README.md";
/// The heading of the table that orders the book.
const TABLE: &str = "## Where to go";
/// The index of a folder.
const INDEX: &str = "README.md";

pub(super) struct Page {
    pub(super) title: String,
    pub(super) text: String,
}

pub(super) struct Part {
    pub(super) title: String,
    /// Its pages by path, each with those below it.
    pub(super) pages: Vec<(String, Vec<String>)>,
}

pub(super) struct Contents {
    /// Every page of the book by its path in the repository.
    pub(super) pages: BTreeMap<String, Page>,
    pub(super) parts: Vec<Part>,
    /// A finding for each page that nothing leads to.
    pub(super) missing: Vec<Finding>,
}

impl Contents {
    pub(super) fn read(repo: &Repo) -> Result<Self> {
        let pages = pages(repo)?;
        let introduction = &pages.get(INTRODUCTION).context("there is no README.md")?.text;
        let mut parts = parts(introduction);
        let named: BTreeSet<&str> = parts.iter().flat_map(Part::named).collect();
        let mut others: BTreeSet<String> = pages
            .keys()
            .filter(|path| *path != INTRODUCTION && !named.contains(path.as_str()))
            .cloned()
            .collect();
        // An index takes its folder first; what is left goes where it is first named.
        place(&mut parts, &mut others, |page| {
            let folder = page.strip_suffix(INDEX).map(str::to_owned);
            move |other| folder.as_ref().is_some_and(|folder| !folder.is_empty() && other.starts_with(folder))
        });
        place(&mut parts, &mut others, |page| {
            let linked = linked(page, &pages[page].text);
            move |other| linked.iter().any(|linked| linked == other)
        });
        let what = "no page leads here: name it in README.md's table, or in a page that is named there";
        let missing = others.iter().map(|path| Finding::file(path, what)).collect();
        Ok(Self { pages, parts, missing })
    }

    /// Returns every page in the order of the book, the introduction first.
    pub(super) fn order(&self) -> impl Iterator<Item = &str> {
        let listed = self.parts.iter().flat_map(|part| &part.pages);
        let listed = listed.flat_map(|(page, below)| std::iter::once(page).chain(below));
        std::iter::once(INTRODUCTION).chain(listed.map(String::as_str))
    }

    /// Returns the book's table of contents as mdBook reads it.
    pub(super) fn summary(&self) -> String {
        let mut out = format!("# Summary\n\n[Introduction]({INTRODUCTION})\n");
        let line = |path: &str, indent: &str| format!("{indent}- [{}]({path})\n", self.pages[path].title);
        for part in &self.parts {
            let _ = write!(out, "\n# {}\n\n", part.title);
            for (page, below) in &part.pages {
                out += &line(page, "");
                below.iter().for_each(|page| out += &line(page, "  "));
            }
        }
        out
    }
}

impl Part {
    fn named(&self) -> impl Iterator<Item = &str> {
        self.pages.iter().map(|(page, _)| page.as_str())
    }
}

/// Moves each of the other pages below the first page that takes it.
fn place<T: Fn(&str) -> bool>(parts: &mut [Part], others: &mut BTreeSet<String>, takes: impl Fn(&str) -> T) {
    for (page, below) in parts.iter_mut().flat_map(|part| &mut part.pages) {
        let mut at = 0;
        let mut reader = page.clone();
        // What a page below leads to stands beside it.
        loop {
            let takes = takes(&reader);
            let found: Vec<String> = others.iter().filter(|other| takes(other)).cloned().collect();
            found.iter().for_each(|found| _ = others.remove(found));
            below.extend(found);
            let Some(next) = below.get(at) else { break };
            reader.clone_from(next);
            at += 1;
        }
    }
}

/// Returns the pages of docs/ and of the root, and every other page that one of them leads to.
fn pages(repo: &Repo) -> Result<BTreeMap<String, Page>> {
    let mut wanted: Vec<String> = repo.files("docs", &[".md"])?.into_iter().map(|file| file.path).collect();
    wanted.push(INTRODUCTION.into());
    let mut pages = BTreeMap::new();
    while let Some(path) = wanted.pop() {
        if pages.contains_key(&path) {
            continue;
        }
        let text = repo.read(&path).with_context(|| format!("there is no {path}"))?;
        wanted.extend(linked(&path, &text));
        let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(&path).trim().to_owned();
        pages.insert(path, Page { title, text });
    }
    Ok(pages)
}

/// Returns the pages that a page links to, in order.
fn linked(path: &str, text: &str) -> Vec<String> {
    let paths = links::links(text).into_iter().map(|(_, link)| link.split('#').next().unwrap_or_default());
    paths.filter(|link| link.ends_with(".md")).map(|link| links::beside(path, link)).collect()
}

/// Reads the table: the first cell of a row is a part's title, the links of the second are its pages.
fn parts(introduction: &str) -> Vec<Part> {
    let table = introduction.split_once(TABLE).map_or("", |(_, rest)| rest);
    let rows =
        table.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let row = |line: &str| {
        let (title, pages) = line.trim_matches('|').split_once('|')?;
        let mut letters = title.trim().chars();
        let title = letters.next()?.to_uppercase().chain(letters).collect();
        Some(Part {
            title,
            pages: linked(INTRODUCTION, pages).into_iter().map(|page| (page, Vec::new())).collect(),
        })
    };
    rows.skip(2).filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const README: &str = "# It\n\n## Where to go\n\n| To | Read |\n| --- | --- |\n| begin | [a](docs/a.md), [b](docs/b.md) |\n\
                          | change it | [notes](docs/design/README.md) |\n\nSee [x](docs/x.md).\n";

    fn book(files: &[(&str, &str)]) -> Contents {
        let root = tempfile::tempdir().unwrap();
        let repo = Repo::at(root.path());
        repo.write("README.md", README).unwrap();
        for (path, text) in files {
            repo.write(path, text).unwrap();
        }
        Contents::read(&repo).unwrap()
    }

    #[test]
    fn pages_stand_in_the_order_of_the_table_and_the_others_below_what_leads_to_them() {
        let contents = book(&[
            ("docs/a.md", "# A\n\n[on](c.md#there)\n"),
            ("docs/b.md", "# B\n"),
            (
                "docs/c.md",
                "# C\n\n[on](../crates/d/README.md) [note](design/0001-no-ports-in-the-engine.md)\n",
            ),
            ("crates/d/README.md", "# D\n"),
            ("docs/design/README.md", "# Notes\n"),
            ("docs/design/0001-no-ports-in-the-engine.md", "# N\n"),
            ("docs/x.md", "# X\n"),
        ]);
        let expected = "# Summary\n\n[Introduction](README.md)\n\n# Begin\n\n- [A](docs/a.md)\n  - [C](docs/c.md)\n  \
                        - [D](crates/d/README.md)\n- [B](docs/b.md)\n\n# Change it\n\n- [Notes](docs/design/README.md)\n  \
                        - [N](docs/design/0001-no-ports-in-the-engine.md)\n";
        assert_eq!(contents.summary(), expected);
        let missing: Vec<String> = contents.missing.iter().map(ToString::to_string).collect();
        assert_eq!(missing.len(), 1, "{missing:?}");
        assert!(missing[0].starts_with("docs/x.md: no page leads here"), "{missing:?}");
    }

    #[test]
    fn every_page_of_this_repository_is_in_its_book() {
        let repo = Repo::find().unwrap();
        let contents = Contents::read(&repo).unwrap();
        let missing: Vec<String> = contents.missing.iter().map(ToString::to_string).collect();
        assert!(missing.is_empty(), "{missing:?}");
        let order: Vec<&str> = contents.order().collect();
        assert_eq!(order.len(), contents.pages.len(), "each page once");
        assert_eq!(order[..2], ["README.md", "docs/tutorial.md"], "a newcomer begins with the tutorial");
    }
}
