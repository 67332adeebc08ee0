//! The routing order as a table: rungs and their numbers from the enum, their names from the catalogue. When each decides is
//! kept from the page, by the rung's name: it is written by hand.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail};

use crate::repo::Repo;

const RUNGS: &str = "crates/engine/src/data/rung.rs";
const NAMES: &str = "crates/messages/locales/en/engine-why.ftl";
const PAGE: &str = "docs/concepts.md";
/// The cell of a rung that the page has not met yet.
const OPEN: &str = "…";

/// Every rung, top to bottom.
pub(super) fn table(repo: &Repo) -> Result<String> {
    let read = |path: &str| repo.read(path).with_context(|| format!("cannot read {path}"));
    let rows = rows(&read(RUNGS)?, &read(NAMES)?, &read(PAGE)?)?;
    Ok(format!("| # | Rung | Decides when |\n| --- | --- | --- |\n{rows}"))
}

fn rows(file: &str, catalogue: &str, page: &str) -> Result<String> {
    let (_, order) = file.split_once("pub const ALL:").with_context(|| format!("{RUNGS} has no order"))?;
    let names = catalogue.split_once("why-rung = ").and_then(|(_, rest)| rest.split("\n}").next());
    let names = names.with_context(|| format!("{NAMES} has no names of rungs"))?;
    let order = order.lines().skip(1).map(str::trim).take_while(|line| *line != "];");
    let mut out = String::new();
    for (number, variant) in order.enumerate() {
        let variant = variant.trim_start_matches("Self::").trim_end_matches(',');
        let code = variant.to_lowercase();
        let name = names.lines().find_map(|line| line.split_once(&format!("[{code}] ")));
        let (_, name) = name.with_context(|| format!("{NAMES} has no [{code}]"))?;
        let row = page.lines().find_map(|line| line.split_once(&format!(" | {name} | ")));
        let when = row.map_or(OPEN, |(_, when)| when.trim_end_matches('|').trim());
        if when == OPEN {
            bail!("say in {PAGE} when the rung {name} decides: `| {number} | {name} | … |`");
        }
        let _ = writeln!(out, "| {number} | {name} | {when} |");
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rungs_have_the_names_and_the_order_of_the_code() {
        let file = "    pub const ALL: [Self; 2] = [\n        Self::Focus,\n        Self::Gate,\n    ];\n";
        let names = "[gate] Another\nwhy-rung = { $rung ->\n    [focus] Focus\n   *[gate] Scope gate\n}\n";
        let page = "| 1 | Scope gate | nothing else did |\n| 0 | Focus | never |\n";
        let expected = "| 0 | Focus | never |\n| 1 | Scope gate | nothing else did |\n";
        assert_eq!(rows(file, names, page).unwrap(), expected);
        assert!(rows(file, names, "| 0 | Focus | never |\n").is_err());
        assert!(rows(file, "    [focus] Focus\n", page).is_err());
    }
}
