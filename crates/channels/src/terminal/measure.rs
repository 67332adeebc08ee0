//! The width of text on a terminal, and text that is safe to write there.

use unicode_width::UnicodeWidthStr;

use crate::direction::{REPLACEMENT, turns_text};

/// Columns a text takes on one line. Wide letters and emoji take two, combining marks none.
#[must_use]
pub fn cells(text: &str) -> usize {
    text.width()
}

/// Replaces everything a terminal would obey: an escape sequence in a message must not move the cursor, rename the
/// window or paint over what is being approved. Each control character becomes a visible symbol. Line feeds stay; a
/// tab becomes four blanks.
#[must_use]
pub fn safe(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => out.push('\n'),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\t' => out.push_str("    "),
            '\u{0}'..='\u{1f}' => out.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}')),
            '\u{7f}' => out.push('\u{2421}'),
            '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' => out.push(REPLACEMENT),
            turn if turns_text(turn) => out.push(REPLACEMENT),
            other => out.push(other),
        }
    }
    out
}

/// Breaks the lines of a text that are longer than `width` columns, at blanks. What is broken off hangs below the text of
/// its line: below the second column, if the line is in two.
#[must_use]
pub fn fit(text: &str, width: usize) -> String {
    let width = width.max(super::MIN_WIDTH);
    let fitted = |line: &str| {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        // Two columns have at least two blanks between them.
        let second = text.find("  ").map(|at| at + text[at..].len() - text[at..].trim_start().len());
        let hang = indent + second.map_or(2, |at| cells(&text[..at]));
        let rest = " ".repeat(hang.min(width / 2));
        wrap(text, &" ".repeat(indent), &rest, width).join("\n")
    };
    text.split('\n').map(fitted).collect::<Vec<_>>().join("\n")
}

/// Breaks a text into lines of at most `width` columns, at blanks; a longer word stays whole. Its own line breaks and
/// blanks stay. The first line begins with `first`, every other with `rest`.
pub(super) fn wrap(text: &str, first: &str, rest: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.split('\n') {
        let prefix = |lines: &Vec<String>| if lines.is_empty() { first } else { rest };
        let mut line = prefix(&lines).to_owned();
        let (mut used, mut begun) = (cells(&line), false);
        for word in paragraph.split_inclusive(' ') {
            if begun && used + cells(word.trim_end_matches(' ')) > width {
                lines.push(line.trim_end().to_owned());
                line = prefix(&lines).to_owned();
                used = cells(&line);
            }
            line.push_str(word);
            used += cells(word);
            // A line of blanks alone is not worth breaking after.
            begun = begun || !word.trim().is_empty();
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_columns() {
        let table = [
            ("", 0),
            ("abc", 3),
            ("é", 1),
            ("e\u{301}", 1),
            ("日本", 4),
            ("👍", 2),
            ("👨‍👩‍👧", 2),
            ("✗", 1),
            ("❤\u{fe0f}", 2),
        ];
        for (text, expected) in table {
            assert_eq!(cells(text), expected, "{text}");
        }
    }

    #[test]
    fn nothing_a_terminal_obeys_gets_through() {
        let table = [
            ("plain\nlines\r\nstay", "plain\nlines\nstay"),
            ("\u{1b}[2J\u{1b}]0;x\u{7}", "␛[2J␛]0;x␇"),
            ("a\rb", "a␍b"),
            ("a\tb\u{0}\u{7f}", "a    b␀␡"),
            ("\u{9b}31m\u{202e}txt", "\u{fffd}31m\u{fffd}txt"),
        ];
        for (text, expected) in table {
            assert_eq!(safe(text), expected);
        }
    }

    #[test]
    fn what_is_too_long_hangs_below_its_text() {
        assert_eq!(fit("short\n\n  kept", 20), "short\n\n  kept");
        assert_eq!(fit("one two three four five six", 20), "one two three four\n  five six");
        assert_eq!(fit("  :1   press a button of a card", 24), "  :1   press a button of\n       a card");
        assert_eq!(fit("a", 0), "a");
    }

    #[test]
    fn wraps_at_blanks_and_hangs() {
        assert_eq!(wrap("one two three", "- ", "  ", 9), ["- one two", "  three"]);
        assert_eq!(wrap("a\n\n  b", "", "", 20), ["a", "", "  b"]);
        assert_eq!(wrap("averyveryverylongword x", "", "", 8), ["averyveryverylongword", "x"]);
        assert_eq!(wrap("", "> ", "  ", 8), [">"]);
        assert_eq!(wrap("日本 日本 日本", "", "", 9), ["日本 日本", "日本"]);
    }
}
