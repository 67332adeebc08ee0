//! The scopes of tokens as a table, from the one enum that defines them: each variant's line says what it allows.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail};

use crate::repo::Repo;

const SCOPES: &str = "crates/server/src/auth.rs";

/// Every scope with what it allows, in the order of the enum.
pub(super) fn table(repo: &Repo) -> Result<String> {
    let rows = rows(&repo.read(SCOPES).with_context(|| format!("cannot read {SCOPES}"))?)?;
    if rows.is_empty() {
        bail!("{SCOPES} has no `pub enum Scope` any more");
    }
    Ok(format!("| Scope | Allows to |\n| --- | --- |\n{rows}"))
}

fn rows(file: &str) -> Result<String> {
    let (_, variants) = file.split_once("pub enum Scope {\n").unwrap_or_default();
    let mut out = String::new();
    let mut says = "";
    for line in variants.lines().map(str::trim).take_while(|line| *line != "}") {
        if let Some(text) = line.strip_prefix("/// ") {
            says = text;
        } else if let Some(variant) = line.strip_suffix(',') {
            let named = format!("Self::{variant} => \"");
            let name = file.split_once(&named).and_then(|(_, rest)| rest.split('"').next());
            let name = name.with_context(|| format!("{SCOPES} has no name for {variant}"))?;
            let _ = writeln!(out, "| `{name}` | {says} |");
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scope_is_a_row() {
        let file = "/// Right.\npub enum Scope {\n    /// read it\n    Read,\n    /// write it\n    Write,\n}\n\
                    match self {\n    Self::Read => \"it:read\",\n    Self::Write => \"it:write\",\n}\n";
        assert_eq!(rows(file).unwrap(), "| `it:read` | read it |\n| `it:write` | write it |\n");
        assert!(rows("pub enum Scope {\n    /// x\n    Read,\n}\n").is_err());
    }
}
