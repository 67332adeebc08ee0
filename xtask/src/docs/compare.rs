//! Comparison of a page's output with the program's.
//!
//! Ids, hashes, times and durations are equal whatever their value, and runs of blanks count as one. `…` stands for
//! anything within a line, and on a line of its own for any lines. JSON may have more members than the page shows.
//! A string that is all `…`, at the end of a list, stands for any further elements, and a string like `"<token>"` for
//! any value, which later commands may name. Lines with a time may be broken elsewhere: dates differ in length.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

const ANYTHING: char = '…';
const ANY_LINES: &str = "…";

/// Patterns of values that differ from run to run, each with its placeholder.
static VARYING: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let table = [
        (r"\b([a-z]{1,2})_(?:[a-z2-7]{16,24}(?:_\d+)*\b|…)", "${1}_#"),
        (r"\btlk_([a-z0-9-]+)_(?:[0-9a-f]{48}\b|…)", "tlk_${1}_#"),
        (r"\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z", "<time>"),
        (r"\b(\d{1,2} [A-Z][a-z]{2}( \d{4})? )?\d{2}:\d{2}(:\d{2})?\b", "<time>"),
        (r"\b(\d{1,2}\.\d{1,2}\.(\d{4})?, |\d{4}-\d{2}-\d{2} (at|um) )<time>", "<time>"),
        (r"\b([0-9a-f]{64}|[0-9a-f]{12}|[0-9a-f]{8})\b", "<hash>"),
        (r"\b\d+(\.\d+)? ?(µs|ms|s|min|h)\b", "<duration>"),
        (r"\s+", " "),
    ];
    table.map(|(pattern, name)| (Regex::new(pattern).expect("a pattern of this table"), name)).into()
});

fn steady(line: &str) -> String {
    VARYING.iter().fold(line.trim_end().to_owned(), |line, (pattern, name)| {
        pattern.replace_all(&line, *name).into_owned()
    })
}

/// Compares the shown lines with the seen ones. The error is a difference line by line.
pub(super) fn lines(shown: &[String], seen: &str) -> Result<(), String> {
    let shown = trimmed(shown.iter().map(String::as_str).collect());
    let seen = trimmed(seen.lines().collect());
    let same = same_lines(&shown, &seen);
    if same { Ok(()) } else { Err(difference(&shown, &seen)) }
}

/// Removes empty lines at both ends.
fn trimmed(mut lines: Vec<&str>) -> Vec<&str> {
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    let first = lines.iter().position(|line| !line.trim().is_empty()).unwrap_or(0);
    lines.split_off(first)
}

/// True if each shown line matches one seen line, and each `…` any number of them.
fn same_lines(shown: &[&str], seen: &[&str]) -> bool {
    let Some((first, rest)) = shown.split_first() else { return seen.is_empty() };
    if first.trim() == ANY_LINES {
        return (0..=seen.len()).any(|skipped| same_lines(rest, &seen[skipped..]));
    }
    let same = seen.split_first();
    same.is_some_and(|(line, others)| same_line(first, line) && same_lines(rest, others))
        || broken_elsewhere(shown, seen)
}

/// True if the first two lines are equal but for the place where they are broken, because a date in them is longer: on
/// the tenth of a month a card's line breaks one part earlier than on the fifth.
fn broken_elsewhere(shown: &[&str], seen: &[&str]) -> bool {
    let ([one, two, rest @ ..], [first, second, others @ ..]) = (shown, seen) else { return false };
    let dated = |line: &&&str| steady(line).contains("<time>");
    let joined = |a: &str, b: &str, by: &str| format!("{}{by}{}", a.trim_end(), b.trim_start());
    [one, two].iter().any(dated)
        && [" ", " · "].iter().any(|by| same_line(&joined(one, two, by), &joined(first, second, by)))
        && same_lines(rest, others)
}

