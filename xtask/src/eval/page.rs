//! `docs/measurements/eval.md`, which holds the newest run.

use std::fmt::Write as _;

use anyhow::Result;

use crate::output;
use crate::repo::Repo;

const DOCUMENT: &str = "docs/measurements/eval.md";

/// The circumstances of a run.
pub(super) struct Origin {
    pub(super) day: String,
    pub(super) commit: String,
    pub(super) machine: String,
    pub(super) data: String,
    pub(super) cases: String,
}

/// Writes the page anew. `agreed` is the sentence on the second scoring, `folds` the table of two folds, empty without them,
/// and `tables` the report as Markdown.
pub(super) fn write(repo: &Repo, origin: &Origin, agreed: &str, folds: &str, tables: &str) -> Result<()> {
    repo.write(DOCUMENT, &page(origin, agreed, folds, tables))?;
    output::note(&format!("written to {DOCUMENT}"));
    Ok(())
}

fn page(origin: &Origin, agreed: &str, folds: &str, tables: &str) -> String {
    let mut out = String::from("# Decisions on labelled cases\n\n");
    let _ = writeln!(
        out,
        "`cargo xtask eval`, {} · {} · commit {}\n\n\
         Without a model. [evals.md](../evals.md) says what is counted.\n",
        origin.day, origin.machine, origin.commit
    );
    if !folds.is_empty() {
        let _ = writeln!(
            out,
            "## What to expect\n\n\
             Fold A is worked with; the texts of fold B are never read, so its figures say what to expect elsewhere. The gap is in points, \
             and above 0 where fold B is worse. “Left open” is the share of such cases that nothing decided.\n\n{folds}"
        );
    }
    let _ = writeln!(
        out,
        "## Headline figures of the development data\n\n\
         Data {}, {} cases · {agreed}. A rate is given with its 95 % interval after Wilson; “not yet” marks what this version does not \
         decide.\n",
        origin.data, origin.cases
    );
    // The report's headings are one level below those of a page with more above them.
    let tables = format!("\n{}", tables.trim()).replace("\n#### ", "\n### ");
    out.push_str(tables.trim());
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_names_its_run_and_holds_the_tables() {
        let text = |text: &str| text.to_owned();
        let origin = Origin {
            day: text("today"),
            commit: text("c0"),
            machine: text("m"),
            data: text("d"),
            cases: text("3"),
        };
        let page = page(&origin, "agrees", "| f |\n", "| a |\n\n#### pending, 3 cases\n\n| b |\n");
        assert!(
            page.starts_with("# Decisions on labelled cases\n\n`cargo xtask eval`, today · m · commit c0\n")
        );
        assert!(page.contains("## What to expect\n") && page.contains("\n\n| f |\n"), "{page}");
        assert!(page.contains("Data d, 3 cases · agrees."), "{page}");
        assert!(page.ends_with("| a |\n\n### pending, 3 cases\n\n| b |\n"), "{page}");
    }
}
