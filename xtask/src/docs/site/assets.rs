//! The sources of the book: the pages as mdBook takes them, and every file that one of them shows or links to.

use std::path::Path;
use std::sync::LazyLock;

use anyhow::{Context, Result};
use regex::{Captures, Regex};

use super::contents::Contents;
use super::{SETTINGS, STYLE};
use crate::docs::links;
use crate::repo::Repo;

/// A picture in two themes, as GitHub shows it.
static PICTURE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?s)<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\s*<img src="([^"]+)"([^>]*)>\s*</picture>"#)
        .expect("a pattern of this file")
});

/// A link to the index of a folder, which is a page of another name in the book.
static INDEX: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(\]\([^)\s:]*)README\.md").expect("a pattern of this file"));

/// Writes the book's settings, its table of contents, the pages and their files.
pub(super) fn write(repo: &Repo, contents: &Contents, folder: &Path) -> Result<()> {
    let put = |path: &str, text: &str| {
        let path = folder.join(path);
        let parent = path.parent().context("a file is in a folder")?;
        std::fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    for (from, to) in [(SETTINGS, "book.toml"), (STYLE, "book.css")] {
        put(to, &repo.read(from).with_context(|| format!("there is no {from}"))?)?;
    }
    put("src/SUMMARY.md", &contents.summary())?;
    for (path, page) in &contents.pages {
        put(&format!("src/{path}"), &page_of_the_book(&page.text))?;
        for file in files(path, &page.text) {
            let to = folder.join("src").join(&file);
            std::fs::create_dir_all(to.parent().context("a file is in a folder")?)?;
            std::fs::copy(repo.path(&file), &to).with_context(|| format!("{path}: cannot copy {file}"))?;
        }
    }
    Ok(())
}

/// A page as mdBook takes it: with each picture once for each theme of the book, which a reader may choose.
fn page_of_the_book(text: &str) -> String {
    let both = |found: &Captures<'_>| {
        let (dark, light, rest) = (&found[1], &found[2], &found[3]);
        format!("<img class=\"in-light\" src=\"{light}\"{rest}><img class=\"in-dark\" src=\"{dark}\"{rest}>")
    };
    let text = PICTURE.replace_all(text, both);
    // mdBook's own commands are never meant: a page may show the braces of another language.
    INDEX.replace_all(&text, "${1}index.md").replace("{{#", "\\{{#")
}

/// Returns the files other than pages that a page shows or links to.
fn files(path: &str, text: &str) -> Vec<String> {
    let pictures = PICTURE.captures_iter(text).flat_map(|found| [found[1].to_owned(), found[2].to_owned()]);
    let linked = links::links(text).into_iter().map(|(_, link)| link.split('#').next().unwrap_or_default());
    let linked = linked.filter(|link| !link.is_empty() && !link.ends_with(".md")).map(str::to_owned);
    pictures.chain(linked).map(|file| links::beside(path, &file)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_there_for_each_theme() {
        let page = "a\n<picture>\n  <source media=\"(prefers-color-scheme: dark)\" srcset=\"p/d.png\">\n  \
                    <img src=\"p/l.png\" alt=\"it\">\n</picture>\n[f](../x.yaml) [p](b.md)\n";
        let made = "a\n<img class=\"in-light\" src=\"p/l.png\" alt=\"it\"><img class=\"in-dark\" src=\"p/d.png\" alt=\"it\">\n\
                    [f](../x.yaml) [p](b.md)\n";
        assert_eq!(page_of_the_book(page), made);
        assert_eq!(page_of_the_book("[n](design/README.md#x) {{#if}}"), "[n](design/index.md#x) \\{{#if}}");
        assert_eq!(files("docs/a.md", page), ["docs/p/d.png", "docs/p/l.png", "x.yaml"]);
    }
}
