//! The figures of a run as a table, printed and appended to `docs/measurements/drive.md`.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use super::check::Found;
use super::lane::Sent;
use crate::output;
use crate::provenance;
use crate::repo::Repo;

const DOCUMENT: &str = "docs/measurements/drive.md";

/// The figures of one run.
pub(super) struct Measured {
    lanes: usize,
    events: usize,
    turns: usize,
    doubled: usize,
    late: usize,
    issues: usize,
    per_second: f64,
    p50: Duration,
    p99: Duration,
    found: [usize; 3],
}

impl Measured {
    pub(super) fn new(sent: &[Sent], took: Duration, late: usize, found: &Found) -> Self {
        let mut all: Vec<Duration> = sent.iter().flat_map(|sent| sent.took.iter().copied()).collect();
        all.sort();
        Self {
            lanes: sent.len(),
            events: all.len(),
            turns: found.turns,
            doubled: sent.iter().map(|sent| sent.doubled).sum(),
            late,
            issues: found.issues,
            per_second: found.turns as f64 / took.as_secs_f64().max(0.001),
            p50: quantile(&all, 50),
            p99: quantile(&all, 99),
            found: [found.lost, found.doubled, found.disordered],
        }
    }

    /// A section with the table, in Markdown.
    pub(super) fn table(&self, repo: &Repo, data: &Path) -> String {
        let [lost, doubled, disordered] = self.found;
        let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1_000.0);
        let mut out = format!("## `cargo xtask drive`, {}\n\n", provenance::today(repo));
        let _ = writeln!(
            out,
            "{} · commit {} · data {}\n",
            provenance::machine(),
            provenance::commit(repo),
            provenance::data_name(data)
        );
        let rows = [
            ("dialogues, one lane each", self.lanes.to_string()),
            ("events sent", self.events.to_string()),
            ("of these delivered twice at once", self.doubled.to_string()),
            ("delivered again at the end", self.late.to_string()),
            ("turns committed", self.turns.to_string()),
            ("issues, each approved by two people at once", self.issues.to_string()),
            ("lost · doubled · out of order", format!("{lost} · {doubled} · {disordered}")),
            ("turns per second", format!("{:.0}", self.per_second)),
            ("p50 · p99, event sent to decision read", format!("{} · {}", ms(self.p50), ms(self.p99))),
        ];
        out.push_str("| | |\n| --- | --: |\n");
        for (what, value) in rows {
            let _ = writeln!(out, "| {what} | {value} |");
        }
        out
    }

    /// Appends the section to the page.
    pub(super) fn append(&self, repo: &Repo, data: &Path) -> Result<()> {
        let mut text = repo.read(DOCUMENT).unwrap_or_else(|| "# Dialogues over HTTP\n".into());
        text.truncate(text.trim_end().len());
        let _ = write!(text, "\n\n{}", self.table(repo, data));
        repo.write(DOCUMENT, &text)?;
        output::note(&format!("appended to {DOCUMENT}"));
        Ok(())
    }
}

/// The value that `percent` of the sorted ones do not exceed; zero where there are none.
fn quantile(sorted: &[Duration], percent: usize) -> Duration {
    let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(at).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_that_were_measured() {
        let ms = |n: u64| Duration::from_millis(n);
        let all: Vec<Duration> = (1..=100).map(ms).collect();
        assert_eq!((quantile(&all, 50), quantile(&all, 99)), (ms(50), ms(99)));
        assert_eq!(quantile(&[ms(7)], 99), ms(7));
        assert_eq!(quantile(&[], 50), Duration::ZERO);
    }
}
