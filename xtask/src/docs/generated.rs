//! Parts of pages that are made from code, each between its two marks: `<!-- api -->` and `<!-- /api -->`. The text around
//! them is written by hand.

use anyhow::{Context, Result};

use super::{api, reasons, rungs, scopes};
use crate::output;
use crate::repo::{Finding, Repo};

struct Part {
    name: &'static str,
    page: &'static str,
    render: fn(&Repo) -> Result<String>,
}

const PARTS: [Part; 4] = [
    Part { name: "api", page: "docs/http-api.md", render: api::reference },
    Part { name: "reasons", page: "docs/reasons.md", render: reasons::table },
    Part { name: "rungs", page: "docs/concepts.md", render: rungs::table },
    Part { name: "scopes", page: "docs/configuration.md", render: scopes::table },
];

/// Returns a finding for each part that is out of date.
pub(super) fn old(repo: &Repo) -> Result<Vec<Finding>> {
    let mut found = Vec::new();
    for part in &PARTS {
        let (old, new) = part.pages(repo)?;
        if old != new {
            let what = format!("the part `{}` is old: `cargo xtask docs api` makes it anew", part.name);
            found.push(Finding::file(part.page, what));
        }
    }
    Ok(found)
}

/// Writes every part that is out of date.
pub(super) fn write(repo: &Repo) -> Result<()> {
    for part in &PARTS {
        let (old, new) = part.pages(repo)?;
        if old != new {
            repo.write(part.page, &new)?;
        }
        output::note(&format!("{}: {}", part.page, if old == new { "nothing new" } else { "written" }));
    }
    Ok(())
}

impl Part {
    /// Returns the page as it is, and as it should be.
    fn pages(&self, repo: &Repo) -> Result<(String, String)> {
        let (begin, end) = (format!("<!-- {} -->\n", self.name), format!("<!-- /{} -->", self.name));
        let old = repo.read(self.page).with_context(|| format!("cannot read {}", self.page))?;
        let marks = || format!("{} has no `{}` with a `{end}` after it", self.page, begin.trim_end());
        let (before, rest) = old.split_once(&begin).with_context(marks)?;
        let (_, after) = rest.split_once(&end).with_context(marks)?;
        let new = format!("{before}{begin}\n{}\n{end}{after}", (self.render)(repo)?.trim_end());
        Ok((old, new))
    }
}
