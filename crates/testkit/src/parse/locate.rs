//! Finds the line of a value. The YAML reader keeps no positions, so the path to the value is followed through the
//! text again. The result is exact to the line for the forms scenarios use, and only needed for errors.

use super::node::At;

/// A range of the text, in bytes.
struct Window<'a> {
    text: &'a str,
    from: usize,
    to: usize,
}

/// Returns the 1-based line of `path`, or of its nearest ancestor that can be found.
pub(super) fn locate(text: &str, path: &[At]) -> usize {
    let mut window = Window { text, from: 0, to: text.len() };
    for at in path {
        let found = match at {
            At::Key(key) => window.key(key),
            At::Item(n) => window.item(*n),
        };
        if !found {
            break;
        }
    }
    text[..window.from].matches('\n').count() + 1
}

impl Window<'_> {
    /// Narrows the window to the first `key:` at the least indentation.
    fn key(&mut self, key: &str) -> bool {
        let mut best: Option<(usize, usize)> = None;
        for (start, line) in self.lines() {
            let code = code(line);
            for (at, _) in code.match_indices(key) {
                let before = code[..at].trim_end_matches(['"', '\'']);
                let opens = before.trim().is_empty()
                    || before.ends_with(['{', ','])
                    || before.ends_with("{ ")
                    || before.ends_with(", ")
                    || before.trim_start_matches([' ', '-']).is_empty();
                let after = code[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
                let depth =
                    if before.trim_start_matches([' ', '-']).is_empty() { before.len() } else { 1_000 + at };
                if opens && after.starts_with(':') && best.is_none_or(|(seen, _)| depth < seen) {
                    best = Some((depth, start + at));
                }
            }
        }
        let Some((depth, at)) = best else { return false };
        self.from = at;
        // A key at the start of a line owns the deeper lines below it, and list items at its own depth.
        if depth < 1_000 {
            let end = self.lines().skip(1).find(|(_, line)| {
                let indent = line.len() - line.trim_start().len();
                !code(line).trim().is_empty()
                    && (indent < depth || indent == depth && !line.trim_start().starts_with('-'))
            });
            self.to = end.map_or(self.to, |(start, _)| start);
        }
        true
    }

    /// Narrows the window to the `n`-th item of the block list that begins here. Items of a flow list share their
    /// line.
    fn item(&mut self, n: usize) -> bool {
        let dash = |line: &str| {
            let trimmed = line.trim_start();
            (trimmed == "-" || trimmed.starts_with("- ")).then_some(line.len() - trimmed.len())
        };
        let Some(indent) = self.lines().find_map(|(_, line)| dash(line)) else { return false };
        let starts: Vec<usize> =
            self.lines().filter(|(_, line)| dash(line) == Some(indent)).map(|(start, _)| start).collect();
        let Some(start) = starts.get(n) else { return false };
        self.to = starts.get(n + 1).copied().unwrap_or(self.to);
        self.from = *start;
        true
    }

    /// Returns the window's lines with their offsets; the first may be a partial line.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut start = self.from;
        self.text[self.from..self.to].split_inclusive('\n').map(move |line| {
            let at = start;
            start += line.len();
            (at, line.trim_end_matches(['\n', '\r']))
        })
    }
}

/// Strips the comment.
fn code(line: &str) -> &str {
    if line.trim_start().starts_with('#') {
        return "";
    }
    line.find(" #").map_or(line, |at| &line[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(key: &str) -> At {
        At::Key(key.into())
    }

    #[test]
    fn finds_lines_in_both_styles() {
        let text = "scenario: x\ngiven:\n  users: { ana: {}, expect: {} }\n  lanes:\n    t1: {}\nturns:\n  - ana: hi # expect: no\n    \
                    expect:\n      card: { step: a,\n              version: 2 }\n  # - ana: gone\n  - ana: { press: approve }\n    \
                    expect: { effects: none }\n";
        for (path, line) in [
            (vec![key("given"), key("users")], 3),
            (vec![key("given"), key("lanes"), key("t1")], 5),
            (vec![key("turns"), At::Item(0)], 7),
            (vec![key("turns"), At::Item(0), key("expect")], 8),
            (vec![key("turns"), At::Item(0), key("expect"), key("card"), key("version")], 10),
            (vec![key("turns"), At::Item(1)], 12),
            (vec![key("turns"), At::Item(1), key("expect"), key("effects")], 13),
            (vec![key("turns"), At::Item(1), key("expect"), key("nowhere")], 13),
        ] {
            assert_eq!(locate(text, &path), line, "{path:?}");
        }
    }
}
