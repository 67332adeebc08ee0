//! Tables of names that pages explain by hand, held against the one place that has the names: none is missing, none too
//! many.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use regex::Regex;

use crate::repo::{File, Finding, Repo};

struct List {
    page: &'static str,
    /// The table's first line.
    table: &'static str,
    /// The cell of a row that has names, and a name in it: other cells may mention some.
    cell: usize,
    row: &'static str,
    /// The file or folder that has the names.
    source: &'static str,
    /// A name there.
    name: &'static str,
}

const LISTS: [List; 3] = [
    List {
        page: "docs/mcp.md",
        table: "| Tool | Does | Scopes |",
        cell: 0,
        row: r"`([a-z_]+)`",
        source: "crates/server/src/mcp/tools.rs",
        name: r#"(?m)^        name: "([a-z_]+)","#,
    },
    List {
        page: "docs/postgresql.md",
        table: "| Table | Holds | Distributes by |",
        cell: 0,
        row: r"`([a-z_]+)`",
        source: "crates/store/src/postgres",
        name: r"CREATE TABLE (?:IF NOT EXISTS )?([a-z_]+)",
    },
    List {
        page: "docs/install.md",
        table: "| System | Archive |",
        cell: 1,
        row: r"throughline-cli-([a-z0-9_-]+)\.(?:tar\.xz|zip)",
        source: "dist-workspace.toml",
        name: r#"(?m)^    "([a-z0-9_-]+)",$"#,
    },
];

/// Returns a finding for each name that only one of the two has.
pub(super) fn strangers(repo: &Repo, pages: &[File]) -> Result<Vec<Finding>> {
    let mut found = Vec::new();
    for list in &LISTS {
        let Some(page) = pages.iter().find(|page| page.path == list.page) else { continue };
        let sources = match repo.read(list.source) {
            Some(text) => text,
            None => repo.files(list.source, &[".rs", ".sql"])?.into_iter().map(|file| file.text).collect(),
        };
        let names = all(list.name, &sources)?;
        ensure!(!names.is_empty(), "{} has no names like {} any more", list.source, list.name);
        found.extend(compared(list, &page.text, &names)?);
    }
    Ok(found)
}

fn compared(list: &List, page: &str, names: &BTreeSet<String>) -> Result<Vec<Finding>> {
    let at = page.lines().position(|line| line == list.table);
    let at = at.with_context(|| format!("{} has no table `{}`", list.page, list.table))?;
    let rows = page.lines().skip(at + 2).take_while(|line| line.starts_with('|'));
    let texts: String = rows.filter_map(|row| row.trim_matches('|').split(" | ").nth(list.cell)).collect();
    let shown = all(list.row, &texts)?;
    let finding = |what: String| Finding::line(list.page, at + 1, what);
    let missing =
        names.difference(&shown).map(|name| finding(format!("`{name}` of {} has no row", list.source)));
    let strange = shown.difference(names).map(|name| finding(format!("{} has no `{name}`", list.source)));
    Ok(missing.chain(strange).collect())
}

fn all(pattern: &str, text: &str) -> Result<BTreeSet<String>> {
    Ok(Regex::new(pattern)?.captures_iter(text).map(|found| found[1].to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_only_one_side_has_is_found() {
        let page = "# M\n\n| Tool | Does | Scopes |\n| --- | --- | --- |\n| `say`, `ask` | like `hear` | `x:y` |\n\n`other`\n";
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let found = |list: &[&str]| -> Vec<String> {
            compared(&LISTS[0], page, &names(list)).unwrap().iter().map(ToString::to_string).collect()
        };
        assert!(found(&["ask", "say"]).is_empty());
        let wrong = found(&["say", "why"]);
        assert_eq!(
            wrong,
            [
                "docs/mcp.md:3: `why` of crates/server/src/mcp/tools.rs has no row",
                "docs/mcp.md:3: crates/server/src/mcp/tools.rs has no `ask`"
            ]
        );
    }

    #[test]
    fn every_list_of_this_repository_is_whole() {
        let repo = Repo::find().unwrap();
        let pages = repo.files("docs", &[".md"]).unwrap();
        let found: Vec<String> = strangers(&repo, &pages).unwrap().iter().map(ToString::to_string).collect();
        assert!(found.is_empty(), "{found:#?}");
    }
}
