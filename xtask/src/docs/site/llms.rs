//! `llms.txt`, the list of the pages for programs that read them, and `llms-full.txt`, all of them in one file. Each page
//! lies beside its HTML as it was written.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};

use super::contents::{Contents, Page};

pub(super) fn write(contents: &Contents, book: &Path) -> Result<()> {
    let put = |path: &str, text: &str| {
        std::fs::write(book.join(path), text).with_context(|| format!("cannot write {path} of the book"))
    };
    for (path, page) in &contents.pages {
        put(path, &page.text)?;
    }
    put("llms.txt", &list(contents))?;
    let all: Vec<&str> = contents.order().map(|path| contents.pages[path].text.trim_end()).collect();
    put("llms-full.txt", &(all.join("\n\n---\n\n") + "\n"))
}

/// The list: the name of the product, what it is, and each page with its first sentence.
fn list(contents: &Contents) -> String {
    let introduction = &contents.pages["README.md"];
    let mut out = format!("# {}\n\n> {}\n", introduction.title, first_sentence(introduction));
    for part in &contents.parts {
        let _ = write!(out, "\n## {}\n\n", part.title);
        for path in part.pages.iter().flat_map(|(page, below)| std::iter::once(page).chain(below)) {
            let page = &contents.pages[path];
            let _ = writeln!(out, "- [{}]({path}): {}", page.title, first_sentence(page));
        }
    }
    out
}

/// The first sentence below the title, without marks of emphasis and links.
fn first_sentence(page: &Page) -> String {
    let prose = |line: &&str| line.starts_with(|c: char| c.is_alphanumeric() || "*`[\"“".contains(c));
    let lines =
        page.text.lines().skip(1).skip_while(|line| !prose(line)).take_while(|line| !line.trim().is_empty());
    let paragraph = lines.collect::<Vec<_>>().join(" ");
    let end = paragraph.find(". ").map_or(paragraph.len(), |at| at + 1);
    let mut plain = String::new();
    let mut rest = &paragraph[..end];
    while let Some((before, after)) = rest.split_once('[') {
        let Some((label, target)) = after.split_once("](") else { break };
        plain = plain + before + label;
        rest = target.split_once(')').map_or("", |(_, rest)| rest);
    }
    (plain + rest).replace("**", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_told_by_its_first_sentence() {
        let of = |text: &str| first_sentence(&Page { title: String::new(), text: text.into() });
        assert_eq!(
            of("# T\n\n**One** [thing](a.md#b) of\ntwo lines. More.\n\nNext.\n"),
            "One thing of two lines."
        );
        assert_eq!(of("# T\n\n<picture>\n\nIt ends here\n"), "It ends here");
        assert_eq!(of("# T\n"), "");
    }
}
