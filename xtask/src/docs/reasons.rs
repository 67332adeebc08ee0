//! The reason codes as a table, from the one place that defines them.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail};

use crate::repo::Repo;

const REASONS: &str = "crates/engine/src/data/decision.rs";

/// Every code with what it means, in the order of the file.
pub(super) fn table(repo: &Repo) -> Result<String> {
    let file = repo.read(REASONS).with_context(|| format!("cannot read {REASONS}"))?;
    let rows = rows(&file);
    if rows.is_empty() {
        bail!("{REASONS} has no lines like `Name = \"code\", \"What it means.\";` any more");
    }
    Ok(format!("| Code | Meaning |\n| --- | --- |\n{rows}"))
}

fn rows(file: &str) -> String {
    let mut out = String::new();
    for line in file.lines() {
        if let [name, code, ", ", says, ";"] = line.split('"').collect::<Vec<_>>()[..]
            && name.ends_with(" = ")
        {
            let _ = writeln!(out, "| `{code}` | {says} |");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_a_row() {
        let file = "reasons! {\n    A = \"a.b\", \"It is.\";\n\n    C = \"c\", \"So.\";\n}\nlet a = \"b\";\n";
        assert_eq!(rows(file), "| `a.b` | It is. |\n| `c` | So. |\n");
    }
}
