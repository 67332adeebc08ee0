//! Every address in the finished HTML that is not elsewhere: its file is in the book, and its anchor on that page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use anyhow::{Context, Result};
use regex::Regex;

use crate::docs::links;
use crate::repo::Finding;

static ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"\s(?:href|src)="([^"]+)""#).expect("a pattern of this file"));
static ID: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"\sid="([^"]+)""#).expect("a pattern of this file"));

/// Made for a missing page and for printing: they are at any address.
const ANYWHERE: [&str; 2] = ["404.html", "print.html"];

pub(super) fn dead(book: &Path) -> Result<Vec<Finding>> {
    let mut pages = BTreeMap::new();
    collect(book, book, &mut pages)?;
    let ids: BTreeMap<&str, BTreeSet<&str>> = pages
        .iter()
        .map(|(path, html)| {
            (path.as_str(), ID.captures_iter(html).filter_map(|id| Some(id.get(1)?.as_str())).collect())
        })
        .collect();
    let mut found = Vec::new();
    for (path, html) in pages.iter().filter(|(path, _)| !ANYWHERE.contains(&path.as_str())) {
        for address in ADDRESS.captures_iter(html).filter_map(|found| Some(found.get(1)?.as_str())) {
            if address.contains(':') || address.starts_with("//") {
                continue;
            }
            let (file, anchor) = address.split_once('#').unwrap_or((address, ""));
            let file = file.split('?').next().unwrap_or_default();
            let to = if file.is_empty() { path.clone() } else { links::beside(path, file) };
            let there = book.join(&to).is_file();
            if !there {
                found.push(Finding::file(path, format!("{address} leads nowhere: the book has no {to}")));
            } else if !anchor.is_empty() && ids.get(to.as_str()).is_some_and(|ids| !ids.contains(anchor)) {
                found.push(Finding::file(path, format!("{to} has no place #{anchor}")));
            }
        }
    }
    Ok(found)
}

fn collect(book: &Path, folder: &Path, into: &mut BTreeMap<String, String>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            collect(book, &path, into)?;
        } else if path.extension().is_some_and(|end| end == "html") {
            let name = path.strip_prefix(book).unwrap_or(&path).to_string_lossy().into_owned();
            let html =
                std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            into.insert(name, html);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_leads_nowhere_is_found() {
        let book = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = book.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put(
            "a.html",
            "<a href=\"b/c.html#x\"></a><a href=\"https://x\"></a><img src=\"b/p.png\"><a href=\"#no\"></a>",
        );
        put("b/c.html", "<h1 id=\"x\"></h1><a href=\"../a.html?s=1\"></a><a href=\"../no.html\"></a>");
        put("b/p.png", "");
        put("404.html", "<a href=\"no.html\"></a>");
        let found: Vec<String> = dead(book.path()).unwrap().iter().map(ToString::to_string).collect();
        let expected = [
            "a.html: a.html has no place #no",
            "b/c.html: ../no.html leads nowhere: the book has no no.html",
        ];
        assert_eq!(found, expected);
    }
}
