//! The section of `docs/measurements.md` that holds the newest run.

use std::fmt::Write as _;

use anyhow::{Context, Result};

use crate::repo::Repo;
use crate::say;

const DOCUMENT: &str = "docs/measurements.md";
const BEGIN: &str = "<!-- eval -->";
const END: &str = "<!-- /eval -->";

/// Where the figures come from.
pub(super) struct Origin {
    pub(super) day: String,
    pub(super) commit: String,
    pub(super) machine: String,
    pub(super) data: String,
    pub(super) cases: String,
}

/// Puts the tables between the markers.
pub(super) fn write(repo: &Repo, origin: &Origin, agreed: &str, tables: &str) -> Result<()> {
    let page = repo.read(DOCUMENT).with_context(|| format!("cannot read {DOCUMENT}"))?;
    let page = put(&page, &section(origin, agreed, tables))
        .with_context(|| format!("{DOCUMENT} has no {BEGIN} … {END} to write between"))?;
    repo.write(DOCUMENT, &page)?;
    say::note(&format!("wrote {DOCUMENT}"));
    Ok(())
}

fn section(origin: &Origin, agreed: &str, tables: &str) -> String {
    let mut out = format!("### `cargo xtask eval`, {}\n\n", origin.day);
    let _ = writeln!(
        out,
        "{} · commit {} · data {}, {} cases · {agreed}\n\n\
         Without a model. A rate stands with its 95 % interval after Wilson; “not yet” is what this version does not \
         decide. [evals.md](evals.md) says what is counted.\n",
        origin.machine, origin.commit, origin.data, origin.cases
    );
    out.push_str(tables.trim());
    out
}

fn put(page: &str, section: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{section}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_between_the_markers_is_replaced() {
        let page = "# M\n\n<!-- eval -->\nold\n<!-- /eval -->\n\nafter\n";
        let expected = "# M\n\n<!-- eval -->\nnew\n<!-- /eval -->\n\nafter\n";
        assert_eq!(put(page, "new").as_deref(), Some(expected));
        assert_eq!(put(expected, "new").as_deref(), Some(expected), "writing it again changes nothing");
        assert_eq!(put("# M\n", "new"), None);
    }
}