/// True if the parts between `…` occur in their order, the first at the start and the last at the end.
fn same_line(shown: &str, seen: &str) -> bool {
    let (shown, seen) = (steady(shown), steady(seen));
    let mut parts = shown.split(ANYTHING);
    let Some(mut rest) = parts.next().and_then(|first| seen.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Returns both texts as one: common lines unmarked, `-` before lines of the page alone, `+` before lines of the output.
fn difference(shown: &[&str], seen: &[&str]) -> String {
    let mut common = vec![vec![0; seen.len() + 1]; shown.len() + 1];
    for (i, line) in shown.iter().enumerate().rev() {
        for (j, other) in seen.iter().enumerate().rev() {
            common[i][j] = if same_line(line, other) {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let mut out = String::new();
    let (mut i, mut j) = (0, 0);
    while i < shown.len() || j < seen.len() {
        let (mark, line) = match (shown.get(i), seen.get(j)) {
            (Some(line), Some(other)) if same_line(line, other) => {
                (i, j) = (i + 1, j + 1);
                (' ', *other)
            }
            (Some(line), other) if other.is_none() || common[i + 1][j] >= common[i][j + 1] => {
                i += 1;
                ('-', *line)
            }
            (_, other) => {
                j += 1;
                ('+', other.copied().unwrap_or_default())
            }
        };
        let _ = writeln!(out, "    {mark} {line}");
    }
    out
}

/// Looks for the shown value in the seen one. The error names the place; named values are put into `names`.
pub(super) fn json(
    shown: &Value,
    seen: &Value,
    place: &str,
    names: &mut BTreeMap<String, String>,
) -> Result<(), String> {
    match (shown, seen) {
        (Value::Object(shown), Value::Object(seen)) => {
            for (name, shown) in shown {
                let place = format!("{place}.{name}");
                let seen = seen.get(name).ok_or_else(|| format!("{place} is not there"))?;
                json(shown, seen, &place, names)?;
            }
            Ok(())
        }
        (Value::Array(shown), Value::Array(seen)) => {
            let open = shown.last().is_some_and(|last| last == ANY_LINES);
            let shown = &shown[..shown.len() - usize::from(open)];
            if seen.len() < shown.len() || (!open && seen.len() > shown.len()) {
                return Err(format!("{place} has {} elements, the page shows {}", seen.len(), shown.len()));
            }
            let mut both = shown.iter().zip(seen).enumerate();
            both.try_for_each(|(n, (shown, seen))| json(shown, seen, &format!("{place}[{n}]"), names))
        }
        (Value::String(shown), Value::String(seen)) => {
            if let Some(name) = named(shown) {
                names.insert(name.into(), seen.clone());
                return Ok(());
            }
            let same = same_lines(&shown.lines().collect::<Vec<_>>(), &seen.lines().collect::<Vec<_>>());
            if same { Ok(()) } else { Err(format!("{place} is {seen:?}, the page shows {shown:?}")) }
        }
        (shown, seen) if shown == seen => Ok(()),
        (shown, seen) => Err(format!("{place} is {seen}, the page shows {shown}")),
    }
}

/// Returns the name in `<name>`.
fn named(shown: &str) -> Option<&str> {
    shown.strip_prefix('<')?.strip_suffix('>')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn same(shown: &str, seen: &str) -> bool {
        let shown: Vec<String> = shown.lines().map(str::to_owned).collect();
        lines(&shown, seen).is_ok()
    }

    #[test]
    fn what_varies_is_equal_and_nothing_else_is() {
        let id = "tn_xzfkhh25pvpwrpw2x5ry6btw";
        for (shown, seen, expected) in [
            ("one\ntwo", "one\ntwo\n", true),
            ("one", "one\ntwo", false),
            ("one\ntwo", "one", false),
            ("Turn tn_…: done", &format!("Turn {id}: done"), true),
            ("Turn tn_aaaaaaaaaaaaaaaaaaaaaaaa: done", &format!("Turn {id}: done"), true),
            ("Turn fx_…: done", &format!("Turn {id}: done"), false),
            ("Turn tn_…: done", "Turn nobody: done", false),
            ("at 13:04 · v1 · c74612bf", "at 23:59 · v1 · 788373dd", true),
            ("until 5 Dec 13:04", "until 1 Jan 2027 00:00", true),
            ("on 2026-11-26 at 19:24 UTC", "on 2027-01-05 at 00:27 UTC", true),
            ("bis 10.12., 23:43", "bis 1.1.2027, 00:46", true),
            ("on 2026-11-26", "on 2027-01-05", false),
            ("at 2026-01-15T10:00:00Z", "at 2027-11-21T13:06:39.986Z", true),
            ("v1", "v2", false),
            ("took 12 ms", "took 3.5 s", true),
            ("A   B", "A          B", true),
            ("  A", "A", false),
            (
                "by anyone · until 5 Dec 13:04\n  1 item\nend",
                "by anyone\n  until 10 Dec 13:04 · 1 item\nend",
                true,
            ),
            (
                "by anyone · until 5 Dec 13:04\n  1 item\nend",
                "by anyone\n  until 10 Dec 13:04 · 2 items\nend",
                false,
            ),
            ("by anyone\nfirst · 1 item", "by anyone · first\n1 item", false),
        ] {
            assert_eq!(same(shown, seen), expected, "{shown} / {seen}");
        }
    }

    #[test]
    fn an_ellipsis_stands_for_anything() {
        for (shown, seen, expected) in [
            ("created … by …", "created DEMO-1 by ana", true),
            ("created … by ana", "created DEMO-1 by bob", false),
            ("a … b … c", "a b c", false),
            ("a…b…c", "abc", true),
            ("a … a", "a", false),
            ("…\nlast", "one\ntwo\nlast", true),
            ("…\nlast", "last", true),
            ("first\n…", "first", true),
            ("first\n…\nlast", "first\nlast\nlast", true),
            ("first\n…\nlast", "first\nother", false),
            ("…", "", true),
        ] {
            assert_eq!(same(shown, seen), expected, "{shown} / {seen}");
        }
    }

    #[test]
    fn the_difference_names_both_sides() {
        let shown = ["one".to_owned(), "two".to_owned(), "three".to_owned()];
        let said = lines(&shown, "one\n2\nthree\nfour\n").unwrap_err();
        assert_eq!(said, "      one\n    - two\n    + 2\n      three\n    + four\n");
    }

    #[test]
    fn of_json_what_is_shown_must_be_there() {
        let seen =
            json!({"turn": "tn_xzfkhh25pvpwrpw2x5ry6btw", "rung": 9, "list": [{"a": 1, "token": "xyz"}, 2]});
        let mut names = BTreeMap::new();
        for (shown, expected) in [
            (json!({"rung": 9}), Ok(())),
            (json!({"turn": "tn_…", "list": [{"a": 1}, 2]}), Ok(())),
            (json!({"list": [{"token": "<the token>"}, "…"]}), Ok(())),
            (json!({"rung": 8}), Err(".rung is 9, the page shows 8")),
            (
                json!({"turn": "ln_…"}),
                Err(".turn is \"tn_xzfkhh25pvpwrpw2x5ry6btw\", the page shows \"ln_…\""),
            ),
            (json!({"more": 1}), Err(".more is not there")),
            (json!({"list": [{"a": 1}]}), Err(".list has 2 elements, the page shows 1")),
            (json!({"list": [{"a": 2}, "…"]}), Err(".list[0].a is 1, the page shows 2")),
        ] {
            assert_eq!(json(&shown, &seen, "", &mut names), expected.map_err(str::to_owned), "{shown}");
        }
        assert_eq!(names["the token"], "xyz");
    }
}
