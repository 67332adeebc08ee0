//! The reason codes as a table: the codes from the one place that defines them, their meanings from the catalogue.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, Result, bail};

use crate::repo::Repo;

const REASONS: &str = "crates/engine/src/data/decision.rs";
const MEANINGS: &str = "crates/messages/locales/en/engine-reasons.ftl";

/// Every code with what it means, in the order of the file.
pub(super) fn table(repo: &Repo) -> Result<String> {
    let read = |path: &str| repo.read(path).with_context(|| format!("cannot read {path}"));
    let rows = rows(&read(REASONS)?, &read(MEANINGS)?)?;
    if rows.is_empty() {
        bail!("{REASONS} has no lines like `Name = \"code\", say::reason_code;` any more");
    }
    Ok(format!("| Code | Meaning |\n| --- | --- |\n{rows}"))
}

fn rows(file: &str, catalogue: &str) -> Result<String> {
    let meanings: BTreeMap<String, &str> = catalogue
        .lines()
        .filter_map(|line| line.split_once(" = "))
        .map(|(id, says)| (id.replace('-', "_"), says))
        .collect();
    let mut out = String::new();
    for line in file.lines() {
        if let [name, code, rest] = line.split('"').collect::<Vec<_>>()[..]
            && name.ends_with(" = ")
            && let Some(message) = rest.strip_prefix(", say::").and_then(|rest| rest.strip_suffix(';'))
        {
            let says = meanings.get(message).with_context(|| format!("{MEANINGS} has no {message}"))?;
            let _ = writeln!(out, "| `{code}` | {says} |");
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_a_row() {
        let file = "reasons! {\n    A = \"a.b\", say::reason_a_b;\n\n    C = \"c\", say::reason_c;\n}\nlet a = \"b\";\n";
        let catalogue = "### Reasons\n\nreason-c = So.\nreason-a-b = It is.\n";
        assert_eq!(rows(file, catalogue).unwrap(), "| `a.b` | It is. |\n| `c` | So. |\n");
        assert!(rows(file, "reason-c = So.\n").is_err());
    }
}
