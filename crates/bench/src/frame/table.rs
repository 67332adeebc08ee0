//! The report of a figure: Markdown, with the goal beside the figure.

use std::fmt::{self, Write as _};

use super::spread::number;

/// The goal of a figure.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    AtLeast(f64),
    AtMost(f64),
}

impl Goal {
    /// Formats `≤ 10 %: met`, with `digits` decimals and in `unit`.
    pub(crate) fn judge(self, value: f64, digits: usize, unit: &str) -> String {
        let (sign, goal, met) = match self {
            Self::AtLeast(goal) => ("≥", goal, value >= goal),
            Self::AtMost(goal) => ("≤", goal, value <= goal),
        };
        format!("{sign} {}{unit}: {}", number(goal, digits), if met { "met" } else { "**not met**" })
    }
}

/// Rows of cells under a head.
pub(crate) struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Self {
        Self { head: head.iter().map(ToString::to_string).collect(), rows: Vec::new() }
    }

    /// Adds a row; it has as many cells as the head.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        assert_eq!(N, self.head.len(), "a row has as many cells as the head");
        self.rows.push(cells.into());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| {} |", self.head.join(" | "))?;
        let rule: Vec<_> = (0..self.head.len()).map(|n| if n == 0 { "---" } else { "--:" }).collect();
        writeln!(f, "| {} |", rule.join(" | "))?;
        self.rows.iter().try_for_each(|row| writeln!(f, "| {} |", row.join(" | ")))
    }
}

/// One figure's part of the report.
pub(crate) struct Section(String);

impl Section {
    pub(crate) fn new(figure: &str, title: &str) -> Self {
        Self(format!("### {figure}: {title}\n"))
    }

    /// A paragraph.
    pub(crate) fn say(&mut self, text: impl AsRef<str>) {
        let _ = write!(self.0, "\n{}\n", text.as_ref());
    }

    pub(crate) fn table(&mut self, table: &Table) {
        let _ = write!(self.0, "\n{table}");
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_says_whether_it_is_met() {
        assert_eq!(Goal::AtLeast(0.85).judge(0.9, 2, ""), "≥ 0.85: met");
        assert_eq!(Goal::AtMost(15.0).judge(15.1, 0, " %"), "≤ 15 %: **not met**");
        assert_eq!(Goal::AtMost(15.0).judge(f64::NAN, 0, ""), "≤ 15: **not met**");
    }

    #[test]
    fn a_section_is_markdown() {
        let mut table = Table::new(&["case", "µs"]);
        table.row(["a".into(), "1".into()]);
        let mut section = Section::new("B4", "step");
        section.say("How.");
        section.table(&table);
        assert_eq!(section.to_string(), "### B4: step\n\nHow.\n\n| case | µs |\n| --- | --: |\n| a | 1 |\n");
    }
}
