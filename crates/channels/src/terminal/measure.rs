//! How wide text is on a terminal, and what of it is safe to write there.

use unicode_segmentation::UnicodeSegmentation;

/// Columns a text takes on one line: by grapheme, wide letters and emoji count two.
#[must_use]
pub fn cells(text: &str) -> usize {
    text.graphemes(true).map(grapheme).sum()
}

fn grapheme(grapheme: &str) -> usize {
    let widest = grapheme.chars().map(scalar).max().unwrap_or(0);
    // A variation selector asks for the emoji form.
    if grapheme.contains('\u{fe0f}') { 2 } else { widest }
}

fn scalar(c: char) -> usize {
    match u32::from(c) {
        // Combining marks, joiners, variation selectors: no room of their own.
        0x0300..=0x036f
        | 0x1ab0..=0x1aff
        | 0x1dc0..=0x1dff
        | 0x200b..=0x200f
        | 0x20d0..=0x20ff
        | 0xfe00..=0xfe0f
        | 0xfe20..=0xfe2f
        | 0xfeff
        | 0xe0000..=0xe01ef => 0,
        // East Asian wide and full-width forms, and the emoji planes.
        0x1100..=0x115f
        | 0x231a..=0x231b
        | 0x23e9..=0x23ec
        | 0x25fd..=0x25fe
        | 0x2614..=0x2615
        | 0x2705
        | 0x270a..=0x270b
        | 0x2728
        | 0x274c
        | 0x274e
        | 0x2753..=0x2755
        | 0x2757
        | 0x2795..=0x2797
        | 0x2b50
        | 0x2b55
        | 0x2e80..=0x303e
        | 0x3041..=0x33ff
        | 0x3400..=0x4dbf
        | 0x4e00..=0x9fff
        | 0xa000..=0xa4cf
        | 0xa960..=0xa97f
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f004
        | 0x1f0cf
        | 0x1f18e
        | 0x1f191..=0x1f19a
        | 0x1f1e6..=0x1f1ff
        | 0x1f200..=0x1f64f
        | 0x1f680..=0x1f6ff
        | 0x1f7e0..=0x1f7eb
        | 0x1f900..=0x1f9ff
        | 0x1fa70..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// The text without anything a terminal would obey: an escape sequence in somebody's message must not move the
/// cursor, rename the window or paint over what is being approved. What was there stays visible as a symbol.
/// Line feeds stay; a tab becomes four blanks.
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
            // Also what turns the direction of text: it could show a sentence as another one.
            '\u{80}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => {
                out.push('\u{fffd}');
            }
            other => out.push(other),
        }
    }
    out
}

/// Breaks a text into lines of at most `width` columns, at blanks; a word that is longer stays whole. Its own
/// line breaks and blanks stay; the first line begins with `first`, every other with `rest`.
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
    fn wraps_at_blanks_and_hangs() {
        assert_eq!(wrap("one two three", "- ", "  ", 9), ["- one two", "  three"]);
        assert_eq!(wrap("a\n\n  b", "", "", 20), ["a", "", "  b"]);
        assert_eq!(wrap("averyveryverylongword x", "", "", 8), ["averyveryverylongword", "x"]);
        assert_eq!(wrap("", "> ", "  ", 8), [">"]);
        assert_eq!(wrap("日本 日本 日本", "", "", 9), ["日本 日本", "日本"]);
    }
}
